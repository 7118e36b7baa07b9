//go:build unix

package tests

import (
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A run of four vCPUs stays small, and a short one is over before a person
// notices: bounds with room for a busy machine, not measurements.
func TestRunIsSmallAndQuick(t *testing.T) {
	const mostBytes = 40 << 20
	cmd := exec.Command(binary, "run", "ticket-pv-kvm", "--vcpus", "4", "--pcpus", "2", "--iters", "200")
	require.NoError(t, cmd.Run())
	rss := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS == "linux" {
		rss *= 1024 // kilobytes there, bytes on macOS
	}
	require.Less(t, int64(rss), int64(mostBytes), "resident memory of a run with 4 vCPUs")

	best := time.Hour
	for range 10 {
		start := time.Now()
		require.NoError(t, exec.Command(binary, "run", "ticket", "--vcpus", "2", "--iters", "10").Run())
		best = min(best, time.Since(start))
	}
	require.Less(t, best, 50*time.Millisecond, "a small run, start and end included")
}
