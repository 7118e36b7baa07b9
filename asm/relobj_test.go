package asm

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func mustObject(t *testing.T, text string) *elf.File {
	t.Helper()
	obj, err := AssembleObject(Options{}, Source{Name: "t.s", Text: []byte(text)})
	require.NoError(t, err)
	checkObject(t, obj)
	f, err := elf.NewFile(bytes.NewReader(obj))
	require.NoError(t, err)
	return f
}

// objectRelocs lists a section's relocations as objdump -r would.
func objectRelocs(t *testing.T, f *elf.File, section string) []string {
	t.Helper()
	s := f.Section(".rela" + section)
	if s == nil {
		return nil
	}
	data, err := s.Data()
	require.NoError(t, err)
	syms, err := f.Symbols()
	require.NoError(t, err)
	var out []string
	for ; len(data) > 0; data = data[24:] {
		info := f.ByteOrder.Uint64(data[8:])
		name := "*ABS*"
		if n := info >> 32; n > 0 {
			sym := syms[n-1]
			name = sym.Name
			if elf.ST_TYPE(sym.Info) == elf.STT_SECTION {
				name = f.Sections[sym.Section].Name
			}
		}
		typ := strings.TrimPrefix(elf.R_X86_64(uint32(info)).String(), "R_X86_64_")
		out = append(out, fmt.Sprintf("%#x %s %s%+d", f.ByteOrder.Uint64(data), typ, name, int64(f.ByteOrder.Uint64(data[16:]))))
	}
	return out
}

// TestRelocations: what GNU as 2.40 gives for each kind of reference.
func TestRelocations(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"call of an undefined symbol", "call f", "0x1 PLT32 f-4"},
		{"jump to one", "jmp f; je f", "0x1 PLT32 f-4, 0x7 PLT32 f-4"},
		{"call of a global defined here", ".globl f; f: call f", "0x1 PLT32 f-4"},
		{"jump to a global defined here", ".globl f; f: jmp f; .skip 200; je f", ""},
		{"call of a weak one", ".weak f; f: call f", "0x1 PLT32 f-4"},
		{"call @PLT of a global", ".globl f; f: call f@PLT", "0x1 PLT32 f-4"},
		{"jump @PLT to a local", "f: jmp f@PLT", ""},
		{"call of a local", "f: call f", ""},
		{"call into another section", "call f\n.section .text.f,\"ax\"\nnop\nf:", "0x1 PC32 .text.f-3"},
		{"address of a global defined here", ".globl f; f: lea f(%rip),%rax", "0x3 PC32 f-4"},
		{"address of a local", "f: lea f(%rip),%rax", ""},
		{"with an immediate behind", "cmpl $5,f(%rip)", "0x2 PC32 f-5"},
		{"absolute displacement", "mov f(,%rax,8),%rax", "0x4 32S f+0"},
		{"with 32-bit addresses", "mov f(%eax),%rax", "0x4 32 f+0"},
		{"immediates", "mov $f+1,%eax; mov $f,%rax; movabs $f,%rax; movb $f,%al; movw $f,%ax", "0x1 32 f+1, 0x8 32S f+0, 0xe 64 f+0, 0x17 8 f+0, 0x1a 16 f+0"},
		{"data", ".quad f+8; .long f; .short f; .byte f", "0x0 64 f+8, 0x8 32 f+0, 0xc 16 f+0, 0xe 8 f+0"},
		{"distances", "nop; .long f-.; .quad f-.; .short f-.; .byte f-.", "0x1 PC32 f+0, 0x5 PC64 f+0, 0xd PC16 f+0, 0xf PC8 f+0"},
		{"distance from another label here", "x: nop; .long f-x+2", "0x1 PC32 f+3"},
		{"distance within the section", "x: nop; y: .long y-x", ""},
		{"global offset table", "mov f@GOTPCREL(%rip),%rax; mov f@GOTPCREL(%rip),%eax; call *f@GOTPCREL(%rip); push f@GOTPCREL(%rip)",
			"0x3 REX_GOTPCRELX f-4, 0x9 GOTPCRELX f-4, 0xf GOTPCRELX f-4, 0x15 GOTPCREL f-4"},
		{"thread-local", "mov %fs:f@tpoff,%eax; mov f@gottpoff(%rip),%rax; lea f@tlsgd(%rip),%rdi; lea f@tlsld(%rip),%rdi; lea f@dtpoff(%rax),%rax; .quad f@dtpoff",
			"0x4 TPOFF32 f+0, 0xb GOTTPOFF f-4, 0x12 TLSGD f-4, 0x19 TLSLD f-4, 0x20 DTPOFF32 f+0, 0x24 DTPOFF64 f+0"},
		{"size", "mov $f@SIZE,%eax", "0x1 SIZE32 f+0"},
		{"string that may be merged", "lea .LC(%rip),%rax; mov $.LC,%eax\n.section .rodata.str1.1,\"aMS\",@progbits,1\n.byte 0\n.LC: .byte 0", "0x3 PC32 .LC-4, 0x8 32 .rodata.str1.1+1"},
		{"an absolute target", "call 0x1234; jmp 0x1234", "0x1 PC32 *ABS*+4656, 0x6 PC32 *ABS*+4656"},
		{"loop to a global", ".globl f; f: loop f", "0x1 PC8 f-1"},
		{"alias of a label", ".data\nd: .long 1\n.set e, d+2\n.text\nmov e(%rip),%al", "0x2 PC32 .data-2"},
		{"weak reference", ".weakref g, f; call g; .weakref h, k; call h; call k", "0x1 PLT32 f-4, 0x6 PLT32 k-4, 0xb PLT32 k-4"},
		{"xbegin", "xbegin f", "0x2 PLT32 f-4"},
		{"short branch", "jrcxz f", "0x1 PC8 f-1"},
		{"kernel tables", "1: nop\n.pushsection x,\"a\"\n.balign 4\n.long 1b - .\n.popsection", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := objectRelocs(t, mustObject(t, c.src), ".text")
			require.Equal(t, c.want, strings.Join(got, ", "))
			if haveGNU() {
				o := gnuObject(t, t.TempDir(), "t", []byte(c.src+"\n"))
				f, err := elf.Open(o)
				require.NoError(t, err)
				defer f.Close()
				require.ElementsMatch(t, objectRelocs(t, f, ".text"), got)
			}
		})
	}
}

const everySection = `	.file "all.c"
	.text
	.globl f
	.type f,@function
f:	call undefined
	ret
	.size f, .-f
	.hidden f
local:	nop
	.weak w
	.set w, f+1
	.protected p
	.globl p
	.set p, 42
	.section .rodata.str1.8,"aMS",@progbits,1
.LC0:	.string "x"
	.section .init_array,"aw"
	.quad f
	.section .tbss,"awT",@nobits
	.p2align 3
tls:	.zero 8
	.comm shared,24,8
	.local own
	.comm own,4,4
	.section .text.g,"axG",@progbits,g,comdat
	.weak g
g:	call f
	.section .note.test,"a",@note
	.long 0, 0, 1
	.section .gnu.order,"ao",@progbits,.text
	.byte 1
	.section .discard,"e"
	.byte 1
`

// TestObjectContents: sections with their kinds, and the symbol table.
func TestObjectContents(t *testing.T) {
	f := mustObject(t, everySection)
	var sections []string
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA && s.Type != elf.SHT_STRTAB {
			sections = append(sections, fmt.Sprintf("%s %v %v %d/%d", s.Name, s.Type, s.Flags, s.Addralign, s.Entsize))
		}
	}
	require.Equal(t, []string{
		" SHT_NULL 0x0 0/0",
		".group SHT_GROUP 0x0 4/4",
		".text SHT_PROGBITS SHF_ALLOC+SHF_EXECINSTR 1/0",
		".rodata.str1.8 SHT_PROGBITS SHF_ALLOC+SHF_MERGE+SHF_STRINGS 1/1",
		".init_array SHT_INIT_ARRAY SHF_WRITE+SHF_ALLOC 1/0",
		".tbss SHT_NOBITS SHF_WRITE+SHF_ALLOC+SHF_TLS 8/0",
		".bss SHT_NOBITS SHF_WRITE+SHF_ALLOC 4/0",
		".text.g SHT_PROGBITS SHF_ALLOC+SHF_EXECINSTR+SHF_GROUP 1/0",
		".note.test SHT_NOTE SHF_ALLOC 1/0",
		".gnu.order SHT_PROGBITS SHF_ALLOC+SHF_LINK_ORDER 1/0",
		".discard SHT_PROGBITS 0x80000000 1/0",
		".note.GNU-stack SHT_PROGBITS 0x0 1/0",
		".symtab SHT_SYMTAB 0x0 8/24",
	}, sections)
	syms, err := f.Symbols()
	require.NoError(t, err)
	var got []string
	for _, s := range syms {
		where := s.Section.String()
		if s.Section > 0 && s.Section < elf.SHN_LORESERVE {
			where = f.Sections[s.Section].Name
		}
		got = append(got, fmt.Sprintf("%s %v %v %v %s %d+%d", s.Name, elf.ST_BIND(s.Info), elf.ST_TYPE(s.Info), elf.ST_VISIBILITY(s.Other), where, s.Value, s.Size))
	}
	require.Equal(t, []string{
		"all.c STB_LOCAL STT_FILE STV_DEFAULT SHN_ABS 0+0",
		"local STB_LOCAL STT_NOTYPE STV_DEFAULT .text 6+0",
		"tls STB_LOCAL STT_TLS STV_DEFAULT .tbss 0+0",
		"own STB_LOCAL STT_OBJECT STV_DEFAULT .bss 0+4",
		"f STB_GLOBAL STT_FUNC STV_HIDDEN .text 0+6",
		"undefined STB_GLOBAL STT_NOTYPE STV_DEFAULT SHN_UNDEF 0+0",
		"w STB_WEAK STT_FUNC STV_DEFAULT .text 1+6",
		"p STB_GLOBAL STT_NOTYPE STV_PROTECTED SHN_ABS 42+0",
		"shared STB_GLOBAL STT_OBJECT STV_DEFAULT SHN_COMMON 8+24",
		"g STB_WEAK STT_NOTYPE STV_DEFAULT .text.g 0+0",
	}, got)
	group, err := f.Section(".group").Data()
	require.NoError(t, err)
	require.Equal(t, uint32(1), f.ByteOrder.Uint32(group), "GRP_COMDAT")
	weak := mustObject(t, ".weakref g, f; call g; .weakref h, k; call h; call k")
	syms, err = weak.Symbols()
	require.NoError(t, err)
	require.Len(t, syms, 2)
	require.Equal(t, elf.STB_WEAK, elf.ST_BIND(syms[0].Info), "f is named by .weakref alone")
	require.Equal(t, elf.STB_GLOBAL, elf.ST_BIND(syms[1].Info), "k also by itself")
	require.Equal(t, ".text.g", f.Sections[f.ByteOrder.Uint32(group[4:])].Name)
	require.Equal(t, ".rela.text.g", f.Sections[f.ByteOrder.Uint32(group[8:])].Name)
	if haveGNU() {
		dir := t.TempDir()
		obj, err := AssembleObject(Options{}, Source{Name: "t.s", Text: []byte(everySection)})
		require.NoError(t, err)
		o := filepath.Join(dir, "t.o")
		require.NoError(t, os.WriteFile(o, obj, 0o666))
		requireQuiet(t, "readelf", "-aW", o)
		requireQuiet(t, "ld", "-r", "-o", filepath.Join(dir, "r.o"), o)
	}
}

// TestObjectErrors: what an object cannot say is refused at its line.
func TestObjectErrors(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"no relocation for a sum", ".long f+g", "1: no relocation can express this: it joins symbols of different sections"},
		{"nor for a product", "mov $f*2,%eax", "1: no relocation can express this: it joins symbols of different sections"},
		{"24 bits", ".byte f@GOTPCREL", "1: .byte f@GOTPCREL: no relocation of 8 bits says this"},
		{"a count that a linker would know", ".skip f", "1: the size depends on where a section or symbol ends up"},
		{"a label that never comes", "jmp 1f", "1: no label 1: after this line"},
		{"alias of nothing", ".globl f\n.set f, g", "2: symbol f stands for g, which is not defined here"},
		{"too far", "a: .skip 200\njrcxz a", "2: short jump distance to a = -0xca does not fit into 8 bits"},
		{"still wrong here", "movl %ax,%ebx", "1: movl: register %ax does not match the suffix l"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := AssembleObject(Options{}, Source{Name: "t.s", Text: []byte(c.src)})
			require.EqualError(t, err, "t.s:"+c.want)
		})
	}
}

// startCode takes and releases the lock of testdata/gcc/ticket.O2.s a hundred
// times and exits with 42 if the counter and the tickets say so.
const startCode = `	.globl _start
	.text
_start:
	mov $100, %ebx
1:	lea lock(%rip), %rdi
	call spin_lock
	mov count@GOTPCREL(%rip), %rax
	incl (%rax)
	mov $lock, %edi
	call spin_unlock@PLT
	dec %ebx
	jnz 1b
	mov lock(%rip), %eax
	cmp $100 << 16 | 100, %eax
	jne bad
	cmpl $100, count
	jne bad
	call *table(%rip)
	mov $42, %edi
	jmp exit
bad:	mov $1, %edi
exit:	mov $60, %eax
	syscall
	.section .rodata
table:	.quad work
	.section .text.unlikely,"ax"
work:	ret
	.bss
	.balign 64
lock:	.zero 4
	.comm count,4,4
`

// TestObjectRuns links two of our objects with ld and runs the result on this
// machine.
func TestObjectRuns(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" || !haveGNU() {
		t.Skip("SKIPPED: needs ld, and Linux on x86-64 to run the result")
	}
	dir := t.TempDir()
	ticket, err := os.ReadFile("testdata/gcc/ticket.O2.s")
	require.NoError(t, err)
	var objects []string
	for _, src := range []Source{{"start.s", []byte(startCode)}, {"ticket.s", ticket}} {
		obj, err := AssembleObject(Options{}, src)
		require.NoError(t, err)
		o := filepath.Join(dir, src.Name+".o")
		require.NoError(t, os.WriteFile(o, obj, 0o666))
		objects = append(objects, o)
	}
	exe := filepath.Join(dir, "t")
	requireQuiet(t, "ld", append([]string{"-static", "-o", exe}, objects...)...)
	var exit *exec.ExitError
	require.ErrorAs(t, exec.Command(exe).Run(), &exit)
	require.Equal(t, 42, exit.ExitCode())
}

// TestLineTable: the rows that .loc asks for are those of GNU as.
func TestLineTable(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*-g*.s")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			obj, err := AssembleObject(Options{}, Source{Name: file, Text: text})
			require.NoError(t, err)
			got := lineRows(t, obj)
			require.GreaterOrEqual(t, len(got), 10)
			if !haveGNU() {
				t.Skip("SKIPPED: GNU as is not installed; the table was read, not compared")
			}
			want, err := os.ReadFile(gnuObject(t, t.TempDir(), "gnu", text))
			require.NoError(t, err)
			require.Equal(t, lineRows(t, want), got)
		})
	}
}

func lineRows(t *testing.T, obj []byte) []string {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(obj))
	require.NoError(t, err)
	d, err := f.DWARF()
	require.NoError(t, err)
	cu, err := d.Reader().Next()
	require.NoError(t, err)
	r, err := d.LineReader(cu)
	require.NoError(t, err)
	require.NotNil(t, r)
	var out []string
	for {
		var e dwarf.LineEntry
		if err := r.Next(&e); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			require.NoError(t, err)
		}
		row := fmt.Sprintf("%#x end", e.Address)
		if !e.EndSequence {
			row = fmt.Sprintf("%#x %s:%d:%d stmt=%v prologue=%v disc=%d", e.Address, filepath.Base(e.File.Name), e.Line, e.Column, e.IsStmt, e.PrologueEnd, e.Discriminator)
		}
		out = append(out, row)
	}
}

// TestLongChain: names that stand for each other in a chain too long to follow
// are an error each, and not the square of their number in work.
func TestLongChain(t *testing.T) {
	if testing.Short() {
		t.Skip("a very long source")
	}
	var b strings.Builder
	for i := range 50000 {
		fmt.Fprintf(&b, ".set a%d, a%d\n", i, i+1)
	}
	b.WriteString("a50000: nop\n")
	src := Source{Name: "t.s", Text: []byte(b.String())}
	var list ErrorList
	_, err := Assemble(Options{}, src)
	require.ErrorAs(t, err, &list)
	require.Len(t, list, maxErrors)
	_, err = AssembleObject(Options{}, src)
	require.ErrorAs(t, err, &list)
	require.Contains(t, list[0].Msg, "too complex")
}
