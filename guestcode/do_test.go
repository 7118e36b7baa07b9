package guestcode

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/asm"
)

// What is no sequence says where and why.
func TestSequenceErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":      "an empty sequence",
		"*":     "an empty sequence",
		"A":     "lock A is never released",
		"A*":    "lock A is never released",
		"a":     "letter 1: a releases a lock that is not held",
		"Ab":    "letter 2: b releases",
		"AAaa":  "letter 2: lock A is taken, and held already",
		"T":     "without a lock behind it",
		"TTAa":  `letter 2: "T"`,
		"Ta":    `letter 2: "a"`,
		"Ii":    `letter 1: "I"`,
		"A-a":   `letter 2: "-"`,
		"A*a":   `letter 2: "*"`,
		"TABab": "overlap",
		"TABba": "a take inside the try of A: give tries only (TB)",
		"ATBab": "overlap",
	} {
		_, err := parseSequence(text)
		assert.ErrorContains(t, err, want, text)
	}
	for _, text := range []string{"Aa", "ABba", "ABab", "TAa", "WAAa", "AWAa", "TATBba", "HhTGg*"} {
		_, err := parseSequence(text)
		assert.NoError(t, err, text)
	}
}

// The counters must add up to the takes that are certain; the others the guest
// counts.
func TestLockProgramCounts(t *testing.T) {
	p, err := Build(must(Lookup("ticket")), Config{VCPUs: 3, Do: []string{"AaBb", "ABba", "TCcAa"}, Handlers: []Handler{{VCPU: 1, Do: "Dd"}}})
	require.NoError(t, err)
	assert.Equal(t, uint64(5), p.Want)
	assert.Equal(t, []uint64{Counter(0), Counter(1), Counter(2), Counter(3)}, p.Counters)
	assert.Equal(t, []uint64{PerCPU(0) + PerCPUTakes, PerCPU(1) + PerCPUTakes, PerCPU(2) + PerCPUTakes}, p.Takes)
	assert.Equal(t, []uint8{0x20}, p.Vectors)
	assert.Zero(t, p.Acquire, "the loop of the harness is not linked")

	p, err = Build(must(Lookup("ticket")), Config{VCPUs: 2, Do: []string{"Aa*", "Bb"}})
	require.NoError(t, err)
	assert.True(t, p.Endless)
	assert.Empty(t, p.Counters, "what never ends counts nothing")

	p, err = Build(must(Lookup("ticket")), Config{VCPUs: 2, Iters: 3, Handlers: []Handler{{VCPU: 0, Do: "Bb"}, {VCPU: 1, Do: "Cc"}, {VCPU: 1, Do: "Bb"}, {VCPU: 1, NMI: true, Do: "Dd"}}})
	require.NoError(t, err)
	assert.Equal(t, uint64(6), p.Want)
	assert.Equal(t, []uint8{0x20, 0x21, 0x20, 2}, p.Vectors, "equal handlers are one")
	assert.NotZero(t, p.Acquire)
}

func must(v Variant, _ bool) Variant { return v }

func TestLockProgramErrors(t *testing.T) {
	for _, x := range []struct {
		variant string
		c       Config
		want    string
	}{
		{"ticket", Config{VCPUs: 2, Do: []string{"Aa"}}, "1 sequences for 2 vCPUs"},
		{"ticket", Config{VCPUs: 1, Do: []string{"Aa"}, Handlers: []Handler{{Do: "Bb*"}}}, "never returns"},
		{"ticket", Config{VCPUs: 1, Do: []string{"Aa"}, Handlers: []Handler{{NMI: true, Do: "Bb"}, {NMI: true, Do: "Cc"}}}, "two NMI handlers of vCPU 0"},
	} {
		_, err := Build(must(Lookup(x.variant)), x.c)
		assert.ErrorContains(t, err, x.want)
	}
	bare := asm.Source{Name: "p.s", Text: []byte(".globl spin_lock, spin_unlock\nspin_lock: ret\nspin_unlock: ret\n")}
	for text, want := range map[string]string{"TAa": "spin_trylock", "WA": "spin_unlock_wait"} {
		_, err := BuildSource(Config{VCPUs: 1, Do: []string{text}}, bare)
		assert.ErrorContains(t, err, want)
	}
	_, err := BuildSource(Config{VCPUs: 1, Do: []string{"Aa"}}, asm.Source{Name: "p.s", Text: []byte(".globl vcpu_main\nvcpu_main: hlt\n")})
	assert.ErrorContains(t, err, "vcpu_main of its own")
}
