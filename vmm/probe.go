package vmm

import (
	"fmt"

	"spinlab/cpu"
	"spinlab/mem"
)

// ProbeKind is what a probe's address means.
type ProbeKind uint8

// The probes. A vCPU waits from ProbeAcquire to ProbeAcquired or ProbeAwaited,
// and holds from ProbeAcquired or ProbeTaken to ProbeRelease.
const (
	ProbeAcquire  ProbeKind = iota + 1 // the call of the lock function, or of unlock_wait
	ProbeAcquired                      // the instruction after the lock function
	ProbeRelease                       // the call of the unlock function
	ProbeReleased                      // the instruction after it
	ProbeTaken                         // a trylock has succeeded
	ProbeAwaited                       // the instruction after unlock_wait
	ProbePassed                        // behind that: nobody waits there

	probeEnd // the end of a thread's text: it is not to be passed
)

// Probe is an address that marks a phase of a critical section. The mark is
// made when the instruction there retires; RDI names the lock at those that
// begin a wait, at ProbeTaken and at ProbeRelease.
type Probe struct {
	Kind ProbeKind
	Addr uint64
}

// maxNested is how many locks a vCPU may hold or wait for at once.
const maxNested = 7

// lockUse is a lock that a vCPU waits for or holds.
type lockUse struct {
	lock uint64
	held bool
	// begun says that the vCPU has done a visible action since it began to wait:
	// it has drawn its ticket, or queued. Only a Walk with Doorways tells.
	begun bool
	// leaving says that the vCPU is in the function that releases the lock. Only
	// a Walk with Doorways tells.
	leaving bool
}

// lockUses are those of one vCPU, the oldest first: what the probes say.
type lockUses struct {
	use [maxNested]lockUse
	n   uint8
}

// push adds a lock; there is no room for more than maxNested.
func (u *lockUses) push(lock uint64, held bool) (i int, ok bool) {
	if u.n == maxNested {
		return 0, false
	}
	u.use[u.n] = lockUse{lock: lock, held: held}
	u.n++
	return int(u.n) - 1, true
}

// waiting finds the youngest lock that is waited for, −1 without one: handlers
// of interrupts nest.
func (u *lockUses) waiting() int {
	i := int(u.n) - 1
	for ; i >= 0 && (u.use[i].held || u.use[i].leaving); i-- {
	}
	return i
}

// released finds the youngest lock that is being released, −1 without one.
func (u *lockUses) released() int {
	i := int(u.n) - 1
	for ; i >= 0 && !u.use[i].leaving; i-- {
	}
	return i
}

// holding finds a lock that is held, −1 if it is not.
func (u *lockUses) holding(lock uint64) int {
	i := int(u.n) - 1
	for ; i >= 0 && (!u.use[i].held || u.use[i].lock != lock); i-- {
	}
	return i
}

// begin notes that the waits which there were before have begun.
func (u *lockUses) begin(before *lockUses) {
	for i := range min(before.n, u.n) {
		if x, was := &u.use[i], &before.use[i]; !x.held && !x.leaving && !was.held && !was.leaving && x.lock == was.lock {
			x.begun = true
		}
	}
}

// drop removes use i.
func (u *lockUses) drop(i int) {
	copy(u.use[i:], u.use[i+1:u.n])
	u.n--
	u.use[u.n] = lockUse{}
}

// lockArg is the lock that a probe names.
func (v *VCPU) lockArg() uint64 {
	if v.VM.image.OneLock {
		return 0
	}
	return v.Core.R[cpu.RDI]
}

// goesRound says whether the loop of an inlined lock comes by its acquire again.
func (v *VCPU) goesRound() bool { return v.VM.image.OneLock && v.locks.waiting() >= 0 }

// awaited is the lock use that ends its wait at acquired, −1 if there is none. A
// program that does not say where it begins to wait begins here.
func (v *VCPU) awaited() int {
	u := &v.locks
	if u.waiting() < 0 && v.VM.image.OneLock && u.holding(0) < 0 {
		u.push(0, false)
	}
	return u.waiting()
}

// section follows one vCPU through its critical sections.
type section struct {
	acquisitions uint64
	since        [maxNested]mem.Cycles // when each of its lock uses began
	wait, hold   spread
}

// drop is lockUses.drop for the times.
func (s *section) drop(i int) { copy(s.since[i:], s.since[i+1:]) }

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

// holding is a lock that somebody is in the critical section of.
type holding struct {
	lock uint64
	v    *VCPU
}

// probe makes the callback of v's core. Two vCPUs of a VM between acquired and
// release of one lock at once mean that it does not exclude.
func (m *Machine) probe(v *VCPU) func(id uint8, addr uint64, at mem.Cycles) {
	return func(id uint8, addr uint64, at mem.Cycles) {
		if m.booting {
			return
		}
		k, u := &v.crit, &v.locks
		switch ProbeKind(id) {
		case ProbeAcquire:
			if !v.goesRound() {
				m.tell(EventAcquire, v, at)
				m.use(v, false, at)
			}
		case ProbeAcquired:
			was := u.n
			if i := v.awaited(); i >= 0 {
				u.use[i].held = true
				if was == u.n {
					k.wait.add(at - k.since[i])
				}
				m.enter(v, i, addr, at)
			}
		case ProbeTaken:
			if i, ok := m.use(v, true, at); ok {
				m.enter(v, i, addr, at)
			}
		case ProbeAwaited:
			if i := u.waiting(); i >= 0 {
				u.drop(i)
				k.drop(i)
			}
		case ProbeRelease:
			if i := u.holding(v.lockArg()); i >= 0 {
				m.leave(v, i, at)
			}
		}
	}
}

// use notes that v waits for a lock, or has it at once.
func (m *Machine) use(v *VCPU, held bool, at mem.Cycles) (i int, ok bool) {
	if i, ok = v.locks.push(v.lockArg(), held); !ok {
		m.stop(VerdictFault, "%s: %s", m.place(v), tooNested)
		m.halt(v)
		return 0, false
	}
	v.crit.since[i] = at
	return i, true
}

// tooNested is what is wrong with a guest that the probes cannot follow.
var tooNested = fmt.Sprintf("more than %d locks at once", maxNested)

// enter notes that v has come into the critical section of its lock use i.
func (m *Machine) enter(v *VCPU, i int, addr uint64, at mem.Cycles) {
	m.tell(EventAcquired, v, at)
	v.crit.acquisitions++
	v.crit.since[i] = at
	lock := v.locks.use[i].lock
	for _, h := range v.VM.holders {
		if h.lock == lock && h.v != v {
			m.sched.wakeAll(turnAt(at, v.pcpu))
			m.stop(VerdictViolation, "exclusion: %s is in the critical section while %s is", m.placeAt(v, addr), m.place(h.v))
			m.halt(v)
		}
	}
	v.VM.holders = append(v.VM.holders, holding{lock, v})
}

// leave notes that v releases its lock use i.
func (m *Machine) leave(v *VCPU, i int, at mem.Cycles) {
	m.tell(EventRelease, v, at)
	v.crit.hold.add(at - v.crit.since[i])
	lock := v.locks.use[i].lock
	v.locks.drop(i)
	v.crit.drop(i)
	list := v.VM.holders
	for j, h := range list {
		if h.lock == lock && h.v == v {
			last := len(list) - 1
			list[j] = list[last]
			v.VM.holders = list[:last]
			return
		}
	}
}

// halt makes the present run of v end at its next instruction.
func (m *Machine) halt(v *VCPU) {
	if v.pcpu >= 0 {
		m.Ports[v.pcpu].Until = 0
	}
}
