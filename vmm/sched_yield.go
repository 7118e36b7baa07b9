package vmm

import (
	"spinlab/cpu"
	"spinlab/mem"
)

// Directed yield: a vCPU that spins, or asks by hypercall, gives its pCPU to
// another one of its VM.

// spinState is what directed yield knows of a vCPU.
type spinState struct {
	in     bool // it is in a PAUSE exit, or gave its pCPU away in one
	chosen bool // though in one, it may be chosen: toggles each time it is looked at
	boosts uint64
}

// maxFailedYields ends the search of a PAUSE exit (kvm_vcpu_on_spin).
const maxFailedYields = 3

// fairYield is the host's part of a PAUSE exit or of a hypercall that yields.
// The scheduler's locks are locked operations, so the store buffer drains.
func (s *Scheduler) fairYield(i int, v *VCPU) {
	if !s.drained(i, v) {
		return
	}
	done := false
	if to := v.yieldTo; to != nil {
		v.yieldTo = nil
		done = len(s.cpus[i].queue) != 0 && to != v && s.yieldTo(i, v, to) > 0
	} else {
		done = s.onSpin(i, v)
	}
	if !done {
		v.spin = spinState{boosts: v.spin.boosts}
		s.reenter(i, v)
		return
	}
	v.spin.boosts++
	s.fairLeave(i, v)
}

// onSpin chooses whom v yields to as KVM's kvm_vcpu_on_spin does: in a circle
// that starts behind the last one chosen in the VM. It says whether somebody
// took it.
func (s *Scheduler) onSpin(i int, v *VCPU) bool {
	vm, tries := v.VM, maxFailedYields
	v.spin.in = true
	n := len(vm.VCPUs)
	for k := range n {
		to := vm.VCPUs[(vm.boosted+1+k)%n]
		if to == v || !to.fair.queued || v.Core.CPL == 0 && to.Core.CPL != 0 || !to.eligible() {
			continue
		}
		switch got := s.yieldTo(i, v, to); {
		case got > 0:
			vm.boosted = to.Index
			return true
		case got < 0:
			if tries--; tries == 0 {
				return false
			}
		}
	}
	return false
}

// eligible says whether a spinner may choose v: not if it spins itself, except
// every second time that one looks (kvm_vcpu_eligible_for_directed_yield).
func (v *VCPU) eligible() bool {
	if !v.spin.in {
		return true
	}
	v.spin.chosen = !v.spin.chosen
	return !v.spin.chosen
}

// yieldTo makes a queued vCPU the next buddy of its queue and v the skip buddy
// of its own, so that the next choices favour the one over the other as far as
// fairness allows. 1: done, v must leave; 0: to does not wait; −1: each is
// alone on its pCPU (yield_to).
func (s *Scheduler) yieldTo(i int, v, to *VCPU) int {
	j := to.home
	switch {
	case s.load(i) == 1 && s.load(j) == 1:
		return -1
	case !to.fair.queued:
		return 0
	}
	now := v.Core.Now
	s.fair.rq[j].next = to
	if len(s.cpus[i].queue) != 0 {
		s.fair.rq[i].forget(v)
		s.update(i, now)
		s.fair.rq[i].skip = v
	}
	if i != j {
		s.preemptRemotely(j, now)
	}
	return 1
}

// preemptRemotely asks pCPU j to choose anew. Its interrupt takes a while, and
// during a context switch it waits for the end and longer: so whoever was
// switched to runs for a moment, however many ask. (Without that, directed
// yields of many pCPUs could keep one in switches for ever.)
func (s *Scheduler) preemptRemotely(j int, t mem.Cycles) {
	s.resched(j, max(t, s.fair.rq[j].busy)+s.m.cfg.Profile.IPI)
}

// grown and shrunk are KVM's rules for adaptive values (__grow_ple_window and
// __shrink_ple_window): a modifier below 1 resets, one below base multiplies
// or divides, any other adds or subtracts.
func grown(val, base, modifier, most uint64) uint64 {
	switch {
	case modifier < 1:
		return base
	case modifier < base:
		val *= modifier
	default:
		val += modifier
	}
	return min(val, most)
}

func shrunk(val, base, modifier uint64) uint64 {
	switch {
	case modifier < 1:
		return base
	case modifier < base:
		val /= modifier
	default:
		val -= min(val, modifier)
	}
	return max(val, base)
}

// pauseLoop sets up pause-loop exiting for a vCPU that is reset.
func (c *Config) pauseLoop() cpu.PauseLoop {
	p := c.Profile
	return cpu.PauseLoop{On: c.PLE, Gap: p.PLEGap, Window: p.PLEWindow, Fresh: true,
		Filter: p.PLEKind == PLESVM, Count: p.PLECount, Threshold: p.PLEGap}
}

// spunOut widens v's window after a PAUSE exit: the next one comes later.
func (m *Machine) spunOut(v *VCPU) {
	p, l := m.cfg.Profile, &v.Core.Pause
	if l.Filter {
		l.Count = uint32(grown(uint64(l.Count), uint64(p.PLECount), p.PLEGrow, uint64(p.PLEMax)))
		return
	}
	l.Window = grown(l.Window, p.PLEWindow, p.PLEGrow, p.PLEMax)
}

// scheduledIn narrows v's window when it gets a pCPU (kvm_arch_sched_in).
func (m *Machine) scheduledIn(v *VCPU) {
	p, l := m.cfg.Profile, &v.Core.Pause
	if l.Filter {
		l.Count = uint32(shrunk(uint64(l.Count), uint64(p.PLECount), p.PLEShrink))
		return
	}
	l.Window = shrunk(l.Window, p.PLEWindow, p.PLEShrink)
}
