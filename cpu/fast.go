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

// r is a register of an op. Its number is below numRegs: fuse sees to that.
func (c *Core) r(i uint8) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(&c.R), uintptr(i)*8))
}

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
// about it, and does all that is due when an instruction retires; left is then a
// Turned. It is the same switch: a driver that changes cores at every instruction
// pays for one call.
//
// This is the hot loop of the whole program and one switch on purpose: no
// allocation, and no call on the common paths that the compiler does not
// inline. The op pointer walks the block by unsafe.Add, since an index would
// cost three instructions for every field that is read.
func (c *Core) fastOps(p *mem.Port, f *fop, turns uint64) (last *fop, to uint64, end fastEnd, left uint64) {
	_, _ = *c, *p // no checks for nil below
	if turns == 0 {
		if !p.Ready(c.cur.seen) || c.cur.head == nil {
			return nil, 0, fastBail, 0
		}
		if f = c.cur.op(); f.addr != c.RIP {
			return nil, 0, fastBail, 0
		}
	}
again:
	switch f.kind {
	case fNop:
	case fMov:
		*c.r(f.dst) = (*c.r(f.src) + f.imm) & f.mask
	case fMovLow:
		*c.r(f.dst) = *c.r(f.dst)&^f.disp | (*c.r(f.src)+f.imm)&f.mask
	case fMovHigh:
		*c.r(f.dst) = *c.r(f.src) >> 8 & 0xff
	case fMovSX:
		*c.r(f.dst) = signExtend(*c.r(f.src), f.w) & f.mask
	case fLea:
		*c.r(f.dst) = (*c.r(f.base) + *c.r(f.index)*f.scale + f.disp) & f.mask
	case fLoad:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		v := *w >> (at & 7 * 8) & f.mask
		*c.r(f.dst) = v
	case fLoad64:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.ReadWord(at, 8)
		if w == nil {
			goto bail
		}
		*c.r(f.dst) = *w
	case fLoadLow:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		*c.r(f.dst) = *c.r(f.dst)&^f.imm | *w>>(at&7*8)&f.mask
	case fLoadSX:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		*c.r(f.dst) = signExtend(*w>>(at&7*8), f.w) & f.mask
	case fStore:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		*w = *w&^(f.mask<<sh) | (*c.r(f.src)+f.imm)&f.mask<<sh
	case fStore64:
		w := p.WriteWord(*c.r(f.base)+*c.r(f.index)*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*w = *c.r(f.src) + f.imm
	case fAdd:
		a, b := *c.r(f.dst)&f.mask, (*c.r(f.src)+f.imm)&f.mask
		*c.r(f.dst) = (a + b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, (a+b)&f.mask < a
	case fSub:
		a, b := *c.r(f.dst)&f.mask, (*c.r(f.src)+f.imm)&f.mask
		*c.r(f.dst) = (a - b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
	case fAnd:
		v := *c.r(f.dst) & (*c.r(f.src) + f.imm) & f.mask
		*c.r(f.dst) = v
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
	case fOr:
		v := (*c.r(f.dst) | (*c.r(f.src) + f.imm)) & f.mask
		*c.r(f.dst) = v
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
	case fXor:
		v := (*c.r(f.dst) ^ (*c.r(f.src) + f.imm)) & f.mask
		*c.r(f.dst) = v
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
	case fAddQuiet:
		*c.r(f.dst) = (*c.r(f.dst) + *c.r(f.src) + f.imm) & f.mask
	case fSubQuiet:
		*c.r(f.dst) = (*c.r(f.dst) - (*c.r(f.src) + f.imm)) & f.mask
	case fAndQuiet:
		*c.r(f.dst) = *c.r(f.dst) & (*c.r(f.src) + f.imm) & f.mask
	case fOrQuiet:
		*c.r(f.dst) = (*c.r(f.dst) | (*c.r(f.src) + f.imm)) & f.mask
	case fAddWhole:
		*c.r(f.dst) += *c.r(f.src)
	case fSubWhole:
		*c.r(f.dst) -= *c.r(f.src)
	case fAndWhole:
		*c.r(f.dst) &= *c.r(f.src)
	case fOrWhole:
		*c.r(f.dst) |= *c.r(f.src)
	case fXorWhole:
		*c.r(f.dst) ^= *c.r(f.src)
	case fXorQuiet:
		*c.r(f.dst) = (*c.r(f.dst) ^ (*c.r(f.src) + f.imm)) & f.mask
	case fInc:
		a := *c.r(f.dst) & f.mask
		*c.r(f.dst) = (a + 1) & f.mask
		c.lz.a, c.lz.kw = a, f.kw
	case fDec:
		a := *c.r(f.dst) & f.mask
		*c.r(f.dst) = (a - 1) & f.mask
		c.lz.a, c.lz.kw = a, f.kw
	case fCmp:
		a, b := *c.r(f.dst)&f.mask, (*c.r(f.src)+f.imm)&f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
	case fCmpHigh:
		a, b := *c.r(f.dst)>>(f.scale&8)&0xff, *c.r(f.src)>>(f.disp&8)&0xff
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
	case fTest:
		v := *c.r(f.dst) & (*c.r(f.src) + f.imm) & f.mask
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
	case fCmpLoad:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		b := *w >> (at & 7 * 8) & f.mask
		a := *c.r(f.dst) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
	case fCmpMem:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		a := *w >> (at & 7 * 8) & f.mask
		b := (*c.r(f.src) + f.imm) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
	case fTestMem:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		m := *w >> (at & 7 * 8) & f.mask
		v := m & (*c.r(f.src) + f.imm)
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
	case fAddMem:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		a, b := *w>>sh&f.mask, (*c.r(f.src)+f.imm)&f.mask
		*w = *w&^(f.mask<<sh) | (a+b)&f.mask<<sh
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, (a+b)&f.mask < a
	case fIncMem:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		a := *w >> sh & f.mask
		*w = *w&^(f.mask<<sh) | (a+1)&f.mask<<sh
		c.lz.a, c.lz.kw = a, f.kw
	case fXadd:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		a, b := *w>>sh&f.mask, *c.r(f.src)&f.mask
		*w = *w&^(f.mask<<sh) | (a+b)&f.mask<<sh
		*c.r(f.src) = *c.r(f.src)&^f.imm | a
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, (a+b)&f.mask < a
	case fXaddQuiet:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		a, b := *w>>sh&f.mask, *c.r(f.src)&f.mask
		*w = *w&^(f.mask<<sh) | (a+b)&f.mask<<sh
		*c.r(f.src) = *c.r(f.src)&^f.imm | a
	case fPush:
		w := p.WriteWord(c.R[RSP]-8, 8)
		if w == nil {
			goto bail
		}
		*w = *c.r(f.dst)
		c.R[RSP] -= 8
	case fPop:
		w := p.ReadWord(c.R[RSP], 8)
		if w == nil {
			goto bail
		}
		v := *w
		c.R[RSP] += 8
		*c.r(f.dst) = v
	case fLeave:
		w := p.ReadWord(c.R[RBP], 8)
		if w == nil {
			goto bail
		}
		c.R[RSP], c.R[RBP] = c.R[RBP]+8, *w
	case fJmp:
		goto taken
	case fJmpReg:
		if to = *c.r(f.dst); !canonical(to) {
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
		a, b := *c.r(f.dst)&f.mask, (*c.r(f.src)+f.imm)&f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
		if (a == b) != f.ne {
			goto taken
		}
		f = next(f)
	case fTestJZ:
		v := *c.r(f.dst) & (*c.r(f.src) + f.imm) & f.mask
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
		if (v == 0) != f.ne {
			goto taken
		}
		f = next(f)
	case fCmpLoadJZ:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		b := *w >> (at & 7 * 8) & f.mask
		a := *c.r(f.dst) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
		if (a == b) != f.ne {
			goto taken
		}
		f = next(f)
	case fCmpMemJZ:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		a := *w >> (at & 7 * 8) & f.mask
		b := (*c.r(f.src) + f.imm) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
		if (a == b) != f.ne {
			goto taken
		}
		f = next(f)
	case fTestMemJZ:
		at := *c.r(f.base) + *c.r(f.index)*f.scale + f.disp
		w := p.ReadWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		m := *w >> (at & 7 * 8) & f.mask
		v := m & (*c.r(f.src) + f.imm)
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
		if (v == 0) != f.ne {
			goto taken
		}
		f = next(f)
	case fSubJZ:
		a, b := *c.r(f.dst)&f.mask, (*c.r(f.src)+f.imm)&f.mask
		*c.r(f.dst) = (a - b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
		if (a == b) != f.ne {
			goto taken
		}
		f = next(f)
	case fAddJZ:
		a, b := *c.r(f.dst)&f.mask, (*c.r(f.src)+f.imm)&f.mask
		v := (a + b) & f.mask
		*c.r(f.dst) = v
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, (a+b)&f.mask < a
		if (v == 0) != f.ne {
			goto taken
		}
		f = next(f)
	case fAndJZ:
		v := *c.r(f.dst) & (*c.r(f.src) + f.imm) & f.mask
		*c.r(f.dst) = v
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
		if (v == 0) != f.ne {
			goto taken
		}
		f = next(f)
	case fDecJZ:
		a := *c.r(f.dst) & f.mask
		v := (a - 1) & f.mask
		*c.r(f.dst) = v
		c.lz.a, c.lz.kw = a, f.kw
		if (v == 0) != f.ne {
			goto taken
		}
		f = next(f)
	case fLoadAdd:
		w := p.ReadWord(*c.r(f.base)+*c.r(f.index)*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*c.r(f.dst) = *w
		f = next(f)
		*c.r(f.dst) += *c.r(f.src)
	case fLoadSub:
		w := p.ReadWord(*c.r(f.base)+*c.r(f.index)*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*c.r(f.dst) = *w
		f = next(f)
		*c.r(f.dst) -= *c.r(f.src)
	case fLoadAnd:
		w := p.ReadWord(*c.r(f.base)+*c.r(f.index)*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*c.r(f.dst) = *w
		f = next(f)
		*c.r(f.dst) &= *c.r(f.src)
	case fLoadOr:
		w := p.ReadWord(*c.r(f.base)+*c.r(f.index)*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*c.r(f.dst) = *w
		f = next(f)
		*c.r(f.dst) |= *c.r(f.src)
	case fLoadXor:
		w := p.ReadWord(*c.r(f.base)+*c.r(f.index)*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*c.r(f.dst) = *w
		f = next(f)
		*c.r(f.dst) ^= *c.r(f.src)
	case fAddStore:
		a, b := *c.r(f.dst)&f.mask, (*c.r(f.src)+f.imm)&f.mask
		*c.r(f.dst) = (a + b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, (a+b)&f.mask < a
		f = next(f)
		w := p.WriteWord(*c.r(f.base)+*c.r(f.index)*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*w = *c.r(f.src) + f.imm
	case fSubStore:
		a, b := *c.r(f.dst)&f.mask, (*c.r(f.src)+f.imm)&f.mask
		*c.r(f.dst) = (a - b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw, c.lz.cf = a, b, f.kw, a < b
		f = next(f)
		w := p.WriteWord(*c.r(f.base)+*c.r(f.index)*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*w = *c.r(f.src) + f.imm
	case fAndStore:
		v := *c.r(f.dst) & (*c.r(f.src) + f.imm) & f.mask
		*c.r(f.dst) = v
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
		f = next(f)
		w := p.WriteWord(*c.r(f.base)+*c.r(f.index)*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*w = *c.r(f.src) + f.imm
	case fOrStore:
		v := (*c.r(f.dst) | (*c.r(f.src) + f.imm)) & f.mask
		*c.r(f.dst) = v
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
		f = next(f)
		w := p.WriteWord(*c.r(f.base)+*c.r(f.index)*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*w = *c.r(f.src) + f.imm
	case fXorStore:
		v := (*c.r(f.dst) ^ (*c.r(f.src) + f.imm)) & f.mask
		*c.r(f.dst) = v
		c.lz.a, c.lz.kw, c.lz.cf = v, f.kw, false
		f = next(f)
		w := p.WriteWord(*c.r(f.base)+*c.r(f.index)*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*w = *c.r(f.src) + f.imm
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
	goto behind

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
	if f.self != 0 && turns > 1 {
		turns--
		f = f.first()
		goto again
	}
	to = f.to
jump: // f jumps to to
	if turns != 0 {
		return f, to, fastJump, turns
	}
	turns = uint64(f.self)
	if nb := f.link; nb != nil && nb.Addr == to && nb.valid() {
		c.cur.head, c.cur.off = nb.head, 0
	} else {
		f = c.jumped(f, to)
	}
	c.RIP = to
	goto retired

done:
	c.cur.off += unsafe.Sizeof(*f)
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
	return f, 0, fastTurn, turns + 1

bail:
	if f, turns, end = c.refill(p, f, turns); end == fastNext {
		goto again
	}
	return f, 0, fastBail, turns

behind: // f goes on to the op behind it; last of all, so that the compiler lays it in front of again: W2 17 %
	if turns == 0 {
		goto done
	}
	f = next(f)
	goto again
}
