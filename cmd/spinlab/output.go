package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// choice is a flag whose value is one of a few words.
type choice struct {
	value string
	words []string
	set   bool // by the user
}

func newChoice(words ...string) *choice { return &choice{value: words[0], words: words} }

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.words, "|") }

// Set implements pflag.Value.
func (c *choice) Set(s string) error {
	if !slices.Contains(c.words, s) {
		return fmt.Errorf("one of %s is wanted", strings.Join(c.words, ", "))
	}
	c.value, c.set = s, true
	return nil
}

// outputFlag adds -o; the first format is the default.
func outputFlag(cmd *cobra.Command, formats ...string) *choice {
	c := newChoice(formats...)
	cmd.Flags().VarP(c, "output", "o", "how to print the result:")
	return c
}

// buffered calls print with a buffered writer on the command's output and
// returns the first error of either.
func buffered(cmd *cobra.Command, print func(w *bufio.Writer) error) error {
	w := bufio.NewWriterSize(cmd.OutOrStdout(), 1<<16)
	if err := print(w); err != nil {
		return err
	}
	return w.Flush()
}

// writeJSON prints v with its keys in the order of its fields.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// table is what people read and what CSV carries: a header and rows of cells.
type table struct {
	head []string
	rows [][]any
}

// add appends a row. Cells are strings and numbers; text groups the digits of
// numbers, CSV does not.
func (t *table) add(cells ...any) { t.rows = append(t.rows, cells) }

func (t *table) csv(w io.Writer) error {
	all := [][]string{t.head}
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = fmt.Sprint(c)
		}
		all = append(all, cells)
	}
	out := csv.NewWriter(w)
	if err := out.WriteAll(all); err != nil {
		return err
	}
	return out.Error()
}

// text prints aligned columns: words to the left, numbers to the right.
func (t *table) text(w io.Writer) {
	all := [][]string{t.head}
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = cellText(c)
		}
		all = append(all, cells)
	}
	width := make([]int, len(t.head))
	for _, row := range all {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range all {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if t.numeric(i) {
				cell = pad + cell
			} else {
				cell += pad
			}
			if i > 0 {
				line.WriteString("  ")
			}
			line.WriteString(cell)
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// numeric says whether column i holds numbers. A string among them, as "total"
// in the last row, does not count.
func (t *table) numeric(i int) bool {
	if len(t.rows) == 0 {
		return false
	}
	_, word := t.rows[0][i].(string)
	return !word
}

func cellText(c any) string {
	switch x := c.(type) {
	case int:
		return grouped(uint64(x))
	case int64:
		return grouped(uint64(x))
	case uint64:
		return grouped(x)
	case float64:
		s := fmt.Sprintf("%.1f", x)
		whole, rest, _ := strings.Cut(s, ".")
		n, err := strconv.ParseUint(whole, 10, 64)
		if err != nil {
			return s
		}
		return grouped(n) + "." + rest
	}
	return fmt.Sprint(c)
}

// grouped prints a number with a comma between thousands, for prose.
func grouped(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
