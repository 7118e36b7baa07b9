package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

// TestAlignmentCheck: at CPL 3 with RFLAGS.AC and CR0.AM set, data accesses of
// up to 8 bytes must be aligned, those to the stack and of strings too (SDM
// vol. 3A, 6.15, vector 17). RDI is odd, RSI is aligned.
func TestAlignmentCheck(t *testing.T) {
	for _, tc := range []struct {
		src string
		ac  bool
	}{
		{"mov (%rdi),%al", false}, {"mov (%rdi),%ax", true}, {"mov (%rdi),%eax", true}, {"mov (%rdi),%rax", true},
		{"mov %ax,(%rdi)", true}, {"mov 1(%rdi),%ax", false}, {"mov 1(%rdi),%eax", true}, {"mov 3(%rdi),%eax", false}, {"mov 3(%rdi),%rax", true},
		{"add %eax,(%rdi)", true}, {"lock xadd %eax,(%rdi)", true}, {"xchg %eax,(%rdi)", true}, {"cmpxchg8b (%rdi)", true}, {"cmpxchg16b (%rsi)", false},
		{"bts %eax,(%rdi)", true}, {"sete (%rdi)", false}, {"movzbl (%rdi),%eax", false}, {"movzwl (%rdi),%eax", true}, {"movslq (%rdi),%rax", true},
		{"lea (%rdi),%rax", false}, {"nopl (%rdi)", false}, {"prefetcht0 (%rdi)", false}, {"clflush (%rdi)", false},
		{"movups (%rdi),%xmm0", false}, {"movdqu %xmm0,(%rdi)", false}, {"movq (%rdi),%xmm0", true}, {"movd %xmm0,(%rdi)", true}, {"movss (%rdi),%xmm0", true}, {"movhps (%rdi),%xmm0", true},
		{"push %rax", false}, {"inc %rsp; push %rax", true}, {"inc %rsp; pop %rax", true}, {"inc %rsp; call .", true}, {"inc %rsp; ret", true},
		{"inc %rsp; pushf", true}, {"inc %rsp; popf", true}, {"push (%rdi)", true}, {"lea 1(%rsp),%rbp; leave", true}, {"inc %rsp; enter $0,$0", true}, {"inc %rsp; enter $8,$3", true},
		{"movsb", false}, {"movsw", true}, {"xchg %rdi,%rsi; movsw", true}, {"stosq", true}, {"scasl", true}, {"lodsl", false}, {"xchg %rdi,%rsi; lodsl", true}, {"cmpsq", true},
		{"sgdt (%rdi)", true}, {"sgdt (%rsi)", false},
	} {
		t.Run(tc.src, func(t *testing.T) {
			for _, on := range []bool{true, false} {
				r := rigOf(t, tc.src+"; hlt")
				r.c.SetCPL(3)
				r.c.HLTAny = true
				r.c.R[RDI], r.c.R[RSI], r.c.R[RSP], r.c.R[RBP] = rigData+1, rigData+64, rigStack-64, rigStack-64
				r.poke(rigStack-64, rigCode)
				r.poke(rigStack-63, rigCode)
				r.c.SetRFlags(AC)
				if !on {
					r.c.CR[0] &^= 1 << 18
				}
				if tc.ac && on {
					r.faulted(vecAC, 0)
					continue
				}
				if st := r.run(2); st == Faulted {
					require.NotEqual(t, uint8(vecAC), r.c.Fault.Vector)
				}
			}
			r := rigOf(t, tc.src+"; hlt") // CPL 0 never checks
			r.c.R[RDI], r.c.R[RSI] = rigData+1, rigData+64
			r.c.SetRFlags(AC)
			r.c.IDT = Table{}
			if r.run(1) == Faulted {
				require.NotEqual(t, uint8(vecAC), r.c.Fault.Vector)
			}
		})
	}
}

// TestFetchAcrossPages: an instruction faults on bytes that cannot be fetched
// only if it needs them, at the address of the first missing one.
func TestFetchAcrossPages(t *testing.T) {
	end := uint64(rigCode + 2*mem.PageSize)
	for _, tc := range []struct {
		name, code string
		fits       bool
	}{
		{"nop at the end", "90", true},
		{"opcode alone needs its operand", "8b", false},
		{"prefix alone", "66", false},
		{"fourteen prefixes", "2e2e2e2e2e2e2e2e2e2e2e2e2e2e", false},
		{"fifteen prefixes: #GP needs no more", "2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e", true},
		{"mov with its immediate", "b801000000", true},
		{"mov without its last byte", "b8010000", false},
		{"escape alone", "0f", false},
		{"three-byte escape", "0f38", false},
		{"VEX alone", "c4e2", false},
		{"SIB missing", "8b04", false},
		{"displacement missing", "8b8500", false},
		{"undefined after one byte", "06", true},
		{"jump", "eb00", true},
		{"jump cut", "eb", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code := unhex(t, tc.code)
			at := end - uint64(len(code))
			for _, cpl := range []uint8{0, 3} {
				r := rigOf(t, "nop")
				r.m.Poke(at, code)
				r.c.IDT = Table{}
				r.c.SetCPL(cpl)
				r.c.Jump(at)
				st := r.run(1)
				if tc.fits {
					require.True(t, st == Retired || st == Faulted && r.c.Fault.Vector != vecPF)
					continue
				}
				require.Equal(t, Faulted, st)
				require.Equal(t, Fault{Vector: vecPF, HasError: true, Error: 0x10 | uint32(cpl&2)<<1, CR2: end, RIP: at}, r.c.Fault)
			}
		})
	}
}

// TestAddressSpaceEdges: code in the last page and at the canonical borders.
func TestAddressSpaceEdges(t *testing.T) {
	const last = ^uint64(0) - 0xfff
	start := func(page, rip uint64, code string) *rig {
		r := rigOf(t, "nop")
		require.NoError(t, r.m.Map(page, mem.PageSize, mem.Read|mem.Write|mem.Exec))
		r.m.Fill(page, mem.PageSize, 0x90)
		r.m.Poke(rip, unhex(t, code))
		r.c.IDT = Table{}
		r.c.Jump(rip)
		return r
	}
	t.Run("runs into address 0", func(t *testing.T) {
		r := start(last, last+0xffe, "9090")
		require.NoError(t, r.m.Map(0, mem.PageSize, mem.Read|mem.Exec))
		r.m.Fill(0, mem.PageSize, 0x90)
		require.Equal(t, Retired, r.run(4))
		require.EqualValues(t, 2, r.c.RIP)
	})
	t.Run("nothing at address 0", func(t *testing.T) {
		r := start(last, last+0xffe, "b801")
		r.faulted(vecPF, 0x10)
		require.Zero(t, r.c.Fault.CR2)
	})
	t.Run("an access around the end", func(t *testing.T) {
		r := start(last, last, "8b0425feffffff")
		require.NoError(t, r.m.Map(0, mem.PageSize, mem.Read))
		r.m.Poke(last+0xffe, []byte{1, 2})
		require.Equal(t, Retired, r.run(1))
		require.EqualValues(t, 0x0201, r.c.R[RAX])
	})
	t.Run("out of the lower half", func(t *testing.T) {
		r := start(nonCanon-mem.PageSize, nonCanon-1, "90")
		require.Equal(t, Faulted, r.run(2))
		require.Equal(t, Fault{Vector: vecGP, HasError: true, RIP: nonCanon}, r.c.Fault)
	})
	t.Run("an instruction out of the lower half", func(t *testing.T) {
		r := start(nonCanon-mem.PageSize, nonCanon-2, "b801")
		r.faulted(vecGP, 0)
		require.EqualValues(t, nonCanon-2, r.c.Fault.RIP)
	})
}

// TestSplitAccesses: what crosses a line is two pieces, but a locked access is
// one and is counted.
func TestSplitAccesses(t *testing.T) {
	r := rigOf(t, "mov %eax,62(%rdi); mov %rax,4092(%rdi); movl $5,(%rdi)")
	require.Equal(t, Retired, r.run(1))
	require.EqualValues(t, 2, r.p.B.N, "across a line")
	require.Equal(t, [2]uint8{2, 2}, [2]uint8{r.p.B.At(0).Size, r.p.B.At(1).Size})
	require.Equal(t, Retired, r.run(1))
	require.EqualValues(t, 4, r.p.B.N, "across a page")
	require.Equal(t, Retired, r.run(1))
	require.EqualValues(t, 5, r.p.B.N)

	meter := &mem.Meter{}
	r = rigOf(t, "lock incl 62(%rdi); lock incl 60(%rdi); lock addq $1,4093(%rdi); xchg %eax,63(%rdi)")
	r.p = mem.NewPort(r.m, 0, meter, mem.Manual)
	require.Equal(t, Retired, r.run(4))
	require.EqualValues(t, 3, meter.Counts.SplitLocks)
	require.EqualValues(t, 4, r.c.Count.Locked)
	require.EqualValues(t, 1, r.m.PeekUint(rigData+4093, 8))
}

// TestSplitLoadTears: another core's store between the two pieces is seen by
// half, and a locked access never is.
func TestSplitLoadTears(t *testing.T) {
	r := rigOf(t, "mov 62(%rdi),%eax; nop")
	require.Equal(t, Visible, r.c.Run(r.p, Budget{Visible: true}), "the first piece is done")
	r.m.Poke(rigData+62, []byte{1, 2, 3, 4})
	require.Equal(t, Retired, r.c.Run(r.p, Budget{Visible: true, Retire: 1}))
	require.EqualValues(t, 0x04030000, r.c.R[RAX])
}
