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

const nonCanonical = mem.NonCanonical

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
	if f.Write || o != nil && o.Flag&opWrites != 0 && !f.Fetch {
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
	c.CR[2] = f.Addr
}

// Raise makes the core take an exception at its present RIP, as a driver does
// that refuses an exit: through the guest's IDT if there is one. It returns
// false when the exception has no handler; Core.Fault then says what it was.
// The store buffer must be empty.
func (c *Core) Raise(p *mem.Port, vec uint8, code uint32) bool {
	c.p = p
	c.settle()
	c.raise(vec, code)
	return c.deliverFault() <= slow
}

// deliverFault takes the exception in c.Fault through the IDT, turning failed
// deliveries into #DF and that one's failure into a triple fault (SDM vol. 3A,
// 6.15, table 6-5). It ends with raised when nobody handles the exception, and
// with Drain when the store buffer has to empty first; then nothing changed.
func (c *Core) deliverFault() outcome {
	if c.IDT.Limit == 0 || c.CPL != 0 {
		return raised
	}
	first := c.Fault
	st := c.enter(first.Vector, first.HasError, first.Error, first.RIP)
	if st != raised {
		return st
	}
	second := c.Fault
	if first.Vector == vecDF {
		c.Fault = first
		c.Fault.Triple = true
		return raised
	}
	if contributory(second.Vector) && (contributory(first.Vector) || first.Vector == vecPF) ||
		second.Vector == vecPF && first.Vector == vecPF {
		c.Fault = Fault{Vector: vecDF, HasError: true, RIP: first.RIP}
	}
	return c.deliverFault()
}

func contributory(vec uint8) bool {
	return vec == vecDE || vec >= vecTS && vec <= vecGP
}

// enter goes to the handler of vec in the guest's IDT at CPL 0: 16-byte gates,
// the frame SS, RSP, RFLAGS, CS, RIP and the error code on the present stack,
// aligned to 16 (SDM vol. 3A, 6.14). Delivery drains the store buffer.
func (c *Core) enter(vec uint8, hasCode bool, code uint32, rip uint64) outcome {
	if st := c.p.Empty(); st > slow {
		return st
	}
	sel := uint32(vec)<<3 | 2 // error code: IDT entry
	off := uint64(vec) * 16
	if off+15 > uint64(c.IDT.Limit) {
		return c.raise(vecGP, sel)
	}
	lo, hi, st := c.load16(c.IDT.Base + off)
	if st > slow {
		return c.nested(st)
	}
	kind := lo >> 40 & 0x1f
	switch {
	case kind != 0xe && kind != 0xf:
		return c.raise(vecGP, sel)
	case lo>>47&1 == 0:
		return c.raise(vecNP, sel)
	}
	to := lo&0xffff | lo>>48<<16 | hi<<32
	if uint64(int64(to<<16)>>16) != to {
		return c.raise(vecGP, 0)
	}
	frame := [6]uint64{uint64(code), rip, uint64(c.Sel[SegCS]), c.Flags, c.R[RSP], uint64(c.Sel[SegSS])}
	words := frame[1:]
	if hasCode {
		words = frame[:]
	}
	sp := c.R[RSP]&^15 - uint64(len(words))*8
	if st := c.p.Writable(sp, uint64(len(words))*8); st > slow {
		return c.nested(st)
	}
	for i, w := range words {
		if st := c.store(sp+uint64(i)*8, 8, w); st > slow {
			return c.nested(st)
		}
	}
	c.R[RSP] = sp
	c.Flags &^= TF | NT | RF
	if kind == 0xe {
		c.Flags &^= IF
	}
	c.Sel[SegCS] = uint16(lo >> 16)
	c.Shadow = NoShadow
	c.Jump(to)
	return slow
}

// nested notes the fault of an access that delivery itself made.
func (c *Core) nested(st outcome) outcome {
	if st < mem.PageFault || st > nonCanonical {
		return st
	}
	if st == nonCanonical {
		return c.raise(vecSS, 0)
	}
	c.accessFault(nil, st)
	return raised
}

// CanInterrupt says whether a maskable interrupt would be taken now.
func (c *Core) CanInterrupt() bool { return c.Flags&IF != 0 && c.Shadow == NoShadow }

// CanNMI says whether an NMI would be taken now.
func (c *Core) CanNMI() bool { return !c.NMI && c.Shadow != SSShadow }

// Interrupt enters the handler of an external interrupt or, for vector 2, of
// an NMI, at an instruction boundary where CanInterrupt or CanNMI holds. It
// returns false when there is no handler that can be entered; Core.Fault then
// says why. The store buffer must be empty.
func (c *Core) Interrupt(p *mem.Port, vec uint8) bool {
	c.p = p
	c.settle()
	if c.IDT.Limit == 0 || c.CPL != 0 {
		c.Fault = Fault{Vector: vec, RIP: c.RIP}
		return false
	}
	st := c.enter(vec, false, 0, c.RIP)
	if st == raised {
		st = c.deliverFault()
	}
	if st <= slow && vec == 2 {
		c.NMI = true
	}
	return st <= slow
}

// trap is INT n, INT3 and INT1: the saved RIP is the next instruction's.
func (c *Core) trap(vec uint8) outcome {
	c.raise(vec, 0)
	c.Fault.HasError, c.Fault.RIP = false, c.next
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

// execIRET pops RIP, CS, RFLAGS, RSP and SS; it is serializing. Returns to CPL
// 3 take the privilege of the popped CS.
func execIRET(c *Core, o *Op) outcome {
	if c.Flags&NT != 0 {
		return c.raise(vecGP, 0)
	}
	if o.W != 8 {
		c.Why = "iret with 16- or 32-bit operands is not modelled"
		return unsupported
	}
	var f [5]uint64
	for i := range f {
		v, st := c.stackLoad(c.R[RSP]+uint64(i)*8, 8)
		if st > slow {
			return st
		}
		f[i] = v
	}
	cpl := uint8(f[1] & 3)
	if f[1]&^3 == 0 || cpl < c.CPL || cpl != 0 && cpl != 3 {
		return c.raise(vecGP, uint32(f[1])&0xfffc)
	}
	if st := c.jump(f[0]); st > slow {
		return st
	}
	may := arithFlags | TF | DF | NT | RF | AC | ID
	if uint64(c.CPL) <= c.Flags>>12&3 {
		may |= IF
	}
	if c.CPL == 0 {
		may |= iopl | VIF | VIP
	}
	c.Flags = c.Flags&^may | f[2]&may
	c.Sel[SegCS], c.Sel[SegSS] = uint16(f[1]), uint16(f[4])
	c.CPL, c.R[RSP] = cpl, f[3]
	c.NMI = false
	return slow
}

// loadSeg loads a segment register. Segments are flat: a null selector makes
// FS and GS bases zero; others are checked against the GDT for type, presence
// and privilege as far as the manual's exceptions need (SDM vol. 2B, MOV).
func (c *Core) loadSeg(seg uint8, sel uint16) outcome {
	if seg == SegCS {
		return c.raise(vecUD, 0)
	}
	code := uint32(sel &^ 3)
	if sel&^3 == 0 {
		if seg == SegSS && (c.CPL == 3 || uint8(sel&3) != c.CPL) {
			return c.raise(vecGP, 0)
		}
	} else {
		d, st := c.descriptor(sel)
		if st > slow {
			return st
		}
		absent := uint8(vecNP)
		if seg == SegSS {
			absent = vecSS
		}
		switch {
		case d>>44&1 == 0 || d>>43&1 != 0 && (seg == SegSS || d>>41&1 == 0) || seg == SegSS && d>>41&1 == 0:
			return c.raise(vecGP, code)
		case d>>47&1 == 0:
			return c.raise(absent, code)
		}
	}
	c.Sel[seg] = sel
	switch seg {
	case SegFS:
		c.FSBase = 0
	case SegGS:
		c.GSBase = 0
	case SegSS:
		c.Shadow = SSShadow
	}
	return done
}

// descriptor reads a GDT entry; there is no LDT.
func (c *Core) descriptor(sel uint16) (uint64, outcome) {
	if sel&4 != 0 || uint32(sel|7) > uint32(c.GDT.Limit) {
		return 0, c.raise(vecGP, uint32(sel&^3))
	}
	return c.load(c.GDT.Base+uint64(sel&^7), 8)
}
