package experiment

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/guestcode"
	"spinlab/mem"
	"spinlab/vmm"
)

// collect runs a variant that sleeps a lot, with tasks.
func collect(t *testing.T, name string, stats int64, vms int, tasks func(p *guestcode.Program) []vmm.Task) *Result {
	t.Helper()
	v, ok := guestcode.Lookup(name)
	require.True(t, ok)
	defines := map[string]int64{"STATS": stats}
	for _, p := range []string{"SPIN_THRESHOLD", "XEN_TIMEOUT"} {
		if _, ok := v.Param(p); ok {
			defines[p] = 16
		}
	}
	p, err := guestcode.Build(v, guestcode.Config{VCPUs: 4, Iters: 200, WorkIn: 300, Defines: defines})
	require.NoError(t, err)
	cfg := vmm.Config{VMs: VMs(p, vms, 4), PCPUs: 2, MaxInstructions: 200_000_000}
	if tasks != nil {
		cfg.Tasks = tasks(p)
	}
	r, err := Run(p, cfg)
	require.NoError(t, err)
	require.Equal(t, vmm.VerdictDone, r.Verdict, r.Message)
	return r
}

// TestStats: what the levels collect, and that the numbers fit together.
func TestStats(t *testing.T) {
	for _, v := range guestcode.Variants() {
		if v.BrokenOf != "" || !v.Stats {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			assert.Nil(t, collect(t, v.Name, 0, 1, nil).Stats)
			for _, vms := range []int{1, 2} {
				counters := collect(t, v.Name, 1, vms, nil).Stats
				assert.NotZero(t, counters.TakenSlow)
				assert.Nil(t, counters.HistoBlocked)
				assert.Nil(t, counters.TimeBlocked)

				r := collect(t, v.Name, 2, vms, nil)
				full := r.Stats
				assert.Equal(t, v.Backend == guestcode.BackendXen, full.TakenSlowSpurious != nil)
				require.Len(t, full.HistoBlocked, 31)
				var stays, least uint64
				for i, n := range full.HistoBlocked {
					stays += n
					least += n << i
				}
				// Plain increments on several CPUs may lose some.
				assert.InEpsilon(t, full.TakenSlow, stays, 0.05)
				assert.NotZero(t, full.ReleasedSlowKicked)
				assert.LessOrEqual(t, full.ReleasedSlowKicked, full.ReleasedSlow)
				assert.GreaterOrEqual(t, *full.TimeBlocked, least*9/10)
				assert.Less(t, *full.TimeBlocked, 2*least)
			}
		})
	}
}

// TestCollectingCosts answers the question of the V4 thread, does the histogram
// slow locks down: more instructions with each level, and lines that move. (How
// many depends on the schedule, too.)
func TestCollectingCosts(t *testing.T) {
	var instructions, transfers []uint64
	for level := range int64(3) {
		r := collect(t, "ticket-pv-kvm", level, 1, nil)
		var n uint64
		for i := range r.VMs[0].VCPUs {
			n += r.VMs[0].VCPUs[i].Instructions
		}
		instructions, transfers = append(instructions, n), append(transfers, r.Lines.Transfers)
	}
	t.Log("instructions", instructions, "transfers", transfers)
	assert.IsIncreasing(t, instructions)
	assert.Less(t, transfers[0], min(transfers[1], transfers[2]))
}

// TestReadDuringARun: samples grow, and a reset in between shows.
func TestReadDuringARun(t *testing.T) {
	for _, name := range []string{"ticket-pv-kvm", "ticket-pv-xen", "byte-xen"} {
		var at []mem.Cycles
		var taken, blocked []uint64
		sample := func(p *guestcode.Program) vmm.Task {
			return vmm.Task{At: 100_000, Every: 100_000, Do: func(m *vmm.Machine, now mem.Cycles) {
				s := ReadStats(m, p)
				at, taken, blocked = append(at, now), append(taken, s.TakenSlow), append(blocked, *s.TimeBlocked)
			}}
		}
		without := collect(t, name, 2, 1, nil)
		r := collect(t, name, 2, 1, func(p *guestcode.Program) []vmm.Task { return []vmm.Task{sample(p)} })
		assert.Equal(t, without, r, "%s: reading changes nothing", name)
		require.Greater(t, len(at), 4)
		assert.IsNonDecreasing(t, taken, name)
		assert.IsNonDecreasing(t, blocked, name)
		assert.LessOrEqual(t, taken[len(taken)-1], r.Stats.TakenSlow)

		last := taken[len(taken)-1]
		at, taken, blocked = nil, nil, nil
		r = collect(t, name, 2, 1, func(p *guestcode.Program) []vmm.Task {
			zero, ok := ZeroStats(p, 250_000)
			require.True(t, ok)
			return []vmm.Task{sample(p), zero}
		})
		assert.Less(t, r.Stats.TakenSlow, last, "%s: the counts before are gone", name)
		assert.Less(t, taken[3], taken[1], name)
	}
	v, _ := guestcode.Lookup("ticket-pv-kvm")
	p, err := guestcode.Build(v, guestcode.Config{})
	require.NoError(t, err)
	_, ok := ZeroStats(p, 1)
	assert.False(t, ok, "without the histogram nobody looks at zero_stats")
}
