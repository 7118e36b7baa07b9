package tests

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/experiment"
	"spinlab/guestcode"
	"spinlab/vmm"
)

// result is what these tests look at in the JSON of run.
type result struct {
	Verdict string `json:"verdict"`
	Counter struct {
		Want uint64 `json:"want"`
		Got  uint64 `json:"got"`
	} `json:"counter"`
	Cycles uint64 `json:"cycles"`
	VMs    []struct {
		Cycles uint64 `json:"cycles"`
		VCPUs  []struct {
			Exits struct {
				HLT       uint64 `json:"hlt"`
				Hypercall uint64 `json:"hypercall"`
				Pause     uint64 `json:"pause"`
			} `json:"exits"`
			Kicks  uint64 `json:"kicks_sent"`
			Run    uint64 `json:"run_cycles"`
			Ready  uint64 `json:"ready_cycles"`
			Halted uint64 `json:"halted_cycles"`
			Host   uint64 `json:"host_cycles"`
			Done   uint64 `json:"done_cycles"`
			Wait   struct {
				Mean float64 `json:"mean"`
			} `json:"wait_cycles"`
		} `json:"vcpus"`
	} `json:"vms"`
}

// runLock runs a lock with a bound that a broken machine hits in a second.
func runLock(t testing.TB, args ...string) (r result, code int) {
	t.Helper()
	args = append([]string{"run", "-o", "json", "--max-instructions", "100000000"}, args...)
	out, stderr, code := spinlab(t, nil, args...)
	require.NoError(t, json.Unmarshal(out, &r), "%v: %s", args, stderr)
	return r, code
}

// variants are the names in the table: the sound ones or the broken ones.
func variants(t testing.TB, sound bool) (names []string) {
	out, _, _ := spinlab(t, nil, "list", "variants", "-o", "json")
	var list struct {
		Variants []struct {
			Name     string `json:"name"`
			BrokenOf string `json:"broken_of"`
		} `json:"variants"`
	}
	require.NoError(t, json.Unmarshal(out, &list))
	for _, v := range list.Variants {
		if sound == (v.BrokenOf == "") {
			names = append(names, v.Name)
		}
	}
	require.NotEmpty(t, names)
	return names
}

// TestWideTicketsCount: the same for locks with 16-bit tickets.
func TestWideTicketsCount(t *testing.T) {
	if testing.Short() {
		t.Skip("long runs")
	}
	for _, name := range variants(t, true) {
		if v, ok := guestcode.Lookup(name); !ok || v.TicketBits == 0 {
			continue
		}
		for _, size := range []struct{ vcpus, iters int }{{1, 100}, {2, 100}, {8, 50}, {32, 10}} {
			what := fmt.Sprintf("%s with %d vCPUs", name, size.vcpus)
			r, code := runLock(t, name, "--vcpus", fmt.Sprint(size.vcpus), "--iters", fmt.Sprint(size.iters), "--define", "TICKET_BITS=16")
			assert.Zero(t, code, what)
			assert.EqualValues(t, size.vcpus*size.iters, r.Counter.Got, what)
		}
	}
}

// TestEverySoundVariantCounts: no update is lost, and every cycle of a vCPU is
// booked once.
func TestEverySoundVariantCounts(t *testing.T) {
	t.Parallel()
	for _, name := range variants(t, true) {
		for _, size := range []struct{ vcpus, iters int }{{1, 200}, {2, 200}, {8, 100}, {32, 20}} {
			if testing.Short() && size.vcpus > 2 {
				continue
			}
			what := fmt.Sprintf("%s with %d vCPUs", name, size.vcpus)
			r, code := runLock(t, name, "--vcpus", fmt.Sprint(size.vcpus), "--iters", fmt.Sprint(size.iters))
			assert.Zero(t, code, what)
			assert.Equal(t, "done", r.Verdict, what)
			assert.EqualValues(t, size.vcpus*size.iters, r.Counter.Want, what)
			assert.Equal(t, r.Counter.Want, r.Counter.Got, what)
			for _, vm := range r.VMs {
				for i, v := range vm.VCPUs {
					assert.Equal(t, vm.Cycles, v.Run+v.Ready+v.Halted+v.Host+v.Done, "%s: books of vCPU %d", what, i)
				}
			}
		}
	}
}

// TestLostWakeUp is the deadlock that the patch describes: without LOCK the
// unlocker reads the slowpath flag while its release still waits in the store
// buffer. Delayed commits make the window wide. The sound lock survives the
// same schedules.
func TestLostWakeUp(t *testing.T) {
	schedule := []string{"--commit=late", "--vcpus", "2", "--pcpus", "2", "--work-out", "400", "--define", "SPIN_THRESHOLD=16"}
	r, code := runLock(t, append(schedule, "ticket-pv-kvm-unlocked-add")...)
	assert.Equal(t, "deadlock", r.Verdict)
	assert.Equal(t, 1, code)
	r, code = runLock(t, append(schedule, "ticket-pv-kvm")...)
	assert.Equal(t, "done", r.Verdict)
	assert.Zero(t, code)
}

// TestXenTwins are the same two bugs on event channels, each beside its sound
// parent under the same schedule: the release that waits in the store buffer,
// and the pending event that is wiped after the last look at the lock, where a
// waiter must lose its pCPU.
func TestXenTwins(t *testing.T) {
	for twin, schedule := range map[string][]string{
		"ticket-pv-xen-unlocked-add": {"--commit=late", "--vcpus", "2", "--pcpus", "2", "--work-out", "400", "--define", "SPIN_THRESHOLD=16"},
		"ticket-pv-xen-clear-after-recheck": {"--commit=late", "--vcpus", "2", "--pcpus", "1", "--iters", "20", "--work-out", "30",
			"--slice", "282", "--define", "SPIN_THRESHOLD=1"},
	} {
		r, code := runLock(t, append(schedule, twin)...)
		assert.Equal(t, "deadlock", r.Verdict, twin)
		assert.Equal(t, 1, code)
		r, code = runLock(t, append(schedule, "ticket-pv-xen")...)
		assert.Equal(t, "done", r.Verdict, "%s: the parent", twin)
		assert.Zero(t, code)
	}
}

// TestFlagAfterPickup: the window is three instructions wide, so a waiter must
// lose its pCPU just there. Short slices find such a schedule, which then is
// run again by its flags, and for the sound lock, too.
func TestFlagAfterPickup(t *testing.T) {
	const name = "ticket-pv-kvm-flag-after-pickup"
	flags := findDeadlock(t, name)
	require.NotNil(t, flags, "no schedule ends in the deadlock")
	t.Log(name, flags)
	r, code := runLock(t, append(flags, name)...)
	assert.Equal(t, "deadlock", r.Verdict)
	assert.Equal(t, 1, code)
	r, _ = runLock(t, append(flags, "ticket-pv-kvm")...)
	assert.Equal(t, "done", r.Verdict)
}

// findDeadlock tries schedules of three vCPUs on one pCPU until one of them
// ends in a deadlock, and returns its flags.
func findDeadlock(t *testing.T, name string) []string {
	variant, ok := guestcode.Lookup(name)
	require.True(t, ok)
	for threshold := range int64(3) {
		threshold++
		p, err := guestcode.Build(variant, guestcode.Config{VCPUs: 3, Iters: 300, WorkOut: 30,
			Defines: map[string]int64{"SPIN_THRESHOLD": threshold}})
		require.NoError(t, err)
		for slice := uint64(131); slice < 800; slice += 10 {
			for seed := range uint64(4) {
				r, err := experiment.Run(p, vmm.Config{VMs: experiment.VMs(p, 1, 3), PCPUs: 1, Slice: slice, Seed: seed, MaxInstructions: 10_000_000})
				require.NoError(t, err)
				if r.Verdict == vmm.VerdictDeadlock {
					return []string{"--vcpus", "3", "--pcpus", "1", "--iters", "300", "--work-out", "30",
						"--slice", fmt.Sprint(slice), "--seed", fmt.Sprint(seed), "--define", fmt.Sprintf("SPIN_THRESHOLD=%d", threshold)}
				}
			}
		}
	}
	return nil
}

// TestPauseLoopExiting: with PLE, spinners leave the guest and the holder gets
// the pCPU sooner.
func TestPauseLoopExiting(t *testing.T) {
	off, _ := runLock(t, "ticket", "--vcpus", "4", "--pcpus", "2", "--iters", "200", "--ple=off")
	on, _ := runLock(t, "ticket", "--vcpus", "4", "--pcpus", "2", "--iters", "200", "--ple=on")
	assert.Zero(t, pauseExits(off))
	assert.NotZero(t, pauseExits(on))
	assert.NotEqual(t, off.VMs[0].VCPUs[0].Wait, on.VMs[0].VCPUs[0].Wait)
	assert.Less(t, on.Cycles, off.Cycles)
}

func pauseExits(r result) (n uint64) {
	for _, v := range r.VMs[0].VCPUs {
		n += v.Exits.Pause
	}
	return n
}

// TestHaltsAndKicks: the PV lock sleeps and is woken under overcommit.
func TestHaltsAndKicks(t *testing.T) {
	t.Parallel()
	r, _ := runLock(t, "ticket-pv-kvm", "--vcpus", "4", "--pcpus", "2", "--iters", "1000")
	var halts, kicks uint64
	for _, v := range r.VMs[0].VCPUs {
		halts += v.Exits.HLT
		kicks += v.Kicks
	}
	assert.Equal(t, "done", r.Verdict)
	assert.NotZero(t, halts, "halts")
	assert.NotZero(t, kicks, "kicks")
}

// TestSeeds: a seed is another schedule, and the same one each time.
func TestSeeds(t *testing.T) {
	var cycles []uint64
	for seed := range 4 {
		args := []string{"ticket-pv-kvm", "--iters", "100", "--seed", fmt.Sprint(seed)}
		a, _ := runLock(t, args...)
		b, _ := runLock(t, args...)
		assert.Equal(t, a, b)
		cycles = append(cycles, a.Cycles)
	}
	slices.Sort(cycles)
	assert.Greater(t, len(slices.Compact(cycles)), 1, "all seeds ran the same schedule")
}
