package asm

import (
	"errors"
	"fmt"
)

// distance is the value of an expression that must be a number by the time
// the layout is known: a count, a length. In an object sections have no
// address yet, so only differences within one of them are numbers.
func (a *assembler) distance(n *node) (int64, error) {
	if !a.object {
		return n.eval()
	}
	v, err := n.relocatable(new(int))
	if err == nil && !v.absolute() {
		err = errors.New("the size depends on where a section or symbol ends up")
	}
	return v.n, err
}

// relocValue is what an expression comes to in an object: a number, plus the
// start of a section or the address of a symbol that the linker knows.
type relocValue struct {
	n   int64
	sec *piece  // the section that the value lies in, if it is defined here
	sym *symbol // the symbol that was named; nil once sections cancel out
	at  atKind
	off int64 // n is sym's own place in sec plus off
}

func (v relocValue) absolute() bool { return v.sec == nil && v.sym == nil }

// relocatable evaluates a node when every label has its offset.
func (n *node) relocatable(steps *int) (relocValue, error) {
	*steps++
	switch {
	case *steps > maxEvalSteps:
		return relocValue{}, errTooComplex
	case n.op == "num":
		return relocValue{n: n.n}, nil
	case n.op == "view":
		v, err := n.view(steps)
		return relocValue{n: v}, err
	case n.op == "sym":
		v, err := n.sym.relocatable(steps)
		if n.at != atNone {
			v.at = n.at
		}
		return v, err
	}
	x, err := n.x.relocatable(steps)
	if err != nil {
		return x, err
	}
	var y relocValue
	if n.y != nil {
		if y, err = n.y.relocatable(steps); err != nil {
			return y, err
		}
	}
	return combine(n, x, y)
}

// combine applies one operator. Two places in one section leave a number.
func combine(n *node, x, y relocValue) (relocValue, error) {
	switch {
	case n.op == "+" && x.absolute():
		y.n, y.off = y.n+x.n, y.off+x.n
		return y, nil
	case n.op == "+" && y.absolute():
		x.n, x.off = x.n+y.n, x.off+y.n
		return x, nil
	case n.op == "-" && y.absolute():
		x.n, x.off = x.n-y.n, x.off-y.n
		return x, nil
	case x.absolute() && y.absolute(), x.sec != nil && x.sec == y.sec && (n.op == "-" || comparison[n.op]):
		v, err := apply(&node{op: n.op, x: num(x.n), y: numOrNil(n.y, y.n)})
		return relocValue{n: v}, err
	}
	return relocValue{}, errNoReloc
}

var errNoReloc = errors.New("no relocation can express this: it joins symbols of different sections")

func (s *symbol) relocatable(steps *int) (relocValue, error) {
	switch {
	case s.frag != nil:
		return relocValue{n: int64(s.frag.addr) + int64(s.off), sec: s.frag.sec, sym: s}, nil
	case s.expr != nil:
		v, err := s.expr.relocatable(steps)
		if err == nil && v.sec != nil && (s.global || s.weak) {
			v.sym, v.off = s, 0
		}
		return v, err
	}
	return relocValue{sym: s}, nil
}

// The relocation types of the AMD64 supplement, table 4.9.
const (
	rel64           = 1
	relPC32         = 2
	relPLT32        = 4
	relGOTPCREL     = 9
	rel32           = 10
	rel32S          = 11
	rel16           = 12
	relPC16         = 13
	rel8            = 14
	relPC8          = 15
	relDTPOFF64     = 17
	relTPOFF64      = 18
	relTLSGD        = 19
	relTLSLD        = 20
	relDTPOFF32     = 21
	relGOTTPOFF     = 22
	relTPOFF32      = 23
	relPC64         = 24
	relGOTOFF64     = 25
	relGOT64        = 27
	relGOT32        = 3
	relPLTOFF64     = 31
	relSIZE32       = 32
	relSIZE64       = 33
	relGOTPCRELX    = 41
	relREXGOTPCRELX = 42
)

// relocation is one entry of a .rela section, with its symbol still unnumbered.
type relocation struct {
	off    uint64
	typ    uint32
	sym    *symbol // nil: the section
	sec    *piece
	addend int64
}

// relocate fills in a field of an object: with a value when there is one, else
// with zeros and a relocation. p is the field's offset in its section.
func (a *assembler) relocate(data []byte, f *frag, x *fixup) {
	p := int64(f.addr) + int64(x.off)
	v, err := x.n.relocatable(new(int))
	pcrel := x.kind == fixPCRel || x.kind == fixGOT
	if err == errNoReloc {
		v, err = a.againstHere(x.n, f.sec, p)
		pcrel = true
	} else if err == nil && pcrel {
		v.off -= int64(x.end)
		v.n -= int64(x.end)
	}
	if err != nil {
		a.errorAt(x.at, "%s", err)
		return
	}
	if a.settled(&v, f.sec, pcrel, p, x) {
		a.store(data, x, v.n)
		return
	}
	typ, err := relocType(x, v, pcrel)
	if err != nil {
		a.errorAt(x.at, "%s", err)
		return
	}
	a.addRelocation(f.sec, uint64(p), typ, v)
}

// settled reports whether the field's value is known now, and puts it into
// v.n. A symbol that another object may replace never is, but for the jumps
// to a plain global, which GNU as resolves.
func (a *assembler) settled(v *relocValue, here *piece, pcrel bool, p int64, x *fixup) bool {
	switch {
	case v.at > atPLT:
		return false
	case !pcrel:
		return v.absolute()
	case v.sec != here:
		return false
	case v.sym != nil && (v.sym.weak || v.sym.global && (!x.jump || v.at == atPLT)):
		return false
	}
	v.n -= p
	return true
}

// againstHere reads x - y with y in the field's own section as x - . + (. - y),
// which is a PC-relative relocation: `.long 671f - .`.
func (a *assembler) againstHere(n *node, here *piece, p int64) (relocValue, error) {
	add := int64(0)
	for n.op == "+" || n.op == "-" { // (x - y) + 4
		if k, err := n.y.constant(); err == nil {
			if n.op == "-" {
				k = -k
			}
			add, n = add+k, n.x
			continue
		}
		break
	}
	if n.op != "-" {
		return relocValue{}, errNoReloc
	}
	x, err := n.x.relocatable(new(int))
	if err != nil {
		return x, err
	}
	y, err := n.y.relocatable(new(int))
	if err == nil && (y.sec != here || x.at > atPLT) {
		err = errNoReloc
	}
	d := p - y.n + add
	x.n, x.off = x.n+d, x.off+d
	return x, err
}

// relocKey is what a plain field's relocation depends on.
type relocKey struct {
	at    atKind
	size  int
	pcrel bool
}

var relocTypes = map[relocKey]uint32{
	{atNone, 8, false}: rel64, {atNone, 4, false}: rel32, {atNone, 2, false}: rel16, {atNone, 1, false}: rel8,
	{atNone, 8, true}: relPC64, {atNone, 4, true}: relPC32, {atNone, 2, true}: relPC16, {atNone, 1, true}: relPC8,
	{atPLT, 4, true}: relPLT32, {atPLT, 4, false}: relPLT32,
	{atTPOff, 4, false}: relTPOFF32, {atTPOff, 8, false}: relTPOFF64,
	{atDTPOff, 4, false}: relDTPOFF32, {atDTPOff, 8, false}: relDTPOFF64,
	{atGOTTPOff, 4, true}: relGOTTPOFF, {atTLSGD, 4, true}: relTLSGD, {atTLSLD, 4, true}: relTLSLD,
	{atGOT, 4, false}: relGOT32, {atGOT, 8, false}: relGOT64,
	{atGOTOff, 8, false}: relGOTOFF64, {atPLTOff, 8, false}: relPLTOFF64,
	{atSize, 4, false}: relSIZE32, {atSize, 8, false}: relSIZE64,
	{atGOTPCRel, 4, true}: relGOTPCREL, {atGOTPCRel, 4, false}: relGOTPCREL,
}

// relocType picks the relocation for a field.
func relocType(x *fixup, v relocValue, pcrel bool) (uint32, error) {
	switch {
	case x.kind == fixGOT && x.got == gotSlot:
		return relGOTPCREL, nil
	case x.kind == fixGOT && x.rex:
		return relREXGOTPCRELX, nil
	case x.kind == fixGOT:
		return relGOTPCRELX, nil
	case v.at == atNone && x.branch && pcrel && x.size == 4 && v.sym != nil && (v.sec == nil || v.sym.global || v.sym.weak):
		return relPLT32, nil
	case v.at == atNone && !pcrel && x.size == 4 && x.kind == fixSigned && !x.addr32:
		return rel32S, nil
	}
	typ, ok := relocTypes[relocKey{v.at, x.size, pcrel}]
	if !ok {
		return 0, fmt.Errorf("%s: no relocation of %d bits says this", x.text, 8*x.size)
	}
	return typ, nil
}

// addRelocation refers to a local label as section plus offset, as GNU as
// does, so that the label need not be in the symbol table. In a section that
// the linker merges entry by entry a reference with an addend names the label:
// the addend may not say which entry is meant, only where the instruction ends.
func (a *assembler) addRelocation(in *piece, off uint64, typ uint32, v relocValue) {
	r := relocation{off: off, typ: typ, sym: v.sym, sec: v.sec, addend: v.off}
	if v.absolute() {
		r.addend = v.n
	}
	local := v.sec != nil && !v.sym.global && !v.sym.weak
	merged := v.sec != nil && v.sec.flags&shfMerge != 0 && (typ == relPC32 || v.off != 0) && !v.sym.hidden
	if local && !merged && v.at <= atPLT {
		r.sym, r.addend = nil, v.n
	}
	if r.sym != nil {
		r.sym.inTable = true
		if v.at >= atTPOff && v.at <= atTLSLD {
			r.sym.typ = sttTLS
		}
	}
	in.relocs = append(in.relocs, r)
}

// The symbol types of ELF that this package gives.
const (
	sttNone    = 0
	sttObject  = 1
	sttFunc    = 2
	sttSection = 3
	sttFile    = 4
	sttTLS     = 6
	sttIFunc   = 10
)
