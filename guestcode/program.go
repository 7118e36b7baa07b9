package guestcode

import "spinlab/asm"

// DefaultIters is how often each vCPU takes the lock if Config does not say.
const DefaultIters = 1000

// maxTurns bounds ITERS, WORK_IN and WORK_OUT: they are loaded as 32-bit
// counters.
const maxTurns = 0x7fffffff

// Config says how to build a program.
type Config struct {
	// VCPUs is how many will run it, 0 if that is not known yet. Too many for
	// the width of the tickets are refused.
	VCPUs int
	// Iters is the number of acquisitions of each vCPU, 0 for DefaultIters.
	Iters int64
	// WorkIn and WorkOut are turns of a work loop inside and outside the
	// critical section; with 0 there is no loop at all.
	WorkIn, WorkOut int64
	// Forever makes the harness endless and takes the counter out of it.
	Forever bool
	// TicketBits chooses the width of tickets, 0 for the variant's default.
	TicketBits int
	// IRQs links the harness with interrupt handlers: see src/harness-irq.s. A
	// program that drives itself brings its own.
	IRQs bool
	// Do are the lock programs, one for each of the VCPUs; nil: each takes lock
	// A Iters times. The letters are those of the package documentation.
	Do []string
	// Handlers are lock programs that interrupts run; they imply IRQs.
	Handlers []Handler
	// FreeLast makes whoever takes the lock last give its memory back after the
	// release, as an object is freed that the lock is part of. Any access after
	// that is wrong.
	FreeLast bool
	// Main is a program that drives the lock: it has a vcpu_main, and calls
	// spin_init itself in its vcpu_boot.
	Main *asm.Source
	// Defines override parameters of the sources.
	Defines map[string]int64
	// Bind names the functions of a user's files.
	Bind Binding
	// Load is the address of flat binaries, nil if none was given.
	Load *uint64
}

// Program is an assembled guest program and where its parts are.
type Program struct {
	Name   string
	Object *asm.Object

	// Boot runs on vCPU 0 alone before the others start, 0 if there is nothing
	// to do; Main is where each vCPU starts.
	Boot, Main uint64

	// The probes, addresses in the harness: the call of spin_lock, the
	// instruction after it, the call of spin_unlock, the instruction after it.
	// All 0 if the program drives itself.
	Acquire, Acquired, Release, Released uint64

	// Lock and Counter are what the harness works on, 0 without it. Stats is
	// the address of spinlock_stats, 0 if nothing is counted.
	Lock, Counter, Stats uint64

	// Counters are those of a lock program, and Want what they must add up to at
	// its end, beside the numbers at the addresses Takes, which the guest counts
	// itself: tries that succeed and interrupts that come. Nil and 0 without.
	Counters, Takes []uint64
	Want            uint64
	// Vectors are those of Config.Handlers: an interrupt with it runs it.
	Vectors []uint8

	// Probes are further places that mean the same: those of lock programs, and
	// what Binding.Probes names.
	Probes []ProbeAt
	// Endless says that a vCPU of a lock program repeats for ever.
	Endless bool

	Harness bool  // the harness drives the program
	Iters   int64 // how often each vCPU takes the lock then
	// Bind says what the functions are called that the harness calls.
	Bind Binding
	// PerCPU is what every per-CPU area holds at the start, nil for zeros.
	PerCPU []byte
	// Notes say what of the user's files was left out and why.
	Notes []string
	// Backend is the hypervisor that the program was written for; BackendNone
	// runs on any.
	Backend Backend
	// IRQHandler and NMIHandler are the handlers that a host-built descriptor
	// table must name, 0 if there are none or the guest builds its own.
	IRQHandler, NMIHandler uint64
}

// Probe is what a probe's address means.
type Probe uint8

// The probes. A vCPU waits for a lock from Acquire on, until Acquired or Awaited;
// it holds it from Acquired or Taken to Release.
const (
	ProbeAcquire  Probe = iota + 1 // the call of spin_lock or spin_unlock_wait
	ProbeAcquired                  // the instruction after spin_lock
	ProbeRelease                   // the call of spin_unlock
	ProbeReleased                  // the instruction after it
	ProbeTaken                     // a spin_trylock has succeeded
	ProbeAwaited                   // the instruction after spin_unlock_wait
	ProbePassed                    // behind that
)

// ProbeAt is a probe and its address. RDI names the lock at those that begin or
// end a wait or a hold, Acquired and Awaited aside.
type ProbeAt struct {
	Probe Probe
	Addr  uint64
}
