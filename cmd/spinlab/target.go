package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"spinlab/asm"
	"spinlab/asm/elfobj"
	"spinlab/experiment"
	"spinlab/guestcode"
	"spinlab/locktest/engine"
)

// maxSource bounds a file of a target, in bytes.
const maxSource = 16 << 20

// target is what TARGET named: a row of the table of variants, or files.
type target struct {
	name    string
	variant *guestcode.Variant // nil for files
	files   []asm.Source       // sources, objects, archives, executables, flat binaries
}

// fileSuffixes end the names of files that a target may be.
var fileSuffixes = []string{".s", ".S", ".o", ".a", ".bin", ".elf", ".ko"}

// findTarget resolves a TARGET. The name of a variant comes first; a file of
// the same name is reached as ./name. Everything else is files, with commas
// between them; "-" is the standard input.
func findTarget(arg string, stdin io.Reader) (target, error) {
	if v, ok := guestcode.Lookup(arg); ok {
		return target{name: arg, variant: &v}, nil
	}
	names := fileNames(arg)
	if len(names) == 1 && !looksLikeFile(arg) {
		return target{}, unknownVariant(arg)
	}
	t := target{name: arg}
	for _, name := range names {
		if name == "" {
			return t, fmt.Errorf("%s: a name is missing beside a comma", arg)
		}
		src, err := readSource(name, stdin)
		if err != nil {
			return t, err
		}
		if slices.ContainsFunc(t.files, func(f asm.Source) bool { return f.Name == src.Name }) {
			return t, fmt.Errorf("%s: %s is given twice", arg, name)
		}
		t.files = append(t.files, src)
	}
	if len(names) == 1 {
		t.name = t.files[0].Name
	}
	return t, nil
}

// fileNames splits a TARGET of several files. A file whose own name has a comma
// is one file.
func fileNames(arg string) []string {
	if _, err := os.Stat(arg); err == nil || !strings.Contains(arg, ",") {
		return []string{arg}
	}
	return strings.Split(arg, ",")
}

func looksLikeFile(arg string) bool {
	if arg == "-" || strings.ContainsAny(arg, `/\`) {
		return true
	}
	if slices.ContainsFunc(fileSuffixes, func(s string) bool { return strings.HasSuffix(arg, s) }) {
		return true
	}
	_, err := os.Stat(arg)
	return err == nil
}

// readSource reads a file of whatever kind; asm/elfobj will see what it is.
func readSource(name string, stdin io.Reader) (asm.Source, error) {
	in := stdin
	if name == "-" {
		name = "stdin"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return asm.Source{}, fileError(name, err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxSource+1))
	switch {
	case err != nil:
		return asm.Source{}, fileError(name, err)
	case len(text) > maxSource:
		return asm.Source{}, fmt.Errorf("%s: longer than %d MiB", name, maxSource>>20)
	}
	return asm.Source{Name: name, Text: text}, nil
}

// fileError says what is wrong with a file, with its name once.
func fileError(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// build makes the target's program for the machine.
func (t target) build(c guestcode.Config) (*guestcode.Program, error) {
	if t.variant != nil {
		if err := forVariant(t.name, c); err != nil {
			return nil, err
		}
		return guestcode.Build(*t.variant, c)
	}
	p, err := guestcode.BuildSource(c, t.files...)
	if err != nil {
		return nil, t.named(err)
	}
	p.Name = t.name
	return p, checkProbes(p, c.Bind.Probes)
}

// checkProbes refuses a --probe in the middle of an instruction: nobody would
// ever pass it, and a check would hold.
func checkProbes(p *guestcode.Program, given []string) error {
	if len(given) == 0 {
		return nil
	}
	for _, x := range p.Probes {
		if !engine.Begins(p.Object, x.Addr) {
			return fmt.Errorf("%s: --probe: no instruction begins at %#x (%s); spinlab dis shows where they do", p.Name, x.Addr, experiment.Symbol(p.Object, x.Addr))
		}
	}
	return nil
}

// named puts the target's name before an error that has no place of its own.
func (t target) named(err error) error {
	if errors.As(err, new(asm.ErrorList)) || errors.As(err, new(elfobj.ErrorList)) {
		return err
	}
	return fmt.Errorf("%s: %w", t.name, err)
}

// code is what asm, dis and run --bare work on: an image, without a harness
// unless it is a variant.
type code struct {
	name  string
	obj   *asm.Object
	entry uint64 // of an executable or a flat binary, else 0
	notes []string
	files bool // it is made of files
}

// findCode resolves the argument of dis and run --bare. In this order it is
//
//	hex:BYTES    machine code in hex digits, blanks allowed
//	a variant    with its harness
//	files        sources, objects, archives, executables, flat binaries
//	hex digits   at least two, and an even number of them
//
// With lenient, undefined symbols of objects are notes.
func findCode(arg string, stdin io.Reader, c guestcode.Config, lenient bool) (code, error) {
	if digits, ok := strings.CutPrefix(arg, "hex:"); ok {
		raw, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
		if err != nil {
			return code{}, fmt.Errorf("hex: %w", err)
		}
		return rawCode(raw, c.Load)
	}
	if v, ok := guestcode.Lookup(arg); ok {
		c.Bind.Main = "" // where a bare core starts
		if err := forVariant(arg, c); err != nil {
			return code{}, err
		}
		p, err := guestcode.Build(v, c)
		if err != nil {
			return code{}, err
		}
		return code{name: arg, obj: p.Object}, nil
	}
	if len(fileNames(arg)) == 1 && !looksLikeFile(arg) {
		if raw, err := hex.DecodeString(arg); err == nil && len(raw) > 0 {
			return rawCode(raw, c.Load)
		}
		return code{}, fmt.Errorf("%w; machine code is given as hex:BYTES", unknownVariant(arg))
	}
	t, err := findTarget(arg, stdin)
	if err != nil {
		return code{}, err
	}
	return t.image(c, lenient, 0)
}

// image links files without a harness, at base if that is not 0.
func (t target) image(c guestcode.Config, lenient bool, base uint64) (code, error) {
	opt := guestcode.LinkOptions(c)
	opt.Text, opt.Data, opt.Lenient, opt.All = base, 0, lenient, lenient
	img, err := elfobj.Link(opt, t.files...)
	if err != nil {
		return code{}, t.named(err)
	}
	return code{name: t.name, obj: img.Object, entry: img.Entry, notes: img.Notes, files: true}, nil
}

// rawCode is machine code without a source: a .text at the usual address, or
// where --load says.
func rawCode(raw []byte, load *uint64) (code, error) {
	if len(raw) == 0 {
		return code{}, errors.New("hex: no bytes")
	}
	if len(raw) > maxSource {
		return code{}, fmt.Errorf("hex: longer than %d MiB", maxSource>>20)
	}
	text := asm.Section{Name: ".text", Addr: asm.DefaultBase, Data: raw, Exec: true}
	if load != nil {
		text.Addr = *load
	}
	return code{name: "hex", obj: asm.NewObject([]asm.Section{text}, nil, nil)}, nil
}
