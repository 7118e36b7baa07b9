package cpu

func canonical(a uint64) bool { return uint64(int64(a<<16)>>16) == a }

// settledCond evaluates a condition after working out pending flags.
func (c *Core) settledCond(code uint8) bool {
	c.settle()
	return c.cond(code)
}

// compared evaluates a condition from the operands of a compare.
func (c *Core) compared(code, w uint8, a, b uint64) bool {
	s := (64 - uint(w)*8) & 63
	var yes bool
	switch code >> 1 {
	case 1:
		yes = a < b
	case 3:
		yes = a <= b
	case 6:
		yes = int64(a<<s) < int64(b<<s)
	case 7:
		yes = int64(a<<s) <= int64(b<<s)
	default:
		return c.settledCond(code)
	}
	return yes != (code&1 != 0)
}

// aluLoad is register op= memory for the value b that was read.
func (c *Core) aluLoad(f *fop, b uint64) {
	a := c.R[f.dst&31] & f.mask
	l := lazy{a: a, b: b, kw: f.kw}
	v := a
	switch f.alone {
	case fAddLoad:
		v = (a + b) & f.mask
	case fSubLoad:
		v = (a - b) & f.mask
	case fAndLoad:
		v &= b
		l.a = v
	case fOrLoad:
		v |= b
		l.a = v
	case fXorLoad:
		v ^= b
		l.a = v
	}
	c.R[f.dst&31] = v
	c.lz = l
}

// imul is the two-operand IMUL of whole registers.
func (c *Core) imul(f *fop) {
	hi, lo := product(c.R[f.dst&31]&f.mask, c.R[f.src&31]&f.mask, f.w, true)
	c.lz.kw = 0
	c.R[f.dst&31] = lo
	c.setArith(resultFlags(lo, f.w))
	c.setFlag(CF|OF, hi != uint64(int64(signExtend(lo, f.w))>>63)&f.mask)
}

// atomic changes the operand at bit sh of word w in place: locked RMWs, and
// plain ones whose store would commit at once.
func (c *Core) atomic(f *fop, w *uint64, sh uint64) {
	m := f.mask << sh
	a := *w >> sh & f.mask
	b := (c.R[f.src&31] + f.imm) & f.mask
	src := Arg{Kind: ArgReg, Reg: f.src, W: f.w}
	l := lazy{a: a, b: b, kw: f.kw}
	v := b
	switch f.alone {
	case fSubMem:
		v = a - b
	case fDecMem:
		v = a - 1
		l.carry = c.carry()
	case fOrMem:
		v = a | b
		l.a = v
	case fAndMem:
		v = a & b
		l.a = v
	case fXchg:
		c.setReg(src, a)
		l = c.lz // no flags
	case fCmpxchg:
		acc := c.R[RAX] & f.mask
		l.a, l.b = acc, a
		if acc != a {
			v = a
			c.set(RAX, f.w, a)
		}
	}
	*w = *w&^m | v<<sh&m
	c.lz = l
}
