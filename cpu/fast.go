package cpu

import (
	"unsafe"

	"spinlab/mem"
)

// fastChunk bounds how many instructions one runFast executes, so that its
// packed counters, 32 bits each, cannot overflow.
const fastChunk = 1 << 24

// runFast executes from op i of blk on, following branches, while everything
// goes smoothly: whole blocks as long as they fit the budget, then op by op up
// to its exact end. What is not smooth (a line to fetch, a buffered store, a
// fault, an exit) it leaves to stepOp, after which Run looks again. It returns
// like stepOp.
//
// A block is charged when it is entered; what was not executed is given back.
//
// This is the hot loop of the whole program and one function on purpose: no
// allocation, no call that the compiler does not inline on the common paths.
// The op pointer walks the block by unsafe.Add, since an index would cost three
// instructions for every field that is read; the walk cannot leave the block,
// whose last fop is always fEnd or was taken along by the one before it.
func (c *Core) runFast(blk *Block, i int, last uint64) (Stop, bool) {
	if !c.p.Quiet() {
		return c.stepOp(blk, i)
	}
	p, r := c.p, &c.R
	limit := min(last-c.Count.Instructions, fastChunk)
	left := limit // instructions still allowed
	now, until := c.Now, p.Until
	var ls, lp uint64 // packed counts, as in Block
	var stalled mem.Cycles
	var next uint64
	var link **Block
	f := &blk.fast[i]

enter: // at f in blk
	if f.idx != 0 || blk.n > left || now+blk.cost > until {
		goto alone
	}
	left -= blk.n
	now += blk.cost
	ls += blk.ls
	lp += blk.lp
again:
	switch f.kind {
	case fNop:
	case fMov:
		r[f.dst&31] = (r[f.src&31] + f.imm) & f.mask
	case fMovHigh:
		r[f.dst&31] = r[f.src&31] >> 8 & 0xff
	case fMovSX:
		r[f.dst&31] = signExtend(r[f.src&31], f.w) & f.mask
	case fLea:
		r[f.dst&31] = (r[f.base&31] + r[f.index&31]*f.scale + f.disp) & f.mask
	case fLoad:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		v := pg.Word(at) >> (at & 7 * 8) & f.mask
		r[f.dst&31] = v
	case fLoad64:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, 8)
		if pg == nil {
			goto bail
		}
		r[f.dst&31] = pg.Word(at)
	case fLoadSX:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		r[f.dst&31] = signExtend(pg.Word(at)>>(at&7*8), f.w) & f.mask
	case fStore:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		*w = *w&^(f.mask<<sh) | (r[f.src&31]+f.imm)&f.mask<<sh
	case fStore64:
		w := p.WriteWord(r[f.base&31]+r[f.index&31]*f.scale+f.disp, 8)
		if w == nil {
			goto bail
		}
		*w = r[f.src&31] + f.imm
	case fAdd:
		a, b := r[f.dst&31]&f.mask, (r[f.src&31]+f.imm)&f.mask
		r[f.dst&31] = (a + b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
	case fSub:
		a, b := r[f.dst&31]&f.mask, (r[f.src&31]+f.imm)&f.mask
		r[f.dst&31] = (a - b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
	case fAnd:
		v := r[f.dst&31] & (r[f.src&31] + f.imm) & f.mask
		r[f.dst&31] = v
		c.lz.a, c.lz.kw = v, f.kw
	case fOr:
		v := (r[f.dst&31] | (r[f.src&31] + f.imm)) & f.mask
		r[f.dst&31] = v
		c.lz.a, c.lz.kw = v, f.kw
	case fXor:
		v := (r[f.dst&31] ^ (r[f.src&31] + f.imm)) & f.mask
		r[f.dst&31] = v
		c.lz.a, c.lz.kw = v, f.kw
	case fAddQuiet:
		r[f.dst&31] = (r[f.dst&31] + r[f.src&31] + f.imm) & f.mask
	case fSubQuiet:
		r[f.dst&31] = (r[f.dst&31] - (r[f.src&31] + f.imm)) & f.mask
	case fAndQuiet:
		r[f.dst&31] = r[f.dst&31] & (r[f.src&31] + f.imm) & f.mask
	case fOrQuiet:
		r[f.dst&31] = (r[f.dst&31] | (r[f.src&31] + f.imm)) & f.mask
	case fXorQuiet:
		r[f.dst&31] = (r[f.dst&31] ^ (r[f.src&31] + f.imm)) & f.mask
	case fInc:
		cf := c.carry()
		a := r[f.dst&31] & f.mask
		r[f.dst&31] = (a + 1) & f.mask
		c.lz.a, c.lz.carry, c.lz.kw = a, cf, f.kw
	case fDec:
		cf := c.carry()
		a := r[f.dst&31] & f.mask
		r[f.dst&31] = (a - 1) & f.mask
		c.lz.a, c.lz.carry, c.lz.kw = a, cf, f.kw
	case fCmp:
		a, b := r[f.dst&31]&f.mask, (r[f.src&31]+f.imm)&f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
	case fTest:
		v := r[f.dst&31] & (r[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.kw = v, f.kw
	case fAddLoad, fSubLoad, fAndLoad, fOrLoad, fXorLoad:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		v := pg.Word(at) >> (at & 7 * 8) & f.mask
		c.aluLoad(f, v)
	case fCmpLoad:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		b := pg.Word(at) >> (at & 7 * 8) & f.mask
		a := r[f.dst&31] & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
	case fCmpMem:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		a := pg.Word(at) >> (at & 7 * 8) & f.mask
		b := (r[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
	case fTestMem:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		m := pg.Word(at) >> (at & 7 * 8) & f.mask
		v := m & (r[f.src&31] + f.imm)
		c.lz.a, c.lz.kw = v, f.kw
	case fAddMem:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		a, b := *w>>sh&f.mask, (r[f.src&31]+f.imm)&f.mask
		*w = *w&^(f.mask<<sh) | (a+b)&f.mask<<sh
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
	case fIncMem:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
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
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		a, b := *w>>sh&f.mask, r[f.src&31]&f.mask
		*w = *w&^(f.mask<<sh) | (a+b)&f.mask<<sh
		r[f.src&31] = r[f.src&31]&^f.imm | a
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
	case fXaddQuiet:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		a, b := *w>>sh&f.mask, r[f.src&31]&f.mask
		*w = *w&^(f.mask<<sh) | (a+b)&f.mask<<sh
		r[f.src&31] = r[f.src&31]&^f.imm | a
	case fSubMem, fDecMem, fOrMem, fAndMem, fXchg, fCmpxchg:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		w := p.WriteWord(at, uint64(f.w))
		if w == nil {
			goto bail
		}
		sh := at & 7 * 8
		c.atomic(f, w, sh)
	case fShl:
		v := r[f.dst&31] & f.mask
		res := v << (f.imm & 63) & f.mask
		cf := v >> (uint64(f.w)*8 - f.imm) & 1
		c.lz.kw = 0
		c.Flags = c.Flags&^arithFlags | resultFlags(res, f.w) | cf | (cf^res>>(uint64(f.w)*8-1))<<11
		r[f.dst&31] = res
	case fShr:
		v := r[f.dst&31] & f.mask
		res := v >> (f.imm & 63)
		c.lz.kw = 0
		c.Flags = c.Flags&^arithFlags | resultFlags(res, f.w) | v>>(f.imm-1)&1 | v>>(uint64(f.w)*8-1)<<11
		r[f.dst&31] = res
	case fSar:
		v := int64(signExtend(r[f.dst&31], f.w))
		res := uint64(v>>(f.imm&63)) & f.mask
		c.lz.kw = 0
		c.Flags = c.Flags&^arithFlags | resultFlags(res, f.w) | uint64(v>>(f.imm-1))&1
		r[f.dst&31] = res
	case fImul:
		c.imul(f)
	case fSet:
		v := uint64(0)
		if c.settledCond(f.cond) {
			v = 1
		}
		r[f.dst&31] = r[f.dst&31]&^0xff | v
	case fCmov:
		if c.settledCond(f.cond) {
			r[f.dst&31] = r[f.src&31] & f.mask
		} else {
			r[f.dst&31] &= f.mask
		}
	case fPush:
		w := p.WriteWord(r[RSP]-8, 8)
		if w == nil {
			goto bail
		}
		*w = r[f.dst&31]
		r[RSP] -= 8
	case fPop:
		pg := p.ReadPage(r[RSP], 8)
		if pg == nil {
			goto bail
		}
		v := pg.Word(r[RSP])
		r[RSP] += 8
		r[f.dst&31] = v
	case fLeave:
		pg := p.ReadPage(r[RBP], 8)
		if pg == nil {
			goto bail
		}
		r[RSP], r[RBP] = r[RBP]+8, pg.Word(r[RBP])
	case fJmp:
		next, link = f.imm, &blk.taken
		goto follow
	case fJmpReg:
		next, link = r[f.dst&31], &blk.taken
		if !canonical(next) {
			goto bail
		}
		goto follow
	case fCall:
		w := p.WriteWord(r[RSP]-8, 8)
		if w == nil {
			goto bail
		}
		*w = f.after
		r[RSP] -= 8
		next, link = f.imm, &blk.taken
		goto follow
	case fRet:
		pg := p.ReadPage(r[RSP], 8)
		if pg == nil {
			goto bail
		}
		next, link = pg.Word(r[RSP]), &blk.taken
		if !canonical(next) {
			goto bail
		}
		r[RSP] += 8 + f.imm
		goto follow
	case fJcc:
		next, link = f.after, &blk.fall
		if c.settledCond(f.cond) {
			next, link = f.imm, &blk.taken
		}
		goto follow
	case fCmpJE:
		a, b := r[f.dst&31]&f.mask, (r[f.src&31]+f.imm)&f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		next, link = f.after, &blk.fall
		if a == b {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fCmpJNE:
		a, b := r[f.dst&31]&f.mask, (r[f.src&31]+f.imm)&f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		next, link = f.after, &blk.fall
		if a != b {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fCmpJCC:
		a, b := r[f.dst&31]&f.mask, (r[f.src&31]+f.imm)&f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		next, link = f.after, &blk.fall
		if c.compared(f.cond, f.w, a, b) {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fTestJE:
		v := r[f.dst&31] & (r[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.kw = v, f.kw
		next, link = f.after, &blk.fall
		if v == 0 {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fTestJNE:
		v := r[f.dst&31] & (r[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.kw = v, f.kw
		next, link = f.after, &blk.fall
		if v != 0 {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fCmpLoadJE:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		b := pg.Word(at) >> (at & 7 * 8) & f.mask
		a := r[f.dst&31] & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		next, link = f.after, &blk.fall
		if a == b {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fCmpLoadJNE:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		b := pg.Word(at) >> (at & 7 * 8) & f.mask
		a := r[f.dst&31] & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		next, link = f.after, &blk.fall
		if a != b {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fCmpMemJE:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		a := pg.Word(at) >> (at & 7 * 8) & f.mask
		b := (r[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		next, link = f.after, &blk.fall
		if a == b {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fCmpMemJNE:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		a := pg.Word(at) >> (at & 7 * 8) & f.mask
		b := (r[f.src&31] + f.imm) & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		next, link = f.after, &blk.fall
		if a != b {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fTestMemJE:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		m := pg.Word(at) >> (at & 7 * 8) & f.mask
		v := m & (r[f.src&31] + f.imm)
		c.lz.a, c.lz.kw = v, f.kw
		next, link = f.after, &blk.fall
		if v == 0 {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fTestMemJNE:
		at := r[f.base&31] + r[f.index&31]*f.scale + f.disp
		pg := p.ReadPage(at, uint64(f.w))
		if pg == nil {
			goto bail
		}
		m := pg.Word(at) >> (at & 7 * 8) & f.mask
		v := m & (r[f.src&31] + f.imm)
		c.lz.a, c.lz.kw = v, f.kw
		next, link = f.after, &blk.fall
		if v != 0 {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fSubJE:
		a, b := r[f.dst&31]&f.mask, (r[f.src&31]+f.imm)&f.mask
		r[f.dst&31] = (a - b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		next, link = f.after, &blk.fall
		if a == b {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fSubJNE:
		a, b := r[f.dst&31]&f.mask, (r[f.src&31]+f.imm)&f.mask
		r[f.dst&31] = (a - b) & f.mask
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		next, link = f.after, &blk.fall
		if a != b {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fAddJE:
		a, b := r[f.dst&31]&f.mask, (r[f.src&31]+f.imm)&f.mask
		v := (a + b) & f.mask
		r[f.dst&31] = v
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		next, link = f.after, &blk.fall
		if v == 0 {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fAddJNE:
		a, b := r[f.dst&31]&f.mask, (r[f.src&31]+f.imm)&f.mask
		v := (a + b) & f.mask
		r[f.dst&31] = v
		c.lz.a, c.lz.b, c.lz.kw = a, b, f.kw
		next, link = f.after, &blk.fall
		if v != 0 {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fAndJE:
		v := r[f.dst&31] & (r[f.src&31] + f.imm) & f.mask
		r[f.dst&31] = v
		c.lz.a, c.lz.kw = v, f.kw
		next, link = f.after, &blk.fall
		if v == 0 {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fAndJNE:
		v := r[f.dst&31] & (r[f.src&31] + f.imm) & f.mask
		r[f.dst&31] = v
		c.lz.a, c.lz.kw = v, f.kw
		next, link = f.after, &blk.fall
		if v != 0 {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fDecJE:
		cf := c.carry()
		a := r[f.dst&31] & f.mask
		v := (a - 1) & f.mask
		r[f.dst&31] = v
		c.lz.a, c.lz.carry, c.lz.kw = a, cf, f.kw
		next, link = f.after, &blk.fall
		if v == 0 {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fDecJNE:
		cf := c.carry()
		a := r[f.dst&31] & f.mask
		v := (a - 1) & f.mask
		r[f.dst&31] = v
		c.lz.a, c.lz.carry, c.lz.kw = a, cf, f.kw
		next, link = f.after, &blk.fall
		if v != 0 {
			next, link = f.to, &blk.taken
		}
		goto follow
	case fEnd:
		next, link = f.imm, &blk.fall
		goto follow
	case fOneDone:
		goto oneDone
	default:
		goto bail
	}
	f = (*fop)(unsafe.Add(unsafe.Pointer(f), unsafe.Sizeof(*f)))
	goto again

alone: // f by itself, because the budget may end behind it
	if left == 0 || now >= until {
		goto out
	}
	if f.kind == fEnd {
		next, link = f.imm, &blk.fall
		goto follow
	}
	left--
	now += mem.Cycles(blk.Ops[f.idx].cost)
	f = &blk.solo[2*int(f.idx)]
	goto again

oneDone: // the op that ran alone was not a branch
	c.tally(&blk.Ops[f.idx-1], &ls, &lp)
	f = &blk.fast[f.idx]
	goto enter

follow: // the block is done and goes on at next
	if f.solo {
		c.tally(&blk.Ops[f.idx], &ls, &lp)
	}
	if next == blk.Addr {
		f = &blk.fast[0]
		goto enter
	}
	if nb := *link; nb != nil && nb.Addr == next && nb.valid() {
		blk, f = nb, &nb.fast[0]
		goto enter
	}
	if nb := c.Code.table[slot(next)]; nb != nil && nb.Addr == next && nb.valid() {
		*link = nb
		blk, f = nb, &nb.fast[0]
		goto enter
	}
	c.Delay += stalled
	c.settleCounts(limit-left, now, ls, lp)
	c.RIP = next
	return 0, false

out: // the budget ends before f
	c.Delay += stalled
	c.settleCounts(limit-left, now, ls, lp)
	c.RIP = blk.Addr + uint64(f.off)
	c.cur = cursor{blk, int(f.idx)}
	return 0, false // Run says why

bail: // f could not run; nothing of it has been done
	if f.solo {
		left++
		now -= mem.Cycles(blk.Ops[f.idx].cost)
	} else {
		for j := int(f.idx); j < len(blk.Ops); j++ {
			o := &blk.Ops[j]
			left++
			now -= mem.Cycles(o.cost)
			ls -= uint64(o.nl) + uint64(o.ns)<<32
			lp -= uint64(o.nk) + uint64(o.np)<<32
		}
	}
	f = &blk.fast[f.idx]
	if stall, ok := c.warm(&blk.Ops[f.idx], f); ok {
		stalled += stall
		now += stall
		left--
		now += mem.Cycles(blk.Ops[f.idx].cost)
		f = &blk.solo[2*int(f.idx)]
		goto again
	}
	c.Delay += stalled
	c.settleCounts(limit-left, now, ls, lp)
	c.RIP = blk.Addr + uint64(f.off)
	return c.stepOp(blk, int(f.idx))
}
