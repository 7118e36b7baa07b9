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
