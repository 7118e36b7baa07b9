package explore_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/explore"
	"spinlab/guestcode"
)

// random runs schedules and plays the trace of a violation to its end.
func random(t *testing.T, x *explore.Target, p explore.Schedules) *explore.Result {
	t.Helper()
	r, err := explore.Random(x, explore.Config{}, p)
	require.NoError(t, err)
	require.NotEqual(t, explore.Holds, r.Verdict, "random schedules prove nothing")
	if r.Trace == nil {
		return r
	}
	player, err := explore.Play(x, r.Trace)
	require.NoError(t, err)
	for lines := []explore.Line{{}}; lines != nil; {
		lines, err = player.Next()
		require.NoError(t, err)
	}
	if r.Property != explore.Livelock {
		require.NotEmpty(t, player.Breach(), "the trace must end in the %s: %s", r.Property, r.Message)
	}
	require.LessOrEqual(t, len(r.Trace.Path), int(r.Random.Steps), "a trace is not longer than its run")
	return r
}

// notAlone are broken variants that do nothing wrong in the plain harness.
var notAlone = map[string]string{
	"ticket-pv-kvm-want-lock-swapped": "needs two locks, and more orderings than depth 3 has",
	"ticket-pv-kvm-bare-halt":         "needs an interrupt that takes another lock",
}

// deeper are bugs that need more orderings of steps than three. In the twin of
// qspinlock one must be pending, the other queue, find the lock free, and the
// first queue between the load and the store of the claim.
var deeper = map[string]int{"qspinlock-unlocked-claim": 5}

// Random schedules find what is wrong with every broken lock, livelocks too:
// there everybody goes round alone. Nothing is found where nothing is wrong.
func TestRandomFinds(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of schedules")
	}
	for _, v := range guestcode.Variants() {
		t.Run(v.Name, func(t *testing.T) {
			if v.Verdict == "holds" {
				for _, size := range [][2]int{{2, 2}, {3, 2}, {4, 4}} {
					r := random(t, variant(t, v.Name, size[0], size[1]), explore.Schedules{Runs: 300, Seed: 1, Depth: 3})
					require.Equal(t, explore.Bounded, r.Verdict, "%dx%d: %s", size[0], size[1], r.Message)
					require.EqualValues(t, 300, r.Random.Runs)
					require.Zero(t, r.Random.Cut)
				}
				return
			}
			if why := notAlone[v.Name]; why != "" {
				t.Skip(why)
			}
			vcpus := 2
			if _, more, ok := strings.Cut(v.Check, "--vcpus "); ok {
				_, err := fmt.Sscan(more, &vcpus)
				require.NoError(t, err, v.Check)
			}
			r := random(t, variant(t, v.Name, vcpus, 2), explore.Schedules{Runs: 20_000, Seed: 1, Depth: max(3, deeper[v.Name])})
			require.Equal(t, explore.Violated, r.Verdict, r.Message)
		})
	}
}

// What random schedules end in is among what all schedules end in, and with
// enough of them it is all of that.
func TestRandomEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of schedules")
	}
	for _, c := range shapes {
		t.Run(c.name, func(t *testing.T) {
			x := threads(t, c.source, c.observe...)
			whole := search(t, x, explore.ReduceAll)
			r := random(t, x, explore.Schedules{Runs: 3_000, Seed: 1, Depth: 4})
			require.Equal(t, whole.Finals, r.Finals)
			require.Equal(t, whole.Stuck, r.Stuck)
			require.Equal(t, whole.Property, r.Property)
		})
	}
}

// The formula of the paper, and that it promises no more than is found.
func TestRandomProbability(t *testing.T) {
	require.InDelta(t, 0.25, explore.Probability(4, 10, 1, 1), 1e-12)
	require.InDelta(t, 1.0/40, explore.Probability(4, 10, 2, 1), 1e-12)
	require.InDelta(t, 1-math.Pow(1-1.0/400, 1000), explore.Probability(4, 10, 3, 1000), 1e-12)
	require.InDelta(t, 1e-11, explore.Probability(10, 1_000_000, 3, 100), 1e-16)
	require.InDelta(t, 1, explore.Probability(1, 1, 1, 1), 1e-12)

	if testing.Short() {
		return // what follows takes hundreds of runs to be a measurement
	}
	// Both loads of a store buffering program come before both commits: two
	// orderings.
	x := threads(t, "P0: movl $1,(%rdi)\nmovl (%rsi),%eax\nhlt\nP1: movl $1,(%rsi)\nmovl (%rdi),%eax\nhlt")
	x.Complete = false
	final, err := explore.ParsePredicate("P0.eax == 1 || P1.eax == 1")
	require.NoError(t, err)
	x.Final = final
	found, promised := 0, 0.0
	const seeds = 100
	for seed := range uint64(seeds) {
		r := random(t, x, explore.Schedules{Runs: 4, Seed: seed, Depth: 2})
		if r.Verdict == explore.Violated {
			found++
		} else {
			promised = max(promised, r.Random.Probability)
		}
	}
	require.Positive(t, promised)
	require.Greater(t, float64(found)/seeds, promised)
	require.Less(t, found, seeds, "schedules are not all alike")
}

// Equal seeds give equal results, others do not.
func TestRandomSeeds(t *testing.T) {
	for _, name := range []string{"ticket-pv-kvm-unlocked-add", "ticket-pv-kvm"} {
		x := variant(t, name, 3, 2)
		p := explore.Schedules{Runs: 200, Seed: 7, Depth: 3}
		a := random(t, x, p)
		require.Equal(t, a, random(t, x, p), name)
		p.Seed = 8
		require.NotEqual(t, a.Transitions, random(t, x, p).Transitions, name)
	}
}

// Interrupts are threads of their own: they come where they do harm.
func TestRandomInterrupts(t *testing.T) {
	for at, want := range map[int64]explore.Property{0x200000: explore.Livelock, 0x200080: ""} {
		x := lock(t, tasInHandler, guestcode.Config{VCPUs: 2, Iters: 1, IRQs: true, Defines: map[string]int64{"LOCK_OF_IRQ": at}})
		x.Interrupts = [][]uint8{{0x20}, nil}
		r := random(t, x, explore.Schedules{Runs: 1_000, Seed: 1, Depth: 3})
		require.Equal(t, want, r.Property, "lock %#x: %s", at, r.Message)
	}
}

// Workers change nothing.
func TestRandomWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of schedules")
	}
	targets := []*explore.Target{threads(t, "P0: mov $9,%ecx\n1: movl %ecx,(%rdi)\ndec %ecx\njne 1b\nrdtsc\nhlt\nP1: movl (%rdi),%eax\nhlt")}
	for _, c := range shapes {
		targets = append(targets, threads(t, c.source, c.observe...))
	}
	for _, v := range guestcode.Variants() {
		targets = append(targets, variant(t, v.Name, 2, 2))
	}
	for _, x := range targets {
		p := explore.Schedules{Runs: 150, Seed: 3, Depth: 3}
		want, wantErr := explore.Random(x, explore.Config{}, p)
		for workers := 2; workers <= 3; workers++ {
			got, err := explore.Random(x, explore.Config{Workers: workers}, p)
			require.Equal(t, wantErr, err, x.Name)
			require.Equal(t, want, got, "%s, %d workers", x.Name, workers)
		}
	}
}

// A run that does not end is cut off and counted; a livelock ends at once, and
// so does one that is not expected to end.
func TestRandomCut(t *testing.T) {
	x := threads(t, "P0: 1: lock incl (%rdi)\njmp 1b\nhlt\nP1: hlt")
	r := random(t, x, explore.Schedules{Runs: 3, Seed: 1, Depth: 3})
	require.Equal(t, explore.Bounded, r.Verdict)
	require.EqualValues(t, 3, r.Random.Cut)
	require.Contains(t, r.Message, "3 of them were cut off")

	x = threads(t, "P0: 1: movl (%rdi),%eax\ntest %eax,%eax\nje 1b\nhlt\nP1: movl $1,(%rsi)\nhlt")
	r = random(t, x, explore.Schedules{Runs: 3, Seed: 1, Depth: 3})
	require.Equal(t, explore.Livelock, r.Property)
	x.Endless = true
	r = random(t, x, explore.Schedules{Runs: 3, Seed: 1, Depth: 3})
	require.Equal(t, explore.Bounded, r.Verdict)
	require.EqualValues(t, 3, r.Random.Cut)
}

// What does not matter is left out of a trace: here nothing more can be.
func TestRandomShortens(t *testing.T) {
	x := variant(t, "ticket-pv-kvm-unlocked-add", 2, 1)
	shortest := len(search(t, x, explore.ReduceAll).Trace.Path)
	for seed := range uint64(5) {
		r := random(t, x, explore.Schedules{Runs: 20_000, Seed: seed, Depth: 3})
		require.Equal(t, explore.Deadlock, r.Property)
		require.Equal(t, shortest, len(r.Trace.Path), "seed %d", seed)
	}
}

func TestRandomRefuses(t *testing.T) {
	x := threads(t, "P0: rdtsc\nhlt")
	_, err := explore.Random(x, explore.Config{}, explore.Schedules{Runs: 1, Depth: 1})
	require.ErrorContains(t, err, "there is no time between states")
	for _, p := range []explore.Schedules{{Runs: 0, Depth: 1}, {Runs: 1, Depth: 0}} {
		_, err := explore.Random(x, explore.Config{}, p)
		require.ErrorContains(t, err, "both are 1 at least", fmt.Sprint(p))
	}
}
