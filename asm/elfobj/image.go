package elfobj

import "spinlab/asm"

// Image is what Link makes.
type Image struct {
	*asm.Object
	// Entry is where an executable or a flat binary says that it begins, 0 if
	// there is none.
	Entry uint64
	// PerCPU is what every per-CPU area holds at the start, from the offset
	// Options.PerCPU on; nil if no object has per-CPU variables.
	PerCPU []byte
	// Notes say what was left out and why, a sentence each.
	Notes []string

	compiled map[string]bool
}

// Compiled reports whether a symbol is of an object, an executable or a flat
// binary, and not of an assembler source.
func (m *Image) Compiled(s asm.Symbol) bool { return m.compiled[s.Source] }

// AllSource reports whether no file but assembler sources is in it.
func (m *Image) AllSource() bool { return len(m.compiled) == 0 }
