package tests

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/locktest/spin"
)

const scriptsDoc = "../docs/scripts.md"

// TestReadmeScripts runs the examples of docs/scripts.md: its console blocks,
// and every ```spin block as a script that must pass. With -update they are
// given the present output.
func TestReadmeScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("examples")
	}
	text, err := os.ReadFile(scriptsDoc)
	require.NoError(t, err)
	parts := strings.Split(string(text), "```")
	scripts := 0
	for i := 1; i < len(parts); i += 2 {
		body, ok := strings.CutPrefix(parts[i], "spin\n")
		if !ok {
			continue
		}
		scripts++
		line := strings.Count(strings.Join(parts[:i], "```"), "\n") + 1
		parts[i] = "spin\n" + exampleScript(t, line, body)
	}
	require.NotZero(t, scripts)
	if *update {
		require.NoError(t, os.WriteFile(scriptsDoc, []byte(strings.Join(parts, "```")), 0o644))
	}
	runExamples(t, scriptsDoc)
}

// exampleScript runs one block, as a script in tests/spin, and returns it with
// its present output.
func exampleScript(t *testing.T, line int, body string) string {
	s, err := spin.Parse("spin/example.spin", []byte(body))
	require.NoError(t, err, "%s:%d", scriptsDoc, line)
	results := s.Run(&spin.Config{Compile: func(file string, flags []string) ([]byte, error) {
		return spin.CompileC(t.Context(), file, flags)
	}})
	for _, r := range results {
		what := fmt.Sprintf("%s:%d: %s", scriptsDoc, line+r.Item.Line, r.Item.Text)
		switch {
		case r.Status == spin.Skip:
			t.Log(what, r.Message)
		case r.Status == spin.Fail && *update && r.Item.Golden():
		default:
			assert.Equal(t, spin.Pass, r.Status, "%s\n%s%s", what, r.Message, r.Diff)
		}
	}
	return string(s.Update(results))
}

// TestReadmeScriptsIsComplete: every command and every metric is in the text.
func TestReadmeScriptsIsComplete(t *testing.T) {
	b, err := os.ReadFile(scriptsDoc)
	require.NoError(t, err)
	text := string(b)
	for _, c := range spin.Commands() {
		name, _, _ := strings.Cut(c.Usage, " ")
		assert.True(t, strings.Contains(text, "`"+name) || strings.Contains(text, "### "+name), name)
	}
	for _, name := range append(spin.Flags(), spin.Properties()...) {
		assert.True(t, strings.Contains(text, name), name)
	}
}
