package hardware

import "spinlab/cpu"

// Sequences: two to six instructions, of which a later one may read flags and
// registers of an earlier one where they are defined. Some registers hold
// addresses and are not written; the rest is for data.

func (g *gen) sequence() {
	g.seq = true
	g.addr = nil
	g.data = nil
	for _, r := range g.Perm(16) {
		switch {
		case r == cpu.RSP:
		case len(g.addr) < 3 && r != cpu.RAX && r != cpu.RCX && r != cpu.RDX:
			g.addr = append(g.addr, r)
			g.set(r, scratchPage+g.Uint64N(pageSize))
		default:
			g.data = append(g.data, r)
		}
	}
	g.set(g.addr[2], g.Uint64N(64)-32) // an index
	g.set(cpu.RSP, scratchPage+pageSize/2+g.Uint64N(64)*8)
	switch g.IntN(8) {
	case 0:
		g.countedLoop()
	case 1:
		g.subroutine()
	case 2:
		g.flagTraps()
	case 3, 4:
		g.branches()
	default:
		g.c.Counts = true
		g.straight(2 + g.IntN(5))
	}
	g.mark()
	g.c.Elsewhere |= g.undef
}

// plainRows are the rows whose recipes may stand in a sequence; integer ones
// come more often, and those that compilers join with a branch most.
var plainRows = func() (list []cpu.Mn) {
	for _, mn := range rows {
		for _, r := range recipes[mn] {
			if r.seq != nil {
				list = append(list, mn)
				if mn < cpu.UNMODELLED {
					list = append(list, mn)
				}
				break
			}
		}
	}
	for range 8 {
		list = append(list, cpu.ADD, cpu.SUB, cpu.CMP, cpu.TEST, cpu.AND, cpu.DEC, cpu.INC, cpu.MOV, cpu.XADD, cpu.CMPXCHG, cpu.ADC, cpu.SET, cpu.CMOV, cpu.SHL)
	}
	return list
}()

// one emits one instruction that may stand in a sequence.
func (g *gen) one() {
	for {
		r := pick(g, recipes[pick(g, plainRows)])
		if g.anyAlign && looseAC(r.mn) {
			continue
		}
		if r.seq != nil && r.need&^g.have == 0 && !(g.calm && usesStack(r.mn)) && r.seq(g) {
			return
		}
	}
}

// looseAC are the rows of which the SDM says that #AC "may or may not be
// generated (depending on processor implementation)".
func looseAC(mn cpu.Mn) bool {
	return mn == cpu.MOVUPS || mn == cpu.MOVUPD || mn == cpu.MOVDQU || mn == cpu.LDDQU
}

func usesStack(mn cpu.Mn) bool { return mn == cpu.PUSH || mn == cpu.POP || mn == cpu.PUSHF }

func (g *gen) straight(n int) {
	for range n {
		g.one()
	}
}

// branches puts a conditional jump over some of the instructions. Where the
// ways meet, a flag is undefined if it is on one of them.
func (g *gen) branches() {
	g.straight(1 + g.IntN(2))
	cc := g.IntN(16)
	for condFlags(cc)&g.undef != 0 {
		g.one() // until something defines them
		cc = g.IntN(16)
	}
	g.mark()
	at := len(g.c.Code)
	g.raw(0x70|byte(cc), 0)
	taken := g.undef
	g.straight(1 + g.IntN(2))
	g.c.Code[at+1] = byte(len(g.c.Code) - at - 2)
	g.undef |= taken
	g.straight(g.IntN(2))
}

// countedLoop runs its body a few times; RCX counts and is left alone. The
// body's first turn starts with the flags of the last.
func (g *gen) countedLoop() {
	g.reserve(cpu.RCX)
	g.set(cpu.RCX, 1+g.Uint64N(5))
	g.undef = arith // what the body leaves: so it reads nothing that it has not written
	top := len(g.c.Code)
	g.straight(1 + g.IntN(3))
	g.mark()
	if g.chance(50) {
		g.relative(nil, []byte{0xe2}, 1, codePage+uint64(g.c.Offset+top))
		return
	}
	g.raw(0xff, 0xc9) // dec %ecx
	g.undef &= cpu.CF
	g.relative(nil, []byte{0x75}, 1, codePage+uint64(g.c.Offset+top))
}

// reserve takes a register from the data registers.
func (g *gen) reserve(r int) {
	var rest []int
	for _, d := range g.data {
		if d != r {
			rest = append(rest, d)
		}
	}
	g.data = rest
}

// subroutine calls code further down, which returns; what stands between jumps
// over it. The return address must survive, so all of it keeps to registers.
func (g *gen) subroutine() {
	g.calm = true
	g.mark()
	call := len(g.c.Code)
	g.raw(0xe8, 0, 0, 0, 0)
	before := g.undef
	g.undef = arith // whatever the callee leaves
	g.straight(1)
	g.mark()
	jmp := len(g.c.Code)
	g.raw(0xeb, 0)
	after := g.undef
	copy(g.c.Code[call+1:], le32(uint64(len(g.c.Code)-call-5)))
	g.undef = before
	g.straight(1)
	g.mark()
	g.raw(0xc3)
	g.c.Code[jmp+1] = byte(len(g.c.Code) - jmp - 2)
	g.undef = after
}

// flagTraps sets TF or AC by POPF and goes on: the next instruction is followed
// by #DB, or a misaligned access is #AC.
func (g *gen) flagTraps() {
	which := pick(g, []uint64{cpu.TF, cpu.AC})
	at := g.c.Regs[cpu.RSP]
	g.patch(at, le64(0x202|which|g.Uint64()&arith))
	g.mark()
	g.raw(0x9d)
	g.undef = 0
	g.anyAlign = which == cpu.AC
	g.straight(1 + g.IntN(3))
	g.c.Counts = true
}
