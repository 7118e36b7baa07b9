package vmm

import "spinlab/mem"

// hostEvent lets the host's next event of its own happen, if it comes before
// anything else. idle says that no pCPU has a turn. It returns false when
// nothing would come of it any more.
func (s *Scheduler) hostEvent(idle bool) bool {
	m := s.m
	if idle && s.expiry == mem.Never && !m.eventsMatter() {
		return false
	}
	at := m.events.next
	s.now = max(s.now, at)
	m.happen()
	s.arrangeWakes(at)
	return true
}

// interrupt lets v, which is in the guest on pCPU i, take a pending interrupt
// at this boundary: an exit in which the host injects it. It says whether that
// was v's turn.
func (s *Scheduler) interrupt(i int, v *VCPU) bool {
	m := s.m
	if m.booting {
		return false
	}
	m.raisePlanned(v)
	if !v.CanDeliver() {
		return false
	}
	s.wakeAll(turnAt(v.Core.Now, i))
	s.now, s.last = v.Core.Now, i // for settle: it may be the end
	if !s.drained(i, v) {
		return true
	}
	v.books.book(cyclesHost, v.Core.Now)
	if m.Interrupt(v, m.Ports[i]) == Dead {
		return true
	}
	s.noteStores(i)
	v.Core.Now += m.cfg.Profile.Exit[ReasonInterrupt]
	s.resume(i, v)
	return true
}
