package cpu

import (
	"slices"

	"spinlab/mem"
)

// This file chooses, once per block, how the fast switch runs each op. An op
// has two kinds: alone runs it and nothing else, for when the budget may end
// behind it; kind may skip its flags or take the next op along.

// The fast kinds. Register and immediate sources are one kind: the value is
// R[src] + imm with the unused part zero. Kinds that write a register write the
// whole of it, so they serve widths of 4 and 8 bytes; those that only read
// registers, or write memory, serve all. Of partial registers there is what
// locks of bytes need.
const (
	fStep uint16 = iota // by the reference handler
	fNop
	fMov     // register = (src + imm) & mask: MOV and MOVZX
	fMovLow  // the low 1 or 2 bytes of a register; disp has the bits that it replaces
	fMovHigh // MOVZX from AH, CH, DH or BH
	fMovSX
	fLea
	fLoad // register = memory, zero-extended
	fLoad64
	fLoadLow // the low 1 or 2 bytes; imm has the bits of the register that it replaces
	fLoadSX  // register = memory, sign-extended
	fStore
	fStore64
	fAdd
	fSub
	fAnd
	fOr
	fXor
	fAddQuiet // the same without flags: a later op of the block overwrites them
	fSubQuiet
	fAndQuiet
	fOrQuiet
	fXorQuiet
	fAddWhole // quiet, and both operands 64-bit registers
	fSubWhole
	fAndWhole
	fOrWhole
	fXorWhole
	fInc
	fDec
	fCmp
	fTest
	fCmpHigh // registers of which one is AH, CH, DH or BH; scale and disp shift them
	fAddLoad // register op= memory
	fSubLoad
	fAndLoad
	fOrLoad
	fXorLoad
	fCmpLoad // register against memory
	fCmpMem  // memory against register or immediate
	fTestMem // memory and register or immediate
	fAddMem  // memory op= register or immediate, line owned; locked or not
	fSubMem
	fIncMem
	fDecMem
	fOrMem
	fAndMem
	fXadd // imm has the bits of the register that the write replaces
	fXaddQuiet
	fXchg
	fCmpxchg
	fShl
	fShr
	fSar
	fImul
	fSet
	fCmov
	fPush
	fPop
	fLeave
	fJmp
	fJmpReg
	fJcc
	fJZ // JE or JNE
	fCall
	fRet
	fCmpJZ // the op and the conditional jump behind it
	fCmpJCC
	fTestJZ
	fCmpLoadJZ
	fCmpMemJZ
	fTestMemJZ
	fSubJZ
	fAddJZ
	fAndJZ
	fDecJZ
	fLoadAdd // a 64-bit load, and a quiet operation of whole registers
	fLoadSub
	fLoadAnd
	fLoadOr
	fLoadXor
	fAddStore // an operation, and a 64-bit store
	fSubStore
	fAndStore
	fOrStore
	fXorStore
	fPause // without the pause-loop rule it only takes time
	fEnd   // behind the last op of a block that falls through
)

// access says what an op does with its memory operand.
type access uint8

const (
	noAccess access = iota
	reads
	writes // or reads and writes
)

// fop is an op as the fast switch wants it.
type fop struct {
	kind, alone uint16
	kw          uint16 // what it leaves in lazy.kw
	idx         uint8
	w           uint8 // width in bytes of the access or operation
	dst, src    uint8
	base, index uint8
	cond        uint8
	ne          bool  // a pair's jump is JNE, else JE
	self        uint8 // 1: its jump goes to its own block's start; in solo, 1: it goes back
	done        uint8 // how many ops of the block are done when it leaves it
	access      access
	how         mem.Refill // what may bring its line here when it runs alone
	cost        uint32     // cycles
	counts      uint32     // what it counts as: loads, stores, locked RMWs and pauses, a byte each
	imm         uint64
	mask        uint64 // of the operand width
	disp        uint64
	scale       uint64 // 0 if there is no index
	addr        uint64 // where it is
	to          uint64 // the target of its jump
	link        *Block // where it went before, to save the look-up
	blk         *Block // whose it is
}

// fuse makes the fast form of b's ops.
func fuse(b *Block) {
	n := len(b.Ops)
	b.n = uint64(n)
	b.fast = make([]fop, n+1)
	for i := range b.Ops {
		f, o := &b.fast[i], &b.Ops[i]
		k := fStep
		if b.Probe == 0 {
			k = o.fastKind(f)
		}
		f.kind, f.alone, f.idx, f.w = k, k, uint8(i), max(f.w, 1)
		f.done, f.to = uint8(i+1), o.Imm
		f.addr, f.blk = b.Addr+uint64(o.Off), b
		const in = numRegs - 1 // of State.R, which Core.r does not check
		f.dst, f.src, f.base, f.index = f.dst&in, f.src&in, f.base&in, f.index&in
		f.cost = o.cost
		f.counts = uint32(o.nl) | uint32(o.ns)<<8 | uint32(o.nk)<<16 | uint32(o.np)<<24
		o.fastAccess(f)
	}
	end := b.fast[n-1].addr + uint64(b.Ops[n-1].Len)
	b.fast[n] = fop{kind: fEnd, alone: fEnd, idx: uint8(n), done: uint8(n), addr: end, blk: b}
	b.solo = slices.Clone(b.fast)
	for i := range b.solo {
		if f := &b.solo[i]; (f.alone == fJmp || isJcc(f.alone)) && f.to <= f.addr {
			f.self = 1
		}
	}
	b.head = &b.solo[0]
	quiet(b)
	for i := 0; i < n-1; i++ {
		if pair(&b.fast[i], &b.fast[i+1]) {
			i++
		}
	}
	markLoop(b)
}

// fastAccess says where the memory operand of f is, which o has become, and how
// its line comes when f runs alone. RET waits in its handler, which looks at the
// target first.
func (o *Op) fastAccess(f *fop) {
	switch k := f.alone; {
	case k == fPop, k == fRet, k == fLeave, k == fPush, k == fCall:
		f.base, f.index, f.scale, f.w, f.disp = RSP, regZero, 0, 8, 0
		f.access = reads
		switch k {
		case fLeave:
			f.base = RBP
		case fPush, fCall:
			f.disp, f.access = ^uint64(7), writes
		}
	case k >= fLoad && k <= fLoadSX || k >= fAddLoad && k <= fTestMem:
		f.access = reads
	case k == fStore || k == fStore64 || k >= fAddMem && k <= fCmpxchg:
		f.access = writes
	}
	switch {
	case f.alone == fRet || f.access == noAccess:
	case f.access == reads:
		f.how = mem.ForLoad
	case o.Flag&opLock != 0:
		f.how = mem.ForLock
	case o.nl != 0:
		f.how = mem.ForLoadStore
	default:
		f.how = mem.ForStore
	}
}

// markLoop finds the one branch of b that goes back to b's start. With two of
// them turns could differ in length, so none is marked.
func markLoop(b *Block) {
	var back *fop
	for i := range b.Ops {
		f := &b.fast[i]
		if f.to != b.Addr || f.kind != fJmp && !isJcc(f.kind) && (f.kind < fCmpJZ || f.kind > fDecJZ) {
			continue
		}
		if isJcc(f.kind) && i > 0 && b.fast[i-1].done == f.done {
			continue // taken along by the op before
		}
		if back != nil {
			return
		}
		back = f
	}
	if back != nil {
		back.self, b.turn = 1, uint64(back.done)
		b.works = slices.ContainsFunc(b.solo[:b.turn], func(f fop) bool { return !looks(f.alone) })
	}
}

func isJcc(k uint16) bool { return k == fJcc || k == fJZ }

// pair lets f take the op behind it along if there is a kind for the two: a
// conditional jump, an operation on what was loaded, a store. The second op
// keeps its own kind, for when the first one runs alone. Of the jumps only JE
// and JNE have pairs of their own; a compare takes any.
func pair(f, g *fop) bool {
	switch k := f.kind; {
	case isJcc(g.alone):
		return pairJump(f, g)
	case k == fLoad64 && g.kind >= fAddWhole && g.kind <= fXorWhole:
		f.kind = fLoadAdd + g.kind - fAddWhole
	case k >= fAdd && k <= fXor && g.kind == fStore64:
		f.kind = fAddStore + k - fAdd
	default:
		return false
	}
	return true
}

func pairJump(f, j *fop) bool {
	k := map[uint16]uint16{fCmp: fCmpJZ, fTest: fTestJZ, fCmpLoad: fCmpLoadJZ, fCmpMem: fCmpMemJZ, fTestMem: fTestMemJZ,
		fSub: fSubJZ, fAdd: fAddJZ, fAnd: fAndJZ, fDec: fDecJZ}[f.alone]
	switch {
	case j.cond>>1 == 2 && k != 0:
		f.kind, f.ne = k, j.cond&1 != 0
	case f.alone == fCmp:
		f.kind = fCmpJCC
	default:
		return false
	}
	f.cond, f.to, f.done = j.cond, j.to, j.done
	return true
}

// quiet drops flags that the same block overwrites before anything can look at
// them: nothing between the two may read flags, fault or leave the block.
func quiet(b *Block) {
	dead := false
	for i := len(b.Ops) - 1; i >= 0; i-- {
		f, row := &b.fast[i], &Rows[b.Ops[i].Mn]
		switch k := f.alone; {
		case dead && k >= fAdd && k <= fXor:
			f.kind = k + fAddQuiet - fAdd
			if f.w == 8 && f.src != regZero {
				f.kind = k + fAddWhole - fAdd
			}
		case dead && k == fXadd:
			f.kind = fXaddQuiet
		}
		switch {
		case !calm(f.alone) || row.Reads&arithFlags != 0:
			dead = false
		case row.Writes == arithFlags:
			dead = true
		}
	}
}

// calm kinds neither touch memory nor leave the block.
func calm(k uint16) bool { return k >= fNop && k <= fLea || k >= fAdd && k <= fTest }

// fastKind classifies o and fills in its fast operands.
func (o *Op) fastKind(f *fop) uint16 {
	d, s := o.Args[0], o.Args[1]
	*f = fop{w: o.W, dst: d.Reg, src: regZero, base: o.Base, index: o.Index, cond: o.Cond, imm: o.Imm, mask: widthMask[o.W&15], disp: o.Disp}
	if o.Index != regZero {
		f.scale = 1 << o.Shift
	}
	if s.Kind == ArgReg {
		f.src, f.imm = s.Reg, 0
	}
	if o.Mn == MOVZX && s.Kind == ArgReg && s.Sh != 0 {
		return o.whole(fMovHigh)
	}
	if o.Mn == CMP && d.Kind == ArgReg && s.Kind == ArgReg && d.Sh|s.Sh != 0 {
		f.kw, f.scale, f.disp = lazySub|1<<8, uint64(d.Sh), uint64(s.Sh)
		return fCmpHigh
	}
	if o.Seg != 0 || o.Flag&(opAddr32|opSerial|opShared) != 0 || d.Sh != 0 || s.Sh != 0 {
		return fStep
	}
	k := o.fastMove(f)
	if k == fStep {
		k = o.fastALU(f)
	}
	if k == fStep {
		k = o.fastFlow(f)
	}
	return k
}

// whole gives k if the destination register is written as a whole.
func (o *Op) whole(k uint16) uint16 {
	if o.W == 4 || o.W == 8 {
		return k
	}
	return fStep
}

// fastMove classifies moves.
func (o *Op) fastMove(f *fop) uint16 {
	d, s := o.Args[0], o.Args[1]
	switch o.Mn {
	case PAUSE:
		return fPause
	case NOP, ENDBR64, LFENCE, SFENCE, PREFETCH:
		return fNop
	case LEA:
		return o.whole(fLea)
	case CMOV:
		if s.Kind == ArgReg {
			return o.whole(fCmov)
		}
	case SET:
		if d.Kind == ArgReg {
			return fSet
		}
	case MOVSX, MOVSXD:
		f.w = s.W
		if s.Kind == ArgMem {
			return o.whole(fLoadSX)
		}
		return o.whole(fMovSX)
	case MOV, MOVZX:
		if d.Kind == ArgMem {
			return map[bool]uint16{true: fStore64, false: fStore}[o.W == 8]
		}
		f.w = s.W
		f.mask &= widthMask[s.W&15]
		switch {
		case s.Kind == ArgMem && s.W == 8:
			return fLoad64
		case s.Kind == ArgMem && o.W < 4:
			f.imm = widthMask[o.W&15]
			return fLoadLow
		case s.Kind == ArgMem:
			return fLoad
		case o.W < 4:
			f.disp = widthMask[o.W&15]
			return fMovLow
		}
		return fMov
	}
	return fStep
}

// fastALU classifies arithmetic.
func (o *Op) fastALU(f *fop) uint16 {
	kinds, ok := fastALUKinds[o.Mn]
	d, s := o.Args[0].Kind, o.Args[1].Kind
	switch {
	case o.Mn == IMUL2 && s == ArgReg && o.Args[2].Kind == ArgNone:
		return o.whole(fImul)
	case o.Mn == SHL || o.Mn == SHR || o.Mn == SAR:
		if f.imm = maskCount(o.Imm, o.W); d != ArgReg || s != ArgImm || f.imm == 0 {
			return fStep
		}
		return o.whole(kinds.reg)
	case !ok:
		return fStep
	}
	f.kw = kinds.lazy | uint16(o.W)<<8
	if o.Mn == INC || o.Mn == DEC {
		f.imm, f.src = 1, regZero
	}
	switch locked := o.Flag&opLock != 0; {
	case d == ArgMem && (o.Mn == XADD || o.Mn == CMPXCHG) && !locked:
		return fStep
	case d == ArgMem && o.Mn == XADD:
		f.imm = f.mask | clearAbove[o.W&15]
		return fXadd
	case d == ArgMem:
		return kinds.mem
	case s == ArgMem && o.Mn == CMP:
		return kinds.load
	case s == ArgMem:
		return o.whole(kinds.load)
	case o.Mn == CMP || o.Mn == TEST:
		return kinds.reg
	}
	return o.whole(kinds.reg)
}

// fastALUKinds gives the kinds of an instruction with a register or immediate
// source: to a register, from memory, to memory.
var fastALUKinds = map[Mn]struct{ reg, load, mem, lazy uint16 }{
	ADD:     {fAdd, fAddLoad, fAddMem, lazyAdd},
	SUB:     {fSub, fSubLoad, fSubMem, lazySub},
	AND:     {fAnd, fAndLoad, fAndMem, lazyLogic},
	OR:      {fOr, fOrLoad, fOrMem, lazyLogic},
	XOR:     {fXor, fXorLoad, fStep, lazyLogic},
	CMP:     {fCmp, fCmpLoad, fCmpMem, lazySub},
	TEST:    {fTest, fStep, fTestMem, lazyLogic},
	INC:     {fInc, fStep, fIncMem, lazyInc},
	DEC:     {fDec, fStep, fDecMem, lazyDec},
	XADD:    {fStep, fStep, fXadd, lazyAdd},
	XCHG:    {fStep, fStep, fXchg, 0},
	CMPXCHG: {fStep, fStep, fCmpxchg, lazySub},
	SHL:     {reg: fShl},
	SHR:     {reg: fShr},
	SAR:     {reg: fSar},
}

// fastFlow classifies the stack and branches.
func (o *Op) fastFlow(f *fop) uint16 {
	d := o.Args[0].Kind
	switch {
	case o.Mn == PUSH && o.W == 8 && d == ArgReg:
		return fPush
	case o.Mn == POP && o.W == 8 && d == ArgReg && o.Args[0].Reg != RSP:
		return fPop
	case o.Mn == LEAVE && o.W == 8:
		return fLeave
	case o.Mn == JMP && d == ArgImm && canonical(o.Imm):
		return fJmp
	case o.Mn == JMP && d == ArgReg:
		return fJmpReg
	case o.Mn == CALL && d == ArgImm && canonical(o.Imm):
		return fCall
	case o.Mn == JCC && canonical(o.Imm):
		if f.ne = o.Cond&1 != 0; o.Cond>>1 == 2 {
			return fJZ
		}
		return fJcc
	case o.Mn == RET:
		return fRet
	}
	return fStep
}
