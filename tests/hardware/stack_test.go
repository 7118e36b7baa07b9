package hardware

import "spinlab/cpu"

// The stack. In a case of one instruction RSP gets an address like any
// operand's; in a sequence it starts in the middle of the scratch page and only
// pushes and pops move it.

var stackRecipes = []recipe{
	{cpu.PUSH, (*gen).push, 0, (*gen).pushInSequence},
	{cpu.POP, (*gen).pop, 0, (*gen).popInSequence},
	{cpu.PUSHF, (*gen).pushf, 0, (*gen).pushfInSequence},
	{cpu.POPF, (*gen).popf, 0, nil},
	{cpu.ENTER, (*gen).enter, 0, nil},
	{cpu.LEAVE, (*gen).leave, 0, nil},
	{cpu.MOV, (*gen).absolute, 0, nil},
	{cpu.MOVSEG, (*gen).moveSegment, 0, nil},
}

// stackWidth picks 16 or 64 bits and sets the prefix.
func (g *gen) stackWidth(in *insn) int {
	if g.chance(25) {
		in.legacy = append(in.legacy, 0x66)
		return 2
	}
	return 8
}

// stackAt sets RSP so that the access of w bytes that push makes, or pop, is
// at an address of g.target.
func (g *gen) stackAt(w int, push bool) {
	at := g.target(w, g.chance(50))
	if push {
		at += uint64(w)
	}
	g.set(cpu.RSP, at)
}

func (g *gen) push() {
	in := &insn{}
	w := g.stackWidth(in)
	g.stackAt(w, true)
	g.pushOperand(in, w)
}

// pushOperand emits PUSH of a register, an immediate, memory, FS or GS.
func (g *gen) pushOperand(in *insn, w int) {
	switch g.IntN(5) {
	case 0, 1:
		r := g.IntN(16)
		in.op, in.rex = []byte{0x50 | byte(r&7)}, byte(r>>3)
	case 2:
		in.op, in.imm = []byte{0x6a}, []byte{byte(g.number())}
		if g.chance(50) {
			in.op, in.imm = []byte{0x68}, immediate(g.number(), min(w, 4))
		}
	case 3:
		in.op, in.modrm, in.reg = []byte{0xff}, true, 6
		g.memory(in, g.target(w, g.seq))
	case 4:
		in.op = []byte{0x0f, pick(g, []byte{0xa0, 0xa8})}
	}
	g.mark()
	g.emit(in)
}

func (g *gen) pushInSequence() bool {
	in := &insn{}
	g.pushOperand(in, g.stackWidth(in))
	return true
}

// pop is POP to a register or to memory.
func (g *gen) pop() {
	in := &insn{}
	w := g.stackWidth(in)
	g.stackAt(w, false)
	if g.chance(60) {
		g.popRegister(in)
		return
	}
	in.op, in.modrm, in.reg = []byte{0x8f}, true, 0
	g.memory(in, g.target(w, false))
	g.mark()
	g.emit(in)
}

func (g *gen) popRegister(in *insn) {
	r := pick(g, g.data)
	in.op, in.rex = []byte{0x58 | byte(r&7)}, byte(r>>3)
	if g.chance(15) {
		in.op, in.rex = []byte{0x8f}, 0
		in.setRM(r, 8)
	}
	g.mark()
	g.emit(in)
}

func (g *gen) popInSequence() bool {
	in := &insn{}
	g.stackWidth(in)
	g.popRegister(in)
	return true
}

func (g *gen) pushf() {
	in := &insn{op: []byte{0x9c}}
	g.stackAt(g.stackWidth(in), true)
	g.mark()
	g.emit(in)
}

func (g *gen) pushfInSequence() bool {
	if g.undef&reads[cpu.PUSHF] != 0 {
		return false
	}
	in := &insn{op: []byte{0x9c}}
	g.stackWidth(in)
	g.mark()
	g.emit(in)
	return true
}

// popf loads random flags but TF and AC, which have their own sequences, and
// NT, which Linux's way out of the handler would trip over.
func (g *gen) popf() {
	in := &insn{op: []byte{0x9d}}
	w := g.stackWidth(in)
	g.stackAt(w, false)
	g.patch(g.c.Regs[cpu.RSP], immediate(g.Uint64()&^(cpu.TF|cpu.AC|cpu.NT), w))
	g.mark()
	g.emit(in)
	g.completed(cpu.POPF, w, 0)
}

// enter makes a frame; the enclosing frame pointers that nesting copies lie
// below RBP.
func (g *gen) enter() {
	in := &insn{op: []byte{0xc8}}
	w := g.stackWidth(in)
	size, level := g.IntN(600), 0
	switch g.IntN(4) {
	case 0:
		level = g.IntN(34)
	case 1:
		level = g.IntN(3)
	}
	in.imm = append(le16(uint64(size)), byte(level))
	g.c.AnyPage = true // it pushes before it probes the new top
	room := uint64(size + 34*w)
	g.set(cpu.RSP, scratchPage+room+g.Uint64N(pageSize-room))
	g.set(cpu.RBP, scratchPage+34*8+g.Uint64N(pageSize-34*8))
	if g.chance(10) {
		g.stackAt(w, true)
	}
	g.mark()
	g.emit(in)
}

func (g *gen) leave() {
	in := &insn{op: []byte{0xc9}}
	w := g.stackWidth(in)
	g.set(cpu.RBP, g.target(w, g.chance(50)))
	g.mark()
	g.emit(in)
}

// moveSegment reads any segment register, or loads a null selector into DS or
// ES; into SS that is #GP, into CS #UD, and so are numbers 6 and 7. (FS and GS
// are left out: whether a null selector clears the base differs between
// vendors.)
func (g *gen) moveSegment() {
	in := &insn{op: []byte{0x8c}, modrm: true, reg: byte(g.IntN(8))}
	w := pick(g, []int{2, 4, 8})
	if g.chance(30) {
		in.op[0], w = 0x8e, 4
		in.reg = pick(g, []byte{0, 1, 2, 3, 6, 7})
	}
	switch w {
	case 2:
		in.legacy = []byte{0x66}
	case 8:
		in.rex = 8
	}
	if g.chance(50) {
		r := pick(g, g.data)
		in.setRM(r, 8)
		if in.op[0] == 0x8e {
			g.set(r, g.number()&^0xffff|g.Uint64N(4))
		}
	} else {
		at := g.target(2, false)
		g.memory(in, at)
		if in.op[0] == 0x8e {
			g.patch(at, le16(g.Uint64N(4)))
		}
	}
	g.mark()
	g.emit(in)
}
