package asm

import (
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzAssemble: whatever the source, the answer is an object or an ErrorList.
func FuzzAssemble(f *testing.F) {
	for _, file := range []string{"directives.s", "relax.s", "ticketlock.s", "instructions.txt"} {
		text, err := os.ReadFile("testdata/" + file)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, src string) { requireOrderly(t, src) })
}

func requireOrderly(t *testing.T, src string) {
	t.Helper()
	obj, err := assemble(src)
	if err != nil {
		require.IsType(t, ErrorList{}, err)
		require.NotEmpty(t, err)
		return
	}
	for _, l := range obj.Lines {
		require.Positive(t, l.Len)
	}
}

// TestMutations damages the good sources in small ways, a fixed number of
// times, so that every run covers some of what the fuzzer finds.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var lines []string
	for _, file := range []string{"directives.s", "ticketlock.s", "instructions.txt"} {
		text, err := os.ReadFile("testdata/" + file)
		require.NoError(t, err)
		lines = append(lines, strings.Split(string(text), "\n")...)
	}
	pieces := []string{"%", "$", "(", ")", ",", "*", "\\", "\"", "'", ":", ";", "1b", "1f", "lock ", "rep ", ".", "-", "%rsp", "%ah", "0x", "\n", "@", "=", "{", "\x00", "\xff"}
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
