package hardware

import "spinlab/cpu"

// Jumps, calls and returns. Their targets are HLTs in the rest of the code
// page, the page beside it, the scratch page (not executable), and addresses
// that are not canonical.

var flowRecipes = []recipe{
	{cpu.JMP, (*gen).jmpDirect, 0, nil},
	{cpu.JMP, (*gen).jmpIndirect, 0, nil},
	{cpu.JCC, (*gen).jcc, 0, nil},
	{cpu.JRCXZ, func(g *gen) { g.loop(0xe3) }, 0, nil},
	{cpu.LOOP, func(g *gen) { g.loop(0xe2) }, 0, nil},
	{cpu.LOOPE, func(g *gen) { g.loop(0xe1) }, 0, nil},
	{cpu.LOOPNE, func(g *gen) { g.loop(0xe0) }, 0, nil},
	{cpu.CALL, (*gen).callDirect, 0, nil},
	{cpu.CALL, (*gen).callIndirect, 0, nil},
	{cpu.RET, (*gen).ret, 0, nil},
	{cpu.IRET, (*gen).iret, 0, nil},
}

// away is the address of a HLT in the code page that is not the code's own.
func (g *gen) away() uint64 {
	for {
		at := g.IntN(pageSize)
		if at < g.c.Offset-1 || at > g.c.Offset+16 {
			return codePage + uint64(at)
		}
	}
}

// codeTarget is an address to jump to.
func (g *gen) codeTarget() uint64 {
	switch k := g.IntN(20); {
	case k == 0:
		return codePage + pageSize + g.Uint64N(pageSize)
	case k == 1:
		return codePage - 1 - g.Uint64N(pageSize)
	case k == 2:
		return scratchPage + g.Uint64N(pageSize)
	}
	return g.away()
}

// anyTarget is codeTarget for jumps that take all 64 bits from a register or
// memory: one that is not canonical is #GP at the jump.
func (g *gen) anyTarget() uint64 {
	if g.chance(5) {
		return 1<<62 + g.Uint64N(1<<62)
	}
	return g.codeTarget()
}

// relative emits op with a displacement of n bytes to a target in reach.
func (g *gen) relative(legacy []byte, op []byte, n int, target uint64) {
	g.mark()
	end := g.here() + uint64(len(legacy)+len(op)+n)
	g.raw(legacy...)
	g.raw(op...)
	g.raw(immediate(target-end, n)...)
}

// nearby is a target that a displacement of one byte reaches and that is not
// the instruction itself.
func (g *gen) nearby() uint64 {
	for {
		d := uint64(int8(g.Uint64()))
		if d < 8 || d > 16 && int64(d) > 0 || int64(d) < -24 {
			return g.here() + d + 8
		}
	}
}

func (g *gen) jmpDirect() {
	if g.chance(50) {
		g.relative(nil, []byte{0xeb}, 1, g.nearby())
		return
	}
	g.relative(nil, []byte{0xe9}, 4, g.codeTarget())
}

func (g *gen) jcc() {
	cc := byte(g.IntN(16))
	if g.chance(50) {
		g.relative(nil, []byte{0x70 | cc}, 1, g.nearby())
		return
	}
	g.relative(nil, []byte{0x0f, 0x80 | cc}, 4, g.codeTarget())
}

// loop is LOOP, LOOPE, LOOPNE and JRCXZ; counts near zero, and near it in the
// lower half only. A LOOP to itself counts down to zero.
func (g *gen) loop(op byte) {
	var legacy []byte
	if g.chance(40) {
		legacy = []byte{0x67}
	}
	n := g.Uint64N(4)
	if g.chance(40) {
		n |= g.Uint64() << 32
	}
	g.set(cpu.RCX, n)
	target := g.nearby()
	if op != 0xe3 && n < 4 && g.chance(20) && n != 0 {
		g.c.Counts = false
		target = g.here()
	}
	g.relative(legacy, []byte{op}, 1, target)
}

func (g *gen) callDirect() {
	g.stackAt(8, true)
	g.relative(nil, []byte{0xe8}, 4, g.codeTarget())
}

func (g *gen) jmpIndirect() { g.indirect(4) }

func (g *gen) callIndirect() {
	g.stackAt(8, true)
	g.indirect(2)
}

// indirect is FF /ext through a register or memory.
func (g *gen) indirect(ext byte) {
	in := &insn{op: []byte{0xff}, modrm: true, reg: ext}
	to := g.anyTarget()
	if sp := g.c.Regs[cpu.RSP]; ext == 2 && (sp < scratchPage+8 || sp > scratchPage+pageSize) {
		to = g.codeTarget() // of two reasons to fault, either may come first
	}
	if g.chance(50) {
		r := pick(g, g.data)
		if g.isFixed(r) {
			return
		}
		g.set(r, to)
		in.setRM(r, 8)
	} else {
		at := g.target(8, false)
		if at < scratchPage || at > scratchPage+pageSize-8 { // else its content is the target
			at = scratchPage + g.Uint64N(pageSize-8)
			if g.chance(10) {
				at = scratchPage + pageSize - g.Uint64N(8)
			}
		}
		g.memory(in, at)
		g.patch(at, le64(to))
	}
	g.mark()
	g.emit(in)
}

// ret returns to a target on the stack.
func (g *gen) ret() {
	at := scratchPage + g.Uint64N(pageSize-7)
	if g.chance(10) {
		at = scratchPage + pageSize - g.Uint64N(8)
	}
	g.set(cpu.RSP, at)
	g.patch(at, le64(g.anyTarget()))
	g.mark()
	if g.chance(50) {
		g.raw(0xc3)
		return
	}
	g.raw(0xc2)
	g.raw(le16(g.Uint64N(1 << 16))...)
}

// iret returns to CPL 3 with Linux's user selectors, which the engine has too.
func (g *gen) iret() {
	const userCS, userSS = 0x33, 0x2b
	at := scratchPage + g.Uint64N(pageSize-40)
	g.set(cpu.RSP, at)
	frame := []uint64{g.away(), userCS, 0x202 | g.Uint64()&(arith|cpu.DF|cpu.ID), g.number(), userSS}
	for i, v := range frame {
		g.patch(at+uint64(i)*8, le64(v))
	}
	g.mark()
	g.raw(0x48, 0xcf)
}
