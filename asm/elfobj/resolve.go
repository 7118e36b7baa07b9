package elfobj

import (
	"debug/elf"
	"slices"

	"spinlab/asm"
)

// definition is what a global name stands for.
type definition struct {
	obj    *object
	sym    *symbol
	source *asm.Symbol // of an assembler source
	weak   bool
	common bool
	file   string // that defines it

	size, align uint64 // common: the largest asked for
	at          uint64 // common: its address
}

// add puts the global symbols of o into the table. A strong definition wins over
// a common one and that over a weak one; two strong ones are an error (gABI,
// "Symbol Table", on STB_WEAK).
func (l *linker) add(o *object) {
	for i := range o.symbols {
		s := &o.symbols[i]
		if i == 0 || !s.global() || s.undefined() || s.name == "" || s.sec != nil && s.sec.fate == fateDiscarded {
			continue
		}
		d := &definition{obj: o, sym: s, weak: s.bind == elf.STB_WEAK, file: o.name}
		if s.index == elf.SHN_COMMON {
			d.common, d.size, d.align = true, s.size, max(s.value, 1)
		}
		l.define(s.name, d)
	}
}

func (l *linker) define(name string, d *definition) {
	old := l.globals[name]
	switch {
	case old == nil:
		l.globals[name] = d
		l.order = append(l.order, name)
	case old.common && d.common:
		old.size, old.align = max(old.size, d.size), max(old.align, d.align)
	case d.strength() > old.strength():
		l.globals[name] = d
	case d.strength() == old.strength() && d.strength() == strong:
		l.forbid(d.file, "%s is already defined in %s", name, old.file)
	}
}

// Strengths of definitions.
const (
	weak = iota
	common
	strong
)

func (d *definition) strength() int {
	switch {
	case d.weak:
		return weak
	case d.common:
		return common
	}
	return strong
}

// wants lists the names that o refers to and that nobody defines yet.
func (l *linker) wants(o *object) (names []string) {
	for i := range o.symbols {
		s := &o.symbols[i]
		if i > 0 && s.undefined() && s.bind == elf.STB_GLOBAL && s.name != "" && l.globals[s.name] == nil {
			names = append(names, s.name)
		}
	}
	return names
}

// defines reports whether o defines a global name. A common symbol does not pull
// its object out of an archive.
func (o *object) defines() (names []string) {
	for i := range o.symbols {
		if s := &o.symbols[i]; i > 0 && s.global() && !s.undefined() && s.index != elf.SHN_COMMON {
			names = append(names, s.name)
		}
	}
	return names
}

// pull takes members out of the archives, and sources out of the library, until
// nothing that is missing can be found there, as ld does within a group.
func (l *linker) pull() {
	index := map[string][]*object{}
	for _, m := range l.members {
		for _, name := range m.defines() {
			index[name] = append(index[name], m)
		}
	}
	todo := slices.Clone(l.opt.Roots)
	todo = append(todo, l.sourceWants...)
	for _, o := range l.objects {
		todo = append(todo, l.wants(o)...)
	}
	taken := map[*object]bool{}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if l.globals[name] != nil {
			continue
		}
		if list := index[name]; len(list) > 0 && !taken[list[0]] {
			taken[list[0]] = true
			l.admit(list[0])
			todo = append(todo, l.wants(list[0])...)
			continue
		}
		if l.opt.Library == nil || slices.Contains(l.opt.Roots, name) {
			continue
		}
		if src, ok := l.opt.Library(name); ok && !l.haveSource(src.Name) {
			l.sources = append(l.sources, src)
			l.library = append(l.library, src.Name)
		}
	}
}

func (l *linker) haveSource(name string) bool {
	return slices.ContainsFunc(l.sources, func(s asm.Source) bool { return s.Name == name })
}
