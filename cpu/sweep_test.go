package cpu

import (
	"bufio"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// realInsn is an instruction of a real program as objdump sees it.
type realInsn struct {
	addr uint64
	code []byte
	text string
}

// realPrograms are big binaries that a Linux host usually has.
func realPrograms() (paths []string) {
	for _, glob := range []string{"/bin/bash", "/lib*/*/libc.so.6", "/lib64/libc.so.6", "/usr/lib/libc.so.6"} {
		found, _ := filepath.Glob(glob)
		for _, path := range found {
			real, err := filepath.EvalSymlinks(path)
			if err == nil && !slices.Contains(paths, real) && isX8664(real) {
				paths = append(paths, real)
			}
		}
	}
	return paths
}

// isX8664 looks at the ELF header: class 2 and machine 62.
func isX8664(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var h [20]byte
	_, err = f.Read(h[:])
	return err == nil && string(h[:5]) == "\x7fELF\x02" && h[18] == 62
}

// disassemble calls visit for every instruction of .text.
func disassemble(t testing.TB, path string, visit func(realInsn)) {
	cmd := exec.Command("objdump", "-d", "-w", "-z", "-j", ".text", path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	in := bufio.NewScanner(out)
	for in.Scan() {
		f := strings.Split(in.Text(), "\t")
		if len(f) < 3 {
			continue
		}
		addr, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(f[0]), ":"), 16, 64)
		require.NoError(t, err, in.Text())
		code, err := hex.DecodeString(strings.ReplaceAll(f[1], " ", ""))
		require.NoError(t, err, in.Text())
		visit(realInsn{addr, code, f[2]})
	}
	require.NoError(t, in.Err())
	require.NoError(t, cmd.Wait())
}

// dumpPrefixes is what objdump writes before a mnemonic.
var dumpPrefixes = map[string]bool{"lock": true, "rep": true, "repz": true, "repnz": true, "repe": true, "repne": true,
	"bnd": true, "notrack": true, "data16": true, "addr32": true, "cs": true, "ds": true, "es": true, "ss": true, "fs": true,
	"gs": true, "xacquire": true, "xrelease": true}

func mnemonicOf(text string) string {
	for _, word := range strings.Fields(text) {
		if word, _, _ = strings.Cut(word, ","); !dumpPrefixes[word] && !strings.HasPrefix(word, "rex") {
			return word
		}
	}
	return ""
}

// sameMnemonic allows a size suffix on one side and the names that differ.
func sameMnemonic(ours, theirs string) bool {
	if ours == "nop" && theirs == "xchg" { // XCHG of a register with itself
		return true
	}
	long, short := ours, theirs
	if len(long) < len(short) {
		long, short = short, long
	}
	more, ok := strings.CutPrefix(long, short)
	return ok && len(more) <= 1 && strings.Contains("bwlq", more)
}

// sampleOf is the step through real programs: -short looks at 1 in 50.
func sampleOf() int {
	if testing.Short() {
		return 50
	}
	return 1
}

// TestRealCode decodes every instruction of real programs. What is not
// modelled must still have the right length, for the listing goes on behind it.
func TestRealCode(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole C library")
	}
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Skipf("SKIPPED: needs objdump: %v", err)
	}
	paths := realPrograms()
	if len(paths) == 0 {
		t.Skip("SKIPPED: found neither bash nor a libc for x86-64")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { sweep(t, path) })
	}
}

func sweep(t *testing.T, path string) {
	seen, foreign, wrong := 0, map[string]int{}, 0
	disassemble(t, path, func(in realInsn) {
		if seen++; seen%sampleOf() != 0 || wrong > 50 {
			return
		}
		theirs := mnemonicOf(in.text)
		if theirs == "(bad)" || len(in.code) > maxLen {
			return
		}
		var b [maxLen]byte
		copy(b[:], in.code)
		o := Decode(b[:], in.addr)
		text := o.Format(in.addr, nil)
		ok := assert.Equal(t, len(in.code), int(o.Len), "length")
		if o.Mn == UNMODELLED {
			foreign[theirs]++
		} else {
			ok = assert.True(t, sameMnemonic(mnemonicOf(text), theirs), "mnemonic") && ok
		}
		if !ok {
			wrong++
			t.Logf("%#x: % x is %q, not %q", in.addr, in.code, in.text, text)
		}
	})
	n := 0
	for _, k := range foreign {
		n += k
	}
	t.Logf("%s: %d instructions, %d not modelled (%d mnemonics)", path, seen, n, len(foreign))
}

// TestRealCodeReadsBack lets GNU as read our text of real code again.
func TestRealCodeReadsBack(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole C library")
	}
	for _, tool := range []string{"objdump", "as", "objcopy"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: needs GNU %s: %v", tool, err)
		}
	}
	for _, path := range realPrograms() {
		var src strings.Builder
		var ops []Op
		var at []uint64
		seen := 0
		known := map[string]bool{}
		disassemble(t, path, func(in realInsn) {
			if seen++; seen%sampleOf() != 0 {
				return
			}
			var b [maxLen]byte
			copy(b[:], in.code)
			o := Decode(b[:], in.addr)
			if o.Mn == BAD || o.Mn == UNMODELLED {
				return
			}
			if line := asText(o, in.addr); !known[line] {
				known[line] = true
				src.WriteString(line + "\n")
				ops, at = append(ops, o), append(at, in.addr)
			}
		})
		readBack(t, src.String(), ops, func(i int) uint64 { return at[i] })
		t.Logf("%s: %d different lines", path, len(ops))
	}
}

// BenchmarkDecode decodes libc's or bash's .text.
func BenchmarkDecode(b *testing.B) {
	paths := realPrograms()
	if _, err := exec.LookPath("objdump"); err != nil || len(paths) == 0 {
		b.Skip("SKIPPED: needs objdump and a real program")
	}
	var text []byte
	var at []int
	disassemble(b, paths[len(paths)-1], func(in realInsn) {
		at = append(at, len(text))
		text = append(text, in.code...)
	})
	text = append(text, make([]byte, maxLen)...)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		pos := at[i%len(at)]
		o := Decode(text[pos:pos+maxLen], uint64(pos))
		if o.Len == 0 {
			b.Fatal("no length")
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "instr/s")
}
