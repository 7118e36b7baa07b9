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

// KindOf tells what a file is. Contents decide; a file without a magic number is
// source, unless its name ends in .bin, or a load address is given and the name
// does not end in .s or .S.
func KindOf(f asm.Source, load bool) Kind {
	switch {
	case bytes.HasPrefix(f.Text, []byte(magicELF)):
		return KindELF
	case bytes.HasPrefix(f.Text, []byte(magicArchive)), bytes.HasPrefix(f.Text, []byte(magicThin)):
		return KindArchive
	case strings.HasSuffix(f.Name, ".bin"):
		return KindRaw
	case load && !strings.HasSuffix(f.Name, ".s") && !strings.HasSuffix(f.Name, ".S"):
		return KindRaw
	}
	return KindSource
}
