package elfobj

import (
	"bytes"
	"strings"

	"spinlab/asm"
)

// Kind is what a file is.
type Kind uint8

// The kinds.
const (
	KindSource  Kind = iota // GNU as source
	KindELF                 // an object or an executable
	KindArchive             // a library of objects
	KindRaw                 // machine code without a header
)

// Magic numbers at the start of a file.
const (
	magicELF     = "\x7fELF"
	magicArchive = "!<arch>\n"
	magicThin    = "!<thin>\n"
	magicBitcode = "BC\xc0\xde"
)

// KindOf tells what a file is. Contents decide. Without a magic number the name
// does: .o and .a will be refused, .bin is raw code, .s and .S are source, and so
// is everything else unless a load address is given.
func KindOf(f asm.Source, load bool) Kind {
	switch {
	case bytes.HasPrefix(f.Text, []byte(magicELF)):
		return KindELF
	case bytes.HasPrefix(f.Text, []byte(magicArchive)), bytes.HasPrefix(f.Text, []byte(magicThin)):
		return KindArchive
	case strings.HasSuffix(f.Name, ".o"), strings.HasSuffix(f.Name, ".ko"):
		return KindELF
	case strings.HasSuffix(f.Name, ".a"):
		return KindArchive
	case strings.HasSuffix(f.Name, ".bin"):
		return KindRaw
	case load && !strings.HasSuffix(f.Name, ".s") && !strings.HasSuffix(f.Name, ".S"):
		return KindRaw
	}
	return KindSource
}
