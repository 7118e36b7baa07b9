package cpu

// String instructions (SDM vol. 1, 7.3.9). With a repeat prefix each turn is a
// boundary of its own: registers are updated, interrupts may come, a fault
// leaves the turns before it done. The instruction retires with the last turn.

// step is how far the index registers move: up, or down with DF.
func (c *Core) step(o *Op) uint64 {
	if c.Flags&DF != 0 {
		return -uint64(o.W)
	}
	return uint64(o.W)
}

// index is the address in a string register, and advance moves it.
func (c *Core) index(o *Op, r int) uint64 {
	a := c.R[r]
	if o.Flag&opAddr32 != 0 {
		a &= 0xffffffff
	}
	if r == RSI {
		switch o.Seg {
		case SegFS:
			a += c.FSBase
		case SegGS:
			a += c.GSBase
		}
	}
	return a
}

func (c *Core) stringLoad(o *Op, r int) (uint64, outcome) {
	a := c.index(o, r)
	if st := c.aligned(a, o.W); st > slow {
		return 0, st
	}
	return c.load(a, o.W)
}

func (c *Core) stringStore(o *Op, v uint64) outcome {
	a := c.index(o, RDI)
	if st := c.aligned(a, o.W); st > slow {
		return st
	}
	return c.store(a, o.W, v)
}

func (c *Core) advance(o *Op, r int) {
	a := c.R[r] + c.step(o)
	if o.Flag&opAddr32 != 0 {
		a &= 0xffffffff
	}
	c.R[r] = a
}

// turn runs one turn of a string instruction and says whether more follow.
// until, if not nil, is a further condition to go on.
func (c *Core) turn(o *Op, one func() outcome, until func() bool) outcome {
	if o.Flag&(opRep|opRepNE) == 0 {
		return one()
	}
	n := c.counter(o)
	if n == 0 {
		return done
	}
	st := one()
	if st > slow {
		return st
	}
	c.setCounter(o, n-1)
	c.turned = true
	if n == 1 || until != nil && !until() {
		return st
	}
	return again
}

func execMOVS(c *Core, o *Op) outcome {
	return c.turn(o, func() outcome {
		v, st := c.stringLoad(o, RSI)
		if st > slow {
			return st
		}
		if st = max(st, c.stringStore(o, v)); st > slow {
			return st
		}
		c.advance(o, RSI)
		c.advance(o, RDI)
		return st
	}, nil)
}

func execSTOS(c *Core, o *Op) outcome {
	return c.turn(o, func() outcome {
		st := c.stringStore(o, c.R[RAX])
		if st <= slow {
			c.advance(o, RDI)
		}
		return st
	}, nil)
}

func execLODS(c *Core, o *Op) outcome {
	return c.turn(o, func() outcome {
		v, st := c.stringLoad(o, RSI)
		if st <= slow {
			c.set(RAX, o.W, v)
			c.advance(o, RSI)
		}
		return st
	}, nil)
}

func execSCAS(c *Core, o *Op) outcome {
	return c.turn(o, func() outcome {
		v, st := c.stringLoad(o, RDI)
		if st > slow {
			return st
		}
		a := c.R[RAX] & widthMask[o.W]
		c.setArith(subFlags(a, v, a-v, o.W))
		c.advance(o, RDI)
		return st
	}, c.untilFlag(o))
}

func execCMPS(c *Core, o *Op) outcome {
	return c.turn(o, func() outcome {
		a, st := c.stringLoad(o, RSI)
		if st > slow {
			return st
		}
		b, st := c.stringLoad(o, RDI)
		if st > slow {
			return st
		}
		c.setArith(subFlags(a, b, a-b, o.W))
		c.advance(o, RSI)
		c.advance(o, RDI)
		return st
	}, c.untilFlag(o))
}

// untilFlag is the condition of REPE (go on while equal) and REPNE.
func (c *Core) untilFlag(o *Op) func() bool {
	return func() bool { return (c.Flags&ZF != 0) == (o.Flag&opRep != 0) }
}
