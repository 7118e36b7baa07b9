package vmm

import (
	"fmt"
	"slices"
	"strings"

	"spinlab/cpu"
	"spinlab/mem"
)

// Report is what came out of a run. Its JSON form is the contract of
// `spinlab run -o json`; all times are in cycles.
type Report struct {
	Target  string         `json:"target"` // for the caller to fill in
	Seed    uint64         `json:"seed"`
	Verdict Verdict        `json:"verdict"`
	Message string         `json:"message,omitempty"` // why, unless done
	Cycles  mem.Cycles     `json:"cycles"`            // until the last VM ended
	Counter Counter        `json:"counter"`           // summed over VMs
	VMs     []VMReport     `json:"vms"`
	Lines   mem.LineCounts `json:"lines"`
	Waiting []Stuck        `json:"waiting,omitempty"` // who was not done, unless all were

	// Livelock: at the limit nobody of Waiting could ever go on, because nobody was
	// left to change what they read, and some of them spin.
	Livelock bool `json:"livelock,omitempty"`

	Console string `json:"console,omitempty"` // what guests printed
}

// Counter compares the guest's own count with what it should be.
type Counter struct {
	Want uint64 `json:"want"`
	Got  uint64 `json:"got"`
}

// VMReport is one VM. Its cycles are the time at which its last vCPU was done,
// or at which the machine stopped.
type VMReport struct {
	VM     int          `json:"vm"`
	Hog    bool         `json:"hog,omitempty"` // it only used up time
	Cycles mem.Cycles   `json:"cycles"`
	VCPUs  []VCPUReport `json:"vcpus"`
}

// VCPUReport is one vCPU. The five cycle fields add up to the VM's cycles.
type VCPUReport struct {
	VCPU         int        `json:"vcpu"`
	Instructions uint64     `json:"instructions"`
	Locked       uint64     `json:"locked"`
	Loads        uint64     `json:"loads"`
	Stores       uint64     `json:"stores"`
	Pauses       uint64     `json:"pauses"`
	Exits        Exits      `json:"exits"`
	KicksSent    uint64     `json:"kicks_sent"`
	Interrupts   uint64     `json:"interrupts,omitempty"` // taken, NMIs among them
	RunCycles    mem.Cycles `json:"run_cycles"`           // in the guest
	ReadyCycles  mem.Cycles `json:"ready_cycles"`         // runnable without a pCPU
	HaltedCycles mem.Cycles `json:"halted_cycles"`        // asleep, or before its start
	HostCycles   mem.Cycles `json:"host_cycles"`          // exits and context switches
	DoneCycles   mem.Cycles `json:"done_cycles"`          // after its end
	StallCycles  mem.Cycles `json:"stall_cycles"`         // part of run: waits for lines and store buffers
	YieldsTo     uint64     `json:"directed_yields,omitempty"`
	Migrations   uint64     `json:"migrations,omitempty"`   // under CFS
	PolledHalts  uint64     `json:"polled_halts,omitempty"` // that ended while the host polled
	Acquisitions uint64     `json:"acquisitions"`
	WaitCycles   Spread     `json:"wait_cycles"` // from the call of the lock function to its return
	HoldCycles   Spread     `json:"hold_cycles"` // from there to the call of the unlock function
}

// Exits counts exits by reason.
type Exits struct {
	HLT       uint64 `json:"hlt"`
	Hypercall uint64 `json:"hypercall"`
	Pause     uint64 `json:"pause"`
	Preempt   uint64 `json:"preempt"`
	CPUID     uint64 `json:"cpuid,omitempty"`
	IO        uint64 `json:"io,omitempty"`
	MSR       uint64 `json:"msr,omitempty"`
	CR        uint64 `json:"cr,omitempty"`
	MWAIT     uint64 `json:"mwait,omitempty"`
	Interrupt uint64 `json:"interrupt,omitempty"` // the host injected one
}

// Total is the number of exits of all reasons.
func (e Exits) Total() uint64 {
	return e.HLT + e.Hypercall + e.Pause + e.Preempt + e.CPUID + e.IO + e.MSR + e.CR + e.MWAIT + e.Interrupt
}

// Spread is the mean and the maximum of some durations, 0 if there were none.
type Spread struct {
	Mean float64    `json:"mean"`
	Max  mem.Cycles `json:"max"`
}

// Stuck is a vCPU that was not done when the machine stopped.
type Stuck struct {
	VM     int    `json:"vm"`
	VCPU   int    `json:"vcpu"`
	RIP    uint64 `json:"rip"`
	Symbol string `json:"symbol,omitempty"`
	State  string `json:"state"`
	Kicked bool   `json:"kicked"` // a kick is pending
	IF     bool   `json:"if"`     // it would take interrupts

	// Spins: it goes round a loop that only reads, and came round it the same.
	Spins bool `json:"spins,omitempty"`
}

func (m *Machine) allDone() bool {
	for _, vm := range m.VMs {
		if vm.live != 0 {
			return false
		}
	}
	return true
}

// wrongCount says why a counter is not what it should be: updates were lost, or
// a vCPU ended before it had done its part.
func (m *Machine) wrongCount(vm *VM, c Counter) string {
	var all uint64
	least := vm.VCPUs[0]
	for _, v := range vm.VCPUs {
		all += v.crit.acquisitions
		if v.crit.acquisitions < least.crit.acquisitions {
			least = v
		}
	}
	if all >= c.Want {
		return fmt.Sprintf("vm %d: the counter is %d after %d acquisitions: updates were lost", vm.Index, c.Got, c.Want)
	}
	return fmt.Sprintf("vm %d: its vCPUs ended after %d of %d acquisitions, with the counter at %d: %s had %d", vm.Index, all, c.Want, c.Got, m.place(least), least.crit.acquisitions)
}

// judge gives the verdict when nothing can happen any more.
func (m *Machine) judge() {
	if m.booting {
		m.judgeBoot()
		return
	}
	if !m.allDone() {
		m.stop(VerdictDeadlock, "%s", m.waiting())
		return
	}
	for _, vm := range m.VMs {
		if c := vm.counter(); c.Got != c.Want {
			m.stop(VerdictViolation, "%s", m.wrongCount(vm, c))
		}
	}
	m.stop(VerdictDone, "")
}

// judgeBoot is judge for the boot, where one vCPU alone has to end.
func (m *Machine) judgeBoot() {
	for _, v := range m.VCPUs {
		if v.State != NotStarted && v.State != Done {
			m.stop(VerdictDeadlock, "%s", m.waiting())
		}
	}
	m.stop(VerdictDone, "")
}

// waiting describes every vCPU that is not done.
func (m *Machine) waiting() string {
	var list []string
	for _, v := range m.VCPUs {
		if v.State == Done || v.State == NotStarted || v.VM.hog {
			continue
		}
		w := m.stuck(v)
		flag := 0
		if w.IF {
			flag = 1
		}
		what := "waits for a kick, none is pending"
		if v.State != Asleep {
			what = "has not ended"
		}
		list = append(list, fmt.Sprintf("%s is %s and %s, IF=%d", m.place(v), w.State, what, flag))
	}
	return strings.Join(list, "; ")
}

func (m *Machine) stuck(v *VCPU) Stuck {
	return Stuck{VM: v.VM.Index, VCPU: v.Index, RIP: v.Core.RIP, Symbol: m.symbol(v.Core.RIP),
		State: v.State.String(), Kicked: v.PVUnhalted, IF: v.Core.RFlags()&cpu.IF != 0}
}

// counter sums the VM's counters, if it has any. What they should be is the
// image's Want, or the acquisitions seen.
func (vm *VM) counter() (c Counter) {
	if len(vm.image.Counters) == 0 {
		return c
	}
	for _, a := range vm.image.Counters {
		c.Got += vm.Mem.PeekUint(a, 8)
	}
	if c.Want = vm.image.Want; c.Want == 0 && vm.image.Takes == nil {
		for _, v := range vm.VCPUs {
			c.Want += v.crit.acquisitions
		}
		return c
	}
	for _, a := range vm.image.Takes {
		c.Want += vm.Mem.PeekUint(a, 8)
	}
	return c
}

// report closes the books and writes everything down.
func (m *Machine) report(s *Scheduler) Report {
	r := Report{Seed: m.cfg.Seed, Verdict: m.verdict, Message: m.message, Lines: m.meter.Counts, Console: string(m.console)}
	end := m.endTime(s)
	for _, vm := range m.VMs {
		vr := m.reportVM(vm, end)
		if !vm.hog {
			r.Cycles = max(r.Cycles, vr.Cycles)
		}
		r.VMs = append(r.VMs, vr)
		c := vm.counter()
		r.Counter.Want += c.Want
		r.Counter.Got += c.Got
	}
	if m.verdict != VerdictDone {
		for _, v := range m.VCPUs {
			if v.State != Done && !v.VM.hog {
				w := m.stuck(v)
				w.Spins = m.verdict == VerdictLimit && m.spins(v)
				r.Waiting = append(r.Waiting, w)
			}
		}
		r.Livelock = m.verdict == VerdictLimit && len(s.timers) == 0 && m.nextEvent() == mem.Never && m.livelock(r.Waiting)
	}
	return r
}

// spins says whether v, as long as nobody writes what it reads, will go round its
// loop for ever.
func (m *Machine) spins(v *VCPU) bool {
	return v.State == Runnable && !v.alert && v.work == 0 && v.Core.Circles(v.VM.Mem)
}

// livelock says whether all of those spin or sleep without a kick, some spin, and
// no store is on its way that could end it. Nothing is to come from outside.
func (m *Machine) livelock(waiting []Stuck) bool {
	some := false
	for _, w := range waiting {
		if !w.Spins && (w.State != Asleep.String() || w.Kicked) {
			return false
		}
		some = some || w.Spins
	}
	return some && !slices.ContainsFunc(m.Ports, func(p *mem.Port) bool { return p.B.N != 0 })
}

// endTime is when the machine stopped: as late as anything that has happened.
func (m *Machine) endTime(s *Scheduler) mem.Cycles {
	end := s.now
	for _, v := range m.VCPUs {
		end = max(end, v.books.since)
		if v.pcpu >= 0 {
			end = max(end, v.Core.Now)
		}
	}
	return end
}

func (m *Machine) reportVM(vm *VM, end mem.Cycles) VMReport {
	if vm.live == 0 && !vm.hog {
		end = 0
		for _, v := range vm.VCPUs {
			end = max(end, v.books.since)
		}
	}
	r := VMReport{VM: vm.Index, Hog: vm.hog, Cycles: end}
	for _, v := range vm.VCPUs {
		v.books.book(v.books.in, end)
		r.VCPUs = append(r.VCPUs, v.report())
	}
	return r
}

func (v *VCPU) report() VCPUReport {
	n, b, k := &v.Core.Count, &v.books, &v.crit
	return VCPUReport{
		VCPU:         v.Index,
		Instructions: n.Instructions, Locked: n.Locked, Loads: n.Loads, Stores: n.Stores, Pauses: n.Pauses,
		Exits: Exits{
			HLT: b.exits[ReasonHLT], Hypercall: b.exits[ReasonHypercall], Pause: b.exits[ReasonPause],
			Preempt: b.exits[ReasonPreempt], CPUID: b.exits[ReasonCPUID], IO: b.exits[ReasonIO],
			MSR: b.exits[ReasonMSR], CR: b.exits[ReasonCR], MWAIT: b.exits[ReasonMWAIT], Interrupt: b.exits[ReasonInterrupt],
		},
		KicksSent: b.kicks, Interrupts: b.interrupts,
		RunCycles: b.spent[cyclesRun], ReadyCycles: b.spent[cyclesReady], HaltedCycles: b.spent[cyclesHalted],
		HostCycles: b.spent[cyclesHost], DoneCycles: b.spent[cyclesDone], StallCycles: v.Core.Delay,
		YieldsTo: v.spin.boosts, Migrations: b.migrations, PolledHalts: b.polled,
		Acquisitions: k.acquisitions, WaitCycles: k.wait.stats(), HoldCycles: k.hold.stats(),
	}
}
