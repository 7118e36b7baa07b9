// Package guestcode holds the programs that the simulated machine runs: the
// lock variants, the harness that drives them, and the one table that names
// them.
//
// The locks are GNU as source (src/*.s, embedded), written instruction for
// instruction after the listings and patches that their comments cite. There is
// no Go logic of any lock here: this package picks sources and symbols, calls
// the assembler and reports where things ended up.
//
//	variants.go   what a variant is, look-up by name
//	table.go      the rows: sound variants first, broken twins after them
//	build.go      variant or user's sources + harness -> Program
//	program.go    Config and Program: what goes in and what comes out
//	sequence.go   Aa,ABba: the sequence of one vCPU or handler
//	do.go         lock programs: a sequence of takes and releases for each vCPU
//	link.go       what may be linked where; what objects of Linux get
//	bind.go       which functions of a user's files play which part; probes
//	threads.go    the threads P0, P1, … of a user's files
//	errors.go     what a caller may want to tell apart
//	layout.go     the guest's address map
//	src/          the locks; backend-*.s and xen-events.s, how they sleep and
//	              wake; spin-stats.s; harness.s: vcpu_boot, vcpu_main and the
//	              probe labels; harness-irq.s: its interrupt handlers;
//	              harness-do.s: the macros of lock programs; start*.s,
//	              init-args.s: callers of compiled code; linux-*.s: per-CPU variables
//
// # The guest ABI
//
// A variant gives the global functions spin_lock and spin_unlock (%rdi = lock,
// %rsi = the caller's own queue node) and, if it likes, spin_trylock,
// spin_is_locked and spin_init. All run at CPL 0 with the System V convention.
// spin_init runs on vCPU 0 alone before the others start, as the kernel sets up
// its spinlocks before it brings up the other CPUs; it may patch code, so the
// guest's text must be mapped writable. The parameters of a variant are its
// `.set NAME, default` symbols, which a define overrides.
//
// # Broken twins
//
// A twin is a row that names the file of its sound parent and the symbol that
// breaks it (UNLOCKED_ADD=1, …). The file holds both forms side by side under
// .if, so twin and parent differ in the mutation and nothing else.
package guestcode
