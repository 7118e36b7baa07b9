package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spinRow is a command in the JSON of spinlab test.
type spinRow struct{ Script, Name, Status, Message, Diff, Repeat string }

// spinTest runs scripts and returns a row for each command.
func spinTest(t *testing.T, args ...string) (rows []spinRow, code int) {
	t.Helper()
	args = append([]string{"test", "-o", "json"}, args...)
	out, stderr, code := spinlab(t, nil, args...)
	require.NoError(t, json.Unmarshal(out, &rows), "%s", stderr)
	return rows, code
}

// TestSpinGolden runs every script in spin/. With -update their expected output is
// rewritten.
func TestSpinGolden(t *testing.T) {
	t.Parallel()
	args := []string{"spin"}
	if testing.Short() {
		args = append(args, "--short")
	}
	if *update {
		args = append(args, "-update")
	}
	rows, _ := spinTest(t, args...)
	scripts := map[string]bool{}
	for _, r := range rows {
		scripts[r.Script] = true
		t.Run(filepath.Base(r.Script)+"/"+r.Name, func(t *testing.T) {
			switch r.Status {
			case "pass":
			case "skip":
				t.Skip(r.Message)
			default:
				t.Errorf("%s%s\nrepeat: cd tests && %s", r.Message, r.Diff, r.Repeat)
			}
		})
	}
	files, err := filepath.Glob("spin/*.spin")
	require.NoError(t, err)
	assert.Len(t, scripts, len(files), "every script has tests")
	assert.GreaterOrEqual(t, len(files), 30)
}

// TestSpinCatchesChanges: the first line of every expected block is changed, and
// every one of these commands must fail: no block is there only for show.
func TestSpinCatchesChanges(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("every script once for each of its blocks")
	}
	files, err := filepath.Glob("spin/*.spin")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "spin", "testdata"), os.DirFS("spin/testdata")))
	changed := map[string]int{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		name := filepath.Join(dir, f)
		bad, n := spoilExpected(string(text))
		require.NoError(t, os.WriteFile(name, []byte(bad), 0o644))
		changed[name] = n
	}
	rows, code := spinTest(t, "--short", filepath.Join(dir, "spin"))
	assert.NotZero(t, code)
	for _, r := range rows {
		if r.Status == "fail" && r.Diff != "" {
			changed[r.Script]--
		}
	}
	for name, left := range changed {
		if filepath.Base(name) != "litmus-file.spin" { // its tests lie elsewhere
			assert.Zero(t, left, "%s: expected blocks that nobody compares", name)
		}
	}
}

// spoilExpected adds a word to the first line of every expected block, and says
// how many there are.
func spoilExpected(text string) (string, int) {
	n := strings.Count(text, "\n----\n")
	return strings.ReplaceAll(text, "\n----\n", "\n----\nspoiled "), n
}
