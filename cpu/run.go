package cpu

import "spinlab/mem"

// Run executes instructions until the budget, an exit, a fault or a stop. It
// stops exactly: after Visible and Drain nothing of the next instruction has
// been done, and the next Run performs its access first. A Run with Visible
// performs at most one shared access.
func (c *Core) Run(p *mem.Port, b Budget) Stop {
	if b.Retire == 1 && b.Until == 0 && !b.Visible && !c.Plain && c.Turn(p) != Stands {
		return Retired
	}
	return c.run(p, b)
}

// run is Run without the short cut for a single instruction.
func (c *Core) run(p *mem.Port, b Budget) Stop {
	c.p, c.Empties = p, false
	p.SetStop(b.Visible)
	p.Allow = 1
	if b.Quiet {
		p.Allow = 0
	}
	p.Until = b.Until
	if b.Until == 0 {
		p.Until = mem.Never
	}
	p.Sync()
	last := ^uint64(0)
	if b.Retire != 0 {
		last = c.Count.Spent() + b.Retire
	}
	for {
		if c.Step {
			if stop, ended := c.singleStep(); ended {
				return stop
			}
		}
		if c.Count.Spent() >= last {
			return Retired
		}
		if c.Now >= p.Until {
			return Time
		}
		blk, i, st := c.locate()
		if st > slow {
			c.settle()
			c.accessFault(nil, st)
			if st = c.deliverFault(); st == raised {
				return Faulted
			} else if st > slow {
				return Drain
			}
			c.Now += c.Code.costs[ClassSystem]
			continue
		}
		if c.mayRunFast(b.Visible) {
			if stop, ended := c.runFast(blk, i, last-c.Count.Turns>>turnShift); ended {
				return stop
			}
			continue
		}
		if stop, ended := c.stepOp(blk, i); ended {
			return stop
		}
	}
}

// mayRunFast says whether nothing needs a look between instructions: no trap
// flag, no alignment checks, no interrupt shadow, no stops before accesses.
func (c *Core) mayRunFast(visible bool) bool {
	return !visible && !c.Plain && c.Flags&(TF|AC) == 0 && c.Shadow == NoShadow
}

// stepOp executes one instruction by its handler: the reference. ended is
// false when the instruction retired, or one turn of a repeated one did.
func (c *Core) stepOp(blk *Block, i int) (stop Stop, ended bool) {
	o := &blk.Ops[i]
	p := c.p
	c.settle()
	if o.Mn != PAUSE {
		c.slow++
	}
	shadow, trap := c.Shadow, c.Flags&TF != 0
	started := c.Now
	p.Now, p.Stall, p.Waited, p.Replay.Next = c.Now, 0, 0, 0
	c.next = c.RIP + uint64(o.Len)
	var st outcome
	if p.Stop {
		st = c.watch(blk, o)
	}
	if st <= slow {
		st = c.exec(o)
	}
	switch st {
	case done, slow, exited:
		c.retire(blk, i, o)
		if c.Shadow == shadow {
			c.Shadow = NoShadow
		}
		if blk.Probe != 0 && c.OnProbe != nil {
			c.OnProbe(blk.Probe, blk.Addr, started+p.Waited)
		}
		c.Step = trap && c.Shadow != SSShadow // SDM vol. 3A, 6.8.3
		c.alert()
		if st == exited {
			return Exited, true
		}
		return 0, false
	case again:
		c.Now += mem.Cycles(o.cost) + p.Stall
		c.Delay += p.Stall
		c.countTurn(o)
		c.Count.Turns++
		c.Step = trap
		p.Retired()
		c.codeHit()
		return 0, false
	}
	return c.failed(o, st)
}

// singleStep takes the trap behind an instruction that ran with TF set. It
// stays pending while it waits for the store buffer.
func (c *Core) singleStep() (Stop, bool) {
	c.settle()
	c.next = c.RIP
	c.trap(vecDB)
	c.Step = false
	stop, ended := c.fault(false)
	c.Step = ended && stop == Drain
	return stop, ended
}

// exec runs the handler once what must come before it is done.
func (c *Core) exec(o *Op) outcome {
	if o.Flag&opSerial != 0 {
		if st := c.p.Empty(); st > slow {
			return st
		}
	}
	if o.nl != 0 && o.ns != 0 && o.Flag&opLock == 0 {
		// A store needs its slot before the load ahead of it runs, as on real
		// cores, which allocate it early: else the load would be done, and its
		// line moved, when the store finds the buffer full.
		if st := c.p.Room(2 * o.ns); st > slow {
			return st
		}
	}
	if o.Flag&opShared != 0 && c.p.Stop {
		if st := c.p.Act(); st > slow {
			return st
		}
	}
	if c.Flags&AC != 0 && c.CPL == 3 && c.misaligned(o) {
		return c.raise(vecAC, 0)
	}
	return o.fn(c, o)
}

// misaligned is the alignment check of explicit operands (SDM vol. 3A, 6.15,
// vector 17), on while RFLAGS.AC is set at CPL 3; CR0.AM is set at reset.
func (c *Core) misaligned(o *Op) bool {
	if c.CR[0]&(1<<18) == 0 || Rows[o.Mn].Dst == dstNone {
		return false
	}
	for _, a := range o.Args {
		if a.Kind == ArgMem && a.W <= 8 && c.ea(o)&uint64(a.W-1) != 0 && canonical(c.ea(o)) {
			return true
		}
	}
	return false
}

// retire moves past o and counts it.
func (c *Core) retire(blk *Block, i int, o *Op) {
	c.RIP = c.next
	c.Now += mem.Cycles(o.cost) + c.p.Stall
	c.Delay += c.p.Stall
	n := &c.Count
	n.Instructions++
	n.Locked += uint64(o.nk)
	n.Loads += uint64(o.nl)
	n.Stores += uint64(o.ns)
	n.Pauses += uint64(o.np)
	if o.Flag&(opRep|opRepNE) != 0 {
		c.countTurn(o)
	}
	c.standAt(&blk.solo[i+1])
	c.p.Retired()
	c.codeHit()
}

// countTurn counts the accesses of one turn of a repeated string instruction.
func (c *Core) countTurn(o *Op) {
	if c.turned {
		row := &Rows[o.Mn]
		c.Count.Loads += uint64(row.Loads)
		c.Count.Stores += uint64(row.Stores)
		c.turned = false
	}
}

// codeHit drops the cursor when a store went to decoded code.
func (c *Core) codeHit() {
	if c.p.CodeHit {
		c.p.CodeHit = false
		c.cur = cursor{}
		c.p.Sync()
	}
}

// failed sorts out an instruction that did not retire.
func (c *Core) failed(o *Op, st outcome) (Stop, bool) {
	c.Empties = st == mem.Drain
	switch st {
	case mem.Visible:
		return Visible, true
	case mem.Drain, mem.Full:
		return Drain, true
	case unsupported:
		return Unsupported, true
	case mem.PageFault, mem.NonCanonical:
		c.accessFault(o, st)
	}
	return c.fault(true)
}

// fault takes the exception in c.Fault. A trap's instruction has retired.
func (c *Core) fault(pending bool) (Stop, bool) {
	if pending && c.Fault.RIP != c.RIP { // INT n, INT3, INT1: a trap
		c.Count.Instructions++
		c.RIP = c.Fault.RIP
	}
	c.cur = cursor{}
	c.p.Retired()
	switch st := c.deliverFault(); st {
	case raised:
		return Faulted, true
	case done, slow:
		c.Now += c.Code.costs[ClassSystem]
		return 0, false
	}
	return Drain, true
}
