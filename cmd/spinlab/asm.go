package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spinlab/asm"
	"spinlab/guestcode"
	"spinlab/locktest/engine"
	"spinlab/mem"
)

func asmCmd() *cobra.Command {
	var defines []string
	var out, base string
	var bind bindFlags
	cmd := &cobra.Command{
		Use:   "asm FILE[,FILE…]|VARIANT",
		Short: "Assemble a source: a listing, raw bytes with --out, an ELF object with -o elf",
		Long: `Assembles GNU as source (AT&T or Intel syntax) and prints address, bytes and
source line of every statement; objects are linked and show their instructions.
A variant is assembled with its backend and the harness, as run loads it; - reads
the standard input. All errors are reported at once, one a line, as
file:line: message.

With -o elf and --out it writes a relocatable ELF64 object, as gcc -c does: what
the source does not define is left to a linker.`,
		Example: `  spinlab asm mylock.s                    the listing
  spinlab asm mylock.s --out mylock.bin   raw bytes, from the lowest address on
  spinlab asm -o elf mylock.s --out mylock.o
  spinlab asm ticket --define TICKET_BITS=16 -o json
  echo 'lock xadd %eax, (%rdi)' | spinlab asm -`,
		Args: oneTarget,
	}
	format := outputFlag(cmd, "text", "json", "csv", "elf")
	cmd.Flags().StringArrayVar(&defines, "define", nil, "set a symbol: `NAME=VALUE`, as often as needed")
	cmd.Flags().StringVar(&out, "out", "", "write raw bytes (with -o elf, the object) to this `file` instead of a listing")
	bind.add(cmd.Flags(), bindLoad)
	cmd.Flags().StringVar(&base, "base", "", "`address` of .text, for a file (default 0x100000)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if format.value == "elf" {
			return writeELF(args[0], cmd.InOrStdin(), defines, base, out)
		}
		c, err := assembleArg(args[0], cmd.InOrStdin(), defines, base, &bind)
		if err != nil {
			return err
		}
		printNotes(cmd, c.notes)
		obj := c.obj
		if out != "" {
			raw, err := rawImage(obj)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if err := os.WriteFile(out, raw, 0o644); err != nil {
				return fileError(out, err)
			}
			return nil
		}
		return buffered(cmd, func(w *bufio.Writer) error {
			return printListing(w, obj, format.value)
		})
	}
	return cmd
}

func assembleArg(arg string, stdin io.Reader, words []string, base string, bind *bindFlags) (c code, err error) {
	config := guestcode.Config{}
	if config.Defines, err = parseDefines(words); err != nil {
		return c, err
	}
	if err = bind.apply(&config); err != nil {
		return c, err
	}
	at, err := parseBase(base)
	if err != nil {
		return c, err
	}
	t, err := findTarget(arg, stdin)
	if err != nil {
		return c, err
	}
	if t.variant != nil {
		if base != "" {
			return c, fmt.Errorf("--base: %s is a variant, and those have their place in the machine; it is for files", t.name)
		}
		p, err := t.build(config)
		if err != nil {
			return c, err
		}
		return code{name: t.name, obj: p.Object}, nil
	}
	return t.image(config, true, at)
}

// lastBase is the highest address of .text: an image of the greatest size still
// ends in the lower half of the address space.
const lastBase = 1<<47 - 1<<28

// parseBase reads --base; 0 stands for the default.
func parseBase(s string) (uint64, error) {
	if s == "" {
		return 0, nil
	}
	at, err := parseNumber(s)
	if err != nil {
		return 0, fmt.Errorf("--base: %w", err)
	}
	if at < mem.PageSize || at > lastBase {
		return 0, fmt.Errorf("--base %s: from %#x to %#x", s, uint64(mem.PageSize), uint64(lastBase))
	}
	return at, nil
}

// maxRaw bounds what asm --out writes, in bytes.
const maxRaw = 64 << 20

// rawImage is the object as it lies in memory, from its lowest address on.
func rawImage(obj *asm.Object) ([]byte, error) {
	if len(obj.Sections) == 0 {
		return nil, nil
	}
	first := obj.Sections[0].Addr
	last := obj.Sections[len(obj.Sections)-1]
	size := last.Addr + uint64(len(last.Data)) - first
	if size > maxRaw {
		return nil, fmt.Errorf("--out: it spans %#x bytes from %#x on, with room between its sections; at most %#x are written", size, first, uint64(maxRaw))
	}
	raw := make([]byte, size)
	for _, s := range obj.Sections {
		copy(raw[s.Addr-first:], s.Data)
	}
	return raw, nil
}

// bytesAt returns the bytes of the object at an address.
func bytesAt(obj *asm.Object, addr uint64, n int) []byte {
	for _, s := range obj.Sections {
		if addr >= s.Addr && addr-s.Addr+uint64(n) <= uint64(len(s.Data)) {
			return s.Data[addr-s.Addr:][:n]
		}
	}
	return nil
}

// The JSON of a listing.
type (
	sectionJSON struct {
		Name string `json:"name"`
		Addr string `json:"addr"`
		Perm string `json:"perm"`
		Hex  string `json:"hex"`
	}
	symbolJSON struct {
		Name   string `json:"name"`
		Addr   string `json:"addr"`
		Size   uint64 `json:"size"`
		Global bool   `json:"global"`
	}
	lineJSON struct {
		Addr string `json:"addr"`
		Hex  string `json:"hex"`
		File string `json:"file"`
		Line int    `json:"line"`
		Text string `json:"text"`
	}
	listingJSON struct {
		Sections []sectionJSON `json:"sections"`
		Symbols  []symbolJSON  `json:"symbols"`
		Lines    []lineJSON    `json:"lines"`
	}
)

func printListing(w *bufio.Writer, obj *asm.Object, format string) error {
	lines := listingLines(obj)
	switch format {
	case "json":
		return writeJSON(w, listing(obj, lines))
	case "csv":
		t := table{head: []string{"addr", "hex", "file", "line", "text"}}
		for _, l := range lines {
			t.add(hexNumber(l.Addr), hexBytes(bytesAt(obj, l.Addr, l.Len)), l.File, l.Line, strings.TrimSpace(l.Text))
		}
		return t.csv(w)
	}
	none := "" // the column of places, if there is one
	if slices.ContainsFunc(lines, func(l asm.Line) bool { return l.Line > 0 }) {
		none = " "
	}
	for _, l := range lines {
		printLabels(w, obj, l.Addr)
		place := none
		if l.Line > 0 {
			place = fmt.Sprintf("%s:%d", l.File, l.Line)
		}
		printCode(w, l.Addr, bytesAt(obj, l.Addr, l.Len), place, strings.TrimSpace(l.Text))
	}
	return nil
}

// listingLines are the statements of the sources, and the instructions of the
// sections that come from no source.
func listingLines(obj *asm.Object) (list []asm.Line) {
	for _, l := range obj.Lines {
		if l.Text != "" {
			list = append(list, l)
		}
	}
	statements := len(list)
	for _, s := range obj.Sections {
		end := s.Addr + uint64(len(s.Data))
		if !s.Exec || slices.ContainsFunc(list[:statements], func(l asm.Line) bool { return l.Addr >= s.Addr && l.Addr < end }) {
			continue
		}
		for _, in := range engine.Sweep(obj, s) {
			l, _ := obj.LineAt(in.Addr)
			list = append(list, asm.Line{Addr: in.Addr, Len: len(in.Bytes), File: l.File, Line: l.Line, Text: in.Text})
		}
	}
	slices.SortStableFunc(list, func(a, b asm.Line) int { return cmp.Compare(a.Addr, b.Addr) })
	return list
}

func listing(obj *asm.Object, lines []asm.Line) listingJSON {
	j := listingJSON{[]sectionJSON{}, []symbolJSON{}, []lineJSON{}}
	for _, s := range obj.Sections {
		perm := "r--"
		switch {
		case s.Exec && s.Write:
			perm = "rwx"
		case s.Exec:
			perm = "r-x"
		case s.Write:
			perm = "rw-"
		}
		j.Sections = append(j.Sections, sectionJSON{s.Name, hexNumber(s.Addr), perm, hexBytes(s.Data)})
	}
	for _, s := range obj.Symbols {
		j.Symbols = append(j.Symbols, symbolJSON{s.Name, hexNumber(s.Addr), s.Size, s.Global})
	}
	for _, l := range lines {
		j.Lines = append(j.Lines, lineJSON{hexNumber(l.Addr), hexBytes(bytesAt(obj, l.Addr, l.Len)), l.File, l.Line, strings.TrimSpace(l.Text)})
	}
	return j
}

func hexNumber(v uint64) string { return fmt.Sprintf("%#x", v) }
func hexBytes(b []byte) string  { return fmt.Sprintf("%x", b) }

// printLabels prints the labels that stand at an address, as objdump does.
func printLabels(w io.Writer, obj *asm.Object, addr uint64) {
	for _, s := range obj.LabelsAt(addr) {
		if !strings.HasPrefix(s.Name, ".L") {
			fmt.Fprintf(w, "%s:\n", s.Name)
		}
	}
}

// bytesPerLine is how many bytes of a statement stand beside its text.
const bytesPerLine = 8

// printCode prints one statement: address, bytes, place, text. Further bytes
// go on lines of their own; of a long run only the first are shown.
func printCode(w io.Writer, addr uint64, b []byte, place, text string) {
	const most = 4 * bytesPerLine
	first := b[:min(len(b), bytesPerLine)]
	if place != "" {
		place = fmt.Sprintf("%-20s ", place)
	}
	fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %06x  %-*x  %s%s", addr, 2*bytesPerLine, first, place, text), " "))
	for i := bytesPerLine; i < len(b); i += bytesPerLine {
		if i >= most {
			fmt.Fprintf(w, "          … %d bytes in all\n", len(b))
			return
		}
		fmt.Fprintf(w, "  %06x  %x\n", addr+uint64(i), b[i:min(i+bytesPerLine, len(b))])
	}
}
