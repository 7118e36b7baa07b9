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

// spinLoop is what is known of such a loop once and for all.
type spinLoop struct {
	ops      []*fop // of a turn, in the order in which they run
	pre      tally  // what they come to
	counters []counter
	counts   uint16 // their registers, a bit each
	code     uint64 // Memory.CodeVersion when that was found out
}

func (s *spinLoop) n() uint64      { return uint64(len(s.ops)) }
func (s *spinLoop) loads() uint64  { return s.pre.ls & 0xffffffff }
func (s *spinLoop) pauses() uint64 { return s.pre.lp >> 32 }

// counter is a register that every turn adds the same to, and that is otherwise
// only compared.
type counter struct {
	reg  uint8
	w    uint8  // its width in bytes, 4 or 8; a turn clears what is above
	step uint64 // what a turn adds, modulo its width
	with []*fop // the compares
}

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

// op is what f was made from.
func (f *fop) op() *Op { return &f.blk.Ops[f.idx] }

// looks says whether an op of that kind neither stores nor goes anywhere but
// ahead or to a fixed target.
func looks(k uint16) bool {
	return k >= fNop && k <= fLoadSX || k >= fAdd && k <= fTestMem || k >= fShl && k <= fCmov || isJcc(k) || k == fJmp || k == fPause
}

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

func (s *spinLoop) add(f *fop) {
	s.ops = append(s.ops, f)
	o := f.op()
	s.pre.cost += mem.Cycles(o.cost)
	s.pre.ls += uint64(o.nl) + uint64(o.ns)<<32
	s.pre.lp += uint64(o.nk) + uint64(o.np)<<32
}

// describe finds the counters.
func (s *spinLoop) describe() {
	var writes [numRegs]uint8
	for _, f := range s.ops {
		if d, k := f.op().Args[0], f.alone; d.Kind == ArgReg && k != fCmp && k != fTest && k != fCmpHigh && k != fCmpLoad {
			writes[d.Reg]++
		}
	}
	for r := uint8(0); r < 16 && s.forgetsFlags(); r++ {
		if c, ok := s.counter(r, &writes); ok {
			s.counters = append(s.counters, c)
			s.counts |= 1 << r
		}
	}
}

// forgetsFlags says whether a turn looks only at flags that it has set itself,
// and never at PF, which follows a counter at every turn.
func (s *spinLoop) forgetsFlags() bool {
	var set uint64
	for _, f := range s.ops {
		o, k := f.op(), f.alone
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

// counter describes register r of the loop if it is one: one op adds a constant
// to it, compares with what no turn changes look at it, and nothing else does.
func (s *spinLoop) counter(r uint8, writes *[numRegs]uint8) (c counter, ok bool) {
	if writes[r] != 1 {
		return c, false
	}
	c.reg = r
	for _, f := range s.ops {
		if f.op().touches(r) && !c.takes(f, writes) {
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
func (c *counter) takes(f *fop, writes *[numRegs]uint8) bool {
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
