package asm

import "encoding/binary"

// symbolTable is the .symtab of an object: the null symbol, the file, the
// sections that relocations name, the local symbols, then the others.
type symbolTable struct {
	data     []byte
	names    stringTable
	count    int
	locals   int // the first that is not local
	byName   map[string]int
	numbers  map[*symbol]int
	sections map[*piece]int
}

const (
	stbLocal  = 0
	stbGlobal = 1
	stbWeak   = 2
)

// put appends one symbol.
func (t *symbolTable) put(name string, bind, typ, visibility byte, section uint16, value, size uint64) int {
	le := binary.LittleEndian
	t.data = le.AppendUint32(t.data, t.names.add(name))
	t.data = append(t.data, bind<<4|typ, visibility)
	t.data = le.AppendUint16(t.data, section)
	t.data = le.AppendUint64(t.data, value)
	t.data = le.AppendUint64(t.data, size)
	t.count++
	return t.count - 1
}

func (t *symbolTable) build(w *objWriter) {
	t.byName, t.numbers, t.sections = map[string]int{}, map[*symbol]int{}, map[*piece]int{}
	t.put("", 0, 0, 0, 0, 0, 0)
	if w.u.fileName != "" {
		t.put(w.u.fileName, stbLocal, sttFile, 0, shnAbs, 0, 0)
	}
	t.putSections(w)
	list := w.tableSymbols()
	for _, s := range list {
		if !s.outward() {
			t.putSymbol(w, s)
		}
	}
	for i, s := range w.sections { // a group's signature that is no symbol
		if s.typ == shtGroup && w.u.symbols[s.groupSign] == nil {
			t.byName[s.groupSign] = t.put(s.groupSign, stbLocal, sttNone, 0, uint16(i), 0, 0)
		}
	}
	t.locals = t.count
	for _, s := range list {
		if s.outward() {
			t.putSymbol(w, s)
		}
	}
}

// putSections adds the section symbols that relocations refer to.
func (t *symbolTable) putSections(w *objWriter) {
	needed := map[*piece]bool{}
	for _, s := range w.sections {
		for _, r := range s.relocs {
			needed[r.sec] = needed[r.sec] || r.sym == nil && r.sec != nil
		}
	}
	for _, o := range w.a.secs {
		if p := o.pieces[0]; needed[p] {
			t.sections[p] = t.put("", stbLocal, sttSection, 0, uint16(w.index[p]), 0, 0)
		}
	}
}

// outward reports whether other objects see the symbol.
func (s *symbol) outward() bool { return s.global || s.weak || !s.defined() && !s.local }

// tableSymbols lists what the table holds, in the order of first use: all
// definitions but the compiler's .L labels, and what is used without one.
func (w *objWriter) tableSymbols() []*symbol {
	var list []*symbol
	signs := map[string]bool{}
	for name := range w.groups {
		signs[name] = true
	}
	for _, s := range w.u.order {
		switch {
		case s.inTable, signs[s.name]:
		case s.isView(), s.hidden:
			continue
		case s.defined() && (s.outward() || !isTemp(s.name)):
		case !s.defined() && s.global && !s.weak:
		default:
			continue
		}
		list = append(list, s)
	}
	return list
}

func (s *symbol) isView() bool { return s.expr != nil && s.expr.op == "view" }

func (t *symbolTable) putSymbol(w *objWriter, s *symbol) {
	if len(w.a.errs) >= maxErrors {
		return
	}
	bind, section := byte(stbLocal), uint16(0)
	switch {
	case s.weak:
		bind = stbWeak
	case s.outward():
		bind = stbGlobal
	}
	v, err := s.relocatable(new(int))
	if err == nil && s.defined() && v.sec == nil && v.sym != nil {
		if s.outward() {
			w.a.errorAt(s.at, "symbol %s stands for %s, which is not defined here", s.name, v.sym.name)
		}
		return
	}
	if err != nil {
		w.a.errorAt(s.at, "%s", err)
		return
	}
	typ, value, size := s.kind(), uint64(v.n), w.symbolSize(s)
	switch {
	case s.common != 0:
		section, value = shnCommon, s.common
	case !s.defined():
		value = 0
	case v.sec == nil:
		section = shnAbs
	default:
		section = uint16(w.index[v.sec])
		if v.sec.flags&shfTLS != 0 {
			typ = sttTLS
		}
	}
	n := t.put(s.name, bind, typ, s.visibility, section, value, size)
	t.numbers[s], t.byName[s.name] = n, n
}

// kind is the symbol's type: its own, or that of the symbol it is a name of.
func (s *symbol) kind() byte {
	for n := 0; s.typ == sttNone && s.like != nil && n < maxNesting; n++ {
		s = s.like
	}
	return s.typ
}

// symbolSize is the size likewise.
func (w *objWriter) symbolSize(s *symbol) uint64 {
	for n := 0; s.size == nil && s.like != nil && n < maxNesting; n++ {
		s = s.like
	}
	if s.size == nil {
		return 0
	}
	v, err := w.a.distance(s.size)
	if err != nil {
		w.a.errorAt(s.at, ".size %s: %s", s.name, err)
	}
	return uint64(v)
}

// number is the symbol that a relocation refers to; 0 stands for no symbol.
func (t *symbolTable) number(w *objWriter, r relocation) int {
	switch {
	case r.sym != nil:
		return t.numbers[r.sym]
	case r.sec != nil:
		return t.sections[r.sec]
	}
	return 0
}
