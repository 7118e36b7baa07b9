package vmm

import (
	"math/bits"

	"spinlab/cpu"
	"spinlab/mem"
)

// Time that passes without code: a workload device through which guests of an
// experiment think and sleep, hogs, and a host that polls for a wake-up.

// The ports of the workload device. It is an instrument of experiments and no
// hardware: its exits cost nothing and are not counted. IN and OUT wait for the
// own store buffer as they always do.
const (
	// portWork: OUT EAX spends that many cycles in the guest, as a delay loop
	// would. The vCPU can be preempted meanwhile, but takes no interrupts.
	portWork = 0xe0
	// portDraw: IN EAX takes a mean in EAX and gives back a draw from the
	// exponential distribution of that mean, which depends on the seed, the
	// vCPU and the number of its draws alone.
	portDraw = 0xe1
	// portAlarm: OUT EAX sets an event that many cycles ahead which ends a
	// HLT, at once if it came before the HLT; 0 calls a set one off.
	portAlarm = 0xe2
)

// alarm is a vCPU's timer event.
type alarm struct {
	set mem.Cycles // to this many cycles from now: the scheduler will start it
	gen uint32     // the one that counts; older ones are void
	due bool       // it came, and no halt has used it up
}

// isWorkload says whether v's exit is an access to the workload device.
func isWorkload(e *cpu.Exit) bool {
	return (e.Kind == cpu.ExitOut && (e.Port == portWork || e.Port == portAlarm) || e.Kind == cpu.ExitIn && e.Port == portDraw) && e.Size == 4
}

// reason is why v left the guest.
func (v *VCPU) reason() Reason {
	if isWorkload(&v.Core.Exit) {
		return ReasonWorkload
	}
	return reasonOf[v.Core.Exit.Kind]
}

func exitWorkload(m *Machine, v *VCPU, _ *mem.Port) Next {
	e, r := &v.Core.Exit, &v.Core.R
	switch e.Port {
	case portWork:
		v.work = mem.Cycles(uint32(e.Val))
	case portDraw:
		v.thinks++
		u := mem.Mix(m.cfg.Seed, uint64(v.ID), v.thinks)
		setLow(&r[cpu.RAX], 4, min(exponential(r[cpu.RAX]&0xffffffff, u), 1<<32-1))
	case portAlarm:
		v.alarm = alarm{set: mem.Cycles(uint32(e.Val)), gen: v.alarm.gen + 1}
	}
	return Resume
}

// ln2 is the natural logarithm of 2 in units of 2^-32.
const ln2 = 2977044472

// exponential turns 64 random bits u into a draw from the exponential
// distribution of that mean (below 2^32): mean × −ln(u / 2^64). The binary
// logarithm is worked out bit by bit in integers, to 32 places, so that every
// machine gives the same.
func exponential(mean, u uint64) uint64 {
	u = max(u, 1)
	k := bits.LeadingZeros64(u)
	x := u << k // in [1, 2), in units of 2^-63
	var frac uint64
	for range 32 {
		hi, lo := bits.Mul64(x, x) // in [1, 4), in units of 2^-126
		frac <<= 1
		if hi>>63 != 0 {
			frac |= 1
			x = hi
		} else {
			x = hi<<1 | lo>>63
		}
	}
	hi, lo := bits.Mul64(uint64(k+1)<<32-frac, ln2)
	e := hi<<32 | lo>>32 // −ln, in units of 2^-32
	hi, lo = bits.Mul64(e, mean)
	return hi<<32 | lo>>32
}

// HogVM is a VM of n vCPUs that do nothing but use up time: a loop of one
// instruction. The machine does not wait for their end.
func HogVM(n int) VMConfig {
	const at = 0x1000
	return VMConfig{VCPUs: n, Hog: true, Image: &Image{
		Segments: []Segment{{Addr: at, Data: []byte{0xeb, 0xfe}, Perm: mem.Read | mem.Exec}}, // jmp to itself
		Main:     at,
	}}
}

// IsHog says whether the VM only uses up time.
func (vm *VM) IsHog() bool { return vm.hog }

// passes says whether v, about to enter the guest, passes time without running
// code.
func (s *Scheduler) passes(v *VCPU) bool {
	return v.work != 0 || v.VM.hog && !s.m.cfg.NoSkip
}

// startWork lets v on pCPU i pass time from now: until its work is done, or the
// end of its stretch on the pCPU.
func (s *Scheduler) startWork(i int, v *VCPU) {
	v.phase = working
	until := s.end[i]
	if !v.VM.hog {
		until = min(until, v.Core.Now+v.work)
	}
	s.turns[i] = turnAt(max(until, v.Core.Now), i)
}

// work is the turn of a vCPU that passes time, at t.
func (s *Scheduler) work(i int, v *VCPU, t mem.Cycles) {
	s.pass(v, t)
	if !v.VM.hog && v.work == 0 {
		v.phase = inGuest
		s.turns[i] = turnAt(t, i)
		return
	}
	if v.Core.Now >= s.end[i] {
		s.sliceOver(i, v)
	}
	if v.phase == working {
		s.startWork(i, v)
	}
}

// pass books the time up to t as spent. A hog has run its instruction all along,
// to the end of the last one that started before t.
func (s *Scheduler) pass(v *VCPU, t mem.Cycles) {
	if t <= v.Core.Now {
		return
	}
	d := t - v.Core.Now
	if !v.VM.hog {
		v.work -= d
		v.Core.Now = t
		return
	}
	cost := max(s.m.cfg.Profile.CPU[cpu.ClassALU], 1)
	n := (d + cost - 1) / cost
	v.Core.Count.Instructions += n
	v.Core.Now += n * cost
}

// settle brings buffers, spinners and hogs up to date at the end of a run, which
// pCPU last made at now.
func (s *Scheduler) settle() {
	last := s.last
	s.actor = -1
	for _, ready := s.oldest(-1); ready <= s.now; _, ready = s.oldest(-1) {
		s.commitOldest(ready)
	}
	s.wakeAll(turnAt(s.now, last))
	for j := range s.cpus {
		v := s.cpus[j].cur
		if v == nil || !v.VM.hog || v.phase != working {
			continue
		}
		t := s.now
		if j < last { // it would have had its turn at that time
			t++
		}
		s.pass(v, min(t, s.end[j]))
	}
}

// hogsAlone says whether nothing but hogs can ever act again.
func (s *Scheduler) hogsAlone() bool {
	if len(s.timers) != 0 || s.m.nextEvent() != mem.Never && s.m.eventsMatter() {
		return false
	}
	for _, v := range s.m.VCPUs {
		if !v.VM.hog && v.State != Asleep && v.State != Done && v.State != NotStarted {
			return false
		}
	}
	return true
}

// poll lets the host look for a wake-up for a while before v sleeps, if it is
// alone on its pCPU and the profile polls (kvm_vcpu_halt). It says whether it
// does. Polling is host time.
func (s *Scheduler) poll(i int, v *VCPU) bool {
	v.halted = v.Core.Now
	if v.pollFor == 0 || len(s.cpus[i].queue) != 0 {
		return false
	}
	v.phase = polling
	s.turns[i] = turnAt(v.halted+v.pollFor, i)
	return true
}

// polled is a turn of a poll at t: something came, or the time is up, or
// somebody else wants the pCPU.
func (s *Scheduler) polled(i int, v *VCPU, t mem.Cycles) {
	v.Core.Now = max(v.Core.Now, t)
	if s.m.wakeable(v) {
		v.books.polled++
		s.m.Wake(v)
		s.reenter(i, v)
		return
	}
	if t >= v.halted+v.pollFor || len(s.cpus[i].queue) != 0 {
		s.sleep(i, v)
		return
	}
	s.turns[i] = turnAt(v.halted+v.pollFor, i)
}

// sleep takes a halted vCPU off pCPU i, if nothing has come meanwhile.
func (s *Scheduler) sleep(i int, v *VCPU) {
	if !s.m.Sleep(v) {
		s.reenter(i, v)
		return
	}
	v.books.book(cyclesHalted, v.Core.Now)
	s.leave(i, v)
}

// adaptPoll sets how long v polls the next time, when a halt ends at t: shorter
// after a long one, longer after a short one that polling missed.
func (s *Scheduler) adaptPoll(v *VCPU, t mem.Cycles) {
	p := &s.m.cfg.Profile.Poll
	if p.Max == 0 || t < v.halted {
		return
	}
	switch d := t - v.halted; {
	case d <= v.pollFor:
	case d > p.Max && p.Shrink == 0:
		v.pollFor = 0
	case d > p.Max:
		v.pollFor /= p.Shrink
	case v.pollFor < p.Max:
		v.pollFor = min(max(v.pollFor*p.Grow, p.Start), p.Max)
	}
}
