package vmm

import (
	"slices"

	"spinlab/cpu"
	"spinlab/mem"
)

// Dead registers: those that are overwritten before anything reads them,
// whatever happens. A state has them as 0.
//
// They are found in the code that can be reached from the starts: along direct
// jumps and calls, and from every constant that is the address of an
// instruction. A return comes behind any call, or to such a constant; where a
// jump's target is computed everything is live. A search that meets an
// instruction which this has not found does without dead registers.

// liveness is which registers are live before each instruction.
type liveness map[uint64]cpu.RegSet

// flows finds instructions.
type flows struct {
	w     *Walk
	at    map[uint64]cpu.Flow
	size  map[uint64]uint64
	todo  []uint64
	known []uint64 // where a return may come to
	idt   bool     // the guest loads a table of handlers
}

// findLive works the live registers out, nil where that is not possible: an
// interrupt or exception handler may come in between anywhere.
func (w *Walk) findLive() liveness {
	f := &flows{w: w, at: map[uint64]cpu.Flow{}, size: map[uint64]uint64{}}
	for _, k := range w.who {
		f.idt = f.idt || k.v.Core.IDT.Limit != 0
		f.todo = append(f.todo, k.v.Core.RIP)
		if k.start.End != 0 {
			f.todo = append(f.todo, k.start.End)
		}
	}
	f.constants()
	for len(f.todo) > 0 {
		a := f.todo[len(f.todo)-1]
		f.todo = f.todo[:len(f.todo)-1]
		if _, ok := f.at[a]; !ok {
			f.visit(a)
		}
	}
	if f.idt {
		return nil
	}
	return f.solve()
}

// code says whether addr is in memory that may be executed.
func (f *flows) code(addr uint64) bool {
	pg := f.w.vm.Mem.Page(addr)
	return pg != nil && pg.Perm&mem.Exec != 0
}

// constants takes every aligned word outside of code that could be the address
// of an instruction for one.
func (f *flows) constants() {
	for _, pg := range f.w.vm.Mem.Pages() {
		for _, v := range pg.W {
			if v != 0 && pg.Perm&mem.Exec == 0 && f.code(v) {
				f.target(v)
			}
		}
	}
}

// target notes an address that code may be reached by in any way.
func (f *flows) target(a uint64) {
	if !slices.Contains(f.known, a) {
		f.known = append(f.known, a)
		f.todo = append(f.todo, a)
	}
}

// visit decodes the instruction at a and goes on behind it.
func (f *flows) visit(a uint64) {
	if !f.code(a) { // whoever comes here faults
		f.at[a], f.size[a] = cpu.Flow{Uses: cpu.AllRegs}, 1
		return
	}
	var text [15]byte
	f.w.vm.Mem.Peek(a, text[:])
	o := cpu.Decode(text[:], a)
	x := o.Flow()
	f.idt = f.idt || o.Mn == cpu.LIDT
	if f.w.cfg.KeepDone && (o.Mn == cpu.HLT || o.Mn == cpu.OUT) {
		x.Uses = cpu.AllRegs // they may be the last
	}
	for _, k := range f.w.who {
		if a == k.start.End {
			x.Uses = cpu.AllRegs
		}
	}
	if slices.ContainsFunc(f.w.vm.image.Probes, func(p Probe) bool { return p.Addr == a }) {
		x.Uses |= 1 << cpu.RDI // it names the lock
	}
	f.at[a], f.size[a] = x, max(uint64(o.Len), 1)
	if x.Target != 0 {
		f.todo = append(f.todo, x.Target)
	} else {
		for _, v := range []uint64{o.Imm, o.Disp} {
			if v != 0 && f.code(v) {
				f.target(v)
			}
		}
	}
	if x.Call {
		f.target(a + f.size[a])
	}
	if x.Next {
		f.todo = append(f.todo, a+f.size[a])
	}
}

// solve goes backwards along the flow until nothing changes.
func (f *flows) solve() liveness {
	order := make([]uint64, 0, len(f.at))
	for a := range f.at {
		order = append(order, a)
	}
	slices.Sort(order)
	slices.Reverse(order)
	live := liveness{}
	for changed := true; changed; {
		changed = false
		for _, a := range order {
			if n := f.before(live, a); n != live[a] {
				live[a], changed = n, true
			}
		}
	}
	return live
}

func (f *flows) before(live liveness, a uint64) cpu.RegSet {
	x := f.at[a]
	var after cpu.RegSet
	switch {
	case x.Anywhere:
		after = cpu.AllRegs
	case x.Return:
		for _, t := range f.known {
			after |= live[t]
		}
	case x.Call: // what the function does comes first
		after = live[x.Target]
	default:
		if x.Next {
			after = live[a+f.size[a]]
		}
		if x.Target != 0 {
			after |= live[x.Target]
		}
	}
	return x.Uses | after&^x.Kills
}

// bury gives the registers that belong into v's block: dead ones do not. It
// says whether the instruction that comes next is one that was found.
func (w *Walk) bury(v *VCPU) (set cpu.RegSet, known bool) {
	if w.live == nil || w.cfg.KeepDone && v.State != Runnable { // what may be the end is looked at
		return cpu.AllRegs, true
	}
	if set, known = w.live[v.Core.RIP]; !known {
		return cpu.AllRegs, false
	}
	return set, true
}
