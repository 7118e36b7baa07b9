package cpu

import "spinlab/mem"

// ArgKind tells what an operand is.
type ArgKind uint8

// The kinds of operand. One instruction has at most one explicit address, so a
// memory operand needs no more than its kind: the address is in the Op.
const (
	ArgNone ArgKind = iota
	ArgReg
	ArgMem
	ArgImm
	ArgXMM
	ArgSeg
	ArgCR
	ArgDR
)

// Arg is an operand: what it is, how wide, and which register.
type Arg struct {
	Kind ArgKind
	Reg  uint8 // register number
	W    uint8 // width in bytes: 1, 2, 4, 8 or 16
	Sh   uint8 // 8 for AH, CH, DH and BH, else 0
}

// Op is a decoded instruction, ready to run.
type Op struct {
	fn   handler
	Imm  uint64 // immediate, sign-extended to 64 bits; a branch's target address
	Disp uint64 // displacement; for RIP-relative addresses the whole address
	cost uint32 // cycles of the instruction itself
	Off  uint16 // bytes from the start of its block
	Mn   Mn
	Args [3]Arg
	Len  uint8 // bytes
	Base, Index,
	Shift uint8 // scale as a shift count
	Seg            uint8 // SegFS or SegGS: whose base is added; 0 otherwise
	W              uint8 // operand width in bytes
	Cond           uint8 // condition code of Jcc, SETcc and CMOVcc
	Flag           opFlag
	nl, ns, nk, np uint8 // loads, stores, locked RMWs and pauses it counts as
}

type opFlag uint16

const (
	opLock   opFlag = 1 << iota
	opRep           // F3 before a string instruction
	opRepNE         // F2 before a string instruction
	opAddr32        // 67: addresses and string counts are 32 bits wide
	opEnd           // ends its block
	opWrites        // its memory operand is written
	opStack         // its memory operand is addressed through the stack segment
	opSerial        // acts only with the own buffer empty
	opWeak          // a store that is not ordered like TSO's: refused where that matters
	opShared        // an exit or other action that others can see, whatever its operands
	opRIP           // its address was relative to RIP; Disp is the absolute one
)

// outcome is how a handler ended: a mem.Status for the accesses, and more.
type outcome = mem.Status

const (
	done outcome = mem.Done
	slow outcome = mem.Slow // done, but stalls or code writes are to be looked at

	raised      outcome = iota + 32 // Core.Fault says what; nothing changed
	exited                          // the instruction retired and asks the driver
	unsupported                     // not modelled: Core.Why
	again                           // one turn of a repeated string instruction is done, more follow
)

// handler does what one instruction does. When it returns done or slow the
// instruction has retired; otherwise, but for exited and again, nothing has
// changed.
type handler func(c *Core, o *Op) outcome

var widthMask = [16]uint64{1: 0xff, 2: 0xffff, 4: 0xffffffff, 8: 1<<64 - 1}

// clearAbove is what a write of that width clears beyond itself: 32-bit writes
// clear the upper half, narrower ones keep it (SDM vol. 1, 3.4.1.1).
var clearAbove = [16]uint64{4: ^uint64(0xffffffff)}

func signExtend(v uint64, w uint8) uint64 {
	s := (64 - uint(w)*8) & 63
	return uint64(int64(v<<s) >> s)
}

// reg reads a general register operand.
func (c *Core) reg(a Arg) uint64 {
	return c.R[a.Reg&31] >> a.Sh & widthMask[a.W&15]
}

// setReg writes a general register operand.
func (c *Core) setReg(a Arg, v uint64) {
	m := widthMask[a.W&15] << a.Sh
	r := &c.R[a.Reg&31]
	*r = *r&^(m|clearAbove[a.W&15]) | v<<a.Sh&m
}

// set writes n bytes of register r, n being 1, 2, 4 or 8.
func (c *Core) set(r int, n uint8, v uint64) {
	c.setReg(Arg{Kind: ArgReg, Reg: uint8(r), W: n}, v)
}

// ea is the effective address, segment base included.
func (c *Core) ea(o *Op) uint64 {
	a := c.R[o.Base&31] + c.R[o.Index&31]<<(o.Shift&3) + o.Disp
	if o.Flag&opAddr32 != 0 {
		a = uint64(uint32(a))
	}
	switch o.Seg {
	case SegFS:
		a += c.FSBase
	case SegGS:
		a += c.GSBase
	}
	return a
}

// load reads n bytes for the present instruction.
func (c *Core) load(a uint64, n uint8) (uint64, outcome) { return c.p.Load(a, uint64(n)) }

// store writes n bytes for the present instruction.
func (c *Core) store(a uint64, n uint8, v uint64) outcome { return c.p.Store(a, uint64(n), v) }

// get reads operand i of o, not wider than 8 bytes.
func (c *Core) get(o *Op, i int) (uint64, outcome) {
	a := o.Args[i]
	switch a.Kind {
	case ArgReg:
		return c.reg(a), done
	case ArgImm:
		return o.Imm & widthMask[a.W&15], done
	case ArgMem:
		return c.load(c.ea(o), a.W)
	case ArgSeg:
		return uint64(c.Sel[a.Reg]), done
	}
	return 0, done
}

// put writes operand i of o, which has not been read.
func (c *Core) put(o *Op, i int, v uint64) outcome {
	a := o.Args[i]
	if a.Kind == ArgMem {
		return c.store(c.ea(o), a.W, v)
	}
	c.setReg(a, v)
	return done
}

// open reads operand i for a read-modify-write that shut completes. With a
// LOCK prefix the access is one atomic step.
func (c *Core) open(o *Op, i int) (uint64, outcome) {
	if o.Args[i].Kind == ArgMem && o.Flag&opLock != 0 {
		var v uint64
		var st outcome
		c.at, v, st = c.p.BeginRMW(c.ea(o), uint64(o.Args[i].W))
		return v, st
	}
	return c.get(o, i)
}

// shut writes what open has read.
func (c *Core) shut(o *Op, i int, v uint64) outcome {
	if o.Args[i].Kind == ArgMem && o.Flag&opLock != 0 {
		c.p.EndRMW(c.at, v)
		return slow
	}
	return c.put(o, i, v)
}
