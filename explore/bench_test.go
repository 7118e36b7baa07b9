package explore_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/explore"
)

// BenchmarkSearch is the speed of a search: states and transitions a second.
func BenchmarkSearch(b *testing.B) {
	for _, c := range []struct {
		name         string
		vcpus, iters int
		reduce       explore.Reduction
	}{
		{"ticket", 4, 2, explore.ReduceSteps}, {"ticket", 4, 2, explore.ReduceAll},
		{"ticket-pv-kvm", 2, 2, explore.ReduceAll}, {"ticket-pv-kvm", 3, 1, explore.ReduceAll},
	} {
		b.Run(c.name, func(b *testing.B) {
			x := variant(b, c.name, c.vcpus, c.iters)
			var states, transitions, bytes uint64
			for b.Loop() {
				r, err := explore.Explore(x, explore.Config{Reduce: c.reduce})
				require.NoError(b, err)
				require.Equal(b, explore.Holds, r.Verdict)
				states, transitions, bytes = states+r.States, transitions+r.Transitions, r.Bytes/r.States
			}
			b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(float64(transitions)/b.Elapsed().Seconds(), "transitions/s")
			b.ReportMetric(float64(bytes), "bytes/state")
		})
	}
}

// BenchmarkWorkers is what a second worker gives.
func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			x := variant(b, "ticket-pv-kvm", 3, 2)
			for b.Loop() {
				_, err := explore.Explore(x, explore.Config{Workers: workers, MaxStates: 2_000_000})
				require.NoError(b, err)
			}
			b.ReportMetric(2e6*float64(b.N)/b.Elapsed().Seconds(), "states/s")
		})
	}
}

// BenchmarkRandom is how many random schedules are run in a second.
func BenchmarkRandom(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			x := variant(b, "ticket-pv-kvm", 4, 4)
			const runs = 2_000
			for b.Loop() {
				_, err := explore.Random(x, explore.Config{Workers: workers}, explore.Schedules{Runs: runs, Seed: 1, Depth: 3})
				require.NoError(b, err)
			}
			b.ReportMetric(runs*float64(b.N)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}
