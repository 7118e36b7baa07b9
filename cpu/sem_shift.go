package cpu

// Shifts and rotates (SDM vol. 2B, RCL/RCR/ROL/ROR and SAL/SAR/SHL/SHR). The
// count is masked to five bits, six for 64-bit operands; a masked count of
// zero leaves every flag alone but still writes the destination, which clears
// the upper half of a 32-bit register. Flags that the manuals leave undefined
// keep what the formulas for a count of one give.

// shift runs f on the operand with the masked count; f returns the result and
// the new flags, starting from the present ones.
func shift(c *Core, o *Op, f func(v, n, flags uint64, w uint8) (uint64, uint64)) outcome {
	n, _ := c.get(o, 1)
	v, st := c.open(o, 0)
	if st > slow {
		return st
	}
	if n = maskCount(n, o.W); n == 0 {
		return max(st, c.shut(o, 0, v))
	}
	res, fl := f(v, n, c.Flags, o.W)
	if st = max(st, c.shut(o, 0, res)); st > slow {
		return st
	}
	c.Flags = fl
	return st
}

func maskCount(n uint64, w uint8) uint64 {
	if w == 8 {
		return n & 63
	}
	return n & 31
}

func execSHL(c *Core, o *Op) outcome {
	return shift(c, o, func(v, n, fl uint64, w uint8) (uint64, uint64) {
		size := uint64(w) * 8
		res := v << n & widthMask[w]
		var cf uint64
		if n <= size {
			cf = v >> (size - n) & 1
		}
		of := cf ^ res>>(size-1)&1
		return res, fl&^arithFlags | resultFlags(res, w) | cf | of<<11
	})
}

func execSHR(c *Core, o *Op) outcome {
	return shift(c, o, func(v, n, fl uint64, w uint8) (uint64, uint64) {
		res := v >> n
		cf := v >> (n - 1) & 1
		of := v >> (uint64(w)*8 - 1) & 1
		return res, fl&^arithFlags | resultFlags(res, w) | cf | of<<11
	})
}

func execSAR(c *Core, o *Op) outcome {
	return shift(c, o, func(v, n, fl uint64, w uint8) (uint64, uint64) {
		s := int64(signExtend(v, w))
		res := uint64(s>>n) & widthMask[w]
		cf := uint64(s>>(n-1)) & 1
		return res, fl&^arithFlags | resultFlags(res, w) | cf
	})
}

func execROL(c *Core, o *Op) outcome {
	return shift(c, o, func(v, n, fl uint64, w uint8) (uint64, uint64) {
		size := uint64(w) * 8
		n %= size
		res := v
		if n != 0 {
			res = (v<<n | v>>(size-n)) & widthMask[w]
		}
		cf := res & 1
		of := cf ^ res>>(size-1)&1
		return res, fl&^(CF|OF) | cf | of<<11
	})
}

func execROR(c *Core, o *Op) outcome {
	return shift(c, o, func(v, n, fl uint64, w uint8) (uint64, uint64) {
		size := uint64(w) * 8
		n %= size
		res := v
		if n != 0 {
			res = (v>>n | v<<(size-n)) & widthMask[w]
		}
		cf := res >> (size - 1) & 1
		of := cf ^ res>>(size-2)&1
		return res, fl&^(CF|OF) | cf | of<<11
	})
}

func execRCL(c *Core, o *Op) outcome {
	return shift(c, o, func(v, n, fl uint64, w uint8) (uint64, uint64) {
		size := uint64(w) * 8
		cf := fl & CF
		for n %= size + 1; n > 0; n-- {
			top := v >> (size - 1) & 1
			v = (v<<1 | cf) & widthMask[w]
			cf = top
		}
		of := cf ^ v>>(size-1)&1
		return v, fl&^(CF|OF) | cf | of<<11
	})
}

func execRCR(c *Core, o *Op) outcome {
	return shift(c, o, func(v, n, fl uint64, w uint8) (uint64, uint64) {
		size := uint64(w) * 8
		cf := fl & CF
		for n %= size + 1; n > 0; n-- {
			low := v & 1
			v = v>>1 | cf<<(size-1)
			cf = low
		}
		of := v>>(size-1)&1 ^ v>>(size-2)&1
		return v, fl&^(CF|OF) | cf | of<<11
	})
}

func execSHLD(c *Core, o *Op) outcome { return shiftDouble(c, o, true) }
func execSHRD(c *Core, o *Op) outcome { return shiftDouble(c, o, false) }

// shiftDouble shifts bits of operand 1 into operand 0. A 16-bit count above 16
// is undefined; here the bits come from dest:src:dest, as AMD's cores do.
func shiftDouble(c *Core, o *Op, left bool) outcome {
	n, _ := c.get(o, 2)
	v, st := c.open(o, 0)
	if st > slow {
		return st
	}
	if n = maskCount(n, o.W); n == 0 {
		return max(st, c.shut(o, 0, v))
	}
	res, cf := funnel(v, c.reg(o.Args[1]), n, o.W, left)
	if st = max(st, c.shut(o, 0, res)); st > slow {
		return st
	}
	top := uint64(o.W)*8 - 1
	of := (v ^ res) >> top & 1
	c.setArith(resultFlags(res, o.W) | cf | of<<11)
	return st
}

// funnel gives the shifted value and the last bit shifted out.
func funnel(v, src, n uint64, w uint8, left bool) (res, cf uint64) {
	size := uint64(w) * 8
	if n > size { // only 16 bits wide
		v, src, n = src, v, n-size
	}
	if left {
		return (v<<n | src>>(size-n)) & widthMask[w], v >> (size - n) & 1
	}
	return (v>>n | src<<(size-n)) & widthMask[w], v >> (n - 1) & 1
}

// BMI2 shifts: no flags, the count in a register or immediate.

func execSHLX(c *Core, o *Op) outcome {
	return shiftX(c, o, func(v, n uint64, _ uint8) uint64 { return v << n })
}

func execSHRX(c *Core, o *Op) outcome {
	return shiftX(c, o, func(v, n uint64, _ uint8) uint64 { return v >> n })
}

func execSARX(c *Core, o *Op) outcome {
	return shiftX(c, o, func(v, n uint64, w uint8) uint64 { return uint64(int64(signExtend(v, w)) >> n) })
}

func execRORX(c *Core, o *Op) outcome {
	return shiftX(c, o, func(v, n uint64, w uint8) uint64 { return v>>n | v<<(uint64(w)*8-n) })
}

func shiftX(c *Core, o *Op, f func(v, n uint64, w uint8) uint64) outcome {
	v, st := c.get(o, 1)
	if st > slow {
		return st
	}
	n, _ := c.get(o, 2)
	c.setReg(o.Args[0], f(v, maskCount(n, o.W), o.W))
	return st
}
