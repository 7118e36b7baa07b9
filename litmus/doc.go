// Package litmus reads litmus tests as herd7 reads them, runs them on the
// machine, and prints what herd7 would print.
//
// It has no memory model of its own. A test becomes a machine: every process
// is a vCPU with real machine code, every location lies on a cache line of its
// own in shared memory, and explore searches all orders in which instructions
// can step and store buffers can drain. What is left to do here is to read the
// format, to look at the final states, and to judge the condition.
//
//	test.go      Test and its parts
//	name.go      registers, locations, values: how they are written and ordered
//	lex.go       tokens of the init block and the condition
//	parse.go     the file as a whole
//	init.go      { x=1; int y=0; 0:rax=x; }
//	cond.go      locations, filter, exists (…)
//	prop.go      propositions: printing and truth
//	code.go      the table of instructions
//	operand.go   operands of both dialects
//	emit.go      instructions as GNU as source
//	build.go     Test -> explore.Target
//	run.go       explore.Result -> Outcome
//	print.go     Outcome as herd7's text
//	compare.go   herd7's text -> states and verdict, for comparison
//
// # The two dialects
//
// X86_64 is AT&T syntax with (x) or [x] for a location; it goes to the
// assembler nearly as it is, so the whole instruction set is there. X86 is the
// older dialect with the destination first and 32-bit registers; its
// instructions are turned around and run in 64-bit mode, where addresses are
// taken from the 64-bit registers.
//
// # What is not as in herd7
//
// Witnesses are final states here. herd7 counts executions, and several of
// them may end in the same state; the verdict and whether something is seen
// never, sometimes or always are the same. SFENCE and LFENCE order no store
// before a load. Symbolic registers (%a0), faults, page tables and labels as
// values are refused with a message.
package litmus
