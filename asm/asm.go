package asm

import "sort"

// Source is one input file. Name is used in messages and in the line table.
type Source struct {
	Name string
	Text []byte
}

// DefaultBase is where .text goes when Options.Base is zero.
const DefaultBase = 0x100000

// pageSize separates the section groups, because permissions are per page.
const pageSize = 0x1000

// Options place the image and set symbols from outside.
type Options struct {
	// Base is the address of .text; 0 means DefaultBase.
	Base uint64
	// DataBase is the address of the first section that is not executable;
	// 0 means the next page after the executable ones.
	DataBase uint64
	// Defines are absolute symbols that exist before the first line is read.
	// A .set, .equ or = of the same name in a source is then ignored, so that
	// `.set SPIN_THRESHOLD, 0x800` is a default that a define overrides.
	Defines map[string]int64
	// Extern, if set, is asked for the address of a symbol that no source
	// defines: something that is linked with the sources may.
	Extern func(name string) (addr uint64, ok bool)
}

// Section is one output section: the same-named sections of all sources.
type Section struct {
	Name        string
	Addr        uint64
	Data        []byte
	Exec, Write bool
}

// Symbol is a label or an absolute symbol of one source.
type Symbol struct {
	Name     string
	Addr     uint64
	Size     uint64 // from .size, else 0
	Section  string // "" for absolute symbols
	Global   bool
	Absolute bool
	Source   string
}

// Line maps the bytes of one statement to its place in the source.
type Line struct {
	Addr uint64
	Len  int
	File string
	Line int
	Text string
}

// Object is an assembled image at its final addresses.
type Object struct {
	Sections []Section // by address
	Symbols  []Symbol  // by source, then in order of definition
	Lines    []Line    // by address; one per statement that emitted bytes

	labels []Symbol // what SymbolAt answers from, by address
	ends   []uint64 // for each label, the furthest end of it and of those before
}

// Lookup returns the symbol of that name. A global one wins over a local one;
// among local ones of several sources the first source's wins.
func (o *Object) Lookup(name string) (Symbol, bool) {
	found := -1
	for i, s := range o.Symbols {
		if s.Name != name {
			continue
		}
		if s.Global {
			return s, true
		}
		if found < 0 {
			found = i
		}
	}
	if found < 0 {
		return Symbol{}, false
	}
	return o.Symbols[found], true
}

// SymbolAt names an address as label+offset, the label being the nearest
// preceding one of the section that holds the address. A label that .size
// says covers the address wins over a label inside it; compiler-local .L
// labels are used only where nothing else precedes; at the same address a
// global label wins.
func (o *Object) SymbolAt(addr uint64) (name string, off uint64, ok bool) {
	sec := o.sectionAt(addr)
	if sec == nil {
		return "", 0, false
	}
	best := -1
	for i := o.firstCandidate(sec, addr); i < len(o.labels) && o.labels[i].Addr <= addr; i++ {
		s := o.labels[i]
		if s.Section == sec.Name && (best < 0 || betterLabel(s, o.labels[best], addr)) {
			best = i
		}
	}
	if best < 0 {
		return "", 0, false
	}
	return o.labels[best].Name, addr - o.labels[best].Addr, true
}

// firstCandidate is the first label of the section that SymbolAt has to look
// at: those before it do not reach as far as addr and lose against a nearer
// one. Without it a listing of many functions takes quadratic time.
func (o *Object) firstCandidate(sec *Section, addr uint64) int {
	first := o.labelFrom(sec.Addr)
	i := sort.Search(len(o.labels), func(i int) bool { return o.labels[i].Addr > addr })
	plain := false // a label that is not a compiler's is among the candidates
	for i > first {
		at := o.labels[i-1].Addr
		for ; i > first && o.labels[i-1].Addr == at; i-- {
			s := o.labels[i-1]
			plain = plain || s.Section == sec.Name && !isTemp(s.Name)
		}
		if plain && i > 0 && o.ends[i-1] <= addr {
			break
		}
	}
	return i
}

// labelFrom is the first label at addr or behind it.
func (o *Object) labelFrom(addr uint64) int {
	return sort.Search(len(o.labels), func(i int) bool { return o.labels[i].Addr >= addr })
}

// LabelsAt returns the labels that stand at an address, in the order of
// Symbols. The slice is the object's.
func (o *Object) LabelsAt(addr uint64) []Symbol {
	i := o.labelFrom(addr)
	k := i
	for k < len(o.labels) && o.labels[k].Addr == addr {
		k++
	}
	return o.labels[i:k]
}

// indexLabels makes the object ready for SymbolAt and LabelsAt.
func (o *Object) indexLabels() {
	for _, s := range o.Symbols {
		if !s.Absolute {
			o.labels = append(o.labels, s)
		}
	}
	sort.SliceStable(o.labels, func(i, j int) bool { return o.labels[i].Addr < o.labels[j].Addr })
	o.ends = make([]uint64, len(o.labels))
	last := uint64(0)
	for i, s := range o.labels {
		if s.Size > ^uint64(0)-s.Addr {
			s.Size = ^uint64(0) - s.Addr
		}
		last = max(last, s.Addr+s.Size)
		o.ends[i] = last
	}
}

// betterLabel reports whether s names addr better than old. Labels come in
// ascending order of address, so s never stands before old.
func betterLabel(s, old Symbol, addr uint64) bool {
	if l, ol := isTemp(s.Name), isTemp(old.Name); l != ol {
		return ol
	}
	covers := func(s Symbol) bool { return s.Size > 0 && addr-s.Addr < s.Size }
	if c, oc := covers(s), covers(old); c != oc {
		return c
	}
	if s.Addr != old.Addr {
		return true
	}
	return s.Global && !old.Global
}

func isTemp(name string) bool { return len(name) > 2 && name[:2] == ".L" }

func (o *Object) sectionAt(addr uint64) *Section {
	for i := sort.Search(len(o.Sections), func(i int) bool { return o.Sections[i].Addr > addr }); i > 0; i-- {
		s := &o.Sections[i-1]
		if addr-s.Addr < uint64(len(s.Data)) {
			return s
		}
		if len(s.Data) > 0 {
			break
		}
	}
	return nil
}

// LineAt returns the statement whose bytes hold the address.
func (o *Object) LineAt(addr uint64) (Line, bool) {
	i := sort.Search(len(o.Lines), func(i int) bool { return o.Lines[i].Addr > addr })
	if i == 0 {
		return Line{}, false
	}
	l := o.Lines[i-1]
	return l, addr-l.Addr < uint64(l.Len)
}

// Assemble assembles the sources into one image. Every source has a scope of
// its own for local and numeric labels; .globl symbols are shared. When
// anything in a source is wrong the error is an ErrorList with all of it.
func Assemble(opt Options, sources ...Source) (*Object, error) {
	a := newAssembler(opt)
	for i, src := range sources {
		a.readSource(i, src)
	}
	if a.cut { // what is missing may come behind
		return nil, a.errorList()
	}
	a.checkDefines()
	a.resolve()
	var obj *Object
	if len(a.errs) == 0 {
		obj = a.layout()
	}
	if len(a.errs) > 0 {
		return nil, a.errorList()
	}
	return obj, nil
}
