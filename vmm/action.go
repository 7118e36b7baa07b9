package vmm

import (
	"spinlab/cpu"
	"spinlab/mem"
)

// The single actions of a machine. Each is atomic as far as other vCPUs can
// tell; the order in which a driver calls them is the run.

// Step runs v on the given port up to a budget, and counts what retired
// against the machine's limit.
func (m *Machine) Step(v *VCPU, p *mem.Port, b cpu.Budget) cpu.Stop {
	c := v.Core
	before := c.Count.Spent()
	b.Retire = m.left
	if m.pauseAt < m.left {
		b.Retire = m.left - m.pauseAt
	}
	if v.alert {
		b.Retire = min(b.Retire, m.untilIRQ(v))
	}
	var stop cpu.Stop
	if m.cfg.Observe != nil {
		b.Retire = 1
		stop = m.observeStep(v, p, b)
	} else {
		stop = c.Run(p, b)
	}
	m.left -= c.Count.Spent() - before
	if v.alert {
		m.raisePlanned(v)
	}
	return stop
}

// Commit takes the oldest buffered store of a port to memory at time t. The
// buffer must not be empty.
func (m *Machine) Commit(p *mem.Port, t mem.Cycles) {
	e := p.Commit()
	if p.M.IsFreed(e.Addr) {
		m.stop(VerdictFault, "a buffered store to %#x commits: %s", e.Addr, freedMemory)
	}
	if m.cfg.Observe != nil {
		m.cfg.Observe(&Event{Kind: EventCommit, Time: t, VM: -1, VCPU: -1, PCPU: int(p.Core), Store: e})
	}
}

// Next says how a vCPU goes on after its exit was handled.
type Next uint8

// The ways to go on.
const (
	Resume   Next = iota // into the guest again
	Halt                 // HALTED: Sleep comes next
	Yield                // runnable, but others may go first
	Finished             // this vCPU is done
	Dead                 // the machine has a verdict
)

// HandleExit does what the core's Exit asks for. If NeedsDrain says so the
// store buffer must be empty.
func (m *Machine) HandleExit(v *VCPU, p *mem.Port) Next {
	return m.exit(v, p, v.reason())
}

// Preempt takes v out of the guest because its slice is over and others wait.
func (m *Machine) Preempt(v *VCPU, p *mem.Port) Next { return m.exit(v, p, ReasonPreempt) }

func (m *Machine) exit(v *VCPU, p *mem.Port, r Reason) Next {
	row := &reasons[r]
	if row.handle == nil {
		m.stop(VerdictFault, "%s: exit %d has no handler", m.place(v), v.Core.Exit.Kind)
		return Dead
	}
	if !row.free {
		v.books.exits[r]++
		m.emit(EventExit, v, func(e *Event) { e.Reason = r })
	}
	return row.handle(m, v, p)
}

// NeedsDrain says whether v's exit acts only with the store buffer empty. A
// kick does: the host's own store to pv_unhalted follows the guest's stores in
// the same buffer, and the wake-up has locked operations. So does an exit that
// may become an exception. CPUID, port I/O, WRMSR and control register writes
// were serialized by the core.
func (m *Machine) NeedsDrain(v *VCPU) bool {
	switch v.Core.Exit.Kind {
	case cpu.ExitVMCall:
		if v.VM.image.Xen {
			return v.Core.CPL == 0 && xenDrains(v.Core.R[cpu.RAX])
		}
		n := v.Core.R[cpu.RAX]
		return v.Core.CPL == 0 && (n == hcKickCPU || n == hcSendIPI)
	case cpu.ExitRDMSR:
		return true
	}
	return false
}

// HaltEntry is the first host action of a HLT: the vCPU becomes HALTED, and
// RUNNABLE again at once if a kick is pending. It says whether v stays halted.
func (m *Machine) HaltEntry(v *VCPU) bool {
	v.State = Halted
	if m.cfg.HostBug == HostUnhaltAtHLT {
		v.PVUnhalted = false
	}
	if m.wakeable(v) {
		m.Wake(v)
		return false
	}
	return true
}

// Sleep is the second host action of a HLT, just before the host would take
// the pCPU away: it looks again, because a kick may have come since HaltEntry.
// It says whether v sleeps.
func (m *Machine) Sleep(v *VCPU) bool {
	if m.cfg.HostBug == HostUnhaltAfterTest {
		v.PVUnhalted = false
	}
	if m.wakeable(v) {
		m.Wake(v)
		return false
	}
	v.State = Asleep
	m.emit(EventSleep, v, nil)
	return true
}

// wakeable says whether something ends v's halt: a kick, or an interrupt that
// it would take.
func (m *Machine) wakeable(v *VCPU) bool { return v.PVUnhalted || v.alarm.due || v.CanDeliver() }

// sleeping says whether v has to be woken: it sleeps, or its host polls.
func (v *VCPU) sleeping() bool { return v.State == Asleep || v.phase == polling }

// Wake makes a halted vCPU runnable. This is the one place where a sound host
// resets pv_unhalted.
func (m *Machine) Wake(v *VCPU) {
	v.PVUnhalted, v.roused, v.Poll = false, false, NoPort
	v.alarm.due = false
	v.State = Runnable
	m.emit(EventWake, v, nil)
}

// Kick makes pv_unhalted true for a vCPU, and notes a sleeper that has to be
// woken. A second kick before the first one was used changes nothing.
func (m *Machine) Kick(from, to *VCPU) {
	m.emit(EventKick, from, func(e *Event) { e.Target = to.Index })
	if to.PVUnhalted || to.State == Done {
		return
	}
	to.PVUnhalted = true
	if to.sleeping() {
		m.rouse(to)
	}
}

// finish ends a vCPU.
func (m *Machine) finish(v *VCPU) {
	v.State = Done
	v.VM.live--
	m.emit(EventDone, v, nil)
}
