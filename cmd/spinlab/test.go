package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"spinlab/locktest/engine"
	"spinlab/locktest/spin"
)

const testHelp = `Runs scripts that hold what generated code costs and does. A script ends in
.spin: it names code (a built-in lock, assembler source, machine code, a .s or
.o file, or C for the compiler), then commands, each with what it must print
below a line ----, or budgets:

  source lock.s
  count lock
  ----
  lock: 9 instructions, 1 locked, 3 loads, 2 stores, 2 branches, 23 bytes

  unlock locked == 0
  check holds 2x2

A folder runs every *.spin below it, and so does folder/...; folders named
testdata or with a dot in front are left out. -update rewrites expected output
in place. A failure prints what differs and the command that repeats it.
docs/scripts.md has the language.

Exit codes: 0 all passed; 1 a test failed; 2 a script or its code makes no sense.`

// testFlags are those of test.
type testFlags struct {
	update, short, tap bool
	junit, run         string
	jobs               int
	maxStates          uint64
	maxMemory          string
	maxInstructions    uint64
	timeout            time.Duration
	output             *choice
	bounds             string // those that are given, as they are written
}

func testCmd() *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test PATH…",
		Short: "Run regression scripts on generated code",
		Long:  testHelp,
		Example: `  spinlab test tests/spin
  spinlab test lock.spin --run 'check'
  spinlab test lock.spin -update
  spinlab test tests/spin --short --junit report.xml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("test takes scripts or folders; spinlab test --help shows examples")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range []string{"max-states", "max-memory", "max-instructions", "timeout"} {
				if flag := cmd.Flags().Lookup(name); flag.Changed {
					f.bounds += fmt.Sprintf(" --%s %s", name, shellWord(flag.Value.String()))
				}
			}
			return runTests(cmd, args, &f)
		},
	}
	f.output = outputFlag(cmd, "text", "json", "csv")
	fs := cmd.Flags()
	fs.BoolVarP(&f.update, "update", "u", false, "rewrite the expected output of what is run; -update means the same")
	fs.BoolVar(&f.short, "short", false, "leave out commands marked --long")
	fs.StringVar(&f.run, "run", "", "run only commands whose name matches the `regexp`")
	fs.StringVar(&f.junit, "junit", "", "write a JUnit report to `FILE`, too")
	fs.BoolVar(&f.tap, "tap", false, "print the Test Anything Protocol")
	fs.IntVar(&f.jobs, "jobs", runtime.NumCPU(), "scripts that run at the same time")
	fs.Lookup("jobs").DefValue = "0" // it is the machine's, and help is equal everywhere
	fs.Lookup("jobs").Usage += " (default one for each CPU)"
	fs.Uint64Var(&f.maxStates, "max-states", 0, "give up a search after that many states, unless the command says (default no limit)")
	fs.StringVar(&f.maxMemory, "max-memory", "4G", "give up a search when states take that much memory: bytes, or with K, M or G")
	fs.Uint64Var(&f.maxInstructions, "max-instructions", 0, "end an endless guest, unless the command says (default 2·10⁹ for run, 10⁷ for a call)")
	fs.DurationVar(&f.timeout, "timeout", 0, "give up a command after that time, as 90s, unless it says (default no limit)")
	return cmd
}

// goSpelling lets -update be written as with go test.
func goSpelling(args []string) []string {
	if len(args) == 0 || args[0] != "test" {
		return args
	}
	list := append([]string(nil), args...)
	for i, a := range list {
		if a == "-update" {
			list[i] = "--update"
		}
	}
	return list
}

// compilerLimit bounds one run of the compiler; locks take a tenth of a second.
const compilerLimit = time.Minute

func compileC(file string, flags []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), compilerLimit)
	defer cancel()
	return spin.CompileC(ctx, file, flags)
}

func (f *testFlags) config() (*spin.Config, error) {
	c := &spin.Config{Short: f.short, MaxStates: f.maxStates, MaxInstructions: f.maxInstructions, Timeout: f.timeout,
		Now: time.Now, Compile: compileC, Deadline: func(d time.Duration) func() bool {
			end := time.Now().Add(d)
			return func() bool { return time.Now().After(end) }
		}}
	var err error
	switch {
	case f.tap && f.output.set:
		return nil, errors.New("--tap and -o are two ways to print the same")
	case f.jobs < 1:
		return nil, fmt.Errorf("--jobs %d: at least 1 is wanted", f.jobs)
	case f.timeout < 0:
		return nil, fmt.Errorf("--timeout %s: a time to come is wanted", f.timeout)
	}
	if c.MaxMemory, err = engine.ParseSize(f.maxMemory); err != nil {
		return nil, fmt.Errorf("--max-memory %s: %w", f.maxMemory, err)
	}
	if f.run != "" {
		if c.Only, err = regexp.Compile(f.run); err != nil {
			return nil, fmt.Errorf("--run: %w", err)
		}
	}
	return c, nil
}

// scriptRun is a script and what came of it.
type scriptRun struct {
	path    string
	results []spin.Result
	err     error // it cannot be run at all
	updated bool
	bounds  string // the flags that bound its commands, each with a blank before it
}

func runTests(cmd *cobra.Command, args []string, f *testFlags) error {
	cfg, err := f.config()
	if err != nil {
		return err
	}
	paths, err := findScripts(args)
	if err != nil {
		return err
	}
	stop := progress(cmd.ErrOrStderr(), "testing")
	runs := runScripts(paths, cfg, f)
	stop()
	if err := f.checkSelection(runs); err != nil {
		return err
	}
	if f.junit != "" {
		if err := writeJUnit(f.junit, runs); err != nil {
			return err
		}
	}
	return buffered(cmd, func(w *bufio.Writer) error {
		if err := printTests(w, runs, f); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		return exitWith(testCode(runs))
	})
}

// checkSelection refuses a --run that chooses nothing: a misspelt name must not
// look like success.
func (f *testFlags) checkSelection(runs []scriptRun) error {
	if f.run == "" {
		return nil
	}
	for i := range runs {
		if len(runs[i].results) > 0 || runs[i].err != nil {
			return nil
		}
	}
	return fmt.Errorf("--run %s: no command has such a name", f.run)
}

// findScripts lists the scripts of files and folders, those of a folder by name.
// A folder may be spelt as with the go command: ./... is all below this one.
func findScripts(args []string) (paths []string, err error) {
	for _, arg := range args {
		if dir, ok := strings.CutSuffix(filepath.ToSlash(arg), "/..."); ok {
			arg = filepath.Clean(filepath.FromSlash(dir + "/"))
		}
		info, err := os.Stat(arg)
		if err != nil {
			return nil, fileError(arg, err)
		}
		if !info.IsDir() {
			if filepath.Ext(arg) != scriptExt {
				return nil, fmt.Errorf("%s: a script ends in %s", arg, scriptExt)
			}
			paths = append(paths, arg)
			continue
		}
		n := len(paths)
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return fileError(path, err)
			case d.IsDir() && path != arg && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
				return fs.SkipDir
			case !d.IsDir() && filepath.Ext(path) == scriptExt:
				paths = append(paths, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(paths) == n {
			return nil, fmt.Errorf("%s: no *%s in this folder", arg, scriptExt)
		}
	}
	return paths, nil
}

const scriptExt = ".spin"

// runScripts runs them, --jobs at a time. The results are in the order of the
// paths, whichever is done first.
func runScripts(paths []string, cfg *spin.Config, f *testFlags) []scriptRun {
	runs := make([]scriptRun, len(paths))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(f.jobs, len(paths)) {
		workers.Go(func() {
			for i := range next {
				runs[i] = runScript(paths[i], cfg, f)
			}
		})
	}
	for i := range paths {
		next <- i
	}
	close(next)
	workers.Wait()
	return runs
}

func runScript(path string, cfg *spin.Config, f *testFlags) scriptRun {
	run := scriptRun{path: path, bounds: f.bounds}
	src, err := readSource(path, nil)
	if err != nil {
		run.err = err
		return run
	}
	text := src.Text
	s, err := spin.Parse(path, text)
	if err != nil {
		run.err = err
		return run
	}
	run.results = s.Run(cfg)
	if f.update {
		run.update(s, text)
	}
	return run
}

// update rewrites the script. What was only other output has passed then.
func (run *scriptRun) update(s *spin.Script, old []byte) {
	text := s.Update(run.results)
	if string(text) == string(old) {
		return
	}
	if err := os.WriteFile(run.path, text, 0o644); err != nil {
		run.err = fileError(run.path, err)
		return
	}
	run.updated = true
	for i := range run.results {
		r := &run.results[i]
		if r.Status == spin.Fail && r.Item.Golden() && r.Diff != "" {
			r.Status, r.Diff = spin.Pass, ""
		}
	}
}

// testCode is the exit code: bad input outweighs a failure.
func testCode(runs []scriptRun) int {
	code := exitOK
	for i := range runs {
		if runs[i].err != nil {
			return exitUsage
		}
		for _, r := range runs[i].results {
			switch {
			case r.Status == spin.Error:
				return exitUsage
			case r.Status == spin.Fail:
				code = exitBad
			}
		}
	}
	return code
}
