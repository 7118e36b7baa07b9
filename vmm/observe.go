package vmm

import (
	"bytes"

	"spinlab/cpu"
	"spinlab/mem"
)

// EventKind says what an Event tells.
type EventKind uint8

// The kinds of event.
const (
	EventInstruction EventKind = iota // an instruction retired
	EventCommit                       // a buffered store reached memory
	EventExit                         // the host handles an exit, or a slice is over
	EventKick                         // a kick, whether or not it changed anything
	EventSleep                        // a halted vCPU went to sleep
	EventWake                         // HALTED became RUNNABLE
	EventSwitch                       // a vCPU was put on a pCPU
	EventDone                         // a vCPU ended

	// For Config.Events only: see events.go.
	EventAcquire  // a vCPU asks for the lock
	EventAcquired // it has the lock
	EventRelease  // it gives the lock back
	EventSpent    // what a vCPU did from Event.From to Event.Time

	EventRaise     // an interrupt became pending
	EventInterrupt // a vCPU took an interrupt: it is at its handler
	EventNotify    // a Xen event became pending, or was: Store is the byte of its bit
)

func (k EventKind) String() string {
	return [...]string{"instruction", "commit", "exit", "kick", "sleep", "wake", "switch", "done",
		"acquire", "acquired", "release", "spent", "raise", "interrupt", "notify"}[k]
}

// Event is something that happened. It and what it points to are valid only
// during the call.
type Event struct {
	Kind EventKind
	Time mem.Cycles // when it happened; for an instruction, when it started
	VM   int        // −1 if it belongs to no vCPU
	VCPU int        // index in its VM
	PCPU int        // −1 if the vCPU is on none
	RIP  uint64     // of the instruction; else where the vCPU is

	// Of an instruction.
	Code          []byte
	Op            *cpu.Op
	Before, After *cpu.State
	Stores        []Write
	Buffer        *mem.StoreBuffer // of its pCPU, afterwards

	Store  mem.Entry // of EventCommit and EventNotify
	Reason Reason    // of EventExit
	Target int       // of EventKick: vCPU index; of EventRaise and EventInterrupt: vector; of EventNotify: port

	// Of EventSpent, which comes when the vCPU starts something else.
	From  mem.Cycles
	Spent string
}

// Write is a store of an instruction. Val is what the core itself reads there
// afterwards; Buffered says that others do not yet.
type Write struct {
	Addr, Old, Val uint64
	Size           uint8 // bytes, at most 8
	Buffered       bool
}

// emit reports an event of v if anybody listens; more fills in the rest.
func (m *Machine) emit(kind EventKind, v *VCPU, more func(*Event)) {
	if m.cfg.Observe == nil && (m.cfg.Events == nil || m.booting) {
		return
	}
	e := Event{Kind: kind, Time: v.Core.Now, VM: v.VM.Index, VCPU: v.Index, PCPU: v.pcpu, RIP: v.Core.RIP}
	if more != nil {
		more(&e)
	}
	if m.cfg.Observe != nil {
		m.cfg.Observe(&e)
	}
	if m.cfg.Events != nil && !m.booting {
		m.cfg.Events(&e)
	}
}

// observeStep runs one instruction and reports it, with the stores that it
// made. Those are found from its operands: the core keeps no list.
func (m *Machine) observeStep(v *VCPU, p *mem.Port, b cpu.Budget) cpu.Stop {
	c := v.Core
	c.RFlags() // works out pending flags, so that State is whole
	before, count, start := c.State, c.Count, c.Now
	code := make([]byte, 15)
	n, _, _ := p.Fetch(c.RIP, code)
	clear(code[n:])
	op := cpu.Decode(code, c.RIP)
	targets := stored(&op, code, &before)
	for i := range targets {
		targets[i].Old = view(p, targets[i].Addr, targets[i].Size)
	}
	stop := c.Run(p, b)
	if c.Count.Instructions == count.Instructions {
		return stop
	}
	c.RFlags()
	e := Event{Kind: EventInstruction, Time: start, VM: v.VM.Index, VCPU: v.Index, PCPU: int(p.Core), RIP: before.RIP,
		Code: code[:op.Len], Op: &op, Before: &before, After: &c.State, Buffer: &p.B}
	if c.Count.Stores != count.Stores {
		for _, w := range targets {
			w.Val = view(p, w.Addr, w.Size)
			w.Buffered = buffered(p, w.Addr, w.Size)
			e.Stores = append(e.Stores, w)
		}
	}
	m.cfg.Observe(&e)
	return stop
}

// stored lists where an instruction stores if it stores at all: at its memory
// operand, at RDI for string instructions, below RSP for pushes and calls.
func stored(o *cpu.Op, code []byte, s *cpu.State) []Write {
	switch o.Mn {
	case cpu.MOVS, cpu.STOS:
		return pieces(s.R[cpu.RDI], o.W)
	case cpu.PUSH, cpu.PUSHF, cpu.CALL, cpu.ENTER: // a memory operand is read
		w := uint8(8)
		if o.W == 2 {
			w = 2
		}
		return pieces(s.R[cpu.RSP]-uint64(w), w)
	}
	for _, a := range o.Args {
		if a.Kind == cpu.ArgMem {
			return pieces(address(o, code, s), a.W)
		}
	}
	return nil
}

// address is the effective address of o's memory operand.
func address(o *cpu.Op, code []byte, s *cpu.State) uint64 {
	a := s.R[o.Base&31] + s.R[o.Index&31]<<(o.Shift&3) + o.Disp
	if n := prefixes(code); bytes.IndexByte(code[:n], 0x67) >= 0 {
		a = uint64(uint32(a))
	}
	switch o.Seg {
	case cpu.SegFS:
		a += s.FSBase
	case cpu.SegGS:
		a += s.GSBase
	}
	return a
}

// pieces cuts w bytes at a into writes of at most eight.
func pieces(a uint64, w uint8) []Write {
	var list []Write
	for ; w > 8; w, a = w-8, a+8 {
		list = append(list, Write{Addr: a, Size: 8})
	}
	return append(list, Write{Addr: a, Size: w})
}

// buffered says whether a store to these bytes still waits in p's buffer.
func buffered(p *mem.Port, a uint64, n uint8) bool {
	for i := range int(p.B.N) {
		if e := p.B.At(i); e.Addr < a+uint64(n) && a < e.Addr+uint64(e.Size) {
			return true
		}
	}
	return false
}

// view reads n bytes at a as the core of p sees them, without any effect.
func view(p *mem.Port, a uint64, n uint8) uint64 {
	v := p.M.PeekUint(a, int(n))
	for i := range int(p.B.N) {
		e := p.B.At(i)
		for k := range uint64(e.Size) {
			if at := e.Addr + k - a; at < uint64(n) {
				v = v&^(0xff<<(at*8)) | e.Data>>(k*8)&0xff<<(at*8)
			}
		}
	}
	return v
}
