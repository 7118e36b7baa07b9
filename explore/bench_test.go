package explore_test

import (
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
