package explore_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/explore"
	"spinlab/guestcode"
)

// doProgram is a variant in lock programs, one word for each vCPU; irq is the
// handler of an interrupt on vCPU 0, "" for none.
func doProgram(t testing.TB, name, do, irq string, defines map[string]int64) *explore.Target {
	t.Helper()
	v, ok := guestcode.Lookup(name)
	require.True(t, ok, name)
	d := map[string]int64{}
	for k, x := range map[string]int64{"STATS": 0, "SPIN_THRESHOLD": 1} {
		if _, ok := v.Param(k); ok {
			d[k] = x
		}
	}
	for k, x := range defines {
		d[k] = x
	}
	words := strings.Split(do, ",")
	c := guestcode.Config{VCPUs: len(words), Do: words, Defines: d}
	if irq != "" {
		c.Handlers = []guestcode.Handler{{VCPU: 0, Do: irq}}
	}
	p, err := guestcode.Build(v, c)
	require.NoError(t, err)
	x := program(p, c.VCPUs)
	x.Endless = p.Endless
	if irq != "" {
		x.Interrupts = make([][]uint8, c.VCPUs)
		x.Interrupts[0] = p.Vectors
	}
	return x
}

// The reductions give the verdicts of the whole search on lock programs: with
// tries, waits, interrupts, endless ones, and on a machine without TSO. What they
// say about starvation and overtaking is the same, too.
func TestReductionsAgreeOnPrograms(t *testing.T) {
	few := map[string]int64{"TICKET_INC": 64}
	for _, c := range []struct {
		variant, do, irq string
		defines          map[string]int64
		weak, large      bool
		property         explore.Property // "" if it holds
		overtaking       int              // −1 without bound; of endless programs
	}{
		{variant: "ticket", do: "Aa,ABba"},
		{variant: "ticket", do: "ABba,BAab", property: explore.Livelock},
		{variant: "ticket", do: "TAa,Aa"},
		{variant: "ticket", do: "WA,AaAa"},
		{variant: "ticket", do: "Aa,AaBb", irq: "Bb", large: true},
		{variant: "ticket", do: "Aa,Bb", irq: "Aa", property: explore.Livelock},
		{variant: "ticket", do: "Aa,Aa", weak: true, property: explore.Final},
		{variant: "ticket", do: "Aa,Aa", weak: true, defines: map[string]int64{"UNLOCK_LOCK": 1}},
		{variant: "ticket", do: "Aa*,Aa*", defines: few, overtaking: 1},
		{variant: "ticket", do: "Aa*,Aa*,Aa*", defines: few, overtaking: 2, large: true},
		{variant: "ticket", do: "Aa*,Bb*", defines: few},
		{variant: "ticket", do: "Aa*,WA", defines: few, property: explore.Starvation, overtaking: -1},
		{variant: "tas", do: "Aa*,Aa*", property: explore.Starvation, overtaking: -1},
		{variant: "ttas", do: "Aa*,Aa", property: explore.Starvation, overtaking: -1},
		{variant: "mcs", do: "Aa*,Aa*", overtaking: 1, large: true},
		{variant: "ticket-pv-off", do: "Aa*,Aa*", defines: few, overtaking: 1, large: true},
		{variant: "ticket-pv-kvm", do: "Aa,ABba", large: true},
	} {
		t.Run(c.variant+" "+c.do+" "+c.irq, func(t *testing.T) {
			if c.large && testing.Short() {
				t.Skip("large")
			}
			x := doProgram(t, c.variant, c.do, c.irq, c.defines)
			for _, reduce := range []explore.Reduction{explore.ReduceNone, explore.ReduceSteps, explore.ReduceAll} {
				r, err := explore.Explore(x, explore.Config{Reduce: reduce, Weak: c.weak, MaxStates: 300_000})
				require.NoError(t, err)
				if c.large && reduce != explore.ReduceAll && r.Verdict == explore.Bounded {
					continue // that is what reductions are for
				}
				require.Equal(t, c.property, r.Property, "%s: %s", reduce, r.Message)
				if r.Trace != nil {
					_, err := explore.Tell(x, r.Trace)
					require.NoError(t, err, "%s: the trace, and a cycle at its end that closes", reduce)
					require.Equal(t, r.Property.OfGraph(), r.Trace.Loop > 0, "what is violated for ever has a cycle")
				}
				if !x.Endless {
					continue
				}
				require.Equal(t, c.overtaking < 0, r.Overtaking.Unbounded, "%s", reduce)
				if c.overtaking >= 0 {
					require.EqualValues(t, c.overtaking, r.Overtaking.Max, "%s", reduce)
				}
			}
		})
	}
}

// Others may get a lock more often than they should: a trace shows how.
func TestMaxOvertaking(t *testing.T) {
	x := doProgram(t, "ticket", "Aa*,Aa*,Aa*", "", map[string]int64{"TICKET_INC": 64})
	x.MaxOvertaking = 2
	require.Equal(t, explore.Holds, search(t, x, explore.ReduceAll).Verdict)
	x.MaxOvertaking = 1
	r := search(t, x, explore.ReduceAll)
	require.Equal(t, explore.Overtaken, r.Property)
	require.Zero(t, r.Trace.Loop)
	x = doProgram(t, "tas", "Aa*,Aa*", "", nil)
	x.MaxOvertaking, x.Unfair = 5, true
	r = search(t, x, explore.ReduceAll)
	require.Equal(t, explore.Overtaken, r.Property)
	require.NotZero(t, r.Trace.Loop)
}

// peterson is a fair lock of two that reads its own index, a word that nobody
// writes, before it does anything that others can see; UNLOCK_END is what vCPU 0
// does after a release.
const peterson = `
	.globl spin_lock, spin_unlock
spin_lock:
	mov %gs:0, %eax
	mov $1, %ecx
	sub %eax, %ecx
	movl $1, (%rdi,%rax,4)
	mov %ecx, 8(%rdi)
	mfence
1:	cmpl $0, (%rdi,%rcx,4)
	je 2f
	cmp %ecx, 8(%rdi)
	jne 2f
	pause
	jmp 1b
2:	ret
spin_unlock:
	mov %gs:0, %eax
	movl $0, (%rdi,%rax,4)
	.if AFTER
	test %eax, %eax
	jne 2f
1:
	.if AFTER == 1
	pause
	.else
	hlt
	.endif
	jmp 1b
	.endif
2:	ret
`

// endless is peterson for ever.
func endless(t *testing.T, after int64) *explore.Target {
	x := lock(t, peterson, guestcode.Config{VCPUs: 2, Forever: true, Defines: map[string]int64{"AFTER": after}})
	x.Endless = true
	return x
}

// A wait begins at the same moment whatever the reduction: a load that is private
// in one of them must not begin it in the others.
func TestWaitsBeginAlike(t *testing.T) {
	for _, reduce := range []explore.Reduction{explore.ReduceNone, explore.ReduceSteps, explore.ReduceAll} {
		r := search(t, endless(t, 0), reduce)
		require.Equal(t, explore.Holds, r.Verdict, "%s: %s", reduce, number(r))
		require.False(t, r.Overtaking.Unbounded, "%s", reduce)
		require.EqualValues(t, 1, r.Overtaking.Max, "%s", reduce)
	}
}

// Who spins or sleeps for ever in its release is not served, either, though the
// others are and nobody waits for the lock in vain.
func TestReleaseForEver(t *testing.T) {
	for _, after := range []int64{1, 2} {
		for _, reduce := range []explore.Reduction{explore.ReduceNone, explore.ReduceSteps, explore.ReduceAll} {
			x := endless(t, after)
			r := search(t, x, reduce)
			require.Equal(t, explore.Starvation, r.Property, "%s: %s", reduce, number(r))
			require.Contains(t, r.Message, "vcpu 0 never comes back from releasing")
			require.NotZero(t, r.Trace.Loop)
		}
	}
}
