package tests

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// threadsCase is a row of testdata/threads.jsonl: a program of some cores and
// the final states that x86-TSO allows, most of them seen on hardware.
type threadsCase struct {
	ID, Title string
	Input     string `json:"input_att"`
	Setup     struct {
		Cores []map[string]string
		Mem   map[string]string
	}
	Expect struct {
		Observe   []string
		Allowed   [][]string
		Exact     bool
		MustReach [][]string `json:"must_reach"`
		Never     [][]string `json:"must_not_reach"`
		ByteWise  [][]string `json:"only_with_bytewise_forwarding"`
		Hangs     bool       `json:"non_terminating_schedules"`
	}
}

// TestThreads holds the final states of every row, with each reduction.
func TestThreads(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/threads.jsonl")
	require.NoError(t, err)
	defer f.Close()
	reductions := []string{"all", "steps", "none"}
	if testing.Short() {
		reductions = reductions[:1]
	}
	n := 0
	for in := bufio.NewScanner(f); in.Scan(); n++ {
		var c threadsCase
		require.NoError(t, json.Unmarshal(in.Bytes(), &c))
		t.Run(c.ID, func(t *testing.T) {
			for _, reduce := range reductions {
				c.check(t, reduce)
			}
		})
	}
	require.Equal(t, 27, n, "rows")
}

func (c *threadsCase) check(t *testing.T, reduce string) {
	file := filepath.Join(t.TempDir(), "case.s")
	require.NoError(t, os.WriteFile(file, []byte(c.Input+"\n"), 0o600))
	args := []string{"check", file, "-o", "json", "--reduce", reduce, "--observe", strings.Join(c.Expect.Observe, ",")}
	for i, core := range c.Setup.Cores {
		for _, reg := range slices.Sorted(maps.Keys(core)) {
			if reg != "entry" && reg != "rsp" {
				args = append(args, "--set", fmt.Sprintf("P%d.%s=%s", i, reg, core[reg]))
			}
		}
	}
	for _, a := range slices.Sorted(maps.Keys(c.Setup.Mem)) {
		args = append(args, "--mem", a+"="+c.Setup.Mem[a])
	}
	out, stderr, code := spinlab(t, nil, args...)
	var got struct{ Finals [][]string }
	require.NoError(t, json.Unmarshal(out, &got), stderr)
	if c.Expect.Hangs && len(c.Expect.Allowed) == 0 {
		require.Equal(t, 1, code, "a hang is a violation")
		return
	}
	seen := tuples(got.Finals)
	require.Subset(t, seen, tuples(c.Expect.MustReach))
	require.Subset(t, seen, tuples(c.Expect.ByteWise))
	for _, bad := range tuples(c.Expect.Never) {
		if !slices.Contains(tuples(c.Expect.ByteWise), bad) {
			require.NotContains(t, seen, bad)
		}
	}
	if c.Expect.Exact {
		require.ElementsMatch(t, union(c.Expect.Allowed, c.Expect.ByteWise), seen, "reduce %s", reduce)
	}
}

// tuples makes states comparable.
func tuples(list [][]string) []string {
	out := []string{}
	for _, t := range list {
		out = append(out, strings.Join(t, " "))
	}
	return out
}

func union(a, b [][]string) []string {
	all := append(tuples(a), tuples(b)...)
	slices.Sort(all)
	return slices.Compact(all)
}
