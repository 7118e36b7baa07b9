package elfobj

import (
	"debug/elf"
	"strings"
)

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
