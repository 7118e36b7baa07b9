package tests

import (
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	tutorial   = "../docs/tutorial.md"
	ciExample  = "../docs/ci-example.yml"
	ciWorkflow = ".github/workflows/locks.yml" // its place in a user's repository
)

// gccStandIn gives the stored object of a source. With it the tutorial needs no
// compiler, and has the same output everywhere.
const gccStandIn = `#!/bin/sh
out=ticket.o
while [ $# -gt 0 ]; do
	case $1 in
	-o) out=$2; shift ;;
	*.c) file=$1 ;;
	esac
	shift
done
for d in "$STORED"/*/; do
	cmp -s "$file" "$d/ticket.c" && exec cp "$d/ticket.o" "$out"
done
echo "no object of this $file is stored: see tests/testdata/tutorial/Makefile" >&2
exit 1
`

// TestReadmeTutorial plays the tutorial with the stored objects. With -update it
// is given the present output.
func TestReadmeTutorial(t *testing.T) {
	text, err := os.ReadFile(tutorial)
	require.NoError(t, err)
	got := newSession(t, standIn(t)).play(t, string(text))
	if *update {
		require.NoError(t, os.WriteFile(tutorial, []byte(got), 0o644))
		return
	}
	assert.Equal(t, string(text), got, "%s shows other output than its commands give (make update)", tutorial)
}

// TestReadmeTutorialWithGCC plays it with the compiler that is here. The one that
// made the stored objects must give every byte of the text, others the verdicts
// and exit codes.
func TestReadmeTutorialWithGCC(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("SKIPPED: gcc is not installed, so the tutorial is played with its stored objects only")
	}
	text, err := os.ReadFile(tutorial)
	require.NoError(t, err)
	s := newSession(t)
	got := s.play(t, string(text))
	assert.Equal(t, gist(string(text)), gist(got), "verdicts and exit codes")
	here, stored := compilerOf(t, filepath.Join(s.dir, "ticket.o")), compilerOf(t, "testdata/tutorial/sound/ticket.o")
	if here != stored {
		t.Skipf("SKIPPED: the compiler here is %q, the tutorial shows the code of %q: only verdicts and exit codes were compared", here, stored)
	}
	assert.Equal(t, string(text), got, "%s shows other output than gcc's code gives", tutorial)
}

// standIn is a folder for the path with gccStandIn in it.
func standIn(t *testing.T) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gcc"), []byte(gccStandIn), 0o755))
	stored, err := filepath.Abs("testdata/tutorial")
	require.NoError(t, err)
	t.Setenv("STORED", stored)
	return dir
}

// gist is what does not depend on the compiler: the tokens of verdicts.
func gist(text string) []string {
	return regexp.MustCompile(`exit code \d|violated: \w+|\bholds\b`).FindAllString(text, -1)
}

// compilerOf is what a compiler says of itself in an object, "" if nothing.
func compilerOf(t *testing.T, object string) string {
	f, err := elf.Open(object)
	require.NoError(t, err)
	defer f.Close()
	s := f.Section(".comment")
	if s == nil {
		return ""
	}
	b, err := s.Data()
	require.NoError(t, err)
	return strings.Trim(string(b), "\x00")
}

// session is a folder in which a text is played from top to bottom. A block
// ```LANGUAGE FILE is that file, ```diff FILE changes it, and the lines of
// ```console that begin with "$ " are commands, whose output follows them.
type session struct{ dir, path string }

// newSession puts the folders, and spinlab, before the path.
func newSession(t *testing.T, folders ...string) *session {
	t.Setenv("CC", "")
	folders = append(folders, filepath.Dir(binary), os.Getenv("PATH"))
	return &session{t.TempDir(), strings.Join(folders, string(os.PathListSeparator))}
}

// play returns the text with the present output.
func (s *session) play(t *testing.T, text string) string {
	parts := strings.Split(text, "```")
	commands := 0
	for i := 1; i < len(parts); i += 2 {
		info, body, _ := strings.Cut(parts[i], "\n")
		language, file, named := strings.Cut(info, " ")
		switch {
		case info == "console":
			var n int
			body, n = s.console(t, body)
			parts[i] = info + "\n" + body
			commands += n
		case named && language == "diff":
			s.patch(t, file, body)
		case named:
			s.write(t, file, body)
		}
	}
	require.NotZero(t, commands)
	return strings.Join(parts, "```")
}

func (s *session) write(t *testing.T, file, body string) {
	name := filepath.Join(s.dir, file)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(body), 0o644))
}

// patch replaces the lines with "-" and " " by those with "+" and " ".
func (s *session) patch(t *testing.T, file, diff string) {
	var before, after strings.Builder
	for line := range strings.Lines(diff) {
		mark, rest := line[0], line[1:]
		if line == "\n" { // an empty line of both that has lost its blank
			mark, rest = ' ', line
		}
		if mark != '+' {
			before.WriteString(rest)
		}
		if mark != '-' {
			after.WriteString(rest)
		}
	}
	text, err := os.ReadFile(filepath.Join(s.dir, file))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), before.String()), "%s has these lines once:\n%s", file, diff)
	s.write(t, file, strings.Replace(string(text), before.String(), after.String(), 1))
}

// console runs the commands of a block and returns it with their output, and how
// many they were. Output that differs only in its times stays as it is.
func (s *session) console(t *testing.T, body string) (string, int) {
	var out strings.Builder
	commands := strings.Split("\n"+body, "\n$ ")[1:]
	for _, c := range commands {
		line, old, _ := strings.Cut(c, "\n")
		if old != "" && !strings.HasSuffix(old, "\n") {
			old += "\n"
		}
		got := s.run(t, line)
		if timeless(got) == timeless(old) {
			got = old
		}
		out.WriteString("$ " + line + "\n" + got)
	}
	return out.String(), len(commands)
}

// timeless takes the time of a search out, and its memory, which grows in steps
// of the Go library.
func timeless(text string) string {
	return regexp.MustCompile(` \d+\.\d\d s, \d+ [KMG]iB \(\d+ bytes a state\)`).ReplaceAllString(text, " TIME")
}

// run gives what a terminal would show. A command whose failure is meant ends in
// echo.
func (s *session) run(t *testing.T, line string) string {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "PATH="+s.path)
	b, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", line, b)
	return string(b)
}

// workflow is what ci-example.yml must say, read as JSON: the places of a GitHub
// workflow that a typing error would take away without a word.
const workflow = `{
	"name": "locks",
	"on": ["push", "pull_request"],
	"permissions": {"contents": "read"},
	"jobs": {"locks": {
		"runs-on": "ubuntu-latest",
		"timeout-minutes": 10,
		"steps": [
			{"uses": "actions/checkout@v4"},
			{"uses": "actions/checkout@v4", "with": {"repository": "OWNER/spinlab", "path": ".spinlab"}},
			{"uses": "actions/setup-go@v5", "with": {"go-version-file": ".spinlab/go.mod", "cache-dependency-path": ".spinlab/go.sum"}},
			{"name": "install spinlab", "working-directory": ".spinlab", "run": "go install ./cmd/spinlab"},
			{"name": "test the locks", "run": "spinlab test ./... --junit locks.xml"},
			{"name": "keep the report", "if": "always()", "uses": "actions/upload-artifact@v4", "with": {"name": "locks", "path": "locks.xml"}}
		]
	}}
}`

// TestCIExample: the workflow is the YAML that is meant, the tutorial shows it,
// and its commands do what they should in the tutorial's folder: with the stored
// code they pass, with a lock that is broken they fail.
func TestCIExample(t *testing.T) {
	text, err := os.ReadFile(ciExample)
	require.NoError(t, err)
	assert.YAMLEq(t, workflow, string(text))
	bin := t.TempDir()
	s := newSession(t, bin, standIn(t))
	doc, err := os.ReadFile(tutorial)
	require.NoError(t, err)
	s.play(t, string(doc))
	shown, err := os.ReadFile(filepath.Join(s.dir, ciWorkflow))
	require.NoError(t, err)
	assert.Equal(t, string(text), string(shown), "%s and %s", tutorial, ciExample)
	if testing.Short() {
		return // it builds spinlab once more
	}

	root, err := filepath.Abs("..")
	require.NoError(t, err)
	t.Setenv("GOBIN", bin)
	steps := workflowSteps(t)
	require.Len(t, steps, 2)
	steps[0] = strings.Replace(steps[0], "cd .spinlab", "cd "+root, 1)
	(&session{s.dir, os.Getenv("PATH")}).run(t, steps[0]) // the go command may want a real gcc
	require.FileExists(t, filepath.Join(bin, "spinlab"))
	assert.Contains(t, s.run(t, steps[1]), "3 scripts: 10 passed")
	junit, err := os.ReadFile(filepath.Join(s.dir, "locks.xml"))
	require.NoError(t, err)
	assert.Equal(t, 3, strings.Count(string(junit), "<testsuite "))

	broken, err := os.ReadFile("testdata/tutorial/plain/ticket.c")
	require.NoError(t, err)
	s.write(t, "ticket.c", string(broken))
	got := s.run(t, steps[1]+`; echo "exit code $?"`)
	assert.Contains(t, got, "FAIL  fresh.spin")
	assert.Contains(t, got, "exit code 1")
}

// TestTutorialGo: the Go test of the tutorial passes in a module of its own, set
// up as the tutorial says, and fails once the lock is broken.
func TestTutorialGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test")
	}
	s := newSession(t, standIn(t))
	doc, err := os.ReadFile(tutorial)
	require.NoError(t, err)
	s.play(t, string(doc))
	_, setUp, ok := strings.Cut(string(doc), "```sh\ngo mod init")
	require.True(t, ok)
	setUp, _, _ = strings.Cut("go mod init"+setUp, "```")
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	// With the sums at hand, nothing is asked of a network if the modules of
	// Spinlab's own tests are in the cache.
	sums, err := os.ReadFile("../go.sum")
	require.NoError(t, err)
	s.write(t, "go.sum", string(sums))
	t.Setenv("CGO_ENABLED", "0") // the stand-in is no compiler
	s.run(t, strings.ReplaceAll(setUp, "./.spinlab", root))
	assert.Contains(t, s.run(t, "go test -v ./..."), "--- PASS: TestTicket/check_holds_2x2")

	broken, err := os.ReadFile("testdata/tutorial/plain/ticket.o")
	require.NoError(t, err)
	s.write(t, "ticket.o", string(broken))
	got := s.run(t, `go test ./...; echo "exit code $?"`)
	assert.Contains(t, got, "--- FAIL: TestTicket/check_holds_2x2")
	assert.Contains(t, got, "violated: exclusion")
	assert.Contains(t, got, "exit code 1")
}

// workflowSteps are the commands of the workflow.
func workflowSteps(t *testing.T) (list []string) {
	var w struct {
		Jobs map[string]struct{ Steps []map[string]any }
	}
	require.NoError(t, json.Unmarshal([]byte(workflow), &w))
	for _, step := range w.Jobs["locks"].Steps {
		line, ok := step["run"].(string)
		if dir, in := step["working-directory"].(string); in {
			line = "cd " + dir + " && " + line
		}
		if ok {
			list = append(list, line)
		}
	}
	return list
}
