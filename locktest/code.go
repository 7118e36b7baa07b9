package locktest

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"spinlab/locktest/engine"
)

// Code is code under test.
type Code struct {
	src engine.Source
	err error
}

// Asm is GNU as source. A lock has the global symbols spin_lock and
// spin_unlock; a source with the labels P0, P1, … has threads; any other is for
// Run and Call.
func Asm(source string) Code { return Code{src: engine.Text("asm", []byte(source))} }

// Bytes is machine code that is called at its first byte.
func Bytes(code []byte) Code {
	src, err := engine.Bytes("bytes", engine.Part{Code: code})
	return Code{src, err}
}

// Functions is machine code of several functions by symbol, in the order of
// their names. Each must work at any address that is a multiple of 16.
func Functions(code map[string][]byte) Code {
	var parts []engine.Part
	for _, name := range slices.Sorted(maps.Keys(code)) {
		if !engine.IsSymbol(name) {
			return Code{err: fmt.Errorf("%q is no symbol", name)}
		}
		parts = append(parts, engine.Part{Symbol: name, Code: code[name]})
	}
	src, err := engine.Bytes("bytes", parts...)
	return Code{src, err}
}

// File is a file: assembler source, as `gcc -S` writes it, or an object.
func File(path string) Code {
	text, err := os.ReadFile(path)
	return Code{engine.Text(path, text), err}
}

// Variant is a built-in lock; `spinlab list variants` has the names.
func Variant(name string) Code {
	src, err := engine.Variant(name)
	return Code{src, err}
}

// Define sets a parameter of the source for all that is done with the result:
// TICKET_BITS of a variant, or any symbol that the source sets with .set.
func (c Code) Define(name string, value int64) Code {
	defines := maps.Clone(c.src.Defines)
	if defines == nil {
		defines = map[string]int64{}
	}
	defines[name] = value
	c.src.Defines = defines
	return c
}
