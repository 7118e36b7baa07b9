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
	left := last - c.Count.Instructions
	if i != 0 || blk.n > left || c.Now+blk.cost > c.p.Until {
		return c.runAlone(blk, i)
	}
	left = min(left, fastChunk)
	limit := left
	var ls, lp uint64 // packed counts, as in Block
	for {
		left -= blk.n
		ls += blk.ls
		lp += blk.lp
		c.Now += blk.cost
		f, next, end := c.fastOps(&blk.fast[0])
		if end == fastBail {
			left += c.giveBack(blk, int(f.idx), &ls, &lp)
			c.settleCounts(limit-left, ls, lp)
			c.RIP = blk.Addr + uint64(f.off)
			return c.runAlone(blk, int(f.idx))
		}
		if next != blk.Addr {
			nb := c.follow(blk, next, end)
			if nb == nil {
				c.RIP = next
				break
			}
			blk = nb
		}
		if blk.n > left || c.Now+blk.cost > c.p.Until {
			c.RIP = next
			c.cur = cursor{blk, 0}
			break
		}
	}
	c.settleCounts(limit-left, ls, lp)
	return 0, false
}

// runAlone executes op i of blk and nothing else. A load or locked RMW whose
// line is elsewhere waits for it on the spot.
func (c *Core) runAlone(blk *Block, i int) (Stop, bool) {
	f := &blk.solo[2*i]
	_, next, end := c.fastOps(f)
	var stall mem.Cycles
	if end == fastBail {
		var ok bool
		if stall, ok = c.warm(&blk.Ops[i], f); !ok {
			return c.stepOp(blk, i)
		}
		_, next, end = c.fastOps(f)
	}
	if end == fastBail { // not for want of its line alone; what it waited stays counted
		c.Now += stall
		c.Delay += stall
		return c.stepOp(blk, i)
	}
	o := &blk.Ops[i]
	n := &c.Count
	n.Instructions++
	n.Loads += uint64(o.nl)
	n.Stores += uint64(o.ns)
	n.Locked += uint64(o.nk)
	n.Pauses += uint64(o.np)
	c.Now += mem.Cycles(o.cost) + stall
	c.Delay += stall
	c.RIP = next
	c.cur = cursor{blk, i + 1}
	return 0, false
}

// giveBack takes back the charge for op i of blk and those behind it, and
// returns how many instructions that are.
func (c *Core) giveBack(blk *Block, i int, ls, lp *uint64) uint64 {
	for k := i; k < len(blk.Ops); k++ {
		o := &blk.Ops[k]
		c.Now -= mem.Cycles(o.cost)
		*ls -= uint64(o.nl) + uint64(o.ns)<<32
		*lp -= uint64(o.nk) + uint64(o.np)<<32
	}
	return uint64(len(blk.Ops) - i)
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

// follow finds the block at rip behind blk, or nil if it must be decoded.
func (c *Core) follow(blk *Block, rip uint64, end fastEnd) *Block {
	link := &blk.fall
	if end == fastJump {
		link = &blk.taken
	}
	nb := *link
	if nb == nil || nb.Addr != rip {
		nb = c.Code.table[slot(rip)]
		if nb == nil || nb.Addr != rip {
			return nil
		}
		*link = nb
	}
	if !nb.valid() {
		return nil
	}
	return nb
}

// warm brings the line of o's operand here if that is what made its fast form
// fail, and returns the stall.
func (c *Core) warm(o *Op, f *fop) (mem.Cycles, bool) {
	locked := o.Flag&opLock != 0
	switch {
	case f.alone == fStep || !locked && o.ns != 0 || o.nl == 0:
		return 0, false
	case o.Mn == POP || o.Mn == RET:
		return c.p.Warm(c.R[RSP], 8, false)
	case o.Mn == LEAVE:
		return c.p.Warm(c.R[RBP], 8, false)
	}
	return c.p.Warm(c.R[f.base&31]+c.R[f.index&31]*f.scale+f.disp, uint64(f.w), locked)
}
