package experiment

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/asm"
	"spinlab/guestcode"
	"spinlab/vmm"
)

func build(t *testing.T, name string, c guestcode.Config) *guestcode.Program {
	t.Helper()
	v, ok := guestcode.Lookup(name)
	require.True(t, ok)
	p, err := guestcode.Build(v, c)
	require.NoError(t, err)
	return p
}

// The counts of the seeds' listings.
func TestUncontendedCounts(t *testing.T) {
	for _, c := range []struct {
		variant            string
		lock, unlock, spin uint64
		unlockLocked       uint64
	}{
		{"ticket", 9, 5, 4, 0},
		{"ticket-pv-off", 9, 6, 6, 0},
		{"ticket-pv-kvm", 9, 9, 6, 1},
	} {
		v, _ := guestcode.Lookup(c.variant)
		row, err := Measure(c.variant, func(g guestcode.Config) (*guestcode.Program, error) { return guestcode.Build(v, g) }, guestcode.Config{}, vmm.Config{})
		require.NoError(t, err)
		u := row.Uncontended
		assert.Equal(t, c.lock, u.Lock.Instructions, c.variant)
		assert.Equal(t, uint64(1), u.Lock.Locked, c.variant)
		assert.Equal(t, c.unlock, u.Unlock.Instructions, c.variant)
		assert.Equal(t, c.unlockLocked, u.Unlock.Locked, c.variant)
		assert.Equal(t, c.spin, row.SpinTurn, c.variant)
	}
}

// Sizes of a source without .size directives go to the next global label.
func TestBytesWithoutSizes(t *testing.T) {
	src := asm.Source{Name: "x.s", Text: []byte(`
	.globl spin_lock, spin_unlock
spin_lock:
	nop
local:
	ret
spin_unlock:
	nop
	nop
	ret
`)}
	p, err := guestcode.BuildSource(guestcode.Config{VCPUs: 1}, src)
	require.NoError(t, err)
	b := MeasureBytes(p)
	assert.Equal(t, uint64(2), b.Lock)
	assert.Equal(t, uint64(0), b.Slowpath)
	assert.GreaterOrEqual(t, b.Unlock, uint64(3))
}

func TestRunReportsTheGuestsCounters(t *testing.T) {
	p := build(t, "ticket-pv-kvm", guestcode.Config{VCPUs: 4, Iters: 20, WorkIn: 100,
		Defines: map[string]int64{"SPIN_THRESHOLD": 4}})
	r, err := Run(p, vmm.Config{VMs: VMs(p, 2, 4), PCPUs: 4})
	require.NoError(t, err)
	assert.Equal(t, vmm.VerdictDone, r.Verdict)
	assert.Equal(t, vmm.Counter{Want: 160, Got: 160}, r.Counter)
	require.NotNil(t, r.Stats)
	assert.NotZero(t, r.Stats.TakenSlow)
	assert.GreaterOrEqual(t, r.Stats.ReleasedSlow, r.Stats.ReleasedSlowKicked)
	assert.Empty(t, r.Locks)
}

// ITERS may come as a define and then decides what the counter must be.
func TestItersByDefine(t *testing.T) {
	p := build(t, "ticket", guestcode.Config{VCPUs: 2, Defines: map[string]int64{"ITERS": 7}})
	assert.Equal(t, uint64(14), Image(p, 2).Want)
}

// A program that drives itself has no lock to measure.
func TestMeasureNeedsAHarness(t *testing.T) {
	src := asm.Source{Name: "main.s", Text: []byte("\t.globl vcpu_main\nvcpu_main:\n\txor %eax, %eax\n\tout %al, $0xf4\n")}
	p, err := guestcode.BuildSource(guestcode.Config{VCPUs: 1}, src)
	require.NoError(t, err)
	_, err = MeasureUncontended(p, vmm.Config{})
	assert.ErrorContains(t, err, "drives itself")
	_, err = MeasureSpin(p, vmm.Config{})
	assert.ErrorContains(t, err, "drives itself")
}

// The probes of a program are about one lock, whatever RDI holds; a wait begins
// where acquire is first passed, not at the last turn of the loop.
func TestProbesOfAProgram(t *testing.T) {
	const text = `
	.set BROKEN, 0
	.globl vcpu_main
vcpu_main:
	mov $20, %ebx
take:	mov $1, %eax
	.if BROKEN
	mov l, %eax
	.else
	xchg %eax, l
	.endif
	test %eax, %eax
	jne take
inside:	movl $1, l
	.rept 100; nop; .endr
leave:	movl $0, l
	dec %ebx
	jne take
	xor %eax, %eax
	out %al, $0xf4
	.data
l:	.quad 0
`
	run := func(broken int64, probes ...string) *Result {
		p, err := guestcode.BuildSource(guestcode.Config{Bind: guestcode.Binding{Probes: probes}, Defines: map[string]int64{"BROKEN": broken}},
			asm.Source{Name: "x.s", Text: []byte(text)})
		require.NoError(t, err)
		r, err := Run(p, vmm.Config{VMs: VMs(p, 1, 2), PCPUs: 2})
		require.NoError(t, err)
		return r
	}
	r := run(0, "acquire=take", "acquired=inside", "released=leave")
	assert.Equal(t, vmm.VerdictDone, r.Verdict)
	for _, v := range r.VMs[0].VCPUs {
		assert.Equal(t, uint64(20), v.Acquisitions)
		assert.Greater(t, v.WaitCycles.Max, uint64(100), "somebody held the lock for 100 instructions")
	}
	r = run(0, "acquired=inside", "release=leave")
	assert.Equal(t, uint64(20), r.VMs[0].VCPUs[1].Acquisitions)
	assert.Zero(t, r.VMs[0].VCPUs[1].WaitCycles.Max, "nobody has said where a wait begins")
	r = run(1, "acquired=inside", "release=leave")
	assert.Equal(t, vmm.VerdictViolation, r.Verdict)
	assert.Contains(t, r.Message, "exclusion: vcpu")
	assert.Equal(t, vmm.VerdictDone, run(1).Verdict, "without probes nobody looks")
}

// A turn of a loop without PAUSE goes from one jump back to the next.
func TestSpinWithoutPause(t *testing.T) {
	src := asm.Source{Name: "lock.s", Text: []byte(`
	.globl spin_lock, spin_unlock
spin_lock:
	mov $1, %eax
	xchg %eax, (%rdi)
	test %eax, %eax
	je 2f
1:	cmpl $0, (%rdi)
	jne 1b
	jmp spin_lock
2:	ret
spin_unlock:
	movl $0, (%rdi)
	ret
`)}
	p, err := guestcode.BuildSource(guestcode.Config{VCPUs: 2}, src)
	require.NoError(t, err)
	n, err := MeasureSpin(p, vmm.Config{})
	require.NoError(t, err)
	assert.EqualValues(t, 2, n)
}
