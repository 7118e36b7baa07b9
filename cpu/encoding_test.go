package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

// TestUndefinedEncodings: #UD, as an AMD EPYC host answers to the same bytes,
// where x86asm sees an instruction or a prefix would have to be ignored.
func TestUndefinedEncodings(t *testing.T) {
	for _, digits := range []string{
		"660fc307", "f30fc307", "f20fc307", // MOVNTI takes no such prefix
		"f20fc7f0", "f20fc7f8", // nor RDRAND and RDSEED
		"f30f01e8", "f20f01e8", "660f01e8", "f20f01d5", "f30f01d6", "660f01d6", // nor SERIALIZE, XEND, XTEST
		"0f24c0", "0f26c0", // test registers
		"c4e07800", "c4e47800", "c4ff7800", "f0c5f877", "66c5f877", "f3c5f877", "48c5f877", // VEX: reserved maps, prefixes
		"c4e36bf0c805", "c4e37ff0c805", // RORX: VVVV and L are reserved
		"0f20c8", "0f20e8", "440f20c8", // CR1, CR5, CR9
		"f20fae07", "660fae07", "f30fae07", // FXSAVE
		"f20fb807", "0fb807", "8ec8", "8ef8", "8cf8", "8fc8", "06", "0e", "16", "1e", "27", "2f", "37", "3f", "60", "61", "62", "82c000", "9a", "ce", "d4", "d5", "d6", "ea",
		"0f04", "0f0a", "0f0c", "0fc7c8", "0fb2c0", "fe10", "ffff", "0fba0003", "2e2e2e2e2e2e2e2e2e2e2e2e2e2e06",
	} {
		r := newRig(t, unhex(t, digits), mem.Late)
		r.c.IDT = Table{}
		require.Equal(t, Faulted, r.run(1), digits)
		require.Equal(t, Fault{Vector: vecUD, RIP: rigCode}, r.c.Fault, digits)
	}
}

// TestLengthLimit: an instruction of more than 15 bytes is #GP, whatever it is
// (SDM vol. 2A, 2.3.11), one of 15 is not.
func TestLengthLimit(t *testing.T) {
	pfx := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = 0x2e
		}
		return b
	}
	for _, digits := range []string{"90", "b801000000", "0f1f8400deadbeef", "06", "0f04", "c4e37bf0c805", "f3a4", "0f0b", "0fc707", "0f01f8", "c5f877", "62f17c4858c0", "80470101", "0fff07"} {
		body := unhex(t, digits)
		fits := append(pfx(maxLen-len(body)), body...)
		r := newRig(t, fits, mem.Late)
		r.c.IDT, r.c.R[RBP], r.c.R[RDX] = Table{}, rigData, 0
		if r.run(1) == Faulted {
			require.NotEqualValues(t, vecGP, r.c.Fault.Vector, "15 bytes of %s", digits)
		}
		for n := maxLen - len(body) + 1; n <= maxLen+1; n++ {
			r := newRig(t, append(pfx(n), body...), mem.Late)
			r.c.IDT = Table{}
			require.Equal(t, Faulted, r.run(1), "%d prefixes and %s", n, digits)
			require.EqualValues(t, vecGP, r.c.Fault.Vector, "%d prefixes and %s", n, digits)
		}
	}
}

// TestNamedStops: a real instruction that is not modelled stops with its name,
// before it did anything.
func TestNamedStops(t *testing.T) {
	for digits, name := range map[string]string{
		"0f05": "syscall", "0f34": "sysenter", "480f07": "sysret", "0f35": "sysexit", "0f33": "rdpmc", "0f0017": "lldt", "0f001f": "ltr", "0f21c0": "debug register",
		"0f08": "invd", "0f09": "wbinvd", "0f06": "clts", "0f01d1": "xsetbv", "0f01f0": "lmsw", "660f388207": "invpcid", "6c": "ins", "f36e": "outs", "cb": "lret", "ff2f": "ljmp", "ff1f": "lcall",
		"d9c0": "fld", "dbe3": "fninit", "9b": "fwait", "0f77": "emms", "0fae07": "fxsave", "0fae17": "ldmxcsr", "0f58c1": "addps", "f20f58c1": "addsd", "0f6fc1": "movq", "c5f877": "AVX",
		"62f17c4858c0": "vaddps", "0f01d0": "xgetbv", "0f00c0": "sldt", "0f01e0": "smsw", "660f3adf c805": "aeskeygenassist", "f20f38f0c1": "crc32", "f30fc7f8": "rdpid", "0f01ee": "rdpkru", "0fb20f": "lss", "0f02c1": "lar", "cf": "iret", "66cf": "iret",
	} {
		r := newRig(t, unhex(t, digits), mem.Late)
		before := r.c.State
		require.Equal(t, Unsupported, r.run(1), digits)
		require.Contains(t, r.c.Why, name, digits)
		require.Contains(t, r.c.Why, "not modelled", digits)
		require.Equal(t, before, r.c.State, digits)
		require.Zero(t, r.c.Count.Instructions)
	}
}

// TestExits: what a core hands to its driver, retired, with RIP behind it.
func TestExits(t *testing.T) {
	const val = 0x1122334455667788
	for _, tc := range []struct {
		src  string
		want Exit
	}{
		{"hlt", Exit{Kind: ExitHLT}},
		{"vmcall", Exit{Kind: ExitVMCall}},
		{"vmmcall", Exit{Kind: ExitVMCall}},
		{"cpuid", Exit{Kind: ExitCPUID}},
		{"rdtsc", Exit{Kind: ExitRDTSC}},
		{"rdtscp", Exit{Kind: ExitRDTSC, Reg: 1}},
		{"monitor", Exit{Kind: ExitMWAIT}},
		{"mwait", Exit{Kind: ExitMWAIT}},
		{"rdmsr", Exit{Kind: ExitRDMSR}},
		{"wrmsr", Exit{Kind: ExitWRMSR, Val: 0x99aabbcc55667788}},
		{"mov %cr0,%rbx", Exit{Kind: ExitCRRead, Reg: RBX}},
		{"mov %cr8,%r9", Exit{Kind: ExitCRRead, CR: 8, Reg: R9}},
		{"mov %rax,%cr4", Exit{Kind: ExitCRWrite, CR: 4, Val: val}},
		{"in $0x60,%al", Exit{Kind: ExitIn, Port: 0x60, Size: 1}},
		{"in $0xff,%ax", Exit{Kind: ExitIn, Port: 0xff, Size: 2}},
		{"in %dx,%eax", Exit{Kind: ExitIn, Port: 0xbbcc, Size: 4}},
		{"out %al,$0x80", Exit{Kind: ExitOut, Port: 0x80, Size: 1, Val: 0x88}},
		{"out %eax,%dx", Exit{Kind: ExitOut, Port: 0xbbcc, Size: 4, Val: 0x55667788}},
	} {
		t.Run(tc.src, func(t *testing.T) {
			r := rigOf(t, "mov %eax,(%rdi); nop;"+tc.src)
			r.c.R[RAX], r.c.R[RDX] = val, 0x99aabbcc
			tc.want.RIP = rigCode + 3
			require.Equal(t, Exited, r.run(3))
			require.Equal(t, tc.want, r.c.Exit)
			require.EqualValues(t, 3, r.c.Count.Instructions)
			require.Greater(t, r.c.RIP, r.c.Exit.RIP)
		})
	}
}

// TestSystemRegisters: bases, tables, transactions that never start, and hints.
func TestSystemRegisters(t *testing.T) {
	r := rigOf(t, "wrfsbase %rdi; rdfsbase %rax; wrgsbase %edi; swapgs; rdgsbase %rbx; swapgs; rdgsbase %ecx")
	r.c.KGS = 0x1234
	r.c.R[RCX] = ^uint64(0)
	require.Equal(t, Retired, r.run(7))
	require.Equal(t, []uint64{rigData, 0x1234, rigData}, []uint64{r.c.R[RAX], r.c.R[RBX], r.c.R[RCX]})

	r = rigOf(t, "movabs $0x800000000000,%rax; wrgsbase %rax")
	r.handled(vecGP, 0)

	r = rigOf(t, "lidt (%rdi); lgdt 16(%rdi); sidt 32(%rdi); sgdt 48(%rdi); mfence")
	r.poke(rigData, 0x400000_0fff)
	r.poke(rigData+16, 0x401000_002f)
	require.Equal(t, Retired, r.run(5))
	require.Equal(t, [2]Table{{0x400000, 0xfff}, {0x401000, 0x2f}}, [2]Table{r.c.IDT, r.c.GDT})
	require.Equal(t, r.peek(rigData), r.peek(rigData+32))
	require.Equal(t, r.peek(rigData+16), r.peek(rigData+48))

	r = rigOf(t, "lidt (%rdi)")
	r.poke(rigData+2, nonCanon)
	r.handled(vecGP, 0)

	r = rigOf(t, "mov $-1,%rax; xbegin 1f; mov $1,%ebx; 1: xtest; setz %cl; xabort $1")
	require.Equal(t, Retired, r.run(5))
	require.Equal(t, []uint64{0, 0, 1}, []uint64{r.c.R[RAX], r.c.R[RBX], r.c.R[RCX]})

	r = rigOf(t, "rdtsc")
	r.c.CR[4] |= 4
	r.c.SetCPL(3)
	r.faulted(vecGP, 0)

	r = rigOf(t, "mov %eax,(%rdi); lfence; sfence; clflush (%rdi); prefetcht0 (%rax)")
	require.Equal(t, Retired, r.run(5))
	require.EqualValues(t, 1, r.p.B.N, "none of them drains")
}
