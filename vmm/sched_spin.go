package vmm

import (
	"math/bits"

	"spinlab/mem"
)

// A vCPU whose loop only looks is left alone: it goes round until somebody takes
// a line that it reads, or its own time comes for something else. Its turns are
// then made up for, up to the very instruction at which that happens, so that
// nobody can tell; the core skips those that are alike (cpu/spin.go). What wakes
// a spinner: a line that is about to be taken from its pCPU (mem.Meter), code of
// its VM that is about to change, and whatever the host does.

// watching prepares m for spinners, unless every instruction is to be executed.
// Time must pass with every instruction: see quota.
func (m *Machine) watching() {
	skips := !m.cfg.NoSkip && !m.lockstep && m.cfg.Observe == nil
	for _, c := range m.cfg.Profile.CPU {
		skips = skips && c != 0
	}
	for _, v := range m.VCPUs {
		v.Core.Skips = skips
	}
	m.meter.OnLoss = func(cores uint64) { m.sched.disturb(cores) }
	for _, vm := range m.VMs {
		vm.Mem.BeforeCode = func() { m.sched.disturb(^uint64(0)) }
	}
}

// minSpin is how many cycles a loop must last to be left alone: waking a spinner
// costs as much as some instructions.
const minSpin = 64

// spin leaves v alone, which has come round a loop on pCPU i, if that is known to
// go on for a while.
func (s *Scheduler) spin(i int, v *VCPU) {
	now, watched := v.Core.Now, &s.m.meter.Watched
	until := min(v.Core.Spinning(s.m.Ports[i]), s.end[i])
	if until < now+minSpin {
		return
	}
	if *watched == 0 {
		s.quota = now + min(s.m.left, s.m.left-s.m.pauseAt)/mem.Cycles(2*len(s.cpus))
	}
	if until = min(until, s.quota); until < now+minSpin {
		return
	}
	*watched |= 1 << i
	v.phase = spinning
	s.turns[i] = turnAt(until, i)
}

// disturb wakes the spinners on pCPUs in the set, because of an instruction of the
// pCPU that acts, or of a store that commits. That pCPU is to stop behind it.
func (s *Scheduler) disturb(set uint64) {
	if set &= s.m.meter.Watched; set == 0 {
		return
	}
	key := turnAt(s.now, 0)
	if i := s.actor; i >= 0 {
		key = turnAt(s.cpus[i].cur.Core.Now, i)
		s.m.Ports[i].Until = 0
	}
	s.wake(set, key)
}

// wake makes up for the turns of the spinners in the set before key.
func (s *Scheduler) wake(set uint64, key turnKey) {
	for set &= s.m.meter.Watched; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		v := s.cpus[i].cur
		s.m.meter.Watched &^= 1 << i
		v.phase = inGuest
		until := mem.Cycles(key >> turnBits)
		if i < int(key&(1<<turnBits-1)) {
			until++ // it acts first at that time
		}
		if c := v.Core; c.Now < until {
			before := c.Count.Instructions
			c.CatchUp(s.m.Ports[i], until)
			s.m.left -= c.Count.Instructions - before
		}
		s.turns[i] = turnAt(v.Core.Now, i)
	}
}

// wakeAll wakes every spinner.
func (s *Scheduler) wakeAll(key turnKey) {
	if s != nil && s.m.meter.Watched != 0 {
		s.wake(^uint64(0), key)
	}
}
