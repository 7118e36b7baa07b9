package experiment

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/asm"
	"spinlab/guestcode"
	"spinlab/vmm"
)

// interrupted runs a program whose vCPUs all get timer interrupts, vCPU 0 an
// NMI besides.
func interrupted(t *testing.T, p *guestcode.Program, vcpus, pcpus int) (*vmm.Machine, *Result) {
	t.Helper()
	cfg := vmm.Config{VMs: VMs(p, 1, vcpus), PCPUs: pcpus, MaxInstructions: 50_000_000, Slice: 30_000}
	every := uint64(40_000)
	if pcpus < vcpus { // handing lock B over may take a slice: interrupts must not come faster
		every *= 10
	}
	for i := range vcpus {
		cfg.Inject = append(cfg.Inject, vmm.Injection{VCPU: i, Vector: vmm.VectorTimer, Timed: true,
			Cycle: uint64(3000 + 777*i), Every: every})
	}
	cfg.Inject = append(cfg.Inject, vmm.Injection{Vector: vmm.VectorNMI, Retired: 500})
	m, err := vmm.NewMachine(cfg)
	require.NoError(t, err)
	return m, Finish(p, m)
}

// TestSoundVariantsUnderInterrupts: interrupts come while a vCPU waits, spins,
// holds the lock or sleeps, and their handler takes a second lock. Neither lock
// loses a count. (V8's bare halt may lose a wake-up by such a nested lock; its
// vCPUs are then woken by the next interrupt.)
func TestSoundVariantsUnderInterrupts(t *testing.T) {
	if testing.Short() {
		t.Skip("long runs")
	}
	for _, v := range guestcode.Variants() {
		if v.BrokenOf != "" {
			continue
		}
		for _, stats := range []int64{0, 2} {
			c := guestcode.Config{VCPUs: 4, Iters: 150, WorkIn: 20, IRQs: true}
			if v.Stats {
				c.Defines = map[string]int64{"STATS": stats}
			}
			p, err := guestcode.Build(v, c)
			require.NoError(t, err)
			overcommit := []int{2, 4}
			if v.Backend == guestcode.BackendNone {
				overcommit = []int{4} // FIFO locks without sleep crawl under overcommit
			}
			for _, pcpus := range overcommit {
				what := fmt.Sprintf("%s STATS=%d on %d pCPUs", v.Name, stats, pcpus)
				m, r := interrupted(t, p, 4, pcpus)
				require.Equal(t, vmm.VerdictDone, r.Verdict, "%s: %s", what, r.Message)
				assert.Equal(t, r.Counter.Want, r.Counter.Got, what)
				var taken uint64
				for i := range r.VMs[0].VCPUs {
					taken += r.VMs[0].VCPUs[i].Interrupts
				}
				nmis := m.VMs[0].Mem.PeekUint(guestcode.PerCPU(0)+guestcode.PerCPUNMIs, 8)
				assert.Equal(t, uint64(1), nmis, what)
				assert.Equal(t, taken-nmis, m.VMs[0].Mem.PeekUint(guestcode.Counter(1), 8), "%s: counter B", what)
				assert.GreaterOrEqual(t, taken, uint64(5), what)
			}
		}
	}
}

// TestHostBuiltTable: a program that drives itself gives its handlers by name.
func TestHostBuiltTable(t *testing.T) {
	p, err := guestcode.BuildSource(guestcode.Config{}, asm.Source{Name: "self.s", Text: []byte(`
	.globl vcpu_main, irq_handler, nmi_handler
vcpu_main:
	sti
	hlt
	out %al, $0xf4
irq_handler:
	incq 0x200000
	iretq
nmi_handler:
	iretq
`)})
	require.NoError(t, err)
	cfg := vmm.Config{VMs: VMs(p, 1, 1), PCPUs: 1, Inject: []vmm.Injection{{Vector: 0x99, Retired: 2}}}
	m, err := vmm.NewMachine(cfg)
	require.NoError(t, err)
	assert.Equal(t, vmm.VerdictDone, Finish(p, m).Verdict)
	assert.Equal(t, uint64(1), m.VMs[0].Mem.PeekUint(0x200000, 8))
}

// TestOwnHandlerOfALock: a lock's own irq_handler takes the place of the
// harness's.
func TestOwnHandlerOfALock(t *testing.T) {
	p, err := guestcode.BuildSource(guestcode.Config{VCPUs: 2, Iters: 50, IRQs: true}, asm.Source{Name: "own.s", Text: []byte(`
	.globl spin_lock, spin_unlock, irq_handler
spin_lock:
	lock btsl $0, (%rdi)
	jc spin_lock
	ret
spin_unlock:
	movl $0, (%rdi)
	ret
irq_handler:
	lock incq 0x200200
	iretq
`)})
	require.NoError(t, err)
	m, r := interrupted(t, p, 2, 2)
	require.Equal(t, vmm.VerdictDone, r.Verdict, r.Message)
	assert.NotZero(t, m.VMs[0].Mem.PeekUint(0x200200, 8))
	assert.Zero(t, m.VMs[0].Mem.PeekUint(guestcode.Counter(1), 8))
}
