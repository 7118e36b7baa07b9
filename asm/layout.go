package asm

import (
	"sort"
	"strings"
)

// maxImage bounds the image, so that `.skip 1<<40` is an error and not the
// end of the host's memory.
const maxImage = 16 << 20

// maxPasses bounds relaxation. Jumps only grow, so they settle; a .skip that
// depends on its own length may not.
const maxPasses = 200

// outSection is an output section while it is put together.
type outSection struct {
	name   string
	pieces []*piece
	addr   uint64
	size   uint64
	align  uint64
}

func (o *outSection) group() int {
	switch p := o.pieces[0]; {
	case p.exec():
		return 0
	case p.write():
		return 2
	}
	return 1
}

// rank orders the sections of a group: .text first, and the thread-local ones
// last and in one block, the zeros behind the data.
func (o *outSection) rank() int {
	switch p := o.pieces[0]; {
	case p.name == ".text":
		return 0
	case p.flags&shfTLS == 0:
		return 1
	case !p.nobits():
		return 2
	}
	return 3
}

// collect gathers the same-named pieces of all units and orders the sections:
// executable, read-only, writable, each in order of appearance, .text first.
// An object keeps the order of appearance, and all that the source mentions.
func (a *assembler) collect() []*outSection {
	var out []*outSection
	byName := map[string]*outSection{}
	for _, u := range a.units {
		for _, p := range u.pieces {
			if !a.keeps(p) {
				continue
			}
			o := byName[p.name]
			if o == nil {
				o = &outSection{name: p.name, align: 16}
				if a.object {
					o.align = 1
				}
				byName[p.name] = o
				out = append(out, o)
			}
			o.pieces = append(o.pieces, p)
			o.align = max(o.align, p.align)
		}
	}
	if a.object {
		return out
	}
	sort.SliceStable(out, func(i, j int) bool {
		if gi, gj := out[i].group(), out[j].group(); gi != gj {
			return gi < gj
		}
		return out[i].rank() < out[j].rank()
	})
	return out
}

func (a *assembler) keeps(p *piece) bool {
	if a.object {
		return p.used || p.started
	}
	return p.used && !p.unloaded
}

// layout settles all addresses and builds the image.
func (a *assembler) layout() *Object {
	if !a.settle() {
		return nil
	}
	return a.build(a.secs)
}

// settle gives every fragment its address and its length.
func (a *assembler) settle() bool {
	a.secs = a.collect()
	a.settling = true
	longJumps(a.secs)
	for pass := 0; ; pass++ {
		moved, ok := a.place(a.secs)
		if !ok {
			return false
		}
		if grew := a.relax(a.secs); !moved && !grew {
			if !a.settling {
				return true
			}
			a.settling = false // once more, and now sizes must be right
		}
		if pass == maxPasses {
			a.errorAt(a.lastMoved, "the layout does not settle: the size depends on itself")
			return false
		}
	}
}

// place gives every fragment an address and reports whether any moved.
func (a *assembler) place(secs []*outSection) (moved, ok bool) {
	addr, group, total := a.base(), 0, 0
	for _, o := range secs {
		if a.object {
			addr = 0 // every section counts from its own start
		} else if g := o.group(); g != group {
			var ok bool
			if addr, ok = a.groupStart(addr, group == 0); !ok {
				return false, false
			}
			group = g
		}
		if addr != a.base() && !a.object {
			addr = alignUp(addr, o.align)
		}
		o.addr = addr
		for i, p := range o.pieces {
			if i > 0 {
				addr = alignUp(addr, max(16, p.align))
			}
			for _, f := range p.frags {
				old := f.size
				moved = moved || f.addr != addr
				f.addr = addr
				if err := f.resize(a); err != nil {
					a.errorAt(f.at, "%s", err)
					return false, false
				}
				moved = moved || f.size != old
				addr += uint64(f.size)
				if total += f.size; total > maxImage {
					a.errorAt(f.at, "the image grows beyond %d bytes", maxImage)
					return false, false
				}
			}
		}
		o.size = addr - o.addr
	}
	a.placeThreadBlock(secs)
	return moved, true
}

// groupStart is where the next group of sections begins: a page of its own,
// and behind the executable ones at the data base, if one was given.
func (a *assembler) groupStart(addr uint64, afterCode bool) (uint64, bool) {
	addr = alignUp(addr, pageSize)
	if !afterCode || a.opt.DataBase == 0 {
		return addr, true
	}
	if addr > a.opt.DataBase && addr > a.base() {
		a.errorAt(place{source: -1}, "executable sections end at %#x, behind the data base %#x", addr, a.opt.DataBase)
		return 0, false
	}
	return a.opt.DataBase, true
}

func (a *assembler) base() uint64 {
	if a.opt.Base == 0 {
		return DefaultBase
	}
	return a.opt.Base
}

func alignUp(n, align uint64) uint64 { return (n + align - 1) / align * align }

// build writes the bytes and fills in the fields.
func (a *assembler) build(secs []*outSection) *Object {
	obj := &Object{}
	for _, o := range secs {
		s := Section{Name: o.name, Addr: o.addr, Exec: o.pieces[0].exec(), Write: o.pieces[0].write()}
		s.Data = make([]byte, 0, o.size)
		for _, p := range o.pieces {
			if gap := int(p.start(o.addr) - o.addr); gap > len(s.Data) {
				s.Data = append(s.Data, a.gap(p, gap-len(s.Data))...)
			}
			for _, f := range p.frags {
				s.Data = a.writeFrag(s.Data, f)
			}
		}
		obj.Sections = append(obj.Sections, s)
	}
	sort.SliceStable(obj.Sections, func(i, j int) bool { return obj.Sections[i].Addr < obj.Sections[j].Addr })
	a.buildSymbols(obj)
	a.buildLines(obj)
	return obj
}

func (p *piece) start(dflt uint64) uint64 {
	if len(p.frags) == 0 {
		return dflt
	}
	return p.frags[0].addr
}

func (a *assembler) gap(p *piece, n int) []byte {
	if p.exec() {
		return nops(n)
	}
	return make([]byte, n)
}

func (a *assembler) buildSymbols(obj *Object) {
	for _, u := range a.units {
		for _, s := range u.defs {
			if len(a.errs) >= maxErrors {
				return // a chain of names too long to follow is so for each of them
			}
			base := labelBase(s)
			if base != nil && base.unloaded {
				continue
			}
			v, err := s.late(new(int))
			if err != nil {
				a.errorAt(s.at, "%s", err)
				continue
			}
			out := Symbol{Name: s.name, Addr: uint64(v), Global: s.global || s.weak, Source: s.at.file}
			out.Absolute = base == nil
			if base != nil {
				out.Section = base.name
			}
			if s.size != nil {
				if n, err := s.size.eval(); err != nil {
					a.errorAt(s.at, "%s", err)
				} else {
					out.Size = uint64(n)
				}
			}
			obj.Symbols = append(obj.Symbols, out)
		}
	}
	obj.indexLabels()
}

// labelBase returns the piece a symbol stands in, nil for an absolute one.
// `.set alias, label+4` is a label too.
func labelBase(s *symbol) *piece {
	f := s.frag
	if f == nil && s.expr != nil {
		if v, err := s.expr.early(new(int)); err == nil {
			f = v.base
		}
	}
	if f == nil {
		return nil
	}
	return f.sec
}

func (a *assembler) buildLines(obj *Object) {
	for _, u := range a.units {
		for _, m := range u.marks {
			if m.from.sec.unloaded {
				continue
			}
			from := m.from.addr + uint64(m.fOff)
			to := m.to.addr + uint64(m.tOff)
			if to > from {
				obj.Lines = append(obj.Lines, Line{from, int(to - from), m.at.file, m.at.line, strings.TrimSpace(m.text)})
			}
		}
	}
	sort.SliceStable(obj.Lines, func(i, j int) bool { return obj.Lines[i].Addr < obj.Lines[j].Addr })
}
