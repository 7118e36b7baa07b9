package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spinlab/litmus"
)

const litmusHelp = `Runs litmus tests, X86_64 (AT&T) and X86 (destination first), as real machine
code: every process is a vCPU, and all orders of steps and store buffer drains
are searched. Prints every final state and the condition's verdict as herd7
does. Witnesses are final states; herd7 counts executions.

A folder runs all its *.litmus and sums up. Where NAME.expected lies beside
NAME.litmus, what herd7 printed, states and verdict are compared; other tests
show their Observation line.

The exit code is 0 whatever the verdicts, 1 if an .expected differs or a process
cannot end, 2 for a test that is not understood, 3 if a bound was hit.`

func litmusCmd() *cobra.Command {
	f := &checkFlags{reduce: newChoice("all", "steps", "none"), buffer: newChoice("tso", "ppro")} // of them, what bounds a search
	cmd := &cobra.Command{
		Use:   "litmus FILE|FOLDER…",
		Short: "Run litmus tests: every final state, printed as herd7 prints it",
		Long:  litmusHelp,
		Example: `  spinlab litmus SB.litmus
  spinlab litmus SB.litmus MP.litmus -o json
  spinlab litmus litmus/testdata/x86     a folder: summed up, and compared
  spinlab litmus - < SB.litmus`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("litmus takes files or folders; spinlab litmus --help shows examples")
			}
			return nil
		},
	}
	f.output = outputFlag(cmd, "text", "json", "csv")
	fs := cmd.Flags()
	fs.Var(f.reduce, "reduce", "which equivalent interleavings to leave out:")
	fs.Var(f.buffer, "buffer", "the order in which a buffer's stores commit: oldest first, or any but to the same bytes, which is not x86-TSO:")
	fs.Uint64Var(&f.maxStates, "max-states", 0, "give up a test after that many states (default no limit)")
	fs.StringVar(&f.maxMemory, "max-memory", "4G", "give up a test when states take that much memory: bytes, or with K, M or G")
	fs.DurationVar(&f.timeout, "timeout", 0, "give up a test after that time, as 90s (default no limit)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runLitmus(cmd, args, f) }
	return cmd
}

func runLitmus(cmd *cobra.Command, args []string, f *checkFlags) error {
	if _, err := f.config(); err != nil {
		return err
	}
	items, err := litmusItems(args)
	if err != nil {
		return err
	}
	return buffered(cmd, func(w *bufio.Writer) error {
		report := &litmusReport{w: w, format: f.output.value}
		for i := range items {
			stop := progress(cmd.ErrOrStderr(), items[i].path)
			items[i].run(cmd.InOrStdin(), f)
			stop()
			if err := report.add(&items[i]); err != nil {
				return err
			}
		}
		if err := report.finish(items); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		return exitWith(litmusNotes(items, cmd.ErrOrStderr()))
	})
}

// litmusItem is one test and what came of it.
type litmusItem struct {
	path    string
	folder  bool // it is part of a folder
	outcome *litmus.Outcome
	took    time.Duration
	err     error

	compared    bool // there is an expected text
	differences []string
}

// litmusItems lists the tests of files and folders, those of a folder by name.
func litmusItems(args []string) ([]litmusItem, error) {
	var items []litmusItem
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil || !info.IsDir() {
			items = append(items, litmusItem{path: arg}) // what is wrong with it comes when it is read
			continue
		}
		entries, err := os.ReadDir(arg)
		if err != nil {
			return nil, fileError(arg, err)
		}
		n := len(items)
		for _, e := range entries {
			if !e.IsDir() && strings.HasSuffix(e.Name(), ".litmus") {
				items = append(items, litmusItem{path: filepath.Join(arg, e.Name()), folder: true})
			}
		}
		if len(items) == n {
			return nil, fmt.Errorf("%s: no *.litmus in this folder", arg)
		}
	}
	return items, nil
}

// run searches the test.
func (it *litmusItem) run(stdin io.Reader, f *checkFlags) {
	begin := time.Now()
	cfg, err := f.config()
	if err != nil {
		it.err = err
		return
	}
	name, text, err := readLitmus(it.path, stdin)
	if err != nil {
		it.err = err
		return
	}
	t, err := litmus.Parse(name, text)
	if err != nil {
		it.err = err
		return
	}
	it.outcome, it.err = t.Run(cfg)
	it.took = time.Since(begin)
	if it.err == nil && it.folder {
		it.compare()
	}
}

func readLitmus(path string, stdin io.Reader) (string, []byte, error) {
	in := stdin
	if path == "-" {
		path = "stdin"
	} else {
		file, err := os.Open(path)
		if err != nil {
			return path, nil, fileError(path, err)
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, litmus.MaxSize+1))
	if err != nil {
		return path, nil, fileError(path, err)
	}
	return path, text, nil
}

// compare looks for the expected text beside the test.
func (it *litmusItem) compare() {
	path := strings.TrimSuffix(it.path, ".litmus") + ".expected"
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		it.err = fileError(path, err)
		return
	}
	e, err := litmus.ParseExpected(string(text))
	if err != nil {
		it.err = fmt.Errorf("%s: %w", path, err)
		return
	}
	it.compared, it.differences = true, it.outcome.Differences(e)
}

// litmusNotes prints what went wrong and returns the exit code.
func litmusNotes(items []litmusItem, stderr io.Writer) int {
	code := exitOK
	worst := func(c int) {
		// Bad input outweighs a difference, and that a bound.
		rank := map[int]int{exitOK: 0, exitLimit: 1, exitBad: 2, exitUsage: 3}
		if rank[c] > rank[code] {
			code = c
		}
	}
	for i := range items {
		it := &items[i]
		switch {
		case it.err != nil:
			fmt.Fprintln(stderr, "spinlab: "+litmusMessage(it.err))
			worst(exitUsage)
			continue
		case it.outcome.Note != "":
			fmt.Fprintf(stderr, "%s: %s\n", it.path, it.outcome.Note)
		}
		switch {
		case len(it.differences) > 0, it.outcome.Note != "" && !it.outcome.Bounded:
			worst(exitBad)
		case it.outcome.Bounded:
			worst(exitLimit)
		}
	}
	return code
}

// litmusMessage is the text of an error; several go on lines of their own.
func litmusMessage(err error) string {
	var list litmus.Errors
	if errors.As(err, &list) {
		return "the test does not assemble:\n" + list.Error()
	}
	return err.Error()
}
