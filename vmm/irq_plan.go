package vmm

import (
	"cmp"
	"fmt"
	"slices"

	"spinlab/mem"
)

// Injection is an interrupt that the host raises for a vCPU, a device's or a
// timer's. It comes when the vCPU has retired a number of instructions since
// its start, or at a time, once or again and again.
type Injection struct {
	VM, VCPU int
	Vector   uint8 // VectorNMI or 32 to 255
	// Retired is the number of instructions, unless Timed is set: the
	// interrupt is pending at the boundary after the last of them.
	Retired uint64
	Timed   bool
	Cycle   mem.Cycles // when Timed: no instruction that starts then or later precedes it
	Every   mem.Cycles // when Timed: again each time that so much has passed; 0 is once
}

// Task is something that is done to a machine at a time, before anything that
// starts then, and again each time that Every cycles have passed, if that is
// not 0, as long as any vCPU runs. It may look at memory and poke into it.
type Task struct {
	At, Every mem.Cycles
	Do        func(m *Machine, at mem.Cycles)
}

// checkInjections names what is out of range.
func (c *Config) checkInjections() error {
	for _, j := range c.Inject {
		switch {
		case j.VM < 0 || j.VM >= len(c.VMs):
			return fmt.Errorf("an interrupt for vm %d: there are %d VMs (--irq, --nmi)", j.VM, len(c.VMs))
		case j.VCPU < 0 || j.VCPU >= c.VMs[j.VM].VCPUs:
			return fmt.Errorf("an interrupt for vcpu %d: the VM has %d vCPUs (--irq, --nmi)", j.VCPU, c.VMs[j.VM].VCPUs)
		case j.Vector != VectorNMI && j.Vector < 32:
			return fmt.Errorf("interrupt vector %d: 32 to 255 are the guest's (--irq)", j.Vector)
		case j.Cycle > maxEventTime || j.Every > maxEventTime:
			return fmt.Errorf("an interrupt at cycle %d: at most %d", max(j.Cycle, j.Every), uint64(maxEventTime))
		}
	}
	for _, k := range c.Tasks {
		if k.At > maxEventTime || k.Every > maxEventTime {
			return fmt.Errorf("a task at cycle %d: at most %d", max(k.At, k.Every), uint64(maxEventTime))
		}
	}
	return nil
}

// maxEventTime bounds times that a configuration names, so that sums of them
// stay below what a scheduler can hold.
const maxEventTime = 1 << 50

// hostEvent is something that the host does at a time of its own.
type hostEvent struct {
	at, every mem.Cycles
	v         *VCPU // whose interrupt it is, nil for a task
	vec       uint8
	task      int // without a vCPU: index in Config.Tasks
}

// perCPUIRQ is the offset in a per-CPU area of the byte that says so.
const perCPUIRQ = 136

// hostEvents are what is still to come, by time, then in the order of the
// configuration.
type hostEvents struct {
	list []hostEvent
	next mem.Cycles // of the first, Never without one
}

// planIRQs lays out what the configuration injects and the tasks: by count with
// each vCPU, by time with the machine. Nothing happens during a boot. Each vCPU
// that gets maskable interrupts is told so in its per-CPU area.
func (m *Machine) planIRQs() {
	for _, v := range m.VCPUs {
		v.IRQ, v.plan, v.alert, v.roused = Interrupts{}, nil, false, false
	}
	m.events = hostEvents{next: mem.Never}
	for _, j := range m.cfg.Inject {
		v := m.VMs[j.VM].VCPUs[j.VCPU]
		if l := &v.VM.image.Layout; l.PerCPUStride != 0 && j.Vector != VectorNMI {
			v.VM.Mem.Poke(l.perCPU(v.Index)+perCPUIRQ, []byte{1})
		}
		if j.Timed {
			m.events.list = append(m.events.list, hostEvent{at: j.Cycle, every: j.Every, v: v, vec: j.Vector})
			continue
		}
		v.plan = append(v.plan, plannedIRQ{j.Retired, j.Vector})
		v.alert = true
	}
	for _, v := range m.VCPUs {
		slices.SortStableFunc(v.plan, func(a, b plannedIRQ) int { return cmp.Compare(a.retired, b.retired) })
	}
	for i, k := range m.cfg.Tasks {
		m.events.list = append(m.events.list, hostEvent{at: k.At, every: k.Every, task: i})
	}
	m.events.sort()
}

// plannedIRQ is an interrupt that comes after a number of instructions.
type plannedIRQ struct {
	retired uint64
	vec     uint8
}

// sort restores the order and the time of the first.
func (e *hostEvents) sort() {
	slices.SortStableFunc(e.list, func(a, b hostEvent) int { return cmp.Compare(a.at, b.at) })
	e.next = mem.Never
	if len(e.list) > 0 {
		e.next = e.list[0].at
	}
}

// nextEvent is when the host acts next on its own, Never if it does not.
func (m *Machine) nextEvent() mem.Cycles {
	if m.booting {
		return mem.Never
	}
	return m.events.next
}

// happen lets the first event happen and puts it back if it is periodic.
func (m *Machine) happen() {
	e := m.events.list[0]
	m.events.list = m.events.list[1:]
	if e.every != 0 {
		again := e
		again.at += e.every
		m.events.list = append(m.events.list, again)
	}
	m.events.sort()
	if e.v == nil {
		if e.task < len(m.cfg.Tasks) { // a machine from a snapshot has none
			m.cfg.Tasks[e.task].Do(m, e.at)
		}
		return
	}
	now := e.v.Core.Now
	e.v.Core.Now = max(now, e.at) // for who listens: the vCPU may be off its pCPU for long
	m.Raise(e.v, e.vec)
	e.v.Core.Now = now
}

// eventsMatter says whether an event that is still to come changes anything
// while all vCPUs sleep: a periodic one whose interrupt is pending already, or
// whose vCPU is done, does not, and no task does.
func (m *Machine) eventsMatter() bool {
	return slices.ContainsFunc(m.events.list, func(e hostEvent) bool {
		if e.v == nil || e.v.State == Done {
			return false
		}
		q := e.v.IRQ
		return q.add(e.vec)
	})
}

// untilIRQ is how many instructions v may retire before an interrupt can
// matter: up to the next planned one, and one while any is pending, because
// each may open the window.
func (m *Machine) untilIRQ(v *VCPU) uint64 {
	switch {
	case m.booting:
		return 1<<64 - 1
	case v.IRQ.any():
		return 1
	}
	return max(v.plan[0].retired-min(v.plan[0].retired, v.Core.Count.Instructions), 1)
}

// raisePlanned raises what v's count has reached.
func (m *Machine) raisePlanned(v *VCPU) {
	for !m.booting && len(v.plan) > 0 && v.plan[0].retired <= v.Core.Count.Instructions {
		vec := v.plan[0].vec
		v.plan = v.plan[1:]
		m.Raise(v, vec)
	}
	v.alert = v.IRQ.any() || len(v.plan) > 0
}
