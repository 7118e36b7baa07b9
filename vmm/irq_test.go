package vmm

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/cpu"
	"spinlab/mem"
)

// handled is a guest with a host-built table: its handlers note the RIP that
// they were entered from and count.
func handled(t testing.TB, source string, vcpus, pcpus int, change ...func(*Config)) *Machine {
	t.Helper()
	return machine(t, source+`
	.balign 64
irq_handler:
	push %rax
	mov 8(%rsp), %rax
	mov %rax, 0x200808
	incq 0x200800
	pop %rax
	iretq
nmi_handler:
	incq 0x200810
	iretq
`, vcpus, pcpus, change...)
}

// inject adds interrupts to a configuration.
func inject(list ...Injection) func(*Config) {
	return func(c *Config) { c.Inject = append(c.Inject, list...) }
}

// TestInjectionIsExact: the interrupt comes at the boundary behind the n-th
// instruction, or before the first that starts at or after the cycle.
func TestInjectionIsExact(t *testing.T) {
	const nops = 40 // one byte and one cycle each
	source := "vcpu_main: sti\n.fill 40, 1, 0x90\n" + pass
	start := uint64(10) // what sti costs
	for n := uint64(1); n < nops; n++ {
		for name, j := range map[string]Injection{
			"count": {Vector: VectorTimer, Retired: n + 1},
			"cycle": {Vector: VectorTimer, Timed: true, Cycle: start + n},
		} {
			m := handled(t, source, 1, 1, inject(j))
			r := m.Run()
			require.Equal(t, VerdictDone, r.Verdict, r.Message)
			balanced(t, r)
			assert.Equal(t, testText+1+n, shared(m, 0x808), "%s %d: RIP in the frame", name, n)
			assert.Equal(t, uint64(1), shared(m, 0x800))
			assert.Equal(t, uint64(1), r.VMs[0].VCPUs[0].Exits.Interrupt)
			assert.Equal(t, uint64(1), r.VMs[0].VCPUs[0].Interrupts)
		}
	}
}

func TestWhatMasksInterrupts(t *testing.T) {
	for name, c := range map[string]struct {
		source   string
		vector   uint8
		retired  uint64
		irq, nmi uint64 // runs of the handlers
		rip      uint64 // of the interrupt, from the start
	}{
		"IF clear":                {"nop; nop; nop", VectorTimer, 1, 0, 0, 0},
		"IF set later":            {"nop; nop; sti; nop; nop", VectorTimer, 1, 1, 0, 4},
		"STI shadow":              {"sti; nop; nop", VectorTimer, 1, 1, 0, 2},
		"STI with IF set":         {"sti; nop; sti; nop", VectorTimer, 3, 1, 0, 3},
		"MOV SS shadow":           {"sti; xor %eax, %eax; mov %eax, %ss; nop; nop", VectorTimer, 3, 1, 0, 6},
		"POPF opens at once":      {"push $0x202; popfq; nop", VectorTimer, 1, 1, 0, 6},
		"CLI in the shadow":       {"sti; cli; nop", VectorTimer, 0, 0, 0, 0},
		"priority class of CR8":   {"mov $2, %eax; mov %rax, %cr8; sti; nop; nop", VectorTimer, 0, 0, 0, 0},
		"a class above it":        {"mov $2, %eax; mov %rax, %cr8; sti; nop; nop", 0x55, 0, 1, 0, 11},
		"NMI with IF clear":       {"nop; nop", VectorNMI, 1, 0, 1, 0},
		"NMI in the STI shadow":   {"sti; nop; nop", VectorNMI, 1, 0, 1, 0},
		"NMI at the first":        {"nop", VectorNMI, 0, 0, 1, 0},
		"between turns of REP":    {"sti; mov $5, %ecx; mov $0x200100, %edi; rep stosb; nop", VectorTimer, 4, 1, 0, 13},
		"never after the program": {"nop", VectorTimer, 1000, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := handled(t, "vcpu_main: "+c.source+pass, 1, 1, inject(Injection{Vector: c.vector, Retired: c.retired}))
			r := m.Run()
			require.Equal(t, VerdictDone, r.Verdict, r.Message)
			assert.Equal(t, c.irq, shared(m, 0x800), "interrupts")
			assert.Equal(t, c.nmi, shared(m, 0x810), "NMIs")
			if c.irq > 0 {
				assert.Equal(t, testText+c.rip, shared(m, 0x808), "RIP in the frame")
			}
		})
	}
}

// TestPendingMerges: of one vector there is at most one pending, of two the
// higher goes first, and an NMI waits for the IRET of the one before.
func TestPendingMerges(t *testing.T) {
	q := Interrupts{}
	assert.Equal(t, -1, q.highest())
	assert.True(t, q.add(0x20))
	assert.False(t, q.add(0x20))
	assert.True(t, q.add(0xff))
	assert.Equal(t, 0xff, q.highest())
	q.drop(0xff)
	assert.Equal(t, 0x20, q.highest())
	q.drop(0x20)
	assert.False(t, q.any())

	m := handled(t, "vcpu_main: nop\nnop\nsti\nnop\nnop\n"+pass, 1, 1,
		inject(Injection{Vector: VectorTimer}, Injection{Vector: VectorTimer, Retired: 1}, Injection{Vector: 0x55, Retired: 1}))
	require.Equal(t, VerdictDone, m.Run().Verdict)
	assert.Equal(t, uint64(2), shared(m, 0x800))
}

// TestInterruptWakes: HLT with IF set ends with an interrupt, at a count, at a
// cycle and again and again; with IF clear only an NMI ends it.
func TestInterruptWakes(t *testing.T) {
	for name, c := range map[string]struct {
		source  string
		j       Injection
		verdict Verdict
	}{
		"before the halt":    {"sti; hlt", Injection{Vector: VectorTimer}, VerdictDone},
		"at the halt":        {"sti; hlt", Injection{Vector: VectorTimer, Retired: 2}, VerdictDone},
		"asleep":             {"sti; hlt", Injection{Vector: VectorTimer, Timed: true, Cycle: 50_000}, VerdictDone},
		"between the two":    {"sti; hlt", Injection{Vector: VectorTimer, Timed: true, Cycle: 100}, VerdictDone},
		"three times":        {"sti; hlt; hlt; hlt", Injection{Vector: VectorTimer, Timed: true, Cycle: 50_000, Every: 50_000}, VerdictDone},
		"IF clear":           {"hlt", Injection{Vector: VectorTimer, Timed: true, Cycle: 50_000}, VerdictDeadlock},
		"IF clear, periodic": {"hlt", Injection{Vector: VectorTimer, Timed: true, Cycle: 50_000, Every: 100}, VerdictDeadlock},
		"IF clear, NMI":      {"hlt", Injection{Vector: VectorNMI, Timed: true, Cycle: 50_000}, VerdictDone},
		"once, two halts":    {"sti; hlt; hlt", Injection{Vector: VectorTimer, Timed: true, Cycle: 50_000}, VerdictDeadlock},
	} {
		t.Run(name, func(t *testing.T) {
			m := handled(t, "vcpu_main: "+c.source+pass, 1, 1, inject(c.j))
			r := m.Run()
			assert.Equal(t, c.verdict, r.Verdict, r.Message)
			balanced(t, r)
		})
	}
}

// TestKickAndInterrupt: both before the wake-up wake once.
func TestKickAndInterrupt(t *testing.T) {
	m := handled(t, `
vcpu_main:
	test %edi, %edi
	jne 1f
	sti
	hlt
	mov $1, %eax
	hlt
`+pass+`
1:	mov $20000, %ecx
2:	dec %ecx
	jne 2b
	mov $5, %eax
	mov $1, %ebx
	vmcall
`+pass, 2, 2, inject(Injection{Vector: VectorTimer, Timed: true, Cycle: 40_500}))
	r := m.Run()
	assert.Equal(t, VerdictDeadlock, r.Verdict, r.Message)
	assert.Equal(t, uint64(1), shared(m, 0x800))
	assert.Equal(t, uint64(1), m.VCPUs[0].Core.R[cpu.RAX])
	assert.Equal(t, uint64(2), r.VMs[0].VCPUs[0].Exits.HLT)
	balanced(t, r)
}

// TestIPI: a vCPU sends an interrupt to others by the KVM hypercall; it wakes
// them, and comes after the stores before it.
func TestIPI(t *testing.T) {
	for mode := range mem.Manual {
		m := handled(t, `
vcpu_main:
	test %edi, %edi
	je 1f
	sti
	hlt
	mov 0x200040, %rax
	shl $3, %edi
	mov %rax, 0x200100(%rdi)
`+pass+`
1:	movq $7, 0x200040
	mov $10, %eax		# KVM_HC_SEND_IPI
	mov $0x14, %ebx		# from APIC id 1: 3 and 5
	xor %ecx, %ecx
	mov $1, %edx
	mov $0x20, %esi
	vmcall
	mov %rax, 0x200100
`+pass, 3, 3, func(c *Config) { c.Commit = mode })
		r := m.Run()
		require.Equal(t, VerdictDone, r.Verdict, r.Message)
		assert.Equal(t, uint64(2), shared(m, 0x100), "interrupts sent")
		assert.Equal(t, uint64(7), shared(m, 0x108))
		assert.Equal(t, uint64(7), shared(m, 0x110))
	}
	for name, c := range map[string]struct {
		rbx, rsi uint64
		want     int64
	}{
		"nobody":         {2, 0x20, 0},
		"NMI":            {1, 4 << 8, 1},
		"to all":         {1, 2<<18 | 0x20, -22},
		"an exception":   {1, 14, -22},
		"start-up":       {1, 6<<8 | 0x20, -22},
		"beyond the VM":  {1 << 40, 0x20, 0},
		"itself, masked": {1, 0x20, 1},
	} {
		m := handled(t, "vcpu_main: hlt", 1, 1)
		v := m.VCPUs[0]
		v.Core.R[cpu.RBX], v.Core.R[cpu.RDX], v.Core.R[cpu.RSI] = c.rbx, 1, c.rsi
		assert.Equal(t, uint64(c.want), m.sendIPI(v), name)
	}
}

func TestInterruptWithoutHandler(t *testing.T) {
	r := run(t, "vcpu_main: sti\nnop\nnop\n"+pass, 1, 1, inject(Injection{Vector: VectorTimer}))
	assert.Equal(t, VerdictFault, r.Verdict)
	assert.Equal(t, "vcpu 0 rip 0x100002 (vcpu_main+0x2): interrupt 0x20: the guest has no interrupt descriptor table", r.Message)
	m := handled(t, "vcpu_main: sti\nnop\nnop\n"+pass, 1, 1, inject(Injection{Vector: 0x77}))
	r = m.Run()
	assert.Equal(t, VerdictFault, r.Verdict)
	assert.Equal(t, "vcpu 0 rip 0x100002 (vcpu_main+0x2): interrupt 0x77: its gate or the stack at RSP 0x1004000 cannot be used", r.Message)
}

func TestInjectionErrors(t *testing.T) {
	img, _ := guest(t, "vcpu_main: hlt")
	for want, j := range map[string]Injection{
		"an interrupt for vm 1: there are 1 VMs (--irq, --nmi)":            {VM: 1, Vector: VectorTimer},
		"an interrupt for vcpu 2: the VM has 2 vCPUs (--irq, --nmi)":       {VCPU: 2, Vector: VectorTimer},
		"interrupt vector 14: 32 to 255 are the guest's (--irq)":           {Vector: 14},
		"an interrupt at cycle 1125899906842625: at most 1125899906842624": {Vector: VectorTimer, Timed: true, Cycle: 1<<50 + 1},
	} {
		_, err := NewMachine(Config{VMs: []VMConfig{{VCPUs: 2, Image: img}}, PCPUs: 1, Inject: []Injection{j}})
		assert.EqualError(t, err, want)
	}
}

// TestAheadWithInterrupts: a core that runs ahead up to the next event does what
// one does that is looked at every cycle.
func TestAheadWithInterrupts(t *testing.T) {
	for seed := range uint64(6) {
		var reports []Report
		for _, lockstep := range []bool{false, true} {
			m := handled(t, "vcpu_boot: "+pass+lockProgram(ticketLock, ticketUnlock, 20, 5, 9), 3, 2, inject(
				Injection{VCPU: 0, Vector: VectorNMI, Timed: true, Cycle: 1000, Every: 7777},
				Injection{VCPU: 2, Vector: VectorNMI, Retired: 100}, Injection{VCPU: 1, Vector: VectorNMI, Timed: true, Cycle: 3001}),
				func(c *Config) { c.Seed, c.Slice = seed, 3000 })
			m.lockstep = lockstep
			reports = append(reports, m.Run())
		}
		assert.Equal(t, VerdictDone, reports[0].Verdict, reports[0].Message)
		assert.NotZero(t, reports[0].VMs[0].VCPUs[0].Interrupts)
		assert.Equal(t, reports[1], reports[0], "seed %d", seed)
	}
}

// TestTasks come at their times and do not keep a machine alive.
func TestTasks(t *testing.T) {
	var times []mem.Cycles
	var seen []uint64
	m := machine(t, "vcpu_main: mov $100, %ecx\n1: dec %ecx\njne 1b\nmovb $1, 0x200000\nmfence\nhlt", 1, 1, func(c *Config) {
		c.Tasks = []Task{{At: 50, Every: 50, Do: func(m *Machine, at mem.Cycles) {
			times = append(times, at)
			seen = append(seen, shared(m, 0))
		}}}
	})
	r := m.Run()
	assert.Equal(t, VerdictDeadlock, r.Verdict)
	require.NotEmpty(t, times)
	for i, at := range times {
		assert.Equal(t, mem.Cycles(50*(i+1)), at, fmt.Sprint(times))
	}
	assert.Less(t, len(times), 100)
	assert.Zero(t, seen[0], "before the store")
	assert.Equal(t, uint64(1), shared(m, 0))
}

// TestInterruptAtTheEndOfASlice: the frame is in the store buffer when the exit
// of the interrupt goes past the end of the slice; the preemption then waits
// for these stores, which only commit if somebody looks at the buffer.
func TestInterruptAtTheEndOfASlice(t *testing.T) {
	source := "vcpu_main: sti\nmov $600,%ecx\n1: dec %ecx\njnz 1b\n" + pass
	for n := uint64(1); n < 1000; n += 7 {
		for _, vector := range []uint8{VectorTimer, VectorNMI} {
			r := handled(t, source, 2, 1, inject(Injection{Vector: vector, Retired: n}), func(c *Config) {
				c.Slice = 500
				c.Commit = mem.Random
			}).Run()
			require.Equal(t, VerdictDone, r.Verdict, "%d: %s", n, r.Message)
		}
	}
}
