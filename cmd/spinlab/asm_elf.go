package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"spinlab/asm"
	"spinlab/asm/elfobj"
)

// writeELF writes a file's relocatable object.
func writeELF(arg string, stdin io.Reader, words []string, base, out string) error {
	switch {
	case out == "":
		return errors.New("-o elf: give the object's name with --out FILE")
	case base != "":
		return errors.New("--base: an object has no addresses yet; it is for images")
	}
	defines, err := parseDefines(words)
	if err != nil {
		return err
	}
	t, err := findTarget(arg, stdin)
	if err != nil {
		return err
	}
	if t.variant != nil {
		return fmt.Errorf("-o elf: %s is a variant of several sources; an object is made of one file", t.name)
	}
	if len(t.files) != 1 || elfobj.KindOf(t.files[0], false) != elfobj.KindSource {
		return fmt.Errorf("-o elf: %s: one source file is wanted", t.name)
	}
	obj, err := asm.AssembleObject(asm.Options{Defines: defines}, t.files[0])
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, obj, 0o644); err != nil {
		return fileError(out, err)
	}
	return nil
}
