package vmm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"spinlab/mem"
)

// menu is what random guests are made of; %rbx is the shared memory and %rdi
// tells the vCPUs apart. Together they fill store buffers, wait for them in
// every way, split lines and move them around.
var menu = []string{
	"mov %rax, (%rbx)", "mov %rdi, 0x40(%rbx)", "mov %rcx, 0x80(%rbx,%rdi,8)", "incq 0xc0(%rbx)", "movb $3, 0x101(%rbx)",
	"mov (%rbx), %rax", "add 0x40(%rbx), %rcx", "mov 0x80(%rbx), %rdx", "mov %rcx, 0x13d(%rbx)", "mov 0x13c(%rbx), %rdx",
	"lock xadd %rcx, 0xc0(%rbx)", "xchg %rax, 0x100(%rbx)", "lock incq 0x17e(%rbx)", "mfence", "pause", "nop", "imul %rcx, %rcx",
	"push %rax\npop %rdx", "cpuid\nmov $0x200000, %ebx", "xor %eax, %eax\nin $0x60, %al", "rdtsc", "mov %al, %al\nout %al, $0xe9",
	"mov $5, %eax\npush %rbx\nmov $1, %ebx\nvmcall\npop %rbx",
}

// A core that runs ahead of the others must not see or do anything that it
// would not in lockstep.
func TestRunningAheadChangesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		body := strings.Join(rapid.SliceOfN(rapid.SampledFrom(menu), 1, 40).Draw(rt, "body"), "\n")
		img, _ := guest(t, "vcpu_main: mov $0x200000, %ebx\nmov $20, %ebp\n1:\n"+body+"\ndec %ebp\njne 1b\n"+pass)
		cfg := Config{PCPUs: rapid.IntRange(1, 4).Draw(rt, "pcpus"), VMs: []VMConfig{{VCPUs: rapid.IntRange(2, 5).Draw(rt, "vcpus"), Image: img}}}
		cfg.Slice = rapid.Uint64Range(500, 20_000).Draw(rt, "slice")
		cfg.PLE = rapid.Bool().Draw(rt, "ple")
		cfg.Seed = rapid.Uint64Range(0, 5).Draw(rt, "seed")
		cfg.CommitDelay = rapid.Uint64Range(1, 2000).Draw(rt, "delay")
		cfg.Commit = mem.CommitMode(rapid.IntRange(0, int(mem.Random)).Draw(rt, "commit"))
		one := func(lockstep bool) (Report, [1024]byte) {
			m, err := NewMachine(cfg)
			require.NoError(rt, err)
			m.lockstep = lockstep
			r := m.Run()
			var b [1024]byte
			m.VMs[0].Mem.Peek(testShared, b[:])
			return r, b
		}
		r, bytes := one(false)
		require.Equal(rt, VerdictDone, r.Verdict, r.Message)
		balanced(rt, r)
		r2, bytes2 := one(true)
		require.Equal(rt, r, r2)
		require.Equal(rt, bytes, bytes2)
		cfg.Observe = func(*Event) {}
		r3, bytes3 := one(false)
		require.Equal(rt, r, r3)
		require.Equal(rt, bytes, bytes3)
	})
}
