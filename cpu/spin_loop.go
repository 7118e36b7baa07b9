package cpu

import (
	"slices"

	"spinlab/mem"
)

// What a loop that only looks is: its ops, what they come to, and its counters.

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

// op is what f was made from.
func (f *fop) op() *Op { return &f.blk.Ops[f.idx] }

// looks says whether an op of that kind neither stores nor goes anywhere but
// ahead or to a fixed target.
func looks(k uint16) bool {
	return k >= fNop && k <= fLoadSX || k >= fAdd && k <= fTestMem || k >= fShl && k <= fCmov || isJcc(k) || k == fJmp || k == fPause
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
