package cpu

import "golang.org/x/arch/x86/x86asm"

// SSE and SSE2 as far as compilers use them to copy, clear and compare: moves,
// logic, integer lanes, shuffles and shifts. No floating-point arithmetic, and
// nothing on MMX registers. None of them touches a flag. The functions on
// values are in sem_sse_lanes.go.

// Control bits that turn SSE off (SDM vol. 3A, 2.5 and 13.1).
const (
	cr0EM      = 1 << 2
	cr0TS      = 1 << 3
	cr4OSFXSR  = 1 << 9
	alignXMM   = 15 // a 16-byte operand's address must have these bits clear
	anyAddress = 0
)

// addSSERows fills in the rows of this file.
func addSSERows(rows *[NumMn]Row) {
	addSSEMoves(rows)
	addSSELogic(rows)
	addSSELanes(rows)
	addSSEOrder(rows)
	addSSEShifts(rows)
}

func sseRow(name string, fn handler, x x86asm.Op) Row {
	return Row{Name: name, X: []x86asm.Op{x}, Fn: withSSE(fn), Dst: dstWrite}
}

// weakRow is a store that may overtake others (SDM vol. 1, 10.4.6.2).
func weakRow(name string, x x86asm.Op) Row {
	r := sseRow(name, moveXMM(alignXMM), x)
	r.Flag |= opWeak
	return r
}

func addSSEMoves(rows *[NumMn]Row) {
	rows[MOVAPS] = sseRow("movaps", moveXMM(alignXMM), x86asm.MOVAPS)
	rows[MOVAPD] = sseRow("movapd", moveXMM(alignXMM), x86asm.MOVAPD)
	rows[MOVDQA] = sseRow("movdqa", moveXMM(alignXMM), x86asm.MOVDQA)
	rows[MOVUPS] = sseRow("movups", moveXMM(anyAddress), x86asm.MOVUPS)
	rows[MOVUPD] = sseRow("movupd", moveXMM(anyAddress), x86asm.MOVUPD)
	rows[MOVDQU] = sseRow("movdqu", moveXMM(anyAddress), x86asm.MOVDQU)
	rows[LDDQU] = sseRow("lddqu", moveXMM(anyAddress), x86asm.LDDQU)
	rows[MOVNTDQ] = weakRow("movntdq", x86asm.MOVNTDQ)
	rows[MOVNTPS] = weakRow("movntps", x86asm.MOVNTPS)
	rows[MOVNTPD] = weakRow("movntpd", x86asm.MOVNTPD)

	rows[MOVD] = sseRow("movd", moveLow(4), x86asm.MOVD)
	rows[MOVQ] = sseRow("movq", moveLow(8), x86asm.MOVQ)
	rows[MOVSS] = sseRow("movss", moveScalar(4), x86asm.MOVSS)
	rows[MOVSD] = sseRow("movsd", moveScalar(8), x86asm.MOVSD_XMM)
	rows[MOVLPS] = sseRow("movlps", moveHalf(0, 0), x86asm.MOVLPS)
	rows[MOVLPD] = sseRow("movlpd", moveHalf(0, 0), x86asm.MOVLPD)
	rows[MOVHPS] = sseRow("movhps", moveHalf(1, 1), x86asm.MOVHPS)
	rows[MOVHPD] = sseRow("movhpd", moveHalf(1, 1), x86asm.MOVHPD)
	rows[MOVHLPS] = sseRow("movhlps", moveHalf(0, 1), x86asm.MOVHLPS)
	rows[MOVLHPS] = sseRow("movlhps", moveHalf(1, 0), x86asm.MOVLHPS)
	rows[PINSRW] = sseRow("pinsrw", execPINSRW, x86asm.PINSRW)
	rows[PEXTRW] = sseRow("pextrw", execPEXTRW, x86asm.PEXTRW)

	rows[MOVMSKPS] = sseRow("movmskps", signMask(4), x86asm.MOVMSKPS)
	rows[MOVMSKPD] = sseRow("movmskpd", signMask(8), x86asm.MOVMSKPD)
	rows[PMOVMSKB] = sseRow("pmovmskb", signMask(1), x86asm.PMOVMSKB)
}

func addSSELogic(rows *[NumMn]Row) {
	rows[PAND] = sseRow("pand", vector(halves(and)), x86asm.PAND)
	rows[ANDPS] = sseRow("andps", vector(halves(and)), x86asm.ANDPS)
	rows[ANDPD] = sseRow("andpd", vector(halves(and)), x86asm.ANDPD)
	rows[PANDN] = sseRow("pandn", vector(halves(andNot)), x86asm.PANDN)
	rows[ANDNPS] = sseRow("andnps", vector(halves(andNot)), x86asm.ANDNPS)
	rows[ANDNPD] = sseRow("andnpd", vector(halves(andNot)), x86asm.ANDNPD)
	rows[POR] = sseRow("por", vector(halves(or)), x86asm.POR)
	rows[ORPS] = sseRow("orps", vector(halves(or)), x86asm.ORPS)
	rows[ORPD] = sseRow("orpd", vector(halves(or)), x86asm.ORPD)
	rows[PXOR] = sseRow("pxor", vector(halves(xor)), x86asm.PXOR)
	rows[XORPS] = sseRow("xorps", vector(halves(xor)), x86asm.XORPS)
	rows[XORPD] = sseRow("xorpd", vector(halves(xor)), x86asm.XORPD)
}

func addSSELanes(rows *[NumMn]Row) {
	rows[PADDB] = sseRow("paddb", vector(lanes(1, add)), x86asm.PADDB)
	rows[PADDW] = sseRow("paddw", vector(lanes(2, add)), x86asm.PADDW)
	rows[PADDD] = sseRow("paddd", vector(lanes(4, add)), x86asm.PADDD)
	rows[PADDQ] = sseRow("paddq", vector(halves(add)), x86asm.PADDQ)
	rows[PSUBB] = sseRow("psubb", vector(lanes(1, sub)), x86asm.PSUBB)
	rows[PSUBW] = sseRow("psubw", vector(lanes(2, sub)), x86asm.PSUBW)
	rows[PSUBD] = sseRow("psubd", vector(lanes(4, sub)), x86asm.PSUBD)
	rows[PSUBQ] = sseRow("psubq", vector(halves(sub)), x86asm.PSUBQ)
	rows[PCMPEQB] = sseRow("pcmpeqb", vector(lanes(1, equal)), x86asm.PCMPEQB)
	rows[PCMPEQW] = sseRow("pcmpeqw", vector(lanes(2, equal)), x86asm.PCMPEQW)
	rows[PCMPEQD] = sseRow("pcmpeqd", vector(lanes(4, equal)), x86asm.PCMPEQD)
	rows[PCMPGTB] = sseRow("pcmpgtb", vector(signedLanes(1, greater)), x86asm.PCMPGTB)
	rows[PCMPGTW] = sseRow("pcmpgtw", vector(signedLanes(2, greater)), x86asm.PCMPGTW)
	rows[PCMPGTD] = sseRow("pcmpgtd", vector(signedLanes(4, greater)), x86asm.PCMPGTD)
	rows[PMINUB] = sseRow("pminub", vector(lanes(1, lesser)), x86asm.PMINUB)
	rows[PMAXUB] = sseRow("pmaxub", vector(lanes(1, larger)), x86asm.PMAXUB)
	rows[PMINSW] = sseRow("pminsw", vector(signedLanes(2, lesserSigned)), x86asm.PMINSW)
	rows[PMAXSW] = sseRow("pmaxsw", vector(signedLanes(2, largerSigned)), x86asm.PMAXSW)
}

func addSSEOrder(rows *[NumMn]Row) {
	rows[PUNPCKLBW] = sseRow("punpcklbw", vector(unpack(1, 0)), x86asm.PUNPCKLBW)
	rows[PUNPCKLWD] = sseRow("punpcklwd", vector(unpack(2, 0)), x86asm.PUNPCKLWD)
	rows[PUNPCKLDQ] = sseRow("punpckldq", vector(unpack(4, 0)), x86asm.PUNPCKLDQ)
	rows[PUNPCKLQDQ] = sseRow("punpcklqdq", vector(unpack(8, 0)), x86asm.PUNPCKLQDQ)
	rows[PUNPCKHBW] = sseRow("punpckhbw", vector(unpack(1, 1)), x86asm.PUNPCKHBW)
	rows[PUNPCKHWD] = sseRow("punpckhwd", vector(unpack(2, 1)), x86asm.PUNPCKHWD)
	rows[PUNPCKHDQ] = sseRow("punpckhdq", vector(unpack(4, 1)), x86asm.PUNPCKHDQ)
	rows[PUNPCKHQDQ] = sseRow("punpckhqdq", vector(unpack(8, 1)), x86asm.PUNPCKHQDQ)
	rows[UNPCKLPS] = sseRow("unpcklps", vector(unpack(4, 0)), x86asm.UNPCKLPS)
	rows[UNPCKLPD] = sseRow("unpcklpd", vector(unpack(8, 0)), x86asm.UNPCKLPD)
	rows[UNPCKHPS] = sseRow("unpckhps", vector(unpack(4, 1)), x86asm.UNPCKHPS)
	rows[UNPCKHPD] = sseRow("unpckhpd", vector(unpack(8, 1)), x86asm.UNPCKHPD)
	rows[PSHUFD] = sseRow("pshufd", vector(shuffle32), x86asm.PSHUFD)
	rows[PSHUFLW] = sseRow("pshuflw", vector(shuffle16(0)), x86asm.PSHUFLW)
	rows[PSHUFHW] = sseRow("pshufhw", vector(shuffle16(1)), x86asm.PSHUFHW)
	rows[SHUFPS] = sseRow("shufps", vector(shufflePS), x86asm.SHUFPS)
	rows[SHUFPD] = sseRow("shufpd", vector(shufflePD), x86asm.SHUFPD)
}

func addSSEShifts(rows *[NumMn]Row) {
	rows[PSLLW] = sseRow("psllw", vector(shiftLanes(2, left)), x86asm.PSLLW)
	rows[PSLLD] = sseRow("pslld", vector(shiftLanes(4, left)), x86asm.PSLLD)
	rows[PSLLQ] = sseRow("psllq", vector(shiftLanes(8, left)), x86asm.PSLLQ)
	rows[PSRLW] = sseRow("psrlw", vector(shiftLanes(2, right)), x86asm.PSRLW)
	rows[PSRLD] = sseRow("psrld", vector(shiftLanes(4, right)), x86asm.PSRLD)
	rows[PSRLQ] = sseRow("psrlq", vector(shiftLanes(8, right)), x86asm.PSRLQ)
	rows[PSRAW] = sseRow("psraw", vector(shiftLanes(2, rightSigned)), x86asm.PSRAW)
	rows[PSRAD] = sseRow("psrad", vector(shiftLanes(4, rightSigned)), x86asm.PSRAD)
	rows[PSLLDQ] = sseRow("pslldq", vector(shiftBytesLeft), x86asm.PSLLDQ)
	rows[PSRLDQ] = sseRow("psrldq", vector(shiftBytesRight), x86asm.PSRLDQ)
}

// withSSE refuses fn while SSE is off: #UD comes before #NM, and both before
// any access (SDM vol. 3A, 13.1 and table 2-2).
func withSSE(fn handler) handler {
	return func(c *Core, o *Op) outcome {
		if c.CR[0]&(cr0EM|cr0TS) != 0 || c.CR[4]&cr4OSFXSR == 0 {
			if c.CR[0]&cr0EM != 0 || c.CR[4]&cr4OSFXSR == 0 {
				return c.raise(vecUD, 0)
			}
			return c.raise(vecNM, 0)
		}
		return fn(c, o)
	}
}

// xmm is the register of operand i.
func (c *Core) xmm(o *Op, i int) *[2]uint64 { return &c.XMM[o.Args[i].Reg&15] }

// getXMM reads operand i as 16 bytes; align is alignXMM or anyAddress. An
// immediate, the count of a shift, comes as the low half.
func (c *Core) getXMM(o *Op, i int, align uint64) (v [2]uint64, st outcome) {
	switch o.Args[i].Kind {
	case ArgXMM:
		return *c.xmm(o, i), done
	case ArgImm:
		return [2]uint64{o.Imm & 0xff}, done
	}
	a := c.ea(o)
	if a&align != 0 {
		return v, c.raise(vecGP, 0)
	}
	v[0], v[1], st = c.load16(a)
	return v, st
}

// moveXMM moves all 16 bytes.
func moveXMM(align uint64) handler {
	return func(c *Core, o *Op) outcome {
		v, st := c.getXMM(o, 1, align)
		if st > slow {
			return st
		}
		if o.Args[0].Kind == ArgXMM {
			*c.xmm(o, 0) = v
			return st
		}
		a := c.ea(o)
		if a&align != 0 {
			return c.raise(vecGP, 0)
		}
		return max(st, c.store16(a, v[0], v[1]))
	}
}

// getLow reads the low w bytes of operand i.
func (c *Core) getLow(o *Op, i int, w uint8) (uint64, outcome) {
	if o.Args[i].Kind == ArgXMM {
		return c.xmm(o, i)[0] & widthMask[w&15], done
	}
	return c.get(o, i)
}

// moveLow is MOVD and MOVQ: a register that receives is cleared above.
func moveLow(w uint8) handler {
	return func(c *Core, o *Op) outcome {
		v, st := c.getLow(o, 1, w)
		if st > slow {
			return st
		}
		if o.Args[0].Kind == ArgXMM {
			*c.xmm(o, 0) = [2]uint64{v}
			return st
		}
		return max(st, c.put(o, 0, v))
	}
}

// moveScalar is MOVSS and MOVSD: a load clears the rest of the register, a
// move between registers keeps it.
func moveScalar(w uint8) handler {
	return func(c *Core, o *Op) outcome {
		v, st := c.getLow(o, 1, w)
		if st > slow {
			return st
		}
		switch {
		case o.Args[0].Kind == ArgMem:
			return max(st, c.put(o, 0, v))
		case o.Args[1].Kind == ArgMem:
			*c.xmm(o, 0) = [2]uint64{v}
		default:
			d := c.xmm(o, 0)
			d[0] = d[0]&^widthMask[w&15] | v
		}
		return st
	}
}

// moveHalf moves 8 bytes between memory and a half of a register, or from half
// from of one register to half to of another; the other half stays.
func moveHalf(to, from int) handler {
	return func(c *Core, o *Op) outcome {
		if o.Args[0].Kind == ArgMem {
			return c.put(o, 0, c.xmm(o, 1)[from&1])
		}
		v, st := c.xmm(o, 1)[from&1], done
		if o.Args[1].Kind == ArgMem {
			v, st = c.get(o, 1)
		}
		if st <= slow {
			c.xmm(o, 0)[to&1] = v
		}
		return st
	}
}

func execPINSRW(c *Core, o *Op) outcome {
	v, st := c.get(o, 1)
	if st > slow {
		return st
	}
	d, s := &c.xmm(o, 0)[o.Imm>>2&1], o.Imm&3*16
	*d = *d&^(0xffff<<s) | v&0xffff<<s
	return st
}

func execPEXTRW(c *Core, o *Op) outcome {
	v := c.xmm(o, 1)[o.Imm>>2&1] >> (o.Imm & 3 * 16)
	c.setReg(o.Args[0], v&0xffff)
	return done
}

// signMask gathers the sign bits of all lanes of w bytes.
func signMask(w uint) handler {
	return func(c *Core, o *Op) outcome {
		var m uint64
		for i := range 16 / w {
			at := (i+1)*w*8 - 1
			m |= c.xmm(o, 1)[at>>6&1] >> (at & 63) & 1 << i
		}
		c.setReg(o.Args[0], m)
		return done
	}
}

// vector is every instruction that makes a register's new value from its old
// one, another operand and perhaps a control byte. A memory operand is 16
// bytes and must be aligned, even where only half of it counts.
func vector(f vecFunc) handler {
	return func(c *Core, o *Op) outcome {
		s, st := c.getXMM(o, 1, alignXMM)
		if st > slow {
			return st
		}
		d := c.xmm(o, 0)
		*d = f(*d, s, uint8(o.Imm))
		return st
	}
}
