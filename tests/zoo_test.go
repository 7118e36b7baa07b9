package tests

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/guestcode"
)

// verdict is what check -o json says.
type verdict struct {
	Verdict  string
	Property string
	States   int
	Message  string
	Trace    []struct{ Action, Text, Symbol string }
}

// checked runs spinlab check with args in words and reads its verdict.
func checked(t *testing.T, words string) verdict {
	t.Helper()
	args := append([]string{"check", "-o", "json"}, strings.Fields(words)...)
	out, stderr, code := spinlab(t, nil, args...)
	var v verdict
	require.NoError(t, json.Unmarshal(out, &v), "%s: exit code %d, %s", words, code, stderr)
	want := map[string]int{"holds": 0, "violated": 1, "bounded": 3}
	assert.Equal(t, want[v.Verdict], code, "%s: the exit code of %s", words, v.Verdict)
	if v.Verdict == "violated" {
		assert.NotEmpty(t, v.Trace, "%s: a violation has a trace", words)
		return v
	}
	assert.Empty(t, v.Trace, words)
	return v
}

// Every row of the table of variants gives its verdict when it is checked as the
// row says.
func TestVariantTable(t *testing.T) {
	for _, v := range guestcode.Variants() {
		t.Run(v.Name, func(t *testing.T) {
			got := checked(t, v.Name+" "+v.Check)
			if v.Verdict == guestcode.VerdictHolds {
				assert.Equal(t, "holds", got.Verdict, got.Message)
				return
			}
			assert.Equal(t, v.Verdict, got.Property, got.Message)
		})
	}
}
