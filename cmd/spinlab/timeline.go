package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spinlab/vmm"
)

// timelineFlags are run's flags for who ran where and when.
type timelineFlags struct {
	file  string
	width int
}

// Widths of a text timeline, in characters.
const (
	defaultWidth = 100
	leastWidth   = 20
	mostWidth    = 1000
)

func (f *timelineFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.file, "timeline", "", "write who ran where and when to a `file` for Perfetto or chrome://tracing, or draw it with -")
	fs.IntVar(&f.width, "width", defaultWidth, "with --timeline -: characters in a row")
}

func (f *timelineFlags) check(cmd *cobra.Command, inputs ...string) error {
	changed := cmd.Flags().Changed
	switch {
	case changed("timeline") && f.file == "":
		return errors.New("--timeline: a file name is wanted, or - for the terminal")
	case f.file != "" && f.file != "-" && slices.Contains(inputs, f.file):
		return fmt.Errorf("--timeline %s: that is what to run", f.file)
	case changed("width") && f.file != "-":
		return errors.New("--width is for --timeline -")
	case f.width < leastWidth || f.width > mostWidth:
		return fmt.Errorf("--width %d: %d to %d characters", f.width, leastWidth, mostWidth)
	}
	return nil
}

// open begins the timeline of a machine. The function that it returns ends it;
// a drawing goes to w then. Without --timeline both are nil.
func (f *timelineFlags) open(w io.Writer, m *vmm.Machine) (event func(*vmm.Event), end func() error, err error) {
	switch f.file {
	case "":
		return nil, func() error { return nil }, nil
	case "-":
		t := vmm.NewText(w, m, f.width)
		return t.Event, t.Close, nil
	}
	file, err := os.Create(f.file)
	if err != nil {
		return nil, nil, fileError(f.file, err)
	}
	t := vmm.NewTrace(file, m)
	return t.Event, func() error {
		if err := errors.Join(t.Close(), file.Close()); err != nil {
			return fileError(f.file, err)
		}
		return nil
	}, nil
}
