package vmm

import "spinlab/mem"

// host takes the next step of a vCPU that is on pCPU i but not in the guest.
func (s *Scheduler) host(i int, v *VCPU) {
	switch v.phase {
	case atExit:
		s.exit(i, v)
	case toSleep:
		if !s.drained(i, v) {
			return
		}
		if !s.m.Sleep(v) {
			s.resume(i, v)
			return
		}
		v.books.book(cyclesHalted, v.Core.Now)
		s.leave(i, v)
	case toYield:
		if len(s.cpus[i].queue) == 0 {
			s.resume(i, v)
			return
		}
		v.phase = toLeave
		s.preempted(i, v)
	case toLeave:
		s.preempted(i, v)
	}
}

// exit handles v's exit. Its effects come now, the round trip is paid after.
func (s *Scheduler) exit(i int, v *VCPU) {
	if s.m.NeedsDrain(v) && !s.drained(i, v) {
		return
	}
	next := s.m.HandleExit(v, s.m.Ports[i])
	s.arrangeWakes(v.Core.Now)
	if next != Finished {
		v.Core.Now += s.m.cfg.Profile.Exit[reasonOf[v.Core.Exit.Kind]]
		s.turns[i] = turnAt(v.Core.Now, i)
	}
	switch next {
	case Resume:
		s.resume(i, v)
	case Halt:
		v.phase = toSleep
	case Yield:
		v.phase = toYield
	case Finished: // OUT was serialized: the buffer is empty
		v.books.book(cyclesDone, v.Core.Now)
		s.leave(i, v)
	}
}

// arrangeWakes sets a timer for every sleeper that was kicked at t.
func (s *Scheduler) arrangeWakes(t mem.Cycles) {
	for _, v := range s.m.kicked {
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
}

// sliceOver ends a slice. Without anybody waiting there is no exit and a new
// one begins; late stores commit then, as the host's tick would drain them, so
// that a guest which waits for one does not wait for ever.
func (s *Scheduler) sliceOver(i int, v *VCPU) {
	if limit := s.m.cfg.MaxCycles; v.Core.Now >= limit {
		s.m.stop(VerdictLimit, "%d cycles passed (--max-cycles)", limit)
		return
	}
	if len(s.cpus[i].queue) == 0 {
		s.newSlice(i, v)
		for p := s.m.Ports[i]; s.m.cfg.Commit == mem.Late && p.B.N != 0; {
			s.m.Commit(p, v.Core.Now)
		}
		return
	}
	v.books.book(cyclesHost, v.Core.Now)
	s.m.Preempt(v, s.m.Ports[i])
	v.Core.Now += s.m.cfg.Profile.Exit[ReasonPreempt]
	s.turns[i] = turnAt(v.Core.Now, i)
	v.phase = toLeave
}

// preempted puts v at the tail of its queue and gives the pCPU to the next.
func (s *Scheduler) preempted(i int, v *VCPU) {
	if !s.drained(i, v) {
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
	v.draws = s.m.Ports[i].Draws.N
	v.pcpu = -1
	v.phase = inGuest
	s.cpus[i].cur = nil
	s.turns[i] = idle
	s.dispatch(i, v.Core.Now)
	if s.m.allDone() {
		s.m.judge()
	}
}

// dispatch gives idle pCPU i a vCPU at time t, if one waits anywhere.
func (s *Scheduler) dispatch(i int, t mem.Cycles) {
	from := i
	if len(s.cpus[i].queue) == 0 {
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
	s.newSlice(i, v)
	s.resume(i, v)
}

// newSlice lets v run for a slice from now, but not beyond the machine's time.
func (s *Scheduler) newSlice(i int, v *VCPU) {
	s.end[i] = min(v.Core.Now+s.m.cfg.Slice, s.m.cfg.MaxCycles)
}

// ready queues v, which is runnable at t, and lets an idle pCPU have it: its
// home, else the lowest.
func (s *Scheduler) ready(v *VCPU, t mem.Cycles) {
	v.books.book(cyclesReady, t)
	home := &s.cpus[v.home]
	home.queue = append(home.queue, v)
	if home.cur == nil {
		s.dispatch(v.home, t)
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
func (s *Scheduler) setTimer(t mem.Cycles, v *VCPU) {
	s.timers = append(s.timers, timer{})
	k := len(s.timers) - 1
	for ; k > 0 && s.timers[k-1].at > t; k-- {
		s.timers[k] = s.timers[k-1]
	}
	s.timers[k] = timer{t, v}
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
	w.v.Core.Now = w.at
	if w.v.State == NotStarted {
		w.v.State = Runnable
	} else {
		s.m.Wake(w.v)
	}
	s.ready(w.v, w.at)
}
