package elfobj

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"
)

// Bounds of one object. They are far above what compilers make of lock code,
// and keep the work on a hostile file in proportion to its size.
const (
	maxSections = 1 << 16
	maxSymbols  = 1 << 20
	maxName     = 4096     // bytes of a symbol's or section's name
	maxNames    = 64 << 20 // bytes of all names
	maxRelocs   = 1 << 20
	maxAlign    = 1 << 16 // bytes
)

// Sizes of ELF64 records, in bytes.
const (
	sizeHeader  = 64
	sizeProg    = 56
	sizeSection = 64
	sizeSymbol  = 24
	sizeRela    = 24
)

// object is a parsed ELF file.
type object struct {
	name     string // "ticket.o", or "liblock.a(ticket.o)"
	data     []byte
	typ      elf.Type
	entry    uint64
	progs    []prog
	sections []section
	symbols  []symbol // by index in the file; 0 is the null symbol
}

type prog struct {
	typ                             elf.ProgType
	flags                           elf.ProgFlag
	offset, addr, fileSize, memSize uint64
	align                           uint64
}

// section is a section of an object. data is a part of the file, nil for
// SHT_NOBITS.
type section struct {
	obj        *object
	index      int
	name       string
	typ        elf.SectionType
	flags      elf.SectionFlag
	addr, size uint64
	align      uint64
	entSize    uint64
	link, info uint32
	data       []byte
	relocs     []*section // the SHT_RELA sections that apply to it

	fate fate
	placed
}

// placed is where a section went.
type placed struct {
	at  uint64 // its address, or its offset in the per-CPU areas
	out []byte // its bytes in the image
}

// symbol is an entry of an object's symbol table.
type symbol struct {
	name        string
	bind        elf.SymBind
	typ         elf.SymType
	value, size uint64
	index       elf.SectionIndex
	sec         *section // where it is defined, nil if it is in no section
}

func (s *symbol) undefined() bool { return s.index == elf.SHN_UNDEF }
func (s *symbol) global() bool {
	return s.bind == elf.STB_GLOBAL || s.bind == elf.STB_WEAK || s.bind == elf.STB_LOOS
}

// place names an offset in a section, for messages.
func (s *section) place(off uint64) string {
	name := s.name
	if name == "" {
		name = fmt.Sprintf("section %d", s.index)
	}
	return fmt.Sprintf("%s:%s+%#x", s.obj.name, name, off)
}

// parse reads an ELF file. What is wrong with it goes into errs, and the result
// is nil then.
func parse(name string, data []byte, errs *ErrorList) *object {
	o := &object{name: name, data: data}
	p := &parser{object: o, errs: errs}
	before := len(*errs)
	p.header()
	if len(*errs) > before {
		return nil
	}
	p.symbolTable()
	p.attachRelocs()
	if len(*errs) > before {
		return nil
	}
	return o
}

// parser fills in an object.
type parser struct {
	*object
	errs  *ErrorList
	names int // bytes of names so far
}

// cleanName makes a name printable. Names may overlap in the file, so their sum
// has a bound of its own.
func (p *parser) cleanName(s string) string {
	if p.names += len(s); p.names > maxNames {
		p.fail("names of more than %d bytes in all", maxNames)
		return ""
	}
	return printable(s)
}

func (p *parser) fail(format string, args ...any) { p.errs.add(p.name, format, args...) }

func u16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func u64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// header reads the file header and the two tables that it names (gABI, chapters
// "ELF Header", "Sections" and "Program Header").
func (p *parser) header() {
	d := p.data
	switch {
	case isBitcode(d):
		p.fail(ltoMessage)
		return
	case !bytes.HasPrefix(d, []byte(magicELF)):
		p.fail("no ELF file: it begins with %x", d[:min(len(d), 4)])
		return
	}
	if len(d) < sizeHeader {
		p.fail("an ELF file that ends in its header")
		return
	}
	if class := elf.Class(d[elf.EI_CLASS]); class != elf.ELFCLASS64 {
		p.fail("an ELF file of class %s: 64-bit code is wanted (no -m32, no -mx32)", class)
		return
	}
	if enc := elf.Data(d[elf.EI_DATA]); enc != elf.ELFDATA2LSB {
		p.fail("an ELF file with byte order %s: x86-64 is little-endian", enc)
		return
	}
	if m := elf.Machine(u16(d[18:])); m != elf.EM_X86_64 {
		p.fail("an ELF file for %s: x86-64 is wanted", strings.TrimPrefix(m.String(), "EM_"))
		return
	}
	p.typ, p.entry = elf.Type(u16(d[16:])), u64(d[24:])
	if p.typ != elf.ET_REL && p.typ != elf.ET_EXEC && p.typ != elf.ET_DYN {
		p.fail("an ELF file of type %s: an object or an executable is wanted", p.typ)
		return
	}
	p.programHeaders(u64(d[32:]), u16(d[54:]), u16(d[56:]))
	p.sectionHeaders(u64(d[40:]), u16(d[58:]), u16(d[60:]), uint32(u16(d[62:])))
}

// table returns n records of a size at an offset of the file.
func (p *parser) table(what string, off uint64, n uint64, size uint64) []byte {
	b := p.at(off, n*size)
	if b == nil && n > 0 {
		p.fail("%d %s at offset %#x reach beyond the end of the file (%#x)", n, what, off, len(p.data))
	}
	return b
}

// at returns a part of the file, nil if it is not all there.
func (p *parser) at(off, n uint64) []byte {
	if off > uint64(len(p.data)) || n > uint64(len(p.data))-off {
		return nil
	}
	return p.data[off : off+n : off+n]
}

func (p *parser) programHeaders(off uint64, size, n uint16) {
	if n == 0 || p.typ == elf.ET_REL {
		return
	}
	if size != sizeProg {
		p.fail("program headers of %d bytes: ELF64 has %d", size, sizeProg)
		return
	}
	b := p.table("program headers", off, uint64(n), sizeProg)
	for ; len(b) > 0; b = b[sizeProg:] {
		p.progs = append(p.progs, prog{typ: elf.ProgType(u32(b)), flags: elf.ProgFlag(u32(b[4:])), offset: u64(b[8:]),
			addr: u64(b[16:]), fileSize: u64(b[32:]), memSize: u64(b[40:]), align: u64(b[48:])})
	}
}

func (p *parser) sectionHeaders(off uint64, size, count uint16, names uint32) {
	n := uint64(count)
	if off == 0 {
		return // stripped of its section headers
	}
	if size != sizeSection {
		p.fail("section headers of %d bytes: ELF64 has %d", size, sizeSection)
		return
	}
	if first := p.at(off, sizeSection); first != nil { // more than 0xff00 sections: section 0 has the numbers
		if n == 0 {
			n = u64(first[32:])
		}
		if names == uint32(elf.SHN_XINDEX) {
			names = u32(first[40:])
		}
	}
	if n > maxSections {
		p.fail("%d sections: at most %d", n, maxSections)
		return
	}
	b := p.table("section headers", off, n, sizeSection)
	p.sections = make([]section, len(b)/sizeSection)
	for i := range p.sections {
		p.section(i, b[i*sizeSection:])
	}
	if len(p.sections) == 0 || names == 0 {
		return
	}
	if uint64(names) >= n || p.sections[names].typ != elf.SHT_STRTAB {
		p.fail("section %d is to hold the names of sections, and is no string table", names)
		return
	}
	strs := string(p.sections[names].data)
	for i := range p.sections {
		s := &p.sections[i]
		var ok bool
		if s.name, ok = stringAt(strs, u32(b[i*sizeSection:])); !ok {
			p.fail("section %d: bad name", i)
		}
		s.name = p.cleanName(s.name)
	}
}

// section reads header i.
func (p *parser) section(i int, b []byte) {
	s := &p.sections[i]
	*s = section{obj: p.object, index: i, typ: elf.SectionType(u32(b[4:])), flags: elf.SectionFlag(u64(b[8:])), addr: u64(b[16:]),
		size: u64(b[32:]), align: max(u64(b[48:]), 1), entSize: u64(b[56:]), link: u32(b[40:]), info: u32(b[44:])}
	if i == 0 || s.typ == elf.SHT_NULL || s.typ == elf.SHT_NOBITS {
		return
	}
	if s.data = p.at(u64(b[24:]), s.size); s.data == nil {
		p.fail("section %d: %#x bytes at offset %#x reach beyond the end of the file (%#x)", i, s.size, u64(b[24:]), len(p.data))
	}
}

// stringAt returns the string at an offset of a string table: a part of it, not
// a copy.
func stringAt(strs string, off uint32) (string, bool) {
	if off == 0 && strs == "" {
		return "", true
	}
	if uint64(off) >= uint64(len(strs)) {
		return "", false
	}
	s := strs[off:]
	n := strings.IndexByte(s[:min(len(s), maxName)], 0)
	if n < 0 {
		return "", false
	}
	return s[:n], true
}

// symbolTable reads the one SHT_SYMTAB.
func (p *parser) symbolTable() {
	var tab *section
	for i := range p.sections {
		s := &p.sections[i]
		switch {
		case s.typ == elf.SHT_SYMTAB && tab != nil:
			p.fail("sections %d and %d are both symbol tables", tab.index, i)
			return
		case s.typ == elf.SHT_SYMTAB:
			tab = s
		case s.typ == elf.SHT_SYMTAB_SHNDX:
			p.fail("more than 65,000 sections: extended section numbers are not read")
			return
		}
	}
	if tab == nil {
		return
	}
	if tab.entSize != sizeSymbol && tab.entSize != 0 || len(tab.data)%sizeSymbol != 0 {
		p.fail("symbol table of %d bytes with entries of %d: ELF64 has %d", len(tab.data), tab.entSize, sizeSymbol)
		return
	}
	if len(tab.data)/sizeSymbol > maxSymbols {
		p.fail("%d symbols: at most %d", len(tab.data)/sizeSymbol, maxSymbols)
		return
	}
	if uint64(tab.link) >= uint64(len(p.sections)) || p.sections[tab.link].typ != elf.SHT_STRTAB {
		p.fail("section %d is to hold the names of symbols, and is no string table", tab.link)
		return
	}
	strs := string(p.sections[tab.link].data)
	p.symbols = make([]symbol, len(tab.data)/sizeSymbol)
	for i := range p.symbols {
		p.symbol(i, tab.data[i*sizeSymbol:], strs)
	}
}

// symbol reads entry i of the symbol table.
func (p *parser) symbol(i int, b []byte, strs string) {
	s := &p.symbols[i]
	*s = symbol{bind: elf.ST_BIND(b[4]), typ: elf.ST_TYPE(b[4]), index: elf.SectionIndex(u16(b[6:])), value: u64(b[8:]), size: u64(b[16:])}
	var ok bool
	if s.name, ok = stringAt(strs, u32(b)); !ok {
		p.fail("symbol %d: bad name", i)
		return
	}
	switch {
	case s.index < elf.SHN_LORESERVE:
		if int(s.index) >= len(p.sections) {
			p.fail("symbol %d (%s): no section %d", i, s.name, s.index)
			return
		}
		if s.index != elf.SHN_UNDEF {
			s.sec = &p.sections[s.index]
		}
	case s.index != elf.SHN_ABS && s.index != elf.SHN_COMMON:
		p.fail("symbol %d (%s): section number %#x is not known", i, s.name, uint16(s.index))
		return
	}
	if s.sec != nil && p.typ == elf.ET_REL && s.value > s.sec.size {
		p.fail("symbol %d (%s): offset %#x is beyond the %#x bytes of %s", i, s.name, s.value, s.sec.size, s.sec.name)
	}
	s.name = p.cleanName(s.name)
	if s.typ == elf.STT_SECTION && s.name == "" && s.sec != nil {
		s.name = s.sec.name
	}
}

// attachRelocs gives every section its relocation sections.
func (p *parser) attachRelocs() {
	if p.typ != elf.ET_REL {
		return
	}
	for i := range p.sections {
		s := &p.sections[i]
		if s.typ == elf.SHT_REL {
			p.fail("section %d (%s): relocations without addends; x86-64 has SHT_RELA", i, s.name)
		}
		if s.typ != elf.SHT_RELA {
			continue
		}
		switch {
		case s.info == 0 || uint64(s.info) >= uint64(len(p.sections)):
			p.fail("section %d (%s): it is to relocate section %d, which does not exist", i, s.name, s.info)
		case len(s.data)%sizeRela != 0:
			p.fail("section %d (%s): %d bytes are no whole number of relocations", i, s.name, len(s.data))
		default:
			t := &p.sections[s.info]
			t.relocs = append(t.relocs, s)
		}
	}
}

// rela is a relocation.
type rela struct {
	off    uint64
	typ    elf.R_X86_64
	sym    uint32
	addend int64
}

// readRela reads the relocation at the start of b.
func readRela(b []byte) rela {
	info := u64(b[8:])
	return rela{u64(b), elf.R_X86_64(uint32(info)), uint32(info >> 32), int64(u64(b[16:]))}
}

// isLTO reports whether an object holds a compiler's intermediate code only.
func (o *object) isLTO() bool {
	for i := range o.symbols {
		if n := o.symbols[i].name; n == "__gnu_lto_slim" || n == "__gnu_lto_v1" && !o.hasCode() {
			return true
		}
	}
	return false
}

func (o *object) hasCode() bool {
	for i := range o.sections {
		if s := &o.sections[i]; s.flags&elf.SHF_EXECINSTR != 0 && s.size > 0 {
			return true
		}
	}
	return false
}

// isBitcode reports whether a file is LLVM's intermediate code.
func isBitcode(data []byte) bool { return bytes.HasPrefix(data, []byte(magicBitcode)) }
