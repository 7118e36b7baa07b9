package main

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"spinlab/asm"
	"spinlab/experiment"
	"spinlab/guestcode"
	"spinlab/locktest/engine"
)

func disCmd() *cobra.Command {
	var defines []string
	var bind bindFlags
	cmd := &cobra.Command{
		Use:   "dis FILE[,FILE…]|VARIANT|hex:BYTES",
		Short: "Disassemble machine code, with symbols where there are any",
		Long: `Prints address, bytes and text of every instruction in the executable sections
of a source, an object or an executable, of a variant with its harness, or of
raw machine code. The text is what the simulated core will execute: bytes that
are no instruction show as (bad). Compiled code has its line of C beside it, if
it has debug information. Undefined symbols of objects are noted and stand for
0. Plain hex digits are taken as machine code when there is neither a variant
nor a file of that name.`,
		Example: `  spinlab dis hex:f00fc107
  spinlab dis ticket-pv-kvm
  spinlab dis mylock.s -o json
  spinlab dis ticket.o
  spinlab dis jit.bin --load 0x100000`,
		Args: oneTarget,
	}
	format := outputFlag(cmd, "text", "json", "csv")
	cmd.Flags().StringArrayVar(&defines, "define", nil, "set a symbol: `NAME=VALUE`, as often as needed")
	bind.add(cmd.Flags(), bindLoad)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		d, err := parseDefines(defines)
		if err != nil {
			return err
		}
		config := guestcode.Config{Defines: d}
		if err := bind.apply(&config); err != nil {
			return err
		}
		c, err := findCode(args[0], cmd.InOrStdin(), config, true)
		if err != nil {
			return err
		}
		printNotes(cmd, c.notes)
		return buffered(cmd, func(w *bufio.Writer) error {
			return printDisassembly(w, c.obj, format.value)
		})
	}
	return cmd
}

func printDisassembly(w *bufio.Writer, obj *asm.Object, format string) error {
	list := engine.Disassemble(obj)
	switch format {
	case "json":
		type line struct {
			Addr   string `json:"addr"`
			Hex    string `json:"hex"`
			Symbol string `json:"symbol"`
			Text   string `json:"text"`
			Source string `json:"source,omitempty"`
		}
		lines := make([]line, len(list))
		for i, in := range list {
			lines[i] = line{hexNumber(in.Addr), hexBytes(in.Bytes), experiment.Symbol(obj, in.Addr), in.Text, compiledLine(obj, in.Addr)}
		}
		return writeJSON(w, lines)
	case "csv":
		t := table{head: []string{"addr", "hex", "symbol", "text"}}
		for _, in := range list {
			t.add(hexNumber(in.Addr), hexBytes(in.Bytes), experiment.Symbol(obj, in.Addr), in.Text)
		}
		return t.csv(w)
	}
	none := "" // the column of places, if there is one
	if hasCompiledLines(obj) {
		none = " "
	}
	for _, in := range list {
		printLabels(w, obj, in.Addr)
		printCode(w, in.Addr, in.Bytes, cmp.Or(compiledLine(obj, in.Addr), none), in.Text)
	}
	return nil
}

// compiledLine is the line of C of an address, "" if it has none.
func compiledLine(obj *asm.Object, addr uint64) string {
	if l, ok := obj.LineAt(addr); ok && l.Text == "" {
		return fmt.Sprintf("%s:%d", l.File, l.Line)
	}
	return ""
}

func hasCompiledLines(obj *asm.Object) bool {
	return slices.ContainsFunc(obj.Lines, func(l asm.Line) bool { return l.Text == "" })
}
