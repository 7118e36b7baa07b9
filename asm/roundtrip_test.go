package asm_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/asm"
	"spinlab/cpu"
)

// TestNormalForm: what an instruction disassembles to assembles again, to the
// same text, and to the same bytes unless the first ones said the same in
// more: a prefix without effect, a wide field for a small number.
func TestNormalForm(t *testing.T) {
	n := 6000
	if testing.Short() {
		n = 1500
	}
	lines := asm.RandomLines(5, n)
	first := ours(t, "", lines)
	code := map[string]string{} // by text
	var texts []string
	foreign := 0
	for _, l := range lines {
		x := first[l]
		if x.refuse != "" {
			continue
		}
		text, known := disassemble(t, l, x.hex)
		if !known {
			foreign++
			continue
		}
		if _, seen := code[text]; !seen {
			texts = append(texts, text)
		}
		code[text] = x.hex
	}
	require.Less(t, foreign, len(lines)/6, "instructions that the core does not know")
	second := ours(t, "", texts)
	equal := 0
	for _, text := range texts {
		old, got := code[text], second[text]
		if got.refuse != "" {
			t.Errorf("%s (%s): %s", text, old, got.refuse)
			continue
		}
		again, _ := disassemble(t, text, got.hex)
		switch {
		case withoutComment(again) != withoutComment(text):
			t.Errorf("%s: %s, but then %s: %s", old, text, got.hex, again)
		case got.hex == old:
			equal++
		case len(got.hex) > len(old), len(got.hex) == len(old) && !lockMoved(old, got.hex):
			t.Errorf("%s: %s, but then %s", old, text, got.hex)
		}
	}
	require.Greater(t, equal, len(texts)*9/10)
	t.Logf("%d texts, %d with the same bytes", len(texts), equal)
}

// unsized are texts that do not say all: the core models neither a far return
// nor a difference between WBINVD and WBNOINVD.
var unsized = map[string]bool{"lret": true, "wbinvd": true}

// disassemble writes the one instruction that the bytes are; false means that
// the core has no row for it.
func disassemble(t *testing.T, line, code string) (string, bool) {
	t.Helper()
	b, err := hex.DecodeString(code)
	require.NoError(t, err)
	var buf [16]byte
	copy(buf[:], b)
	op := cpu.Decode(buf[:15], asm.DefaultBase)
	text := op.Format(asm.DefaultBase, nil)
	if name, _, _ := strings.Cut(text, " "); op.Mn == cpu.UNMODELLED || unsized[name] {
		return "", false
	}
	require.Equal(t, len(b), int(op.Len), "%s: %s: %s", line, code, text)
	return text, true
}

// withoutComment drops the address behind a RIP-relative operand: it depends
// on the instruction's length.
func withoutComment(text string) string {
	text, _, _ = strings.Cut(text, "  #")
	return text
}

// lockMoved: LOCK as a statement of its own comes before the 66, where the
// same in one statement puts it behind.
func lockMoved(a, b string) bool {
	return strings.HasPrefix(a, "f0") && strings.Replace(b, "f0", "", 1) == a[2:]
}
