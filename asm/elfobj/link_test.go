package elfobj

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/asm"
)

// objectsOf assembles sources with GNU as: name, text, name, text, …
func objectsOf(t *testing.T, pairs ...string) (list []asm.Source) {
	t.Helper()
	tool(t, "as")
	dir := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		name := filepath.Join(dir, pairs[i])
		require.NoError(t, os.WriteFile(name+".s", []byte(pairs[i+1]), 0o666))
		run(t, dir, "as", "--64", "-mrelax-relocations=yes", name+".s", "-o", name)
		list = append(list, load(t, dir, pairs[i]))
	}
	return list
}

func bytesOf(t *testing.T, img *Image, name string, n int) []byte {
	t.Helper()
	s, ok := img.Lookup(name)
	require.True(t, ok, name)
	for _, sec := range img.Sections {
		if s.Addr >= sec.Addr && s.Addr+uint64(n) <= sec.Addr+uint64(len(sec.Data)) {
			return sec.Data[s.Addr-sec.Addr:][:n]
		}
	}
	t.Fatalf("%s at %#x is in no section", name, s.Addr)
	return nil
}

// TestErrors: everything that is wrong comes at once, with file, section and
// offset.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"undefined", "\t.type f, @function\nf: call memcpy\n\tmov nothing(%rip), %eax\n\t.size f, .-f\n\t.data\n\t.quad other\n", []string{
			"x.o:.text+0x1: undefined symbol memcpy (compilers call it", ", in f",
			"x.o:.text+0x7: undefined symbol nothing, in f", "x.o:.data+0x0: undefined symbol other"}},
		{"8 bits", "\t.globl a\n\t.data\na:\t.byte a\n\t.word a\n\t.long a - 0x200000000\n", []string{
			"x.o:.data+0x0: R_X86_64_8 against a: 0x100000 does not fit into 8 bits",
			"x.o:.data+0x1: R_X86_64_16 against a: 0x100000 does not fit into 16 bits",
			"x.o:.data+0x3: R_X86_64_32 against a: 0xfffffffe00100000 does not fit into 32 bits"}},
		{"TLS", "\tmov %fs:x@TPOFF, %eax\n\tmov x@GOTTPOFF(%rip), %rax\n\t.section .tdata,\"awT\"\nx: .long 1\n", []string{
			"x.o:.tdata: thread-local storage (4 bytes)"}},
		{"TLS elsewhere", "\tmov %fs:x@TPOFF, %eax\n\tmov x@GOTTPOFF(%rip), %rax\n", []string{
			"x.o:.text+0x4: R_X86_64_TPOFF32 against x: thread-local storage",
			"x.o:.text+0xb: R_X86_64_GOTTPOFF against x: thread-local storage"}},
		{"ifunc", "\t.type g, @gnu_indirect_function\n\t.globl g\ng: ret\n\tcall g\n", []string{
			"x.o:.text+0x2: g is chosen at load time (ifunc)"}},
		{"not loaded", "\tlea 1f(%rip), %rax\n\t.section .altinstr_replacement,\"ax\"\n1: nop\n", []string{
			"x.o:.text+0x3: section .altinstr_replacement is not loaded"}},
		{"alignment", "\t.balign 0x20000\n\tnop\n", []string{"x.o:.text: alignment 0x20000: at most 0x10000"}},
		{"size", "\t.bss\n\t.zero 0x2000000\n", []string{"x.o:.bss: 0x2000000 bytes: an image has at most 0x1000000"}},
		{"what profilers need", "\tcall *__fentry__@GOTPCREL(%rip)\n", []string{"x.o:.text+0x2: undefined symbol __fentry__ (compile without -pg)"}},
		{"nothing", "\t.globl f\nf: ret\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Link(Options{}, objectsOf(t, "x.o", c.text)...)
			if c.want == nil {
				assert.NoError(t, err)
				return
			}
			require.Error(t, err)
			assert.IsType(t, ErrorList{}, err)
			for _, w := range c.want {
				assert.ErrorContains(t, err, w)
			}
		})
	}
}

// TestResolution: strong wins over common, common over weak; the largest of
// common symbols counts; a weak symbol without a definition is 0.
func TestResolution(t *testing.T) {
	ask := "\t.globl ask\n\t.data\nask: .quad x, y, z\n\t.weak z\n"
	img, err := Link(Options{}, objectsOf(t,
		"ask.o", ask,
		"weak.o", "\t.weak x\n\t.data\nx: .quad 1\n\t.comm y, 8, 8\n",
		"strong.o", "\t.globl x\n\t.data\nx: .quad 2\n\t.comm y, 100, 64\n")...)
	require.NoError(t, err)
	at := bytesOf(t, img, "ask", 24)
	assert.Equal(t, []byte{2, 0, 0, 0, 0, 0, 0, 0}, bytesOf(t, img, "x", 8))
	x, _ := img.Lookup("x")
	y, _ := img.Lookup("y")
	assert.Equal(t, "strong.o", x.Source)
	assert.Equal(t, []uint64{x.Addr, y.Addr, 0}, []uint64{u64(at), u64(at[8:]), u64(at[16:])})
	assert.Equal(t, uint64(100), y.Size)
	assert.Zero(t, y.Addr%64)

	_, err = Link(Options{}, objectsOf(t, "a.o", "\t.globl f\nf: ret\n", "b.o", "\t.globl f\nf: nop\n")...)
	assert.ErrorContains(t, err, "b.o: f is already defined in a.o")
}

// TestComdat: of groups with one signature the first is kept, and references to
// the others go to it.
func TestComdat(t *testing.T) {
	group := "\t.section .text.f,\"axG\",@progbits,f,comdat\n\t.globl f\nf:\t.byte %\n\t.text\n\t.globl use%\nuse%: call f\n"
	img, err := Link(Options{}, objectsOf(t, "1.o", strings.ReplaceAll(group, "%", "1"), "2.o", strings.ReplaceAll(group, "%", "2"))...)
	require.NoError(t, err)
	f, _ := img.Lookup("f")
	assert.Equal(t, "1.o", f.Source)
	for _, name := range []string{"use1", "use2"} {
		s, _ := img.Lookup(name)
		assert.Equal(t, f.Addr, s.Addr+5+uint64(int64(int32(u32(bytesOf(t, img, name, 5)[1:])))), name)
	}
	for _, s := range img.Sections {
		assert.NotEqual(t, "2.o:.text.f", s.Name)
	}
}

// TestGOT: what code computes by way of the GOT adds up, whatever the table's
// place.
func TestGOT(t *testing.T) {
	img, err := Link(Options{}, objectsOf(t, "x.o", `
	.globl base, off, slot, v
base:	.quad _GLOBAL_OFFSET_TABLE_ - .
off:	.quad v@GOTOFF
slot:	.quad v@GOT
	lea _GLOBAL_OFFSET_TABLE_(%rip), %rbx
	.data
v:	.quad 7`)...)
	require.NoError(t, err)
	base, _ := img.Lookup("base")
	v, _ := img.Lookup("v")
	got := base.Addr + u64(bytesOf(t, img, "base", 8))
	assert.Equal(t, v.Addr, got+u64(bytesOf(t, img, "off", 8)))
	for _, s := range img.Sections {
		if s.Name == chunkGOT {
			assert.Equal(t, got, s.Addr)
			assert.Equal(t, v.Addr, u64(s.Data[u64(bytesOf(t, img, "slot", 8)):]))
		}
	}
}

// TestArchive: members come for names that are missing, and their own wants with
// them; long names, and no symbol table needed.
func TestArchive(t *testing.T) {
	tool(t, "ar")
	objs := objectsOf(t,
		"main.o", "\t.globl main\nmain: call one\n",
		"one.o", "\t.globl one\none: call two_with_a_very_long_name\n",
		"a_file_with_a_long_name.o", "\t.globl two_with_a_very_long_name\ntwo_with_a_very_long_name: ret\n",
		"unused.o", "\t.globl unused\nunused: call nowhere\n",
		"root.o", "\t.globl root\nroot: ret\n")
	dir := t.TempDir()
	var names []string
	for _, o := range objs[1:] {
		require.NoError(t, os.WriteFile(filepath.Join(dir, o.Name), o.Text, 0o666))
		names = append(names, o.Name)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "README"), []byte("no object"), 0o666))
	for _, flags := range []string{"rcs", "rcS"} {
		run(t, dir, "ar", append([]string{flags, "lib" + flags + ".a", "README"}, names...)...)
		lib := load(t, dir, "lib"+flags+".a")
		img, err := Link(Options{Roots: []string{"root", "absent"}}, lib, objs[0])
		require.NoError(t, err)
		for _, name := range []string{"main", "one", "two_with_a_very_long_name", "root"} {
			_, ok := img.Lookup(name)
			assert.True(t, ok, name)
		}
		_, ok := img.Lookup("unused")
		assert.False(t, ok)
		s, _ := img.Lookup("two_with_a_very_long_name")
		assert.Equal(t, lib.Name+"(a_file_with_a_long_name.o)", s.Source)

		_, err = Link(Options{All: true}, lib)
		assert.ErrorContains(t, err, lib.Name+"(unused.o):.text+0x1: undefined symbol nowhere")
		_, err = Link(Options{All: true, Lenient: true}, lib)
		assert.NoError(t, err)
	}
	run(t, dir, "ar", append([]string{"rcsT", "thin.a"}, names...)...)
	_, err := Link(Options{}, load(t, dir, "thin.a"))
	assert.ErrorContains(t, err, "thin.a: a thin archive")
}

// TestSourcesBeside: a source and an object refer to each other, whichever comes
// first.
func TestSourcesBeside(t *testing.T) {
	obj := objectsOf(t, "x.o", "\t.globl f, data\nf: call g\n\tret\n\t.data\ndata: .quad g\n")[0]
	src := asm.Source{Name: "y.s", Text: []byte("\t.globl g\ng: call f\n\tmov data(%rip), %rax\n\tret\n")}
	for _, files := range [][]asm.Source{{obj, src}, {src, obj}} {
		img, err := Link(Options{}, files...)
		require.NoError(t, err)
		f, _ := img.Lookup("f")
		g, _ := img.Lookup("g")
		data, _ := img.Lookup("data")
		call := func(name string) uint64 { return uint64(int64(int32(u32(bytesOf(t, img, name, 5)[1:])))) + 5 }
		assert.Equal(t, g.Addr, f.Addr+call("f"))
		assert.Equal(t, f.Addr, g.Addr+call("g"))
		assert.Equal(t, g.Addr, u64(bytesOf(t, img, "data", 8)))
		assert.Equal(t, data.Addr, g.Addr+12+uint64(int64(int32(u32(bytesOf(t, img, "g", 12)[8:])))))
		assert.True(t, img.Compiled(f))
		assert.False(t, img.Compiled(g))
	}
	_, err := Link(Options{}, obj, asm.Source{Name: "z.s", Text: []byte("\t.globl g, f\ng:\nf: ret\n\tcall h\n")})
	assert.ErrorContains(t, err, "z.s: f is already defined in x.o")
	_, err = Link(Options{}, obj, asm.Source{Name: "z.s", Text: []byte("\t.globl g\ng: call h\n")})
	assert.ErrorContains(t, err, "z.s:2: undefined symbol h")
}

// TestLinux: what the kernel patches at boot is patched, its tables are left out
// with a word, and its per-CPU variables are offsets from GS base.
func TestLinux(t *testing.T) {
	objs := objectsOf(t, "k.o", `
	.globl f, thunks
f:	call __fentry__
	incl %gs:mine(%rip)
	movl %gs:mine, %eax
	.section .altinstructions,"a"
	.long 661f - .
	.section .smp_locks,"a"
	.long 661f - .
	.section .discard.addressable,"aw"
	.quad f
	.section .altinstr_replacement,"ax"
	nop
	.text
661:	lock incl (%rdi)
thunks:	call __x86_indirect_thunk_rax
	jmp __x86_indirect_thunk_rax
	call __x86_indirect_thunk_r11
	jmp __x86_indirect_thunk_r11
	jmp __x86_return_thunk
	.section .data..percpu,"aw"
	.balign 4
	.globl mine
mine:	.long 0x11223344
	.section .data..percpu..shared_aligned,"aw"
	.balign 64
	.quad f`)
	img, err := Link(Options{PerCPU: 192, PerCPUEnd: 4096}, objs...)
	require.NoError(t, err)
	assert.Equal(t, []byte{0x0f, 0x1f, 0x44, 0, 0}, bytesOf(t, img, "f", 5))
	assert.Equal(t, uint32(192), u32(bytesOf(t, img, "f", 20)[16:]), "movl %gs:mine")
	assert.Equal(t, []byte{
		0xff, 0xd0, 0x0f, 0x1f, 0x00, 0xff, 0xe0, 0xcc, 0xcc, 0xcc,
		0x41, 0xff, 0xd3, 0x66, 0x90, 0x41, 0xff, 0xe3, 0xcc, 0xcc,
		0xc3, 0xcc, 0xcc, 0xcc, 0xcc}, bytesOf(t, img, "thunks", 25))
	f, _ := img.Lookup("f")
	require.Len(t, img.PerCPU, 72)
	assert.Equal(t, []byte{0x44, 0x33, 0x22, 0x11}, img.PerCPU[:4])
	assert.Equal(t, f.Addr, u64(img.PerCPU[64:]))
	assert.Contains(t, img.Notes, "k.o: section .smp_locks is left out: the original instructions run")
	assert.Contains(t, img.Notes, "k.o: calls of __fentry__ are NOPs, as in a kernel that does not trace")
	for _, s := range img.Sections {
		assert.Equal(t, "k.o:.text", s.Name)
	}
	_, err = Link(Options{PerCPU: 192, PerCPUEnd: 200}, objs...)
	assert.ErrorContains(t, err, "per-CPU variables up to offset 0x108")
}

// TestStoredObjects: the objects that come with the tests link and have their
// functions, without any tool.
func TestStoredObjects(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(objects, "*.o"))
	require.NoError(t, err)
	require.Len(t, names, 25)
	for _, name := range names {
		f := load(t, objects, filepath.Base(name))
		img, err := Link(Options{}, f)
		require.NoError(t, err, name)
		assert.Empty(t, img.Notes, name)
		lock := "spin_lock"
		if strings.HasPrefix(f.Name, "ticket") {
			lock = "my_lock"
		}
		s, ok := img.Lookup(lock)
		assert.True(t, ok && s.Global && s.Size > 0, name)
		assert.Equal(t, strings.HasSuffix(f.Name, "-O2.o"), len(img.Lines) > 0, name)
	}
}
