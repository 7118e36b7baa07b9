package elfobj

import (
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spinlab/asm"
)

// maxImage bounds an image, in bytes: all sections, their alignment and .bss.
const maxImage = 16 << 20

// Options place an image and say what it is for.
type Options struct {
	// Text is the address of the first code, 0 for asm.DefaultBase; Data that of
	// the first section that is not executable, 0 for the next page. Executables
	// and flat binaries that fix their own addresses are linked around.
	Text, Data uint64
	// PIE is where a position-independent executable goes, 0 for DefaultPIE.
	PIE uint64
	// PerCPU is the offset in the per-CPU areas where Linux's per-CPU variables
	// begin, and PerCPUEnd where they must end; 0 refuses them.
	PerCPU, PerCPUEnd uint64
	// Load, if not nil, is the address of flat binaries; see KindOf.
	Load *uint64
	// Defines are as in asm.Options, for the sources.
	Defines map[string]int64
	// Roots are names to take out of archives if they are there, besides those
	// that something refers to.
	Roots []string
	// All takes every member of the archives.
	All bool
	// Library gives a source that defines a name which nothing else does.
	Library func(name string) (asm.Source, bool)
	// Lenient is for looking at code only: what keeps a program from running
	// becomes a note, as undefined symbols, which stand for 0, thread-local
	// storage and symbols that are defined twice.
	Lenient bool
}

// DefaultPIE is where a position-independent executable goes: where ld puts the
// others.
const DefaultPIE = 0x400000

// linker is one call of Link.
type linker struct {
	opt     Options
	errs    ErrorList
	notes   []string
	sources []asm.Source
	library []string  // names of the sources that Options.Library gave
	objects []*object // linked, in order
	members []*object // of archives, to choose from
	fixed   []*fixed  // executables and flat binaries
	kept    map[string]string
	work    int // steps over lists that files dictate

	globals     map[string]*definition
	order       []string // their names
	sourceWants []string

	commons  []*definition
	got      table
	chunks   []chunk
	perCPU   []byte
	lines    []asm.Line
	textEnd  uint64 // where sources may go
	dataEnd  uint64
	assembly *asm.Object
}

// chunk is a piece of the image.
type chunk struct {
	name        string
	addr        uint64
	data        []byte
	exec, write bool
}

// Link makes one image of files. A name must not come twice. The error is an
// ErrorList for what is wrong with objects and an asm.ErrorList for sources.
func Link(opt Options, files ...asm.Source) (*Image, error) {
	l := &linker{opt: opt, globals: map[string]*definition{}, kept: map[string]string{}}
	if opt.Text == 0 {
		l.opt.Text = asm.DefaultBase
	}
	if opt.PIE == 0 {
		l.opt.PIE = DefaultPIE
	}
	l.read(files)
	if len(l.errs) > 0 {
		return nil, l.errs
	}
	if len(l.objects)+len(l.members)+len(l.fixed) == 0 {
		return l.sourcesOnly()
	}
	for _, step := range []func() error{l.survey, l.place, l.assemble, l.relocate, l.debugLines} {
		if err := step(); err != nil {
			return nil, err
		}
		if len(l.errs) > 0 {
			return nil, l.errs
		}
	}
	return l.image()
}

// sourcesOnly is what the assembler does alone.
func (l *linker) sourcesOnly() (*Image, error) {
	obj, err := asm.Assemble(asm.Options{Base: l.opt.Text, DataBase: l.opt.Data, Defines: l.opt.Defines}, l.sources...)
	if err != nil {
		return nil, err
	}
	return &Image{Object: obj}, nil
}

// read sorts the files by what they are.
func (l *linker) read(files []asm.Source) {
	raw := false
	for _, f := range files {
		switch KindOf(f, l.opt.Load != nil) {
		case KindSource:
			if isBitcode(f.Text) {
				l.errs.add(f.Name, ltoMessage)
			}
			l.sources = append(l.sources, f)
		case KindArchive:
			l.members = append(l.members, members(f.Name, f.Text, &l.errs)...)
		case KindRaw:
			raw = true
			l.raw(f)
		case KindELF:
			l.elf(f)
		}
	}
	if l.opt.Load != nil && !raw {
		l.errs.add("--load", "none of the files is a flat binary: objects are linked, and executables say where they go")
	}
	if l.opt.All {
		for _, m := range l.members {
			l.admit(m)
		}
		l.members = nil
	}
}

func (l *linker) elf(f asm.Source) {
	o := parse(f.Name, f.Text, &l.errs)
	switch {
	case o == nil:
	case o.typ != elf.ET_REL:
		l.executable(o)
	case o.isLTO():
		l.errs.add(f.Name, ltoMessage)
	default:
		l.admit(o)
	}
}

// admit makes an object a part of the image.
func (l *linker) admit(o *object) {
	o.groups(l.kept, &l.work, &l.errs)
	for i := range o.sections {
		s := &o.sections[i]
		s.decide()
		l.check(s)
		if note, _ := ignoredBecause(s.name); note != "" && s.fate == fateIgnored {
			l.note("%s: section %s is left out: %s", o.name, s.name, note)
		}
	}
	l.objects = append(l.objects, o)
	l.add(o)
}

// forbid complains about what keeps a program from running, or notes it.
func (l *linker) forbid(place, format string, args ...any) {
	if l.opt.Lenient {
		l.note("%s: %s", place, fmt.Sprintf(format, args...))
		return
	}
	l.errs.add(place, format, args...)
}

// maxNotes bounds the notes.
const maxNotes = 100

func (l *linker) note(format string, args ...any) {
	n := readable(fmt.Sprintf(format, args...))
	if len(l.notes) < maxNotes && !slices.Contains(l.notes, n) {
		l.notes = append(l.notes, n)
	}
}

// survey finds out what the sources define and want, and takes what is missing
// out of archives and the library.
func (l *linker) survey() error {
	obj, err := l.dryRun()
	if err != nil {
		return err
	}
	l.addSources(obj)
	l.pull()
	if len(l.library) > 0 {
		known := len(l.sources) - len(l.library)
		if obj, err = l.dryRun(); err != nil {
			return err
		}
		l.addSources(obj, l.sources[known:]...)
	}
	return nil
}

// dryRun assembles the sources with every symbol that they lack somewhere near.
func (l *linker) dryRun() (*asm.Object, error) {
	if len(l.sources) == 0 && len(l.opt.Defines) == 0 {
		return &asm.Object{}, nil
	}
	l.sourceWants = nil
	return asm.Assemble(asm.Options{Base: l.opt.Text, DataBase: l.opt.Data, Defines: l.opt.Defines,
		Extern: func(name string) (uint64, bool) {
			l.sourceWants = append(l.sourceWants, name)
			return l.opt.Text, true
		}}, l.sources...)
}

// addSources puts the sources' globals into the table: those of some sources, or
// of all.
func (l *linker) addSources(obj *asm.Object, some ...asm.Source) {
	for i := range obj.Symbols {
		s := &obj.Symbols[i]
		mine := len(some) == 0 || slices.ContainsFunc(some, func(f asm.Source) bool { return f.Name == s.Source })
		if s.Global && mine {
			l.define(s.Name, &definition{source: s, file: s.Source})
		}
	}
}

// assemble makes the sources' part of the image, now that everything else has an
// address.
func (l *linker) assemble() error {
	if len(l.sources) == 0 {
		if len(l.opt.Defines) > 0 { // let the assembler say that nobody uses them
			_, err := asm.Assemble(asm.Options{Defines: l.opt.Defines})
			return err
		}
		l.assembly = &asm.Object{}
		return nil
	}
	obj, err := asm.Assemble(asm.Options{Base: l.textEnd, DataBase: l.dataEnd, Defines: l.opt.Defines, Extern: l.extern}, l.sources...)
	if err != nil {
		return err
	}
	for i := range obj.Symbols {
		s := &obj.Symbols[i]
		if d := l.globals[s.Name]; d != nil && d.source != nil && s.Global && d.file == s.Source {
			d.source = s // at its final address
		}
	}
	l.assembly = obj
	return nil
}

// extern is the address of a symbol of the objects, for the assembler.
func (l *linker) extern(name string) (uint64, bool) {
	d := l.globals[name]
	if d == nil || d.source != nil {
		if l.opt.Lenient {
			l.note("%s is undefined and stands for 0", name)
		}
		return 0, l.opt.Lenient
	}
	v, err := l.value(d)
	return v, err == nil
}

var errNotLoaded = errors.New("is in a section that is not loaded")

// value is the address of a definition.
func (l *linker) value(d *definition) (uint64, error) {
	switch {
	case d.source != nil:
		return d.source.Addr, nil
	case d.common:
		return d.at, nil
	}
	return d.obj.address(d.sym)
}

// address is where a symbol of o lies.
func (o *object) address(s *symbol) (uint64, error) {
	switch {
	case o.typ != elf.ET_REL:
		return s.value, nil // exec.go has added the bias
	case s.sec == nil:
		return s.value, nil // SHN_ABS
	case s.sec.fate != fateLoaded && s.sec.fate != fatePerCPU:
		return 0, errNotLoaded
	}
	return s.sec.at + s.value, nil
}

// image puts everything together.
func (l *linker) image() (*Image, error) {
	m := &Image{PerCPU: l.perCPU, compiled: map[string]bool{}}
	var secs []asm.Section
	for _, c := range l.chunks {
		secs = append(secs, asm.Section{Name: c.name, Addr: c.addr, Data: c.data, Exec: c.exec, Write: c.write})
	}
	secs = append(secs, l.assembly.Sections...)
	l.checkOverlap(secs)
	syms := l.symbols()
	for _, o := range l.objects {
		m.compiled[o.name] = true
	}
	for _, x := range l.fixed {
		m.compiled[x.name] = true
		if m.Entry == 0 {
			m.Entry = x.entry
		}
	}
	if len(l.errs) > 0 {
		return nil, l.errs
	}
	m.Notes = l.notes
	m.Object = asm.NewObject(secs, append(syms, l.assembly.Symbols...), append(l.lines, l.assembly.Lines...))
	return m, nil
}

// symbols are those of the objects, in order.
func (l *linker) symbols() (list []asm.Symbol) {
	for _, o := range l.objects {
		for i := range o.symbols {
			s := &o.symbols[i]
			if i == 0 || s.name == "" || s.undefined() || s.typ == elf.STT_SECTION || s.typ == elf.STT_FILE || s.index == elf.SHN_COMMON {
				continue
			}
			if d := l.globals[s.name]; s.global() && (d == nil || d.sym != s) {
				continue // another file's definition won
			}
			at, err := o.address(s)
			if err != nil || s.sec != nil && s.sec.fate == fatePerCPU {
				continue
			}
			out := asm.Symbol{Name: s.name, Addr: at, Size: s.size, Global: s.global(), Source: o.name, Absolute: s.sec == nil}
			if s.sec != nil {
				out.Section = s.sec.chunkName()
			}
			list = append(list, out)
		}
	}
	for _, d := range l.commons {
		list = append(list, asm.Symbol{Name: d.sym.name, Addr: d.at, Size: d.size, Global: true, Source: d.file, Section: chunkCommon})
	}
	for _, x := range l.fixed {
		list = append(list, x.symbols()...)
	}
	return list
}

func (s *section) chunkName() string { return s.obj.name + ":" + s.name }

// checkOverlap refuses sections that lie over each other; those of objects
// cannot, but executables and flat binaries say where they go.
func (l *linker) checkOverlap(secs []asm.Section) {
	sorted := slices.Clone(secs)
	slices.SortStableFunc(sorted, func(a, b asm.Section) int {
		if a.Addr < b.Addr {
			return -1
		}
		return 1
	})
	for i := 1; i < len(sorted); i++ {
		a, b := &sorted[i-1], &sorted[i]
		if a.Addr+uint64(len(a.Data)) > b.Addr {
			l.errs.add(strings.TrimSuffix(b.Name, ":"), "%#x to %#x lies over %s, %#x to %#x", b.Addr, b.Addr+uint64(len(b.Data)), a.Name, a.Addr, a.Addr+uint64(len(a.Data)))
		}
	}
}
