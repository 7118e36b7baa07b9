package cpu

import "unsafe"

// fastEnd says how a fastOps ended.
type fastEnd uint8

const (
	fastNext  fastEnd = iota // the block is done and goes on at next, by falling through
	fastJump                 // the same, by a taken branch
	fastAlone                // the op that was to run alone is done
	fastBail                 // the op could not run; nothing of it has been done
)

// fastOps executes ops from f on to the end of their block, or the one op of
// Block.solo that f is in, as long as everything goes smoothly. It returns the
// last op that it looked at.
//
// This is the hot loop of the whole program and one switch on purpose: no
// allocation, and no call on the common paths that the compiler does not
// inline. The op pointer walks the block by unsafe.Add, since an index would
// cost three instructions for every field that is read; the walk cannot leave
// the block, whose last fop is fEnd, or fOneDone for an op alone.
func (c *Core) fastOps(f *fop) (last *fop, next uint64, end fastEnd) {
	p := c.p
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
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		v := pg.Word(at) >> (at & 7 * 8) & f.mask
		c.R[f.dst&31] = v
	case fLoad64:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, 8)
		if pg == nil {
			goto bail
		}
		c.R[f.dst&31] = pg.Word(at)
	case fLoadSX:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		c.R[f.dst&31] = signExtend(pg.Word(at)>>(at&7*8), f.w) & f.mask
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
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
	case fSub:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.R[f.dst&31] = (a - b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
	case fAnd:
		v := c.R[f.dst&31] & (c.R[f.src&31] + f.imm) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.kw = v, f.kw
	case fOr:
		v := (c.R[f.dst&31] | (c.R[f.src&31] + f.imm)) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.kw = v, f.kw
	case fXor:
		v := (c.R[f.dst&31] ^ (c.R[f.src&31] + f.imm)) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.kw = v, f.kw
	case fAddQuiet:
		c.R[f.dst&31] = (c.R[f.dst&31] + c.R[f.src&31] + f.imm) & f.mask
	case fSubQuiet:
		c.R[f.dst&31] = (c.R[f.dst&31] - (c.R[f.src&31] + f.imm)) & f.mask
	case fAndQuiet:
		c.R[f.dst&31] = c.R[f.dst&31] & (c.R[f.src&31] + f.imm) & f.mask
	case fOrQuiet:
		c.R[f.dst&31] = (c.R[f.dst&31] | (c.R[f.src&31] + f.imm)) & f.mask
	case fXorQuiet:
		c.R[f.dst&31] = (c.R[f.dst&31] ^ (c.R[f.src&31] + f.imm)) & f.mask
	case fInc:
		cf := c.carry()
		a := c.R[f.dst&31] & f.mask
		c.R[f.dst&31] = (a + 1) & f.mask
		c.lz.a, c.lz.carry, c.lz.kw = a, cf, f.kw
	case fDec:
		cf := c.carry()
		a := c.R[f.dst&31] & f.mask
		c.R[f.dst&31] = (a - 1) & f.mask
		c.lz.a, c.lz.carry, c.lz.kw = a, cf, f.kw
	case fCmp:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
	case fTest:
		v := c.R[f.dst&31] & (c.R[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.kw = v, f.kw
	case fAddLoad, fSubLoad, fAndLoad, fOrLoad, fXorLoad:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		v := pg.Word(at) >> (at & 7 * 8) & f.mask
		c.aluLoad(f, v)
	case fCmpLoad:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		b := pg.Word(at) >> (at & 7 * 8) & f.mask
		a := c.R[f.dst&31] & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
	case fCmpMem:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		a := pg.Word(at) >> (at & 7 * 8) & f.mask
		b := (c.R[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
	case fTestMem:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		m := pg.Word(at) >> (at & 7 * 8) & f.mask
		v := m & (c.R[f.src&31] + f.imm)
		c.lz.a, c.lz.kw = v, f.kw
	case fAddMem:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		a, b := *w>>sh&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		*w = *w&^(f.mask<<sh) | (a+b)&f.mask<<sh
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
	case fIncMem:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		cf := c.carry()
		a := *w >> sh & f.mask
		*w = *w&^(f.mask<<sh) | (a+1)&f.mask<<sh
		c.lz.a, c.lz.carry, c.lz.kw = a, cf, f.kw
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
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
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
	case fSubMem, fDecMem, fOrMem, fAndMem, fXchg, fCmpxchg:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		c.atomic(f, w, sh)
	case fShl:
		v := c.R[f.dst&31] & f.mask
		res := v << (f.imm & 63) & f.mask
		cf := v >> (uint64(f.w)*8 - f.imm) & 1
		c.lz.kw = 0
		c.Flags = c.Flags&^arithFlags | resultFlags(res, f.w) | cf | (cf^res>>(uint64(f.w)*8-1))<<11
		c.R[f.dst&31] = res
	case fShr:
		v := c.R[f.dst&31] & f.mask
		res := v >> (f.imm & 63)
		c.lz.kw = 0
		c.Flags = c.Flags&^arithFlags | resultFlags(res, f.w) | v>>(f.imm-1)&1 | v>>(uint64(f.w)*8-1)<<11
		c.R[f.dst&31] = res
	case fSar:
		v := int64(signExtend(c.R[f.dst&31], f.w))
		res := uint64(v>>(f.imm&63)) & f.mask
		c.lz.kw = 0
		c.Flags = c.Flags&^arithFlags | resultFlags(res, f.w) | uint64(v>>(f.imm-1))&1
		c.R[f.dst&31] = res
	case fImul:
		c.imul(f)
	case fSet:
		v := uint64(0)
		if c.settledCond(f.cond) {
			v = 1
		}
		c.R[f.dst&31] = c.R[f.dst&31]&^0xff | v
	case fCmov:
		if c.settledCond(f.cond) {
			c.R[f.dst&31] = c.R[f.src&31] & f.mask
		} else {
			c.R[f.dst&31] &= f.mask
		}
	case fPush:
		w := p.WriteWord(c.R[RSP]-8, 8)
		if w == nil {
			goto bail
		}
		*w = c.R[f.dst&31]
		c.R[RSP] -= 8
	case fPop:
		pg := p.ReadPage(c.R[RSP], 8)
		if pg == nil {
			goto bail
		}
		v := pg.Word(c.R[RSP])
		c.R[RSP] += 8
		c.R[f.dst&31] = v
	case fLeave:
		pg := p.ReadPage(c.R[RBP], 8)
		if pg == nil {
			goto bail
		}
		c.R[RSP], c.R[RBP] = c.R[RBP]+8, pg.Word(c.R[RBP])
	case fJmp:
		return f, f.imm, fastJump
	case fJmpReg:
		to := c.R[f.dst&31]
		if !canonical(to) {
			goto bail
		}
		return f, to, fastJump
	case fCall:
		w := p.WriteWord(c.R[RSP]-8, 8)
		if w == nil {
			goto bail
		}
		*w = f.after
		c.R[RSP] -= 8
		return f, f.imm, fastJump
	case fRet:
		pg := p.ReadPage(c.R[RSP], 8)
		if pg == nil {
			goto bail
		}
		to := pg.Word(c.R[RSP])
		if !canonical(to) {
			goto bail
		}
		c.R[RSP] += 8 + f.imm
		return f, to, fastJump
	case fJcc:
		if c.settledCond(f.cond) {
			return f, f.imm, fastJump
		}
		return f, f.after, fastNext
	case fCmpJE:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		if a == b {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fCmpJNE:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		if a != b {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fCmpJCC:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		if c.compared(f.cond, f.w, a, b) {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fTestJE:
		v := c.R[f.dst&31] & (c.R[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.kw = v, f.kw
		if v == 0 {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fTestJNE:
		v := c.R[f.dst&31] & (c.R[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.kw = v, f.kw
		if v != 0 {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fCmpLoadJE:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		b := pg.Word(at) >> (at & 7 * 8) & f.mask
		a := c.R[f.dst&31] & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		if a == b {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fCmpLoadJNE:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		b := pg.Word(at) >> (at & 7 * 8) & f.mask
		a := c.R[f.dst&31] & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		if a != b {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fCmpMemJE:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		a := pg.Word(at) >> (at & 7 * 8) & f.mask
		b := (c.R[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		if a == b {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fCmpMemJNE:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		a := pg.Word(at) >> (at & 7 * 8) & f.mask
		b := (c.R[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		if a != b {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fTestMemJE:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		m := pg.Word(at) >> (at & 7 * 8) & f.mask
		v := m & (c.R[f.src&31] + f.imm)
		c.lz.a, c.lz.kw = v, f.kw
		if v == 0 {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fTestMemJNE:
		at := c.R[f.base&31] + c.R[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		m := pg.Word(at) >> (at & 7 * 8) & f.mask
		v := m & (c.R[f.src&31] + f.imm)
		c.lz.a, c.lz.kw = v, f.kw
		if v != 0 {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fSubJE:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.R[f.dst&31] = (a - b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		if a == b {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fSubJNE:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		c.R[f.dst&31] = (a - b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		if a != b {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fAddJE:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		v := (a + b) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		if v == 0 {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fAddJNE:
		a, b := c.R[f.dst&31]&f.mask, (c.R[f.src&31]+f.imm)&f.mask
		v := (a + b) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		if v != 0 {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fAndJE:
		v := c.R[f.dst&31] & (c.R[f.src&31] + f.imm) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.kw = v, f.kw
		if v == 0 {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fAndJNE:
		v := c.R[f.dst&31] & (c.R[f.src&31] + f.imm) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.kw = v, f.kw
		if v != 0 {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fDecJE:
		cf := c.carry()
		a := c.R[f.dst&31] & f.mask
		v := (a - 1) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.carry, c.lz.kw = a, cf, f.kw
		if v == 0 {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fDecJNE:
		cf := c.carry()
		a := c.R[f.dst&31] & f.mask
		v := (a - 1) & f.mask
		c.R[f.dst&31] = v
		c.lz.a, c.lz.carry, c.lz.kw = a, cf, f.kw
		if v != 0 {
			return f, f.to, fastJump
		}
		return f, f.after, fastNext
	case fEnd:
		return f, f.imm, fastNext
	case fOneDone:
		return f, f.after, fastAlone
	default:
		goto bail
	}
	f = (*fop)(unsafe.Add(unsafe.Pointer(f), unsafe.Sizeof(*f)))
	goto again

bail:
	return f, 0, fastBail
}
