package explore_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/explore"
	"spinlab/guestcode"
	"spinlab/mem"
	"spinlab/vmm"
)

// sameForAll holds that a search gives the same with one worker, with two and
// with three, in every number and in the trace.
func sameForAll(t *testing.T, x *explore.Target, c explore.Config) {
	t.Helper()
	want, wantErr := explore.Explore(x, c)
	for workers := 2; workers <= 3; workers++ {
		got, err := explore.Explore(x, c.Crowded(workers))
		require.Equal(t, wantErr, err, "%d workers", workers)
		require.Equal(t, want, got, "%d workers", workers)
	}
}

// Workers find what one finds: verdicts of every kind, final and stuck states,
// restarts, and how many states there are when a bound is hit.
func TestWorkersAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("every variant three times")
	}
	for _, reduce := range []explore.Reduction{explore.ReduceAll, explore.ReduceSteps, explore.ReduceNone} {
		for _, c := range shapes {
			t.Run(fmt.Sprintf("%s/%s", c.name, reduce), func(t *testing.T) {
				if c.large && testing.Short() {
					t.Skip("large")
				}
				sameForAll(t, threads(t, c.source, c.observe...), explore.Config{Reduce: reduce})
			})
		}
		for _, v := range guestcode.Variants() {
			t.Run(fmt.Sprintf("%s/%s", v.Name, reduce), func(t *testing.T) {
				x := variant(t, v.Name, 2, 1)
				sameForAll(t, x, explore.Config{Reduce: reduce, MaxStates: 20_000})
				x.Complete = true
				sameForAll(t, x, explore.Config{Reduce: reduce, MaxStates: 5_000})
			})
		}
	}
}

// The same for larger searches, and with as many vCPUs as symmetry wants.
func TestWorkersAgreeOnSizes(t *testing.T) {
	for _, c := range []struct {
		name         string
		vcpus, iters int
		large        bool
	}{
		{"ticket", 4, 2, false}, {"tas", 5, 2, false}, {"mcs", 3, 1, false}, {"tas-broken-load-store", 4, 2, false},
		{"ticket-pv-kvm", 3, 1, true}, {"mcs", 4, 1, true}, {"ticket-batch", 2, 2, true}, {"ticket-pv-xen", 2, 2, true},
	} {
		t.Run(fmt.Sprintf("%s %dx%d", c.name, c.vcpus, c.iters), func(t *testing.T) {
			if c.large && testing.Short() {
				t.Skip("large")
			}
			sameForAll(t, variant(t, c.name, c.vcpus, c.iters), explore.Config{})
		})
	}
}

// The same for what ends badly: faults, freed memory, a failed assertion, a
// final state that is not as asked, a halt that nobody ends, an endless loop.
func TestWorkersAgreeOnViolations(t *testing.T) {
	const other = "\nP1: mov $9,%ecx\n1: movl %ecx,(%rsi)\ndec %ecx\njne 1b\nhlt"
	for source, want := range map[string]explore.Property{
		"P0: movl (%rsi),%eax\ncmp $3,%eax\njne 1f\nud2\n1: hlt":                       explore.Fault,
		"P0: movl (%rsi),%eax\ncmp $3,%eax\njne 1f\nmovl 0x300000,%eax\n1: hlt":        explore.Freed,
		"P0: movl (%rsi),%eax\ncmp $3,%eax\njne 1f\nmov $7,%al\nout %al,$0xf4\n1: hlt": explore.Assertion,
		"P0: movl (%rsi),%eax\nhlt": explore.Final,
		"P0: movl (%rsi),%eax\ncmp $3,%eax\njne 1f\nhlt\nmovl %eax,(%rdi)\n1: hlt": explore.Deadlock,
		"P0: movl (%rsi),%eax\ncmp $3,%eax\n1: je 1b\nhlt":                         explore.Livelock,
	} {
		x := threads(t, source+other)
		x.Machine.VMs[0].Image.Segments = append(x.Machine.VMs[0].Image.Segments, vmm.Segment{Addr: 0x300000, Size: mem.PageSize, Perm: mem.Read | mem.Freed})
		if want == explore.Final {
			final, err := explore.ParsePredicate("P0.eax != 3")
			require.NoError(t, err)
			x.Final = final
		}
		for _, complete := range []bool{false, true} {
			x.Complete = complete
			require.Equal(t, want, search(t, x, explore.ReduceAll).Property, source)
			sameForAll(t, x, explore.Config{})
		}
	}
}

// The same for programs without an end.
func TestWorkersAgreeOnEndless(t *testing.T) {
	for _, name := range []string{"ticket", "tas", "mcs", "tas-broken-load-store", "mcs-broken-plain-cmpxchg"} {
		v, ok := guestcode.Lookup(name)
		require.True(t, ok)
		p, err := guestcode.Build(v, guestcode.Config{VCPUs: 2, Forever: true})
		require.NoError(t, err)
		x := program(p, 2)
		x.Endless = true
		sameForAll(t, x, explore.Config{})
	}
}

// A bound stops workers at the state at which it stops one.
func TestWorkersStopAlike(t *testing.T) {
	x := variant(t, "ticket-pv-kvm", 2, 2)
	bounds := []uint64{1, 9_999, 100, 1_000, 10_000, 20_001}
	if testing.Short() {
		bounds = bounds[:2]
	}
	for _, n := range bounds {
		sameForAll(t, x, explore.Config{MaxStates: n})
		sameForAll(t, x, explore.Config{MaxMemory: 50 * n})
	}
	sameForAll(t, threads(t, "P0: mov $40,%ecx\n1: movl %ecx,(%rdi)\ndec %ecx\njne 1b\nrdtsc\nhlt\nP1: mov $40,%ecx\n1: movl (%rdi),%eax\ndec %ecx\njne 1b\nrdrand %eax\nhlt"), explore.Config{})
}
