package elfobj

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/asm"
)

// maker builds ELF objects that no compiler makes.
type maker struct {
	sections []madeSection
	strings  []byte
}

type madeSection struct {
	typ               uint32
	flags             uint64
	data              []byte
	size, align       uint64 // size 0: that of data
	link, info, entry uint32
	name              uint32
	offset            uint64 // not 0: this, and not where data is
}

// build writes header, data and section headers. Section 1 holds the names.
func (m *maker) build() []byte {
	names := madeSection{typ: 3, data: append(append([]byte{0}, ".text\x00.data\x00"...), m.strings...)}
	all := append([]madeSection{{}, names}, m.sections...)
	out := make([]byte, sizeHeader)
	le := binary.LittleEndian
	var heads []byte
	for _, s := range all {
		h := make([]byte, sizeSection)
		le.PutUint32(h, s.name)
		le.PutUint32(h[4:], s.typ)
		le.PutUint64(h[8:], s.flags)
		off := s.offset
		if off == 0 {
			off = uint64(len(out))
		}
		le.PutUint64(h[24:], off)
		size := s.size
		if size == 0 {
			size = uint64(len(s.data))
		}
		le.PutUint64(h[32:], size)
		le.PutUint32(h[40:], s.link)
		le.PutUint32(h[44:], s.info)
		le.PutUint64(h[48:], s.align)
		le.PutUint64(h[56:], uint64(s.entry))
		out = append(out, s.data...)
		heads = append(heads, h...)
	}
	copy(out, "\x7fELF\x02\x01\x01")
	le.PutUint16(out[16:], 1)
	le.PutUint16(out[18:], 62)
	le.PutUint64(out[40:], uint64(len(out)))
	le.PutUint16(out[58:], sizeSection)
	le.PutUint16(out[60:], uint16(len(all)))
	le.PutUint16(out[62:], 1)
	return append(out, heads...)
}

const (
	allocCode = 2 | 4 // SHF_ALLOC | SHF_EXECINSTR
	progbits  = 1
	symtab    = 2
	strtab    = 3
	relaTab   = 4
	nobits    = 8
	group     = 17
)

func madeSymbols(n int, edit func(i int, b []byte)) []byte {
	b := make([]byte, n*sizeSymbol)
	for i := 1; i < n; i++ {
		edit(i, b[i*sizeSymbol:])
	}
	return b
}

// TestHostile: objects that lie get an error that says which section or symbol,
// in little memory.
func TestHostile(t *testing.T) {
	text := madeSection{typ: progbits, flags: allocCode, data: []byte{0xc3}, name: 1}
	long := append(make([]byte, 1, 1<<20), strings.Repeat("a", 1<<20-1)...)
	for _, c := range []struct {
		name string
		m    maker
		want string
	}{
		{"a section of 2^63 bytes", maker{sections: []madeSection{{typ: progbits, flags: allocCode, size: 1 << 63, name: 1}}}, "reach beyond the end of the file"},
		{"a section that wraps", maker{sections: []madeSection{{typ: progbits, flags: allocCode, size: 1 << 63, offset: 1 << 63, name: 1}}}, "reach beyond the end of the file"},
		{"a .bss of 2^60 bytes", maker{sections: []madeSection{{typ: nobits, flags: 3, size: 1 << 60, name: 7}}}, "an image has at most"},
		{"many a .bss", maker{sections: repeat(madeSection{typ: nobits, flags: 3, size: maxImage - 1, name: 7}, 1000)}, "the image grows beyond"},
		{"overlapping sections", maker{sections: append([]madeSection{{typ: progbits, data: make([]byte, 1<<20)}}, repeat(madeSection{typ: progbits, flags: allocCode, offset: 64, size: 1 << 20, name: 1}, 1000)...)}, "the image grows beyond"},
		{"alignment 2^60", maker{sections: []madeSection{{typ: progbits, flags: allocCode, data: []byte{1}, align: 1 << 60, name: 1}}}, "alignment 0x1000000000000000: at most"},
		{"alignment 3", maker{sections: []madeSection{{typ: progbits, flags: allocCode, data: []byte{1}, align: 3, name: 1}}}, "alignment 0x3 is no power of two"},
		{"a name without end", maker{sections: []madeSection{text, {typ: symtab, link: 4, data: madeSymbols(2, func(_ int, b []byte) { b[0] = 1 })}, {typ: strtab, data: []byte("\x00abc")}}}, "symbol 1: bad name"},
		{"a name beyond the end", maker{sections: []madeSection{text, {typ: symtab, link: 4, data: madeSymbols(2, func(_ int, b []byte) { b[1] = 1 })}, {typ: strtab, data: []byte("\x00\x00")}}}, "symbol 1: bad name"},
		{"names that overlap", maker{sections: []madeSection{text, {typ: symtab, link: 4, data: madeSymbols(40000, func(_ int, b []byte) { b[0] = 1 })}, {typ: strtab, data: long}}}, "bad name"},
		{"names that overlap and end", maker{sections: []madeSection{text, {typ: symtab, link: 4, data: madeSymbols(40000, func(_ int, b []byte) { b[0] = 1 })}, {typ: strtab, data: append(long[:4000:4000], 0)}}}, "names of more than 67108864 bytes"},
		{"a symbol in a section that is not there", maker{sections: []madeSection{text, {typ: symtab, link: 1, data: madeSymbols(2, func(_ int, b []byte) { b[6] = 9 })}}}, "no section 9"},
		{"a symbol beyond its section", maker{sections: []madeSection{text, {typ: symtab, link: 1, data: madeSymbols(2, func(_ int, b []byte) { b[6], b[8] = 2, 9 })}}}, "offset 0x9 is beyond the 0x1 bytes"},
		{"half a symbol", maker{sections: []madeSection{text, {typ: symtab, link: 1, data: make([]byte, 25)}}}, "symbol table of 25 bytes"},
		{"relocations of nothing", maker{sections: []madeSection{text, {typ: relaTab, info: 99, data: make([]byte, 24)}}}, "it is to relocate section 99"},
		{"a relocation beyond the end", maker{sections: []madeSection{text, {typ: relaTab, info: 2, data: madeRela(1, 1, 0)}}}, ":.text+0x1: R_X86_64_64"},
		{"a relocation at the end of the address space", maker{sections: []madeSection{text, {typ: relaTab, info: 2, data: madeRela(^uint64(0), 1, 0)}}}, "R_X86_64_64"},
		{"a relocation against no symbol", maker{sections: []madeSection{text, {typ: relaTab, info: 2, data: madeRela(0, 14, 77)}}}, "no symbol 77"},
		{"a type that is not known", maker{sections: []madeSection{text, {typ: relaTab, info: 2, data: madeRela(0, 200, 0)}}}, "relocation type 200 is not known"},
		{"relocations without end", maker{sections: append([]madeSection{text}, repeat(madeSection{typ: relaTab, info: 2, data: make([]byte, 24*30000)}, 40)...)}, "more than 1048576 relocations"},
		{"a group of nothing", maker{sections: []madeSection{text, {typ: group, link: 3, info: 5, data: []byte{1, 0, 0, 0, 9, 0, 0, 0}}}}, "no symbol 5 for its signature"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := c.m.build()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Link(Options{}, asm.Source{Name: "x.o", Text: data})
			runtime.ReadMemStats(&after)
			assert.ErrorContains(t, err, c.want)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(len(data))*8+4*maxImage)
		})
	}
}

func repeat(s madeSection, n int) (list []madeSection) {
	for range n {
		list = append(list, s)
	}
	return list
}

func madeRela(off uint64, typ, sym uint32) []byte {
	b := binary.LittleEndian.AppendUint64(nil, off)
	b = binary.LittleEndian.AppendUint64(b, uint64(sym)<<32|uint64(typ))
	return append(b, make([]byte, 8)...)
}

// TestTruncated cuts an object off everywhere and turns every byte of its headers
// over; nothing may panic, and what is linked has its bounds.
func TestTruncated(t *testing.T) {
	for _, name := range []string{"inline-O2.o", "ticket-Os.o"} {
		data := load(t, objects, name).Text
		step := 1
		if testing.Short() {
			step = 7
		}
		for n := 0; n < len(data); n += step {
			link(t, data[:n])
			for _, x := range []byte{0xff, 0x80, 0x01} {
				b := append([]byte(nil), data...)
				b[n] ^= x
				link(t, b)
			}
		}
	}
}

// link links a file together with a source, and holds the result to its bounds.
func link(t testing.TB, data []byte) {
	src := asm.Source{Name: "h.s", Text: []byte("\t.weak spin_lock\n\tcall spin_lock\n")}
	img, err := Link(Options{Text: 0x100000, Data: 0x180000, PerCPU: 192, PerCPUEnd: 4096, Roots: []string{"spin_lock"}}, asm.Source{Name: "x", Text: data}, src)
	if err != nil {
		if err.Error() == "" || strings.ContainsRune(err.Error(), 0) {
			t.Fatalf("bad message %q", err)
		}
		return
	}
	total := 0
	for i, s := range img.Sections {
		total += len(s.Data)
		if i > 0 && img.Sections[i-1].Addr+uint64(len(img.Sections[i-1].Data)) > s.Addr {
			t.Fatalf("%s lies over the section before it", s.Name)
		}
	}
	if total > 2*maxImage {
		t.Fatalf("%d bytes", total)
	}
	for _, l := range img.Lines {
		if l.Len <= 0 || l.Line <= 0 {
			t.Fatalf("line %+v", l)
		}
	}
	img.SymbolAt(0x100000)
}

// FuzzLink takes any bytes for a file: an object, an archive, an executable.
func FuzzLink(f *testing.F) {
	for _, dir := range []string{objects, "testdata"} {
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(f, err)
		for _, name := range names {
			if data, err := os.ReadFile(name); err == nil && len(data) < 1<<16 {
				f.Add(data)
			}
		}
	}
	var lib strings.Builder
	lib.WriteString(magicArchive)
	for _, name := range []string{"ticket-O1.o", "inline-Os.o"} {
		data := load(f, objects, name).Text
		fmt.Fprintf(&lib, "%-16s%-12d%-6d%-6d%-8o%-10d`\n%s", name+"/", 0, 0, 0, 0o644, len(data), data)
		if len(data)%2 == 1 {
			lib.WriteByte('\n')
		}
	}
	f.Add([]byte(lib.String()))
	f.Fuzz(func(t *testing.T, data []byte) { link(t, data) })
}
