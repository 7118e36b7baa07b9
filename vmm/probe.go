package vmm

import "spinlab/mem"

// Probe ids: index in Image.Probes + 1.
const (
	probeAcquire  = 1 // the call of the lock function
	probeAcquired = 2 // the instruction after it
	probeRelease  = 3 // the call of the unlock function
	probeReleased = 4 // the instruction after it
)

// section follows one vCPU through its critical sections.
type section struct {
	acquisitions uint64
	start        mem.Cycles // when the present phase began
	waiting      bool       // it is one of waiting
	wait, hold   spread
}

// spread sums up durations, in cycles.
type spread struct {
	n, sum, max uint64
}

func (s *spread) add(d mem.Cycles) {
	s.n++
	s.sum += d
	s.max = max(s.max, d)
}

func (s *spread) stats() Spread {
	if s.n == 0 {
		return Spread{}
	}
	return Spread{Mean: float64(s.sum) / float64(s.n), Max: s.max}
}

// probe makes the callback of v's core. Two vCPUs of a VM between acquired and
// release at once mean that the lock does not exclude.
func (m *Machine) probe(v *VCPU) func(id uint8, at mem.Cycles) {
	return func(id uint8, at mem.Cycles) {
		if m.booting {
			return
		}
		k := &v.crit
		switch id {
		case probeAcquire:
			m.tell(EventAcquire, v, at)
			if v.VM.image.OneLock && k.waiting {
				return // the loop of an inlined lock comes by again
			}
			k.start, k.waiting = at, true
		case probeAcquired:
			m.tell(EventAcquired, v, at)
			if len(v.VM.image.Probes[probeAcquire-1]) > 0 {
				k.wait.add(at - k.start)
			}
			k.acquisitions++
			k.waiting = false
			k.start = at
			if other := v.VM.holder; other != nil && other != v {
				m.stop(VerdictViolation, "exclusion: %s is in the critical section while %s is", m.placeAt(v, v.VM.image.acquiredAt(v)), m.place(other))
				m.halt(v)
			}
			v.VM.holder = v
		case probeRelease:
			m.tell(EventRelease, v, at)
			k.hold.add(at - k.start)
			if v.VM.holder == v {
				v.VM.holder = nil
			}
		}
	}
}

// acquiredAt is the probe that v has just passed: the only one, or where v is.
func (img *Image) acquiredAt(v *VCPU) uint64 {
	if p := img.Probes[probeAcquired-1]; len(p) == 1 {
		return p[0]
	}
	return v.Core.RIP
}

// halt makes the present run of v end at its next instruction.
func (m *Machine) halt(v *VCPU) {
	if v.pcpu >= 0 {
		m.Ports[v.pcpu].Until = 0
	}
}
