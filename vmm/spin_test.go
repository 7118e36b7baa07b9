package vmm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"spinlab/cpu"
	"spinlab/mem"
)

// waits are loops until the word at (%rbx) has come up to %ebp: with and without
// PAUSE, with counters of all kinds that give up for a moment, with addresses and
// conditions worked out anew at every turn. %d is where a counter starts.
var waits = []string{
	"1: pause; cmp %ebp, (%rbx); jb 1b",
	"jmp 2f; 1: pause; 2: mov (%rbx), %eax; cmp %ebp, %eax; jb 1b",
	"1: movb (%rbx), %al; cmp %bpl, %al; jb 1b",
	"1: mov 16(%rbx), %rax; mov (%rax), %edx; cmp %ebp, %edx; jae 2f; pause; jmp 1b; 2:",
	"1: mov (%rbx), %eax; cmp %ebp, %eax; setb %dl; movzbl %dl, %edx; test %edx, %edx; jne 1b",
	"1: mov 64(%rbx), %rcx; mov (%rbx), %eax; lea (%rax,%rcx,2), %rsi; cmp %ebp, %eax; jb 1b",
	"1: xor %edx, %edx; mov (%rbx), %eax; cmp %ebp, %eax; mov $1, %ecx; cmovb %ecx, %edx; pause; pause; test %edx, %edx; jne 1b",
	"1: mov $COUNT, %ecx; 2: mov (%rbx), %eax; cmp %ebp, %eax; jae 3f; pause; dec %ecx; jne 2b; lock incl 0x40(%rbx); jmp 1b; 3:",
	"1: mov $COUNT, %ecx; 2: cmp %ebp, (%rbx); jae 3f; pause; sub $3, %rcx; jg 2b; incl 0x48(%rbx); jmp 1b; 3:",
	"1: xor %ecx, %ecx; 2: cmp %ebp, (%rbx); jae 3f; add $2, %ecx; cmp $COUNT, %ecx; jb 2b; mfence; jmp 1b; 3:",
	"1: mov $-COUNT, %rcx; 2: cmp %ebp, (%rbx); jae 3f; pause; inc %rcx; js 2b; jmp 1b; 3:",
	"1: mov $0x7fffff00, %ecx; 2: cmp %ebp, (%rbx); jae 3f; inc %ecx; jno 2b; incl 0x44(%rbx); jmp 1b; 3:",
	"1: mov $COUNT, %ecx; mov $7, %esi; 2: cmp %ebp, (%rbx); jae 3f; dec %ecx; cmp %esi, %ecx; jge 2b; pause; jmp 1b; 3:",
	"1: mov $COUNT, %ecx; 2: cmp %ebp, (%rbx); jae 3f; pause; add $-1, %ecx; test %ecx, %ecx; jne 2b; jmp 1b; 3:",
	"1: mov $0x80000010, %ecx; 2: cmp %ebp, (%rbx); jae 3f; sub $1, %ecx; cmp $0x80000000, %ecx; ja 2b; pushf; pop %rdx; jmp 1b; 3:",
	"1: mov $COUNT, %ecx; 2: cmp %ebp, (%rbx); jae 3f; dec %ecx; jp 4f; jne 2b; jmp 1b; 4: incl 0x4c(%rbx); jmp 1b; 3:",
	"1: mov $COUNT, %ecx; 2: cmp %ebp, (%rbx); jae 3f; pause; dec %ecx; jne 2b; pushf; pop %rax; jmp 1b; 3:",
	"1: mov $COUNT, %ecx; mov $1, %eax; 2: cmp %ebp, (%rbx); jae 3f; imul $3, %eax, %eax; dec %ecx; jne 2b; jmp 1b; 3:",
	"1: mov (%rbx), %eax; push %rax; pop %rdx; cmp %ebp, %edx; jb 1b",
	"1: rdtsc; cmp %ebp, (%rbx); jb 1b",
	"1: mov $COUNT, %ecx; 2: mov (%rbx), %eax; cmp %ebp, %eax; jb 4f; jmp 3f; 4: pause; dec %ecx; jne 2b; jmp 1b; 3:",
	// Two ways round that look the same from outside, one of which the word beside decides.
	"1: cmp %ebp, (%rbx); jb 2f; jmp 3f; 2: pause; testb $1, 8(%rbx); je 4f; inc %edx; dec %ecx; jmp 1b; 4: inc %ecx; dec %edx; jmp 1b; 3:",
	"1: cmp %ebp, (%rbx); jb 2f; jmp 3f; 2: testb $1, 8(%rbx); je 4f; pxor %xmm1, %xmm0; pause; jmp 1b; 4: mov %edx, %esi; pause; jmp 1b; 3:",
	"1: mov $COUNT, %ecx; 2: cmp %ebp, (%rbx); jb 4f; jmp 3f; 4: dec %ecx; testb $1, 8(%rbx); je 5f; cmp $900, %ecx; jle 1b; jmp 2b; 5: cmp $9, %ecx; jle 1b; jmp 2b; 3:",
	"jmp 1f; .p2align 12; 1: pause; jmp 2f; .p2align 12; 2: nop; patch: jmp 1b", // its second page
	"1: pause; patch: jmp 1b", // until its code changes
}

// spinProgram is a guest in which one vCPU steps the word and touches what lies
// around it, and every other one waits for each step by a loop of its own.
func spinProgram(rt *rapid.T, vcpus, steps int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "COUNT = %d\n", rapid.SampledFrom([]int{1, 2, 3, 4, 10, 50, 999, 20_000}).Draw(rt, "count"))
	b.WriteString("vcpu_main: mov $0x200000, %ebx; mov %rbx, 16(%rbx); movd %ebx, %xmm1\n")
	patched, enter := false, rapid.SampledFrom([]string{"", "", "call enter"}).Draw(rt, "enter")
	writer := rapid.IntRange(0, vcpus-1).Draw(rt, "writer")
	for i := range vcpus {
		if i == writer {
			continue
		}
		w := rapid.SampledFrom(waits).Draw(rt, "wait")
		if strings.Contains(w, "patch:") {
			if patched {
				w = waits[0]
			}
			patched = true
		}
		fmt.Fprintf(&b, "cmp $%d, %%edi; jne 9f\nmov $1, %%ebp\n8: %s\n%s\ninc %%ebp; cmp $%d, %%ebp; jbe 8b\n%s\n9:\n", i, w, enter, steps, pass)
	}
	for step := range steps {
		fmt.Fprintf(&b, "mov $%d, %%eax; 1: dec %%eax; jne 1b\n", rapid.IntRange(1, 6000).Draw(rt, "delay"))
		b.WriteString(rapid.SampledFrom([]string{"", "incl 8(%rbx)", "mov 64(%rbx), %rax", "lock incl 32(%rbx)", "mov (%rbx), %edx", "pause", "movl $5, spare(%rip)", "mfence"}).Draw(rt, "beside") + "\n")
		if patched && step == 0 {
			b.WriteString("movw $0x9090, patch(%rip)\n")
		}
		b.WriteString(rapid.SampledFrom([]string{"incl (%rbx)", "lock incl (%rbx)", "mov (%rbx), %eax; inc %eax; xchg %eax, (%rbx)"}).Draw(rt, "step") + "\n")
	}
	b.WriteString(rapid.SampledFrom([]string{pass, pass, "ud2"}).Draw(rt, "end") + "\nspare: .long 0\n")
	b.WriteString("nmi_handler: push %rax; mov 24(%rsp), %rax; add %rax, 0x50(%rbx); pop %rax; iretq\n")
	if enter != "" { // two of them are one too many
		b.WriteString("enter: mov %rbx, %rdi\nacquire: nop\nacquired: nop\nret\n")
	}
	return b.String()
}

// A spinner that is left alone passes unseen: reports, registers and the machine
// at any pause are as if every turn had been executed.
func TestSpinnersPassUnseen(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		vcpus := rapid.IntRange(2, 5).Draw(rt, "vcpus")
		img, _ := guest(t, spinProgram(rt, vcpus, rapid.IntRange(1, 8).Draw(rt, "steps")))
		cfg := Config{VMs: []VMConfig{{VCPUs: vcpus, Image: img}}, PCPUs: rapid.IntRange(1, 5).Draw(rt, "pcpus")}
		if rapid.Bool().Draw(rt, "hogs") {
			cfg.VMs = append(cfg.VMs, HogVM(1))
		}
		p := plain()
		if rapid.Bool().Draw(rt, "round robin") {
			p.Policy, p.Slice = RoundRobin, rapid.Uint64Range(300, 20_000).Draw(rt, "slice")
		}
		if rapid.Bool().Draw(rt, "svm") {
			p.PLEKind, p.PLECount = PLESVM, uint32(rapid.IntRange(1, 300).Draw(rt, "filter"))
		} else {
			p.PLEWindow = rapid.Uint64Range(1, 4096).Draw(rt, "window")
		}
		p.PLEGap = rapid.Uint64Range(1, 60).Draw(rt, "gap")
		cfg.Profile = &p
		cfg.PLE = rapid.Bool().Draw(rt, "ple")
		cfg.Seed = rapid.Uint64Range(0, 5).Draw(rt, "seed")
		cfg.Commit = mem.CommitMode(rapid.IntRange(0, int(mem.Random)).Draw(rt, "commit"))
		cfg.MaxInstructions = rapid.SampledFrom([]uint64{2_000, 30_000, 2_000_000}).Draw(rt, "limit")
		if rapid.Bool().Draw(rt, "poke") {
			cfg.Tasks = []Task{{At: rapid.Uint64Range(0, 20_000).Draw(rt, "at"), Do: func(m *Machine, _ mem.Cycles) {
				m.VMs[0].Mem.Poke(testShared, []byte{7})
			}}}
		}
		if rapid.Bool().Draw(rt, "nmi") { // its handler adds up the flags that it interrupts
			cfg.Inject = []Injection{{VCPU: vcpus - 1, Vector: VectorNMI, Timed: true, Cycle: rapid.Uint64Range(0, 9000).Draw(rt, "first"), Every: rapid.Uint64Range(2000, 20_000).Draw(rt, "every")}}
		}
		pause := rapid.Uint64Range(1, cfg.MaxInstructions/10).Draw(rt, "pause")
		one := func(noSkip bool) (Report, []cpu.State, [128]byte) {
			cfg.NoSkip = noSkip
			m, err := NewMachine(cfg)
			require.NoError(rt, err)
			if len(cfg.VMs) == 1 && m.RunTo(pause) {
				require.Equal(rt, pause, m.Retired())
				require.Zero(rt, m.meter.Watched)
			}
			states := registers(m)
			r := m.Run()
			var shared [128]byte
			m.VMs[0].Mem.Peek(testShared, shared[:])
			return r, append(states, registers(m)...), shared
		}
		r, states, bytes := one(false)
		want, executed, wantBytes := one(true)
		if len(cfg.VMs) > 1 && want.Verdict == VerdictLimit {
			return // the instructions of hogs count if they are executed
		}
		require.Equal(rt, want, r)
		require.Equal(rt, executed, states)
		require.Equal(rt, wantBytes, bytes)
	})
}

// A livelock is for ever: a run that ends, cut short anywhere, is none, and one
// that is none ends nowhere else.
func TestLivelockIsForEver(t *testing.T) {
	found := 0
	rapid.Check(t, func(rt *rapid.T) {
		vcpus := rapid.IntRange(2, 4).Draw(rt, "vcpus")
		source := spinProgram(rt, vcpus, rapid.IntRange(1, 4).Draw(rt, "steps"))
		if rapid.Bool().Draw(rt, "stuck") { // one of them waits for one step more
			source = strings.Replace(source, "jbe 8b", "jmp 8b", 1)
		}
		limit := rapid.Uint64Range(100, 60_000).Draw(rt, "limit")
		pcpus := rapid.IntRange(1, 4).Draw(rt, "pcpus")
		one := func(limit uint64) Report {
			return run(t, source, vcpus, pcpus, func(c *Config) { c.MaxInstructions = limit })
		}
		cut, whole := one(limit), one(20*limit)
		if cut.Livelock {
			found++
			require.Equal(rt, VerdictLimit, whole.Verdict)
			require.True(rt, whole.Livelock)
		}
	})
	require.NotZero(t, found)
}

// registers are those of all vCPUs.
func registers(m *Machine) (list []cpu.State) {
	for _, v := range m.VCPUs {
		v.Core.RFlags()
		list = append(list, v.Core.State)
	}
	return list
}

// An instruction that waits for room in the store buffer starts when it has some,
// whether the core stops for that or waits on its own: probes tell that time.
func TestProbesBehindAFullBuffer(t *testing.T) {
	source := `vcpu_main:
	test %edi, %edi
	jne 9f
	mov $0x200000, %edi
	mov $20, %ecx
1:
acquire:
	nop
	movb $1, (%rdi)
acquired:
	incq 0x40(%rdi)
release:
	nop
	movb $0, (%rdi)
	movq $3, 0x11c0(%rdi)
	movq $3, 0x1040(%rdi)
	movq $3, 0x1140(%rdi)
	movq $3, 0x1040(%rdi)
	movq $3, 0x1180(%rdi)
	movq $3, 0x1080(%rdi)
	movq $3, 0x1000(%rdi)
	dec %ecx
	jne 1b
8:` + pass + `
9:	mov $0x208000, %edi
	mov $3000, %edx
2:	pause
	dec %edx
	je 8b
	cmpb $0, (%rdi)
	je 2b
	jmp 8b`
	for seed := range uint64(20) {
		one := func(noSkip bool) Report {
			return run(t, source, 2, 2, func(c *Config) { c.NoSkip, c.Commit, c.Seed = noSkip, mem.Random, seed })
		}
		require.Equal(t, one(true), one(false), "seed %d", seed)
	}
}

// A store that commits to freed memory ends the run before anybody's turn at that
// time.
func TestFreedAtACommit(t *testing.T) {
	source := `vcpu_main:
	mov %edi, %ecx
	mov $0x201000, %edi
	cmp $1, %ecx
	je 2f
	ja 1f
	movb $3, 64(%rdi)
	movb $3, (%rdi)
	mov $1000, %eax
3:	dec %eax
	jne 3b` + pass + `
1:	mov $64, %esi
	out %al, $0xf5
2:	mov $10000, %eax
3:	dec %eax
	jne 3b` + pass
	for _, hogs := range []bool{false, true} {
		one := func(noSkip bool) Report {
			m := machine(t, source, 3, 3, func(c *Config) {
				if c.NoSkip = noSkip; hogs {
					c.VMs = append(c.VMs, HogVM(2))
				}
			})
			return m.Run()
		}
		r := one(false)
		require.Equal(t, VerdictFault, r.Verdict)
		require.Contains(t, r.Message, "commits")
		require.Equal(t, one(true), r)
	}
}
