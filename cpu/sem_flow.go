package cpu

// Control transfers. A near transfer to a non-canonical address faults at the
// branch, before anything changes (SDM vol. 2A, JMP and CALL).

// jump sets the next RIP, which must be canonical.
func (c *Core) jump(to uint64) outcome {
	if uint64(int64(to<<16)>>16) != to {
		return c.raise(vecGP, 0)
	}
	c.next = to
	return done
}

func execJMP(c *Core, o *Op) outcome {
	to, st := c.get(o, 0)
	if st > slow {
		return st
	}
	return max(st, c.jump(to))
}

func execJCC(c *Core, o *Op) outcome {
	if c.cond(o.Cond) {
		return c.jump(o.Imm)
	}
	return done
}

// execJRCXZ tests RCX, or ECX with an address-size prefix.
func execJRCXZ(c *Core, o *Op) outcome {
	if c.counter(o) == 0 {
		return c.jump(o.Imm)
	}
	return done
}

// counter is the count register at the instruction's address size.
func (c *Core) counter(o *Op) uint64 {
	if o.Flag&opAddr32 != 0 {
		return c.R[RCX] & 0xffffffff
	}
	return c.R[RCX]
}

// setCounter writes the count register at the instruction's address size.
func (c *Core) setCounter(o *Op, v uint64) {
	if o.Flag&opAddr32 != 0 {
		v &= 0xffffffff
	}
	c.R[RCX] = v
}

func execLOOP(c *Core, o *Op) outcome { return loopIf(c, o, true) }
func execLOOPE(c *Core, o *Op) outcome {
	return loopIf(c, o, c.Flags&ZF != 0)
}

func execLOOPNE(c *Core, o *Op) outcome {
	return loopIf(c, o, c.Flags&ZF == 0)
}

func loopIf(c *Core, o *Op, and bool) outcome {
	n := c.counter(o) - 1
	if o.Flag&opAddr32 != 0 {
		n &= 0xffffffff
	}
	if n != 0 && and {
		if st := c.jump(o.Imm); st > slow {
			return st
		}
	}
	c.setCounter(o, n)
	return done
}

func execCALL(c *Core, o *Op) outcome {
	to, st := c.get(o, 0)
	if st > slow {
		return st
	}
	back := c.next
	if st2 := c.jump(to); st2 > slow {
		return st2
	}
	return max(st, c.push(8, back))
}

// execRET pops the return address and, with an operand, that many bytes more.
func execRET(c *Core, o *Op) outcome {
	to, st := c.stackLoad(c.R[RSP], 8)
	if st > slow {
		return st
	}
	if st2 := c.jump(to); st2 > slow {
		return st2
	}
	c.R[RSP] += 8 + o.Imm
	return st
}
