package cpu

import "spinlab/mem"

// Everything that is privileged, serializing, or handed to the driver.

func execNOP(*Core, *Op) outcome { return done }

// execPAUSE applies the pause-loop rule; without it PAUSE only costs time.
func execPAUSE(c *Core, o *Op) outcome {
	l := &c.Pause
	if l.On && l.Filter {
		return c.filterPause(l)
	}
	if !l.On || c.CPL != 0 {
		return done
	}
	now := c.p.Now
	if l.Fresh || now-l.Last > l.Gap {
		l.First = now
	}
	l.Fresh, l.Last = false, now
	if now-l.First > l.Window {
		return c.leave(Exit{Kind: ExitPause})
	}
	return done
}

// filterPause is AMD's rule; see PauseLoop.Filter.
func (c *Core) filterPause(l *PauseLoop) outcome {
	now := c.p.Now
	if l.Fresh || l.Threshold != 0 && now-l.Last > l.Threshold {
		l.Left = l.Count
	}
	l.Fresh, l.Last = false, now
	if l.Left == 0 {
		return c.leave(Exit{Kind: ExitPause})
	}
	l.Left--
	return done
}

// leave retires the instruction and hands e to the driver.
func (c *Core) leave(e Exit) outcome {
	e.RIP = c.RIP
	c.Exit = e
	return exited
}

// privileged is for instructions that only CPL 0 may execute: they are #GP, but
// MONITOR and MWAIT #UD (SDM vol. 2B, MONITOR and MWAIT).
func privileged(h handler) handler {
	return func(c *Core, o *Op) outcome {
		if c.CPL != 0 {
			if o.Mn == MONITOR || o.Mn == MWAIT {
				return c.raise(vecUD, 0)
			}
			return c.raise(vecGP, 0)
		}
		return h(c, o)
	}
}

func execHLT(c *Core, o *Op) outcome {
	if c.CPL != 0 && !c.HLTAny {
		return c.raise(vecGP, 0)
	}
	return c.leave(Exit{Kind: ExitHLT})
}

func execVMCALL(c *Core, o *Op) outcome { return c.leave(Exit{Kind: ExitVMCall}) }

// execCPUID is serializing: the buffer is empty before it acts.
func execCPUID(c *Core, o *Op) outcome { return c.leave(Exit{Kind: ExitCPUID}) }

func execRDTSC(c *Core, o *Op) outcome {
	if c.CR[4]&(1<<2) != 0 && c.CPL != 0 { // CR4.TSD
		return c.raise(vecGP, 0)
	}
	e := Exit{Kind: ExitRDTSC}
	if o.Mn == RDTSCP {
		e.Reg = 1
	}
	return c.leave(e)
}

func execIN(c *Core, o *Op) outcome {
	if uint64(c.CPL) > c.Flags>>12&3 {
		return c.raise(vecGP, 0)
	}
	port, _ := c.get(o, 1)
	return c.leave(Exit{Kind: ExitIn, Port: uint16(port), Size: o.Args[0].W})
}

func execOUT(c *Core, o *Op) outcome {
	if uint64(c.CPL) > c.Flags>>12&3 {
		return c.raise(vecGP, 0)
	}
	port, _ := c.get(o, 0)
	v, _ := c.get(o, 1)
	return c.leave(Exit{Kind: ExitOut, Port: uint16(port), Size: o.Args[1].W, Val: v})
}

func execRDMSR(c *Core, o *Op) outcome { return c.leave(Exit{Kind: ExitRDMSR}) }

func execWRMSR(c *Core, o *Op) outcome {
	return c.leave(Exit{Kind: ExitWRMSR, Val: c.R[RDX]<<32 | c.R[RAX]&0xffffffff})
}

// execMOVCR knows CR0, CR2, CR3, CR4 and CR8. There are no others: #UD, which
// comes before the #GP of CPL 3.
func execMOVCR(c *Core, o *Op) outcome {
	const known = 1<<0 | 1<<2 | 1<<3 | 1<<4 | 1<<8
	for _, a := range o.Args {
		if a.Kind == ArgCR && known>>a.Reg&1 == 0 {
			return c.raise(vecUD, 0)
		}
	}
	if c.CPL != 0 {
		return c.raise(vecGP, 0)
	}
	if o.Args[0].Kind == ArgCR {
		return c.leave(Exit{Kind: ExitCRWrite, CR: o.Args[0].Reg, Reg: o.Args[1].Reg, Val: c.reg(o.Args[1])})
	}
	return c.leave(Exit{Kind: ExitCRRead, CR: o.Args[1].Reg, Reg: o.Args[0].Reg})
}

func execMWAIT(c *Core, o *Op) outcome { return c.leave(Exit{Kind: ExitMWAIT}) }

// execFence waits for the own buffer: MFENCE.
func execFence(c *Core, o *Op) outcome { return c.p.Fence() }

// execCLI and execSTI need IOPL. STI with IF clear shields one instruction.
func execCLI(c *Core, o *Op) outcome {
	if uint64(c.CPL) > c.Flags>>12&3 {
		return c.raise(vecGP, 0)
	}
	c.Flags &^= IF
	return done
}

func execSTI(c *Core, o *Op) outcome {
	if uint64(c.CPL) > c.Flags>>12&3 {
		return c.raise(vecGP, 0)
	}
	if c.Flags&IF == 0 {
		c.Flags |= IF
		c.Shadow = STIShadow
	}
	return done
}

func execCLC(c *Core, o *Op) outcome { c.Flags &^= CF; return done }
func execSTC(c *Core, o *Op) outcome { c.Flags |= CF; return done }
func execCMC(c *Core, o *Op) outcome { c.Flags ^= CF; return done }
func execCLD(c *Core, o *Op) outcome { c.Flags &^= DF; return done }
func execSTD(c *Core, o *Op) outcome { c.Flags |= DF; return done }

// execRDRAND draws from a generator over the number of instructions retired,
// so that equal runs draw equal numbers; CF says that one was ready.
func execRDRAND(c *Core, o *Op) outcome {
	var seed uint64
	if c.Feat != nil {
		seed = c.Feat.Seed
	}
	c.setReg(o.Args[0], mem.Mix(seed, uint64(o.Mn), c.Count.Instructions))
	c.setArith(CF)
	return done
}

// execFSGSBase reads or writes a segment base (CR4.FSGSBASE is taken as set).
func execFSGSBase(c *Core, o *Op) outcome {
	base := &c.FSBase
	if o.Mn == RDGSBASE || o.Mn == WRGSBASE {
		base = &c.GSBase
	}
	if o.Mn == RDFSBASE || o.Mn == RDGSBASE {
		c.setReg(o.Args[0], *base)
		return done
	}
	v := c.reg(o.Args[0])
	if uint64(int64(v<<16)>>16) != v {
		return c.raise(vecGP, 0)
	}
	*base = v
	return done
}

func execSWAPGS(c *Core, o *Op) outcome {
	c.GSBase, c.KGS = c.KGS, c.GSBase
	return done
}

// execLoadTable is LGDT and LIDT: a 10-byte memory operand, limit then base.
func execLoadTable(c *Core, o *Op) outcome {
	a := c.ea(o)
	limit, st := c.load(a, 2)
	if st > slow {
		return st
	}
	base, st := c.load(a+2, 8)
	if st > slow {
		return st
	}
	if uint64(int64(base<<16)>>16) != base {
		return c.raise(vecGP, 0)
	}
	t := Table{Base: base, Limit: uint16(limit)}
	if o.Mn == LIDT {
		c.IDT = t
	} else {
		c.GDT = t
	}
	return st
}

func execStoreTable(c *Core, o *Op) outcome {
	t := c.GDT
	if o.Mn == SIDT {
		t = c.IDT
	}
	a := c.ea(o)
	if st := c.aligned(a, 4); st > slow {
		return st
	}
	if st := c.p.Writable(a, 10); st > slow {
		return st
	}
	if st := c.p.Room(4); st > slow {
		return st
	}
	st := c.store(a, 2, uint64(t.Limit))
	if st > slow {
		return st
	}
	return max(st, c.store(a+2, 8, t.Base))
}

// execTouch is for cache hints and flushes that name memory: they can fault on
// the address, and change nothing that this machine models.
func execTouch(c *Core, o *Op) outcome {
	_, st := c.load(c.ea(o), 1)
	return st
}

// execXBEGIN always takes its fallback: no transaction ever starts. EAX gets
// the abort status 0, "no reason given" (SDM vol. 1, 16.3.5).
func execXBEGIN(c *Core, o *Op) outcome {
	if st := c.jump(o.Imm); st > slow {
		return st
	}
	c.set(RAX, 4, 0)
	return done
}

// execXEND outside a transaction is #GP; execXTEST says that none is active.
func execXEND(c *Core, o *Op) outcome { return c.raise(vecGP, 0) }

func execXTEST(c *Core, o *Op) outcome {
	c.setArith(ZF)
	return done
}

func execUD(c *Core, o *Op) outcome { return c.raise(vecUD, 0) }

// execUnmodelled stops and names the instruction.
func execUnmodelled(c *Core, o *Op) outcome {
	c.Why = Rows[o.Mn].Name + " is not modelled"
	return unsupported
}
