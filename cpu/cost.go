package cpu

import "spinlab/mem"

// Class groups instructions that cost the same.
type Class uint8

// The cost classes.
const (
	ClassALU Class = iota // moves, ALU, flags, lea, branches
	ClassLoad
	ClassStore
	ClassMul
	ClassDiv
	ClassLocked // locked RMW and XCHG with memory, line at hand
	ClassFence  // MFENCE
	ClassPause
	ClassString // one turn of a string instruction
	ClassSystem // CLI, STI, descriptor loads, port and MSR instructions before their exit
	NumClasses
)

// Costs are the cycles of each class with its line at hand.
type Costs [NumClasses]mem.Cycles
