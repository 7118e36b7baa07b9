package vmm

import "spinlab/mem"

// fairOver is sliceOver under CFS: a tick, or somebody asked for the pCPU.
func (s *Scheduler) fairOver(i int, v *VCPU) {
	if !s.ticks(i, v.Core.Now) {
		s.drainLate(i, v)
		return
	}
	v.books.book(cyclesHost, v.Core.Now)
	s.m.Preempt(v, s.m.Ports[i])
	v.Core.Now += s.m.cfg.Profile.Exit[ReasonPreempt]
	s.turns[i] = turnAt(v.Core.Now, i)
	v.phase = toLeave
}

// reenter goes back into the guest after an exit, unless v is to go: the host
// looks before it enters, so that no exit of its own is needed.
func (s *Scheduler) reenter(i int, v *VCPU) {
	if s.fair != nil && s.ticks(i, v.Core.Now) {
		v.phase = toLeave
		return
	}
	s.resume(i, v)
}

// fairLeave puts v back into the queue and switches to whoever is picked,
// which may be v again.
func (s *Scheduler) fairLeave(i int, v *VCPU) {
	now := v.Core.Now
	s.update(i, now)
	s.enqueue(i, v)
	next := s.pickFair(i)
	if next == v {
		s.picked(i, v, now)
		s.resume(i, v)
		return
	}
	v.books.book(cyclesReady, now)
	s.detach(i, v)
	s.place(i, next, now)
}

// picked starts a stretch of v on pCPU i.
func (s *Scheduler) picked(i int, v *VCPU, t mem.Cycles) {
	e, rq := &v.fair, &s.fair.rq[i]
	e.since, e.picked = t, e.ran
	v.spin = spinState{boosts: v.spin.boosts}
	rq.need = mem.Never
	if rq.tickAt <= t { // an idle pCPU does not tick
		rq.tickAt += (t-rq.tickAt)/s.fair.tick*s.fair.tick + s.fair.tick
	}
	s.stretch(i)
}

// fairPlaced is the part of place that is CFS's: v has been put on pCPU i at t
// and its switch goes on until Core.Now.
func (s *Scheduler) fairPlaced(i int, v *VCPU, t mem.Cycles) {
	rq := &s.fair.rq[i]
	if rq.idle {
		rq.idle = false
		v.Core.Now += s.m.cfg.Profile.IdleExit
	}
	rq.busy = v.Core.Now
	s.m.scheduledIn(v)
	s.picked(i, v, t)
}

// fairDispatch finds a vCPU for idle pCPU i at time t, here or elsewhere.
func (s *Scheduler) fairDispatch(i int, t mem.Cycles) {
	s.update(i, t)
	if len(s.cpus[i].queue) == 0 {
		if j := s.longest(i, 0); j >= 0 {
			s.migrate(s.cpus[j].queue[0], i, t)
		}
	}
	if len(s.cpus[i].queue) == 0 {
		s.fair.rq[i].idle = s.cpus[i].used
		return
	}
	s.place(i, s.pickFair(i), t)
}

// fairReady makes v, which has slept or starts, compete for a pCPU from t on.
func (s *Scheduler) fairReady(v *VCPU, t mem.Cycles) {
	f, e := s.fair, &v.fair
	v.books.book(cyclesReady, t)
	i := s.quarters(v)
	s.update(v.home, t)
	s.update(i, t)
	if i != v.home {
		e.vruntime += f.rq[i].floor - f.rq[v.home].floor
		v.books.migrations++
	}
	credit := f.latency / 2 // of a sleeper (place_entity, GENTLE_FAIR_SLEEPERS)
	if !e.started {
		credit, e.started = 0, true
	}
	e.vruntime = max(e.vruntime, f.rq[i].floor-credit)
	s.enqueue(i, v)
	cur := s.cpus[i].cur
	switch {
	case cur == nil:
		s.fairDispatch(i, t)
	case cur.fair.vruntime-e.vruntime > f.wakeGran:
		s.resched(i, t)
	default:
		s.poke(i, t) // nobody polls while others wait
	}
}

// quarters is where v waits: at home if that is idle or v is pinned, else on
// the lowest idle pCPU of the same socket, else on the lowest idle one, else at
// home. (Linux looks no further than the caches that are shared and leaves the
// rest to balancing; ours, because then no pCPU idles while a vCPU waits.)
func (s *Scheduler) quarters(v *VCPU) int {
	if s.m.cfg.Pin || s.cpus[v.home].cur == nil {
		return v.home
	}
	far := v.home
	for i := range s.cpus {
		if s.cpus[i].cur != nil {
			continue
		}
		if s.m.socket(i) == s.m.socket(v.home) {
			return i
		}
		if far == v.home {
			far = i
		}
	}
	return far
}

// migrate moves v from its queue to that of pCPU i. What counts is how far it
// is from the floor.
func (s *Scheduler) migrate(v *VCPU, i int, t mem.Cycles) {
	from := v.home
	s.dequeue(v)
	s.update(from, t)
	v.fair.vruntime += s.fair.rq[i].floor - s.fair.rq[from].floor
	v.books.migrations++
	s.enqueue(i, v)
}

// longest is the pCPU with the most vCPUs, more than i has by at least the
// given number and with one that waits; the same socket goes first, then the
// lower number. −1: there is none, or vCPUs are pinned.
func (s *Scheduler) longest(i, more int) int {
	best, most := -1, 0
	if s.m.cfg.Pin {
		return best
	}
	for j := range s.cpus {
		n := s.load(j)
		if j == i || len(s.cpus[j].queue) == 0 || n < s.load(i)+more {
			continue
		}
		near := s.m.socket(j) == s.m.socket(i) && best >= 0 && s.m.socket(best) != s.m.socket(i)
		if n > most || n == most && near {
			best, most = j, n
		}
	}
	return best
}

// load is how many vCPUs run or wait on pCPU i.
func (s *Scheduler) load(i int) int {
	n := len(s.cpus[i].queue)
	if s.cpus[i].cur != nil {
		n++
	}
	return n
}

// balance pulls one vCPU, the one that would run last, from a queue that is
// longer by two.
func (s *Scheduler) balance(i int, t mem.Cycles) {
	j := s.longest(i, 2)
	if j < 0 {
		return
	}
	q := s.cpus[j].queue
	v := q[len(q)-1]
	s.migrate(v, i, t)
	if cur := s.cpus[i].cur; cur.fair.vruntime-v.fair.vruntime > s.fair.wakeGran {
		s.resched(i, t)
	}
}
