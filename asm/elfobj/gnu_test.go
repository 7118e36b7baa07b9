package elfobj

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/asm"
)

const objects = "../../tests/testdata/obj"

// tool returns the path of an external program, or skips the test.
func tool(t *testing.T, name string) string {
	t.Helper()
	p, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("SKIPPED: %s is not installed, so nothing is compared with it", name)
	}
	return p
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %v: %s", name, args, out)
	return string(out)
}

// compile makes an object of C in dir and returns it.
func compile(t *testing.T, dir, name, text string, flags ...string) asm.Source {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	out := strings.TrimSuffix(name, filepath.Ext(name)) + ".o"
	run(t, dir, "gcc", append(flags, "-ffreestanding", "-fno-stack-protector", "-c", name, "-o", out)...)
	return load(t, dir, out)
}

func load(t testing.TB, dir, name string) asm.Source {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return asm.Source{Name: name, Text: data}
}

// twoFiles use what static code can use: calls and data both ways, tables of
// addresses, common, weak and local symbols, the GOT, 8- to 64-bit fields.
var twoFiles = []struct{ name, text string }{
	{"one.c", `
extern int counter, many[100]; extern void poke(int *); extern void nowhere(void) __attribute__((weak));
extern const char *const names[]; static int own = 5; int common[7]; long wide = (long)&own;
static __attribute__((noinline)) int local(int x) { return x + own + common[x & 7]; }
int pick(int k) { switch (k) { case 0: return 7; case 1: return local(3); case 2: return counter; case 3: return names[1][0];
	case 4: return many[k]; case 5: poke(&counter); return 1; case 6: return 99; } return nowhere ? 1 : 2; }
int (*const table[])(int) = { pick, local }; void *far = &many[50];`},
	{"two.c", `
int counter = 3, many[100]; const char *const names[] = { "left", "right", "left" };
__attribute__((weak)) int shared(void) { return 1; } void poke(int *p) { *p += shared(); }`},
}

// small has the fields that compilers do not emit.
const small = `
	.text
	.globl _fields
_fields:
	.byte near, _fields - .
	.word near, _fields - .
	.quad _fields - .
	.long near@SIZE
	mov counter@GOTPCREL(%rip), %rax
	mov counter@GOTPCREL(%rip), %eax
	cmpl %eax, counter@GOTPCREL(%rip)
	movabs $counter, %rcx
	mov $counter, %edx
	movl $1, counter(,%rdx,4)
	call pick
	jmp poke@PLT
	.globl near
	.set near, 0x42
`

// TestLikeLD links the same files with GNU ld, every section where Link has put
// it, and holds all bytes equal.
func TestLikeLD(t *testing.T) {
	tool(t, "gcc")
	ld := tool(t, "ld")
	for _, flags := range []string{"-O0 -fno-pic", "-O2 -fno-pic", "-O1 -fpie", "-O2 -fPIC -fno-plt", "-Os -mcmodel=large -fno-pic", "-O2 -fno-pic -ffunction-sections -fdata-sections -fcommon", "-O1 -mcmodel=kernel -fno-pic -mno-red-zone"} {
		t.Run(flags, func(t *testing.T) {
			dir := t.TempDir()
			var files []asm.Source
			for _, f := range twoFiles {
				files = append(files, compile(t, dir, f.name, f.text, strings.Fields(flags)...))
			}
			files = append(files, compile(t, dir, "small.s", small))
			img, err := Link(Options{Text: 0x100000, Data: 0x180000}, files...)
			require.NoError(t, err)
			sameAsLD(t, dir, ld, img)
		})
	}
}

func sameAsLD(t *testing.T, dir, ld string, img *Image) {
	t.Helper()
	var script strings.Builder
	script.WriteString("SECTIONS {\n")
	files := map[string]bool{}
	for i, s := range img.Sections {
		file, name, _ := strings.Cut(s.Name, ":")
		what := fmt.Sprintf("%s(%s)", file, name)
		switch s.Name {
		case chunkCommon:
			what = "*(COMMON)"
		case chunkGOT:
			what = "*(.got)"
		default:
			files[file] = true
		}
		fmt.Fprintf(&script, ". = %#x; .out%d : { %s }\n", s.Addr, i, what)
	}
	script.WriteString(". = 0x7000000; .got.plt : { *(.got.plt) } /DISCARD/ : { *(.eh_frame) *(.note*) *(.comment) } }\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "script.ld"), []byte(script.String()), 0o666))
	args := []string{"-static", "--no-relax", "-z", "norelro", "-T", "script.ld", "-e", "pick", "-o", "linked"}
	run(t, dir, ld, append(args, "one.o", "two.o", "small.o")...)
	linked, err := elf.Open(filepath.Join(dir, "linked"))
	require.NoError(t, err)
	defer linked.Close()
	var ourGOT, theirGOT []byte
	var at uint64
	for i, s := range img.Sections {
		if s.Name == chunkGOT {
			ourGOT, at = s.Data, s.Addr
			theirGOT, err = linked.Section(fmt.Sprintf(".out%d", i)).Data()
			require.NoError(t, err)
		}
	}
	for i, s := range img.Sections {
		theirs := linked.Section(fmt.Sprintf(".out%d", i))
		require.NotNil(t, theirs, s.Name)
		if s.Name == chunkCommon || theirs.Type == elf.SHT_NOBITS {
			continue
		}
		want, err := theirs.Data()
		require.NoError(t, err)
		require.Equal(t, s.Addr, theirs.Addr, s.Name)
		if s.Name == chunkGOT { // the order of the slots is free
			assert.ElementsMatch(t, slots(want), slots(s.Data))
			continue
		}
		got := bytes.Clone(s.Data)
		for _, r := range slotFields(t, dir, s.Name) {
			follow(want, r, s.Addr, theirGOT, at)
			follow(got, r, s.Addr, ourGOT, at)
		}
		assert.Equal(t, fmt.Sprintf("%x", want), fmt.Sprintf("%x", got), "%s at %#x", s.Name, s.Addr)
	}
}

var update = flag.Bool("update", false, "rewrite testdata, with gcc and GNU ld")

// TestStoredLink is TestLikeLD where neither gcc nor ld are: objects and the
// bytes that ld agreed to.
func TestStoredLink(t *testing.T) {
	names := []string{"one.o", "two.o", "small.o"}
	if *update {
		dir := t.TempDir()
		for _, f := range twoFiles {
			compile(t, dir, f.name, f.text, "-O1", "-fpie", "-fno-asynchronous-unwind-tables")
		}
		compile(t, dir, "small.s", small)
		for _, name := range names {
			require.NoError(t, os.WriteFile(filepath.Join("testdata", name), load(t, dir, name).Text, 0o666))
		}
	}
	var files []asm.Source
	for _, name := range names {
		files = append(files, load(t, "testdata", name))
	}
	img, err := Link(Options{Text: 0x100000, Data: 0x180000}, files...)
	require.NoError(t, err)
	var got strings.Builder
	for _, s := range img.Sections {
		fmt.Fprintf(&got, "%s %#x %x\n", s.Name, s.Addr, s.Data)
	}
	golden := filepath.Join("testdata", "linked.golden")
	if *update {
		dir := t.TempDir()
		for _, f := range files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o666))
		}
		sameAsLD(t, dir, tool(t, "ld"), img)
		require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o666))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), got.String())
}

func slots(got []byte) (list []uint64) {
	for ; len(got) > 0; got = got[8:] {
		list = append(list, u64(got))
	}
	return list
}

// slotFields are the relocations of a section that lead to the GOT.
func slotFields(t *testing.T, dir, chunk string) (list []rela) {
	t.Helper()
	file, name, _ := strings.Cut(chunk, ":")
	var errs ErrorList
	o := parse(file, load(t, dir, file).Text, &errs)
	require.Empty(t, errs)
	for i := range o.sections {
		for _, rs := range o.sections[i].relocs {
			for b := rs.data; len(b) > 0 && o.sections[i].name == name; b = b[sizeRela:] {
				if r := readRela(b); howtos[r.typ].form == formSlotPC {
					list = append(list, r)
				}
			}
		}
	}
	return list
}

// follow replaces the distance to a slot by what the slot holds.
func follow(code []byte, r rela, addr uint64, got []byte, at uint64) {
	slot := addr + r.off - uint64(r.addend) + uint64(int64(int32(u32(code[r.off:])))) - at
	put(code[r.off:], 4, u64(got[slot:]))
}

// TestLinesLikeDebugDwarf reads the line tables of the stored objects with
// debug/dwarf, too, and holds every address equal.
func TestLinesLikeDebugDwarf(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(objects, "*-O2.o"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		linesLike(t, load(t, objects, filepath.Base(name)))
	}
}

// TestLinesOfOtherVersions does so with what gcc can be asked for.
func TestLinesOfOtherVersions(t *testing.T) {
	tool(t, "gcc")
	for _, flags := range []string{"-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -gz=zlib", "-gdwarf-4 -ffunction-sections"} {
		t.Run(flags, func(t *testing.T) {
			dir := t.TempDir()
			linesLike(t, compile(t, dir, "one.c", twoFiles[0].text, append(strings.Fields(flags), "-O1", "-fno-pic")...))
		})
	}
}

// TestLinesOf64BitDwarf holds them equal to those of 32-bit DWARF: debug/dwarf
// does not read what gcc makes.
func TestLinesOf64BitDwarf(t *testing.T) {
	tool(t, "gcc")
	dir := t.TempDir()
	var lines [2][]asm.Line
	for i, flag := range []string{"-gdwarf32", "-gdwarf64"} {
		img, err := Link(Options{Lenient: true}, compile(t, dir, "one.c", twoFiles[0].text, "-g", flag, "-O1", "-fno-pic"))
		require.NoError(t, err)
		lines[i] = img.Lines
	}
	assert.NotEmpty(t, lines[0])
	assert.Equal(t, lines[0], lines[1])
}

func linesLike(t *testing.T, f asm.Source) {
	t.Helper()
	img, err := Link(Options{Lenient: true}, f)
	require.NoError(t, err)
	for _, n := range img.Notes {
		assert.NotContains(t, n, "line table")
	}
	file, err := elf.NewFile(bytes.NewReader(f.Text))
	require.NoError(t, err)
	info, err := file.DWARF()
	require.NoError(t, err)
	bases := map[string]uint64{}
	for _, s := range img.Sections {
		_, name, _ := strings.Cut(s.Name, ":")
		bases[name] = s.Addr
	}
	if len(bases) > 3 {
		return // debug/elf gives every section the address 0: their lines cannot be told apart
	}
	n := 0
	for r := info.Reader(); ; {
		cu, err := r.Next()
		require.NoError(t, err)
		if cu == nil {
			break
		}
		r.SkipChildren()
		lr, err := info.LineReader(cu)
		require.NoError(t, err)
		if lr == nil {
			continue
		}
		var e, next dwarf.LineEntry
		require.NoError(t, lr.Next(&e))
		for lr.Next(&next) != io.EOF {
			if !e.EndSequence && next.Address > e.Address && len(bases) > 0 && onlyText(file) {
				got, ok := img.LineAt(bases[".text"] + e.Address)
				assert.True(t, ok, "%s+%#x", f.Name, e.Address)
				assert.Equal(t, fmt.Sprint(path.Base(e.File.Name), ":", e.Line), fmt.Sprint(got.File, ":", got.Line), "%s+%#x", f.Name, e.Address)
				n++
			}
			e = next
		}
	}
	if onlyText(file) {
		assert.Positive(t, n, f.Name)
	} else {
		assert.NotEmpty(t, img.Lines, f.Name)
	}
}

// onlyText reports whether all code of a file is in .text.
func onlyText(f *elf.File) bool {
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && s.Size > 0 && s.Name != ".text" {
			return false
		}
	}
	return true
}
