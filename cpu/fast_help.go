package cpu

import "spinlab/mem"

func canonical(a uint64) bool { return uint64(int64(a<<16)>>16) == a }

// pendingCond evaluates a condition without settling the flags where it can:
// equality and carry follow from the operands alone.
func (c *Core) pendingCond(code uint8) bool {
	l := &c.lz
	var yes bool
	switch {
	case l.kw == 0:
		return c.cond(code)
	case code>>1 == 1:
		yes = l.cf
	case code>>1 == 2:
		v := l.a
		switch l.kw & 0xff {
		case lazyAdd:
			v += l.b
		case lazySub:
			v -= l.b
		case lazyInc:
			v++
		case lazyDec:
			v--
		}
		yes = v&widthMask[l.kw>>8&15] == 0
	default:
		c.settlePending()
		return c.cond(code)
	}
	return yes != (code&1 != 0)
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
		return c.pendingCond(code)
	}
	return yes != (code&1 != 0)
}

// callOp is the part of the fast switch that calls functions. It is apart so
// that the rest need not keep its registers on the stack for them; turns goes in
// and out for that reason alone. It answers with the last op that is done and
// fastNext, fastJump when its jump is taken, or fastBail.
func (c *Core) callOp(p *mem.Port, f *fop, turns uint64) (*fop, uint64, fastEnd) {
	d := &c.R[f.dst&31]
	switch f.kind {
	case fJcc, fJZ:
		if c.pendingCond(f.cond) {
			return f, turns, fastJump
		}
	case fCmpJCC:
		a, b := *d&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.lz = lazy{a: a, b: b, kw: f.kw, cf: a < b}
		if c.compared(f.cond, f.w, a, b) {
			return f, turns, fastJump
		}
		return next(f), turns, fastNext
	case fSet:
		*d &^= 0xff
		if c.pendingCond(f.cond) {
			*d |= 1
		}
	case fCmov:
		if c.pendingCond(f.cond) {
			*d = c.R[f.src&31]
		}
		*d &= f.mask
	case fShl, fShr, fSar:
		c.shiftConst(f, d)
	case fImul:
		c.imul(f)
	case fAddLoad, fSubLoad, fAndLoad, fOrLoad, fXorLoad:
		a := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.ReadWord(a, uint64(f.w))
		if w == nil {
			return f, turns, fastBail
		}
		c.aluLoad(f, *w>>(a&7*8)&f.mask)
	case fSubMem, fDecMem, fOrMem, fAndMem, fXchg, fCmpxchg:
		a := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.WriteWord(a, uint64(f.w))
		if w == nil {
			return f, turns, fastBail
		}
		c.atomic(f, w, a&7*8)
	}
	return f, turns, fastNext
}

// shiftConst shifts a whole register by an immediate that is not zero.
func (c *Core) shiftConst(f *fop, d *uint64) {
	v, top := *d&f.mask, uint64(f.w)*8-1
	var res, cf, of uint64
	switch f.kind {
	case fShl:
		res = v << f.imm & f.mask
		cf = v >> (top + 1 - f.imm) & 1
		of = cf ^ res>>top
	case fShr:
		res = v >> f.imm
		cf = v >> (f.imm - 1) & 1
		of = v >> top
	case fSar:
		s := int64(signExtend(v, f.w))
		res = uint64(s>>f.imm) & f.mask
		cf = uint64(s>>(f.imm-1)) & 1
	}
	*d = res
	c.setFast(resultFlags(res, f.w) | cf | of<<11)
}

// setFast sets all arithmetic flags at once.
func (c *Core) setFast(fl uint64) {
	c.Flags = c.Flags&^arithFlags | fl
	c.lz.kw, c.lz.cf = 0, fl&CF != 0
}

// aluLoad is register op= memory for the value b that was read.
func (c *Core) aluLoad(f *fop, b uint64) {
	a := c.R[f.dst&31] & f.mask
	l := lazy{a: a, b: b, kw: f.kw}
	v := a
	switch f.alone {
	case fAddLoad:
		v = (a + b) & f.mask
		l.cf = v < a
	case fSubLoad:
		v = (a - b) & f.mask
		l.cf = a < b
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
	c.R[f.dst&31] = lo
	fl := resultFlags(lo, f.w)
	if hi != uint64(int64(signExtend(lo, f.w))>>63)&f.mask {
		fl |= CF | OF
	}
	c.setFast(fl)
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
		l.cf = a < b
	case fDecMem:
		v = a - 1
		l.cf = c.lz.cf
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
		l.a, l.b, l.cf = acc, a, acc < a
		if acc != a {
			v = a
			c.set(RAX, f.w, a)
		}
	}
	*w = *w&^m | v<<sh&m
	c.lz = l
}
