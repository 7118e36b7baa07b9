package cpu

// The stack (SDM vol. 1, chapter 6). Every implicit access goes through the
// stack segment: a non-canonical address is #SS, not #GP. RSP moves only when
// the whole instruction succeeds.

// stackLoad reads from the stack.
func (c *Core) stackLoad(a uint64, n uint8) (uint64, outcome) {
	v, st := c.load(a, n)
	return v, c.stackFault(st)
}

// stackStore writes to the stack.
func (c *Core) stackStore(a uint64, n uint8, v uint64) outcome {
	return c.stackFault(c.store(a, n, v))
}

func (c *Core) stackFault(st outcome) outcome {
	if st == nonCanonical {
		return c.raise(vecSS, 0)
	}
	return st
}

func execPUSH(c *Core, o *Op) outcome {
	v, st := c.get(o, 0)
	if st > slow {
		return st
	}
	return max(st, c.push(o.W, v))
}

// push stores n bytes below RSP and then moves it.
func (c *Core) push(n uint8, v uint64) outcome {
	st := c.stackStore(c.R[RSP]-uint64(n), n, v)
	if st <= slow {
		c.R[RSP] -= uint64(n)
	}
	return st
}

// execPOP computes a destination address with RSP already moved (SDM vol. 2B,
// POP), and POP RSP ends with the popped value.
func execPOP(c *Core, o *Op) outcome {
	v, st := c.stackLoad(c.R[RSP], o.W)
	if st > slow {
		return st
	}
	c.R[RSP] += uint64(o.W)
	if o.Args[0].Kind == ArgSeg {
		if st2 := c.loadSeg(o.Args[0].Reg, uint16(v)); st2 > slow {
			c.R[RSP] -= uint64(o.W)
			return st2
		}
		return st
	}
	st2 := c.put(o, 0, v)
	if st2 > slow {
		c.R[RSP] -= uint64(o.W)
	}
	return max(st, st2)
}

// execPUSHF pushes RFLAGS with RF and VM clear.
func execPUSHF(c *Core, o *Op) outcome {
	return c.push(o.W, c.Flags&^(RF|VM))
}

// execPOPF changes IF only up to IOPL and IOPL only at CPL 0; the 16-bit form
// leaves the upper flags alone.
func execPOPF(c *Core, o *Op) outcome {
	v, st := c.stackLoad(c.R[RSP], o.W)
	if st > slow {
		return st
	}
	may := arithFlags | TF | DF | NT
	if o.W != 2 {
		may |= AC | ID
	}
	if uint64(c.CPL) <= c.Flags>>12&3 {
		may |= IF
	}
	if c.CPL == 0 {
		may |= iopl
	}
	c.R[RSP] += uint64(o.W)
	c.Flags = c.Flags&^(may|RF) | v&may
	return st
}

// execENTER builds a stack frame; nested frames copy the enclosing frame
// pointers (SDM vol. 2A, ENTER).
func execENTER(c *Core, o *Op) outcome {
	size, level := o.Imm&0xffff, int(o.Imm>>16&31)
	w := uint64(o.W)
	sp, bp := c.R[RSP], c.R[RBP]
	st := c.stackStore(sp-w, o.W, bp)
	if st > slow {
		return st
	}
	sp -= w
	frame := sp
	for range level - 1 {
		bp -= w
		v, st := c.stackLoad(bp, o.W)
		if st > slow {
			return st
		}
		if st = c.stackStore(sp-w, o.W, v); st > slow {
			return st
		}
		sp -= w
	}
	if level > 0 {
		if st = c.stackStore(sp-w, o.W, frame); st > slow {
			return st
		}
		sp -= w
	}
	sp -= size
	if st := c.p.Writable(sp, 1); st > slow { // the new top is probed for writing
		return c.stackFault(st)
	}
	c.set(RBP, o.W, frame)
	c.R[RSP] = sp
	return slow
}

func execLEAVE(c *Core, o *Op) outcome {
	v, st := c.stackLoad(c.R[RBP], o.W)
	if st > slow {
		return st
	}
	c.R[RSP] = c.R[RBP] + uint64(o.W)
	c.set(RBP, o.W, v)
	return st
}

func execLAHF(c *Core, o *Op) outcome {
	c.setReg(Arg{Reg: RAX, W: 1, Sh: 8}, c.Flags&0xff)
	return done
}

func execSAHF(c *Core, o *Op) outcome {
	const mine = SF | ZF | AF | PF | CF
	c.Flags = c.Flags&^mine | c.R[RAX]>>8&mine
	return done
}
