package cpu

// Exchange-and-add and compare-and-exchange. With a LOCK prefix open and shut
// make them one atomic step.

func execXADD(c *Core, o *Op) outcome {
	a, st := c.open(o, 0)
	if st > slow {
		return st
	}
	b := c.reg(o.Args[1])
	sum := a + b
	if o.Args[0].Kind == ArgMem {
		if st = c.shut(o, 0, sum); st > slow {
			return st
		}
		c.setReg(o.Args[1], a)
	} else { // the source first: with both the same register the sum stays
		c.setReg(o.Args[1], a)
		c.setReg(o.Args[0], sum)
	}
	c.setArith(addFlags(a, b, sum, o.W))
	return st
}

// execCMPXCHG writes its destination in both cases (SDM: "the destination is
// written with its own value if the comparison fails"), so it faults on
// read-only memory even then. A failed 32-bit compare clears the upper half of
// RAX and leaves the destination register whole; a successful one leaves RAX.
func execCMPXCHG(c *Core, o *Op) outcome {
	d, st := c.open(o, 0)
	if st > slow {
		return st
	}
	acc := c.R[RAX] & widthMask[o.W&15]
	equal := acc == d
	switch {
	case o.Args[0].Kind != ArgMem && !equal:
	case equal:
		st = max(st, c.shut(o, 0, c.reg(o.Args[1])))
	default:
		st = max(st, c.shut(o, 0, d))
	}
	if st > slow {
		return st
	}
	if !equal {
		c.set(RAX, o.W, d)
	}
	c.setArith(subFlags(acc, d, acc-d, o.W))
	return st
}

func execCMPXCHG8B(c *Core, o *Op) outcome {
	d, st := c.open(o, 0)
	if st > slow {
		return st
	}
	acc := c.R[RAX]&0xffffffff | c.R[RDX]<<32
	v := d
	if acc == d {
		v = c.R[RBX]&0xffffffff | c.R[RCX]<<32
	}
	if st = max(st, c.shut(o, 0, v)); st > slow {
		return st
	}
	if acc != d {
		c.set(RAX, 4, d)
		c.set(RDX, 4, d>>32)
	}
	c.setFlag(ZF, acc == d)
	return st
}

// execCMPXCHG16B needs an address that is a multiple of 16 (#GP else). Without
// LOCK it is done as two loads and two stores of eight bytes.
func execCMPXCHG16B(c *Core, o *Op) outcome {
	a := c.ea(o)
	if a&15 != 0 {
		return c.raise(vecGP, 0)
	}
	lo, hi, st := c.read16(o, a)
	if st > slow {
		return st
	}
	equal := lo == c.R[RAX] && hi == c.R[RDX]
	nlo, nhi := lo, hi
	if equal {
		nlo, nhi = c.R[RBX], c.R[RCX]
	}
	if st = max(st, c.write16(o, a, nlo, nhi)); st > slow {
		return st
	}
	if !equal {
		c.R[RAX], c.R[RDX] = lo, hi
	}
	c.setFlag(ZF, equal)
	return st
}

func (c *Core) read16(o *Op, a uint64) (lo, hi uint64, st outcome) {
	if o.Flag&opLock != 0 {
		c.at, lo, hi, st = c.p.BeginRMW16(a)
		return
	}
	return c.load16(a)
}

func (c *Core) write16(o *Op, a, lo, hi uint64) outcome {
	if o.Flag&opLock != 0 {
		c.p.EndRMW16(c.at, lo, hi)
		return slow
	}
	return c.store16(a, lo, hi)
}

// load16 reads 16 bytes as two loads of eight: x86 promises no more.
func (c *Core) load16(a uint64) (lo, hi uint64, st outcome) {
	lo, st = c.load(a, 8)
	if st > slow {
		return
	}
	hi, st2 := c.load(a+8, 8)
	return lo, hi, max(st, st2)
}

// store16 writes 16 bytes as two stores of eight, neither if one faults.
func (c *Core) store16(a, lo, hi uint64) outcome {
	if st := c.p.Writable(a, 16); st > slow {
		return st
	}
	if st := c.p.Room(4); st > slow {
		return st
	}
	st := c.store(a, 8, lo)
	if st > slow {
		return st
	}
	return max(st, c.store(a+8, 8, hi))
}
