package cpu

// RegSet is a set of registers: bit r is general register r, LiveFlags the
// arithmetic flags.
type RegSet uint32

// ArithFlags are the bits of RFLAGS that LiveFlags stands for.
const ArithFlags = arithFlags

// Sets with a name.
const (
	LiveFlags RegSet = 1 << 16
	AllRegs   RegSet = 1<<17 - 1
)

// Flow is what an instruction does to registers and where it goes, as far as a
// search for dead registers has to know. Uses may be too large and Kills too
// small, never the other way round.
type Flow struct {
	Uses  RegSet // may be read
	Kills RegSet // are overwritten whole, whatever they were
	// Next says that the instruction behind may follow, Target is where a direct
	// jump or call goes (0: none). A call comes back behind itself.
	Next         bool
	Target       uint64
	Call, Return bool
	Anywhere     bool // it goes where its operand says
}

// flowKnown are the instructions that read no registers besides those of their
// operands, RSP, and what flow lists; flowKills of them overwrite a register
// destination without reading it, flowFlags overwrite all arithmetic flags.
var (
	flowKnown = mnSet(ADD, OR, ADC, SBB, AND, SUB, XOR, CMP, TEST, INC, DEC, NEG, NOT, MOV, MOVZX, MOVSX, MOVSXD, CMOV, SET, LEA,
		XCHG, BT, BTS, BTR, BTC, BSF, BSR, XADD, CMPXCHG, SHL, SHR, SAR, ROL, ROR, JCC, JMP, CALL, RET, NOP, PAUSE, MFENCE, CLI, STI,
		PUSH, POP, PUSHF, POPF, LEAVE, HLT, OUT, VMCALL)
	flowKills = mnSet(MOV, MOVZX, MOVSX, MOVSXD, LEA, POP)
	flowFlags = mnSet(ADD, OR, ADC, SBB, AND, SUB, XOR, CMP, TEST, NEG, XADD, CMPXCHG, POPF)
)

func mnSet(list ...Mn) map[Mn]bool {
	m := map[Mn]bool{}
	for _, x := range list {
		m[x] = true
	}
	return m
}

// Flow describes o.
func (o *Op) Flow() Flow {
	f := Flow{Next: true, Uses: AllRegs}
	switch o.Mn {
	case JMP, CALL:
		f.Next, f.Call = o.Mn == CALL, o.Mn == CALL
		if o.Args[0].Kind == ArgImm {
			f.Target = o.Imm
		} else {
			f.Anywhere = true
			return f
		}
	case JCC:
		f.Target = o.Imm
	case RET:
		f.Next, f.Return = false, true
	}
	if !flowKnown[o.Mn] {
		return f
	}
	f.Uses = o.uses()
	if a := o.Args[0]; flowKills[o.Mn] && a.Kind == ArgReg && a.W >= 4 {
		f.Kills |= 1 << (a.Reg & 15)
	}
	if flowFlags[o.Mn] {
		f.Kills |= LiveFlags
	}
	if o.Mn == VMCALL {
		f.Kills |= 1 << RAX
	}
	if a, b := o.Args[0], o.Args[1]; o.Mn == XOR && a.Kind == ArgReg && a == b && a.W >= 4 { // the idiom for zero
		f.Kills |= 1 << (a.Reg & 15)
		f.Uses &^= 1 << (a.Reg & 15)
	}
	return f
}

// uses is what a known instruction may read.
func (o *Op) uses() RegSet {
	var u RegSet = 1 << RSP
	for i, a := range o.Args {
		switch a.Kind {
		case ArgReg:
			if i != 0 || !flowKills[o.Mn] || a.W < 4 {
				u |= 1 << (a.Reg & 15)
			}
		case ArgMem:
			for _, r := range []uint8{o.Base, o.Index} {
				if r < 16 {
					u |= 1 << r
				}
			}
		}
	}
	if Rows[o.Mn].Reads&arithFlags != 0 || o.Mn == JCC || o.Mn == CMOV || o.Mn == SET || o.Mn == PUSHF {
		u |= LiveFlags
	}
	switch o.Mn {
	case SHL, SHR, SAR, ROL, ROR:
		u |= 1 << RCX
	case CMPXCHG, OUT:
		u |= 1<<RAX | 1<<RDX
	case LEAVE:
		u |= 1 << RBP
	case VMCALL: // KVM's and Xen's arguments
		u |= 1<<RAX | 1<<RBX | 1<<RCX | 1<<RDX | 1<<RSI | 1<<RDI | 1<<R8 | 1<<R10
	}
	return u
}
