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
	left := last - c.Count.Instructions
	if i != 0 || !c.p.Quiet() || !c.fits(blk, last) {
		return c.runAlone(blk, i, last)
	}
	left = min(left, fastChunk)
	limit := left
	var ls, lp uint64
	for {
		turns := uint64(1)
		switch {
		case c.Skips && blk.spin != nil:
			n := c.skipTurns(blk, limit-left, left) * blk.spin.n()
			limit, left = limit-n, left-n // they are counted
		case blk.turn != 0 && (!c.Skips || blk.works):
			turns = c.turns(blk, left)
		}
		f, to, end, rest := c.fastOps(c.p, &blk.fast[0], turns)
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
			c.RIP = f.addr
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
		if c.Skips && end == fastJump && to <= f.addr && !blk.works {
			c.settleCounts(limit-left, ls, lp)
			limit, ls, lp = left, 0, 0
			c.RIP = to
			c.standAt(blk.head)
			c.round(c.p, blk)
		}
		if blk.n > left || c.Now+blk.cost() > c.p.Until {
			c.RIP = to
			c.standAt(blk.head)
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

// skipTurns carries c, at the start of the loop of blk with done instructions to be
// counted, over turns that are alike and fit the budget of left instructions. It
// returns how many. Behind them the whole of blk, and one more turn, still fit.
func (c *Core) skipTurns(blk *Block, done, left uint64) uint64 {
	n := c.spins(c.p, blk, c.Count.Instructions+done)
	if n == 0 {
		return 0
	}
	s := blk.spin
	if len(s.counters) != 0 {
		n-- // the flags follow the counter: the last one is executed
	}
	least := max(blk.n, s.n())
	if left < least || c.p.Until-c.Now < max(blk.cost(), s.pre.cost) {
		return 0
	}
	n = min(n, (left-least)/s.n(), (c.p.Until-c.Now-max(blk.cost(), s.pre.cost))/c.lap.turn)
	if n != 0 {
		c.skip(blk, n)
	}
	return n
}

// fits says whether the whole of blk is within the budget.
func (c *Core) fits(blk *Block, last uint64) bool {
	return blk.n <= last-c.Count.Instructions && c.Now+blk.cost() <= c.p.Until
}

// runAlone executes ops one by one from op i of blk on, as long as the budget
// lasts, everything goes smoothly, and no whole block fits.
func (c *Core) runAlone(blk *Block, i int, last uint64) (Stop, bool) {
	for c.standAt(&blk.solo[i]); ; {
		did := Stands
		if c.p.Quiet() {
			did = c.Turn(c.p)
		} else {
			did = c.TurnBeside(c.p)
		}
		switch did {
		case Stands:
			if f := c.here(); f != nil {
				return c.stepOp(f.blk, int(f.idx))
			}
			return 0, false
		case Around:
			if c.Skips {
				c.Spinning(c.p)
			}
		}
		if c.Count.Instructions >= last || c.Now >= c.p.Until {
			return 0, false // Run says which
		}
		if k := &c.cur; k.off == 0 && k.head != nil && c.p.Quiet() && c.fits(k.head.blk, last) {
			return 0, false
		}
	}
}

// Turned says what a Turn has done.
type Turned uint8

// The ends of a Turn.
const (
	Stands Turned = iota // nothing
	Moved                // one instruction
	Around               // one that jumps back: a loop may begin there
)

// Turn executes one instruction of a core that has run on p before, if nothing
// at all is special about it. If it Stands, nothing has been done, and a Run with
// Budget.Retire 1 does the same and whatever else is due.
// It is the way of a driver that changes cores at nearly every instruction. A
// driver that changes the core's State or Plain by hand calls Arrived.
//
// It stays small enough to be inlined. While something is buffered on p it
// Stands; TurnBeside is for that.
func (c *Core) Turn(p *mem.Port) Turned {
	_, _, _, did := c.fastOps(p, nil, 0)
	return Turned(did)
}

// TurnBeside is Turn while something is buffered on p: the op runs as if nothing
// were, if it touches registers only, or loads what no buffered store writes
// before any of them commits.
func (c *Core) TurnBeside(p *mem.Port) Turned {
	f := c.here()
	if f == nil || !f.blk.committed(p) || f.access == writes ||
		f.access == reads && !p.Beside(c.R[f.base&31]+c.R[f.index&31]*f.scale+f.disp, c.Now) {
		return Stands
	}
	n := p.B.N
	p.B.N = 0 // which is what Ready looks at
	did := c.Turn(p)
	p.B.N = n
	return did
}

// jumped moves the cursor to where f went, and returns f.
func (c *Core) jumped(f *fop, to uint64) *fop {
	if nb := c.follow(f, to); nb != nil {
		c.standAt(nb.head)
	} else {
		c.cur = cursor{}
	}
	return f
}

// cross moves the cursor from the end of a block to the next one, nil if that
// must be decoded.
func (c *Core) cross(end *fop) *fop {
	c.jumped(end, end.addr)
	return c.cur.head
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

// refill gets the line of f's operand for the fast switch. In the middle of a
// block only what is here already counts; an op that runs alone waits for a line
// that is elsewhere, as its handler would.
// Like callOp it hands its arguments back, and fastNext or fastBail.
func (c *Core) refill(p *mem.Port, f *fop, turns uint64) (*fop, uint64, fastEnd) {
	if f.access == noAccess {
		return f, turns, fastBail
	}
	a := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
	how := mem.InPlace
	if turns == 0 {
		how = f.how
	}
	var stall mem.Cycles
	var ok bool
	if f.access == reads {
		stall, ok = p.ReadRefill(a, uint64(f.w), how, c.Now)
	} else {
		stall, ok = p.WriteRefill(a, uint64(f.w), how, c.Now)
	}
	if !ok {
		return f, turns, fastBail
	}
	c.Now += stall
	c.Delay += stall
	return f, turns, fastNext
}
