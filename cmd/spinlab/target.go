package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"spinlab/asm"
	"spinlab/guestcode"
)

// maxSource bounds a source file, in bytes.
const maxSource = 16 << 20

// target is what TARGET named: a row of the table of variants, or a source.
type target struct {
	name    string
	variant *guestcode.Variant // nil for a source
	source  asm.Source
}

// findTarget resolves a TARGET. The name of a variant comes first; a file of
// the same name is reached as ./name. Everything else is a file, "-" is the
// standard input.
func findTarget(arg string, stdin io.Reader) (target, error) {
	if v, ok := guestcode.Lookup(arg); ok {
		return target{name: arg, variant: &v}, nil
	}
	if !looksLikeFile(arg) {
		return target{}, unknownVariant(arg)
	}
	src, err := readSource(arg, stdin)
	return target{name: src.Name, source: src}, err
}

func looksLikeFile(arg string) bool {
	if arg == "-" || strings.ContainsAny(arg, `/\`) || strings.HasSuffix(arg, ".s") || strings.HasSuffix(arg, ".S") || strings.HasSuffix(arg, ".o") {
		return true
	}
	_, err := os.Stat(arg)
	return err == nil
}

// readSource reads a file of assembler source.
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
	case bytes.HasPrefix(text, []byte("\x7fELF")):
		return asm.Source{}, fmt.Errorf("%s: an ELF object; assembler source is wanted", name)
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

// build assembles the target for the machine.
func (t target) build(c guestcode.Config) (*guestcode.Program, error) {
	if t.variant != nil {
		return guestcode.Build(*t.variant, c)
	}
	p, err := guestcode.BuildSource(c, t.source)
	if err != nil && !errors.As(err, new(asm.ErrorList)) {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	return p, err
}

// code is what asm, dis and run --bare work on: an image, without a harness
// unless it is a variant.
type code struct {
	name string
	obj  *asm.Object
}

// findCode resolves the argument of dis and run --bare. In this order it is
//
//	hex:BYTES    machine code in hex digits, blanks allowed
//	a variant    with its harness
//	a file       of assembler source
//	hex digits   at least two, and an even number of them
func findCode(arg string, stdin io.Reader, defines map[string]int64) (code, error) {
	if digits, ok := strings.CutPrefix(arg, "hex:"); ok {
		raw, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
		if err != nil {
			return code{}, fmt.Errorf("hex: %w", err)
		}
		return rawCode(raw)
	}
	if v, ok := guestcode.Lookup(arg); ok {
		p, err := guestcode.Build(v, guestcode.Config{Defines: defines})
		if err != nil {
			return code{}, err
		}
		return code{arg, p.Object}, nil
	}
	if !looksLikeFile(arg) {
		if raw, err := hex.DecodeString(arg); err == nil && len(raw) > 0 {
			return rawCode(raw)
		}
		return code{}, fmt.Errorf("%w; machine code is given as hex:BYTES", unknownVariant(arg))
	}
	src, err := readSource(arg, stdin)
	if err != nil {
		return code{}, err
	}
	obj, err := asm.Assemble(asm.Options{Defines: defines}, src)
	return code{src.Name, obj}, err
}

// rawCode is machine code without a source: a .text at the usual address.
func rawCode(raw []byte) (code, error) {
	if len(raw) == 0 {
		return code{}, errors.New("hex: no bytes")
	}
	if len(raw) > maxSource {
		return code{}, fmt.Errorf("hex: longer than %d MiB", maxSource>>20)
	}
	text := asm.Section{Name: ".text", Addr: asm.DefaultBase, Data: raw, Exec: true}
	return code{"hex", &asm.Object{Sections: []asm.Section{text}}}, nil
}
