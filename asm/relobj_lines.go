package asm

import (
	"encoding/binary"
	"sort"
)

// The line number program of DWARF 5, section 6.2, that .loc asks for. GNU as
// writes the same rows, if not the same bytes.

const (
	lnsCopy          = 1
	lnsAdvancePC     = 2
	lnsAdvanceLine   = 3
	lnsSetFile       = 4
	lnsSetColumn     = 5
	lnsNegateStmt    = 6
	lnsPrologueEnd   = 10
	lnsEpilogueBegin = 11
	lneEndSequence   = 1
	lneSetAddress    = 2
	lneDiscriminator = 4

	lnctPath      = 1
	lnctDirIndex  = 2
	formString    = 0x08
	formUData     = 0x0f
	lineBase      = -5
	lineRange     = 14
	opcodeBase    = 13
	dwarfVersion5 = 5
)

// appendLineTable adds the program of the rows to .debug_line.
func (w *objWriter) appendLineTable(s *objSection, p *piece) {
	if len(w.u.rows) == 0 {
		return
	}
	le := binary.LittleEndian
	start := len(s.data)
	b := append(s.data, 0, 0, 0, 0) // unit_length
	b = le.AppendUint16(b, dwarfVersion5)
	b = append(b, 8, 0)       // address and selector size
	b = append(b, 0, 0, 0, 0) // header_length
	header := len(b)
	b = append(b, 1, 1, 1, lineBase&0xff, lineRange, opcodeBase) // min. instruction, max. operations, default_is_stmt
	b = append(b, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1)            // operands of the standard opcodes
	b = w.appendFiles(b)
	le.PutUint32(b[header-4:], uint32(len(b)-header))
	for _, rows := range w.sequences() {
		b = w.appendSequence(b, rows, p)
	}
	le.PutUint32(b[start:], uint32(len(b)-start-4))
	s.data = b
}

// appendFiles writes the tables of directories and files. Entry 0 of each is
// the unit's own; a .file without a directory lies in directory 0.
func (w *objWriter) appendFiles(b []byte) []byte {
	last := int64(0)
	for n := range w.u.files {
		last = max(last, n)
	}
	list := make([]lineFile, last+1)
	for n := range list {
		list[n] = w.u.files[int64(n)]
		if list[n].name == "" {
			list[n].name = w.u.fileName
		}
	}
	dirs, index := []string{list[0].dir}, map[string]int{list[0].dir: 0, "": 0}
	for _, f := range list {
		if _, ok := index[f.dir]; !ok {
			index[f.dir] = len(dirs)
			dirs = append(dirs, f.dir)
		}
	}
	b = append(b, 1, lnctPath, formString)
	b = appendLEB(b, int64(len(dirs)), false, 0)
	for _, d := range dirs {
		b = append(append(b, d...), 0)
	}
	b = append(b, 2, lnctPath, formString, lnctDirIndex, formUData)
	b = appendLEB(b, int64(len(list)), false, 0)
	for _, f := range list {
		b = append(append(b, f.name...), 0)
		b = appendLEB(b, int64(index[f.dir]), false, 0)
	}
	return b
}

// sequences groups the rows by section; in each the addresses rise.
func (w *objWriter) sequences() [][]lineRow {
	bySection := map[*piece][]lineRow{}
	for _, r := range w.u.rows {
		bySection[r.frag.sec] = append(bySection[r.frag.sec], r)
	}
	var out [][]lineRow
	for _, o := range w.a.secs {
		if rows := bySection[o.pieces[0]]; len(rows) > 0 {
			sort.SliceStable(rows, func(i, j int) bool { return rows[i].addr() < rows[j].addr() })
			out = append(out, rows)
		}
	}
	return out
}

func (r *lineRow) addr() int64 { return int64(r.frag.addr) + int64(r.off) }

func (w *objWriter) appendSequence(b []byte, rows []lineRow, p *piece) []byte {
	sec := rows[0].frag.sec
	b = append(b, 0, 9, lneSetAddress)
	p.relocs = append(p.relocs, relocation{off: uint64(len(b)), typ: rel64, sec: sec, addend: rows[0].addr()})
	b = append(b, make([]byte, 8)...)
	at := lineRow{file: 1, line: 1, stmt: true}
	addr := rows[0].addr()
	for _, r := range rows {
		b = r.appendTo(b, &at, r.addr()-addr)
		addr = r.addr()
	}
	b = appendLEB(append(b, lnsAdvancePC), sec.end64()-addr, false, 0)
	return append(b, 0, 1, lneEndSequence)
}

// appendTo writes what differs from the state at, then the row.
func (r *lineRow) appendTo(b []byte, at *lineRow, advance int64) []byte {
	if r.file != at.file {
		b = appendLEB(append(b, lnsSetFile), r.file, false, 0)
	}
	if r.col != at.col {
		b = appendLEB(append(b, lnsSetColumn), r.col, false, 0)
	}
	if r.stmt != at.stmt {
		b = append(b, lnsNegateStmt)
	}
	if r.disc != 0 {
		d := appendLEB(nil, r.disc, false, 0)
		b = append(b, 0)
		b = appendLEB(b, int64(len(d)+1), false, 0)
		b = append(append(b, lneDiscriminator), d...)
	}
	if r.prologueEnd {
		b = append(b, lnsPrologueEnd)
	}
	if r.epilogueBegin {
		b = append(b, lnsEpilogueBegin)
	}
	lines := r.line - at.line
	*at = *r
	if op := lines - lineBase + lineRange*advance + opcodeBase; lines >= lineBase && lines < lineBase+lineRange && advance < 16 && op < 256 {
		return append(b, byte(op)) // a special opcode does it all
	}
	b = appendLEB(append(b, lnsAdvanceLine), lines, true, 0)
	b = appendLEB(append(b, lnsAdvancePC), advance, false, 0)
	return append(b, lnsCopy)
}
