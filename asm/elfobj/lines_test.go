package elfobj

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"spinlab/asm"
)

// readLines reads a line table about code at 0x100000 to 0x100100.
func readLines(table []byte) ([]asm.Line, string) {
	l := &linker{}
	rows := maxRows
	t := lineTable{l: l, o: &object{name: "x.o"}, rows: &rows, line: table, lineStr: "\x00a.c\x00", code: []span{{0x100000, 0x100100}}}
	t.read()
	return l.lines, t.bad
}

// unit puts a length before a unit of version 5 or less.
func unit(version uint16, header, program []byte) []byte {
	b := binary.LittleEndian.AppendUint16(nil, version)
	if version == 5 {
		b = append(b, 8, 0)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	b = append(append(b, header...), program...)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// Headers with 13 as the first special opcode: a file in each manner.
var (
	opcodes = []byte{0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}
	fixedBy = append([]byte{1, 1, 1, 0xfb, 14, 13}, opcodes...) // -5, 14 lines
	header4 = append(append([]byte(nil), fixedBy...), "\x00dir/a.c\x00\x00\x00\x00\x00"...)
	header5 = append(append([]byte(nil), fixedBy...), 0, 1, 1, 1, formLineStrp, 2, 1, 0, 0, 0, 1, 0, 0, 0)
	// set_address 0x100000; special: +0, line 1+3; advance_pc 4; copy; end at +8
	program = []byte{0, 9, 2, 0, 0, 0x10, 0, 0, 0, 0, 0, 13 + 8, 2, 4, 3, 2, 1, 2, 4, 0, 1, 1}
)

func TestLineProgram(t *testing.T) {
	want := []asm.Line{{Addr: 0x100000, Len: 4, File: "a.c", Line: 4}, {Addr: 0x100004, Len: 4, File: "a.c", Line: 6}}
	for version, header := range map[uint16][]byte{2: nil, 3: nil, 4: header4, 5: header5} {
		if header == nil { // without the operations of an instruction
			header = append([]byte{1}, header4[2:]...)
		}
		got, bad := readLines(unit(version, header, program))
		assert.Empty(t, bad)
		assert.Equal(t, want, got, "version %d", version)
	}
	got, bad := readLines(append(unit(9, []byte("?"), nil), unit(4, header4, program)...))
	assert.Empty(t, bad, "a unit of another age is passed over")
	assert.Equal(t, want, got)
}

// Line tables that lie cost their lines, nothing else.
func TestLineTablesThatLie(t *testing.T) {
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}
	cut := func(b []byte, n int) []byte { return append([]byte(nil), b[:n]...) }
	for _, c := range []struct {
		name  string
		table []byte
		bad   string
	}{
		{"a unit beyond the end", unit(4, header4, program)[:30], "reaches beyond its end"},
		{"no line range", unit(4, append([]byte{1, 1, 1, 0, 0, 13}, opcodes...), program), "without opcodes"},
		{"2^63 directories", unit(5, append(cut(header5, len(fixedBy)), append([]byte{0}, huge...)...), program), "more than 65,536 files"},
		{"2^63 files of nothing", unit(5, append(cut(header5, len(fixedBy)+2), append([]byte{0}, huge...)...), program), "more than 65,536 files"},
		{"a form without length", unit(5, append(cut(header5, len(fixedBy)), 1, 1, 0x7f, 1), program), "a form that is not known"},
		{"a header without end", unit(4, header4[:len(header4)-3], nil), "a header that reaches beyond its end"},
		{"an opcode without end", unit(4, header4, []byte{2, 0x80}), "an opcode that reaches beyond the end"},
	} {
		got, bad := readLines(c.table)
		assert.Contains(t, bad, c.bad, c.name)
		assert.Empty(t, got, c.name)
	}
	far := append([]byte(nil), program...)
	far[5] = 0x20 // of no code of this object
	got, bad := readLines(unit(4, header4, far))
	assert.Empty(t, bad)
	assert.Empty(t, got)
}

// Whatever the bytes, lines have a place, a length and lie in the code.
func TestLinesOfAnyBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		header := rapid.SampledFrom([][]byte{header4, header5}).Draw(t, "header")
		version := uint16(4)
		if &header[0] == &header5[0] {
			version = 5
		}
		text := append(program[:11:11], rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "program")...)
		lines, _ := readLines(unit(version, header, text))
		for _, l := range lines {
			if l.Len <= 0 || l.Line <= 0 || l.File != "a.c" || l.Addr < 0x100000 || l.Addr+uint64(l.Len) > 0x100100 {
				t.Fatalf("%+v", l)
			}
		}
	})
}
