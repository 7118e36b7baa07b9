package main

import (
	"bufio"

	"github.com/spf13/cobra"

	"spinlab/asm"
	"spinlab/experiment"
	"spinlab/locktest/engine"
)

func disCmd() *cobra.Command {
	var defines []string
	cmd := &cobra.Command{
		Use:   "dis FILE|VARIANT|hex:BYTES",
		Short: "Disassemble machine code, with symbols where there are any",
		Long: `Prints address, bytes and text of every instruction in the executable sections
of a source file, of a variant with its harness, or of raw machine code. The
text is what the simulated core will execute: bytes that are no instruction
show as (bad). Plain hex digits are taken as machine code when there is neither
a variant nor a file of that name.`,
		Example: `  spinlab dis hex:f00fc107
  spinlab dis ticket-pv-kvm
  spinlab dis mylock.s -o json`,
		Args: oneTarget,
	}
	format := outputFlag(cmd, "text", "json", "csv")
	cmd.Flags().StringArrayVar(&defines, "define", nil, "set a symbol: `NAME=VALUE`, as often as needed")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		d, err := parseDefines(defines)
		if err != nil {
			return err
		}
		c, err := findCode(args[0], cmd.InOrStdin(), d)
		if err != nil {
			return err
		}
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
		}
		lines := make([]line, len(list))
		for i, in := range list {
			lines[i] = line{hexNumber(in.Addr), hexBytes(in.Bytes), experiment.Symbol(obj, in.Addr), in.Text}
		}
		return writeJSON(w, lines)
	case "csv":
		t := table{head: []string{"addr", "hex", "symbol", "text"}}
		for _, in := range list {
			t.add(hexNumber(in.Addr), hexBytes(in.Bytes), experiment.Symbol(obj, in.Addr), in.Text)
		}
		return t.csv(w)
	}
	for _, in := range list {
		printLabels(w, obj, in.Addr)
		printCode(w, in.Addr, in.Bytes, "", in.Text)
	}
	return nil
}
