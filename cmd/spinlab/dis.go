package main

import (
	"bufio"

	"github.com/spf13/cobra"

	"spinlab/asm"
	"spinlab/cpu"
	"spinlab/experiment"
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

// instruction is one line of a disassembly.
type instruction struct {
	addr  uint64
	bytes []byte
	text  string
}

// disassemble sweeps the executable sections from their first byte to their
// last.
func disassemble(obj *asm.Object) []instruction {
	var list []instruction
	names := func(addr uint64) string { return experiment.Symbol(obj, addr) }
	for _, s := range obj.Sections {
		if !s.Exec {
			continue
		}
		for i := 0; i < len(s.Data); {
			at := s.Addr + uint64(i)
			op := decodeAt(s.Data[i:], at)
			n := max(1, min(int(op.Len), len(s.Data)-i))
			text := op.Format(at, names)
			if n < int(op.Len) {
				text = "(bad)" // the instruction would go on after the last byte
			}
			list = append(list, instruction{at, s.Data[i : i+n], text})
			i += n
		}
	}
	return list
}

// decodeAt decodes the first instruction of b.
func decodeAt(b []byte, addr uint64) cpu.Op {
	var buf [16]byte
	copy(buf[:], b[:min(len(b), len(buf))])
	return cpu.Decode(buf[:15], addr)
}

func printDisassembly(w *bufio.Writer, obj *asm.Object, format string) error {
	list := disassemble(obj)
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
			lines[i] = line{hexNumber(in.addr), hexBytes(in.bytes), experiment.Symbol(obj, in.addr), in.text}
		}
		return writeJSON(w, lines)
	case "csv":
		t := table{head: []string{"addr", "hex", "symbol", "text"}}
		for _, in := range list {
			t.add(hexNumber(in.addr), hexBytes(in.bytes), experiment.Symbol(obj, in.addr), in.text)
		}
		return t.csv(w)
	}
	for _, in := range list {
		printLabels(w, obj, in.addr)
		printCode(w, in.addr, in.bytes, "", in.text)
	}
	return nil
}
