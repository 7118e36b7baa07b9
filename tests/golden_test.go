package tests

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite golden files, scripts and the README")

// TestCompareGolden holds what every variant's code costs when nobody contends,
// and the length of its spin loop. The counts of the first three rows are those
// of the seeds' listings.
func TestCompareGolden(t *testing.T) {
	t.Parallel()
	args := []string{"compare", "-o", "json", "--vcpus", "2", "--iters", "2"}
	args = append(args, variants(t, true)...)
	out, stderr, code := spinlab(t, nil, args...)
	require.Zero(t, code, stderr)
	type cost struct{ Instructions, Locked, Loads, Stores uint64 }
	var rows []struct {
		Variant     string
		Bytes       struct{ Lock, Unlock, Slowpath uint64 }
		Uncontended struct{ Lock, Unlock cost }
		Spin        uint64 `json:"spin_instructions"`
	}
	require.NoError(t, json.Unmarshal(out, &rows))
	var got strings.Builder
	got.WriteString("# variant: bytes lock/unlock/slowpath; lock and unlock: instructions locked loads stores; spin turn\n")
	for _, r := range rows {
		l, u := r.Uncontended.Lock, r.Uncontended.Unlock
		fmt.Fprintf(&got, "%s: %d/%d/%d; lock %d %d %d %d; unlock %d %d %d %d; spin %d\n", r.Variant,
			r.Bytes.Lock, r.Bytes.Unlock, r.Bytes.Slowpath,
			l.Instructions, l.Locked, l.Loads, l.Stores, u.Instructions, u.Locked, u.Loads, u.Stores, r.Spin)
	}
	const name = "testdata/compare.golden"
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}
