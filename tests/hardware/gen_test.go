package hardware

import (
	"encoding/binary"
	"math/rand/v2"

	"spinlab/cpu"
)

// gen makes one case.
type gen struct {
	*rand.Rand
	c    *testCase
	have feature
	mem  *[pageSize]byte // the scratch page as it will be at the start

	data  []int // registers that instructions may read and write
	addr  []int // registers that addresses may use
	fixed uint16
	undef uint64 // flags that are undefined at this point
	seq   bool   // more instructions follow: start values are soon history
	calm  bool   // no memory and no stack

	anyAlign bool // alignment checks are on
}

// generate makes case index of a seed for a host with these features.
func generate(seed, index uint64, have feature) *testCase {
	for try := uint64(0); ; try++ {
		rng := rand.New(rand.NewPCG(seed, index<<8|try))
		c := &testCase{Fill: rng.Uint64(), Undef: map[int]uint64{}}
		fillState(c)
		g := &gen{Rand: rng, c: c, have: have, mem: fillPage(c.Fill)}
		c.Offset = g.where()
		if g.chance(70) {
			g.single()
		} else {
			g.sequence()
		}
		if len(c.Code) <= min(maxCode, pageSize-c.Offset) {
			return c
		}
	}
}

// where the code goes: mostly the middle, so that jumps have room both ways;
// now and then where the page ends right behind it or within it.
func (g *gen) where() int {
	if g.chance(3) {
		return pageSize - 1 - g.IntN(16)
	}
	return 0x400 + g.IntN(0x800)
}

func (g *gen) chance(percent int) bool { return g.IntN(100) < percent }

// number draws an interesting number.
func (g *gen) number() uint64 {
	s := splitMix(g.Uint64())
	return interesting(&s)
}

func pick[T any](g *gen, list []T) T { return list[g.IntN(len(list))] }

// here is the address of the next instruction.
func (g *gen) here() uint64 { return codePage + uint64(g.c.Offset+len(g.c.Code)) }

// mark notes the flags that are undefined at the next instruction.
func (g *gen) mark() { g.c.Undef[len(g.c.Code)] |= g.undef }

// emit appends an instruction.
func (g *gen) emit(in *insn) { g.c.Code = append(g.c.Code, in.bytes(g.here())...) }

// set gives a register its start value, which then stays.
func (g *gen) set(r int, v uint64) {
	g.c.Regs[r] = v
	g.fixed |= 1 << r
}

func (g *gen) isFixed(r int) bool { return g.fixed>>r&1 != 0 }

// patch puts bytes into the scratch page, as far as they lie in it.
func (g *gen) patch(at uint64, b []byte) {
	if at < scratchPage || at+uint64(len(b)) > scratchPage+pageSize {
		return
	}
	off := int(at - scratchPage)
	copy(g.mem[off:], b)
	g.c.Patch = append(g.c.Patch, patch{off, b})
}

// peek reads what the scratch page has at the start; 0 elsewhere.
func (g *gen) peek(at uint64, n int) uint64 {
	if at < scratchPage || at+uint64(n) > scratchPage+pageSize {
		return 0
	}
	var b [8]byte
	copy(b[:], g.mem[at-scratchPage:][:n])
	return binary.LittleEndian.Uint64(b[:])
}

// target draws the address of an operand of n bytes: mostly anywhere in the
// scratch page, sometimes across a line, at or across the page's edges, beside
// it, in the code page, or not canonical. near leaves out what no displacement
// from a known register reaches.
func (g *gen) target(n int, near bool) uint64 {
	in := uint64(scratchPage + 64 + g.IntN(pageSize-256))
	switch k := g.IntN(100); {
	case k < 40:
		return in &^ uint64(max(n, 1)-1)
	case k < 70:
		return in
	case k < 80: // across a cache line
		return in&^63 + 64 - uint64(g.IntN(n+1))
	case k < 85: // the last operand of the page
		return scratchPage + pageSize - uint64(n)
	case k < 88: // across its end
		return scratchPage + pageSize - uint64(g.IntN(n))
	case k < 90: // across its start
		return scratchPage - uint64(g.IntN(n+1))
	case k < 91:
		return scratchPage + pageSize + uint64(g.IntN(pageSize))
	case k < 92:
		return scratchPage - uint64(n) - uint64(g.IntN(pageSize))
	case k < 94: // readable, not writable; the code lies in its middle
		return codePage + uint64(g.IntN(0x300))
	case k < 96 && !near: // not canonical, with 57-bit addresses neither
		return 1<<62 + g.Uint64N(1<<62)
	}
	return scratchPage + uint64(g.IntN(pageSize/64-1))*64
}

// memory makes the r/m field of in an operand at target, through any form of
// address. Registers that are not fixed yet get the value that it takes.
func (g *gen) memory(in *insn, target uint64) {
	near := target < 1<<31
	if in.vex == nil && near && g.chance(12) {
		target = g.segment(in, target)
	}
	if near && g.chance(8) {
		in.addr32 = true
		in.legacy = append(in.legacy, 0x67)
	}
	switch k := g.IntN(16); {
	case k < 2 && near:
		in.modrm, in.mod, in.rm, in.rip, in.target = true, 0, 5, true, target
		return
	case k < 3 && near:
		in.setMem(address{base: none, index: none, disp: target}, true, true)
		return
	}
	for range 16 {
		if g.based(in, target) {
			return
		}
	}
	if !near {
		panic("no register left for a far address")
	}
	in.setMem(address{base: none, index: none, disp: target}, true, true)
}

// segment addresses target through FS or GS.
func (g *gen) segment(in *insn, target uint64) uint64 {
	if g.chance(50) {
		in.legacy = append(in.legacy, 0x65)
		return target - gsBase
	}
	in.legacy = append(in.legacy, 0x64)
	return target - fsBase
}

// based tries an address with registers: it picks them and a displacement and
// solves for a register that is free, else for the displacement.
func (g *gen) based(in *insn, target uint64) bool {
	a := address{base: g.addrReg(in), index: none, scale: g.IntN(4)}
	if g.chance(10) {
		a.base = none
	}
	if g.chance(50) || a.base == none {
		a.index = g.addrReg(in)
		if a.index == cpu.RSP || a.index == none && a.base == none { // RSP cannot be an index
			return false
		}
	}
	a.disp = uint64(int8(g.Uint64()) / 2)
	if g.chance(30) {
		a.disp = uint64(int32(g.Uint64()) / 2)
	}
	if !g.solve(&a, target, in.addr32) {
		return false
	}
	in.setMem(a, g.chance(10), g.chance(15))
	return true
}

// addrReg picks a register for an address that in can encode, none if it can
// encode none of them.
func (g *gen) addrReg(in *insn) int {
	for range 8 {
		if r := pick(g, g.addr); r < 8 || !in.noREX {
			return r
		}
	}
	return none
}

// solve makes a's value target.
func (g *gen) solve(a *address, target uint64, addr32 bool) bool {
	var junk uint64
	if addr32 {
		junk = g.Uint64() << 32 // the upper halves do not count
	}
	if a.base != none && a.base == a.index && !g.isFixed(a.base) {
		k := uint64(1)<<a.scale + 1
		v := (target - a.disp) / k
		a.disp += target - a.disp - v*k
		g.set(a.base, v)
		return fits32(a.disp)
	}
	rest := target - a.disp
	if a.base != none && g.isFixed(a.base) {
		rest -= g.c.Regs[a.base]
	}
	if a.index != none && (g.isFixed(a.index) || a.base != none && !g.isFixed(a.base)) {
		g.set(a.index, g.c.Regs[a.index])
		rest -= g.c.Regs[a.index] << a.scale
	}
	switch {
	case a.base != none && !g.isFixed(a.base):
		g.set(a.base, join(rest, junk, addr32))
		return true
	case a.index != none && !g.isFixed(a.index):
		g.set(a.index, join(rest>>a.scale, junk, addr32)) // what the shift loses goes to disp
		a.disp += rest & (1<<a.scale - 1)
		return fits32(a.disp)
	}
	a.disp += rest
	if addr32 {
		a.disp = uint64(int32(a.disp))
	}
	return fits32(a.disp)
}

// join takes the lower half of v and the upper one of junk for a 32-bit
// address, v for others.
func join(v, junk uint64, addr32 bool) uint64 {
	if addr32 {
		return v&0xffffffff | junk
	}
	return v
}
