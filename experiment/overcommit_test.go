package experiment

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/guestcode"
	"spinlab/vmm"
)

// hasty is a profile whose scheduler runs a thousand times as fast, so that a
// short run sees many slices.
func hasty(t *testing.T, name string) *vmm.Profile {
	t.Helper()
	p, ok := vmm.FindProfile(name)
	require.True(t, ok)
	p.Fair.Latency /= 1000
	p.Fair.MinGran /= 1000
	p.Fair.WakeGran /= 1000
	p.Fair.HZ *= 1000
	p.Skew /= 1000
	return &p
}

// Eight times overcommitted, four VMs of 16 vCPUs on 8 pCPUs: every sound lock
// ends with the right counter, and a second run gives the same report, with and
// without pause-loop exiting.
func TestOvercommittedVMs(t *testing.T) {
	for _, variant := range guestcode.Variants() {
		if variant.BrokenOf != "" {
			continue
		}
		t.Run(variant.Name, func(t *testing.T) {
			t.Parallel()
			p := build(t, variant.Name, guestcode.Config{VCPUs: 16, Iters: 8, WorkIn: 200, WorkOut: 2000})
			profiles := []string{"x5570", "x7560", "zen5"}
			if testing.Short() {
				profiles = profiles[1:]
			}
			for _, profile := range profiles {
				run := func() *Result {
					cfg := vmm.Config{VMs: VMs(p, 4, 16), PCPUs: 8, Seed: 5, Profile: hasty(t, profile)}
					cfg.PLE = cfg.Profile.PLEUsual
					r, err := Run(p, cfg)
					require.NoError(t, err)
					return r
				}
				r := run()
				require.Equal(t, vmm.VerdictDone, r.Verdict, "%s: %s", profile, r.Message)
				assert.Equal(t, vmm.Counter{Want: 4 * 16 * 8, Got: 4 * 16 * 8}, r.Counter)
				assert.Equal(t, r, run(), profile)
				var pauses, preempts uint64
				for _, vm := range r.VMs {
					for _, v := range vm.VCPUs {
						pauses += v.Exits.Pause
						preempts += v.Exits.Preempt
					}
				}
				assert.NotZero(t, preempts, profile)
				if profile == "x5570" {
					assert.Zero(t, pauses)
				}
				t.Logf("%s: %d cycles, %d preemptions, %d PAUSE exits", profile, r.Cycles, preempts, pauses)
			}
		})
	}
}
