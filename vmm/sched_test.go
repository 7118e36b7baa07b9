package vmm

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"spinlab/mem"
)

// burn spends turns × 2 instructions and ends.
func burn(turns int) string {
	return fmt.Sprintf("vcpu_main: mov $%d, %%ecx\n1: dec %%ecx\njne 1b\n", turns) + pass
}

func TestOneVCPUCostsItsInstructions(t *testing.T) {
	r := run(t, burn(1000), 1, 1)
	require.Equal(t, VerdictDone, r.Verdict, r.Message)
	v := r.VMs[0].VCPUs[0]
	assert.Equal(t, uint64(1+2*1000+2), v.Instructions)
	// A cycle for each but OUT, which is of the system class.
	assert.Equal(t, mem.Cycles(1+2000+1+10), v.RunCycles)
	assert.Equal(t, v.RunCycles, r.Cycles, "the first stay on a pCPU and the end cost nothing")
}

func TestSlices(t *testing.T) {
	const slice = 10_000
	r := run(t, burn(15_000), 2, 1, func(c *Config) { c.Slice = slice })
	require.Equal(t, VerdictDone, r.Verdict)
	p, _ := FindProfile("default")
	a, b := r.VMs[0].VCPUs[0], r.VMs[0].VCPUs[1]
	// 30,012 cycles are three slices and a bit each; once the other is done
	// nobody waits and the slice is renewed without an exit.
	assert.Equal(t, uint64(3), a.Exits.Preempt)
	assert.Equal(t, uint64(3), b.Exits.Preempt)
	assert.Equal(t, mem.Cycles(30_012), a.RunCycles)
	assert.Equal(t, 3*(p.Exit[ReasonPreempt]+p.Switch), a.HostCycles, "the first stay needs no switch")
	assert.Equal(t, 3*(p.Exit[ReasonPreempt]+p.Switch)+p.Switch, b.HostCycles)
	assert.Equal(t, r.Cycles, 2*30_012+a.HostCycles+b.HostCycles, "the pCPU is never idle")

	alone := run(t, burn(15_000), 2, 2, func(c *Config) { c.Slice = slice })
	assert.Zero(t, alone.VMs[0].VCPUs[0].Exits.Preempt)
}

func TestIdlePCPUSteals(t *testing.T) {
	// vCPUs 0 and 2 share pCPU 0; vCPU 1 ends at once, so that pCPU 1 takes
	// the one that waits.
	r := run(t, "vcpu_main: cmp $1, %edi\nje 2f\nmov $500000, %ecx\n1: dec %ecx\njne 1b\n2:"+pass, 3, 2)
	require.Equal(t, VerdictDone, r.Verdict)
	assert.Less(t, r.Cycles, mem.Cycles(1_100_000))
	assert.Zero(t, r.VMs[0].VCPUs[0].Exits.Preempt)
}

// The SDM's rule: the first PAUSE after entry starts a loop, and the first one
// more than the window after it exits; a gap starts anew.
func TestPauseLoopExits(t *testing.T) {
	loop := func(n, work int) string {
		return fmt.Sprintf("vcpu_main: mov $%d, %%ecx\n1: pause\nmov $%d, %%eax\n2: dec %%eax\njne 2b\ndec %%ecx\njne 1b\n", n, work) + pass
	}
	// A turn takes 10 + 1 + 2·work + 2 cycles: 45 with 16 turns of work, so
	// that PAUSE 93 is the first more than 4,096 after PAUSE 1 (92·45 = 4,140).
	for name, c := range map[string]struct {
		pauses, work int
		ple          bool
		want         uint64
	}{
		"window not passed":  {92, 16, true, 0},
		"first beyond it":    {93, 16, true, 1},
		"a loop after entry": {93 + 92, 16, true, 1},
		"twice":              {93 + 93, 16, true, 2},
		"switched off":       {1000, 16, false, 0},
		"gap of 127":         {100, 57, true, 2}, // PAUSE 34 and 68: 33 turns of 127 cycles pass the window
		"gap of 129":         {100, 58, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, loop(c.pauses, c.work), 1, 1, func(cfg *Config) { cfg.PLE = c.ple })
			require.Equal(t, VerdictDone, r.Verdict, r.Message)
			assert.Equal(t, c.want, r.VMs[0].VCPUs[0].Exits.Pause)
		})
	}
}

func TestPauseExitYields(t *testing.T) {
	spin := "vcpu_main: test %edi, %edi\njne 3f\n1: pause\ncmpb $0, 0x200000\nje 1b\n2:" + pass +
		"\n3: movb $1, 0x200000\n" + pass
	off := run(t, spin, 2, 1)
	on := run(t, spin, 2, 1, func(c *Config) { c.PLE = true })
	require.Equal(t, VerdictDone, off.Verdict)
	require.Equal(t, VerdictDone, on.Verdict)
	assert.Equal(t, Exits{Preempt: 1, IO: 1}, off.VMs[0].VCPUs[0].Exits)
	assert.Equal(t, Exits{Pause: 1, IO: 1}, on.VMs[0].VCPUs[0].Exits)
	assert.Less(t, on.Cycles, off.Cycles/3)
}

// Two cores store at the same time and load the other's word at once (SB).
// With a buffer both read 0; the order of later commits is by ready time.
func TestCommitModes(t *testing.T) {
	source := `
vcpu_main:
	mov $0x200000, %ebx
	shl $8, %edi
	mov %edi, %ecx
	xor $0x100, %ecx
	mov (%rbx,%rcx), %rax	# shares the other's line, so that the load is a hit
	mov (%rbx,%rdi), %rax
	movq $1, (%rbx,%rdi)
	mov (%rbx,%rcx), %rax
	mov %rax, 8(%rbx,%rdi)
` + pass
	for mode, want := range map[mem.CommitMode]uint64{mem.Timed: 0, mem.Late: 0, mem.Eager: 1} {
		m := machine(t, source, 2, 2, func(c *Config) { c.Commit = mode })
		r := m.Run()
		require.Equal(t, VerdictDone, r.Verdict)
		assert.Equal(t, want, shared(m, 0x08), "mode %d", mode)
		assert.Equal(t, want, shared(m, 0x108), "mode %d", mode)
	}
}

func TestStoresCommitInTimeOrder(t *testing.T) {
	for _, mode := range []mem.CommitMode{mem.Timed, mem.Random} {
		var last mem.Cycles
		var n int
		source := `
vcpu_main:
	mov $40, %ebp
	mov $0x200000, %ebx
1:	incq (%rbx)
	incq 0x80(%rbx,%rdi,8)
	incq 0x100(%rbx)
	dec %ebp
	jne 1b
` + pass
		m := machine(t, source, 3, 3, func(c *Config) {
			c.Commit, c.Seed = mode, 9
			c.Observe = func(e *Event) {
				if e.Kind == EventCommit {
					n++
					require.GreaterOrEqual(t, e.Time, last)
					last = e.Time
				}
			}
		})
		require.Equal(t, VerdictDone, m.Run().Verdict)
		assert.Greater(t, n, 20, "mode %d", mode)
	}
}

// A store that only a drain commits becomes visible at the end of a slice.
func TestLateStoreOfASpinner(t *testing.T) {
	source := `
vcpu_main:
	mov $0x200000, %ebx
	movb $1, (%rbx,%rdi)
	xor $1, %edi
1:	pause
	cmpb $0, (%rbx,%rdi)
	je 1b
` + pass
	r := run(t, source, 2, 2, func(c *Config) { c.Commit = mem.Late })
	assert.Equal(t, VerdictDone, r.Verdict, r.Message)
	assert.GreaterOrEqual(t, r.Cycles, mem.Cycles(100_000))
}

func TestExclusion(t *testing.T) {
	r := run(t, lockProgram(ticketLock, ticketUnlock, 200, 10, 30), 4, 4)
	require.Equal(t, VerdictDone, r.Verdict, r.Message)
	assert.Equal(t, Counter{Want: 800, Got: 800}, r.Counter)
	for _, v := range r.VMs[0].VCPUs {
		assert.Equal(t, uint64(200), v.Acquisitions)
		assert.Greater(t, v.WaitCycles.Mean, 20.0)
		assert.GreaterOrEqual(t, float64(v.WaitCycles.Max), v.WaitCycles.Mean)
		assert.Greater(t, v.HoldCycles.Mean, 20.0)
	}

	broken := run(t, lockProgram(testLock, testUnlock, 200, 10, 30), 2, 2)
	assert.Equal(t, VerdictViolation, broken.Verdict)
	assert.Regexp(t, `^exclusion: vcpu \d rip 0x\w+ \(acquired\+0x0\) is in the critical section while vcpu \d rip 0x\w+ \(\w+\+0x\w+\) is$`, broken.Message)
}

func TestLostCount(t *testing.T) {
	m := machine(t, lockProgram(ticketLock, ticketUnlock, 10, 1, 1), 2, 2)
	m.VMs[0].image.Want = 21
	r := m.Run()
	assert.Equal(t, VerdictViolation, r.Verdict)
	assert.Equal(t, "vm 0: its vCPUs ended after 20 of 21 acquisitions, with the counter at 20: vcpu 0 rip 0x100038 (lock+0x0) had 10", r.Message)
}

func TestRunsAreEqual(t *testing.T) {
	for seed := range uint64(4) {
		one := func() Report {
			return run(t, lockProgram(ticketLock, ticketUnlock, 100, 10, 30), 5, 3, func(c *Config) {
				c.Seed, c.PLE, c.Commit, c.Slice = seed, true, mem.Random, 20_000
			})
		}
		assert.Equal(t, one(), one())
	}
}

// The trace runs by the reference handlers and one instruction at a time: it
// must not change what happens.
func TestObservingChangesNothing(t *testing.T) {
	n := 0
	source := lockProgram(ticketLock, ticketUnlock, 50, 10, 30)
	set := func(c *Config) { c.Seed, c.PLE, c.Slice = 3, true, 20_000 }
	plain := run(t, source, 5, 3, set)
	seen := run(t, source, 5, 3, set, func(c *Config) {
		c.Observe = func(e *Event) {
			if e.Kind == EventInstruction {
				n++
			}
		}
	})
	assert.Equal(t, plain, seen)
	var sum uint64
	for _, v := range plain.VMs[0].VCPUs {
		sum += v.Instructions
	}
	assert.Equal(t, sum, uint64(n))
}

func TestSkewsFollowTheSeed(t *testing.T) {
	start := func(seed uint64) (list []mem.Cycles) {
		for _, v := range run(t, burn(10), 3, 3, func(c *Config) { c.Seed = seed }).VMs[0].VCPUs {
			list = append(list, v.HaltedCycles)
		}
		return list
	}
	assert.Equal(t, []mem.Cycles{0, 0, 0}, start(0))
	assert.NotEqual(t, start(1), start(2))
	assert.Equal(t, start(1), start(1))
}

func TestLimits(t *testing.T) {
	r := run(t, "vcpu_main: jmp vcpu_main", 2, 2, func(c *Config) { c.MaxInstructions = 1000 })
	assert.Equal(t, VerdictLimit, r.Verdict)
	assert.Equal(t, "1000 instructions retired (--max-instructions)", r.Message)
	assert.Equal(t, uint64(1000), r.VMs[0].VCPUs[0].Instructions+r.VMs[0].VCPUs[1].Instructions)

	r = run(t, "vcpu_main: jmp vcpu_main", 2, 2, func(c *Config) { c.MaxCycles = 1000 })
	assert.Equal(t, VerdictLimit, r.Verdict)
	assert.Equal(t, mem.Cycles(1000), r.Cycles)

	// The last instruction that may retire is an exit.
	r = run(t, "vcpu_main: cpuid\njmp vcpu_main", 1, 1, func(c *Config) { c.MaxInstructions = 1 })
	assert.Equal(t, VerdictLimit, r.Verdict)
	assert.Equal(t, uint64(1), r.VMs[0].VCPUs[0].Instructions)
}

func TestLargestVM(t *testing.T) {
	r := run(t, burn(10), MaxVCPUs, MaxPCPUs)
	require.Equal(t, VerdictDone, r.Verdict)
	assert.Len(t, r.VMs[0].VCPUs, MaxVCPUs)
}

// Random machines: the books balance, runs repeat, and a sound lock is sound,
// whatever the machine.
func TestRandomMachines(t *testing.T) {
	// Kicks itself before it halts, so that nobody sleeps for ever.
	halting := `
	mov $0x100, %eax
	lock xaddw %ax, (%rdi)
	mov %rbx, %r8
4:	mov $20, %ecx
5:	cmp %ah, %al
	je 6f
	pause
	movb (%rdi), %al
	dec %ecx
	jne 5b
	mov %eax, %r9d
	mov $5, %eax
	mov %gs:8, %rbx
	vmcall
	hlt
	mov %r9d, %eax
	jmp 4b
6:	mov %r8, %rbx`
	locks := []string{ticketLock, halting}
	rapid.Check(t, func(rt *rapid.T) {
		source := lockProgram(rapid.SampledFrom(locks).Draw(rt, "lock"), ticketUnlock,
			rapid.IntRange(1, 12).Draw(rt, "iters"), rapid.IntRange(1, 200).Draw(rt, "inside"), rapid.IntRange(1, 400).Draw(rt, "outside"))
		img, _ := guest(t, source)
		cfg := Config{PCPUs: rapid.IntRange(1, 5).Draw(rt, "pcpus")}
		for range rapid.IntRange(1, 3).Draw(rt, "vms") {
			cfg.VMs = append(cfg.VMs, VMConfig{VCPUs: rapid.IntRange(1, 5).Draw(rt, "vcpus"), Image: img})
		}
		cfg.Slice = rapid.Uint64Range(1000, 50_000).Draw(rt, "slice")
		cfg.PLE = rapid.Bool().Draw(rt, "ple")
		cfg.Seed = rapid.Uint64Range(0, 5).Draw(rt, "seed")
		cfg.Commit = mem.CommitMode(rapid.IntRange(0, int(mem.Random)).Draw(rt, "commit"))
		cfg.MaxInstructions = rapid.Uint64Range(1000, 3_000_000).Draw(rt, "limit")
		one := func(lockstep bool) Report {
			m, err := NewMachine(cfg)
			require.NoError(rt, err)
			m.lockstep = lockstep
			return m.Run()
		}
		r := one(false)
		balanced(rt, r)
		require.Contains(rt, []Verdict{VerdictDone, VerdictLimit}, r.Verdict, r.Message)
		require.Equal(rt, r, one(false), "again")
		if r.Verdict == VerdictDone { // a limit stops in the middle of running ahead
			require.Equal(rt, r, one(true), "one cycle at a time")
			cfg.Observe = func(*Event) {}
			require.Equal(rt, r, one(false), "one instruction at a time")
		}
	})
}
