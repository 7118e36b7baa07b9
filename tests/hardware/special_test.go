package hardware

import (
	"math/rand/v2"

	"spinlab/cpu"
)

// recipe makes one kind of instruction.
type recipe struct {
	mn   cpu.Mn
	make func(g *gen)
	need feature
	seq  func(g *gen) bool // in a sequence; nil: alone only
}

// recipes are all that single draws from, by row.
var recipes = buildRecipes()

func buildRecipes() map[cpu.Mn][]recipe {
	list := map[cpu.Mn][]recipe{}
	for mn, fs := range forms {
		for i := range fs {
			f := &fs[i]
			list[mn] = append(list[mn], recipe{mn, func(g *gen) { g.form(f) }, f.need, func(g *gen) bool { return g.form(f) }})
		}
	}
	for _, more := range [][]recipe{stringRecipes, stackRecipes, flowRecipes, systemRecipes} {
		for _, r := range more {
			list[r.mn] = append(list[r.mn], r)
		}
	}
	return list
}

// rows are the rows with recipes, in order.
var rows = func() (list []cpu.Mn) {
	for mn := cpu.Mn(0); mn < cpu.NumMn; mn++ {
		if len(recipes[mn]) > 0 {
			list = append(list, mn)
		}
	}
	return list
}()

// all16 are the general registers.
var all16 = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// single makes a case of one instruction. Rows come with equal weight, but the
// lanes of SSE are so many and so simple that they share a fourth.
func (g *gen) single() {
	g.data, g.addr = all16, all16
	g.c.Single, g.c.Counts = true, true
	for {
		mn := pick(g, rows)
		if mn > cpu.UNMODELLED && !g.chance(40) {
			continue
		}
		r := pick(g, recipes[mn])
		if r.need&^g.have != 0 {
			continue
		}
		g.undef = 0
		g.mark()
		r.make(g)
		if len(g.c.Code) > 0 {
			g.mark()
			g.c.Elsewhere |= g.undef
			return
		}
	}
}

// raw emits bytes as they stand.
func (g *gen) raw(b ...byte) { g.c.Code = append(g.c.Code, b...) }

// String instructions.

var stringRecipes = []recipe{
	stringRecipe(cpu.MOVS, 0xa4), stringRecipe(cpu.CMPS, 0xa6), stringRecipe(cpu.STOS, 0xaa),
	stringRecipe(cpu.LODS, 0xac), stringRecipe(cpu.SCAS, 0xae),
	{cpu.XLAT, (*gen).xlat, 0, nil},
}

func stringRecipe(mn cpu.Mn, op byte) recipe {
	return recipe{mn, func(g *gen) { g.stringOp(mn, op) }, 0, nil}
}

// stringOp sets up pointers, count and direction; runs across the edges of the
// page, and strings that overlap, come by themselves.
func (g *gen) stringOp(mn cpu.Mn, op byte) {
	in := &insn{op: []byte{op}}
	w := pick(g, []int{1, 2, 4, 8})
	g.stringPrefixes(in, w)
	n := 1
	if g.chance(65) {
		in.legacy = append(in.legacy, 0xf3)
		if (mn == cpu.CMPS || mn == cpu.SCAS) && g.chance(50) {
			in.legacy[len(in.legacy)-1] = 0xf2
		}
		n = g.IntN(40)
		// SDM vol. 2B, REP: a page fault in a repeated compare restores the
		// flags from before it; AMD's processors keep those of the last turn.
		g.c.AnyFault |= arith
	}
	if g.chance(5) {
		n = 1000 + g.IntN(10000)
	}
	g.c.AnyCR2 = mn == cpu.CMPS // no manual says which of the two is read first
	g.c.Flags |= cpu.DF * g.Uint64N(2)
	src, dst := g.target(w, true), g.target(w, true)
	if g.chance(25) {
		dst = src + g.Uint64N(48) - 24
	}
	if g.chance(40) { // equal strings, so that compares go on
		g.sameBytes(src, dst, n, w)
	}
	g.pointers(in, n, src, dst)
	g.mark()
	g.emit(in)
	g.completed(mn, w, 0)
}

func (g *gen) stringPrefixes(in *insn, w int) {
	switch w {
	case 1:
		return
	case 2:
		in.legacy = append(in.legacy, 0x66)
	case 8:
		in.rex = 8
	}
	in.op[0]++
}

// sameBytes makes memory from src on and from dst on alike, and AL's words too,
// up to some turn.
func (g *gen) sameBytes(src, dst uint64, n, w int) {
	n = min(n, 40)
	if n == 0 {
		return
	}
	n = 1 + g.IntN(n)
	word := le64(g.number())[:w]
	var b []byte
	for range n {
		b = append(b, word...)
	}
	if g.c.Flags&cpu.DF != 0 {
		back := uint64(len(b) - w)
		src, dst = src-back, dst-back
	}
	g.patch(src, b)
	g.patch(dst, b)
	g.set(cpu.RAX, g.peek(src, w)|g.Uint64()<<8<<(w*8-8))
}

// pointers sets RSI, RDI and RCX for the address size and segment that in
// gets.
func (g *gen) pointers(in *insn, n int, src, dst uint64) {
	var junk uint64
	if g.chance(15) {
		in.legacy = append(in.legacy, 0x67)
		junk = g.Uint64() << 32
	}
	if g.chance(15) {
		src = g.segment(in, src)
	}
	g.set(cpu.RSI, src|junk)
	g.set(cpu.RDI, dst|junk)
	g.set(cpu.RCX, uint64(n)|junk)
}

// xlat reads the byte at RBX + AL.
func (g *gen) xlat() {
	in := &insn{op: []byte{0xd7}}
	target := g.target(1, true)
	if g.chance(20) {
		target = g.segment(in, target)
	}
	v := target - g.c.Regs[cpu.RAX]&0xff
	if g.chance(20) {
		in.legacy = append(in.legacy, 0x67)
		v = v&0xffffffff | g.Uint64()<<32
	}
	g.set(cpu.RBX, v)
	g.mark()
	g.emit(in)
}

// absolute is MOV between the accumulator and an address of eight bytes, four
// with an address-size prefix.
func (g *gen) absolute() {
	in := &insn{op: []byte{0xa0 + byte(g.IntN(4))}}
	w := pick(g, []int{2, 4, 8})
	if in.op[0]&1 == 0 {
		w = 1
	} else if w == 2 {
		in.legacy = append(in.legacy, 0x66)
	} else if w == 8 {
		in.rex = 8
	}
	target := g.target(w, g.chance(50))
	if target < 1<<31 && g.chance(20) {
		target = g.segment(in, target)
	}
	in.imm = le64(target)
	if target < 1<<32 && g.chance(20) {
		in.legacy = append(in.legacy, 0x67)
		in.imm = in.imm[:4]
	}
	g.mark()
	g.emit(in)
}

// generateOne makes a case by one recipe.
func generateOne(r recipe, index uint64) *testCase {
	c := base(index)
	g := &gen{Rand: rand.New(rand.NewPCG(0, index)), c: c, mem: c.page(), data: all16, addr: all16}
	c.Offset = 0x800
	r.make(g)
	return c
}
