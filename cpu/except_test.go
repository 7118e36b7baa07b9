package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

// exceptionCase is code that raises vec at offset at. What is saved is the RIP
// of that instruction, or for a trap of the next one, n bytes behind.
type exceptionCase struct {
	name  string
	src   string
	vec   uint8
	code  int64 // error code; -1: none
	at, n uint64
	trap  bool
	cr2   uint64
	setup func(r *rig)
}

// descriptors of the test GDT, by selector.
func withGDT(r *rig) {
	r.c.GDT = Table{Base: rigGDT, Limit: 0x5f}
	for sel, d := range map[uint64]uint64{
		0x10: 0x00af9b000000ffff, // 64-bit code, DPL 0
		0x18: 0x00cf93000000ffff, // data, DPL 0
		0x20: 0x00cf13000000ffff, // data, not present
		0x28: 0x00cff3000000ffff, // data, DPL 3
		0x30: 0x00affb000000ffff, // 64-bit code, DPL 3
		0x38: 0x00cf91000000ffff, // data, read-only
		0x40: 0x00af99000000ffff, // code, execute-only
		0x48: 0x00cf9b000000ffff, // 32-bit code
		0x50: 0x12cf93345678ffff, // data with a base
		0x58: 0x00af1b000000ffff, // 64-bit code, not present
	} {
		r.poke(rigGDT+sel, d)
	}
}

var exceptionCases = []exceptionCase{
	{name: "DE", src: "xor %ecx,%ecx; div %ecx", vec: vecDE, code: -1, at: 2},
	{name: "DE quotient", src: "mov $1,%ecx; mov %ecx,%edx; divl (%rdi)", vec: vecDE, code: -1, at: 7},
	{name: "INT1", src: "nop; int1", vec: vecDB, code: -1, at: 1, n: 1, trap: true},
	{name: "INT3", src: "int3", vec: vecBP, code: -1, n: 1, trap: true},
	{name: "INT 3, two bytes", src: ".byte 0xcd,3", vec: vecBP, code: -1, n: 2, trap: true},
	{name: "OF", src: "int $4", vec: vecOF, code: -1, n: 2, trap: true},
	{name: "INT n", src: "int $0x80", vec: 0x80, code: -1, n: 2, trap: true},
	{name: "INT 14 has no error code", src: "int $14", vec: vecPF, code: -1, n: 2, trap: true, cr2: 0x1234, setup: func(r *rig) { r.c.CR[2] = 0x1234 }},
	{name: "INT 8 is no double fault", src: "int $8", vec: vecDF, code: -1, n: 2, trap: true},
	{name: "UD", src: "nop; ud2", vec: vecUD, code: -1, at: 1},
	{name: "UD lock", src: ".byte 0xf0,0x89,0xd8", vec: vecUD, code: -1},
	{name: "UD into", src: ".byte 0xce", vec: vecUD, code: -1},
	{name: "UD cr1", src: ".byte 0x0f,0x20,0xc8", vec: vecUD, code: -1},
	{name: "NM", src: "movaps %xmm0,%xmm1", vec: vecNM, code: -1, setup: func(r *rig) { r.c.CR[0] |= cr0TS }},
	{name: "UD before NM", src: "movaps %xmm0,%xmm1", vec: vecUD, code: -1, setup: func(r *rig) { r.c.CR[0] |= cr0TS; r.c.CR[4] &^= cr4OSFXSR }},
	{name: "NP", src: "mov $0x20,%eax; mov %eax,%ds", vec: vecNP, code: 0x20, at: 5, setup: withGDT},
	{name: "SS not present", src: "mov $0x20,%eax; mov %eax,%ss", vec: vecSS, code: 0x20, at: 5, setup: withGDT},
	{name: "SS read-only", src: "mov $0x38,%eax; mov %eax,%ss", vec: vecGP, code: 0x38, at: 5, setup: withGDT},
	{name: "SS of another level", src: "mov $0x2b,%eax; mov %eax,%ss", vec: vecGP, code: 0x28, at: 5, setup: withGDT},
	{name: "DS execute-only", src: "mov $0x40,%eax; mov %eax,%ds", vec: vecGP, code: 0x40, at: 5, setup: withGDT},
	{name: "DS of another level", src: "mov $0x1b,%eax; mov %eax,%ds", vec: vecGP, code: 0x18, at: 5, setup: withGDT},
	{name: "DS beyond the table", src: "mov $0x60,%eax; mov %eax,%ds", vec: vecGP, code: 0x60, at: 5, setup: withGDT},
	{name: "DS in an LDT", src: "mov $0x1c,%eax; mov %eax,%ds", vec: vecGP, code: 0x1c, at: 5, setup: withGDT},
	{name: "MOV CS", src: ".byte 0x8e,0xc8", vec: vecUD, code: -1},
	{name: "SS by base RBP", src: "movabs $0x800000000000,%rbp; mov (%rbp),%eax", vec: vecSS, code: 0, at: 10},
	{name: "SS by base RSP", src: "movabs $0x7fffffffffff,%rax; mov 16(%rsp,%rax),%eax", vec: vecSS, code: 0, at: 10},
	{name: "GP by index RBP", src: "movabs $0x800000000000,%rbp; mov (%rax,%rbp),%eax", vec: vecGP, code: 0, at: 10},
	{name: "GP by R13", src: "movabs $0x800000000000,%r13; mov (%r13),%eax", vec: vecGP, code: 0, at: 10},
	{name: "GP by FS", src: "movabs $0x800000000000,%rbp; mov %fs:(%rbp),%eax", vec: vecGP, code: 0, at: 10},
	{name: "SS whatever DS says", src: "movabs $0x800000000000,%rbp; .byte 0x3e; mov (%rbp),%eax", vec: vecSS, code: 0, at: 10},
	{name: "GP across the canonical end", src: "movabs $0x7ffffffffffd,%rax; mov (%rax),%eax", vec: vecGP, code: 0, at: 10},
	{name: "GP jump", src: "movabs $0x800000000000,%rax; jmp *%rax", vec: vecGP, code: 0, at: 10},
	{name: "GP call", src: "movabs $0x800000000000,%rax; call *%rax", vec: vecGP, code: 0, at: 10},
	{name: "GP ret", src: "movabs $0x800000000000,%rax; push %rax; ret", vec: vecGP, code: 0, at: 11},
	{name: "GP too long", src: ".fill 11,1,0x2e; mov $1,%eax", vec: vecGP, code: 0},
	{name: "GP xend", src: "xend", vec: vecGP, code: 0},
	{name: "GP alignment", src: "movaps 8(%rdi),%xmm0", vec: vecGP, code: 0},
	{name: "PF read", src: "mov 0x2000(%rdi),%eax", vec: vecPF, code: 0, cr2: rigData + 0x2000},
	{name: "PF write", src: "mov %eax,0x2000(%rdi)", vec: vecPF, code: 2, cr2: rigData + 0x2000},
	{name: "PF modify", src: "add %eax,0x2000(%rdi)", vec: vecPF, code: 2, cr2: rigData + 0x2000},
	{name: "PF crossing", src: "mov 0x1ffe(%rdi),%eax", vec: vecPF, code: 0, cr2: rigData + 0x2000},
	{name: "PF write protected", src: "mov %eax,(%rdi)", vec: vecPF, code: 3, cr2: rigData, setup: func(r *rig) {
		require.NoError(r.t, r.m.Map(rigData, mem.PageSize, mem.Read))
	}},
	{name: "PF pop reads", src: "mov $0x600000,%esp; popq (%rdi)", vec: vecPF, code: 0, at: 5, cr2: 0x600000, setup: func(r *rig) {
		require.NoError(r.t, r.m.Map(0x5ff000, mem.PageSize, mem.Read|mem.Write))
	}},
	{name: "PF no execution", src: "jmp *%rdi", vec: vecPF, code: 0x11, at: rigData - rigCode, cr2: rigData},
	{name: "PF nothing there", src: "mov $0x700000,%eax; jmp *%rax", vec: vecPF, code: 0x10, at: 0x700000 - rigCode, cr2: 0x700000},
	{name: "PF locked", src: "lock incl 0x2000(%rdi)", vec: vecPF, code: 2, cr2: rigData + 0x2000},
	{name: "PF compare fails on read-only", src: "cmpxchg %ecx,(%rdi)", vec: vecPF, code: 3, cr2: rigData, setup: func(r *rig) {
		r.poke(rigData, 1)
		require.NoError(r.t, r.m.Map(rigData, mem.PageSize, mem.Read))
	}},
}

// TestDelivery takes each exception through the IDT at CPL 0: which handler,
// which RIP, error code and RFLAGS it finds on its stack (SDM vol. 3A, 6.14 and
// 6.15; vol. 3B, 17.3.1.1 for RF).
func TestDelivery(t *testing.T) {
	for _, tc := range exceptionCases {
		for _, gate := range []uint64{14, 15} {
			t.Run(tc.name, func(t *testing.T) { checkDelivery(t, tc, gate) })
		}
	}
}

func checkDelivery(t *testing.T, tc exceptionCase, kind uint64) {
	r := rigOf(t, tc.src)
	r.c.SetRFlags(IF | NT | OF | 0x3000)
	r.c.R[RSP] -= 24 // not a multiple of 16
	if tc.setup != nil {
		tc.setup(r)
	}
	r.gate(tc.vec, kind, handlerOf(tc.vec))
	before := r.c.R[RSP]
	f := r.handled(tc.vec, tc.code)
	rip := rigCode + tc.at
	wantRF := RF
	if tc.trap {
		rip += tc.n
		wantRF = 0
	}
	require.Equal(t, rip, f[0], "saved RIP")
	require.EqualValues(t, 0x10, f[1], "saved CS")
	require.EqualValues(t, 0x18, f[4], "saved SS")
	require.Equal(t, wantRF, f[2]&RF, "saved RF")
	require.Equal(t, IF|NT|0x3000, f[2]&(IF|NT|0x3000|TF), "saved RFLAGS")
	if tc.name != "PF pop reads" && tc.name != "GP ret" {
		require.Equal(t, before, f[3], "saved RSP")
	}
	require.Equal(t, tc.cr2, r.c.CR[2])
	require.Zero(t, r.c.RFlags()&(NT|TF|RF), "the handler's RFLAGS")
	require.Equal(t, kind == 15, r.c.Flags&IF != 0, "only a trap gate leaves IF")
}

// TestCPL3Stops: there is no way from CPL 3 to a handler, so every exception
// stops; page faults there have U/S set.
func TestCPL3Stops(t *testing.T) {
	for _, tc := range []struct {
		src  string
		vec  uint8
		code uint32
	}{
		{"mov 0x2000(%rdi),%eax", vecPF, 4},
		{"mov %eax,0x2000(%rdi)", vecPF, 6},
		{"jmp *%rdi", vecPF, 0x15},
		{"int3", vecBP, 0},
		{"int1", vecDB, 0},
		{"int $4", vecGP, 4<<3 | 2},
		{"int $0x80", vecGP, 0x80<<3 | 2},
		{"cli", vecGP, 0}, {"sti", vecGP, 0}, {"hlt", vecGP, 0}, {"swapgs", vecGP, 0},
		{"rdmsr", vecGP, 0}, {"wrmsr", vecGP, 0}, {"mov %cr0,%rax", vecGP, 0}, {"lidt (%rdi)", vecGP, 0},
		{"lgdt (%rdi)", vecGP, 0}, {"invlpg (%rdi)", vecGP, 0}, {"in $0x60,%al", vecGP, 0}, {"out %al,$0x80", vecGP, 0},
		{".byte 0x0f,0x20,0xc8", vecUD, 0}, {".byte 0x44,0x0f,0x20,0xc8", vecUD, 0},
		{"monitor", vecUD, 0}, {"mwait", vecUD, 0}, {"clts", vecGP, 0}, {"invd", vecGP, 0}, {"wbinvd", vecGP, 0},
		{"xor %eax,%eax; mov %eax,%ss", vecGP, 0},
		{"movabs $0x800000000008,%rsp; push %rax", vecSS, 0},
		{"movabs $0x800000000000,%rsp; pop %rax", vecSS, 0},
		{"movabs $0x800000000008,%rsp; call .", vecSS, 0},
		{"movabs $0x800000000000,%rbp; leave", vecSS, 0},
		{"movabs $0x800000000008,%rsp; enter $0,$0", vecSS, 0},
	} {
		t.Run(tc.src, func(t *testing.T) {
			r := rigOf(t, tc.src)
			r.c.SetCPL(3)
			r.faulted(tc.vec, tc.code)
			require.False(t, r.c.Fault.Triple)
		})
	}
}

// TestDeliveryFails: what goes wrong on the way to a handler, and where that
// ends (SDM vol. 3A, 6.13 for the error codes, table 6-5 for #DF).
func TestDeliveryFails(t *testing.T) {
	const notPresent, wrongType, ist = 1 << 47, 1 << 40, 1 << 32
	flip := func(vec uint8, bit uint64) func(*rig) {
		return func(r *rig) { r.poke(rigIDT+uint64(vec)*16, r.peek(rigIDT+uint64(vec)*16)^bit) }
	}
	for _, tc := range []struct {
		name  string
		src   string
		setup func(*rig)
		vec   uint8
		code  int64
		at    uint64 // where the failing instruction is
	}{
		{"UD, gate not present", "ud2", flip(vecUD, notPresent), vecNP, vecUD<<3 | 3, 0},
		{"UD, gate of another type", "ud2", flip(vecUD, wrongType<<1), vecGP, vecUD<<3 | 3, 0},
		{"UD, gate with a stack of its own", "ud2", flip(vecUD, ist), vecTS, 1, 0},
		{"UD, null selector", "ud2", flip(vecUD, 0x10<<16), vecGP, 1, 0},
		{"UD, handler not canonical", "ud2", func(r *rig) { r.gate(vecUD, 14, nonCanon) }, vecGP, 1, 0},
		{"UD, beyond the limit", "ud2", func(r *rig) { r.c.IDT.Limit = 16*vecUD + 14 }, 0xff, 0, 0},
		{"INT, gate not present: no EXT", "int $0x40", flip(0x40, notPresent), vecNP, 0x40<<3 | 2, 0},
		{"INT 13, gate not present: no #DF", "int $13", flip(vecGP, notPresent), vecNP, vecGP<<3 | 2, 0},
		{"INT1, gate not present: EXT", "int1", flip(vecDB, notPresent), vecNP, vecDB<<3 | 3, 0},
		{"DE, gate not present: #DF", "xor %ecx,%ecx; div %ecx", flip(vecDE, notPresent), vecDF, 0, 2},
		{"GP, gate not present: #DF", "xend", flip(vecGP, notPresent), vecDF, 0, 0},
		{"PF, gate not present: #DF", "mov 0x2000(%rdi),%eax", flip(vecPF, notPresent), vecDF, 0, 0},
		{"AC-like NM, gate not present: #NP", "movaps %xmm0,%xmm1", func(r *rig) { r.c.CR[0] |= cr0TS; flip(vecNM, notPresent)(r) }, vecNP, vecNM<<3 | 3, 0},
		{"stack not mapped: triple", "xor %esp,%esp; ud2", func(*rig) {}, 0xff, 0, 0},
		{"stack not canonical: triple", "movabs $0x800000000040,%rsp; ud2", func(*rig) {}, 0xff, 0, 0},
		{"IDT not mapped: triple", "ud2", func(r *rig) { r.c.IDT.Base = 0x900000 }, 0xff, 0, 0},
		{"IDT not canonical: triple", "ud2", func(r *rig) { r.c.IDT.Base = nonCanon - 16 }, 0xff, 0, 0},
		{"IDT at itself", "ud2", func(r *rig) { r.c.IDT.Base = rigCode; r.c.IDT.Limit = 0xffff }, 0xff, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := rigOf(t, tc.src)
			tc.setup(r)
			if tc.vec == 0xff {
				r.faulted(vecDF, 0)
				require.True(t, r.c.Fault.Triple)
				return
			}
			f := r.handled(tc.vec, tc.code)
			if tc.vec != vecDF {
				require.Equal(t, RF, f[2]&RF)
			}
			require.Equal(t, rigCode+tc.at, f[0], "the RIP of the instruction that failed, INT n too")
			require.EqualValues(t, 1+min(tc.at, 1), r.c.Count.Instructions, "it did not retire; the HLT did")
		})
	}
}

// TestIRET comes back from each frame, or does not (SDM vol. 2A, IRET).
func TestIRET(t *testing.T) {
	const to = rigCode + 0x800
	for _, tc := range []struct {
		name   string
		cs, ss uint64
		flags  uint64
		rip    uint64
		gdt    bool
		vec    uint8 // 0: it works
		code   uint32
	}{
		{name: "same level", cs: 0x10, ss: 0x18, flags: IF},
		{name: "null SS", cs: 0x10, ss: 0},
		{name: "upper bits ignored", cs: 0x50010, ss: 0x50018},
		{name: "to CPL 3", cs: 0x33, ss: 0x2b, flags: IF | 0x3000 | AC | ID},
		{name: "same level by GDT", cs: 0x10, ss: 0x18, gdt: true},
		{name: "to CPL 3 by GDT", cs: 0x33, ss: 0x2b, gdt: true},
		{name: "null CS", cs: 3, ss: 0x2b, vec: vecGP},
		{name: "CPL 1", cs: 0x11, ss: 0x19, vec: vecGP, code: 0x10},
		{name: "SS of another level", cs: 0x33, ss: 0x18, vec: vecGP, code: 0x18},
		{name: "null SS at CPL 3", cs: 0x33, ss: 3, vec: vecGP},
		{name: "not canonical", cs: 0x10, ss: 0x18, rip: nonCanon, vec: vecGP},
		{name: "CS beyond the GDT", cs: 0x80, ss: 0x18, gdt: true, vec: vecGP, code: 0x80},
		{name: "CS is data", cs: 0x18, ss: 0x18, gdt: true, vec: vecGP, code: 0x18},
		{name: "CS of another level", cs: 0x13, ss: 0x2b, gdt: true, vec: vecGP, code: 0x10},
		{name: "CS not present", cs: 0x58, ss: 0x18, gdt: true, vec: vecNP, code: 0x58},
		{name: "SS not present", cs: 0x10, ss: 0x20, gdt: true, vec: vecSS, code: 0x20},
		{name: "SS is read-only", cs: 0x10, ss: 0x38, gdt: true, vec: vecGP, code: 0x38},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := rigOf(t, "iretq")
			if tc.rip == 0 {
				tc.rip = to
			}
			if tc.gdt {
				withGDT(r)
			}
			r.m.Poke(to, []byte{0x90})
			r.c.NMI = true
			r.c.R[RSP] -= 40
			for i, v := range []uint64{tc.rip, tc.cs, tc.flags | RF, 0x123456789, tc.ss} {
				r.poke(r.c.R[RSP]+uint64(i)*8, v)
			}
			if tc.vec != 0 {
				r.c.IDT = Table{}
				r.faulted(tc.vec, tc.code)
				require.False(t, r.c.NMI, "a faulting IRET unblocks NMIs all the same")
				return
			}
			require.Equal(t, Retired, r.run(1))
			require.EqualValues(t, to, r.c.RIP)
			require.Equal(t, tc.flags|2, r.c.RFlags())
			require.EqualValues(t, 0x123456789, r.c.R[RSP])
			require.Equal(t, [2]uint16{uint16(tc.cs), uint16(tc.ss)}, [2]uint16{r.c.Sel[SegCS], r.c.Sel[SegSS]})
			require.EqualValues(t, tc.cs&3, r.c.CPL)
			require.False(t, r.c.NMI)
		})
	}
	t.Run("NT", func(t *testing.T) {
		r := rigOf(t, "iretq")
		r.c.SetRFlags(NT)
		r.handled(vecGP, 0)
	})
	t.Run("narrow", func(t *testing.T) {
		r := rigOf(t, "iretl")
		require.Equal(t, Unsupported, r.run(1))
		require.Contains(t, r.c.Why, "iret")
	})
	t.Run("to compatibility mode", func(t *testing.T) {
		r := rigOf(t, "push $0x18; push $0; push $0; push $0x48; push $0; iretq")
		withGDT(r)
		require.Equal(t, Unsupported, r.run(10))
		require.Contains(t, r.c.Why, "compatibility")
	})
}

// TestIRETFromCPL3 may not raise privilege, IOPL or IF.
func TestIRETFromCPL3(t *testing.T) {
	r := rigOf(t, "push $0x2b; push $0; push $0x3202; push $0x33; push $0x100000; iretq")
	r.c.SetCPL(3)
	require.Equal(t, Retired, r.run(6))
	require.EqualValues(t, 2, r.c.RFlags())
	r = rigOf(t, "push $0x18; push $0; push $2; push $0x10; push $0x100000; iretq")
	r.c.SetCPL(3)
	r.faulted(vecGP, 0x10)
}

// TestSegmentBases: FS and GS take the base of their descriptor.
func TestSegmentBases(t *testing.T) {
	r := rigOf(t, "mov $0x50,%eax; mov %eax,%gs; mov %eax,%fs; xor %eax,%eax; mov %eax,%fs; mov %gs,%ecx")
	withGDT(r)
	require.Equal(t, Retired, r.run(3))
	require.EqualValues(t, 0x12345678, r.c.GSBase)
	require.EqualValues(t, 0x12345678, r.c.FSBase)
	require.Equal(t, Retired, r.run(3))
	require.Zero(t, r.c.FSBase)
	require.EqualValues(t, 0x50, r.c.R[RCX])
}
