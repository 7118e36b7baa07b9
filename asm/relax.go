package asm

import (
	"fmt"
	"slices"
)

// resize settles the length of a fragment at its present address.
func (f *frag) resize(a *assembler) error {
	switch f.kind {
	case fragData:
		f.size = len(f.data)
	case fragJump:
		f.size = f.jumpLen()
	case fragAlign:
		pad := alignUp(f.addr, f.align) - f.addr
		if f.maxPad > 0 && pad > f.maxPad {
			pad = 0
		}
		f.size = int(pad)
	case fragFill, fragOrg:
		return f.resizeFill(a)
	case fragLEB:
		return f.resizeLEB(a)
	}
	return nil
}

// resizeLEB only lets the number grow, so that two that depend on each other
// settle.
func (f *frag) resizeLEB(a *assembler) error {
	v, err := a.distance(f.expr)
	if err != nil {
		return err
	}
	if n := len(appendLEB(nil, v, f.signed, 0)); n > f.size {
		f.size, a.lastMoved = n, f.at
	}
	return nil
}

func (f *frag) resizeFill(a *assembler) error {
	n, err := a.distance(f.expr)
	if err != nil {
		return err
	}
	if f.kind == fragFill && n >= 0 && n <= maxImage {
		n *= int64(len(f.data))
	}
	if n < 0 || n > maxImage {
		if !a.settling {
			return fmt.Errorf("size %d is not 0 to %d: .skip and .org cannot move backwards", n, maxImage)
		}
		n = 0 // on the first passes a forward distance may still be off
	}
	if f.size != int(n) {
		f.size, a.lastMoved = int(n), f.at
	}
	return nil
}

func (f *frag) jumpLen() int {
	switch {
	case !f.long:
		return 2
	case f.cond == 0xe9:
		return 5
	}
	return 6
}

// named is the symbol of an expression that is one symbol plus a number.
func (n *node) named() *node {
	for n.op == "+" || n.op == "-" {
		x, y := n.x, n.y
		if n.op == "+" && x.op == "num" {
			x, y = y, x
		}
		if y.op != "num" {
			return nil
		}
		n = x
	}
	if n.op == "sym" {
		return n
	}
	return nil
}

// leaves reports whether a jump goes out of its source's section, or to a
// weak symbol. GNU as leaves those to the linker, in the long form.
func (f *frag) leaves() bool {
	if n := f.expr.named(); n != nil && (n.sym.weak || n.sym.global && n.at == atPLT) {
		return true
	}
	v, err := f.expr.early(new(int))
	return err != nil || v.base == nil || v.base.sec != f.sec
}

// longJumps makes the jumps that leave long before any address is known.
func longJumps(secs []*outSection) {
	for _, o := range secs {
		for _, p := range o.pieces {
			for i, f := range p.frags {
				f.index = i
				f.long = f.long || f.kind == fragJump && f.leaves()
			}
			p.linkPads()
		}
	}
}

// linkPads leads from each fragment to the first alignment behind it.
func (p *piece) linkPads() {
	var pads *frag
	for _, f := range slices.Backward(p.frags) {
		f.pads = pads
		if f.kind == fragAlign {
			pads = f
		}
	}
}

// relax grows the jumps whose target is out of reach and reports whether
// anything changed. Jumps start short and only grow.
func (a *assembler) relax(secs []*outSection) bool {
	grew := false
	for _, o := range secs {
		for _, p := range o.pieces {
			for pass := 0; pass < maxPasses && p.relaxOnce(a); pass++ {
				grew = true
			}
		}
	}
	return grew
}

// relaxOnce goes through a piece once, in the manner of GNU as: stretch is how
// far the fragments have moved so far, and a target that lies ahead is taken
// to move along. Where padding is about to shrink, that guess makes a jump
// long that need not be; the bytes agree only if we guess alike.
func (p *piece) relaxOnce(a *assembler) bool {
	stretch, grew := int64(0), false
	for _, f := range p.frags {
		f.addr += uint64(stretch)
		old := f.size
		if f.kind == fragJump && !f.long {
			d := f.guessTarget(stretch) - int64(f.addr) - 2
			f.long = d != int64(int8(d))
		}
		if f.resize(a) != nil {
			return false // place will report it
		}
		stretch += int64(f.size - old)
		grew = grew || f.size != old
	}
	return grew
}

// guessTarget is the address that a jump's target will have after this pass,
// as far as is known. Alignments on the way swallow part of the stretch.
func (f *frag) guessTarget(stretch int64) int64 {
	v, err := f.expr.early(new(int))
	if err != nil {
		return 0 // cannot be: such a jump leaves
	}
	t := int64(v.base.addr) + v.n
	if v.base.index <= f.index {
		return t
	}
	for g := f.pads; g != nil && g.index < v.base.index && stretch != 0; g = g.pads {
		if mask := int64(g.align) - 1; stretch < 0 {
			stretch = -(-stretch &^ mask)
		} else {
			stretch &^= mask
		}
	}
	return t + stretch
}
