package cpu

import "spinlab/mem"

// Loops that only look: PAUSE, loads, compares and moves, and maybe a register
// that counts. When such a loop comes round to its start as it was the last time,
// with no line lost on the way, it will do so again, and again, until somebody
// takes one of its lines: so its turns need not be executed to know what they
// come to. Turns are skipped as a whole, and if a register counts, the last one
// is executed, because flags follow the counter.

const (
	maxSpin = 64 // most instructions of a turn

	// maxMisses is how often in a row a loop may come round without being known to
	// repeat itself, before nobody looks any more: it computes something.
	maxMisses = 250
)

// lap is where a core last came round a loop, and what the turn before that came
// to.
type lap struct {
	blk   *Block // at whose start the loop begins
	count Counters
	slow  uint64 // instructions that took their handler
	now   mem.Cycles
	delay mem.Cycles
	seen  mem.Seen
	regs  [16]uint64
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

// tour runs the turn of n instructions that begins where c stands, on a copy of
// it, as long as visit likes its ops, and says whether it comes round. Lines must
// be here: nothing is moved.
func (c *Core) tour(p *mem.Port, n uint64, visit func(i uint64, f *fop) bool) bool {
	k := *c
	k.Pause, k.OnProbe, k.Skips = PauseLoop{}, nil, false
	for i := range n {
		f := k.here()
		if f == nil || !looks(f.alone) || !visit(i, f) {
			return false
		}
		if f.access == reads && p.ReadWord(k.R[f.base&31]+k.R[f.index&31]*f.scale+f.disp, uint64(f.w)) == nil {
			return false
		}
		if p.Quiet() && k.Turn(p) == Stands || !p.Quiet() && k.TurnBeside(p) == Stands {
			return false
		}
	}
	return k.RIP == c.RIP
}

// trace describes the loop of n instructions that begins where c stands, nil if
// it does more than look.
func (c *Core) trace(p *mem.Port, n uint64) *spinLoop {
	s := &spinLoop{code: p.M.CodeVersion()}
	if !c.tour(p, n, func(_ uint64, f *fop) bool { s.add(f); return true }) {
		return nil
	}
	s.describe()
	return s
}

// follows says whether the next turn runs the ops of s.
func (c *Core) follows(p *mem.Port, s *spinLoop) bool {
	return c.tour(p, s.n(), func(i uint64, f *fop) bool { return f == s.ops[i] })
}

// round is to be told whenever c has come to the start of blk by a jump back. It
// finds out what loop that is, and whether its turns are alike.
func (c *Core) round(p *mem.Port, blk *Block) {
	e, s := c.lap, blk.spin
	if s != nil && s.code != p.M.CodeVersion() {
		blk.spin, s = nil, nil
	}
	seen, n := p.Seen(), c.Count.Instructions-e.count.Instructions
	quiet := e.blk == blk && e.seen == seen && e.delay == c.Delay && e.slow == c.slow &&
		e.count.Stores == c.Count.Stores && e.count.Locked == c.Count.Locked
	was := e.turn
	e.turn, e.turns = 0, 0
	blk.misses++
	switch {
	case !quiet:
	case s == nil && n <= maxSpin && p.B.N == 0:
		blk.spin = c.trace(p, n)
	case s != nil && s.matches(&e.count, &c.Count) && c.Now-e.now == s.pre.cost:
		if turns, same := c.repeats(s); same && (was != 0 || s.counts == 0 || c.follows(p, s)) {
			blk.misses = 0
			if turns = min(turns, c.spinPauses(s)); turns != 0 {
				e.turn, e.turns = s.pre.cost, turns
			}
		}
	}
	if blk.misses == maxMisses {
		blk.spin, blk.works = nil, true
	}
	e.note(c, blk, seen)
}

// matches says whether what was counted since may have been a turn of s. One that
// takes longer than s was interrupted: whoever ran on the pCPU meanwhile may have
// written without a line being lost.
func (s *spinLoop) matches(was, is *Counters) bool {
	return is.Instructions-was.Instructions == s.n() && is.Loads-was.Loads == s.loads() && is.Pauses-was.Pauses == s.pauses()
}

// note remembers where c is.
func (e *lap) note(c *Core, blk *Block, seen mem.Seen) {
	e.blk, e.count, e.slow, e.now, e.delay, e.seen = blk, c.Count, c.slow, c.Now, c.Delay, seen
	e.lz, e.flags, e.regs = c.lz, c.Flags, [16]uint64(c.R[:16])
	if c.Pause.On {
		e.pause = c.Pause
	}
}

// repeats compares the core with its last lap: same says that nothing has changed
// but counters, turns for how long their flags stay. Only what runs on the fast
// path was executed since, so nothing else of the state can have changed.
func (c *Core) repeats(s *spinLoop) (turns uint64, same bool) {
	e := c.lap
	if s.counts == 0 {
		return alike, e.lz == c.lz && e.flags == c.Flags && e.regs == [16]uint64(c.R[:16])
	}
	for r := range e.regs {
		if s.counts>>r&1 == 0 && e.regs[r] != c.R[r] {
			return 0, false
		}
	}
	turns = alike
	for i := range s.counters {
		k := &s.counters[i]
		if c.R[k.reg] != (e.regs[k.reg]+k.step)&widthMask[k.w] {
			return 0, false
		}
		turns = min(turns, k.room(&c.R))
	}
	return turns, true
}

// spinPauses is for how many turns the loop's PAUSEs do as they did in the last
// one, under the pause-loop rule.
func (c *Core) spinPauses(s *spinLoop) uint64 {
	e, l, turn := c.lap, &c.Pause, s.pre.cost
	e.first, e.left = 0, 0
	if s.pauses() == 0 || !l.On || !l.Filter && c.CPL != 0 {
		return alike
	}
	was := &e.pause
	if l.Last-was.Last != turn || was.Fresh || l.Fresh {
		return 0
	}
	if l.Filter {
		if e.left = was.Left - l.Left; e.left == 0 {
			return alike
		} else if uint64(e.left) != s.pauses() {
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
	if e := c.lap; e.blk == blk && e.count.Instructions == count && e.now == c.Now && e.turn != 0 && e.seen == p.Seen() {
		return e.turns
	}
	return 0
}

// skip carries c forward by n turns of the loop that spins told of, of which it
// counts everything.
func (c *Core) skip(blk *Block, n uint64) {
	e, s := c.lap, blk.spin
	d := n * e.turn
	c.Now += d
	c.settleCounts(n*s.n(), n*s.pre.ls, n*s.pre.lp)
	if s.pauses() != 0 && c.Pause.On {
		if c.Pause.Filter || c.CPL == 0 {
			c.Pause.Last += d
		}
		c.Pause.First += n * e.first
		c.Pause.Left -= uint32(n) * e.left
		e.pause = c.Pause
	}
	for i := range s.counters {
		k := &s.counters[i]
		v := (c.R[k.reg] + n*k.step) & widthMask[k.w]
		c.R[k.reg], e.regs[k.reg] = v, v
	}
	e.count, e.now = c.Count, c.Now
	if e.turns != alike {
		e.turns -= n
	}
}

// CatchUp executes what c, which stands where Spinning looked and was left alone,
// would have executed since: everything that starts before until, which must be
// before the time that Spinning gave.
func (c *Core) CatchUp(p *mem.Port, until mem.Cycles) {
	e, blk := c.lap, c.cur.head.blk
	n := (until - c.Now) / e.turn
	if len(blk.spin.counters) != 0 && n != 0 {
		n-- // the flags follow the counter: the last one is executed
	}
	if n != 0 {
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
	if c.cur.head == nil || c.cur.head.blk.works {
		return 0
	}
	blk := c.cur.head.blk
	if p.B.N != 0 && (blk.spin == nil || blk.spin.loads() != 0) {
		return 0
	}
	c.round(p, blk)
	if c.lap.turn == 0 {
		return 0
	}
	return c.Now + c.lap.turns*c.lap.turn
}
