package vmm

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/cpu"
)

func TestConfigErrors(t *testing.T) {
	img, _ := guest(t, "vcpu_main: hlt")
	for want, cfg := range map[string]Config{
		"0 vCPUs: a VM has 1 to 1024 (--vcpus)":                              {VMs: []VMConfig{{VCPUs: 0, Image: img}}, PCPUs: 1},
		"1025 vCPUs: a VM has 1 to 1024 (--vcpus)":                           {VMs: []VMConfig{{VCPUs: 1025, Image: img}}, PCPUs: 1},
		"0 pCPUs: a machine has 1 to 64 (--pcpus)":                           {VMs: []VMConfig{{VCPUs: 1, Image: img}}},
		"65 pCPUs: a machine has 1 to 64 (--pcpus)":                          {VMs: []VMConfig{{VCPUs: 1, Image: img}}, PCPUs: 65},
		"0 VMs: a machine has 1 to 64 (--vms)":                               {PCPUs: 1},
		"slice 1099511627777: at most 1099511627776 cycles (--slice)":        {VMs: []VMConfig{{VCPUs: 1, Image: img}}, PCPUs: 1, Slice: MaxSlice + 1},
		"commit delay 268435457: at most 268435456 cycles (--commit-delay)":  {VMs: []VMConfig{{VCPUs: 1, Image: img}}, PCPUs: 1, CommitDelay: MaxCommitDelay + 1},
		"a VM needs an image with a main entry":                              {VMs: []VMConfig{{VCPUs: 1, Image: nil}}, PCPUs: 1},
		"commit mode 4: a run needs timed, eager, late or random (--commit)": {VMs: []VMConfig{{VCPUs: 1, Image: img}}, PCPUs: 1, Commit: 4},
	} {
		_, err := NewMachine(cfg)
		assert.EqualError(t, err, want)
	}
}

func TestEveryReasonHasARow(t *testing.T) {
	for r := ReasonHLT; r < NumReasons; r++ {
		assert.NotEmpty(t, reasons[r].name)
		assert.NotNil(t, reasons[r].handle, r.String())
	}
	for k := cpu.ExitHLT; k < cpu.NumExits; k++ {
		assert.NotEqual(t, ReasonNone, reasonOf[k], "exit %d", k)
	}
}

func TestStartState(t *testing.T) {
	m := machine(t, `
vcpu_main:
	shl $6, %edi
	mov %rsp, 0x200000(%rdi)
	mov %gs:0, %rax
	mov %rax, 0x200008(%rdi)
	mov %gs:8, %rax
	mov %rax, 0x200010(%rdi)
`+pass, 2, 2)
	require.Equal(t, VerdictDone, m.Run().Verdict)
	for i := range uint64(2) {
		assert.Equal(t, 0x1004000+i*0x4000, shared(m, 64*i))
		assert.Equal(t, i, shared(m, 64*i+8))
		assert.Equal(t, 2*i+1, shared(m, 64*i+16))
	}
}

func TestBoot(t *testing.T) {
	m := machine(t, `
vcpu_boot:
	movb $'b', %al
	out %al, $0xe9
	movb $42, patched+1
	push %rax
`+pass+`
vcpu_main:
patched:
	mov $0, %eax
	mov %rax, 0x200000
	movb $'m', %al
	out %al, $0xe9
`+pass, 2, 1)
	r := m.Run()
	require.Equal(t, VerdictDone, r.Verdict, r.Message)
	assert.Equal(t, uint64(42), shared(m, 0), "memory stays")
	assert.Equal(t, "mm", r.Console, "the console does not")
	assert.Equal(t, r.VMs[0].VCPUs[0].Instructions, r.VMs[0].VCPUs[1].Instructions)
}

func TestBootFailures(t *testing.T) {
	for name, c := range map[string]struct {
		boot    string
		verdict Verdict
		message string
	}{
		"fault":     {"ud2", VerdictFault, "boot of vm 0: vcpu 0 rip 0x100000 (vcpu_boot+0x0) 0f 0b: #UD"},
		"halt":      {"hlt", VerdictDeadlock, "boot of vm 0: vcpu 0 rip 0x100001 (vcpu_main+0x0) is asleep and waits for a kick, none is pending, IF=0"},
		"endless":   {"jmp vcpu_boot", VerdictLimit, "boot of vm 0: 10000000 instructions retired (--max-instructions)"},
		"assertion": {"mov $3, %al; out %al, $0xf4", VerdictViolation, "boot of vm 0: vcpu 0 rip 0x100002 (vcpu_boot+0x2): assertion failed: exit code 3"},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, "vcpu_boot: "+c.boot+"\nvcpu_main: hlt", 2, 2)
			assert.Equal(t, c.verdict, r.Verdict)
			assert.Equal(t, c.message, r.Message)
		})
	}
}

func TestFaultMessages(t *testing.T) {
	for code, want := range map[string]string{
		".byte 0xf0, 0x89, 0xd8":       "vcpu 0 rip 0x100000 (vcpu_main+0x0) f0 89 d8: #UD (LOCK is not allowed with mov)",
		".byte 0xf0, 0x01, 0xd8":       "vcpu 0 rip 0x100000 (vcpu_main+0x0) f0 01 d8: #UD (LOCK on a register destination)",
		".byte 0xf0, 0x39, 0x03":       "vcpu 0 rip 0x100000 (vcpu_main+0x0) f0 39 03: #UD (LOCK is not allowed with cmp)",
		"ud2":                          "vcpu 0 rip 0x100000 (vcpu_main+0x0) 0f 0b: #UD",
		"mov %eax, 0x300000":           "vcpu 0 rip 0x100000 (vcpu_main+0x0) 89 04 25 00 00 30 00: #PF (write to 0x300000: not mapped)",
		"mov 0x300000, %ebx":           "vcpu 0 rip 0x100000 (vcpu_main+0x0) 8b 1c 25 00 00 30 00: #PF (read of 0x300000: not mapped)",
		"jmp 0x200000":                 "vcpu 0 rip 0x200000 00 00: #PF (fetch from 0x200000: no permission)",
		"mov $0x123, %ecx; rdmsr":      "vcpu 0 rip 0x100005 (vcpu_main+0x5) 0f 32: #GP",
		"mov %cr3, %rax; monitor":      "vcpu 0 rip 0x100003 (vcpu_main+0x3) 0f 01 c8: monitor is not modelled",
		"movb $1, %al; out %al, $0xf4": "vcpu 0 rip 0x100002 (vcpu_main+0x2): assertion failed: exit code 1",
		"rdpmc":                        "vcpu 0 rip 0x100000 (vcpu_main+0x0) 0f 33: rdpmc is not modelled",
	} {
		r := run(t, "vcpu_main: "+code, 1, 1)
		assert.Equal(t, want, r.Message, code)
		assert.NotEqual(t, VerdictDone, r.Verdict)
	}
}

// The host answers; nothing here may depend on what the guest had in the upper
// halves of registers.
func TestExitResults(t *testing.T) {
	for name, c := range map[string]struct {
		code string
		want uint64
	}{
		"in byte":        {"xor %eax, %eax; in $0x60, %al", 0xff},
		"in word":        {"xor %eax, %eax; in $0x60, %ax", 0xffff},
		"in long":        {"mov $-1, %rax; in $0x60, %eax", 0xffffffff},
		"out is ignored": {"mov $7, %eax; out %eax, $0x60", 7},
		"hypervisor":     {"mov $0x40000000, %eax; cpuid; mov %rbx, %rax", 0x4b4d564b},
		"PV_UNHALT":      {"mov $0x40000001, %eax; cpuid", 1 << 6},
		"APIC id":        {"mov $1, %eax; cpuid; shr $24, %ebx; mov %rbx, %rax", 1},
		"hypervisor bit": {"mov $1, %eax; cpuid; shr $31, %ecx; mov %rcx, %rax", 1},
		"no such leaf":   {"mov $0x1234, %eax; cpuid", 0},
		"GS base":        {"mov $0xc0000101, %ecx; rdmsr", testLayout},
		"FS base":        {"mov $0xc0000100, %ecx; mov $0x200000, %eax; xor %edx, %edx; wrmsr; movq $9, %fs:8; mov 0x200008, %rax", 9},
		"CR8":            {"mov $5, %eax; mov %rax, %cr8; xor %eax, %eax; mov %cr8, %rax", 5},
		"time":           {"rdtsc", 10},
		"TSC_AUX":        {"rdtscp; mov %rcx, %rax", 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := machine(t, "vcpu_main: "+c.code+"\nmov %rax, 0x200000\n"+pass, 1, 1)
			r := m.Run()
			require.Equal(t, VerdictDone, r.Verdict, r.Message)
			assert.Equal(t, c.want, shared(m, 0))
		})
	}
}

func TestPVUnhaltBit(t *testing.T) {
	for bit, want := range map[int]uint64{0: 1 << 6, 7: 1 << 7, NoPVUnhalt: 0} {
		m := machine(t, "vcpu_main: mov $0x40000001, %eax\ncpuid\nmov %rax, 0x200000\n"+pass, 1, 1,
			func(c *Config) { c.PVUnhaltBit = bit })
		m.Run()
		assert.Equal(t, want, shared(m, 0))
	}
}

func TestReportJSON(t *testing.T) {
	r := run(t, burn(1), 1, 1)
	b, err := json.Marshal(r)
	require.NoError(t, err)
	assert.JSONEq(t, `{"target":"","seed":0,"verdict":"done","cycles":14,"counter":{"want":0,"got":0},
		"vms":[{"vm":0,"cycles":14,"vcpus":[{"vcpu":0,"instructions":5,"locked":0,"loads":0,"stores":0,"pauses":0,
		"exits":{"hlt":0,"hypercall":0,"pause":0,"preempt":0,"io":1},"kicks_sent":0,
		"run_cycles":14,"ready_cycles":0,"halted_cycles":0,"host_cycles":0,"done_cycles":0,"stall_cycles":0,
		"acquisitions":0,"wait_cycles":{"mean":0,"max":0},"hold_cycles":{"mean":0,"max":0}}]}],
		"lines":{"fills":0,"transfers":0,"upgrades":0,"split_locks":0}}`, string(b))
}

func TestEventsOfAStore(t *testing.T) {
	var got []Write
	m := machine(t, "vcpu_main: movl $7, 0x200000\nlock incb 0x200000\npush %rdi\npush 0x200000\n"+pass, 1, 1, func(c *Config) {
		c.Observe = func(e *Event) { got = append(got, e.Stores...) }
	})
	require.Equal(t, VerdictDone, m.Run().Verdict)
	assert.Equal(t, []Write{
		{Addr: 0x200000, Val: 7, Size: 4, Buffered: true},
		{Addr: 0x200000, Old: 7, Val: 8, Size: 1},
		{Addr: 0x1003ff8, Size: 8, Buffered: true},
		{Addr: 0x1003ff0, Val: 8, Size: 8, Buffered: true}, // not to what it reads
	}, got)
}

func TestAPICIDs(t *testing.T) {
	assert.Equal(t, uint32(1), APICID(0))
	assert.Equal(t, uint32(2047), APICID(MaxVCPUs-1))
}
