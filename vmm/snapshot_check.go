package vmm

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"spinlab/cpu"
	"spinlab/mem"
)

var permType = reflect.TypeFor[mem.Perm]()

var verdicts = []Verdict{"", VerdictDone, VerdictDeadlock, VerdictViolation, VerdictFault, VerdictLimit}

// checkLoaded looks for what a machine cannot be: the checksum says that a file
// is as it was written, not who wrote it.
func (m *Machine) checkLoaded() error {
	switch {
	case !slices.Contains(verdicts, m.verdict):
		return fmt.Errorf("verdict %q", m.verdict)
	case m.boots < 0 || m.boots > len(m.VMs) || m.booting && m.boots == len(m.VMs):
		return fmt.Errorf("%d of %d VMs have booted", m.boots, len(m.VMs))
	case m.left > m.limit():
		return fmt.Errorf("%d instructions are left of %d", m.left, m.limit())
	}
	for i, vm := range m.VMs {
		for _, h := range vm.holders {
			if h.v == nil || h.v.VM != vm {
				return fmt.Errorf("vm %d: nobody holds lock %#x", i, h.lock)
			}
		}
		if vm.Index != i || vm.live < 0 || vm.live > len(vm.VCPUs) {
			return fmt.Errorf("vm %d says that it is vm %d with %d vCPUs", i, vm.Index, vm.live)
		}
		for k, v := range vm.VCPUs {
			if v.Index != k || v.ID < 0 || v.ID >= len(m.VCPUs) || m.VCPUs[v.ID] != v {
				return fmt.Errorf("vm %d vcpu %d says that it is vcpu %d, number %d", i, k, v.Index, v.ID)
			}
			if err := v.checkLoaded(len(m.Ports)); err != nil {
				return fmt.Errorf("%s: %w", m.name(v), err)
			}
		}
	}
	if err := m.events.checkLoaded(); err != nil {
		return err
	}
	for i, p := range m.Ports {
		if err := checkPort(p, i); err != nil {
			return fmt.Errorf("pcpu %d: %w", i, err)
		}
	}
	if m.sched != nil {
		return m.sched.checkLoaded()
	}
	return nil
}

func (v *VCPU) checkLoaded(pcpus int) error {
	c := v.Core
	flags := c.Flags
	if c.SetRFlags(flags); c.Flags != flags {
		return fmt.Errorf("RFLAGS %#x", flags)
	}
	for _, r := range c.R[16:] {
		if r != 0 {
			return fmt.Errorf("a register that does not exist holds %#x", r)
		}
	}
	switch {
	case v.alert != (v.IRQ.any() || len(v.plan) > 0):
		return errors.New("interrupts are pending or planned, or not")
	case c.CPL != 0 && c.CPL != 3:
		return fmt.Errorf("CPL %d", c.CPL)
	case v.locks.n > maxNested:
		return fmt.Errorf("%d locks at once", v.locks.n)
	case v.home < 0 || v.home >= pcpus || v.pcpu < -1 || v.pcpu >= pcpus:
		return fmt.Errorf("pCPUs %d and %d of %d", v.home, v.pcpu, pcpus)
	case v.pcpu >= 0 && v.phase == atExit && c.Exit.Kind == cpu.ExitNone:
		return errors.New("an exit without a kind")
	}
	return nil
}

// checkLoaded holds the events against their order.
func (e *hostEvents) checkLoaded() error {
	next := e.next
	if e.sort(); e.next != next {
		return fmt.Errorf("the first host event is at %d, not at %d", e.next, next)
	}
	for _, x := range e.list {
		if x.task < 0 {
			return fmt.Errorf("task %d", x.task)
		}
	}
	return nil
}

func checkPort(p *mem.Port, i int) error {
	b := &p.B
	if int(p.Core) != i || p.M == nil || b.N > mem.BufferSlots || b.Head >= mem.BufferSlots {
		return fmt.Errorf("core %d with %d buffered stores from slot %d", p.Core, b.N, b.Head)
	}
	for k := range int(b.N) {
		e := b.At(k)
		last := e.Addr + uint64(e.Size) - 1
		if e.Size < 1 || e.Size > 8 || e.Addr/mem.LineSize != last/mem.LineSize || p.M.Page(e.Addr) == nil {
			return fmt.Errorf("a buffered store of %d bytes to %#x", e.Size, e.Addr)
		}
	}
	return nil
}

// checkLoaded holds pCPUs and vCPUs against each other.
func (s *Scheduler) checkLoaded() error {
	if len(s.cpus) != len(s.m.Ports) {
		return fmt.Errorf("%d pCPUs with %d ports", len(s.cpus), len(s.m.Ports))
	}
	for i := range s.cpus {
		cur := s.cpus[i].cur
		if (cur == nil) != (s.turns[i] == idle) || cur != nil && cur.pcpu != i {
			return fmt.Errorf("pcpu %d and the vcpu on it disagree", i)
		}
		if cur == nil && s.m.Ports[i].B.N != 0 {
			return fmt.Errorf("pcpu %d is idle with buffered stores", i)
		}
	}
	for i, t := range s.timers {
		if t.v == nil || i > 0 && s.timers[i-1].at > t.at {
			return fmt.Errorf("timer %d is out of order", i)
		}
	}
	return nil
}
