package vmm

import (
	"fmt"
	"math/bits"

	"spinlab/cpu"
	"spinlab/mem"
)

// Vectors with a fixed meaning (SDM vol. 3A, 6.3.1 and 6.7).
const (
	// VectorNMI is the non-maskable interrupt.
	VectorNMI = 2
	// VectorTimer is what an injection uses that names no vector: the first of
	// those that a guest may use as it likes.
	VectorTimer = 0x20
)

// Interrupts are what was raised for a vCPU and not taken yet. They are part of
// its architecture: an interrupt request register as a local APIC has it (SDM
// vol. 3A, 12.8.4), so two of one vector before the first is taken are one.
// There is no in-service register and no EOI: a handler runs with IF clear and
// is over with IRET, or when it sets IF itself.
type Interrupts struct {
	Requests [4]uint64 // bit n: vector n
	NMI      bool
}

func (q *Interrupts) any() bool {
	return q.NMI || q.Requests[0]|q.Requests[1]|q.Requests[2]|q.Requests[3] != 0
}

// add notes a vector and says whether it was new.
func (q *Interrupts) add(vec uint8) bool {
	if vec == VectorNMI {
		was := q.NMI
		q.NMI = true
		return !was
	}
	w, bit := &q.Requests[vec>>6], uint64(1)<<(vec&63)
	was := *w&bit != 0
	*w |= bit
	return !was
}

// drop takes a vector out again.
func (q *Interrupts) drop(vec uint8) {
	if vec == VectorNMI {
		q.NMI = false
		return
	}
	q.Requests[vec>>6] &^= 1 << (vec & 63)
}

// highest is the pending vector with the highest priority, −1 without one.
func (q *Interrupts) highest() int {
	for i := len(q.Requests) - 1; i >= 0; i-- {
		if w := q.Requests[i]; w != 0 {
			return i<<6 + bits.Len64(w) - 1
		}
	}
	return -1
}

// interruptible gives the vector that v takes at the present instruction
// boundary: an NMI first, then the highest one above the priority in CR8, if IF
// and the interrupt shadow allow it (SDM vol. 3A, 6.8 and 12.8.3).
func (v *VCPU) interruptible() (vec uint8, ok bool) {
	if v.IRQ.NMI && v.Core.CanNMI() {
		return VectorNMI, true
	}
	n := v.IRQ.highest()
	if n < 0 || !v.Core.CanInterrupt() || n>>4 <= int(v.Core.CR[8]) {
		return 0, false
	}
	return uint8(n), true
}

// Raise makes an interrupt of v pending, and notes a sleeper that it wakes. A
// vCPU that is done absorbs it.
func (m *Machine) Raise(v *VCPU, vec uint8) {
	if v.State == Done || !v.IRQ.add(vec) {
		return
	}
	v.alert = true
	m.emit(EventRaise, v, func(e *Event) { e.Target = int(vec) })
	if v.sleeping() && m.wakeable(v) {
		m.rouse(v)
	}
}

// rouse notes that the sleeper v is to be woken, once for each sleep.
func (m *Machine) rouse(v *VCPU) {
	if !v.roused {
		v.roused = true
		m.kicked = append(m.kicked, v)
	}
}

// CanDeliver says whether v takes an interrupt at the present boundary.
func (v *VCPU) CanDeliver() bool {
	_, ok := v.interruptible()
	return ok
}

// Interrupt takes v out of the guest to inject what CanDeliver promised.
func (m *Machine) Interrupt(v *VCPU, p *mem.Port) Next { return m.exit(v, p, ReasonInterrupt) }

func exitInterrupt(m *Machine, v *VCPU, p *mem.Port) Next {
	if !m.deliver(v, p) {
		return Dead
	}
	return Resume
}

// deliver makes v take the interrupt that CanDeliver promised. The store buffer
// must be empty. It returns false if the guest has no handler for it; the
// machine then has a verdict.
func (m *Machine) deliver(v *VCPU, p *mem.Port) bool {
	vec, ok := v.interruptible()
	if !ok {
		return true
	}
	v.IRQ.drop(vec)
	v.alert = v.IRQ.any() || len(v.plan) > 0
	p.Retired() // of an instruction that waited nothing is done
	if !v.Core.Interrupt(p, vec) {
		m.unhandled(v, vec)
		return false
	}
	v.books.interrupts++
	m.emit(EventInterrupt, v, func(e *Event) { e.Target = int(vec) })
	return true
}

// unhandled ends the machine for an interrupt that the guest cannot take.
func (m *Machine) unhandled(v *VCPU, vec uint8) {
	name := fmt.Sprintf("interrupt %#x", vec)
	if vec == VectorNMI {
		name = "NMI"
	}
	why := "the guest has no interrupt descriptor table"
	switch {
	case v.Core.CPL != 0:
		why = "interrupts at CPL 3 are not modelled"
	case v.Core.IDT.Limit != 0:
		why = fmt.Sprintf("its gate or the stack at RSP %#x cannot be used", v.Core.R[cpu.RSP])
	}
	m.stop(VerdictFault, "%s: %s: %s", m.place(v), name, why)
}

// Handler is where an interrupt or exception of a guest goes.
type Handler struct {
	Vector uint8
	Addr   uint64
}

// idtLimit is the limit of a table with all 256 gates of 16 bytes (SDM vol. 3A,
// 6.14.1).
const idtLimit = 256*16 - 1

// buildIDT maps the page of the table that the host makes for a guest which
// gives handlers and loads no table of its own, and writes an interrupt gate
// for each of them.
func (vm *VM) buildIDT() error {
	img := vm.image
	if len(img.Handlers) == 0 {
		return nil
	}
	if err := vm.Mem.Map(img.IDT, idtLimit+1, mem.Read); err != nil {
		return fmt.Errorf("interrupt descriptor table: %w", err)
	}
	for _, h := range img.Handlers {
		lo, hi := gate(h.Addr)
		vm.Mem.Poke(img.IDT+uint64(h.Vector)*16, append(word(lo), word(hi)...))
	}
	return nil
}

// gate is a present 64-bit interrupt gate of DPL 0 to addr in the flat code
// segment that cores start with.
func gate(addr uint64) (lo, hi uint64) {
	const code, present, interrupt = 0x10, 1 << 47, 14 << 40
	return addr&0xffff | code<<16 | interrupt | present | addr>>16&0xffff<<48, addr >> 32
}
