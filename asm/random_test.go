package asm_test

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/asm"
	"spinlab/cpu"
)

// outcome is what an assembler made of a line: its bytes, or that it refused,
// or bytes with a warning.
type outcome struct {
	hex    string
	refuse string
	warn   string
}

// tail defines what the lines name.
const tail = ".p2align 4\n sym: ret\n abssym = 0x1234\n"

func caseSource(head string, lines []string) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for i, l := range lines {
		fmt.Fprintf(&b, "case_%d: %s\n", i, l)
	}
	fmt.Fprintf(&b, "case_%d:\n%s", len(lines), tail)
	return b.Bytes()
}

// ours assembles the lines that are accepted in one image, as GNU as does.
func ours(t *testing.T, head string, lines []string) map[string]outcome {
	t.Helper()
	out := map[string]outcome{}
	var good []string
	for _, l := range lines {
		src := asm.Source{Name: "t.s", Text: []byte(head + l + "\n" + tail)}
		if _, err := asm.Assemble(asm.Options{}, src); err != nil {
			out[l] = outcome{refuse: err.Error()}
			continue
		}
		good = append(good, l)
	}
	for l, x := range oursTogether(t, head, good) {
		out[l] = x
	}
	return out
}

// oursTogether is ours for lines that are all accepted.
func oursTogether(t *testing.T, head string, lines []string) map[string]outcome {
	t.Helper()
	out := map[string]outcome{}
	obj, err := asm.Assemble(asm.Options{}, asm.Source{Name: "t.s", Text: caseSource(head, lines)})
	require.NoError(t, err)
	at := func(i int) uint64 {
		s, ok := obj.Lookup(fmt.Sprintf("case_%d", i))
		require.True(t, ok)
		return s.Addr - asm.DefaultBase
	}
	for i, l := range lines {
		out[l] = outcome{hex: hex.EncodeToString(obj.Sections[0].Data[at(i):at(i+1)])}
	}
	return out
}

var asMessage = regexp.MustCompile(`^[^:]*:(\d+): (Error|Warning): (.*)`)

// gnu assembles the lines in one run of as, and in a second one without those
// that it refused.
func gnu(t *testing.T, head string, lines []string) map[string]outcome {
	t.Helper()
	out := map[string]outcome{}
	good := lines
	dir := t.TempDir()
	src, o, exe := filepath.Join(dir, "t.s"), filepath.Join(dir, "t.o"), filepath.Join(dir, "t")
	for {
		require.NoError(t, os.WriteFile(src, caseSource(head, good), 0o666))
		said, err := exec.Command("as", "--64", "-o", o, src).CombinedOutput()
		var next []string
		bad := map[int]bool{}
		for _, l := range strings.Split(string(said), "\n") {
			m := asMessage.FindStringSubmatch(l)
			if m == nil {
				continue
			}
			n, _ := strconv.Atoi(m[1])
			n -= 1 + strings.Count(head, "\n")
			if n >= len(good) {
				continue
			}
			if m[2] == "Error" {
				bad[n] = true
				out[good[n]] = outcome{refuse: m[3]}
			} else if err == nil {
				out[good[n]] = outcome{warn: m[3]}
			}
		}
		if err == nil {
			break
		}
		require.NotEmpty(t, bad, string(said))
		for i, l := range good {
			if !bad[i] {
				next = append(next, l)
			}
		}
		good = next
	}
	said, err := exec.Command("ld", "--noinhibit-exec", "-Ttext=0x100000", "-e", "0", "-o", exe, o).CombinedOutput()
	require.NoError(t, err, string(said))
	f, err := elf.Open(exe)
	require.NoError(t, err)
	defer f.Close()
	text, err := f.Section(".text").Data()
	require.NoError(t, err)
	syms, err := f.Symbols()
	require.NoError(t, err)
	at := map[string]uint64{}
	for _, s := range syms {
		at[s.Name] = s.Value - asm.DefaultBase
	}
	for i, l := range good {
		x := out[l]
		x.hex = hex.EncodeToString(text[at[fmt.Sprintf("case_%d", i)]:at[fmt.Sprintf("case_%d", i+1)]])
		out[l] = x
	}
	return out
}

func haveGNU() bool {
	_, err := exec.LookPath("as")
	_, err2 := exec.LookPath("ld")
	return err == nil && err2 == nil
}

// normal is the text of the one instruction that the bytes are, or "" if they
// are not one.
func normal(code string) string {
	b, err := hex.DecodeString(code)
	if err != nil || len(b) == 0 || len(b) > 15 {
		return ""
	}
	var buf [16]byte
	copy(buf[:], b)
	op := cpu.Decode(buf[:15], asm.DefaultBase)
	text := op.Format(asm.DefaultBase, nil)
	if int(op.Len) != len(b) || strings.HasPrefix(text, "(") {
		return ""
	}
	return text
}

// compareRandom holds both assemblers' answers to the same lines against each
// other and returns the bytes of the lines that both take.
func compareRandom(t *testing.T, head string, lines []string) map[string]string {
	t.Helper()
	a, b := ours(t, head, lines), gnu(t, head, lines)
	var both, loose []string
	refused := 0
	for _, l := range lines {
		x, y := a[l], b[l]
		switch {
		case x.refuse != "" && y.refuse != "":
			refused++
		case x.refuse != "" && stricter(l, x.refuse, y):
		case x.refuse != "":
			t.Errorf("%s: GNU as gives %s, ours refuses: %s", l, y.hex, x.refuse)
		case y.refuse == "":
			both = append(both, l)
		case strings.Contains(y.refuse, "size mismatch") && sizeless(l) != l:
			loose = append(loose, l)
		case !looser[l]:
			t.Errorf("%s: ours gives %s, GNU as refuses: %s", l, x.hex, y.refuse)
		}
	}
	compareSizeless(t, head, loose)
	a, b = oursTogether(t, head, both), gnu(t, head, both)
	out := map[string]string{}
	for _, l := range both {
		x, y := a[l].hex, b[l].hex
		if out[l] = y; x == y {
			continue
		}
		if n := normal(x); n == "" || n != normal(y) {
			t.Errorf("%s: GNU as gives %s, ours %s", l, y, x)
		} else {
			t.Logf("%s: GNU as gives %s, ours %s, which is the same", l, y, x)
		}
	}
	t.Logf("%d lines: %d with equal bytes, %d refused by both", len(lines), len(both), refused)
	return out
}

var sizePtr = regexp.MustCompile(`(?i)\b[a-z]+ ptr `)

func sizeless(line string) string { return sizePtr.ReplaceAllString(line, "") }

// compareSizeless: where a memory operand has but one size, GNU as wants its
// PTR to be right; here it does not matter, and the bytes are those of the line
// without it.
func compareSizeless(t *testing.T, head string, lines []string) {
	t.Helper()
	var without []string
	for _, l := range lines {
		without = append(without, sizeless(l))
	}
	a, b := ours(t, head, without), gnu(t, head, without)
	for i, l := range without {
		if b[l].refuse != "" || a[l].hex != b[l].hex {
			t.Errorf("%s: GNU as gives %s%s without PTR, ours %s", lines[i], b[l].hex, b[l].refuse, a[l].hex)
		}
	}
}

// looser are the instructions that only this package has: nop5 is the kernel's
// name for the no-op that a jump label overwrites.
var looser = map[string]bool{"nop5": true, "sysexit": true}

// stricter says whether ours may refuse what GNU as takes: a value that does
// not fit, where GNU as cuts it off, mostly with a warning; and AMD's TBM form
// of BEXTR, which the table does not have.
func stricter(line, why string, gnu outcome) bool {
	cut := strings.Contains(why, "out of range") || strings.Contains(why, "does not fit into")
	return cut || strings.HasPrefix(line, "bextr") && strings.Contains(line, "$")
}

// TestRandomGNU compares 20,000 random instructions in AT&T syntax, and fewer
// in Intel syntax, with the GNU as of this machine.
func TestRandomGNU(t *testing.T) {
	if !haveGNU() {
		t.Skip("SKIPPED: GNU as and ld are not installed; TestRandomStored has stored bytes")
	}
	n := 20000
	if testing.Short() {
		n = 2000
	}
	t.Run("att", func(t *testing.T) { compareRandom(t, "", asm.RandomLines(1, n)) })
	t.Run("intel", func(t *testing.T) { compareRandom(t, ".intel_syntax noprefix\n", asm.RandomIntelLines(2, n/2)) })
}

// TestRandomStored compares with bytes that GNU as 2.40 gave to four thousand
// of those lines, where it is not installed too; -update rewrites them.
func TestRandomStored(t *testing.T) {
	for _, c := range []struct {
		file, head string
		lines      []string
	}{
		{"testdata/random.golden", "", asm.RandomLines(3, 3200)},
		{"testdata/random-intel.golden", ".intel_syntax noprefix\n", asm.RandomIntelLines(4, 1100)},
	} {
		if *asm.Update {
			var b strings.Builder
			got := compareRandom(t, c.head, c.lines)
			for _, l := range c.lines {
				if code, ok := got[l]; ok {
					fmt.Fprintf(&b, "%s\t%s\n", code, l)
				}
			}
			require.NoError(t, os.WriteFile(c.file, []byte(b.String()), 0o666))
		}
		text, err := os.ReadFile(c.file)
		require.NoError(t, err)
		var lines []string
		want := map[string]string{}
		for _, row := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
			code, l, _ := strings.Cut(row, "\t")
			want[l] = code
			lines = append(lines, l)
		}
		require.Greater(t, len(lines), 1000)
		got := ours(t, c.head, lines)
		for _, l := range lines {
			if got[l].hex != want[l] {
				t.Errorf("%s: GNU as gives %s, ours %s%s", l, want[l], got[l].hex, got[l].refuse)
			}
		}
	}
}
