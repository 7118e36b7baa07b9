// Package tests runs the built binary from end to end.
package tests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// binary is the spinlab under test, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "spinlab")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "spinlab")
	build := exec.Command("go", "build", "-o", binary, "spinlab/cmd/spinlab")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		return 1
	}
	return m.Run()
}

// scriptLimit bounds all scripts together; they take seconds.
const scriptLimit = 2 * time.Minute

// TestScripts runs scripts/*.txt; $OBJ and $C are the folders of prebuilt objects
// and of their sources. Besides testscript's own commands they have
//
//	exits CODE PROGRAM ARGS…   the program ends with exactly this code
//	lines N FILE               the file has that many lines
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:      "scripts",
		Deadline: time.Now().Add(scriptLimit),
		Setup: func(env *testscript.Env) error {
			for name, dir := range map[string]string{"OBJ": "testdata/obj", "C": "testdata/c"} {
				abs, err := filepath.Abs(dir)
				if err != nil {
					return err
				}
				env.Setenv(name, abs)
			}
			env.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+env.Getenv("PATH"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "lines": lines,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		ee, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = ee.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func lines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines N FILE")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := bytes.Count([]byte(ts.ReadFile(args[1])), []byte("\n")); got != want {
		ts.Fatalf("%s has %d lines, want %d", args[1], got, want)
	}
}

// spinlab runs the binary and returns what it printed and its exit code.
func spinlab(t testing.TB, stdin []byte, args ...string) (stdout []byte, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(binary, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil {
		ee, ok := err.(*exec.ExitError)
		if !ok {
			t.Fatal(err)
		}
		code = ee.ExitCode()
	}
	return out.Bytes(), errs.String(), code
}
