package engine

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"spinlab/asm"
	"spinlab/asm/elfobj"
	"spinlab/experiment"
	"spinlab/guestcode"
)

// Source is code under test: a variant of the table, or a text (or an object)
// of one's own.
type Source struct {
	Name    string
	Variant *guestcode.Variant // nil for a text
	Text    asm.Source         // of what is no variant
	// Builder makes the program instead of both: code that is put together
	// elsewhere.
	Builder experiment.Builder
	// Defines hold for everything that is built from this source.
	Defines map[string]int64
}

// Variant is the built-in lock of that name; the error names those that come
// close.
func Variant(name string) (Source, error) {
	v, ok := guestcode.Lookup(name)
	if !ok {
		return Source{}, fmt.Errorf("unknown variant %q: nearest are %s", name, strings.Join(guestcode.Nearest(name), ", "))
	}
	return Source{Name: name, Variant: &v}, nil
}

// Text is a file's contents: GNU as source.
func Text(name string, text []byte) Source {
	return Source{Name: name, Text: asm.Source{Name: name, Text: text}}
}

// Part is machine code of one function. Without a symbol it is only bytes.
type Part struct {
	Symbol string
	Code   []byte
}

// Bytes is machine code, each part aligned to 16 bytes as compilers do. It
// takes the way of a source, so that all that works for those works for it.
func Bytes(name string, parts ...Part) (Source, error) {
	var b strings.Builder
	total := 0
	for _, p := range parts {
		b.WriteString("\t.balign 16, 0xcc\n")
		if p.Symbol != "" {
			fmt.Fprintf(&b, "\t.globl %[1]s\n\t.type %[1]s, @function\n%[1]s:\n", p.Symbol)
		}
		for i, x := range p.Code {
			if i%bytesPerLine == 0 {
				b.WriteString("\n\t.byte ")
			} else {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%#x", x)
		}
		b.WriteString("\n")
		if p.Symbol != "" {
			fmt.Fprintf(&b, "\t.size %[1]s, . - %[1]s\n", p.Symbol)
		}
		total += len(p.Code)
	}
	if total == 0 {
		return Source{}, errors.New("no bytes")
	}
	return Text(name, []byte(b.String())), nil
}

// bytesPerLine keeps the lines of a listing short.
const bytesPerLine = 16

// Build makes the program that a machine runs: a lock in the harness, or a
// program that drives itself.
func (s Source) Build(c guestcode.Config) (*guestcode.Program, error) {
	c.Defines = s.with(c.Defines)
	if s.Builder != nil {
		return s.Builder(c)
	}
	if s.Variant != nil {
		return guestcode.Build(*s.Variant, c)
	}
	p, err := guestcode.BuildSource(c, s.Text)
	if err != nil && !errors.As(err, new(asm.ErrorList)) {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return p, err
}

// Threads makes the threads of a text with the labels P0, P1, …; nil if it has
// none.
func (s Source) Threads(defines map[string]int64) (*guestcode.Threads, error) {
	if s.Variant != nil || s.Builder != nil {
		return nil, nil
	}
	return guestcode.BuildThreads(guestcode.Config{Defines: s.with(defines)}, s.Text)
}

// Object is the code alone; a variant's comes with its harness.
func (s Source) Object(defines map[string]int64) (*asm.Object, error) {
	if s.Variant != nil || s.Builder != nil {
		p, err := s.Build(guestcode.Config{Defines: defines})
		if err != nil {
			return nil, err
		}
		return p.Object, nil
	}
	opt := guestcode.LinkOptions(guestcode.Config{Defines: s.with(defines)})
	opt.Text, opt.Data, opt.Lenient, opt.All = 0, 0, true, true // as dis and run --bare look at code
	img, err := elfobj.Link(opt, s.Text)
	if err != nil {
		return nil, err
	}
	return img.Object, nil
}

// with adds defines to those of the source; the added ones win.
func (s Source) with(defines map[string]int64) map[string]int64 {
	all := maps.Clone(s.Defines)
	if all == nil {
		all = map[string]int64{}
	}
	maps.Copy(all, defines)
	return all
}
