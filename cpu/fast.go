package cpu

import (
	"unsafe"

	"spinlab/mem"
)

// fastEnd says how a fastOps ended.
type fastEnd uint8

const (
	fastNext fastEnd = iota // behind the last op of the block
	fastJump                // by a taken branch
	fastTurn                // the one op that was to run is done
	fastBail                // the op could not run; nothing of it has been done
)

// next is the op behind f. It cannot leave the block: the last fop is fEnd, which
// returns.
func next(f *fop) *fop { return (*fop)(unsafe.Add(unsafe.Pointer(f), unsafe.Sizeof(*f))) }

// first is the op at the start of f's array.
func (f *fop) first() *fop {
	return (*fop)(unsafe.Add(unsafe.Pointer(f), -int(unsafe.Sizeof(*f))*int(f.idx)))
}

// fastOps executes ops from f on, the first of a block, as long as everything
// goes smoothly. A branch back to the block's own start is followed here while
// turns, which counts it down, is above 1. fastOps returns the last op that it
// looked at, where to go on, and the turns left.
//
// With turns 0 it executes the one op at the cursor, if nothing at all is special
// about it, and does all that is due when an instruction retires. It is the same
// switch: a driver that changes cores at every instruction pays for one call.
//
// This is the hot loop of the whole program and one switch on purpose: no
// allocation, and no call on the common paths that the compiler does not
// inline. The op pointer walks the block by unsafe.Add, since an index would
// cost three instructions for every field that is read.
func (c *Core) fastOps(p *mem.Port, f *fop, turns uint64) (last *fop, to uint64, end fastEnd, left uint64) {
	_, _ = *c, *p // no checks for nil below
	if turns == 0 {
		f = c.cur.f
		if f == nil || f.addr != c.RIP || !p.Ready(c.cur.seen) || c.Step || c.Plain || c.Shadow != NoShadow || c.Flags&(TF|AC) != 0 {
			return f, 0, fastBail, 0
		}
		c.keepCarry()
	}
again:
	switch f.kind {
	case fNop:
	case fMov:
		c.R[f.dst&31] = (c.R[f.src&31] + f.imm) & f.mask
	case fMovHigh:
		c.R[f.dst&31] = c.R[f.src&31] >> 8 & 0xff
	case fMovSX:
		c.R[f.dst&31] = signExtend(c.R[f.src&31], f.w) & f.mask
	case fLea:
		c.R[f.dst&31] = (c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp) & f.mask
	case fLoad:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		v := *w >> (at & 7 * 8) & f.mask
		c.R[f.dst&31] = v
	case fLoad64:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.ReadWord(at, 8)
		if w == nil {
			goto bail
		}
		c.R[f.dst&31] = *w
	case fLoadSX:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		c.R[f.dst&31] = signExtend(*w>>(at&7*8), f.w) & f.mask
	case fStore:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		*w = *w&^(f.mask<<sh) | (c.R[f.src&31]+f.imm)&f.mask<<sh
	case fStore64:
		w := p.WriteWord(c.R[f.base&31]+c.R[f.index&31]*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*w = c.R[f.src&31] + f.imm
	case fAdd:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.R[f.dst&31] = (a + b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, (a+b)&f.mask < a
	case fSub:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.R[f.dst&31] = (a - b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
	case fAnd:
		v := c.R[f.dst&31] & (c.R[f.src&31] + f.imm) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
	case fOr:
		v := (c.R[f.dst&31] | (c.R[f.src&31] + f.imm)) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
	case fXor:
		v := (c.R[f.dst&31] ^ (c.R[f.src&31] + f.imm)) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
	case fAddQuiet:
		c.R[f.dst&31] = (c.R[f.dst&31] + c.R[f.src&31] + f.imm) & f.mask
	case fSubQuiet:
		c.R[f.dst&31] = (c.R[f.dst&31] - (c.R[f.src&31] + f.imm)) & f.mask
	case fAndQuiet:
		c.R[f.dst&31] = c.R[f.dst&31] & (c.R[f.src&31] + f.imm) & f.mask
	case fOrQuiet:
		c.R[f.dst&31] = (c.R[f.dst&31] | (c.R[f.src&31] + f.imm)) & f.mask
	case fAddWhole:
		c.R[f.dst&31] += c.R[f.src&31]
	case fSubWhole:
		c.R[f.dst&31] -= c.R[f.src&31]
	case fAndWhole:
		c.R[f.dst&31] &= c.R[f.src&31]
	case fOrWhole:
		c.R[f.dst&31] |= c.R[f.src&31]
	case fXorWhole:
		c.R[f.dst&31] ^= c.R[f.src&31]
	case fXorQuiet:
		c.R[f.dst&31] = (c.R[f.dst&31] ^ (c.R[f.src&31] + f.imm)) & f.mask
	case fInc:
		a := c.R[f.dst&31] & f.mask
		c.R[f.dst&31] = (a + 1) & f.mask
		c.lz.a, c.lz.kw = a, f.kw
	case fDec:
		a := c.R[f.dst&31] & f.mask
		c.R[f.dst&31] = (a - 1) & f.mask
		c.lz.a, c.lz.kw = a, f.kw
	case fCmp:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
	case fTest:
		v := c.R[f.dst&31] & (c.R[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
	case fCmpLoad:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		b := *w >> (at & 7 * 8) & f.mask
		a := c.R[f.dst&31] & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
	case fCmpMem:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		a := *w >> (at & 7 * 8) & f.mask
		b := (c.R[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
	case fTestMem:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		m := *w >> (at & 7 * 8) & f.mask
		v := m & (c.R[f.src&31] + f.imm)
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
	case fAddMem:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		a, b := *w>>sh&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		*w = *w&^(f.mask<<sh) | (a+b)&f.mask<<sh
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, (a+b)&f.mask < a
	case fIncMem:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		a := *w >> sh & f.mask
		*w = *w&^(f.mask<<sh) | (a+1)&f.mask<<sh
		c.lz.a, c.lz.kw = a, f.kw
	case fXadd:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		a, b := *w>>sh&f.mask, c.R[f.src&31]&f.mask
		*w = *w&^(f.mask<<sh) | (a+b)&f.mask<<sh
		c.R[f.src&31] = c.R[f.src&31]&^f.imm | a
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, (a+b)&f.mask < a
	case fXaddQuiet:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		a, b := *w>>sh&f.mask, c.R[f.src&31]&f.mask
		*w = *w&^(f.mask<<sh) | (a+b)&f.mask<<sh
		c.R[f.src&31] = c.R[f.src&31]&^f.imm | a
	case fPush:
		w := p.WriteWord(c.R[RSP]-8, 8)
		if w == nil {
			goto bail
		}
		*w = c.R[f.dst&31]
		c.R[RSP] -= 8
	case fPop:
		w := p.ReadWord(c.R[RSP], 8)
		if w == nil {
			goto bail
		}
		v := *w
		c.R[RSP] += 8
		c.R[f.dst&31] = v
	case fLeave:
		w := p.ReadWord(c.R[RBP], 8)
		if w == nil {
			goto bail
		}
		c.R[RSP], c.R[RBP] = c.R[RBP]+8, *w
	case fJmp:
		goto taken
	case fJmpReg:
		if to = c.R[f.dst&31]; !canonical(to) {
			goto bail
		}
		goto jump
	case fCall:
		w := p.WriteWord(c.R[RSP]-8, 8)
		if w == nil {
			goto bail
		}
		*w = next(f).addr
		c.R[RSP] -= 8
		goto taken
	case fRet:
		w := p.ReadWord(c.R[RSP], 8)
		if w == nil {
			goto bail
		}
		if to = *w; !canonical(to) {
			return f, 0, fastBail, turns
		}
		c.R[RSP] += 8 + f.imm
		goto jump
	case fJZ:
		if c.lz.kw&0xff != lazySub {
			goto call
		}
		if (c.lz.a == c.lz.b) != f.ne {
			goto taken
		}
	case fCmpJZ:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
		if (a == b) != f.ne {
			goto taken
		}
		f = next(f)
	case fTestJZ:
		v := c.R[f.dst&31] & (c.R[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
		if (v == 0) != f.ne {
			goto taken
		}
		f = next(f)
	case fCmpLoadJZ:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		b := *w >> (at & 7 * 8) & f.mask
		a := c.R[f.dst&31] & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
		if (a == b) != f.ne {
			goto taken
		}
		f = next(f)
	case fCmpMemJZ:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		a := *w >> (at & 7 * 8) & f.mask
		b := (c.R[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
		if (a == b) != f.ne {
			goto taken
		}
		f = next(f)
	case fTestMemJZ:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		m := *w >> (at & 7 * 8) & f.mask
		v := m & (c.R[f.src&31] + f.imm)
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
		if (v == 0) != f.ne {
			goto taken
		}
		f = next(f)
	case fSubJZ:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.R[f.dst&31] = (a - b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
		if (a == b) != f.ne {
			goto taken
		}
		f = next(f)
	case fAddJZ:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		v := (a + b) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, (a+b)&f.mask < a
		if (v == 0) != f.ne {
			goto taken
		}
		f = next(f)
	case fAndJZ:
		v := c.R[f.dst&31] & (c.R[f.src&31] + f.imm) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
		if (v == 0) != f.ne {
			goto taken
		}
		f = next(f)
	case fDecJZ:
		a := c.R[f.dst&31] & f.mask
		v := (a - 1) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.kw = a, f.kw
		if (v == 0) != f.ne {
			goto taken
		}
		f = next(f)
	case fLoadAdd:
		w := p.ReadWord(c.R[f.base&31]+c.R[f.index&31]*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		c.R[f.dst&31] = *w
		f = next(f)
		c.R[f.dst&31] += c.R[f.src&31]
	case fLoadSub:
		w := p.ReadWord(c.R[f.base&31]+c.R[f.index&31]*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		c.R[f.dst&31] = *w
		f = next(f)
		c.R[f.dst&31] -= c.R[f.src&31]
	case fLoadAnd:
		w := p.ReadWord(c.R[f.base&31]+c.R[f.index&31]*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		c.R[f.dst&31] = *w
		f = next(f)
		c.R[f.dst&31] &= c.R[f.src&31]
	case fLoadOr:
		w := p.ReadWord(c.R[f.base&31]+c.R[f.index&31]*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		c.R[f.dst&31] = *w
		f = next(f)
		c.R[f.dst&31] |= c.R[f.src&31]
	case fLoadXor:
		w := p.ReadWord(c.R[f.base&31]+c.R[f.index&31]*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		c.R[f.dst&31] = *w
		f = next(f)
		c.R[f.dst&31] ^= c.R[f.src&31]
	case fAddStore:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.R[f.dst&31] = (a + b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, (a+b)&f.mask < a
		f = next(f)
		w := p.WriteWord(c.R[f.base&31]+c.R[f.index&31]*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*w = c.R[f.src&31] + f.imm
	case fSubStore:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.R[f.dst&31] = (a - b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
		f = next(f)
		w := p.WriteWord(c.R[f.base&31]+c.R[f.index&31]*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*w = c.R[f.src&31] + f.imm
	case fAndStore:
		v := c.R[f.dst&31] & (c.R[f.src&31] + f.imm) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
		f = next(f)
		w := p.WriteWord(c.R[f.base&31]+c.R[f.index&31]*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*w = c.R[f.src&31] + f.imm
	case fOrStore:
		v := (c.R[f.dst&31] | (c.R[f.src&31] + f.imm)) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
		f = next(f)
		w := p.WriteWord(c.R[f.base&31]+c.R[f.index&31]*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*w = c.R[f.src&31] + f.imm
	case fXorStore:
		v := (c.R[f.dst&31] ^ (c.R[f.src&31] + f.imm)) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
		f = next(f)
		w := p.WriteWord(c.R[f.base&31]+c.R[f.index&31]*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*w = c.R[f.src&31] + f.imm
	case fEnd:
		if turns != 0 {
			return f, f.addr, fastNext, turns
		}
		if f = c.cross(f); f != nil {
			goto again
		}
		return nil, 0, fastBail, 0
	case fPause:
		if c.Pause.On {
			goto bail
		}
	case fStep:
		goto bail
	default:
		goto call
	}
behind: // f goes on to the op behind it
	if turns == 0 {
		goto done
	}
	f = next(f)
	goto again

call:
	f, turns, end = c.callOp(p, f, turns)
	switch end {
	case fastBail:
		goto bail
	case fastJump:
		goto taken
	}
	goto behind

taken: // f, or the pair at f, jumps to f.to
	if f.self && turns > 1 {
		turns--
		f = f.first()
		goto again
	}
	to = f.to
jump: // f jumps to to
	if turns != 0 {
		return f, to, fastJump, turns
	}
	if nb := f.link; nb != nil && nb.Addr == to && nb.valid() {
		c.cur.f = nb.head
	} else {
		f = c.jumped(f, to)
	}
	c.RIP = to
	goto retired

done:
	c.cur.f = next(f)
	c.RIP = next(f).addr
retired:
	c.Now += mem.Cycles(f.cost)
	c.Count.Instructions++
	if n := f.counts; n != 0 {
		c.Count.Loads += uint64(n & 0xff)
		c.Count.Stores += uint64(n >> 8 & 0xff)
		c.Count.Locked += uint64(n >> 16 & 0xff)
		c.Count.Pauses += uint64(n >> 24)
	}
	return f, 0, fastTurn, 0

bail:
	if f, turns, end = c.refill(p, f, turns); end == fastNext {
		goto again
	}
	return f, 0, fastBail, turns
}
