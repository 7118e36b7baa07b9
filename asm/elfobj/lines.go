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

// lineUnit is the line program of one compilation unit.
type lineUnit struct {
	t         *lineTable
	in        *reader
	wide      bool // 64-bit DWARF
	version   uint16
	minLen    uint64
	lineBase  int8
	lineRange uint8
	opBase    uint8
	opLens    []byte
	files     []string
	first     row
	pending   bool // first is a row whose end is not known yet
	state     row
}

// row is a place in the source that begins at an address.
type row struct {
	addr uint64
	file uint64
	line int64
}

func (u *lineUnit) run() {
	in := u.in
	u.version = in.u16()
	if u.version < 2 || u.version > 5 {
		return // of another age: skip it
	}
	if u.version == 5 {
		in.take(2) // sizes of an address and of a segment selector
	}
	program := &reader{b: in.take(in.offset(u.wide))}
	program, u.in = in, program // the header is to be read, then what is behind it
	h := u.in
	u.minLen = uint64(h.u8())
	if u.version >= 4 {
		h.u8() // operations in an instruction: 1 but for VLIW
	}
	h.u8() // is_stmt at the start
	u.lineBase, u.lineRange, u.opBase = int8(h.u8()), h.u8(), h.u8()
	if u.lineRange == 0 || u.opBase == 0 {
		u.t.bad = "a line program without opcodes"
		return
	}
	u.opLens = h.take(uint64(u.opBase) - 1)
	if u.version == 5 {
		u.filesOf5()
	} else {
		u.filesOf4()
	}
	switch {
	case u.t.bad != "":
		return
	case h.short || program.short:
		u.t.bad = "a header that reaches beyond its end"
		return
	}
	u.in = program
	u.reset()
	for len(u.in.b) > 0 && u.t.bad == "" && *u.t.rows > 0 {
		u.step()
	}
}

// filesOf4 reads directories and files of versions 2 to 4: lists that end with
// an empty name. Files count from 1.
func (u *lineUnit) filesOf4() {
	for h := u.in; h.str() != "" && !h.short; {
	}
	u.files = []string{""}
	for h := u.in; !h.short && len(u.files) < maxFileNames; {
		name := h.str()
		if name == "" {
			return
		}
		h.uleb()
		h.uleb()
		h.uleb()
		u.files = append(u.files, name)
	}
}

// Codes of version 5's tables of files (DWARF 5, sections 6.2.4.1 and 7.5.6).
const (
	lnctPath     = 1
	formData2    = 0x05
	formData4    = 0x06
	formData8    = 0x07
	formString   = 0x08
	formBlock    = 0x09
	formData1    = 0x0b
	formStrp     = 0x0e
	formUdata    = 0x0f
	formLineStrp = 0x1f
	formData16   = 0x1e
)

// filesOf5 reads directories and files of version 5: formats, then entries.
func (u *lineUnit) filesOf5() {
	u.entries()
	if u.t.bad == "" {
		u.files = u.entries()
	}
}

func (u *lineUnit) entries() (names []string) {
	h := u.in
	var format [][2]uint64
	for n := h.u8(); n > 0; n-- {
		format = append(format, [2]uint64{h.uleb(), h.uleb()})
	}
	count := h.uleb()
	if count > uint64(maxFileNames-u.t.names) {
		u.t.bad = "more than 65,536 files"
		return nil
	}
	u.t.names += int(count)
	for ; count > 0 && !h.short && u.t.bad == ""; count-- {
		name := ""
		for _, f := range format {
			s := u.value(f[1])
			if f[0] == lnctPath {
				name = s
			}
		}
		names = append(names, name)
	}
	return names
}

// value reads a value of a form; only strings matter.
func (u *lineUnit) value(form uint64) string {
	h := u.in
	switch form {
	case formString:
		return h.str()
	case formLineStrp:
		return cString(u.t.lineStr, h.offset(u.wide))
	case formStrp:
		return cString(u.t.str, h.offset(u.wide))
	case formUdata:
		h.uleb()
	case formData1:
		h.take(1)
	case formData2:
		h.take(2)
	case formData4:
		h.take(4)
	case formData8:
		h.take(8)
	case formData16:
		h.take(16)
	case formBlock:
		h.take(h.uleb())
	default:
		u.t.bad = "a form that is not known in a table of files"
	}
	return ""
}

func (u *lineUnit) reset() {
	u.state, u.pending = row{file: 1, line: 1}, false
}

// Standard and extended opcodes (DWARF 5, sections 6.2.5.2 and 6.2.5.3).
const (
	opExtended     = 0
	opCopy         = 1
	opAdvancePC    = 2
	opAdvanceLine  = 3
	opSetFile      = 4
	opConstAddPC   = 8
	opFixedAdvance = 9
	opEndSequence  = 1
	opSetAddress   = 2
)

// step executes one opcode.
func (u *lineUnit) step() {
	in := u.in
	op := in.u8()
	if op >= u.opBase {
		u.special(op)
		u.emit(false)
		return
	}
	switch op {
	case opExtended:
		u.extended(&reader{b: in.take(in.uleb())})
	case opCopy:
		u.emit(false)
	case opAdvancePC:
		u.state.addr += in.uleb() * u.minLen
	case opAdvanceLine:
		u.state.line += in.sleb()
	case opSetFile:
		u.state.file = in.uleb()
	case opConstAddPC:
		line := u.state.line
		u.special(255)
		u.state.line = line
	case opFixedAdvance:
		u.state.addr += uint64(in.u16())
	default:
		for n := u.opLens[op-1]; n > 0; n-- {
			in.uleb()
		}
	}
	if in.short {
		u.t.bad = "an opcode that reaches beyond the end"
	}
}

// special advances address and line together.
func (u *lineUnit) special(op uint8) {
	adj := op - u.opBase
	u.state.addr += uint64(adj/u.lineRange) * u.minLen
	u.state.line += int64(u.lineBase) + int64(adj%u.lineRange)
}

func (u *lineUnit) extended(in *reader) {
	switch in.u8() {
	case opEndSequence:
		u.emit(true)
		u.reset()
	case opSetAddress:
		if at := in.u64(); at != nowhere {
			u.state.addr = at + u.t.base()
		} else {
			u.state.addr = nowhere
		}
	}
}

// base is what is added to the addresses of an executable's line table.
func (t *lineTable) base() uint64 {
	if t.o.typ == elf.ET_DYN {
		return t.l.opt.PIE
	}
	return 0
}

// emit ends the row before this one, which now has its length.
func (u *lineUnit) emit(end bool) {
	*u.t.rows--
	s := u.state
	if u.pending && s.addr > u.first.addr {
		u.t.add(u.first, s.addr, u.files)
	}
	u.first, u.pending = s, !end
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
