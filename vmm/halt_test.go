package vmm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/cpu"
	"spinlab/mem"
)

// kickProgram makes vCPU 0 halt that many times after wait turns, and vCPU 1
// kick it after kickerWait turns.
func kickProgram(wait, kickerWait, kicks, halts string) string {
	return `
	.globl vcpu_main
vcpu_main:
	test %edi, %edi
	jne kicker
	mov $` + wait + `, %ecx
1:	dec %ecx
	jne 1b
	mov $` + halts + `, %ebp
2:	hlt
	dec %ebp
	jne 2b
` + pass + `
kicker:
	mov $` + kickerWait + `, %ecx
4:	dec %ecx
	jne 4b
	mov $` + kicks + `, %ebp
3:	mov $5, %eax
	mov $1, %ebx		# APIC id of vCPU 0
	vmcall
	dec %ebp
	jne 3b
` + pass
}

func TestKick(t *testing.T) {
	for name, c := range map[string]struct {
		wait, kickerWait, kicks, halts string
		verdict                        Verdict
		hlt                            uint64
	}{
		"kick before the halt is kept":     {"20000", "1", "1", "1", VerdictDone, 1},
		"kick wakes a sleeper":             {"1", "2000", "1", "1", VerdictDone, 1},
		"two kicks before a halt are one":  {"20000", "1", "2", "2", VerdictDeadlock, 2},
		"two kicks before the wake-up too": {"1", "2000", "2", "2", VerdictDeadlock, 2},
		"no kick, no end":                  {"20000", "1", "1", "2", VerdictDeadlock, 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, kickProgram(c.wait, c.kickerWait, c.kicks, c.halts), 2, 2)
			assert.Equal(t, c.verdict, r.Verdict, r.Message)
			assert.Equal(t, c.hlt, r.VMs[0].VCPUs[0].Exits.HLT)
		})
	}
}

func TestKicksFarApartWakeTwice(t *testing.T) {
	r := run(t, `
vcpu_main:
	test %edi, %edi
	jne kicker
	hlt
	hlt
`+pass+`
kicker:
	mov $2, %ebp
3:	mov $5, %eax
	mov $1, %ebx
	vmcall
	mov $30000, %ecx
4:	dec %ecx
	jne 4b
	dec %ebp
	jne 3b
`+pass, 2, 2)
	assert.Equal(t, VerdictDone, r.Verdict, r.Message)
	v := r.VMs[0].VCPUs
	assert.Equal(t, uint64(2), v[1].KicksSent)
	assert.Equal(t, uint64(2), v[0].Exits.HLT)
	assert.Greater(t, v[0].HaltedCycles, mem.Cycles(20_000))
}

func TestDeadlockNamesEveryVCPU(t *testing.T) {
	r := run(t, `
vcpu_main:
	test %edi, %edi
	jne 1f
	sti
	nop
1:	hlt
`+pass, 2, 2)
	require.Equal(t, VerdictDeadlock, r.Verdict)
	assert.Equal(t, "vcpu 0 rip 0x100007 (vcpu_main+0x7) is asleep and waits for a kick, none is pending, IF=1; "+
		"vcpu 1 rip 0x100007 (vcpu_main+0x7) is asleep and waits for a kick, none is pending, IF=0", r.Message)
	assert.Equal(t, []Stuck{
		{VCPU: 0, RIP: 0x100007, Symbol: "vcpu_main+0x7", State: "asleep", IF: true},
		{VCPU: 1, RIP: 0x100007, Symbol: "vcpu_main+0x7", State: "asleep"},
	}, r.Waiting)
}

// The two host actions of a halt, with a kick at every place.
func TestHaltActions(t *testing.T) {
	m := machine(t, kickProgram("1", "1", "1", "1"), 2, 2)
	v, other := m.VCPUs[0], m.VCPUs[1]
	v.State = Runnable

	m.Kick(other, v)
	assert.True(t, v.PVUnhalted)
	assert.False(t, m.HaltEntry(v), "a kick before the halt")
	assert.Equal(t, Runnable, v.State)
	assert.False(t, v.PVUnhalted)

	assert.True(t, m.HaltEntry(v))
	assert.Equal(t, Halted, v.State)
	m.Kick(other, v)
	m.Kick(other, v)
	assert.Empty(t, m.kicked, "who is not asleep needs no wake-up")
	assert.False(t, m.Sleep(v), "a kick between halt entry and sleep")
	assert.Equal(t, Runnable, v.State)

	assert.True(t, m.HaltEntry(v))
	assert.True(t, m.Sleep(v))
	m.Kick(other, v)
	m.Kick(other, v)
	assert.Equal(t, []*VCPU{v}, m.kicked, "two kicks, one wake-up")
	m.Wake(v)
	assert.Equal(t, Runnable, v.State)
	assert.False(t, v.PVUnhalted)
}

// A kick must not overtake the stores before it: late, the flag would be seen
// too late by the woken vCPU.
func TestKickDrains(t *testing.T) {
	for mode := range mem.Manual {
		m := machine(t, `
vcpu_main:
	test %edi, %edi
	jne 1f
	hlt
	mov 0x200000, %rax
	mov %rax, 0x200100
`+pass+`
1:	movq $7, 0x200000
	mov $5, %eax
	mov $1, %ebx
	vmcall
2:	pause
	cmpq $0, 0x200100
	je 2b
`+pass, 2, 2, func(c *Config) { c.Commit = mode })
		r := m.Run()
		assert.Equal(t, VerdictDone, r.Verdict, "mode %d: %s", mode, r.Message)
		assert.Equal(t, uint64(7), shared(m, 0x100))
	}
}

func TestHypercalls(t *testing.T) {
	const cpl3 = `
	lea 1f(%rip), %rax
	push $0x2b
	push %rsp
	pushfq
	push $0x33
	push %rax
	iretq
1:	mov $5, %eax
	vmcall
	mov %rax, 0x200000
	mfence
	ud2
`
	for name, c := range map[string]struct {
		source string
		want   int64
	}{
		"poll":            {"mov $1, %eax; vmcall", 0},
		"poll by VMMCALL": {"mov $1, %eax; vmmcall", 0},
		"unknown":         {"mov $77, %eax; vmcall", -1000},
		"upper half":      {"mov $0x100000005, %rax; vmcall", -1000},
		"no such vCPU":    {"mov $5, %eax; mov $200, %ebx; vmcall", 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := machine(t, "vcpu_main: "+c.source+"\nmov %rax, 0x200000\n"+pass, 1, 1)
			r := m.Run()
			assert.Equal(t, VerdictDone, r.Verdict, r.Message)
			assert.Equal(t, uint64(c.want), shared(m, 0))
			assert.Equal(t, uint64(1), r.VMs[0].VCPUs[0].Exits.Hypercall)
		})
	}
	t.Run("from CPL 3", func(t *testing.T) {
		m := machine(t, "vcpu_main:"+cpl3, 1, 1)
		r := m.Run()
		assert.Equal(t, "vcpu 0 rip 0x100023 (vcpu_main+0x23) 0f 0b: #UD", r.Message)
		assert.Equal(t, ^uint64(0), shared(m, 0))
	})
}

func TestKickABI(t *testing.T) {
	m := machine(t, "vcpu_main: hlt", 3, 1)
	v := m.VCPUs[0]
	for name, c := range map[string]struct {
		abi      KickABI
		rbx, rcx uint64
		want     int // vCPU index, −1 for none
	}{
		"V8":                   {KickV8, 5, 0, 2},
		"V8 keeps an int":      {KickV8, 0x700000003, 0, 1},
		"V8 no such id":        {KickV8, 2, 0, -1},
		"V8 beyond":            {KickV8, 7, 0, -1},
		"V3":                   {KickV3, 2, 5, 2},
		"V3 negative":          {KickV3, 0xffffffff, 0, -1},
		"mainline":             {KickMainline, 0, 3, 1},
		"mainline ignores RBX": {KickMainline, 5, 1, 0},
	} {
		m.cfg.KickABI = c.abi
		v.Core.R[cpu.RBX], v.Core.R[cpu.RCX] = c.rbx, c.rcx
		got := -1
		if to := m.kickTarget(v); to != nil {
			got = to.Index
		}
		assert.Equal(t, c.want, got, name)
	}
}

// Each host mistake loses just the kick that it is named after; a sound host
// loses none.
func TestHostBugs(t *testing.T) {
	early := kickProgram("2000", "1", "1", "1") // the kick is there long before the halt
	for _, c := range []struct {
		bug  HostBug
		want Verdict
	}{{HostSound, VerdictDone}, {HostUnhaltAtHLT, VerdictDeadlock}, {HostUnhaltAfterTest, VerdictDone}, {HostKickLast, VerdictDone}} {
		r := run(t, early, 2, 2, func(cfg *Config) { cfg.HostBug = c.bug })
		assert.Equal(t, c.want, r.Verdict, HostBugs[c.bug])
	}
	for bug, sleeps := range map[HostBug]bool{HostSound: false, HostUnhaltAtHLT: false, HostUnhaltAfterTest: true} {
		m := machine(t, early, 2, 2, func(cfg *Config) { cfg.HostBug = bug })
		v, kicker := m.VCPUs[0], m.VCPUs[1]
		require.True(t, m.HaltEntry(v))
		m.Kick(kicker, v) // between the two host actions
		assert.Equal(t, sleeps, m.Sleep(v), HostBugs[bug])
	}
	m := machine(t, early, 3, 3, func(cfg *Config) { cfg.HostBug = HostKickLast })
	m.VCPUs[0].Core.R[cpu.RBX] = 2 // a CPU number where an APIC id is wanted
	assert.Same(t, m.VCPUs[2], m.kickTarget(m.VCPUs[0]))
}
