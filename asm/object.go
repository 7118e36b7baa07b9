package asm

import "sort"

// NewObject puts an image together that somebody else has laid out, and makes
// it ready for questions. Sections and lines come back sorted by address;
// symbols stay in their order. A Line without Text is of a compiler: it names a
// place in a file that this package has not read.
func NewObject(sections []Section, symbols []Symbol, lines []Line) *Object {
	o := &Object{Sections: sections, Symbols: symbols, Lines: lines}
	sort.SliceStable(o.Sections, func(i, j int) bool { return o.Sections[i].Addr < o.Sections[j].Addr })
	sort.SliceStable(o.Lines, func(i, j int) bool { return o.Lines[i].Addr < o.Lines[j].Addr })
	o.indexLabels()
	return o
}
