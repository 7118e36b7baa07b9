package cpu

import "spinlab/mem"

// The stack (SDM vol. 1, chapter 6). Every implicit access goes through the
// stack segment: a non-canonical address is #SS, not #GP. RSP moves only when
// the whole instruction succeeds.

// stackLoad reads from the stack.
func (c *Core) stackLoad(a uint64, n uint8) (uint64, outcome) {
	if st := c.aligned(a, n); st > slow {
		return 0, st
	}
	v, st := c.load(a, n)
	return v, c.stackFault(st)
}

// stackStore writes to the stack.
func (c *Core) stackStore(a uint64, n uint8, v uint64) outcome {
	if st := c.aligned(a, n); st > slow {
		return st
	}
	return c.stackFault(c.store(a, n, v))
}

// aligned is the alignment check of accesses that no operand spells out: of the
// stack, of strings and of table registers (SDM vol. 3A, 6.15, vector 17).
func (c *Core) aligned(a uint64, n uint8) outcome {
	const am = 1 << 18
	if c.Flags&AC == 0 || c.CPL != 3 || c.CR[0]&am == 0 || a&uint64(n-1) == 0 || !canonical(a) {
		return done
	}
	return c.raise(vecAC, 0)
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
// pointers (SDM vol. 2A, ENTER). All of them are read before anything is
// written, and the new top of the stack is probed for writing.
func execENTER(c *Core, o *Op) outcome {
	size, level := o.Imm&0xffff, o.Imm>>16&31
	frame := c.R[RSP] - uint64(o.W)
	words, st := c.frameWords(level, o.W)
	if st > slow {
		return st
	}
	sp := c.R[RSP] - (level+1)*uint64(o.W) - size
	if st := c.p.Writable(sp, 1); st > slow {
		return c.stackFault(st)
	}
	if st := c.pushAll(words[:level+1], o.W); st > slow {
		return st
	}
	c.set(RBP, o.W, frame)
	c.R[RSP] = sp
	return slow
}

// frameWords gives what ENTER pushes: RBP, the copies, and where RBP went. It
// checks that each can be written, in the order in which that would be found
// out.
func (c *Core) frameWords(level uint64, n uint8) (words [32]uint64, st outcome) {
	w := uint64(n)
	for i := range level + 1 {
		if st := c.p.Writable(c.R[RSP]-(i+1)*w, w); st > slow {
			return words, c.stackFault(st)
		}
		switch i {
		case 0:
			words[i] = c.R[RBP]
		case level:
			words[i] = c.R[RSP] - w
		default:
			if c.p.Replay.N > 6 { // it holds eight values (see mem.Replay), and a load may be two
				c.Why = "enter that copies more than 3 frame pointers from shared memory is not modelled"
				return words, unsupported
			}
			v, st := c.stackLoad(c.R[RBP]-i*w, n)
			if st > slow {
				return words, st
			}
			words[i] = c.underPush(words[:i], c.R[RBP]-i*w, n, v)
		}
	}
	return words, done
}

// underPush replaces those of the n bytes v at a that pushing words of n bytes
// would have written.
func (c *Core) underPush(words []uint64, a uint64, n uint8, v uint64) uint64 {
	w := uint64(n)
	for k := range w {
		below := c.R[RSP] - 1 - (a + k) // how far below the byte at the top
		if j := below / w; j < uint64(len(words)) {
			b := words[j] >> ((w - 1 - below%w) * 8) & 0xff
			v = v&^(0xff<<(k*8)) | b<<(k*8)
		}
	}
	return v
}

// pushAll stores words of n bytes below RSP; all that is not room in the buffer
// can keep from succeeding has been checked. More words than the buffer has
// room for are stored with the buffer empty and commit at once: TSO allows
// that, and nothing but ENTER of 10 levels and more does it.
func (c *Core) pushAll(words []uint64, n uint8) outcome {
	slots := len(words) + len(words)*int(n)/mem.LineSize + 1 // a word that crosses a line takes two
	many := slots > mem.BufferSlots
	st := done
	if many {
		st = c.p.Empty()
	} else {
		st = c.p.Room(uint8(slots))
	}
	if st > slow {
		return st
	}
	a := c.R[RSP]
	for _, v := range words {
		a -= uint64(n)
		if st := c.stackStore(a, n, v); st > slow {
			return st
		}
		if many {
			c.p.CommitAll()
		}
	}
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
