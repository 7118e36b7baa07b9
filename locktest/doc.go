// Package locktest tests machine code in Go tests: code that a compiler or a
// JIT has generated, lock code above all. It assembles, runs on a simulated
// core, counts to the instruction, and searches every interleaving on x86-TSO.
// Nothing is executed on the host.
//
// Code comes from Asm, Bytes, Functions, File or Variant. A mistake in it shows
// at its first use.
//
//	code := locktest.Functions(map[string][]byte{"spin_lock": lock, "spin_unlock": unlock})
//	locktest.Budget(t, code,
//		"lock instructions <= 9",
//		"unlock locked == 0",
//		"check holds 2x2")
//
// Every question has two forms: one that fails a test (Run, Count, Holds,
// Violates, Budget, Script) and one that returns an error (Call, Measure,
// Check, Judge).
//
//	code.go    Code
//	call.go    one function alone on one core
//	lock.go    locks: costs, verdicts, budgets
//	script.go  scripts of spinlab test in a Go test
//
// Locks are called as the System V ABI has it: spin_lock and spin_unlock get
// the lock's address in %rdi and a zeroed queue node of the CPU's own in %rsi.
package locktest
