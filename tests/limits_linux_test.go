//go:build linux

package tests

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A run of four vCPUs stays small: a bound with room, not a measurement. The
// kernel's high-water mark is read while the run goes on, because ru_maxrss
// also counts what the parent had when it forked.
func TestRunIsSmall(t *testing.T) {
	const mostKiB = 40 << 10
	cmd := exec.Command(binary, "run", "ticket-pv-kvm", "--vcpus", "4", "--pcpus", "2", "--iters", "1000")
	require.NoError(t, cmd.Start())
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	hwm := regexp.MustCompile(`VmHWM:\s+(\d+) kB`)
	peak := 0
	for {
		select {
		case err := <-ended:
			require.NoError(t, err)
			require.NotZero(t, peak)
			require.Less(t, peak, mostKiB, "resident KiB of a run with 4 vCPUs")
			return
		case <-time.After(2 * time.Millisecond):
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			if m := hwm.FindSubmatch(status); m != nil {
				kib, _ := strconv.Atoi(string(m[1]))
				peak = max(peak, kib)
			}
		}
	}
}

// A small run is over before a person notices.
func TestSmallRunIsQuick(t *testing.T) {
	best := time.Hour
	for range 10 {
		start := time.Now()
		require.NoError(t, exec.Command(binary, "run", "ticket", "--vcpus", "2", "--iters", "10").Run())
		best = min(best, time.Since(start))
	}
	require.Less(t, best, 50*time.Millisecond, "a small run, start and end included")
}
