package hardware

import (
	"slices"

	"spinlab/cpu"
)

// operands is what form chooses for one instruction.
type operands struct {
	f      *form
	in     *insn
	w      int  // operand width
	reg    int  // register of the reg field, none if there is none
	rm     int  // register of r/m, none for memory
	vvvv   int  // register in a VEX prefix
	cond   int  // condition of CMOV and SET
	count  int  // of a shift, unknown if not known
	useMem bool // r/m is memory
	target uint64
}

// form emits a random instruction of an encoding. It returns false, having
// done nothing that matters, if that would read an undefined flag.
func (g *gen) form(f *form) bool {
	o := operands{f: f, in: &insn{op: append([]byte(nil), f.op...)}, w: pick(g, f.widths), reg: none, rm: none, vvvv: none, count: unknown}
	o.cond = g.IntN(16)
	if g.calm && f.noReg {
		return false
	}
	need := reads[f.mn]
	if f.mn == cpu.CMOV || f.mn == cpu.SET {
		need = condFlags(o.cond)
		o.in.op[len(o.in.op)-1] += byte(o.cond)
	}
	if need&g.undef != 0 || g.seq && (f.mn == cpu.BSF || f.mn == cpu.BSR) { // see undefinedResult
		return false
	}
	g.prefixes(&o)
	g.registers(&o)
	g.immediate(&o)
	g.prepare(&o)
	if g.tooFar(&o) && (g.seq || o.useMem) {
		return false
	}
	g.place(&o)
	valid := g.lock(&o)
	g.redundant(&o)
	g.mark()
	g.emit(o.in)
	if f.mn == cpu.DIV || f.mn == cpu.IDIV { // nothing says that #DE keeps them
		g.c.AnyFault |= arith
	}
	if valid {
		g.completed(f.mn, o.w, o.count)
		g.undefinedResult(&o)
	}
	return true
}

// prefixes sets what the operand width and the form ask for.
func (g *gen) prefixes(o *operands) {
	f, in := o.f, o.in
	if f.vex {
		v := &vexFields{mapn: map[byte]byte{0x38: 2, 0x3a: 3}[f.op[1]], pp: f.prefix}
		in.vex, in.op = v, in.op[2:]
	} else if f.prefix != 0 {
		in.legacy = append(in.legacy, f.prefix)
	}
	switch o.w {
	case 1:
		if len(f.widths) > 1 { // not the forms that know bytes only
			in.op[len(in.op)-1]--
		}
		in.noREX = f.enc != "A" && g.chance(30)
	case 2:
		in.legacy = append(in.legacy, 0x66)
	case 8:
		in.rex |= 8
	}
	if (f.mn == cpu.MOVZX || f.mn == cpu.MOVSX) && f.memory == 1 && o.w < 8 {
		in.noREX = g.chance(30)
	}
}

// registers picks the operands.
func (g *gen) registers(o *operands) {
	f, in := o.f, o.in
	switch f.enc {
	case "MR", "RM", "RVM", "RMV":
		o.reg = g.operand(in, f.xreg)
		in.setReg(o.reg, g.regWidth(o, f.xreg))
	case "M", "VM":
		in.modrm, in.reg = true, byte(f.ext)
		if f.ext < 0 { // SETcc does not look at the field
			in.reg = byte(g.IntN(8))
		}
	case "O":
		o.reg = g.operand(in, false)
		in.op[len(in.op)-1] += byte(o.reg & 7)
		in.rex |= byte(o.reg >> 3)
		in.byteReg(o.reg, o.w)
		return
	default:
		return
	}
	if f.vex {
		o.vvvv = g.operand(in, false)
		in.vex.vvvv = o.vvvv
		if f.op[1] == 0x3a { // RORX has no third register
			in.vex.vvvv, o.vvvv = 0, none
		}
	}
	o.useMem = f.noReg || !f.noMem && !g.calm && g.chance(55)
	if !o.useMem {
		o.rm = g.operand(in, f.xrm)
	}
}

// regWidth is the width that counts for byte registers in the reg field.
func (g *gen) regWidth(o *operands, xmm bool) int {
	if xmm {
		return 16
	}
	return o.w
}

// operand picks a register that in can encode.
func (g *gen) operand(in *insn, xmm bool) int {
	for {
		r := g.IntN(16)
		if !xmm {
			r = pick(g, g.data)
		}
		if high := in.noREX && r == cpu.RBP; high && g.isKept(cpu.RCX) { // 5 may mean CH
			continue
		}
		if r < 8 || !in.noREX {
			return r
		}
	}
}

// isKept says whether a sequence must not write register r.
func (g *gen) isKept(r int) bool { return !slices.Contains(g.data, r) }

// immediate draws the immediate. Small ones and those near a sign are common.
func (g *gen) immediate(o *operands) {
	n := map[string]int{"ib": 1, "iw": 2, "iz": min(o.w, 4), "iv": o.w}[o.f.imm]
	o.in.imm = immediate(g.number(), n)
	if o.f.imm == "ib" && isShift(o.f.mn) {
		o.count = int(o.in.imm[0])
	}
}

// prepare gives registers the values that some instructions need to do
// anything of interest. Values are known only for the first instruction.
func (g *gen) prepare(o *operands) {
	mn := o.f.mn
	if isShift(mn) && o.f.imm == "" {
		g.prepareCount(o)
	}
	n := o.w
	if o.f.memory != 0 {
		n = o.f.memory
	}
	o.target = g.target(n, g.seq)
	switch {
	case n == 16 && g.chance(80): // most of them must be aligned
		o.target &^= 15
	case g.seq:
		return
	}
	switch mn {
	case cpu.DIV, cpu.IDIV:
		if g.chance(75) && !g.seq { // a quotient that fits more often than not
			g.set(cpu.RDX, g.Uint64N(16)-8*uint64(g.IntN(2)))
			g.set(cpu.RAX, g.number())
		}
	case cpu.CMPXCHG:
		if o.useMem && g.chance(50) && !g.seq {
			g.set(cpu.RAX, g.peek(o.target, o.w)|g.Uint64()<<8<<(o.w*8-8))
		}
	case cpu.CMPXCHG8B, cpu.CMPXCHG16B:
		if g.chance(50) && !g.seq {
			half := n / 2
			g.set(cpu.RAX, g.peek(o.target, half)|g.Uint64()<<16<<(half*8-16))
			g.set(cpu.RDX, g.peek(o.target+uint64(half), half)|g.Uint64()<<16<<(half*8-16))
		}
	case cpu.BSF, cpu.BSR, cpu.TZCNT, cpu.LZCNT:
		if o.useMem && g.chance(15) {
			g.patch(o.target, make([]byte, n))
		}
	}
}

// prepareCount settles the count of a shift: one, or CL.
func (g *gen) prepareCount(o *operands) {
	switch {
	case o.f.op[len(o.f.op)-1] == 0xd1:
		o.count = 1
	case !g.seq:
		g.set(cpu.RCX, g.c.Regs[cpu.RCX]&^0xff|uint64(g.IntN(256)))
		if g.chance(50) {
			g.c.Regs[cpu.RCX] &^= 0xe0
		}
		o.count = int(g.c.Regs[cpu.RCX] & 0xff)
	}
}

// place puts the r/m operand into the instruction.
func (g *gen) place(o *operands) {
	mn, in := o.f.mn, o.in
	if mn >= cpu.BT && mn <= cpu.BTC && o.f.imm == "" && o.useMem {
		if g.seq { // where a bit string lies is known only for start values
			o.useMem, o.rm = false, pick(g, g.data)
		} else {
			g.bitString(o)
		}
	}
	switch {
	case o.useMem:
		g.memory(in, o.target)
	case o.rm != none && o.f.xrm:
		in.setRM(o.rm, 16)
	case o.rm != none:
		w := o.w
		if o.f.memory == 1 { // the source of MOVZX and MOVSX
			w = 1
		} else if o.f.memory != 0 {
			w = 2
		}
		in.setRM(o.rm, w)
	}
}

// bitString moves the address so that the operand with the bit is at target:
// the index is signed and counts bits (SDM vol. 2A, BT).
func (g *gen) bitString(o *operands) {
	shift := 64 - o.w*8
	index := int64(g.c.Regs[o.reg]<<shift) >> shift
	if !fits32(uint64(index)) || g.chance(50) {
		index = int64(g.IntN(20000)) - 10000
	}
	index = index << shift >> shift
	low := ^uint64(0) >> shift
	g.set(o.reg, g.c.Regs[o.reg]&^low|uint64(index)&low)
	per := int64(o.w) * 8
	o.target -= uint64((index - (index%per+per)%per) / per * int64(o.w))
}

// lock adds LOCK where it may stand, and now and then where it may not. It
// returns false if the instruction is not valid.
func (g *gen) lock(o *operands) bool {
	f, in := o.f, o.in
	legal := f.lock && o.useMem
	switch {
	case legal && g.chance(35), !g.seq && !legal && g.chance(3):
		in.legacy = append([]byte{0xf0}, in.legacy...)
		return legal
	}
	return true
}

// redundant adds prefixes that change nothing: null segment overrides, and REX
// prefixes that are not the last prefix (SDM vol. 2A, 2.2.1).
func (g *gen) redundant(o *operands) {
	in := o.in
	if in.vex != nil || in.noREX && in.useREX {
		return
	}
	if g.chance(4) {
		in.legacy = append(in.legacy, pick(g, []byte{0x26, 0x2e, 0x36, 0x3e}))
	}
	if g.chance(2) && len(in.legacy) > 0 {
		in.legacy = append([]byte{0x40 | byte(g.IntN(16))}, in.legacy...)
	}
	if g.chance(5) && !in.noREX && o.w != 1 && o.f.enc != "Z" {
		in.useREX = true
	}
	if o.w == 8 && len(o.f.op) == 1 && o.f.prefix == 0 && g.chance(4) { // REX.W wins over 66
		in.legacy = append(in.legacy, 0x66)
	}
}

// undefinedResult notes destinations that the manuals leave undefined.
func (g *gen) undefinedResult(o *operands) {
	switch o.f.mn {
	case cpu.BSF, cpu.BSR: // "If the content of the source operand is 0, the content of the destination operand is undefined."
		if g.seq || !g.sourceKnownNonzero(o) {
			g.c.UndefRegs |= 1 << o.reg
		}
	case cpu.SHLD, cpu.SHRD:
		if g.tooFar(o) {
			g.c.UndefRegs |= 1 << o.rm
		}
	}
}

// tooFar says whether a double shift may be by more than the operand has bits:
// "If the count is greater than the operand size, the result is undefined."
func (g *gen) tooFar(o *operands) bool {
	return (o.f.mn == cpu.SHLD || o.f.mn == cpu.SHRD) && o.w == 2 && (o.count == unknown || o.count&31 > 16)
}

// sourceKnownNonzero is for BSF and BSR on start values.
func (g *gen) sourceKnownNonzero(o *operands) bool {
	v := uint64(0)
	if o.useMem {
		v = g.peek(o.target, o.w)
	} else {
		v = g.c.Regs[o.rm]
	}
	return v<<(64-o.w*8) != 0
}
