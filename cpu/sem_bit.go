package cpu

import "math/bits"

// Bit tests, scans, and the BMI instructions.

func execBT(c *Core, o *Op) outcome  { return bitTest(c, o, func(v, _ uint64) uint64 { return v }) }
func execBTS(c *Core, o *Op) outcome { return bitTest(c, o, func(v, b uint64) uint64 { return v | b }) }
func execBTR(c *Core, o *Op) outcome {
	return bitTest(c, o, func(v, b uint64) uint64 { return v &^ b })
}
func execBTC(c *Core, o *Op) outcome { return bitTest(c, o, func(v, b uint64) uint64 { return v ^ b }) }

// bitTest copies a bit to CF and changes it by f. A register index on memory
// addresses a bit string: it moves the address by whole operands, signed; an
// immediate index is masked to the operand (SDM vol. 2A, BT).
func bitTest(c *Core, o *Op, f func(v, bit uint64) uint64) outcome {
	n, _ := c.get(o, 1)
	size := uint64(o.W) * 8
	if o.Args[0].Kind == ArgMem && o.Args[1].Kind == ArgReg {
		return bitString(c, o, n, f)
	}
	bit := uint64(1) << (n & (size - 1))
	if o.Mn == BT {
		v, st := c.get(o, 0)
		if st <= slow {
			c.setFlag(CF, v&bit != 0)
		}
		return st
	}
	v, st := c.open(o, 0)
	if st > slow {
		return st
	}
	if st = max(st, c.shut(o, 0, f(v, bit))); st > slow {
		return st
	}
	c.setFlag(CF, v&bit != 0)
	return st
}

// bitString is bitTest with a register index on memory.
func bitString(c *Core, o *Op, n uint64, f func(v, bit uint64) uint64) outcome {
	size := uint64(o.W) * 8
	q := *o // the same operation, at the operand that holds the bit
	q.Disp += uint64(int64(signExtend(n, o.W))>>bits.TrailingZeros64(size)) * uint64(o.W)
	q.Args[1] = Arg{Kind: ArgImm, W: 1}
	q.Imm = n & (size - 1)
	return bitTest(c, &q, f)
}

func execBSF(c *Core, o *Op) outcome {
	return bitScan(c, o, func(v uint64) uint64 { return uint64(bits.TrailingZeros64(v)) })
}

func execBSR(c *Core, o *Op) outcome {
	return bitScan(c, o, func(v uint64) uint64 { return uint64(bits.Len64(v)) - 1 })
}

// bitScan leaves the destination whole for a zero source, upper half included,
// as both vendors' cores do and AMD documents.
func bitScan(c *Core, o *Op, f func(uint64) uint64) outcome {
	v, st := c.get(o, 1)
	if st > slow {
		return st
	}
	if v != 0 {
		c.setReg(o.Args[0], f(v))
	}
	c.setFlag(ZF, v == 0)
	return st
}

func execTZCNT(c *Core, o *Op) outcome {
	return countZeros(c, o, func(v, size uint64) uint64 { return min(uint64(bits.TrailingZeros64(v)), size) })
}

func execLZCNT(c *Core, o *Op) outcome {
	return countZeros(c, o, func(v, size uint64) uint64 { return size - uint64(bits.Len64(v)) })
}

func countZeros(c *Core, o *Op, f func(v, size uint64) uint64) outcome {
	v, st := c.get(o, 1)
	if st > slow {
		return st
	}
	size := uint64(o.W) * 8
	res := f(v, size)
	c.setReg(o.Args[0], res)
	c.setFlag(CF, res == size)
	c.setFlag(ZF, res == 0)
	return st
}

func execPOPCNT(c *Core, o *Op) outcome {
	v, st := c.get(o, 1)
	if st > slow {
		return st
	}
	c.setReg(o.Args[0], uint64(bits.OnesCount64(v)))
	c.Flags &^= arithFlags
	c.setFlag(ZF, v == 0)
	return st
}

func execANDN(c *Core, o *Op) outcome {
	b, st := c.get(o, 2)
	if st > slow {
		return st
	}
	res := ^c.reg(o.Args[1]) & b
	c.setReg(o.Args[0], res)
	c.setBMI(res, o.W, false)
	return st
}

// setBMI sets the flags of the BMI1 group: SF and ZF from the result, CF
// given, OF clear; AF and PF are undefined and cleared.
func (c *Core) setBMI(res uint64, w uint8, carry bool) {
	c.setArith(resultFlags(res, w) &^ PF)
	c.setFlag(CF, carry)
}

func execBLSR(c *Core, o *Op) outcome {
	return lowestBit(c, o, func(v uint64) (uint64, bool) { return v & (v - 1), v == 0 })
}

func execBLSMSK(c *Core, o *Op) outcome {
	return lowestBit(c, o, func(v uint64) (uint64, bool) { return v ^ (v - 1), v == 0 })
}

func execBLSI(c *Core, o *Op) outcome {
	return lowestBit(c, o, func(v uint64) (uint64, bool) { return v & -v, v != 0 })
}

func lowestBit(c *Core, o *Op, f func(uint64) (uint64, bool)) outcome {
	v, st := c.get(o, 1)
	if st > slow {
		return st
	}
	res, carry := f(v)
	c.setReg(o.Args[0], res)
	c.setBMI(res, o.W, carry)
	return st
}

// execBEXTR extracts the field that bits 7-0 (start) and 15-8 (length) of
// operand 2 name.
func execBEXTR(c *Core, o *Op) outcome {
	v, st := c.get(o, 1)
	if st > slow {
		return st
	}
	ctl, _ := c.get(o, 2)
	res := v >> (ctl & 0xff) & (1<<(ctl>>8&0xff) - 1)
	c.setReg(o.Args[0], res)
	c.setArith(resultFlags(res, o.W) & ZF)
	return st
}

func execBZHI(c *Core, o *Op) outcome {
	v, st := c.get(o, 1)
	if st > slow {
		return st
	}
	n, _ := c.get(o, 2)
	n &= 0xff
	res := v
	if n < uint64(o.W)*8 {
		res &= 1<<n - 1
	}
	c.setReg(o.Args[0], res)
	c.setBMI(res, o.W, n > uint64(o.W)*8-1)
	return st
}

func execPDEP(c *Core, o *Op) outcome {
	mask, st := c.get(o, 2)
	if st > slow {
		return st
	}
	src := c.reg(o.Args[1])
	var res uint64
	for ; mask != 0; mask &= mask - 1 {
		if src&1 != 0 {
			res |= mask & -mask
		}
		src >>= 1
	}
	c.setReg(o.Args[0], res)
	return st
}

func execPEXT(c *Core, o *Op) outcome {
	mask, st := c.get(o, 2)
	if st > slow {
		return st
	}
	src := c.reg(o.Args[1])
	var res uint64
	for i := 0; mask != 0; mask &= mask - 1 {
		if src&mask&-mask != 0 {
			res |= 1 << i
		}
		i++
	}
	c.setReg(o.Args[0], res)
	return st
}
