package main

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"spinlab/guestcode"
	"spinlab/locktest/engine"
)

// bareRun is the verb run with --bare.
func bareRun(cmd *cobra.Command, arg string, f *runFlags) error {
	m, err := newBareMachine(cmd, arg, f)
	if err != nil {
		return err
	}
	return buffered(cmd, func(w *bufio.Writer) error {
		if f.trace {
			m.Snippet.Observer = newBareTrace(w, m).step
		}
		r, err := m.Run()
		if err != nil {
			return err
		}
		if err := printBare(w, r, f.output.value); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		return exitWith(bareCode(r))
	})
}

func newBareMachine(cmd *cobra.Command, arg string, f *runFlags) (*engine.Bare, error) {
	defines, err := parseDefines(f.defines)
	if err != nil {
		return nil, err
	}
	begin, err := parseStart(f.set, f.memory)
	if err != nil {
		return nil, err
	}
	if err := f.checkBare(cmd); err != nil {
		return nil, err
	}
	config := guestcode.Config{Defines: defines}
	if err := f.bind.apply(&config); err != nil {
		return nil, err
	}
	c, err := findCode(arg, cmd.InOrStdin(), config, false)
	if err != nil {
		return nil, err
	}
	printNotes(cmd, c.notes)
	b, err := engine.NewBare(c.name, c.obj, engine.BareConfig{Entry: f.bind.entry, Begin: c.entry, Start: begin, CPL: f.cpl,
		MaxInstructions: f.maxInstructions, Late: f.commit.value == "late"})
	var missing *engine.SymbolError
	if errors.As(err, &missing) {
		return nil, fmt.Errorf("%s: --entry: %w", c.name, missing)
	}
	return b, err
}
