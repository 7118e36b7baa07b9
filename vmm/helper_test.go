package vmm

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/asm"
	"spinlab/mem"
)

// The addresses of the test guests.
const (
	testText   = 0x100000
	testShared = 0x200000
	testLayout = 0x800000
)

// guest assembles a program. The labels vcpu_boot, vcpu_main and the four
// probes go into the image if they are there, irq_handler and nmi_handler into
// its descriptor table; the counter is at 0x200040.
func guest(t testing.TB, source string) (*Image, func(uint64) string) {
	t.Helper()
	obj, err := asm.Assemble(asm.Options{Base: testText}, asm.Source{Name: "test.s", Text: []byte(source)})
	require.NoError(t, err)
	at := func(name string) uint64 {
		s, _ := obj.Lookup(name)
		return s.Addr
	}
	img := &Image{
		Boot: at("vcpu_boot"), Main: at("vcpu_main"),
		Layout: Layout{
			StackTop: 0x1004000, StackStride: 0x4000, StackSize: 0x1000,
			PerCPUBase: testLayout, PerCPUStride: 0x1000,
		},
	}
	for i, label := range []string{"acquire", "acquired", "release", "released"} {
		if a := at(label); a != 0 {
			img.Probes = append(img.Probes, Probe{ProbeAcquire + ProbeKind(i), a})
		}
	}
	for vec, label := range map[uint8]string{VectorTimer: "irq_handler", 0x55: "irq_handler", VectorNMI: "nmi_handler"} {
		if a := at(label); a != 0 {
			img.IDT, img.Handlers = 0x1f0000, append(img.Handlers, Handler{vec, a})
		}
	}
	if at("acquired") != 0 {
		img.Counters = []uint64{testShared + 0x40}
	}
	for _, s := range obj.Sections {
		img.Segments = append(img.Segments, Segment{Addr: s.Addr, Data: s.Data, Perm: mem.Read | mem.Write | mem.Exec})
	}
	img.Segments = append(img.Segments, Segment{Addr: testShared, Size: 0x10000, Perm: mem.Read | mem.Write})
	return img, func(a uint64) string {
		name, off, ok := obj.SymbolAt(a)
		if !ok {
			return ""
		}
		return fmt.Sprintf("%s+%#x", name, off)
	}
}

// machine builds a machine of one VM; change adjusts its configuration.
func machine(t testing.TB, source string, vcpus, pcpus int, change ...func(*Config)) *Machine {
	t.Helper()
	img, sym := guest(t, source)
	cfg := Config{VMs: []VMConfig{{VCPUs: vcpus, Image: img}}, PCPUs: pcpus, Symbolize: sym, MaxInstructions: 20_000_000}
	for _, f := range change {
		f(&cfg)
	}
	m, err := NewMachine(cfg)
	require.NoError(t, err)
	return m
}

// run is machine and Run, with the books checked.
func run(t testing.TB, source string, vcpus, pcpus int, change ...func(*Config)) Report {
	t.Helper()
	r := machine(t, source, vcpus, pcpus, change...).Run()
	balanced(t, r)
	return r
}

// balanced holds every vCPU's books against the end of its VM.
func balanced(t require.TestingT, r Report) {
	for _, vm := range r.VMs {
		for _, v := range vm.VCPUs {
			sum := v.RunCycles + v.ReadyCycles + v.HaltedCycles + v.HostCycles + v.DoneCycles
			require.Equal(t, vm.Cycles, sum, "vm %d vcpu %d of a run that ended with %s: %+v", vm.VM, v.VCPU, r.Verdict, v)
		}
	}
}

// shared reads 8 bytes of the shared memory of VM 0.
func shared(m *Machine, off uint64) uint64 { return m.VMs[0].Mem.PeekUint(testShared+off, 8) }

// pass ends a vCPU.
const pass = `
	xor %eax, %eax
	out %al, $0xf4
`

// lockProgram drives a lock that is given as the bodies of lock and unlock
// (%rdi is the lock) through iters acquisitions with inside and outside work.
func lockProgram(lock, unlock string, iters, inside, outside int) string {
	return fmt.Sprintf(`
	.globl vcpu_main
vcpu_main:
	mov $0x200000, %%ebx
	mov $%d, %%ebp
1:	mov $%d, %%eax
2:	dec %%eax
	jne 2b
	mov %%rbx, %%rdi
acquire:
	call lock
acquired:
	incq 0x40(%%rbx)
	mov $%d, %%eax
3:	dec %%eax
	jne 3b
	mov %%rbx, %%rdi
release:
	call unlock
released:
	dec %%ebp
	jne 1b
	%s
lock:
	%s
	ret
unlock:
	%s
	ret
`, iters, max(outside, 1), max(inside, 1), pass, lock, unlock)
}

// The ticket lock, a lock that does not lock, and one whose unlock comes too
// early in program order.
const (
	ticketLock = `
	mov $0x100, %eax
	lock xaddw %ax, (%rdi)
4:	cmp %ah, %al
	je 5f
	pause
	movb (%rdi), %al
	jmp 4b
5:`
	ticketUnlock = `incb (%rdi)`

	testLock = `
4:	cmpb $0, (%rdi)
	jne 4b
	movb $1, (%rdi)`
	testUnlock = `movb $0, (%rdi)`
)
