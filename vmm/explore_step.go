package vmm

import (
	"errors"
	"fmt"
	"slices"

	"spinlab/cpu"
)

// privateLimit bounds the private instructions of one step, so that a loop of
// nothing else comes back to the search, which sees that its states repeat.
const privateLimit = 4096

// Apply lets a happen. The error is for guests that cannot be searched: they
// read a clock, or use what is not modelled.
func (w *Walk) Apply(a Action) (Effect, error) {
	if int(a.VCPU) >= len(w.who) {
		return Effect{}, fmt.Errorf("no vcpu %d", a.VCPU)
	}
	k := w.who[a.VCPU]
	w.effect = Effect{Moved: true, Apart: true, Changed: 1 << a.VCPU}
	switch {
	case a.Kind == ActCommit && k.p.B.N != 0:
		w.commit(k)
	case a.Kind >= ActOvertake && w.Choices(int(a.VCPU))>>a.Kind&1 != 0:
		k.p.Advance(int(a.Kind-ActOvertake) + 1)
		w.commit(k)
	case a.Kind == ActWake && k.v.State == Asleep && w.m.wakeable(k.v):
		w.m.Wake(k.v)
		w.settle(k)
	case a.Kind == ActStep && k.v.State == Halted:
		if !w.m.Sleep(k.v) {
			w.settle(k)
		}
	case a.Kind == ActStep && k.v.State == Runnable:
		w.effect.Moved = w.step(k)
	case a.Kind == ActDeliver && k.interruptible():
		w.deliver(k)
	default:
		return Effect{}, fmt.Errorf("vcpu %d: a %s is not possible here", a.VCPU, a.Kind)
	}
	w.judge()
	w.effect.Memory = w.written()
	err := w.err
	w.err = nil
	return w.effect, err
}

// commit takes the oldest store of k's buffer to memory.
func (w *Walk) commit(k *walker) {
	w.m.Commit(k.p, 0)
	if w.m.verdict != "" {
		w.effect.Breach, w.effect.Message = BreachFreed, w.m.message
	}
}

// judge turns a verdict of the machine into a breach: the machine itself goes
// on, to be rolled back.
func (w *Walk) judge() {
	m := w.m
	for _, v := range m.kicked { // nobody arranges wake-ups: they are actions
		v.roused = false
	}
	m.kicked = m.kicked[:0]
	if m.verdict == "" {
		return
	}
	if w.effect.Breach == NoBreach {
		w.effect.Breach, w.effect.Message = BreachFault, m.message
		if m.verdict == VerdictViolation {
			w.effect.Breach = BreachAssertion
		}
	}
	m.verdict, m.message = "", ""
}

// Settle runs the private instructions that every vCPU starts with. It says
// whether that went well: if not, the Walk is of no more use, and one that has
// not been settled shows what is wrong.
func (w *Walk) Settle() bool {
	for _, k := range w.who {
		w.settle(k)
	}
	w.judge()
	w.written()
	w.vm.Mem.ForgetLog()
	return w.err == nil && w.effect.Breach == NoBreach
}

// settle runs k's private instructions after a host action: they are part of
// it, since nobody can tell.
func (w *Walk) settle(k *walker) {
	if !w.fine(k) {
		w.run(k, true)
	}
}

// fine says whether every instruction of k is a step: always, or as long as
// interrupts may come at any boundary.
func (w *Walk) fine(k *walker) bool { return w.cfg.Fine || int(k.taken) < len(k.irqs) }

// interruptible says whether k may take its next interrupt now: delivery drains
// the store buffer, and comes between instructions.
func (k *walker) interruptible() bool {
	if int(k.taken) >= len(k.irqs) || k.p.B.N != 0 || k.p.Replay.N != 0 || k.v.State == Done {
		return false
	}
	vec := k.irqs[k.taken]
	if vec == VectorNMI {
		return k.v.Core.CanNMI() && k.v.Core.IDT.Limit != 0 // not before the guest can take it
	}
	return k.v.Core.CanInterrupt() && uint64(vec>>4) > k.v.Core.CR[8]
}

// deliver lets k take its next interrupt, which ends a halt.
func (w *Walk) deliver(k *walker) {
	vec := k.irqs[k.taken]
	k.taken++
	if k.v.State != Runnable {
		w.m.Wake(k.v)
	}
	w.m.Raise(k.v, vec)
	stop := k.p.Stop
	k.p.SetStop(false) // the host reads the table at once
	ok := w.m.deliver(k.v, k.p)
	k.p.SetStop(stop)
	if ok {
		w.settle(k)
	}
}

// step is one visible action of k and what is private after it. Where k does
// not stand before a visible action, what is private comes first and is the
// whole step: merged with the action after it, that would hide the moment in
// between, and with it that two are inside a lock at once.
func (w *Walk) step(k *walker) bool {
	if !w.fine(k) && w.run(k, true) {
		return true
	}
	before := k.v.locks
	k.p.Idle = false
	moved := w.run(k, false)
	if w.cfg.Doorways && moved && k.p.Allow == 0 && !k.p.Idle {
		k.v.locks.begin(&before)
	}
	return moved
}

// footing is what tells whether a run got anywhere.
type footing struct {
	instructions, rip, turns uint64
	values, stores           uint8
}

func (k *walker) footing() footing {
	c := k.v.Core
	return footing{c.Count.Instructions, c.RIP, c.R[cpu.RCX], k.p.Replay.N, k.p.B.N}
}

// run executes k up to its next visible action, or with quiet false through
// that and up to the next one. It says whether anything happened.
func (w *Walk) run(k *walker, quiet bool) bool {
	c, p := k.v.Core, k.p
	start := k.footing()
	b := cpu.Budget{Visible: true, Quiet: quiet}
	last := start.instructions + privateLimit
	if w.fine(k) {
		last = start.instructions + 1
	}
	for c.Count.Instructions < last {
		b.Retire = last - c.Count.Instructions
		shadow := c.Shadow
		stop := w.execute(k, b)
		if p.Overflow {
			p.Overflow, w.effect.Overflow = false, true
		}
		switch stop {
		case cpu.Retired:
			b.Quiet = b.Quiet || p.Allow == 0
			continue
		case cpu.Exited:
			if w.exit(k, shadow) {
				b.Quiet = true
				continue
			}
		case cpu.Faulted:
			w.m.guestFault(k.v)
			if c.Fault.Freed {
				w.effect.Breach, w.effect.Message = BreachFreed, w.m.message
			}
			return true
		case cpu.Unsupported:
			w.err = fmt.Errorf("%s: %s", w.m.placeAt(k.v, c.RIP)+w.m.bytesAt(k.v, c.RIP), c.Why)
			return true
		}
		break
	}
	if c.RIP == k.start.End && c.RIP != 0 && k.v.State == Runnable {
		w.end(k)
		return true
	}
	return k.footing() != start || k.v.State != Runnable
}

// execute is Core.Run, one instruction at a time if somebody watches.
func (w *Walk) execute(k *walker, b cpu.Budget) cpu.Stop {
	if w.m.cfg.Observe == nil {
		return k.v.Core.Run(k.p, b)
	}
	b.Retire = 1
	return w.m.observeStep(k.v, k.p, b)
}

// exit lets the host handle k's exit. It says whether k may go on in the same
// step. A hypercall that kicks, and whatever else acts only with the buffer
// empty, has not happened yet when it is not: k is put back before it.
func (w *Walk) exit(k *walker, shadow cpu.Shadow) bool {
	c := k.v.Core
	e := &c.Exit
	if err := refuseClock(k.v); err != nil {
		w.err = fmt.Errorf("%s: %w", w.m.placeAt(k.v, e.RIP), err)
		return false
	}
	if k.p.B.N != 0 && (w.m.NeedsDrain(k.v) || e.Kind == cpu.ExitHLT && w.cfg.DrainOnHalt) {
		c.Jump(e.RIP)
		c.Shadow = shadow
		c.Count.Instructions--
		return false
	}
	if e.Kind == cpu.ExitHLT && e.RIP == k.start.Halt && e.RIP != 0 {
		w.end(k)
		return false
	}
	if e.Kind == cpu.ExitVMCall {
		w.reaches(k)
	}
	switch w.m.HandleExit(k.v, k.p) {
	case Resume, Yield:
		return true
	case Finished:
		k.retire()
	}
	return false
}

// reaches notes whom k's hypercall may look at or change. A kick tells its
// target only; what it does there depends on nothing else.
func (w *Walk) reaches(k *walker) {
	c := k.v.Core
	if !w.vm.image.Xen && c.CPL == 0 && c.R[cpu.RAX] == hcKickCPU && w.effect.Kicks == 0 {
		if to := w.m.kickTarget(k.v); to != nil && to != k.v {
			w.effect.Kicks = uint8(to.Index) + 1
			w.effect.Changed |= 1 << to.Index
		}
		return
	}
	w.effect.Apart = false
	w.effect.Changed = 1<<len(w.who) - 1
}

// Holds says whether vCPU i holds a lock.
func (w *Walk) Holds(i int) bool {
	u := &w.who[i].v.locks
	return slices.ContainsFunc(u.use[:u.n], func(u lockUse) bool { return u.held })
}

// end ends a thread at the last HLT of its text, or behind it.
func (w *Walk) end(k *walker) {
	w.m.finish(k.v)
	k.retire()
}

// retire makes all ended vCPUs alike: nothing wakes them.
func (k *walker) retire() {
	k.v.PVUnhalted = false
	k.p.Replay.N, k.p.Replay.Next = 0, 0
	k.v.locks = lockUses{}
}

// errClock is why a guest that reads time cannot be searched.
var errClock = errors.New("clocks are refused: there is no time between states")

func refuseClock(v *VCPU) error {
	c := v.Core
	switch c.Exit.Kind {
	case cpu.ExitRDTSC:
		return errClock
	case cpu.ExitRDMSR, cpu.ExitWRMSR:
		if uint32(c.R[cpu.RCX]) == msrTSC {
			return errClock
		}
	}
	return nil
}

// probe follows k through its critical sections. RDI names the lock where the
// functions are called.
func (w *Walk) probe(k *walker, kind ProbeKind, addr uint64) {
	u := &k.v.locks
	switch kind {
	case ProbeAcquire, ProbeTaken:
		if kind == ProbeAcquire && k.v.goesRound() {
			return
		}
		i, ok := u.push(k.v.lockArg(), kind == ProbeTaken)
		switch {
		case !ok:
			w.err = fmt.Errorf("%s: %s", w.m.place(k.v), tooNested)
		case kind == ProbeTaken:
			w.exclude(k, u.use[i].lock, addr)
		}
	case ProbeAcquired:
		if i := k.v.awaited(); i >= 0 {
			u.use[i].held = true
			w.exclude(k, u.use[i].lock, addr)
		}
	case ProbeAwaited:
		if i := u.waiting(); i >= 0 {
			u.drop(i)
		}
	case ProbeRelease:
		if i := u.holding(k.v.lockArg()); i >= 0 && w.leaves {
			u.use[i] = lockUse{lock: u.use[i].lock, leaving: true}
		} else if i >= 0 {
			u.drop(i)
		}
	case ProbeReleased:
		if i := u.released(); i >= 0 {
			u.drop(i)
		}
	}
}

// LockUse is a lock that a vCPU waits for or holds.
type LockUse struct {
	Lock    uint64
	Held    bool
	Begun   bool // with Doorways: it has done a visible action since it began to wait
	Leaving bool // with Doorways: it neither waits nor holds, but is still releasing it
}

// LockUses appends what the probes say of vCPU i, the oldest use first.
func (w *Walk) LockUses(dst []LockUse, i int) []LockUse {
	u := &w.who[i].v.locks
	for _, x := range u.use[:u.n] {
		dst = append(dst, LockUse{x.lock, x.held, x.begun, x.leaving})
	}
	return dst
}

// exclude finds another holder of a lock that k has just taken at addr.
func (w *Walk) exclude(k *walker, lock, addr uint64) {
	w.effect.Enters, w.Entered = true, true
	for _, o := range w.who {
		for _, u := range o.v.locks.use[:o.v.locks.n] {
			if o != k && u.held && u.lock == lock && w.effect.Breach == NoBreach {
				w.effect.Breach = BreachExclusion
				of := ""
				if !w.vm.image.OneLock {
					of = fmt.Sprintf(" of lock %#x", lock)
				}
				w.effect.Message = fmt.Sprintf("%s is in the critical section%s while %s is",
					w.m.placeAt(k.v, addr), of, w.m.place(o.v))
			}
		}
	}
}
