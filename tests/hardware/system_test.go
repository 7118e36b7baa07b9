package hardware

import "spinlab/cpu"

// What a user program may or may not execute: privileged instructions, ports,
// software interrupts, invalid opcodes; and what reads something of the
// processor that no two have alike.

var systemRecipes = []recipe{
	fixedBytes(cpu.HLT, 0xf4), fixedBytes(cpu.CLI, 0xfa), fixedBytes(cpu.STI, 0xfb),
	fixedBytes(cpu.IN, 0xe4, 0x60), fixedBytes(cpu.IN, 0xe5, 0x80), fixedBytes(cpu.IN, 0xec), fixedBytes(cpu.IN, 0x66, 0xed),
	fixedBytes(cpu.OUT, 0xe6, 0x80), fixedBytes(cpu.OUT, 0xe7, 0xff), fixedBytes(cpu.OUT, 0xee), fixedBytes(cpu.OUT, 0xef),
	fixedBytes(cpu.RDMSR, 0x0f, 0x32), fixedBytes(cpu.WRMSR, 0x0f, 0x30),
	fixedBytes(cpu.MONITOR, 0x0f, 0x01, 0xc8), fixedBytes(cpu.MWAIT, 0x0f, 0x01, 0xc9),
	fixedBytes(cpu.SYSRET, 0x48, 0x0f, 0x07), fixedBytes(cpu.CLTS, 0x0f, 0x06),
	fixedBytes(cpu.LLDT, 0x0f, 0x00, 0xd0), fixedBytes(cpu.LTR, 0x0f, 0x00, 0xd8), fixedBytes(cpu.LMSW, 0x0f, 0x01, 0xf0),
	fixedBytes(cpu.INVD, 0x0f, 0x08), fixedBytes(cpu.WBINVD, 0x0f, 0x09), fixedBytes(cpu.XSETBV, 0x0f, 0x01, 0xd1),
	fixedBytes(cpu.SWAPGS, 0x0f, 0x01, 0xf8),
	fixedBytes(cpu.MOVCR, 0x0f, 0x20, 0xc0), fixedBytes(cpu.MOVCR, 0x0f, 0x22, 0xd8), fixedBytes(cpu.MOVCR, 0x44, 0x0f, 0x20, 0xc0),
	fixedBytes(cpu.MOVDR, 0x0f, 0x21, 0xc0), fixedBytes(cpu.MOVDR, 0x0f, 0x23, 0xf8),
	privilegedMemory(cpu.LGDT, 2), privilegedMemory(cpu.LIDT, 3), privilegedMemory(cpu.INVLPG, 7),
	{cpu.INT, (*gen).interrupt, 0, nil},
	fixedBytes(cpu.INT3, 0xcc),
	fixedBytes(cpu.UD2, 0x0f, 0x0b), fixedBytes(cpu.UD1, 0x0f, 0xb9, 0xc1), fixedBytes(cpu.UD0, 0x0f, 0xff, 0xc8),
	{cpu.BAD, (*gen).invalid, 0, nil}, {cpu.BAD, (*gen).tooLong, 0, nil},
	clobber(cpu.RDTSC, 0, 1<<cpu.RAX|1<<cpu.RDX, 0x0f, 0x31),
	clobber(cpu.RDTSCP, 0, 1<<cpu.RAX|1<<cpu.RDX|1<<cpu.RCX, 0x0f, 0x01, 0xf9),
	clobber(cpu.CPUID, 0, 1<<cpu.RAX|1<<cpu.RBX|1<<cpu.RCX|1<<cpu.RDX, 0x0f, 0xa2),
	{cpu.RDRAND, func(g *gen) { g.randomNumber(cpu.RDRAND, 6) }, featRDRAND, nil},
	{cpu.RDSEED, func(g *gen) { g.randomNumber(cpu.RDSEED, 7) }, featRDSEED, nil},
	{cpu.RDFSBASE, func(g *gen) { g.base(0, false) }, featFSGSBase, nil},
	{cpu.RDGSBASE, func(g *gen) { g.base(1, false) }, featFSGSBase, nil},
	{cpu.WRFSBASE, func(g *gen) { g.base(2, true) }, featFSGSBase, nil},
	{cpu.WRGSBASE, func(g *gen) { g.base(3, true) }, featFSGSBase, nil},
}

// fixedBytes is an instruction whose bytes have no choice worth making.
func fixedBytes(mn cpu.Mn, b ...byte) recipe {
	return recipe{mn, func(g *gen) { g.raw(b...) }, 0, nil}
}

// clobber is fixedBytes with registers that get what only the processor knows.
func clobber(mn cpu.Mn, need feature, regs uint16, b ...byte) recipe {
	return recipe{mn, func(g *gen) {
		g.raw(b...)
		g.c.UndefRegs = regs
	}, need, nil}
}

// privilegedMemory is 0F 01 /ext on an address that is good.
func privilegedMemory(mn cpu.Mn, ext byte) recipe {
	return recipe{mn, func(g *gen) {
		in := &insn{op: []byte{0x0f, 0x01}, modrm: true, reg: ext}
		g.memory(in, scratchPage+g.Uint64N(pageSize-10))
		g.emit(in)
	}, 0, nil}
}

// interrupt is INT n for gates that Linux does not open to users: it opens 3,
// 4 and 80 (arch/x86/kernel/idt.c).
func (g *gen) interrupt() {
	n := byte(g.Uint64())
	if n == 3 || n == 4 || n == 0x80 {
		n = 0x20
	}
	g.raw(0xcd, n)
}

// invalid is an opcode that 64-bit mode does not have (SDM vol. 2D, appendix
// A, table A-2: "i64").
func (g *gen) invalid() {
	g.raw(pick(g, []byte{0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61, 0x82, 0x9a, 0xce, 0xd4, 0xd5, 0xd6, 0xea}))
	g.raw(0, 0, 0, 0)
}

// tooLong is NOP with so many prefixes that it has up to 15 bytes, or more:
// #GP (SDM vol. 3A, 6.15, vector 13).
func (g *gen) tooLong() {
	n := 12 + g.IntN(5)
	for range n {
		g.raw(pick(g, []byte{0x2e, 0x36, 0x3e, 0x26, 0x66, 0x64, 0x65}))
	}
	g.raw(0x90)
}

// randomNumber is RDRAND or RDSEED: only that the rest stays is to be seen.
func (g *gen) randomNumber(mn cpu.Mn, ext byte) {
	in := &insn{op: []byte{0x0f, 0xc7}, reg: ext}
	w := pick(g, []int{2, 4, 8})
	switch w {
	case 2:
		in.legacy = []byte{0x66}
	case 8:
		in.rex = 8
	}
	r := pick(g, g.data)
	in.setRM(r, w)
	g.emit(in)
	g.completed(mn, w, 0)
	g.c.UndefRegs = 1 << r
}

// base reads or writes a segment base. A write is followed by a read of memory
// through it; one that is not canonical is #GP.
func (g *gen) base(ext byte, write bool) {
	in := &insn{legacy: []byte{0xf3}, op: []byte{0x0f, 0xae}, reg: ext}
	r := pick(g, g.data)
	if g.chance(60) {
		in.rex = 8
	}
	if write {
		g.set(r, g.target(8, g.chance(70)))
	}
	in.setRM(r, 8)
	g.emit(in)
	if write {
		g.mark()
		g.raw(0x64|ext&1, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0) // mov %fs:0,%rax
		g.c.Single = false
	}
}
