package vmm

import (
	"slices"

	"spinlab/mem"
)

// host takes the next step of a vCPU that is on pCPU i but not in the guest.
func (s *Scheduler) host(i int, v *VCPU) {
	s.last = i
	switch v.phase {
	case atExit:
		s.exit(i, v)
	case toSleep:
		if s.drained(i, v) && !s.poll(i, v) {
			s.sleep(i, v)
		}
	case toYield:
		s.yield(i, v)
	case toLeave:
		s.preempted(i, v)
	case working:
		s.work(i, v, s.now)
	case polling:
		s.polled(i, v, s.now)
	}
}

// yield lets the vCPU that v names go first, or without a name all others.
func (s *Scheduler) yield(i int, v *VCPU) {
	if s.fair != nil {
		s.fairYield(i, v)
		return
	}
	if to := v.yieldTo; to != nil {
		v.yieldTo = nil
		s.moveFront(i, to)
	}
	if len(s.cpus[i].queue) == 0 {
		s.resume(i, v)
		return
	}
	v.phase = toLeave
	s.preempted(i, v)
}

// moveFront puts v, if it waits in the queue of pCPU i, at its front.
func (s *Scheduler) moveFront(i int, v *VCPU) {
	q := s.cpus[i].queue
	if k := slices.Index(q, v); k > 0 {
		copy(q[1:], q[:k])
		q[0] = v
	}
}

// exit handles v's exit. Its effects come now, the round trip is paid after.
func (s *Scheduler) exit(i int, v *VCPU) {
	if s.m.NeedsDrain(v) && !s.drained(i, v) {
		return
	}
	next := s.m.HandleExit(v, s.m.Ports[i])
	s.arrangeWakes(v.Core.Now)
	if v.alarm.set != 0 {
		s.addTimer(timer{v.Core.Now + v.alarm.set, v, v.alarm.gen})
		v.alarm.set = 0
	}
	if next != Finished {
		v.Core.Now += s.m.cfg.Profile.Exit[v.reason()]
		s.turns[i] = turnAt(v.Core.Now, i)
	}
	switch next {
	case Resume:
		s.reenter(i, v)
	case Halt:
		v.phase = toSleep
	case Yield:
		v.phase = toYield
	case Finished: // OUT was serialized: the buffer is empty
		v.books.book(cyclesDone, v.Core.Now)
		s.leave(i, v)
	}
}

// arrangeWakes sets a timer for every sleeper that was kicked at t. A vCPU whose
// host polls sees it at once.
func (s *Scheduler) arrangeWakes(t mem.Cycles) {
	for _, v := range s.m.kicked {
		if v.phase == polling {
			s.poke(v.pcpu, t)
			continue
		}
		s.setTimer(t+s.m.cfg.Profile.Wake, v)
	}
	s.m.kicked = s.m.kicked[:0]
}

// resume enters the guest at the core's present time.
func (s *Scheduler) resume(i int, v *VCPU) {
	v.phase = inGuest
	v.Core.Pause.Fresh = true
	v.books.book(cyclesRun, v.Core.Now)
	s.turns[i] = turnAt(v.Core.Now, i)
	if s.passes(v) {
		s.startWork(i, v)
	}
}

// sliceOver ends a slice. Without anybody waiting there is no exit and a new
// one begins; late stores commit then, as the host's tick would drain them, so
// that a guest which waits for one does not wait for ever.
func (s *Scheduler) sliceOver(i int, v *VCPU) {
	if limit := s.m.cfg.MaxCycles; v.Core.Now >= limit {
		s.m.stop(VerdictLimit, "%d cycles passed (--max-cycles)", limit)
		return
	}
	s.last = i
	if v.VM.hog && s.hogsAlone() {
		s.m.judge()
		return
	}
	if s.fair != nil {
		s.fairOver(i, v)
		return
	}
	if len(s.cpus[i].queue) == 0 {
		s.newSlice(i, v)
		s.drainLate(i, v)
		return
	}
	v.books.book(cyclesHost, v.Core.Now)
	s.m.Preempt(v, s.m.Ports[i])
	v.Core.Now += s.m.cfg.Profile.Exit[ReasonPreempt]
	s.turns[i] = turnAt(v.Core.Now, i)
	v.phase = toLeave
}

// drainLate commits what only a drain commits.
func (s *Scheduler) drainLate(i int, v *VCPU) {
	for p := s.m.Ports[i]; s.m.cfg.Commit == mem.Late && p.B.N != 0; {
		s.m.Commit(p, v.Core.Now)
	}
}

// preempted puts v at the tail of its queue and gives the pCPU to the next.
func (s *Scheduler) preempted(i int, v *VCPU) {
	if !s.drained(i, v) {
		return
	}
	if s.fair != nil {
		s.fairLeave(i, v)
		return
	}
	v.books.book(cyclesReady, v.Core.Now)
	s.cpus[i].queue = append(s.cpus[i].queue, v)
	s.leave(i, v)
}

// drained says whether the store buffer of pCPU i is empty. If not, v waits
// for it: until the youngest store is ready, or not at all for stores that only
// a drain commits.
func (s *Scheduler) drained(i int, v *VCPU) bool {
	p := s.m.Ports[i]
	for p.B.N != 0 {
		if r := p.B.LastReady(); r != mem.Never {
			v.Core.Now = max(v.Core.Now, r)
			s.turns[i] = turnAt(v.Core.Now, i)
			return false
		}
		s.m.Commit(p, v.Core.Now)
	}
	return true
}

// leave takes v off pCPU i, which has nothing buffered, and finds the next.
func (s *Scheduler) leave(i int, v *VCPU) {
	if s.fair != nil {
		s.update(i, v.Core.Now)
		s.fair.rq[i].forget(v)
	}
	s.detach(i, v)
	s.dispatch(i, v.Core.Now)
	if s.m.allDone() {
		s.m.judge()
	}
}

// detach takes v off pCPU i.
func (s *Scheduler) detach(i int, v *VCPU) {
	v.draws = s.m.Ports[i].Draws.N
	v.pcpu = -1
	v.phase = inGuest
	s.cpus[i].cur = nil
	s.turns[i] = idle
}

// dispatch gives idle pCPU i a vCPU at time t, if one waits anywhere.
func (s *Scheduler) dispatch(i int, t mem.Cycles) {
	if s.fair != nil {
		s.fairDispatch(i, t)
		return
	}
	from := i
	if len(s.cpus[i].queue) == 0 && !s.m.cfg.Pin {
		for j := range s.cpus {
			if len(s.cpus[j].queue) > len(s.cpus[from].queue) {
				from = j
			}
		}
	}
	q := s.cpus[from].queue
	if len(q) == 0 {
		return
	}
	v := q[0]
	s.cpus[from].queue = append(q[:0], q[1:]...)
	s.place(i, v, t)
}

// place puts v on idle pCPU i at time t: a context switch, then the guest.
func (s *Scheduler) place(i int, v *VCPU, t mem.Cycles) {
	c, p := &s.cpus[i], s.m.Ports[i]
	c.cur, v.home, v.pcpu = v, i, i
	p.Attach(v.VM.Mem)
	p.Draws = mem.RandomDelay{Seed: s.m.cfg.Seed, Key: uint64(v.ID), N: v.draws, Max: s.m.cfg.CommitDelay}
	v.books.book(cyclesHost, t)
	v.Core.Now = t
	s.m.emit(EventSwitch, v, nil)
	if c.used {
		v.Core.Now += s.m.cfg.Profile.Switch
	}
	c.used = true
	if s.fair != nil {
		s.fairPlaced(i, v, t)
	} else {
		s.newSlice(i, v)
		s.m.scheduledIn(v)
	}
	s.resume(i, v)
}

// newSlice lets v run for a slice from now, but not beyond the machine's time.
func (s *Scheduler) newSlice(i int, v *VCPU) {
	s.end[i] = min(v.Core.Now+s.m.cfg.Slice, s.m.cfg.MaxCycles)
}

// ready queues v, which is runnable at t, and lets an idle pCPU have it: its
// home, else the lowest.
func (s *Scheduler) ready(v *VCPU, t mem.Cycles) {
	if s.fair != nil {
		s.fairReady(v, t)
		return
	}
	v.books.book(cyclesReady, t)
	home := &s.cpus[v.home]
	home.queue = append(home.queue, v)
	if home.cur == nil {
		s.dispatch(v.home, t)
		return
	}
	s.poke(v.home, t) // nobody polls while others wait
	if s.m.cfg.Pin {
		return
	}
	for i := range s.cpus {
		if s.cpus[i].cur == nil {
			s.dispatch(i, t)
			return
		}
	}
}

// setTimer makes v ready at t, after all timers set for the same time.
func (s *Scheduler) setTimer(t mem.Cycles, v *VCPU) { s.addTimer(timer{at: t, v: v}) }

func (s *Scheduler) addTimer(w timer) {
	k, _ := slices.BinarySearchFunc(s.timers, w.at, func(o timer, t mem.Cycles) int {
		if o.at <= t {
			return -1
		}
		return 1
	})
	s.timers = slices.Insert(s.timers, k, w)
	s.expiry = s.timers[0].at
}

// expire handles the first timer.
func (s *Scheduler) expire() {
	w := s.timers[0]
	s.timers = append(s.timers[:0], s.timers[1:]...)
	s.expiry = mem.Never
	if len(s.timers) != 0 {
		s.expiry = s.timers[0].at
	}
	s.now = max(s.now, w.at)
	if w.alarm != 0 {
		s.ring(w)
		return
	}
	w.v.Core.Now = w.at
	if w.v.State == NotStarted {
		w.v.State = Runnable
	} else {
		s.adaptPoll(w.v, w.at)
		s.m.Wake(w.v)
	}
	s.ready(w.v, w.at)
}

// ring lets an alarm go off, unless the guest has set a later one.
func (s *Scheduler) ring(w timer) {
	if w.alarm != w.v.alarm.gen || w.v.State == Done {
		return
	}
	w.v.alarm.due = true
	if w.v.sleeping() {
		s.m.rouse(w.v)
		s.arrangeWakes(w.at)
	}
}
