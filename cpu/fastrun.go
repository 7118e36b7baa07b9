package cpu

import "spinlab/mem"

// fastChunk bounds how many instructions one runFast executes, so that its
// packed counters, 32 bits each, cannot overflow.
const fastChunk = 1 << 24

// runFast executes from op i of blk on, following branches, while everything
// goes smoothly: whole blocks as long as they fit the budget, then op by op up
// to its exact end. What is not smooth (a buffered store, a fault, an exit) it
// leaves to stepOp, after which Run looks again. It returns like stepOp.
func (c *Core) runFast(blk *Block, i int, last uint64) (Stop, bool) {
	if !c.p.Quiet() {
		return c.stepOp(blk, i)
	}
	c.keepCarry()
	left := last - c.Count.Instructions
	if i != 0 || blk.n > left || c.Now+blk.cost() > c.p.Until {
		return c.runAlone(blk, i, last)
	}
	left = min(left, fastChunk)
	limit := left
	var ls, lp uint64
	for {
		turns := uint64(1)
		if blk.turn != 0 {
			turns = c.turns(blk, left)
		}
		f, to, end, rest := c.fastOps(&blk.fast[0], turns)
		n := uint64(f.done)
		if end == fastBail {
			n = uint64(f.idx)
		}
		pre := &blk.pre[n]
		left -= n
		ls += pre.ls
		lp += pre.lp
		c.Now += pre.cost
		if turns -= rest; turns != 0 { // as many times around before
			turn := &blk.pre[blk.turn]
			left -= turns * blk.turn
			ls += turns * turn.ls
			lp += turns * turn.lp
			c.Now += turns * turn.cost
		}
		if end == fastBail {
			c.settleCounts(limit-left, ls, lp)
			c.RIP = blk.Addr + uint64(f.off)
			return c.runAlone(blk, int(f.idx), last)
		}
		if to != blk.Addr {
			nb := c.follow(f, to)
			if nb == nil {
				c.RIP = to
				break
			}
			blk = nb
		}
		if blk.n > left || c.Now+blk.cost() > c.p.Until {
			c.RIP = to
			c.cur = cursor{blk, 0}
			break
		}
	}
	c.settleCounts(limit-left, ls, lp)
	return 0, false
}

// turns is how many times a block that loops may be entered within the budget;
// the last time it may run to its end. Once is possible, as runFast has seen.
func (c *Core) turns(blk *Block, left uint64) uint64 {
	turn := &blk.pre[blk.turn]
	room := c.p.Until - c.Now - blk.cost()
	if left -= blk.n; left < blk.turn || room < turn.cost {
		return 1 // the common case under contention, without a division
	}
	n := left / blk.turn
	if turn.cost != 0 && c.p.Until != mem.Never {
		n = min(n, room/turn.cost)
	}
	return n + 1
}

// runAlone executes ops one by one from op i of blk on, as long as the budget
// lasts and everything goes smoothly. A load or locked RMW whose line is
// elsewhere waits for it on the spot.
func (c *Core) runAlone(blk *Block, i int, last uint64) (Stop, bool) {
	for {
		f := &blk.solo[2*i]
		_, to, end, _ := c.fastOps(f, 1)
		if end == fastBail {
			stall, ok := c.warm(&blk.Ops[i], f)
			if !ok {
				c.cur = cursor{blk, i}
				return c.stepOp(blk, i)
			}
			c.Now += stall
			c.Delay += stall
			if _, to, end, _ = c.fastOps(f, 1); end == fastBail {
				return c.stepOp(blk, i)
			}
		}
		c.countOp(&blk.Ops[i])
		c.RIP = to
		i++
		if end == fastJump || i == len(blk.Ops) {
			if blk, i = c.follow(f, to), 0; blk == nil {
				c.cur = cursor{}
				return 0, false
			}
		}
		if c.Count.Instructions >= last || c.Now >= c.p.Until {
			c.cur = cursor{blk, i}
			return 0, false // Run says which
		}
	}
}

// quickCycles is below how many cycles a budget is for an instruction or two:
// cores that contend change places that often.
const quickCycles = 8

// quick executes the one op at the cursor if nothing at all is special about
// it: the way of a driver that changes cores at every instruction.
func (c *Core) quick() bool {
	blk, i := c.cur.blk, c.cur.i
	if blk == nil || i >= len(blk.Ops) || !c.mayRunFast(false) || c.Step || !c.p.Quiet() || !blk.valid() {
		return false
	}
	f := &blk.solo[2*i]
	if blk.Addr+uint64(f.off) != c.RIP || c.Now >= c.p.Until {
		return false
	}
	c.keepCarry()
	_, to, end, _ := c.fastOps(f, 1)
	if end == fastBail {
		return false
	}
	c.countOp(&blk.Ops[i])
	c.RIP = to
	c.cur.i = i + 1
	if end == fastJump {
		c.cur = cursor{c.follow(f, to), 0}
	}
	return true
}

// countOp counts one op that has retired, but for its stalls.
func (c *Core) countOp(o *Op) {
	n := &c.Count
	n.Instructions++
	n.Loads += uint64(o.nl)
	n.Stores += uint64(o.ns)
	n.Locked += uint64(o.nk)
	n.Pauses += uint64(o.np)
	c.Now += mem.Cycles(o.cost)
}

// settleCounts adds what whole blocks did.
func (c *Core) settleCounts(instructions, ls, lp uint64) {
	n := &c.Count
	n.Instructions += instructions
	n.Loads += ls & 0xffffffff
	n.Stores += ls >> 32
	n.Locked += lp & 0xffffffff
	n.Pauses += lp >> 32
}

// follow finds the block at rip, where f went, or nil if it must be decoded.
func (c *Core) follow(f *fop, rip uint64) *Block {
	nb := f.link
	if nb == nil || nb.Addr != rip {
		nb = c.Code.table[slot(rip)]
		if nb == nil || nb.Addr != rip {
			return nil
		}
		f.link = nb
	}
	if !nb.valid() {
		return nil
	}
	return nb
}

// operand gives the address and width that an op's fast form reads or writes,
// and whether it writes. ok is false if it has none.
func (c *Core) operand(f *fop) (a, n uint64, write, ok bool) {
	switch k := f.alone; {
	case k == fPop || k == fRet:
		return c.R[RSP], 8, false, true
	case k == fLeave:
		return c.R[RBP], 8, false, true
	case k == fPush || k == fCall:
		return c.R[RSP] - 8, 8, true, true
	case k >= fLoad && k <= fLoadSX || k >= fAddLoad && k <= fTestMem:
		ok = true
	case k == fStore || k == fStore64 || k >= fAddMem && k <= fCmpxchg:
		write, ok = true, true
	}
	return c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp, uint64(f.w), write, ok
}

// refill makes the line of f's operand hot if nothing speaks against it.
func (c *Core) refill(f *fop) bool {
	a, n, write, ok := c.operand(f)
	switch {
	case !ok:
		return false
	case write:
		return c.p.WriteWord(a, n) == nil && c.p.WriteRefill(a, n)
	}
	return c.p.ReadWord(a, n) == nil && c.p.ReadRefill(a, n)
}

// warm brings the line of f's operand here if that is what made o fail, and
// returns the stall: for loads and locked RMWs, which wait for it on the spot.
func (c *Core) warm(o *Op, f *fop) (mem.Cycles, bool) {
	a, n, write, ok := c.operand(f)
	if !ok || write && o.Flag&opLock == 0 {
		return 0, false
	}
	c.p.Now, c.p.Stall = c.Now, 0
	return c.p.Warm(a, n, write)
}
