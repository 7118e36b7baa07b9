package elfobj

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"debug/elf"
	"io"
	"path"
	"slices"

	"spinlab/asm"
)

// Bounds of the line tables of all files together.
const (
	maxRows      = 1 << 20
	maxFileNames = 1 << 16
	maxDebug     = 64 << 20 // bytes of a section after decompression
)

// debugLines reads the line tables of all objects and executables. A table that
// does not make sense costs its lines and gives a note, not an error: the code
// can be run without.
func (l *linker) debugLines() error {
	rows := maxRows
	for _, o := range l.linked() {
		t := lineTable{l: l, o: o, rows: &rows}
		t.line = t.section(".debug_line")
		if t.line == nil {
			continue
		}
		t.lineStr, t.str = string(t.section(".debug_line_str")), string(t.section(".debug_str"))
		t.code = l.codeOf(o)
		if t.read(); t.bad != "" {
			l.note("%s: its line table is not read to the end: %s", o.name, t.bad)
		}
	}
	return nil
}

// linked are the ELF files of the image.
func (l *linker) linked() []*object {
	list := slices.Clone(l.objects)
	for _, x := range l.fixed {
		if x.obj != nil {
			list = append(list, x.obj)
		}
	}
	return list
}

// span is a range of addresses.
type span struct{ from, to uint64 }

// codeOf lists where the code of o is.
func (l *linker) codeOf(o *object) (list []span) {
	for i := range o.sections {
		if s := &o.sections[i]; s.fate == fateLoaded && s.group() == groupCode && s.size > 0 {
			list = append(list, span{s.at, s.at + s.size})
		}
	}
	for _, x := range l.fixed {
		for _, c := range x.chunks {
			if x.obj == o && c.exec {
				list = append(list, span{c.addr, c.addr + uint64(len(c.data))})
			}
		}
	}
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return list
}

// lineTable is the section .debug_line of one object while it is read (DWARF 5,
// section 6.2).
type lineTable struct {
	l            *linker
	o            *object
	line         []byte
	lineStr, str string
	code         []span // by address
	rows         *int   // left
	names        int    // of files, so far
	bad          string
}

// section returns a debugging section with its relocations done, nil if there is
// none.
func (t *lineTable) section(name string) []byte {
	for i := range t.o.sections {
		s := &t.o.sections[i]
		if s.name != name || s.flags&elf.SHF_ALLOC != 0 || s.data == nil {
			continue
		}
		data := s.data
		if s.flags&elf.SHF_COMPRESSED != 0 {
			if data = inflate(data); data == nil {
				t.bad = name + " is compressed in a way that is not known"
				return nil
			}
		}
		if len(s.relocs) == 0 {
			return data
		}
		data = slices.Clone(data)
		for _, rs := range s.relocs {
			for b := rs.data; len(b) >= sizeRela; b = b[sizeRela:] {
				t.relocate(data, readRela(b))
			}
		}
		return data
	}
	return nil
}

// nowhere is the address of what was discarded.
const nowhere = ^uint64(0)

// relocate does one relocation of a debugging section.
func (t *lineTable) relocate(data []byte, r rela) {
	size := uint64(howtos[r.typ].size)
	if howtos[r.typ].form != formAbs || uint64(r.sym) >= uint64(len(t.o.symbols)) || r.off > uint64(len(data)) || size > uint64(len(data))-r.off {
		return
	}
	s := &t.o.symbols[r.sym]
	v := nowhere
	switch {
	case s.sec != nil && s.sec.fate == fateUnloaded:
		v = s.value + uint64(r.addend)
	case !s.undefined() && s.index != elf.SHN_COMMON:
		if at, err := t.o.address(s); err == nil {
			v = at + uint64(r.addend)
		}
	}
	put(data[r.off:], int(size), v)
}

// inflate undoes SHF_COMPRESSED (gABI, "Compressed Sections"), nil if it cannot.
func inflate(data []byte) []byte {
	const header = 24 // type, reserved, size, alignment
	if len(data) < header || elf.CompressionType(u32(data)) != elf.COMPRESS_ZLIB || u64(data[8:]) > maxDebug {
		return nil
	}
	z, err := zlib.NewReader(bytes.NewReader(data[header:]))
	if err != nil {
		return nil
	}
	out, err := io.ReadAll(io.LimitReader(z, int64(u64(data[8:]))))
	if err != nil || uint64(len(out)) != u64(data[8:]) {
		return nil
	}
	return out
}

// read goes through the units.
func (t *lineTable) read() {
	for in := (&reader{b: t.line}); len(in.b) > 0 && t.bad == ""; {
		length, wide := in.length()
		unit := &reader{b: in.take(length)}
		if in.short {
			t.bad = "a unit that reaches beyond its end"
			return
		}
		u := lineUnit{t: t, in: unit, wide: wide}
		u.run()
	}
}

// base is what is added to the addresses of an executable's line table.
func (t *lineTable) base() uint64 {
	if t.o.typ == elf.ET_DYN {
		return t.l.opt.PIE
	}
	return 0
}

// add makes a line of a row, if it is about the code of this object.
func (t *lineTable) add(r row, to uint64, files []string) {
	if r.line <= 0 || r.line > 1<<31 || r.file >= uint64(len(files)) || files[r.file] == "" {
		return
	}
	k, found := slices.BinarySearchFunc(t.code, r.addr, func(s span, a uint64) int { return cmp.Compare(s.from, a) })
	if !found {
		k--
	}
	if k < 0 || to > t.code[k].to {
		return
	}
	l := asm.Line{Addr: r.addr, Len: int(to - r.addr), File: readable(path.Base(files[r.file])), Line: int(r.line)}
	if n := len(t.l.lines); n > 0 {
		if p := &t.l.lines[n-1]; p.File == l.File && p.Line == l.Line && p.Addr+uint64(p.Len) == l.Addr {
			p.Len += l.Len
			return
		}
	}
	t.l.lines = append(t.l.lines, l)
}
