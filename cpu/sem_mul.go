package cpu

import "math/bits"

// Multiplication and division. Flags that the manual leaves undefined after a
// multiplication are SF, ZF and PF of the low half and AF clear; a division
// leaves all flags alone.

func execMUL(c *Core, o *Op) outcome  { return mulWide(c, o, false) }
func execIMUL(c *Core, o *Op) outcome { return mulWide(c, o, true) }

// mulWide is the one-operand form: the accumulator times the operand into
// AX, DX:AX, EDX:EAX or RDX:RAX.
func mulWide(c *Core, o *Op, signed bool) outcome {
	b, st := c.get(o, 0)
	if st > slow {
		return st
	}
	w := o.W
	hi, lo := product(c.R[RAX]&widthMask[w], b, w, signed)
	if w == 1 {
		c.set(RAX, 2, hi<<8|lo)
	} else {
		c.set(RAX, w, lo)
		c.set(RDX, w, hi)
	}
	c.setArith(resultFlags(lo, w))
	if signed {
		c.setFlag(CF|OF, hi != uint64(int64(signExtend(lo, w))>>63)&widthMask[w])
	} else {
		c.setFlag(CF|OF, hi != 0)
	}
	return st
}

// product gives both halves, w bytes each, of a times b.
func product(a, b uint64, w uint8, signed bool) (hi, lo uint64) {
	if w == 8 {
		hi, lo = bits.Mul64(a, b)
		if signed {
			hi -= uint64(int64(a)>>63)&b + uint64(int64(b)>>63)&a
		}
		return hi, lo
	}
	if signed {
		a, b = signExtend(a, w), signExtend(b, w)
	}
	p := a * b
	return p >> (w * 8) & widthMask[w], p & widthMask[w]
}

// execIMUL2 is IMUL with two or three operands: the last two are multiplied.
func execIMUL2(c *Core, o *Op) outcome {
	i, j := 0, 1
	if o.Args[2].Kind != ArgNone {
		i, j = 1, 2
	}
	a, st := c.get(o, i)
	if st > slow {
		return st
	}
	b, st2 := c.get(o, j)
	if st = max(st, st2); st > slow {
		return st
	}
	hi, lo := product(a, b, o.W, true)
	c.setReg(o.Args[0], lo)
	c.setArith(resultFlags(lo, o.W))
	c.setFlag(CF|OF, hi != uint64(int64(signExtend(lo, o.W))>>63)&widthMask[o.W])
	return st
}

// execMULX multiplies RDX by operand 2 without touching flags; the low half is
// written first, so that equal destinations keep the high one.
func execMULX(c *Core, o *Op) outcome {
	b, st := c.get(o, 2)
	if st > slow {
		return st
	}
	hi, lo := product(c.R[RDX]&widthMask[o.W], b, o.W, false)
	c.setReg(o.Args[1], lo)
	c.setReg(o.Args[0], hi)
	return st
}

func execDIV(c *Core, o *Op) outcome {
	d, st := c.get(o, 0)
	if st > slow {
		return st
	}
	hi, lo := c.dividend(o.W)
	if d == 0 || hi >= d {
		return c.raise(vecDE, 0)
	}
	var q, r uint64
	if o.W == 8 {
		q, r = bits.Div64(hi, lo, d)
	} else {
		n := hi<<(o.W*8) | lo
		q, r = n/d, n%d
	}
	c.setQuotient(o.W, q, r)
	return st
}

// execIDIV truncates toward zero; a quotient that does not fit is #DE, the
// most negative one fits.
func execIDIV(c *Core, o *Op) outcome {
	d, st := c.get(o, 0)
	if st > slow {
		return st
	}
	w := o.W
	hi, lo := c.dividend(w)
	if w < 8 { // sign-extend to 128 bits
		n := signExtend(hi<<(w*8)|lo, w*2)
		hi, lo = uint64(int64(n)>>63), n
		d = signExtend(d, w)
	}
	negN, negD := int64(hi) < 0, int64(d) < 0
	if negN {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	if negD {
		d = -d
	}
	if d == 0 || hi >= d {
		return c.raise(vecDE, 0)
	}
	q, r := bits.Div64(hi, lo, d)
	limit := uint64(1)<<(w*8-1) - 1
	if negN != negD {
		limit++
	}
	if q > limit {
		return c.raise(vecDE, 0)
	}
	if negN != negD {
		q = -q
	}
	if negN {
		r = -r
	}
	c.setQuotient(w, q, r)
	return st
}

// dividend gives the two halves of AX, DX:AX, EDX:EAX or RDX:RAX.
func (c *Core) dividend(w uint8) (hi, lo uint64) {
	if w == 1 {
		return c.R[RAX] >> 8 & 0xff, c.R[RAX] & 0xff
	}
	return c.R[RDX] & widthMask[w], c.R[RAX] & widthMask[w]
}

func (c *Core) setQuotient(w uint8, q, r uint64) {
	if w == 1 {
		c.set(RAX, 2, r&0xff<<8|q&0xff)
		return
	}
	c.set(RAX, w, q)
	c.set(RDX, w, r)
}
