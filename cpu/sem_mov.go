package cpu

import "math/bits"

// Moves, extensions, exchanges without LOCK, and address computation.

func execMOV(c *Core, o *Op) outcome {
	v, st := c.get(o, 1)
	if st > slow {
		return st
	}
	return max(st, c.put(o, 0, v))
}

// execMOVSeg moves to or from a segment register. CS as destination is #UD,
// whatever the address of the source.
func execMOVSeg(c *Core, o *Op) outcome {
	if o.Args[0].Kind == ArgSeg && o.Args[0].Reg == SegCS {
		return c.raise(vecUD, 0)
	}
	v, st := c.get(o, 1)
	if st > slow {
		return st
	}
	if o.Args[0].Kind != ArgSeg {
		return max(st, c.put(o, 0, v))
	}
	return max(st, c.loadSeg(o.Args[0].Reg, uint16(v)))
}

func execMOVZX(c *Core, o *Op) outcome { return execMOVExtended(c, o, false) }
func execMOVSX(c *Core, o *Op) outcome { return execMOVExtended(c, o, true) }

func execMOVExtended(c *Core, o *Op, signed bool) outcome {
	v, st := c.get(o, 1)
	if st > slow {
		return st
	}
	if signed {
		v = signExtend(v, o.Args[1].W)
	}
	c.setReg(o.Args[0], v)
	return st
}

// execCMOV reads its source whatever the condition, and clears the upper half
// of a 32-bit destination even when it does not move.
func execCMOV(c *Core, o *Op) outcome {
	v, st := c.get(o, 1)
	if st > slow {
		return st
	}
	if !c.cond(o.Cond) {
		v = c.reg(o.Args[0])
	}
	c.setReg(o.Args[0], v)
	return st
}

func execSET(c *Core, o *Op) outcome {
	var v uint64
	if c.cond(o.Cond) {
		v = 1
	}
	return c.put(o, 0, v)
}

func execBSWAP(c *Core, o *Op) outcome {
	v := c.reg(o.Args[0])
	switch o.W {
	case 8:
		v = bits.ReverseBytes64(v)
	case 4:
		v = uint64(bits.ReverseBytes32(uint32(v)))
	default:
		v = 0 // 16-bit BSWAP is undefined (SDM); both vendors' cores give zero
	}
	c.setReg(o.Args[0], v)
	return done
}

func execMOVBE(c *Core, o *Op) outcome {
	v, st := c.get(o, 1)
	if st > slow {
		return st
	}
	return max(st, c.put(o, 0, bits.ReverseBytes64(v)>>((64-uint(o.W)*8)&63)))
}

func execLEA(c *Core, o *Op) outcome {
	a := c.R[o.Base&31] + c.R[o.Index&31]<<(o.Shift&3) + o.Disp
	if o.Flag&opAddr32 != 0 {
		a = uint64(uint32(a))
	}
	c.setReg(o.Args[0], a)
	return done
}

// execXCHG swaps; with memory it is locked whether or not a prefix says so
// (SDM vol. 3A, 9.1.2.1).
func execXCHG(c *Core, o *Op) outcome {
	a, st := c.open(o, 0)
	if st > slow {
		return st
	}
	b := c.reg(o.Args[1])
	if st = c.shut(o, 0, b); st > slow {
		return st
	}
	c.setReg(o.Args[1], a)
	return st
}

func execCBW(c *Core, o *Op) outcome {
	c.set(RAX, o.W, signExtend(c.R[RAX], o.W/2))
	return done
}

// execCWD spreads the sign of the accumulator over DX, EDX or RDX.
func execCWD(c *Core, o *Op) outcome {
	c.set(RDX, o.W, uint64(int64(signExtend(c.R[RAX], o.W))>>63))
	return done
}

func execXLAT(c *Core, o *Op) outcome {
	a := c.R[RBX] + c.R[RAX]&0xff
	if o.Flag&opAddr32 != 0 {
		a = uint64(uint32(a))
	}
	switch o.Seg {
	case SegFS:
		a += c.FSBase
	case SegGS:
		a += c.GSBase
	}
	v, st := c.load(a, 1)
	if st > slow {
		return st
	}
	c.set(RAX, 1, v)
	return st
}
