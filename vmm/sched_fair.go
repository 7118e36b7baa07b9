package vmm

import (
	"math/bits"
	"slices"

	"spinlab/mem"
)

// The policy CFS: Linux's completely fair scheduler as of 3.x, for threads of
// equal weight. Each pCPU has a queue in order of virtual runtime, which for
// equal weights is the time that a vCPU has had a pCPU, guest and host alike.
// All times are in cycles.

// FairParams are the knobs of CFS, in nanoseconds, before they are scaled by
// the number of pCPUs, and the tick.
type FairParams struct {
	Latency  uint64 // every runnable vCPU runs once in this time
	MinGran  uint64 // but for at least this long
	WakeGran uint64 // a waking vCPU must be behind by more than this to preempt
	HZ       uint64 // ticks a second on each pCPU
	Balance  uint64 // ticks between two looks for a longer queue
}

// linux3x are the defaults of kernel/sched/fair.c in Linux 3.x: sysctl_sched_
// latency, min_granularity and wakeup_granularity. HZ 1000 is what the seeds'
// distribution kernels used. Balance is ours, because the interval of a domain
// of eight CPUs is 8 ms there.
var linux3x = FairParams{Latency: 6_000_000, MinGran: 750_000, WakeGran: 1_000_000, HZ: 1000, Balance: 8}

// fairScaleCPUs is the number of CPUs beyond which the knobs stop growing
// (kernel/sched/fair.c, get_update_sysctl_factor).
const fairScaleCPUs = 8

// fair is the state of CFS on a machine.
type fair struct {
	latency, minGran, wakeGran int64
	tick                       mem.Cycles // period
	balance                    mem.Cycles // period
	rq                         []fairQueue
}

// fairQueue is what CFS keeps for a pCPU beside pcpu: there the queue is sorted
// by virtual runtime, equal ones in the order in which they came.
type fairQueue struct {
	floor     int64      // virtual runtime of the least served; never goes back
	next      *VCPU      // buddy: a directed yield asks for it
	skip      *VCPU      // buddy: it has yielded
	tickAt    mem.Cycles // the next tick
	balanceAt mem.Cycles // the next look for a longer queue
	need      mem.Cycles // from then on the present vCPU is to go; Never
	busy      mem.Cycles // until then the present context switch takes
	idle      bool       // in a sleep state: leaving it takes time
}

// entity is what CFS keeps for a vCPU.
type entity struct {
	vruntime int64
	ran      mem.Cycles // time on pCPUs so far
	picked   mem.Cycles // ran, when it was picked last
	since    mem.Cycles // up to here ran and vruntime are right
	queued   bool       // in the queue of its home
	started  bool
}

// newFair scales the knobs for the machine. Ticks are staggered over the pCPUs
// (the kernel's skew_tick): at one moment they would make all choices alike.
func newFair(p *Profile, cpus int) *fair {
	factor := uint64(bits.Len(uint(min(cpus, fairScaleCPUs)))) // 1 + log2
	scaled := func(ns uint64) int64 { return int64(p.cycles(ns * factor)) }
	f := &fair{
		latency: scaled(p.Fair.Latency), minGran: scaled(p.Fair.MinGran), wakeGran: scaled(p.Fair.WakeGran),
		tick: p.MHz * 1_000_000 / p.Fair.HZ,
		rq:   make([]fairQueue, cpus),
	}
	f.balance = f.tick * p.Fair.Balance
	for i := range f.rq {
		first := f.tick * mem.Cycles(i+1) / mem.Cycles(cpus)
		f.rq[i] = fairQueue{tickAt: first, balanceAt: first + f.balance, need: mem.Never}
	}
	return f
}

// slice is how long one of n runnable vCPUs of a pCPU may run at a stretch:
// latency / n, but never below the minimum granularity.
func (f *fair) slice(n int) int64 { return max(f.latency/int64(n), f.minGran) }

// update books the time of pCPU i's vCPU up to now and raises the floor.
func (s *Scheduler) update(i int, now mem.Cycles) {
	c, rq := &s.cpus[i], &s.fair.rq[i]
	least := int64(1<<63 - 1)
	if v := c.cur; v != nil {
		e := &v.fair
		if now > e.since {
			e.vruntime += int64(now - e.since)
			e.ran += now - e.since
			e.since = now
		}
		least = e.vruntime
	}
	if len(c.queue) != 0 {
		least = min(least, c.queue[0].fair.vruntime)
	}
	if c.cur != nil || len(c.queue) != 0 {
		rq.floor = max(rq.floor, least)
	}
}

// enqueue puts v into the queue of pCPU i, behind its equals.
func (s *Scheduler) enqueue(i int, v *VCPU) {
	q := s.cpus[i].queue
	k, _ := slices.BinarySearchFunc(q, v.fair.vruntime, func(o *VCPU, x int64) int {
		if o.fair.vruntime <= x {
			return -1
		}
		return 1
	})
	s.cpus[i].queue = slices.Insert(q, k, v)
	v.home, v.fair.queued = i, true
}

// dequeue takes v out of the queue of its home, and its buddy marks off.
func (s *Scheduler) dequeue(v *VCPU) {
	c, rq := &s.cpus[v.home], &s.fair.rq[v.home]
	k, _ := slices.BinarySearchFunc(c.queue, v.fair.vruntime, func(o *VCPU, x int64) int {
		if o.fair.vruntime < x {
			return -1
		}
		return 1
	})
	for c.queue[k] != v {
		k++
	}
	c.queue = slices.Delete(c.queue, k, k+1)
	v.fair.queued = false
	rq.forget(v)
}

// forget takes v's buddy marks off.
func (rq *fairQueue) forget(v *VCPU) {
	if rq.next == v {
		rq.next = nil
	}
	if rq.skip == v {
		rq.skip = nil
	}
}

// pick takes the vCPU that is to run next out of pCPU i's queue, which is not
// empty: the leftmost, but not the skip buddy if the second is not too far
// behind, and the next buddy if that is not too far behind. Too far is the
// wake-up granularity (pick_next_entity).
func (s *Scheduler) pickFair(i int) *VCPU {
	q, rq := s.cpus[i].queue, &s.fair.rq[i]
	left := q[0]
	near := func(v *VCPU) bool { return v.fair.vruntime-left.fair.vruntime <= s.fair.wakeGran }
	v := left
	if rq.skip == left && len(q) > 1 && near(q[1]) {
		v = q[1]
	}
	if rq.next != nil && near(rq.next) {
		v = rq.next
	}
	s.dequeue(v)
	return v
}

// resched makes the vCPU on pCPU j go at time t, at the latest when its
// context switch is over.
func (s *Scheduler) resched(j int, t mem.Cycles) {
	rq := &s.fair.rq[j]
	t = max(t, rq.busy)
	rq.need = min(rq.need, t)
	s.end[j] = min(s.end[j], t)
	s.poke(j, t)
}

// poke gives pCPU j a turn at t if its vCPU passes time without running code.
func (s *Scheduler) poke(j int, t mem.Cycles) {
	v := s.cpus[j].cur
	if v != nil && (v.phase == working || v.phase == polling) {
		s.turns[j] = min(s.turns[j], turnAt(max(t, v.Core.Now), j))
	}
}

// stretch lets pCPU i run to its next tick, or to where its vCPU is to go.
func (s *Scheduler) stretch(i int) {
	rq := &s.fair.rq[i]
	s.end[i] = min(rq.tickAt, rq.need, s.m.cfg.MaxCycles)
}

// ticks does what is due at ticks of pCPU i up to now, and says whether its
// vCPU is to go. A tick itself costs nothing (ours, because an interrupt exit
// each millisecond is below 0.1 % of a pCPU).
func (s *Scheduler) ticks(i int, now mem.Cycles) bool {
	f := s.fair
	rq := &f.rq[i]
	if rq.tickAt <= now {
		rq.tickAt += (now-rq.tickAt)/f.tick*f.tick + f.tick
		s.update(i, now)
		if s.tooLong(i) {
			rq.need = now
			rq.forget(s.cpus[i].cur)
		}
		if rq.balanceAt <= now {
			rq.balanceAt = now + f.balance
			s.balance(i, now)
		}
	}
	s.stretch(i)
	return rq.need <= now
}

// tooLong is the test of a tick (check_preempt_tick): the slice is used up, or
// the leftmost is behind by more than a slice.
func (s *Scheduler) tooLong(i int) bool {
	c := &s.cpus[i]
	if len(c.queue) == 0 {
		return false
	}
	e := &c.cur.fair
	slice, ran := s.fair.slice(len(c.queue)+1), int64(e.ran-e.picked)
	return ran > slice || ran >= s.fair.minGran && e.vruntime-c.queue[0].fair.vruntime > slice
}
