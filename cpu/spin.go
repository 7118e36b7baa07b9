package cpu

import (
	"slices"

	"spinlab/mem"
)

// Loops that only look: PAUSE, loads, compares and moves, and maybe a register
// that counts. When such a loop comes round to its start as it was the last time,
// with no line lost on the way, it will do so again, and again, until somebody
// takes one of its lines: so its turns need not be executed to know what they
// come to. Turns are skipped as a whole, and if a register counts, the last one
// is executed, because flags follow the counter.

// spinLoop is what is known of such a loop once and for all. A turn of it is the
// first Block.turn ops of its block.
type spinLoop struct {
	regs     []uint8 // registers that a turn writes, the counters left out
	counters []counter
	pauses   uint64
	loads    uint64
	misses   uint8 // how often in a row it came round changed
}

// counter is a register that every turn adds the same to, and that is otherwise
// only compared.
type counter struct {
	reg  uint8
	w    uint8  // its width in bytes, 4 or 8; a turn clears what is above
	step uint64 // what a turn adds, modulo its width
	with []*fop // the compares
}

// maxSpinRegs bounds the registers that a core remembers of a loop.
const maxSpinRegs = 6

// maxMisses is how often a loop may come round changed, though it lost no line
// and waited for none, before nobody looks any more: it computes something.
const maxMisses = 16

// lap is where a core last came round a loop that only looks, and what the turn
// before that came to.
type lap struct {
	blk   *Block
	count uint64 // instructions that had retired
	now   mem.Cycles
	delay mem.Cycles
	seen  mem.Seen
	regs  [maxSpinRegs]uint64
	lz    lazy
	flags uint64
	pause PauseLoop

	turn  mem.Cycles // what a turn takes, 0: not known that turns are alike
	turns uint64     // how many more turns are alike
	first mem.Cycles // what a turn adds to PauseLoop.First
	left  uint32     // and takes from PauseLoop.Left
}

// alike is the number of turns of a loop without an end. It is small enough for
// products with what a turn takes.
const alike = 1 << 32

// markSpin looks whether b, which loops, only looks.
func markSpin(b *Block) {
	s := &spinLoop{}
	writes := map[uint8]int{}
	for i := range b.Ops[:b.turn] {
		o, k := &b.Ops[i], b.solo[i].alone
		if !looks(k) {
			return
		}
		s.pauses += uint64(o.np)
		s.loads += uint64(o.nl)
		if d := o.Args[0]; d.Kind == ArgReg && k != fCmp && k != fTest && k != fCmpHigh && k != fCmpLoad {
			writes[d.Reg]++
		}
	}
	forgets := b.forgetsFlags()
	for r := uint8(0); r < 16; r++ {
		switch c, ok := b.counter(r, writes); {
		case ok && forgets:
			s.counters = append(s.counters, c)
		case writes[r] != 0:
			s.regs = append(s.regs, r)
		}
	}
	if len(s.regs)+len(s.counters) <= maxSpinRegs {
		b.spin = s
		b.solo[b.turn-1].self = 1
	}
}

// looks says whether an op of that kind neither stores nor goes anywhere but
// ahead or to a fixed target.
func looks(k uint16) bool {
	return k >= fNop && k <= fLoadSX || k >= fAdd && k <= fTestMem || k >= fShl && k <= fCmov || isJcc(k) || k == fJmp || k == fPause
}

// forgetsFlags says whether a turn of b's loop looks only at flags that it has
// set itself, and never at PF, which follows a counter at every turn.
func (b *Block) forgetsFlags() bool {
	var set uint64
	for i := range b.Ops[:b.turn] {
		o, k := &b.Ops[i], b.solo[i].alone
		reads := Rows[o.Mn].Reads & arithFlags
		if isJcc(k) || k == fSet || k == fCmov {
			reads = condFlags[o.Cond>>1&7]
		}
		if reads&^set != 0 || reads&PF != 0 {
			return false
		}
		switch {
		case k == fInc || k == fDec:
			set |= arithFlags &^ CF
		case Rows[o.Mn].Writes == arithFlags:
			set = arithFlags
		}
	}
	return true
}

// condFlags are what the eight pairs of conditions look at (SDM vol. 1, appendix B).
var condFlags = [8]uint64{OF, CF, ZF, CF | ZF, SF, PF, SF | OF, SF | OF | ZF}

// counter describes register r of b's loop if it is one: one op adds a constant
// to it, compares with what no turn changes look at it, and nothing else does.
func (b *Block) counter(r uint8, writes map[uint8]int) (c counter, ok bool) {
	if writes[r] != 1 {
		return c, false
	}
	c.reg = r
	for i := range b.Ops[:b.turn] {
		if f := &b.solo[i]; b.Ops[i].touches(r) && !c.takes(f, writes) {
			return c, false
		}
	}
	return c, c.w != 0 && !slices.ContainsFunc(c.with, func(f *fop) bool { return f.w != c.w })
}

// touches says whether r is an operand of o, or part of its address.
func (o *Op) touches(r uint8) bool {
	for _, a := range o.Args {
		if a.Kind == ArgReg && a.Reg == r || a.Kind == ArgMem && (o.Base == r || o.Index == r) {
			return true
		}
	}
	return false
}

// takes notes what an op that touches the counter does with it, unless it does
// more than a counter may have done to it.
func (c *counter) takes(f *fop, writes map[uint8]int) bool {
	switch f.alone {
	case fCmp:
		c.with = append(c.with, f)
		return f.dst == c.reg && f.src != c.reg && writes[f.src] == 0
	case fTest: // against itself: like a compare with 0
		c.with = append(c.with, f)
		return f.dst == c.reg && f.src == c.reg
	case fInc:
		c.step, c.w = 1, f.w
	case fDec:
		c.step, c.w = ^uint64(0), f.w
	case fAdd:
		c.step, c.w = f.imm, f.w
	case fSub:
		c.step, c.w = -f.imm, f.w
	default:
		return false
	}
	c.step &= f.mask
	return f.dst == c.reg && (f.src == regZero || f.alone == fInc || f.alone == fDec)
}

// room is for how many turns c's flags and those of its compares stay as they
// are, PF and AF left aside: as long as neither the counter nor its distance
// from what it is compared with comes to 0, passes it, or changes its sign.
func (c *counter) room(r *[numRegs]uint64) uint64 {
	v := r[c.reg]
	n := c.away(v)
	for _, f := range c.with {
		if f.alone == fCmp {
			n = min(n, c.away(v-(r[f.src&31]+f.imm)))
		}
	}
	return n
}

// away is for how many turns v, which steps like c, stays in its range: what is
// positive, or what is negative.
func (c *counter) away(v uint64) uint64 {
	top := uint64(1) << (c.w*8 - 1)
	v &= top<<1 - 1
	lo, hi := uint64(1), top-1
	if v >= top {
		lo, hi = top, top<<1-1
	}
	step := int64(signExtend(c.step, c.w))
	switch {
	case v == 0:
		return 0
	case step > 0:
		return (hi - v) / uint64(step)
	case step < 0:
		return (v - lo) / -uint64(step)
	}
	return alike
}

// round is to be told whenever c has come round the loop of blk, count
// instructions having retired. It works out whether turns are alike.
func (c *Core) round(p *mem.Port, blk *Block, count uint64) {
	e, s := &c.lap, blk.spin
	seen, turn := p.Seen(), c.Now-e.now
	// A turn that took longer was interrupted: whoever ran on this pCPU meanwhile
	// may have written without a line being lost.
	quiet := e.blk == blk && count-e.count == blk.turn && e.seen == seen && e.delay == c.Delay && turn == blk.pre[blk.turn].cost
	turns, same := c.repeats(s)
	if e.turn, e.turns = 0, 0; quiet && same {
		if turns = min(turns, c.spinPauses(s, turn)); turns != 0 {
			e.turn, e.turns = turn, turns
		}
		s.misses = 0
	} else if quiet {
		if s.misses++; s.misses == maxMisses {
			blk.spin, blk.solo[blk.turn-1].self = nil, 0
		}
	}
	e.blk, e.count, e.now, e.delay, e.seen = blk, count, c.Now, c.Delay, seen
	if s.pauses != 0 {
		e.pause = c.Pause
	}
}

// repeats compares the core with its last lap, and notes what it is now: same
// says that nothing has changed but counters, turns for how long their flags stay.
func (c *Core) repeats(s *spinLoop) (turns uint64, same bool) {
	e := &c.lap
	turns, same = alike, true
	if len(s.counters) == 0 {
		same = e.lz == c.lz && e.flags == c.Flags
		e.lz, e.flags = c.lz, c.Flags
	}
	for i, r := range s.regs {
		same = same && e.regs[i] == c.R[r]
		e.regs[i] = c.R[r]
	}
	for i := range s.counters {
		k := &s.counters[i]
		v, was := c.R[k.reg], &e.regs[len(s.regs)+i]
		same = same && v == (*was+k.step)&widthMask[k.w]
		*was = v
		turns = min(turns, k.room(&c.R))
	}
	return turns, same
}

// spinPauses is for how many turns the loop's PAUSEs do as they did in the last
// one, under the pause-loop rule.
func (c *Core) spinPauses(s *spinLoop, turn mem.Cycles) uint64 {
	e, l := &c.lap, &c.Pause
	e.first, e.left = 0, 0
	if s.pauses == 0 || !l.On || !l.Filter && c.CPL != 0 {
		return alike
	}
	was := &e.pause
	if l.Last-was.Last != turn || was.Fresh || l.Fresh {
		return 0
	}
	if l.Filter {
		if e.left = was.Left - l.Left; e.left == 0 {
			return alike
		} else if uint64(e.left) != s.pauses {
			return 0
		}
		return uint64(l.Left / e.left)
	}
	switch e.first = l.First - was.First; {
	case e.first == turn: // every turn is a loop of its own
		return alike
	case e.first != 0:
		return 0
	}
	return (l.Window - (l.Last - l.First)) / turn
}

// spins is how many turns of the loop of blk, at whose start c stands having
// retired count instructions, are known to be alike from here on.
func (c *Core) spins(p *mem.Port, blk *Block, count uint64) uint64 {
	if e := &c.lap; e.blk == blk && e.count == count && e.now == c.Now && e.turn != 0 && e.seen == p.Seen() {
		return e.turns
	}
	return 0
}

// skip carries c forward by n turns of the loop that spins told of. What they
// count as is left to the caller.
func (c *Core) skip(blk *Block, n uint64) {
	e, s := &c.lap, blk.spin
	d := n * e.turn
	c.Now += d
	if s.pauses != 0 {
		if c.Pause.On && (c.Pause.Filter || c.CPL == 0) {
			c.Pause.Last += d
		}
		c.Pause.First += n * e.first
		c.Pause.Left -= uint32(n) * e.left
		e.pause = c.Pause
	}
	for i := range s.counters {
		k := &s.counters[i]
		v := (c.R[k.reg] + n*k.step) & widthMask[k.w]
		c.R[k.reg], e.regs[len(s.regs)+i] = v, v
	}
	e.count += n * blk.turn
	e.now = c.Now
	if e.turns != alike {
		e.turns -= n
	}
}

// CatchUp executes what c, which stands where Spinning looked and was left alone,
// would have executed since: everything that starts before until, which must be
// before the time that Spinning gave.
func (c *Core) CatchUp(p *mem.Port, until mem.Cycles) {
	e, blk := &c.lap, c.cur.head.blk
	n := (until - c.Now) / e.turn
	if len(blk.spin.counters) != 0 && n != 0 {
		n-- // the flags follow the counter: the last one is executed
	}
	if n != 0 {
		t := &blk.pre[blk.turn]
		c.settleCounts(n*blk.turn, n*t.ls, n*t.lp)
		c.skip(blk, n)
	}
	for c.Now < until {
		if c.Turn(p) == Stands {
			c.Run(p, Budget{Until: until})
		}
	}
}

// Spinning says until when a core that has just come round a loop, as Turn tells,
// does nothing but go round again, if no line that it reads is taken from p: 0 if
// that is not known.
func (c *Core) Spinning(p *mem.Port) mem.Cycles {
	if c.cur.head == nil || c.cur.head.blk.spin == nil {
		return 0
	}
	blk := c.cur.head.blk
	if p.B.N != 0 && blk.spin.loads != 0 {
		return 0
	}
	c.round(p, blk, c.Count.Instructions)
	if c.lap.turn == 0 {
		return 0
	}
	return c.Now + c.lap.turns*c.lap.turn
}
