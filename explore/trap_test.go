package explore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/explore"
	"spinlab/guestcode"
)

// A search that merges the entry of the critical section with its exit never
// has two vCPUs inside: then no lock can fail. Here nothing between the two is
// visible, in the lock, in the section or in the harness.
func TestExclusionIsNotVacuous(t *testing.T) {
	const none = ".globl spin_lock, spin_unlock\nspin_lock: ret\nspin_unlock: ret\n"
	for _, reduce := range []explore.Reduction{explore.ReduceAll, explore.ReduceSteps, explore.ReduceNone} {
		x := lock(t, none, guestcode.Config{VCPUs: 2, Forever: true})
		x.Endless = true
		r := search(t, x, reduce)
		require.Equal(t, explore.Exclusion, r.Property, "%s: %s", reduce, number(r))
	}
}

// The same after a halt: a vCPU that was woken stands before private
// instructions that lead into the critical section and out of it.
func TestExclusionAfterWakeUp(t *testing.T) {
	const halting = `
	.globl spin_lock, spin_unlock
spin_lock:
	mov %gs:0, %eax
	test %eax, %eax
	je 1f
	hlt
1:	ret
spin_unlock:
	push %rbx
	mov $5, %eax
	mov $3, %ebx
	vmcall
	pop %rbx
	ret
`
	// vCPU 1 sleeps until vCPU 0 has left: no exclusion fails. With the kick
	// before the section it does.
	early := `
	.globl spin_lock, spin_unlock
spin_lock:
	mov %gs:0, %eax
	test %eax, %eax
	jne 1f
	push %rbx
	mov $5, %eax
	mov $3, %ebx
	vmcall
	pop %rbx
	ret
1:	hlt
	ret
spin_unlock: ret
`
	for _, reduce := range []explore.Reduction{explore.ReduceAll, explore.ReduceSteps, explore.ReduceNone} {
		r := search(t, lock(t, halting, guestcode.Config{VCPUs: 2, Iters: 1}), reduce)
		require.Equal(t, explore.Holds, r.Verdict, "%s: %s", reduce, number(r))
		r = search(t, lock(t, early, guestcode.Config{VCPUs: 2, Iters: 1}), reduce)
		require.Equal(t, explore.Exclusion, r.Property, "%s: %s", reduce, number(r))
	}
}

// A kick that looked at where its target stands would make a private step
// visible, and reduced searches would miss deadlocks: all ends in which
// somebody is stuck must be found whatever the reduction.
func TestKickLooksAtNothing(t *testing.T) {
	x := threads(t, kickAndHalt, "P0.rip", "P1.rip", "P0.ebx", "P0.ecx", "P1.ebx", "mem:0x200040:4")
	whole := search(t, x, explore.ReduceNone)
	require.Equal(t, explore.Deadlock, whole.Property)
	require.Greater(t, len(whole.Stuck), 1, "there is more than one way to be stuck")
	for _, reduce := range []explore.Reduction{explore.ReduceAll, explore.ReduceSteps} {
		require.Equal(t, whole.Stuck, search(t, x, reduce).Stuck, "%s", reduce)
	}
}

// tasInHandler is a lock that an interrupt takes, too: the one at LOCK_OF_IRQ.
const tasInHandler = `
	.globl spin_lock, spin_unlock, irq_handler
spin_lock:
	mov $1, %eax
	xchg %al, (%rdi)
	test %al, %al
	jne spin_lock
	ret
spin_unlock:
	movb $0, (%rdi)
	ret
irq_handler:
	push %rax
	push %rdi
	mov $LOCK_OF_IRQ, %edi
	call spin_lock
	call spin_unlock
	pop %rdi
	pop %rax
	iretq
`

// An interrupt comes at every boundary where it may: a handler that takes the
// lock which it has interrupted waits for ever, one that takes another does not.
func TestInterrupts(t *testing.T) {
	for at, want := range map[int64]explore.Property{0x200000: explore.Livelock, 0x200080: ""} {
		x := lock(t, tasInHandler, guestcode.Config{VCPUs: 2, Iters: 1, IRQs: true, Defines: map[string]int64{"LOCK_OF_IRQ": at}})
		x.Interrupts = [][]uint8{{0x20}, nil}
		for _, reduce := range []explore.Reduction{explore.ReduceAll, explore.ReduceSteps, explore.ReduceNone} {
			r := search(t, x, reduce)
			require.Equal(t, want, r.Property, "lock %#x, %s: %s", at, reduce, number(r))
		}
	}
}

// A halt ends with an interrupt, which then is delivered; without one it lasts.
func TestInterruptEndsHalt(t *testing.T) {
	const source = `
	.globl spin_lock, spin_unlock, irq_handler
spin_lock:
	sti
	hlt
	cli
	ret
spin_unlock: ret
irq_handler: iretq
`
	x := lock(t, source, guestcode.Config{VCPUs: 1, Iters: 1, IRQs: true})
	require.Equal(t, explore.Deadlock, search(t, x, explore.ReduceAll).Property)
	x.Interrupts = [][]uint8{{0x20}}
	r := search(t, x, explore.ReduceAll)
	require.Equal(t, explore.Deadlock, r.Property, "it may come before the halt")
	var kinds []string
	for _, reduce := range []explore.Reduction{explore.ReduceAll, explore.ReduceNone} {
		x.Complete = true
		r = search(t, x, reduce)
		require.NotNil(t, r.Finals, "or end it")
		kinds = append(kinds, string(r.Property))
	}
	require.Equal(t, kinds[0], kinds[1])
}

// What is taken for private may be given back or rewritten by others, once or
// late: every reduction must see the same ends. The loads before the jump are
// there so that the writer's steps are known before the page is first executed.
func TestPrivateUntilSomebodyElse(t *testing.T) {
	cases := []struct {
		name, source string
		want         explore.Property
	}{
		{"a word that nobody writes is freed", `
P0:	mov $0x200000, %edi
	mov $64, %esi
	out %al, $0xf5
	hlt
P1:	mov 0x200000, %eax
	hlt
`, explore.Freed},
		{"a stack is freed", `
P0:	push $1
	mov %rsp, 0x200000
	mov 0x200008, %ecx
	test %ecx, %ecx
	jne 1f
	pop %rbx
1:	hlt
P1:	mov 0x200000, %rdi
	test %rdi, %rdi
	je 1f
	movl $1, 0x200008
	mov $8, %esi
	out %al, $0xf5
1:	hlt
`, explore.Freed},
		{"code is freed", `
P0:	mov $code, %edi
	mov $64, %esi
	out %al, $0xf5
	hlt
	.balign 4096
P1:	mov 0x200000, %ecx
	jmp code
	.balign 4096
code:	nop
	nop
	hlt
`, explore.Freed},
		{"code is written before it is executed", `
P0:	movl $1, 0x200000
	movb $2, patch+1
	hlt
	.balign 4096
P1:	mov 0x200008, %ebx
	mov 0x200000, %ebx
	mov 0x200000, %ebx
	mov 0x200000, %ebx
	mov 0x200000, %ebx
	mov 0x200000, %ebx
	mov 0x200000, %ebx
	jmp patch
	.balign 4096
patch:	mov $1, %eax
	hlt
`, ""},
	}
	for _, c := range cases {
		x := threads(t, c.source, "P0.ebx", "P1.ebx", "P1.eax")
		whole := search(t, x, explore.ReduceNone)
		require.Equal(t, c.want, whole.Property, "%s: %s", c.name, number(whole))
		for _, reduce := range []explore.Reduction{explore.ReduceAll, explore.ReduceSteps} {
			r := search(t, x, reduce)
			require.Equal(t, whole.Property, r.Property, "%s, %s: %s", c.name, reduce, number(r))
			require.Equal(t, whole.Finals, r.Finals, "%s, %s", c.name, reduce)
		}
	}
}
