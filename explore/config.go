package explore

import (
	"spinlab/mem"
	"spinlab/vmm"
)

// Target is a program to explore and what to ask of it.
type Target struct {
	Name string

	// Machine is the machine; it has one VM. PCPUs, Profile, Commit and the
	// like mean nothing here: every vCPU has a pCPU and a store buffer of its
	// own, and time does not exist.
	Machine vmm.Config

	// Starts tell how each vCPU starts where that differs from the image's Main
	// with RDI = index; nil or one for each vCPU.
	Starts []vmm.Start

	// Setup is written to memory before the start.
	Setup []mem.Run

	// Interrupts are the vectors that each vCPU takes once, in this order, at any
	// boundary where it may; nil, or a list for each vCPU. The image has handlers.
	Interrupts [][]uint8
	// IRQsOff keeps interrupts disabled at the start of those vCPUs.
	IRQsOff bool

	// Observe is read in every final state; the tuples seen are Result.Finals.
	Observe []Observable
	// Final must hold in every final state; nil asks nothing.
	Final *Predicate

	// Symmetric says that vCPUs cannot tell who they are: they run the same code,
	// read neither an index nor an APIC id, and scan nothing in order. With
	// ReduceAll, states that differ only in who is who are then one.
	Symmetric bool
	// Endless says that no final state is expected, so that "the end is out of
	// reach" is no violation.
	Endless bool
	// MaxOvertaking bounds, for endless targets, how often others may get a lock
	// while a vCPU waits for it; 0 is no bound.
	MaxOvertaking int
	// Unfair drops the question whether a vCPU can starve.
	Unfair bool
	// Complete makes the search go on after a violation, so that Finals is
	// complete.
	Complete bool

	// Source names the source line of an address, "" if there is none, and
	// Place names a data address; both may be nil. They are for traces only.
	Source func(addr uint64) string
	Place  func(addr uint64) string
}

// Reduction says how much of the interleavings is left out because something
// equivalent is searched.
type Reduction uint8

// The reductions.
const (
	// ReduceAll is ReduceSteps where loads of words that nobody ever writes are
	// private, too, dead registers do not count, and neither does who is who
	// where the target is declared symmetric.
	ReduceAll Reduction = iota
	// ReduceSteps merges a visible action with the private instructions and
	// store enqueues that follow it.
	ReduceSteps
	// ReduceNone makes every instruction a step.
	ReduceNone
)

func (r Reduction) String() string { return [...]string{"all", "steps", "none"}[r] }

// Config bounds and tunes a search. The zero value has no bounds.
type Config struct {
	Reduce    Reduction
	MaxStates uint64 // distinct states; 0: no limit
	MaxMemory uint64 // bytes of the visited set and the graph; 0: no limit
	// Expired is asked now and then whether time is up; nil: never. The clock
	// is the caller's.
	Expired func() bool
	// Progress is told now and then how far the search is; nil: nobody.
	Progress func(states, waiting uint64)
	// DrainOnHalt makes HLT wait for the own store buffer. The manuals promise
	// nothing, so not draining is the default.
	DrainOnHalt bool
	// Weak searches a machine that is not x86-TSO: younger stores may commit
	// before older ones to other bytes.
	Weak bool
	// Workers is how many goroutines search; 0 and 1: only the caller's. The
	// result is the same in every byte.
	Workers int

	crowd uint32 // least states for workers; 0: roundLeast. Tests make it less
}

// Verdict says how a search ended; the JSON contract has the same words.
type Verdict string

// The verdicts.
const (
	Holds    Verdict = "holds"
	Violated Verdict = "violated"
	Bounded  Verdict = "bounded" // a bound was hit: nothing is known about the rest
)

// Property is what can be violated.
type Property string

// The properties.
const (
	Exclusion Property = "exclusion" // two vCPUs between acquired and release of one lock
	Deadlock  Property = "deadlock"  // nothing can happen and somebody is not done
	Livelock  Property = "livelock"  // the end cannot be reached any more
	Assertion Property = "assertion" // a non-zero exit code
	Fault     Property = "fault"     // an exception that nobody handles
	Freed     Property = "freed"     // an access to memory that was given back
	Final     Property = "final"     // a final state without the asked predicate
	// Of endless targets:
	Starvation Property = "starvation" // a fair cycle in which somebody waits for ever
	Overtaken  Property = "overtaking" // others came first too often
)

// OfGraph says that a property is one of the whole graph: no single state shows
// that it is violated, but its trace leads there.
func (p Property) OfGraph() bool { return p == Livelock || p == Starvation || p == Overtaken }

// Result is what a search found.
type Result struct {
	Verdict  Verdict
	Property Property // of the violation, "" without one
	Message  string   // what is wrong, or which bound was hit

	States      uint64
	Transitions uint64
	Bytes       uint64 // of the visited set and the graph
	Restarts    int    // how often memory that was taken for private was not

	// Random tells of the schedules of Random; nil after a search.
	Random *Sampling

	// Finals are the values of Target.Observe in the final states reached, each
	// tuple once, sorted.
	Finals [][]uint64
	// Stuck are the same values in the states in which nothing can happen and
	// somebody is not done; all of them only with Target.Complete.
	Stuck [][]uint64

	// Overtaking tells of an endless target how often others get a lock while a
	// vCPU waits for it; nil if nothing is known.
	Overtaking *Overtaking

	// Unentered says that the target has probes, and that no vCPU ever came into a
	// critical section, in anything that Explore or Random was to look at: exclusion
	// was never put to the test.
	Unentered bool

	// Trace leads from the start to the violation, as short as there is one in
	// steps of the reduction used; that of a livelock to a state from which the
	// end is out of reach. It is nil without a violation.
	Trace *Trace
}

// Trace is one interleaving: the actions from the start on, and what their
// steps mean.
type Trace struct {
	Path        []vmm.Action
	Reduce      Reduction
	DrainOnHalt bool
	Weak        bool
	Shared      []uint64 // pages of stacks that turned out to be shared
	RedZone     uint64   // bytes below RSP that turned out to be in use
	Varying     []uint64 // with ReduceAll: shared words that are written
	Loop        int      // number of the action, from 1, from which on all is repeated for ever; 0: nothing is
	AllLive     bool     // with ReduceAll: dead registers could not be told
	WhoIsWho    bool     // with ReduceAll: vCPUs turned out to differ
}
