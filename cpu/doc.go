// Package cpu is one x86-64 core: registers, decoding, and what each
// instruction does.
//
// The way of an instruction: Code decodes the bytes once (x86asm behind a
// small pre-decoder, decode.go) into an Op and keeps straight runs of Ops as
// blocks. Core.Run takes blocks and executes them. Every instruction has one
// row in the table (table.go) and one handler (sem_*.go), written once for all
// operand widths; the handlers alone are the reference. On top of them fast.go
// runs the common Ops in one dense switch, whole blocks or with Core.Turn one
// instruction at a time; tests hold them equal. Turns of a loop that only looks
// are not even run where they are known to be alike (spin.go).
//
// A handler reads first, then stores, and changes registers and flags last.
// So an instruction that faults, or must wait for its store buffer, or stops
// before a shared access has changed nothing and can simply be tried again.
//
// Exceptions and interrupts at CPL 0 go through the guest's IDT (except.go) if
// it has one; everything else that cannot be handled is a stop. Segments are
// flat and there is no task state segment.
//
// The core knows no hypercall, no scheduler and no clock. What it cannot do
// alone it hands to its driver as an Exit (HLT, VMCALL, CPUID, port I/O, MSRs,
// control registers, a pause loop), a Fault without a handler, or an
// unmodelled instruction that is named, never skipped.
package cpu
