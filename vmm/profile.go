package vmm

import (
	"spinlab/cpu"
	"spinlab/mem"
)

// Policy is how a host shares its pCPUs.
type Policy uint8

// The policies.
const (
	RoundRobin Policy = iota // slices of equal length, in turn
	CFS                      // Linux's completely fair scheduler: see sched_fair.go
)

func (p Policy) String() string { return [...]string{"round robin", "cfs"}[p] }

// PLEKind is how a CPU notices that a guest spins.
type PLEKind uint8

// The kinds of pause-loop exiting.
const (
	PLENone PLEKind = iota // it does not
	PLEVMX                 // Intel: gap and window, in cycles
	PLESVM                 // AMD: the pause filter, a count of PAUSEs
)

func (k PLEKind) String() string { return [...]string{"none", "vmx", "svm"}[k] }

// HaltPoll says how long a host polls for a wake-up before a halted vCPU
// sleeps, in cycles: each vCPU's time adapts between 0 and Max.
type HaltPoll struct {
	Max, Start   mem.Cycles
	Grow, Shrink uint64 // factors; a Shrink of 0 is back to 0
}

// Profile is the cost model: everything on a machine that takes time, in
// cycles.
type Profile struct {
	Name string
	MHz  uint64 // to turn cycles into seconds

	PCPUs       int // that such a machine has; 0: as the user likes
	SocketCores int // pCPUs of a socket: those share a last-level cache; 0: all

	CPU   cpu.Costs
	Lines mem.LineCosts

	// Exit is the round trip of an exit by its reason: out of the guest, the
	// handler, back in.
	Exit [NumReasons]mem.Cycles
	// Wake is what passes between a kick and its target being ready to run:
	// the wake-up, the IPI to the target's pCPU and the way out of idle.
	Wake mem.Cycles
	// IdleExit is what a pCPU that has gone idle takes on top, under CFS.
	IdleExit mem.Cycles
	// IPI is the way of an interrupt to a pCPU that a directed yield preempts.
	IPI mem.Cycles
	// Switch is a context switch between vCPUs, or from idle to one.
	Switch mem.Cycles

	Policy Policy
	Fair   FairParams // of CFS
	Poll   HaltPoll
	// Slice is how long a vCPU runs while others wait for its pCPU.
	Slice mem.Cycles
	// Skew is the exclusive bound of the start skews that a seed draws.
	Skew mem.Cycles

	// PLEGap and PLEWindow are the pause-loop exiting controls of VMX; with
	// SVM the gap is the filter's threshold and PLECount its count. Window or
	// count grow with each exit up to PLEMax and shrink when the vCPU gets a
	// pCPU: see grown and shrunk in sched_yield.go.
	PLEKind            PLEKind
	PLEGap, PLEWindow  mem.Cycles
	PLECount           uint32
	PLEGrow, PLEShrink uint64
	PLEMax             uint64
	// PLEUsual says that hosts of this profile use it unless told otherwise.
	PLEUsual bool
}

// cycles turns nanoseconds into cycles.
func (p *Profile) cycles(ns uint64) mem.Cycles { return ns * p.MHz / 1000 }

// profiles are the machines that are known by name.
var profiles = []Profile{
	{
		Name: "default",
		MHz:  3000, // ours, because it makes 1 µs 3,000 cycles: a recent server core at its base clock

		CPU: cpu.Costs{
			// Ours, because the core is not pipelined: one cycle for what a
			// real one does several of at once.
			cpu.ClassALU: 1,
			// The L1 load-to-use latency since Nehalem (Intel optimization
			// manual, cache parameters): spin loops wait for their load.
			cpu.ClassLoad: 4,
			// Ours, because a buffered store costs its slot and no latency.
			cpu.ClassStore: 1,
			// MUL r64 3 and DIV r64 about 26 cycles on Skylake to Ice Lake
			// (Agner Fog, instruction tables).
			cpu.ClassMul: 3,
			cpu.ClassDiv: 26,
			// LOCK XADD with the line in L1: 18 to 20 cycles (Agner Fog).
			cpu.ClassLocked: 20,
			// MFENCE: 33 to 36 cycles (Agner Fog, Skylake).
			cpu.ClassFence: 33,
			// PAUSE: about 10 cycles before Skylake and 140 since (Intel
			// optimization manual, 2.5.4). The seeds' locks were tuned on the
			// former: their 2,048 turns are then well below a slice.
			cpu.ClassPause: 10,
			// Ours, because one turn is a load, a store and two increments.
			cpu.ClassString: 4,
			// Ours, because CLI, STI, SWAPGS and the like are microcoded
			// sequences of 4 to 20 cycles (Agner Fog).
			cpu.ClassSystem: 10,
		},
		Lines: mem.LineCosts{
			Fill:     200, // DRAM at 65 ns or so
			Upgrade:  60,  // an ownership request to the shared cache: its latency
			Transfer: 150, // 100 to 165 cycles between cores of a socket, core-to-core pings of the X5570 to Zen
			Remote:   330, // about 110 ns across a socket link
		},
		Exit: exits(2000), // in the range that kvm-unit-tests' vmexit test prints on Nehalem to Skylake
		Wake: 9000,        // 3 µs: ours, because wake-up, IPI and idle exit take 2 to 5 µs on servers

		Switch: 7500, // 2.5 µs: ours, because it includes the guest's registers and cold caches

		Slice: 100_000, // ours, because it is long beside an exit and short beside a test
		Skew:  10_000,  // ours, because a bring-up by IPI is spread over some microseconds

		PLEKind:   PLEVMX,
		PLEGap:    128,  // ple_gap of KVM since 2014
		PLEWindow: 4096, // ple_window of KVM; grow and shrink 0 keep it at that
	},
	x5570(),
	x7560(),
	zen5(),
}

// exits gives every reason the same round trip, with what deviates.
func exits(trip mem.Cycles) (e [NumReasons]mem.Cycles) {
	for r := range e {
		e[r] = trip
	}
	e[ReasonHypercall] = trip + 500 // ours, because a kick looks its target up and sends an IPI
	e[ReasonWorkload] = 0           // an instrument
	e[ReasonRDTSC] = 0              // VMX offsets the TSC without an exit (SDM vol. 3C, 25.6.5)
	return e
}

// FindProfile returns the profile of that name.
func FindProfile(name string) (Profile, bool) {
	for _, p := range profiles {
		if p.Name == name {
			return p, true
		}
	}
	return Profile{}, false
}

// ProfileNames lists the profiles, "default" first.
func ProfileNames() []string {
	var names []string
	for _, p := range profiles {
		names = append(names, p.Name)
	}
	return names
}
