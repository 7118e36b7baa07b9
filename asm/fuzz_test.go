package asm

import (
	"bytes"
	"debug/elf"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzAssemble: whatever the source, the answer is an object or an ErrorList,
// for an image and for a relocatable object alike.
func FuzzAssemble(f *testing.F) {
	for _, text := range fuzzSeeds(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, src string) { requireOrderly(t, src) })
}

// fuzzSeeds are whole sources of every kind, and single lines in both
// syntaxes.
func fuzzSeeds(t require.TestingT) []string {
	var out []string
	for _, pattern := range []string{"testdata/*.s", "testdata/clang/*.s", "testdata/gcc/kernel.O2.s", "testdata/gcc/mcs.O2-g-pic.s", "testdata/gcc/seqlock.O0-pic-intel.s"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			out = append(out, string(text))
		}
	}
	text, err := os.ReadFile("testdata/instructions.txt")
	require.NoError(t, err)
	out = append(out, string(text), everySection, startCode)
	out = append(out, RandomLines(6, 60)...)
	for _, l := range RandomIntelLines(6, 60) {
		out = append(out, ".intel_syntax noprefix\n"+l)
	}
	return out
}

func requireOrderly(t *testing.T, src string) {
	t.Helper()
	obj, err := assemble(src)
	requireErrorList(t, err)
	if err == nil {
		for _, l := range obj.Lines {
			require.Positive(t, l.Len)
		}
	}
	file, err := AssembleObject(Options{}, Source{Name: "t.s", Text: []byte(src)})
	requireErrorList(t, err)
	if err == nil {
		f, err := elf.NewFile(bytes.NewReader(file))
		require.NoError(t, err)
		_, err = f.Symbols()
		require.NoError(t, err)
	}
}

func requireErrorList(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		require.IsType(t, ErrorList{}, err)
		require.NotEmpty(t, err)
	}
}

// TestMutations damages the good sources in small ways, a fixed number of
// times, so that every run covers some of what the fuzzer finds.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var lines []string
	for _, file := range []string{"directives.s", "kernel.s", "intel.s", "ticketlock.s", "instructions.txt", "gcc/mcs.O2-g-pic.s", "clang/rwlock.O2-intel.s"} {
		text, err := os.ReadFile("testdata/" + file)
		require.NoError(t, err)
		lines = append(lines, strings.Split(string(text), "\n")...)
	}
	pieces := []string{"%", "$", "(", ")", ",", "*", "\\", "\"", "'", ":", ";", "1b", "1f", "lock ", "rep ", ".", "-", "%rsp", "%ah", "0x", "\n", "@", "@GOTPCREL", "@tpoff", "[", "]", "+", "*", "ptr ", "=", "{", "\x00", "\xff"}
	for range 3000 {
		var src []string
		for range 1 + r.Intn(5) {
			l := []byte(lines[r.Intn(len(lines))])
			for range r.Intn(4) {
				if len(l) == 0 {
					break
				}
				at := r.Intn(len(l))
				l = append(l[:at:at], append([]byte(pieces[r.Intn(len(pieces))]), l[at+r.Intn(2):]...)...)
			}
			src = append(src, string(l))
		}
		requireOrderly(t, strings.Join(src, "\n"))
	}
}

// BenchmarkTicketLock is the time for a source of the usual size.
func BenchmarkTicketLock(b *testing.B) {
	text, err := os.ReadFile("testdata/ticketlock.s")
	require.NoError(b, err)
	for b.Loop() {
		_, err := Assemble(Options{}, Source{Name: "t.s", Text: text})
		require.NoError(b, err)
	}
}
