package experiment

import "spinlab/asm"

// CodeSize is how many bytes the function at a label has: what .size says, else
// the distance to the next global label of its section, or to the section's end.
func CodeSize(obj *asm.Object, label asm.Symbol) uint64 { return codeSize(obj, label) }
