package cpu

import "spinlab/mem"

// Exception vectors (SDM vol. 3A, table 6-1).
const (
	vecDE = 0
	vecDB = 1
	vecBP = 3
	vecOF = 4
	vecUD = 6
	vecNM = 7
	vecDF = 8
	vecTS = 10
	vecNP = 11
	vecSS = 12
	vecGP = 13
	vecPF = 14
	vecAC = 17
)

const (
	pageFault    = mem.PageFault
	nonCanonical = mem.NonCanonical
)

// VectorName gives the manual's name of an exception vector, "" if it has none.
func VectorName(v uint8) string {
	names := [...]string{vecDE: "#DE", vecDB: "#DB", 2: "NMI", vecBP: "#BP", vecOF: "#OF", 5: "#BR", vecUD: "#UD", vecNM: "#NM",
		vecDF: "#DF", vecTS: "#TS", vecNP: "#NP", vecSS: "#SS", vecGP: "#GP", vecPF: "#PF", 16: "#MF", vecAC: "#AC"}
	if int(v) < len(names) {
		return names[v]
	}
	return ""
}

func hasErrorCode(v uint8) bool {
	switch v {
	case vecDF, vecTS, vecNP, vecSS, vecGP, vecPF, vecAC:
		return true
	}
	return false
}

// raise notes a fault of the present instruction.
func (c *Core) raise(vec uint8, code uint32) outcome {
	c.Fault = Fault{Vector: vec, HasError: hasErrorCode(vec), Error: code, RIP: c.RIP}
	return raised
}

// accessFault turns a failed access of o into its exception.
func (c *Core) accessFault(o *Op, st outcome) {
	if st == nonCanonical {
		vec := uint8(vecGP)
		if o != nil && o.Flag&opStack != 0 {
			vec = vecSS
		}
		c.raise(vec, 0)
		return
	}
	f := &c.p.Fault
	var code uint32 // SDM vol. 3A, 4.7: P, W/R, U/S, I/D
	if f.Present {
		code |= 1
	}
	if f.Write || o != nil && o.Flag&opWrites != 0 && o.Mn != POP && !f.Fetch { // POP's read is of the stack
		code |= 2
	}
	if c.CPL == 3 {
		code |= 4
	}
	if f.Fetch {
		code |= 16
	}
	c.raise(vecPF, code)
	c.Fault.CR2, c.Fault.Freed = f.Addr, f.Freed
}

// Raise makes the core take an exception at its present RIP, as a driver does
// that refuses an exit: through the guest's IDT if there is one. It returns
// false when the exception has no handler; Core.Fault then says what it was.
// The store buffer must be empty.
func (c *Core) Raise(p *mem.Port, vec uint8, code uint32) bool {
	c.p = p
	p.Sync()
	c.settle()
	c.raise(vec, code)
	c.Fault.CR2 = c.CR[2]
	return c.deliverFault() <= slow
}

// deliverFault takes the exception in c.Fault through the IDT, turning failed
// deliveries into #DF and that one's failure into a triple fault (SDM vol. 3A,
// 6.15, table 6-5). It ends with raised when nobody handles the exception, and
// with Drain when the store buffer has to empty first; then nothing changed.
//
// A software interrupt is no exception: when its delivery fails, that is the
// fault of the INT instruction, which has not retired after all.
func (c *Core) deliverFault() outcome {
	first, rip := c.Fault, c.RIP
	if c.IDT.Limit == 0 || c.CPL != 0 {
		c.setCR2()
		return raised
	}
	soft := first.Trap && c.from != rip
	if soft {
		c.RIP = c.from
	}
	e := event{vec: first.Vector, hasCode: first.HasError, code: first.Error, rip: first.RIP, ext: 1}
	e.rf = !first.Trap && first.Vector != vecDF
	if soft && first.Vector != vecDB { // INT1 counts as external to the program
		e.ext = 0
	}
	st := c.enter(e)
	if st != raised {
		if st > slow {
			c.RIP = rip
		}
		return st
	}
	if soft {
		c.Count.Instructions--
	}
	if !first.Trap {
		if first.Vector == vecDF {
			c.Fault = first
			c.Fault.Triple = true
			return raised
		}
		if doubles(first.Vector, c.Fault.Vector) {
			c.setCR2()
			c.Fault = Fault{Vector: vecDF, HasError: true, RIP: first.RIP}
		}
	}
	return c.deliverFault()
}

// setCR2 notes a page fault's address when the fault is taken, not earlier: a
// delivery that waits for the store buffer has changed nothing.
func (c *Core) setCR2() {
	if c.Fault.Vector == vecPF && !c.Fault.Trap {
		c.CR[2] = c.Fault.CR2
	}
}

// doubles says whether an exception while another one is delivered makes #DF
// (SDM vol. 3A, table 6-5).
func doubles(first, second uint8) bool {
	return contributory(second) && (contributory(first) || first == vecPF) || second == vecPF && first == vecPF
}

func contributory(vec uint8) bool {
	return vec == vecDE || vec >= vecTS && vec <= vecGP
}

// event is an exception or interrupt on its way through the IDT.
type event struct {
	vec     uint8
	hasCode bool
	rf      bool // the saved RFLAGS have RF set
	code    uint32
	ext     uint32 // bit EXT of the error code if delivery fails (SDM vol. 3A, 6.13)
	rip     uint64 // saved RIP
}

// enter goes to the handler of e in the guest's IDT at CPL 0: the frame SS,
// RSP, RFLAGS, CS, RIP and the error code on the present stack, aligned to 16
// (SDM vol. 3A, 6.14). Delivery drains the store buffer and is one step: its
// accesses to the IDT and the stack are no stops of their own.
//
// The saved RFLAGS have RF set for faults and clear for traps, aborts and
// interrupts (SDM vol. 3B, 17.3.1.1). RF does nothing else here: there are no
// instruction breakpoints that it could suppress, the next instruction would
// clear it, and so RFLAGS itself never holds it.
func (c *Core) enter(e event) outcome {
	c.p.Now, c.p.Stall = c.Now, 0
	if st := c.p.Empty(); st > slow {
		return st
	}
	c.waited() // now: there may be no handler, and the wait was one all the same
	c.setCR2()
	if c.p.Stop {
		defer c.withoutStops()()
	}
	to, sel, st := c.gate(e)
	if st > slow {
		return st
	}
	if st := c.pushFrame(e); st > slow {
		return st
	}
	c.Flags &^= TF | NT | RF
	if sel.interrupt {
		c.Flags &^= IF
	}
	c.Sel[SegCS] = sel.cs
	c.Shadow = NoShadow
	c.waited()
	c.Jump(to)
	return slow
}

// waited books what the port has stalled so far.
func (c *Core) waited() {
	c.Now += c.p.Stall
	c.Delay += c.p.Stall
	c.p.Now, c.p.Stall = c.Now, 0
}

// withoutStops switches the port's stops before shared accesses off, until the
// function that it returns is called.
func (c *Core) withoutStops() func() {
	c.p.SetStop(false)
	c.p.Sync()
	return func() {
		c.p.SetStop(true)
		c.p.Sync()
	}
}

// gateTarget is what a gate says beside the handler's address.
type gateTarget struct {
	cs        uint16
	interrupt bool // clears IF
}

// gate reads and checks the 16-byte gate of e (SDM vol. 3A, 6.14.1). There is
// no task state segment, so a gate that asks for a stack of its own (IST) finds
// none: #TS. The code segment is flat; only a null selector is refused.
func (c *Core) gate(e event) (to uint64, t gateTarget, st outcome) {
	code := uint32(e.vec)<<3 | 2 | e.ext // bit 1: an IDT entry
	off := uint64(e.vec) * 16
	if off+15 > uint64(c.IDT.Limit) {
		return 0, t, c.raise(vecGP, code)
	}
	lo, hi, st := c.load16(c.IDT.Base + off)
	if st > slow {
		return 0, t, c.nested(st, vecGP, e.ext)
	}
	kind := lo >> 40 & 0x1f // S and type: 14 is an interrupt gate, 15 a trap gate
	t = gateTarget{cs: uint16(lo>>16) &^ 3, interrupt: kind == 14}
	to = lo&0xffff | lo>>48<<16 | hi<<32
	switch {
	case kind != 14 && kind != 15:
		st = c.raise(vecGP, code)
	case lo>>47&1 == 0:
		st = c.raise(vecNP, code)
	case t.cs == 0 || uint64(int64(to<<16)>>16) != to:
		st = c.raise(vecGP, e.ext)
	case lo>>32&7 != 0:
		st = c.raise(vecTS, e.ext)
	}
	return to, t, st
}

// pushFrame saves what IRET restores, all of it or nothing.
func (c *Core) pushFrame(e event) outcome {
	flags := c.Flags &^ RF
	if e.rf {
		flags |= RF
	}
	frame := [6]uint64{uint64(e.code), e.rip, uint64(c.Sel[SegCS]), flags, c.R[RSP], uint64(c.Sel[SegSS])}
	words := frame[1:]
	if e.hasCode {
		words = frame[:]
	}
	sp := c.R[RSP]&^15 - uint64(len(words))*8
	if st := c.p.Writable(sp, uint64(len(words))*8); st > slow {
		return c.nested(st, vecSS, e.ext)
	}
	for i, w := range words {
		if st := c.store(sp+uint64(i)*8, 8, w); st > slow {
			return c.nested(st, vecSS, e.ext)
		}
	}
	c.R[RSP] = sp
	return slow
}

// nested notes the fault of an access that delivery itself made; vec is what a
// non-canonical address raises.
func (c *Core) nested(st outcome, vec uint8, ext uint32) outcome {
	switch st {
	case mem.PageFault:
		c.accessFault(nil, st)
		return raised
	case nonCanonical:
		return c.raise(vec, ext)
	}
	return st
}

// CanInterrupt says whether a maskable interrupt would be taken now.
func (c *Core) CanInterrupt() bool { return c.Flags&IF != 0 && c.Shadow == NoShadow && !c.Step }

// CanNMI says whether an NMI would be taken now.
func (c *Core) CanNMI() bool { return !c.NMI && c.Shadow != SSShadow && !c.Step }

// Interrupt enters the handler of an external interrupt or, for vector 2, of
// an NMI, at an instruction boundary where CanInterrupt or CanNMI holds. It
// returns false when there is no handler that can be entered; Core.Fault then
// says why. The store buffer must be empty.
func (c *Core) Interrupt(p *mem.Port, vec uint8) bool {
	c.p = p
	p.Sync()
	c.settle()
	c.Fault = Fault{Vector: vec, RIP: c.RIP, Trap: true}
	if c.IDT.Limit == 0 || c.CPL != 0 {
		return false
	}
	st := c.enter(event{vec: vec, rip: c.RIP, ext: 1})
	if st == raised {
		st = c.deliverFault()
	}
	if st <= slow && vec == 2 {
		c.NMI = true
	}
	return st <= slow
}

// trap is INT n, INT3, INT1 and the single step: the saved RIP is the next
// instruction's.
func (c *Core) trap(vec uint8) outcome {
	c.from = c.RIP
	c.Fault = Fault{Vector: vec, Trap: true, RIP: c.next}
	return raised
}

func execINT3(c *Core, o *Op) outcome { return c.trap(vecBP) }
func execINT1(c *Core, o *Op) outcome { return c.trap(vecDB) }
func execINT(c *Core, o *Op) outcome {
	if c.IDT.Limit == 0 || c.CPL != 0 { // no gate to go through: #GP with the vector
		return c.raise(vecGP, uint32(o.Imm&0xff)<<3|2)
	}
	return c.trap(uint8(o.Imm))
}
