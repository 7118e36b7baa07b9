package vmm

import (
	"math/bits"

	"spinlab/cpu"
	"spinlab/mem"
)

// phase is what a vCPU on a pCPU does next.
type phase uint8

const (
	inGuest  phase = iota // run instructions
	atExit                // the host handles its exit
	toSleep               // the host is about to put it to sleep
	toYield               // the host lets others go first, if there are any
	toLeave               // its slice is over: the host takes the pCPU away
	working               // it passes time in the guest without running code
	polling               // it has halted, and the host polls before it sleeps
	spinning              // its loop only looks, and it is left alone: see sched_spin.go
)

// Scheduler drives a Machine through virtual time. It holds no rule of the
// machine: it picks the pCPU whose turn it is and calls single actions.
//
// Turns come in order of time; at the same time stores commit first, then
// timers expire, then pCPUs act, the lowest first. A pCPU may run ahead up to
// the first moment at which anything else could act.
//
// vCPU i starts at home on pCPU i mod P and waits in that pCPU's queue. Who goes
// next, and when, is the profile's policy. Round robin: a pCPU without a vCPU
// takes the longest queue's first; so no queue holds anybody while a pCPU is
// idle. CFS: see sched_fair.go. Pinned vCPUs stay at home under both.
type Scheduler struct {
	m        *Machine
	turns    [MaxPCPUs]turnKey    // when each pCPU acts next
	end      [MaxPCPUs]mem.Cycles // when the slice of its vCPU ends, or the machine's time
	cpus     []pcpu
	buffered uint64     // bit i: port i may hold buffered stores
	fair     *fair      // nil: round robin
	timers   []timer    // by time, then in order of setting
	expiry   mem.Cycles // of the first timer, Never without one
	now      mem.Cycles
	last     int        // the pCPU whose turn at now was the last: settle wants to know
	actor    int        // whose vCPU executes, −1 while a store commits
	quota    mem.Cycles // up to here spinners cannot use up the instructions that are left
	lockstep bool       // run one cycle at a time: the reference for running ahead
}

// turnKey orders the pCPUs that are to act: by time, then by number. The time
// is in the upper bits, which still hold three years of a 3 GHz machine.
type turnKey uint64

const (
	turnBits         = 6 // log2(MaxPCPUs)
	idle     turnKey = 1<<64 - 1
)

func turnAt(t mem.Cycles, i int) turnKey { return turnKey(t<<turnBits | uint64(i)) }

// pcpu is one physical CPU: who runs on it and who waits for it.
type pcpu struct {
	cur   *VCPU
	queue []*VCPU
	used  bool // it has run something: the next one costs a context switch
}

// timer makes a vCPU ready at a time: its start, or its wake-up. Or it is an
// alarm of the guest's, which may end a halt.
type timer struct {
	at    mem.Cycles
	v     *VCPU
	alarm uint32 // 0: none; else the alarm's generation
}

// NewScheduler gives a scheduler for m with all pCPUs idle.
func NewScheduler(m *Machine) *Scheduler {
	s := &Scheduler{m: m, cpus: make([]pcpu, len(m.Ports)), expiry: mem.Never}
	for i := range s.turns {
		s.turns[i] = idle
	}
	if m.cfg.Profile.Policy == CFS {
		s.fair = newFair(m.cfg.Profile, len(s.cpus))
	}
	return s
}

// Start makes v, which has not started, runnable at time t.
func (s *Scheduler) Start(v *VCPU, t mem.Cycles) { s.setTimer(t, v) }

// Run takes turns until the machine has a verdict or is to pause.
func (s *Scheduler) Run() {
	for s.m.verdict == "" && s.m.left != s.m.pauseAt {
		if !s.race() {
			s.turn()
		}
	}
	if s.m.verdict != "" {
		s.settle()
	}
}

// turn lets happen what comes next.
func (s *Scheduler) turn() {
	first, second := s.pick()
	i := int(first & (1<<turnBits - 1))
	t := mem.Cycles(first >> turnBits)
	if first == idle {
		t = mem.Never
	}
	// A lower pCPU acts first at the same cycle, a higher one only after it.
	until := mem.Cycles(second >> turnBits)
	if int(second&(1<<turnBits-1)) > i {
		until++
	}
	if s.buffered != 0 {
		others, oldest := s.oldest(i)
		if oldest <= t && oldest <= min(s.expiry, s.m.nextEvent()) && oldest != mem.Never {
			s.actor = -1
			s.commitOldest(oldest)
			return
		}
		if until = min(until, others); s.m.meter.Watched != 0 {
			until = min(until, oldest) // at its very time: a spinner may see it
		}
	}
	if e := s.m.nextEvent(); e <= t && e <= s.expiry && e != mem.Never {
		if s.wakeAll(turnAt(e, 0)); s.hostEvent(first == idle) {
			return
		}
	}
	if s.expiry <= t {
		s.wakeAll(turnAt(s.expiry, 0))
		s.noTurn()
		return
	}
	v := s.cpus[i].cur
	if v.phase == spinning {
		s.wake(1<<i, first)
		return
	}
	if v.phase != inGuest || t >= s.end[i] {
		s.wakeAll(first)
		if s.now = t; v.phase != inGuest {
			s.host(i, v)
		} else {
			s.sliceOver(i, v)
		}
		return
	}
	s.guest(i, v, min(until, s.end[i], s.expiry, s.m.nextEvent()))
}

// race is turn for vCPUs that contend, which change places at nearly every
// instruction: many turns of cores, one instruction each, up to what is more than
// that. It says whether a turn was taken.
func (s *Scheduler) race() bool {
	m := s.m
	if m.cfg.Observe != nil || s.lockstep || m.left == 0 {
		return false
	}
	horizon := min(s.expiry, m.nextEvent())
	if s.buffered != 0 {
		_, oldest := s.oldest(0)
		horizon = min(horizon, oldest)
	}
	for taken := false; ; taken = true {
		first, second := s.pick()
		i, t := int(first&(1<<turnBits-1)), mem.Cycles(first>>turnBits)
		end := min(horizon, s.end[i])
		if first == idle || t >= end {
			return taken
		}
		v, p := s.cpus[i].cur, m.Ports[i]
		if v.phase != inGuest || v.alert || mem.Cycles(second>>turnBits)-t > shortRun {
			return taken
		}
		s.actor = i
		did := cpu.Stands
		if p.Quiet() {
			did = v.Core.Turn(p)
		} else {
			did = v.Core.TurnBeside(p)
		}
		if did == cpu.Stands {
			return taken
		}
		if s.turns[i] = turnAt(v.Core.Now, i); did == cpu.Around && v.Core.Skips {
			s.spin(i, v)
		}
		if m.left--; m.left == 0 || m.left == m.pauseAt {
			return true
		}
	}
}

// shortRun is how many cycles ahead of the others a core goes on by single
// instructions: beyond that whole blocks are faster.
const shortRun = 32

// pick finds the pCPU that acts first and the one after it.
func (s *Scheduler) pick() (first, second turnKey) {
	first, second = idle, idle
	for _, k := range s.turns[:len(s.cpus)] {
		second = min(second, max(first, k))
		first = min(first, k)
	}
	return first, second
}

// oldest gives the ready times of the first store to commit: among all ports,
// and among those other than i.
func (s *Scheduler) oldest(i int) (others, all mem.Cycles) {
	others, all = mem.Never, mem.Never
	for b := s.buffered; b != 0; b &= b - 1 {
		j := bits.TrailingZeros64(b)
		p := s.m.Ports[j]
		if p.B.N == 0 {
			s.buffered &^= 1 << j
			continue
		}
		r := p.B.At(0).Ready
		all = min(all, r)
		if j != i {
			others = min(others, r)
		}
	}
	return others, all
}

// commitOldest commits one store that is ready at t, of the lowest such port.
func (s *Scheduler) commitOldest(t mem.Cycles) {
	for b := s.buffered; b != 0; b &= b - 1 {
		i := bits.TrailingZeros64(b)
		p := s.m.Ports[i]
		if p.B.N != 0 && p.B.At(0).Ready == t {
			s.now, s.last = max(s.now, t), 0 // before any pCPU's turn at that time
			s.m.Commit(p, t)
			s.goOnWaiting(i, t)
			return
		}
	}
}

// goOnWaiting spares the vCPU on pCPU i, one of whose stores has committed at t,
// a look at an instruction that wants all of them out: there are more, and nothing
// else is due at t.
func (s *Scheduler) goOnWaiting(i int, t mem.Cycles) {
	v, m := s.cpus[i].cur, s.m
	if v == nil || !v.drains || v.alert || v.phase != inGuest || v.Core.Now != t || m.Ports[i].B.N == 0 {
		return
	}
	others, _ := s.oldest(i)
	if first, _ := s.pick(); first == turnAt(t, i) && t < min(others, s.end[i], s.expiry, m.nextEvent()) && m.left != 0 && m.verdict == "" {
		s.await(i, v)
		s.turns[i] = turnAt(v.Core.Now, i)
	}
}

// await lets the next instruction of v wait for the oldest store of pCPU i.
func (s *Scheduler) await(i int, v *VCPU) {
	if r, c := s.m.Ports[i].B.At(0).Ready, v.Core; r > c.Now {
		c.Delay += r - c.Now
		c.Now = r
	}
}

// noteStores has port i looked at for commits. It follows all that can store:
// the guest's instructions, and the frame of an interrupt.
func (s *Scheduler) noteStores(i int) {
	if s.m.Ports[i].B.N != 0 {
		s.buffered |= 1 << i
	}
}

// guest runs v up to until.
func (s *Scheduler) guest(i int, v *VCPU, until mem.Cycles) {
	m, p, c := s.m, s.m.Ports[i], v.Core
	if m.left == 0 {
		s.now, s.last = c.Now, i
		m.stop(VerdictLimit, "%d instructions retired (--max-instructions)", m.limit())
		return
	}
	if v.alert && s.interrupt(i, v) {
		return
	}
	if s.lockstep {
		until = c.Now + 1
	}
	s.actor, p.Exact = i, m.meter.Watched != 0
	s.step(i, v, until)
}

// step is guest without what comes before.
func (s *Scheduler) step(i int, v *VCPU, until mem.Cycles) {
	m, p, c := s.m, s.m.Ports[i], v.Core
	stop := m.Step(v, p, cpu.Budget{Until: until})
	s.noteStores(i)
	v.drains = stop == cpu.Drain && c.Empties
	switch stop {
	case cpu.Time, cpu.Retired:
	case cpu.Exited:
		v.books.book(cyclesHost, c.Now)
		v.phase = atExit
	case cpu.Drain: // the instruction starts when the stores ahead of it are out
		s.await(i, v)
	case cpu.Faulted:
		m.guestFault(v)
	default:
		m.stop(VerdictFault, "%s: %s", m.placeAt(v, c.RIP)+m.bytesAt(v, c.RIP), c.Why)
	}
	if s.turns[i] = turnAt(c.Now, i); m.verdict != "" {
		s.now, s.last = c.Now, i
		if stop == cpu.Time || stop == cpu.Retired { // a probe's: behind its instruction
			s.now = p.Now + p.Waited
		}
	}
}

// limit is how many instructions may retire in the present part of the run.
func (m *Machine) limit() uint64 {
	if m.booting {
		return min(BootLimit, m.cfg.MaxInstructions)
	}
	return m.cfg.MaxInstructions
}

// noTurn is called when no pCPU acts before the first timer: the timer expires.
// Without a timer all that are not done are asleep.
func (s *Scheduler) noTurn() {
	m := s.m
	if s.expiry != mem.Never {
		s.expire()
		return
	}
	for _, p := range m.Ports { // buffers drain at last
		if p.B.N != 0 {
			m.Commit(p, s.now)
			return
		}
	}
	m.judge()
}
