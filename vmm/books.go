package vmm

import "spinlab/mem"

// cycleKind is what a vCPU's time is booked as. Every cycle from the start of
// the machine to the end of its VM is booked once.
type cycleKind uint8

const (
	cyclesRun    cycleKind = iota // in the guest, waits for lines and buffers included
	cyclesReady                   // runnable, but the pCPU is another's
	cyclesHalted                  // asleep, or not started yet
	cyclesHost                    // exits and context switches
	cyclesDone                    // after its end
	numCycleKinds
)

// books are the counters of one vCPU that the hypervisor keeps.
type books struct {
	spent [numCycleKinds]mem.Cycles
	since mem.Cycles // up to here all is booked
	in    cycleKind  // as what the time since then counts
	exits [NumReasons]uint64
	kicks uint64

	interrupts uint64 // taken, NMIs among them
	migrations uint64 // moves to another pCPU's queue, under CFS
	polled     uint64 // halts that ended while the host polled

	// closed is told of every entry that is closed, if somebody listens.
	closed func(in cycleKind, from, to mem.Cycles)
}

// String names a kind as the reports and events do.
func (k cycleKind) String() string {
	return [...]string{SpentRun, SpentReady, SpentHalted, SpentHost, SpentDone}[k]
}

// book closes the present entry at t and opens one of another kind.
func (b *books) book(next cycleKind, t mem.Cycles) {
	if b.closed != nil && t != b.since {
		b.closed(b.in, b.since, t)
	}
	b.spent[b.in] += t - b.since
	b.since, b.in = t, next
}
