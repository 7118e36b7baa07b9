package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadme runs the examples of the README.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("make readme runs the examples")
	}
	runExamples(t, "../README.md")
}

// runExamples runs the examples of a text. In a ```console block a line that
// begins with "$ " is a command; what follows, up to the next one, is what it
// prints. With -update the text is given the present output.
func runExamples(t *testing.T, name string) {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	var out []string
	inside, commands := false, 0
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console\n"
			out = append(out, line)
		case !inside:
			out = append(out, line)
		case strings.HasPrefix(line, "$ "):
			commands++
			out = append(out, line, shell(t, strings.TrimSpace(line[2:])))
		}
	}
	require.NotZero(t, commands)
	got := strings.Join(out, "")
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
		return
	}
	assert.Equal(t, string(text), got, "%s shows other output than its commands give (make update)", name)
}

// TestReadmeFirstScreen: the two commands stand at the top.
func TestReadmeFirstScreen(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	top := strings.Join(strings.SplitAfter(string(text), "\n")[:15], "")
	assert.Contains(t, top, "go run ./cmd/spinlab run ticket-pv-kvm")
	assert.Contains(t, top, "make test")
}

// shell runs a command line in the repository with spinlab on the path.
func shell(t *testing.T, line string) string {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Stderr = os.Stderr
	b, err := cmd.Output()
	require.NoError(t, err, line)
	return string(b)
}
