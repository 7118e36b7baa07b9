package asm

import (
	"encoding/binary"
	"strings"
)

// AssembleObject assembles one source into an ELF64 relocatable object for
// x86-64, as `as --64` makes one: what the source does not define is left to a
// linker. Options.Defines count; the places of an image do not. Errors come
// back as from Assemble.
func AssembleObject(opt Options, src Source) ([]byte, error) {
	a := newAssembler(opt)
	a.object = true
	a.readSource(0, src)
	if a.cut {
		return nil, a.errorList()
	}
	a.checkDefines()
	a.resolve()
	if len(a.errs) == 0 && a.settle() {
		out := a.writeObject()
		if len(a.errs) == 0 {
			return out, nil
		}
	}
	return nil, a.errorList()
}

// The sizes of the records of ELF64, and other constants of its gABI.
const (
	ehSize   = 64
	shSize   = 64
	symSize  = 24
	relaSize = 24

	shtSymTab = 2
	shtStrTab = 3
	shtRela   = 4
	shtGroup  = 17

	shfInfoLink = 0x40

	shnLoReserve = 0xff00
	shnAbs       = 0xfff1
	shnCommon    = 0xfff2

	grpComdat = 1
)

// objSection is one section of the file, with its header.
type objSection struct {
	name      string
	typ       uint32
	flags     uint64
	size      uint64
	link      uint32
	info      uint32
	align     uint64
	entsize   uint64
	data      []byte
	nameOff   uint32
	of        *outSection
	relocs    []relocation
	groupSign string
}

// objWriter puts the file together.
type objWriter struct {
	a        *assembler
	u        *unit
	sections []*objSection // [0] is the null section
	index    map[*piece]int
	symbols  symbolTable
	groups   map[string]int
}

func (a *assembler) writeObject() []byte {
	w := &objWriter{a: a, u: a.units[0], index: map[*piece]int{}, groups: map[string]int{}}
	w.sections = []*objSection{{}}
	w.addGroups()
	w.addContents()
	w.addRelocations()
	w.addTables()
	if len(w.sections) >= shnLoReserve {
		a.errorAt(place{source: -1}, "%d sections are more than the %d that an object can number", len(w.sections), shnLoReserve)
	}
	return w.file()
}

func (w *objWriter) add(s *objSection) int {
	w.sections = append(w.sections, s)
	return len(w.sections) - 1
}

// addGroups makes the section of each group; a group precedes its members.
func (w *objWriter) addGroups() {
	for _, o := range w.a.secs {
		p := o.pieces[0]
		if p.group == "" || w.groups[p.group] != 0 {
			continue
		}
		flag := uint32(0)
		if p.comdat {
			flag = grpComdat
		}
		w.groups[p.group] = w.add(&objSection{
			name: ".group", typ: shtGroup, align: 4, entsize: 4, groupSign: p.group,
			data: binary.LittleEndian.AppendUint32(nil, flag),
		})
	}
}

// addContents writes every section's bytes, which also finds the relocations.
func (w *objWriter) addContents() {
	for _, o := range w.a.secs {
		p := o.pieces[0]
		s := &objSection{
			name: o.name, typ: p.typ, flags: p.flags, size: o.size, align: o.align, entsize: p.entsize, of: o,
		}
		if p.group != "" {
			s.flags |= shfGroup
		}
		if !p.nobits() {
			for _, f := range p.frags {
				s.data = w.a.writeFrag(s.data, f)
			}
			if o.name == ".debug_line" {
				w.appendLineTable(s, p)
			}
			s.size = uint64(len(s.data))
		}
		w.index[p] = w.add(s)
		s.relocs = p.relocs
	}
	if len(w.u.rows) > 0 && !w.has(".debug_line") {
		p := &piece{name: ".debug_line", typ: shtProgBits}
		s := &objSection{name: p.name, typ: p.typ, align: 1}
		w.appendLineTable(s, p)
		s.size, s.relocs = uint64(len(s.data)), p.relocs
		w.index[p] = w.add(s)
	}
	// Without this section ld takes the object for one that needs an
	// executable stack, and says so.
	if !w.has(".note.GNU-stack") {
		w.add(&objSection{name: ".note.GNU-stack", typ: shtProgBits, align: 1})
	}
}

func (w *objWriter) has(name string) bool {
	for _, s := range w.sections {
		if s.name == name {
			return true
		}
	}
	return false
}

// addRelocations numbers the symbols and writes the .rela sections, each next
// to no one in particular: sh_info says whose it is.
func (w *objWriter) addRelocations() {
	w.symbols.build(w)
	for i, s := range append([]*objSection(nil), w.sections...) {
		if len(s.relocs) == 0 {
			w.join(s, i)
			continue
		}
		r := &objSection{
			name: ".rela" + s.name, typ: shtRela, flags: shfInfoLink | s.flags&shfGroup,
			info: uint32(i), align: 8, entsize: relaSize,
		}
		for _, rel := range s.relocs {
			info := uint64(w.symbols.number(w, rel))<<32 | uint64(rel.typ)
			r.data = binary.LittleEndian.AppendUint64(r.data, rel.off)
			r.data = binary.LittleEndian.AppendUint64(r.data, info)
			r.data = binary.LittleEndian.AppendUint64(r.data, uint64(rel.addend))
		}
		w.join(s, i, w.add(r))
	}
}

// join lists a section, and that of its relocations, in its group.
func (w *objWriter) join(s *objSection, members ...int) {
	if s.of == nil || s.of.pieces[0].group == "" {
		return
	}
	g := w.sections[w.groups[s.of.pieces[0].group]]
	for _, m := range members {
		g.data = binary.LittleEndian.AppendUint32(g.data, uint32(m))
	}
}

// addTables adds the symbol table and the strings, and links sections to them.
func (w *objWriter) addTables() {
	symtab := w.add(&objSection{
		name: ".symtab", typ: shtSymTab, align: 8, entsize: symSize,
		data: w.symbols.data, info: uint32(w.symbols.locals),
	})
	w.sections[symtab].link = uint32(w.add(&objSection{name: ".strtab", typ: shtStrTab, align: 1, data: w.symbols.names.data}))
	names := w.add(&objSection{name: ".shstrtab", typ: shtStrTab, align: 1})
	for _, s := range w.sections {
		switch {
		case s.typ == shtRela:
			s.link = uint32(symtab)
		case s.typ == shtGroup:
			s.link, s.info = uint32(symtab), uint32(w.symbols.byName[s.groupSign])
		case s.of != nil && s.of.pieces[0].link != "":
			s.link = uint32(w.linked(s.of.pieces[0].link))
		}
	}
	var t stringTable
	for _, s := range w.sections {
		s.nameOff = t.add(s.name)
	}
	w.sections[names].data = t.data
	for _, s := range w.sections {
		if s.data != nil {
			s.size = uint64(len(s.data))
		}
	}
}

// linked is the section that a link-order section names, itself or by a symbol
// in it.
func (w *objWriter) linked(name string) int {
	if p := w.u.byName[pieceKey{name, 0}]; p != nil {
		return w.index[p]
	}
	if s := w.u.symbols[name]; s != nil && s.frag != nil {
		return w.index[s.frag.sec]
	}
	return 0
}

// file lays the sections out behind the header and the headers behind them.
func (w *objWriter) file() []byte {
	le := binary.LittleEndian
	out := make([]byte, ehSize)
	offsets := make([]uint64, len(w.sections))
	for i, s := range w.sections[1:] {
		out = append(out, make([]byte, alignUp(uint64(len(out)), max(s.align, 1))-uint64(len(out)))...)
		offsets[i+1] = uint64(len(out))
		out = append(out, s.data...)
	}
	out = append(out, make([]byte, alignUp(uint64(len(out)), 8)-uint64(len(out)))...)
	copy(out, "\x7fELF\x02\x01\x01") // 64 bits, little endian, version 1
	le.PutUint16(out[16:], 1)        // ET_REL
	le.PutUint16(out[18:], 62)       // EM_X86_64
	le.PutUint32(out[20:], 1)
	le.PutUint64(out[40:], uint64(len(out)))
	le.PutUint16(out[52:], ehSize)
	le.PutUint16(out[58:], shSize)
	le.PutUint16(out[60:], uint16(len(w.sections)))
	le.PutUint16(out[62:], uint16(len(w.sections)-1)) // .shstrtab is the last
	for i, s := range w.sections {
		out = le.AppendUint32(out, s.nameOff)
		out = le.AppendUint32(out, s.typ)
		for _, v := range []uint64{s.flags, 0, offsets[i], s.size} {
			out = le.AppendUint64(out, v)
		}
		out = le.AppendUint32(out, s.link)
		out = le.AppendUint32(out, s.info)
		out = le.AppendUint64(out, s.align)
		out = le.AppendUint64(out, s.entsize)
	}
	return out
}

// stringTable is a .strtab; the empty name is at 0.
type stringTable struct {
	data []byte
	at   map[string]uint32
}

func (t *stringTable) add(name string) uint32 {
	if t.at == nil {
		t.at, t.data = map[string]uint32{"": 0}, []byte{0}
	}
	if off, ok := t.at[name]; ok {
		return off
	}
	off := uint32(len(t.data))
	t.at[name] = off
	t.data = append(append(t.data, strings.ReplaceAll(name, "\x00", "")...), 0)
	return off
}
