package asm

import (
	"debug/elf"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// allowedDifferences lists the lines whose bytes may differ from GNU as's, with
// ours. It is empty: where golang-asm encodes a row otherwise (LOCK before 66,
// xchg %eax,%eax as 90, …) the row takes the pattern or the prefixes are put
// in GNU as's order.
var allowedDifferences = map[string]string{}

// oursAlone are the lines that GNU as refuses and this package accepts: nop5
// is the kernel's name for the five-byte no-op that a jump label overwrites.
var oursAlone = map[string]bool{"nop5": true}

var update = flag.Bool("update", false, "rewrite testdata from GNU as")

// gnuLine is one source line and the bytes that GNU as makes of it.
type gnuLine struct{ text, hex string }

// gnuAssemble assembles lines in one file, links it at DefaultBase and cuts
// the text at the lines. Lines that GNU as refuses make the test fail.
func gnuAssemble(t *testing.T, lines []string) []gnuLine {
	t.Helper()
	dir := t.TempDir()
	src, o, exe := filepath.Join(dir, "t.s"), filepath.Join(dir, "t.o"), filepath.Join(dir, "t")
	require.NoError(t, os.WriteFile(src, []byte(lineSource(lines)), 0o666))
	run(t, "as", "--64", "-o", o, src)
	run(t, "ld", "-Ttext=0x100000", "-e", "0", "-o", exe, o)
	f, err := elf.Open(exe)
	require.NoError(t, err)
	defer f.Close()
	text, err := f.Section(".text").Data()
	require.NoError(t, err)
	syms, err := f.Symbols()
	require.NoError(t, err)
	at := map[string]uint64{}
	for _, s := range syms {
		at[s.Name] = s.Value - DefaultBase
	}
	return cut(lines, text, at)
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	require.NoError(t, err, string(out))
}

// lineSource labels every line, so that its bytes can be found.
func lineSource(lines []string) string {
	var b strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&b, "case_%d: %s\n", i, l)
	}
	fmt.Fprintf(&b, "case_%d:\n.p2align 4\n sym: ret\n abssym = 0x1234\n", len(lines))
	return b.String()
}

func cut(lines []string, text []byte, at map[string]uint64) []gnuLine {
	var out []gnuLine
	for i, l := range lines {
		from, to := at[fmt.Sprintf("case_%d", i)], at[fmt.Sprintf("case_%d", i+1)]
		out = append(out, gnuLine{l, hex.EncodeToString(text[from:to])})
	}
	return out
}

// ourAssemble does the same with this package.
func ourAssemble(t *testing.T, lines []string) []gnuLine {
	t.Helper()
	obj, err := Assemble(Options{}, Source{Name: "t.s", Text: []byte(lineSource(lines))})
	require.NoError(t, err)
	at := map[string]uint64{}
	for _, s := range obj.Symbols {
		at[s.Name] = s.Addr - DefaultBase
	}
	return cut(lines, obj.Sections[0].Data, at)
}

// handLines are the lines of testdata/instructions.txt: what the table's own
// cases do not cover, such as spellings, prefixes and default sizes.
func handLines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/instructions.txt")
	require.NoError(t, err)
	var out []string
	for _, l := range strings.Split(string(text), "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			out = append(out, l)
		}
	}
	return out
}

// encodable keeps the lines that this package accepts and GNU as too. What it
// drops must be a high-byte register under REX.
func encodable(t *testing.T, lines []string) []string {
	t.Helper()
	u := newTestUnit()
	var out []string
	for _, l := range lines {
		_, err := parseOne(u, l)
		if err != nil {
			require.ErrorContains(t, err, "REX prefix", l)
			continue
		}
		if !oursAlone[l] {
			out = append(out, l)
		}
	}
	return out
}

func haveGNU() bool {
	_, err := exec.LookPath("as")
	_, err2 := exec.LookPath("ld")
	return err == nil && err2 == nil
}

func requireSame(t *testing.T, want, got []gnuLine) {
	t.Helper()
	require.Equal(t, len(want), len(got))
	for i, w := range want {
		if ours, ok := allowedDifferences[w.text]; ok {
			w.hex = ours
		}
		if w != got[i] {
			t.Errorf("%-40s GNU as %s, ours %s", w.text, w.hex, got[i].hex)
		}
	}
}

// TestGNUTable writes out every row of the table with every kind of operand,
// some fourteen thousand lines, and compares with the GNU as of this machine.
func TestGNUTable(t *testing.T) {
	if !haveGNU() {
		t.Skip("SKIPPED: GNU as and ld are not installed; only the stored golden was compared")
	}
	lines := encodable(t, tableCases())
	requireSame(t, gnuAssemble(t, lines), ourAssemble(t, lines))
}

// TestGNUGolden compares with bytes that GNU as 2.40 gave for the hand-written
// lines and a cut of the table's; go test -update rewrites them.
func TestGNUGolden(t *testing.T) {
	const golden = "testdata/gnu.golden"
	if *update {
		var b strings.Builder
		for _, l := range gnuAssemble(t, append(handLines(t), goldenTableCases(t)...)) {
			fmt.Fprintf(&b, "%s\t%s\n", l.hex, l.text)
		}
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o666))
	}
	text, err := os.ReadFile(golden)
	require.NoError(t, err)
	var want []gnuLine
	var lines []string
	for _, l := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		hex, line, _ := strings.Cut(l, "\t")
		want = append(want, gnuLine{line, hex})
		lines = append(lines, line)
	}
	require.Greater(t, len(want), 1000)
	requireSame(t, want, ourAssemble(t, lines))
	if haveGNU() {
		requireSame(t, want, gnuAssemble(t, lines))
	}
}

// goldenTableCases is one line for each row and size.
func goldenTableCases(t *testing.T) []string {
	var out []string
	last := ""
	for _, l := range encodable(t, tableCases()) {
		name, _ := word(l)
		commas := strings.Count(l, ",") + strings.Count(l, "$") + strings.Count(l, "(")
		if key := fmt.Sprint(name, commas); key != last {
			out = append(out, l)
			last = key
		}
	}
	return out
}

// TestGNUSources assembles whole files with both and compares .text and .data
// byte by byte: directives, macros, relaxation, padding, the seed's listings.
func TestGNUSources(t *testing.T) {
	files, err := filepath.Glob("testdata/*.s")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			obj, err := Assemble(Options{DataBase: 0x200000}, Source{Name: file, Text: text})
			require.NoError(t, err)
			var got strings.Builder
			for _, s := range obj.Sections {
				if s.Name == ".text" || s.Name == ".data" {
					fmt.Fprintf(&got, "%s\n%s", s.Name, hex.Dump(s.Data))
				}
			}
			compareSource(t, file, got.String())
		})
	}
}

func compareSource(t *testing.T, file, got string) {
	t.Helper()
	golden := strings.TrimSuffix(file, ".s") + ".golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(gnuDump(t, file)), 0o666))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
	if haveGNU() {
		require.Equal(t, gnuDump(t, file), got)
	}
}

// gnuDump is the same dump of what GNU as and ld make of a file.
func gnuDump(t *testing.T, file string) string {
	t.Helper()
	dir := t.TempDir()
	o, exe := filepath.Join(dir, "t.o"), filepath.Join(dir, "t")
	run(t, "as", "--64", "-o", o, file)
	run(t, "ld", "-Ttext=0x100000", "-Tdata=0x200000", "-e", "0", "-o", exe, o)
	f, err := elf.Open(exe)
	require.NoError(t, err)
	defer f.Close()
	var b strings.Builder
	for _, name := range []string{".text", ".data"} {
		if s := f.Section(name); s != nil {
			data, err := s.Data()
			require.NoError(t, err)
			fmt.Fprintf(&b, "%s\n%s", name, hex.Dump(data))
		}
	}
	return b.String()
}
