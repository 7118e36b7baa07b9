package vmm

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/cpu"
	"spinlab/mem"
)

// onXen makes the host of a test guest speak Xen.
func onXen(c *Config) { c.VMs[0].Image.Xen = true }

// Pieces of Xen guests. Arguments stand in shared memory from 0x200800 on;
// shared_info is mapped at 0x7f0000.
const (
	xenMapInfo = `
	movl $0, 0x200804
	movq $0x7f0, 0x200810
	mov $12, %eax; mov $7, %edi; mov $0x200800, %esi; vmcall
`
	// xenBind binds a port for vCPU 0.
	xenBind = `
	movl $0, 0x200800
	mov $32, %eax; mov $7, %edi; mov $0x200800, %esi; vmcall
`
	// xenPoll polls port 1.
	xenPoll = `
	movq $0x200840, 0x200820; movl $1, 0x200828; movq $0, 0x200830; movl $1, 0x200840
	mov $29, %eax; mov $3, %edi; mov $0x200820, %esi; vmcall
`
	// xenSend notifies port 1.
	xenSend = `
	movl $1, 0x200850
	mov $32, %eax; mov $4, %edi; mov $0x200850, %esi; vmcall
`
)

func TestXenHypercalls(t *testing.T) {
	for name, c := range map[string]struct {
		code string
		want int64
	}{
		"unknown number":      {"mov $77, %eax; vmcall", -38},
		"KVM's kick":          {"mov $5, %eax; mov $1, %ebx; vmcall", -38},
		"unknown sched_op":    {"mov $29, %eax; mov $99, %edi; vmcall", -38},
		"unknown event op":    {"mov $32, %eax; mov $99, %edi; vmcall", -38},
		"unknown memory op":   {"mov $12, %eax; mov $99, %edi; vmcall", -38},
		"yield":               {"mov $29, %eax; xor %edi, %edi; vmmcall", 0},
		"map":                 {xenMapInfo, 0},
		"map twice":           {xenMapInfo + xenMapInfo, -22},
		"map over the text":   {"movl $0, 0x200804; movq $0x100, 0x200810; mov $12, %eax; mov $7, %edi; mov $0x200800, %esi; vmcall", -22},
		"map another space":   {"movl $1, 0x200804; movq $0x7f0, 0x200810; mov $12, %eax; mov $7, %edi; mov $0x200800, %esi; vmcall", -22},
		"map far away":        {"movl $0, 0x200804; movq $-1, 0x200810; mov $12, %eax; mov $7, %edi; mov $0x200800, %esi; vmcall", -22},
		"bind":                {xenBind, 0},
		"the first port is 1": {xenBind + "mov 0x200804, %eax", 1},
		"bind nobody":         {"movl $9, 0x200800; mov $32, %eax; mov $7, %edi; mov $0x200800, %esi; vmcall", -2},
		"bind, bad pointer":   {"mov $32, %eax; mov $7, %edi; mov $0x10, %esi; vmcall", -14},
		"send, bad pointer":   {"mov $32, %eax; mov $4, %edi; mov $0x10, %esi; vmcall", -14},
		"send unbound":        {xenMapInfo + xenSend, -22},
		"send before mapping": {xenBind + xenSend, -22},
		"send":                {xenMapInfo + xenBind + xenSend, 0},
		"send twice":          {xenMapInfo + xenBind + xenSend + xenSend, 0},
		"what send sets":      {xenMapInfo + xenBind + xenSend + "mov 0x7f0800, %rax", 2},
		"poll what is there":  {xenMapInfo + xenBind + xenSend + xenPoll, 0},
		"poll keeps it":       {xenMapInfo + xenBind + xenSend + xenPoll + "mov 0x7f0800, %rax", 2},
		"poll, bad pointer":   {"mov $29, %eax; mov $3, %edi; mov $0x10, %esi; vmcall", -14},
		"poll, bad ports":     {"movq $16, 0x200820; movl $1, 0x200828; mov $29, %eax; mov $3, %edi; mov $0x200820, %esi; vmcall", -14},
		"poll too many":       {"movl $129, 0x200828; mov $29, %eax; mov $3, %edi; mov $0x200820, %esi; vmcall", -22},
		"poll no such port":   {"movq $0x200840, 0x200820; movl $1, 0x200828; movl $4096, 0x200840; mov $29, %eax; mov $3, %edi; mov $0x200820, %esi; vmcall", -22},
		"poll with a timeout": {"movl $1, 0x200828; movq $5, 0x200830; mov $29, %eax; mov $3, %edi; mov $0x200820, %esi; vmcall", -38},
	} {
		t.Run(name, func(t *testing.T) {
			m := machine(t, "vcpu_main:"+c.code+"\nmov %rax, 0x200000\n"+pass, 1, 1, onXen)
			r := m.Run()
			require.Equal(t, VerdictDone, r.Verdict, r.Message)
			assert.Equal(t, uint64(c.want), shared(m, 0))
		})
	}
}

func TestXenCPUID(t *testing.T) {
	m := machine(t, "vcpu_main: hlt", 1, 1, onXen)
	v := m.VCPUs[0]
	for leaf, want := range map[uint32][4]uint32{
		0x40000000: {0x40000002, 0x566e6558, 0x65584d4d, 0x4d4d566e},
		0x40000001: {4<<16 | 2, 0, 0, 0},
		0x40000100: {0x40000101, kvmEBX, kvmECX, kvmEDX},
		0x40000101: {},
		0x40000005: {},
	} {
		a, b, c, d := m.cpuid(v, leaf, 0)
		assert.Equal(t, want, [4]uint32{a, b, c, d}, "leaf %#x", leaf)
	}
	_, _, c, _ := m.cpuid(v, 1, 0)
	assert.NotZero(t, c&hypervisorBit)
}

func TestXenFromCPL3(t *testing.T) {
	m := machine(t, "vcpu_main: hlt", 1, 1, onXen)
	v := m.VCPUs[0]
	v.Core.SetCPL(3)
	v.Core.R[cpu.RAX] = xenSchedOp
	assert.Equal(t, Resume, exitXen(m, v, m.Ports[0]))
	assert.Equal(t, negative(xenEPERM), v.Core.R[cpu.RAX])
}

// pollProgram makes vCPU 0 set up and poll after wait turns, and vCPU 1 wait for
// the set-up and notify after kickerWait turns.
func pollProgram(wait, kickerWait, between string) string {
	return "vcpu_main:\n	test %edi, %edi\n	jne kicker\n" + xenMapInfo + xenBind + `
	movb $1, 0x200100		# ready
	mov $` + wait + `, %ecx
1:	dec %ecx
	jne 1b
` + between + xenPoll + `
	mov 0x7f0800, %rax
	mov %rax, 0x200108
	mov 0x200110, %rax
	mov %rax, 0x200118
` + pass + `
kicker:
1:	pause
	cmpb $0, 0x200100
	je 1b
	mov $` + kickerWait + `, %ecx
1:	dec %ecx
	jne 1b
	movq $7, 0x200110
` + xenSend + pass
}

// TestXenPoll: an event before the poll, between its two host actions or while
// the vCPU sleeps ends the poll; one that the guest clears first does not.
func TestXenPoll(t *testing.T) {
	for mode := range mem.Manual {
		for wait := 100; wait < 6000; wait += 97 {
			m := machine(t, pollProgram("1500", strconv.Itoa(wait), ""), 2, 2, onXen, func(c *Config) { c.Commit = mode })
			r := m.Run()
			require.Equal(t, VerdictDone, r.Verdict, "mode %d, after %d: %s", mode, wait, r.Message)
			balanced(t, r)
			assert.Equal(t, uint64(2), shared(m, 0x108), "the event stays pending")
			assert.Equal(t, uint64(7), shared(m, 0x118), "it comes after the stores before it")
			assert.Equal(t, NoPort, m.VCPUs[0].Poll)
			assert.Equal(t, uint64(1), r.VMs[0].VCPUs[1].KicksSent)
		}
	}
	r := run(t, pollProgram("20000", "100", "lock btrq $1, 0x7f0800\n"), 2, 2, onXen)
	assert.Equal(t, VerdictDeadlock, r.Verdict)
}

// TestInterruptEndsPoll: a poll returns for an interrupt that can be taken, with
// nothing pending.
func TestInterruptEndsPoll(t *testing.T) {
	for name, c := range map[string]struct {
		before  string
		cycle   mem.Cycles
		verdict Verdict
	}{
		"asleep":          {"sti", 100_000, VerdictDone},
		"pending before":  {"", 10, VerdictDeadlock},
		"with interrupts": {"sti", 10, VerdictDeadlock}, // taken before the poll
		"masked":          {"cli", 100_000, VerdictDeadlock},
	} {
		m := handled(t, "vcpu_main:"+xenMapInfo+xenBind+c.before+"\n"+xenPoll+pass, 1, 1, onXen,
			inject(Injection{Vector: VectorTimer, Timed: true, Cycle: c.cycle}))
		r := m.Run()
		assert.Equal(t, c.verdict, r.Verdict, "%s: %s", name, r.Message)
	}
}
