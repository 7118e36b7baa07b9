package asm

import (
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What compilers print. testdata/gcc holds the output of gcc 12.2 for the C
// sources of ../tests/testdata/c/gas, testdata/clang what clang prints, and each
// .golden beside them the bytes of the image, which GNU as and ld confirm
// where they are installed. go test -update rewrites gcc's and the goldens.

const cSources = "../tests/testdata/c/gas"

// gccFlags are the ways in which every C source is compiled, by the name that
// the output's file carries.
var gccFlags = []struct{ name, flags string }{
	{"O0", "-O0"}, {"O1", "-O1"}, {"O2", "-O2"}, {"O3", "-O3"}, {"Os", "-Os"}, {"Og", "-Og"},
	{"O2-cf", "-O2 -fcf-protection=full"},
	{"O1-nocf", "-O1 -fcf-protection=none -fno-asynchronous-unwind-tables"},
	{"O2-pic", "-O2 -fPIC"},
	{"O2-kernel", "-O2 -mcmodel=kernel -mno-red-zone -fno-pic"},
	{"O0-nopic", "-O0 -fno-pic"},
	{"O2-intel", "-O2 -masm=intel -DINTEL"},
	{"O0-pic-intel", "-O0 -fPIC -masm=intel -DINTEL"},
}

// gccExtra are single outputs that add something of their own.
var gccExtra = []struct{ source, name, flags string }{
	{"ticket", "O2-g", "-O2 -g"},
	{"seqlock", "Og-g", "-Og -g -gdwarf-4"},
	{"mcs", "O2-g-pic", "-O2 -g -fPIC"},
	{"seqlock", "O3-haswell", "-O2 -march=haswell -mno-avx"},
	{"ttas", "O2-sections", "-O2 -ffunction-sections -fdata-sections"},
	{"rwlock", "O2-lto-none", "-O2 -fno-plt -fPIC -mindirect-branch=keep"},
}

// compiled is one output of a compiler.
type compiled struct{ source, name, flags string }

func gccOutputs(t *testing.T) []compiled {
	t.Helper()
	files, err := filepath.Glob(cSources + "/*.c")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var out []compiled
	for _, f := range files {
		source := strings.TrimSuffix(filepath.Base(f), ".c")
		for _, g := range gccFlags {
			// kernel.c is AT&T only, in its inline assembly.
			if source != "kernel" || !strings.Contains(g.flags, "intel") && !strings.Contains(g.flags, "-fPIC") {
				out = append(out, compiled{source, g.name, g.flags})
			}
		}
	}
	for _, g := range gccExtra {
		out = append(out, compiled{g.source, g.name, g.flags})
	}
	return out
}

// compile runs gcc -S in the directory of the sources, so that the output
// does not name this one.
func (c compiled) compile(t *testing.T) []byte {
	t.Helper()
	args := append(strings.Fields(c.flags), "-fdebug-prefix-map="+mustAbs(t, cSources)+"=.", "-S", "-o", "-", c.source+".c")
	cmd := exec.Command("gcc", args...)
	cmd.Dir = cSources
	out, err := cmd.Output()
	require.NoError(t, err, "%s %s", c.source, c.flags)
	return out
}

func mustAbs(t *testing.T, p string) string {
	t.Helper()
	abs, err := filepath.Abs(p)
	require.NoError(t, err)
	return abs
}

// extern defines what the C sources only declare.
const extern = `	.section .extern,"ax"
	.globl pv_wait, __tls_get_addr
pv_wait:
__tls_get_addr:
	ret
	.section .note.GNU-stack,"",@progbits
`

// TestCompilers assembles every stored output of a compiler into an image and
// compares it with the golden, and with what GNU as and ld make of it.
func TestCompilers(t *testing.T) {
	if *update {
		for _, c := range gccOutputs(t) {
			name := fmt.Sprintf("testdata/gcc/%s.%s.s", c.source, c.name)
			require.NoError(t, os.WriteFile(name, c.compile(t), 0o666))
		}
	}
	files, err := filepath.Glob("testdata/*/*.s")
	require.NoError(t, err)
	require.Greater(t, len(files), 60)
	for i, file := range files {
		if testing.Short() && i%3 != 0 {
			continue
		}
		t.Run(strings.TrimPrefix(file, "testdata/"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			compareImage(t, text, strings.TrimSuffix(file, ".s")+".golden")
		})
	}
	if !haveGNU() {
		t.Log("SKIPPED: GNU as and ld are not installed; only the stored goldens were compared")
	}
}

func compareImage(t *testing.T, text []byte, golden string) {
	t.Helper()
	obj, err := Assemble(Options{}, Source{Name: "t.s", Text: text}, Source{Name: "extern.s", Text: []byte(extern)})
	if needsDynamicTLS(text) {
		require.ErrorContains(t, err, "-ftls-model=local-exec")
		return
	}
	require.NoError(t, err)
	got := dumpSections(obj)
	if golden != "" {
		if *update {
			require.NoError(t, os.WriteFile(golden, []byte(got), 0o666))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), got)
	}
	if haveGNU() {
		require.Equal(t, gnuImage(t, text, obj), got)
	}
}

// needsDynamicTLS: a thread-local variable that another module may define is
// reached through __tls_get_addr, which an image has no use for.
func needsDynamicTLS(text []byte) bool { return strings.Contains(string(text), "@tlsgd") }

// dumpSections writes the sections with their addresses and bytes.
func dumpSections(obj *Object) string {
	var b strings.Builder
	for _, s := range obj.Sections {
		dumpSection(&b, s.Name, s.Addr, s.Data)
	}
	return b.String()
}

func dumpSection(b *strings.Builder, name string, addr uint64, data []byte) {
	fmt.Fprintf(b, "%s %#x\n", name, addr)
	for len(data) > 0 {
		n := min(len(data), 32)
		fmt.Fprintf(b, "%x\n", data[:n])
		data = data[n:]
	}
}

// gnuImage links GNU as's object with our sections at our addresses, and
// dumps the same sections.
func gnuImage(t *testing.T, text []byte, obj *Object) string {
	t.Helper()
	dir := t.TempDir()
	x := linkAt(t, obj, gnuObject(t, dir, "t", text), gnuObject(t, dir, "extern", []byte(extern)))
	var b strings.Builder
	for _, s := range obj.Sections {
		dumpSection(&b, s.Name, s.Addr, x.contents(t, s.Name, len(s.Data)))
	}
	return b.String()
}

func gnuObject(t *testing.T, dir, name string, text []byte) string {
	t.Helper()
	s, o := filepath.Join(dir, name+".s"), filepath.Join(dir, name+".o")
	// GNU as 2.40 does not know clang's .addrsig, which leaves no bytes.
	text = []byte(strings.ReplaceAll(string(text), "\t.addrsig", "\t# addrsig"))
	require.NoError(t, os.WriteFile(s, text, 0o666))
	run(t, "as", "--64", "-o", o, s)
	return o
}

// linked is an executable that ld made.
type linked struct{ *elf.File }

// linkAt links objects so that every section of obj is where it is in obj.

func linkAt(t *testing.T, obj *Object, objects ...string) linked {
	t.Helper()
	dir := t.TempDir()
	var script strings.Builder
	script.WriteString("SECTIONS {\n")
	for _, s := range obj.Sections {
		fmt.Fprintf(&script, "  %s %#x : { *(%s) %s }\n", s.Name, s.Addr, s.Name, map[bool]string{true: "*(COMMON)"}[s.Name == ".bss"])
	}
	script.WriteString("  .got.plt 0x70000000 : { *(.got.plt) }\n") // ld's own
	script.WriteString("  /DISCARD/ : { *(.eh_frame) *(.comment) *(.note*) *(.debug*) }\n}\n")
	ld, exe := filepath.Join(dir, "t.ld"), filepath.Join(dir, "t")
	require.NoError(t, os.WriteFile(ld, []byte(script.String()), 0o666))
	run(t, "ld", append([]string{"-T", ld, "-e", "0", "-o", exe}, objects...)...)
	f, err := elf.Open(exe)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return linked{f}
}

// contents are n bytes of a section; what it lacks at the end was padding.
func (x linked) contents(t *testing.T, name string, n int) []byte {
	t.Helper()
	s := x.Section(name)
	require.NotNil(t, s, name)
	if s.Type == elf.SHT_NOBITS {
		return make([]byte, n)
	}
	data, err := s.Data()
	require.NoError(t, err)
	return data
}

// TestCompilersFresh does the same with what this machine's gcc prints.
func TestCompilersFresh(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	if _, err := exec.LookPath("gcc"); err != nil || !haveGNU() {
		t.Skip("SKIPPED: gcc, GNU as and ld are not installed; TestCompilers has stored output")
	}
	for i, c := range gccOutputs(t) {
		if i%3 != 0 { // what is stored covers the others
			continue
		}
		t.Run(c.source+"."+c.name, func(t *testing.T) {
			compareImage(t, c.compile(t), "")
		})
	}
}

// TestCompilerObjects makes an object of every stored output, lets ld link it
// at the same addresses as GNU as's, and holds the two equal.
func TestCompilerObjects(t *testing.T) {
	if testing.Short() {
		t.Skip("every golden twice")
	}
	files, err := filepath.Glob("testdata/*/*.s")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(strings.TrimPrefix(file, "testdata/"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			obj, err := AssembleObject(Options{}, Source{Name: file, Text: text})
			require.NoError(t, err)
			checkObject(t, obj)
			if haveGNU() {
				compareLinked(t, text, obj)
			}
		})
	}
	if !haveGNU() {
		t.Log("SKIPPED: GNU as and ld are not installed; the objects were read with debug/elf only")
	}
}

// checkObject is the floor without GNU's tools: debug/elf reads the object,
// every relocation lies within its section and names a symbol that exists.
func checkObject(t *testing.T, obj []byte) {
	t.Helper()
	f, err := elf.NewFile(strings.NewReader(string(obj)))
	require.NoError(t, err)
	require.Equal(t, elf.ET_REL, f.Type)
	syms, err := f.Symbols()
	require.NoError(t, err)
	local := true
	for _, s := range syms {
		isLocal := elf.ST_BIND(s.Info) == elf.STB_LOCAL
		require.True(t, local || !isLocal, "%s: the local symbols come first", s.Name)
		local = isLocal
		if s.Section < elf.SHN_LORESERVE {
			require.Less(t, int(s.Section), len(f.Sections))
		}
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA {
			continue
		}
		data, err := s.Data()
		require.NoError(t, err)
		target := f.Sections[s.Info]
		require.Equal(t, ".rela"+target.Name, s.Name)
		for ; len(data) > 0; data = data[24:] {
			off, info := f.ByteOrder.Uint64(data), f.ByteOrder.Uint64(data[8:])
			require.Less(t, off, target.Size)
			require.LessOrEqual(t, int(info>>32), len(syms))
			require.NotEqual(t, "R_X86_64_NONE", elf.R_X86_64(uint32(info)).String())
		}
	}
}

// linkScript puts both objects' sections at the same addresses.
const linkScript = `SECTIONS {
  .text 0x100000 : { *(.text) *(.text.*) *(.extern) *(.fixup) *(.altinstr_replacement) }
  .rodata 0x200000 : { *(.rodata) *(.rodata.*) *(.smp_locks) *(__ex_table) *(.altinstructions) }
  .tdata 0x300000 : { *(.tdata) }
  .tbss : { *(.tbss) *(.tbss.*) }
  .data 0x400000 : { *(.data) *(.data.*) *(__jump_table) }
  .got 0x500000 : { *(.got) *(.got.plt) }
  .bss 0x600000 : { *(.bss) *(.bss.*) *(COMMON) }
  /DISCARD/ : { *(.eh_frame) *(.comment) *(.note*) }
}
`

func compareLinked(t *testing.T, text, ours []byte) {
	t.Helper()
	dir := t.TempDir()
	o, ld := filepath.Join(dir, "ours.o"), filepath.Join(dir, "t.ld")
	require.NoError(t, os.WriteFile(o, ours, 0o666))
	require.NoError(t, os.WriteFile(ld, []byte(linkScript), 0o666))
	ext := gnuObject(t, dir, "extern", []byte(extern))
	want := linkQuietly(t, ld, gnuObject(t, dir, "gnu", text), ext)
	got := linkQuietly(t, ld, o, ext)
	for name := range want { // one at a time, so that the difference can be read
		require.Equal(t, strings.Split(want[name], "\n"), strings.Split(got[name], "\n"), name)
	}
	require.Len(t, got, len(want))
	for _, tool := range [][]string{{"readelf", "-aW"}, {"objdump", "-drl", "--dwarf=decodedline"}} {
		requireQuiet(t, tool[0], append(tool[1:], o)...)
	}
}

// requireQuiet runs a tool that must have nothing to say against its input.
func requireQuiet(t *testing.T, name string, args ...string) {
	t.Helper()
	var said strings.Builder
	cmd := exec.Command(name, args...)
	cmd.Stderr = &said
	require.NoError(t, cmd.Run(), said.String())
	require.Empty(t, said.String(), "%s %v", name, args)
}

// leftOut are the sections that GNU as makes from .loc and .cfi_*. The first
// two are compared by what they say, in TestLineTable; unwind tables are not made.
var leftOut = map[string]bool{".debug_line": true, ".debug_line_str": true, ".debug_frame": true}

// linkQuietly links without a warning and returns the contents of all
// sections but the tables, by name, and the symbols with their places.
func linkQuietly(t *testing.T, script string, objects ...string) map[string]string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "t")
	requireQuiet(t, "ld", append([]string{"--no-warn-rwx-segments", "-T", script, "-e", "0", "-o", exe}, objects...)...)
	f, err := elf.Open(exe)
	require.NoError(t, err)
	defer f.Close()
	out := map[string]string{}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NULL || s.Type == elf.SHT_SYMTAB || s.Type == elf.SHT_STRTAB || leftOut[s.Name] {
			continue
		}
		var data []byte
		if s.Type != elf.SHT_NOBITS {
			data, err = s.Data()
			require.NoError(t, err)
		}
		out[s.Name] = fmt.Sprintf("%v %v %#x %d\n%s", s.Type, s.Flags, s.Addr, s.Size, hex.Dump(data))
	}
	syms, err := f.Symbols()
	require.True(t, err == nil || errors.Is(err, elf.ErrNoSymbols))
	var names []string
	for _, s := range syms {
		if elf.ST_TYPE(s.Info) != elf.STT_SECTION && !isTemp(s.Name) {
			names = append(names, fmt.Sprintf("%s %#x %d %v %v %d", s.Name, s.Value, s.Size, elf.ST_BIND(s.Info), elf.ST_TYPE(s.Info), s.Other))
		}
	}
	sort.Strings(names)
	out["symbols"] = strings.Join(names, "\n")
	return out
}
