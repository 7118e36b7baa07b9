package explore_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/asm"
	"spinlab/experiment"
	"spinlab/explore"
	"spinlab/guestcode"
	"spinlab/vmm"
)

// variant is a built-in lock in the harness, built as check builds it.
func variant(t testing.TB, name string, vcpus, iters int) *explore.Target {
	t.Helper()
	v, ok := guestcode.Lookup(name)
	require.True(t, ok, name)
	defines := map[string]int64{}
	if _, ok := v.Param("STATS"); ok {
		defines["STATS"] = 0
	}
	for _, word := range strings.Fields(v.Check) { // --define NAME=VALUE
		if name, value, ok := strings.Cut(word, "="); ok {
			x, err := strconv.ParseInt(value, 0, 64)
			require.NoError(t, err)
			defines[name] = x
		}
	}
	p, err := guestcode.Build(v, guestcode.Config{VCPUs: vcpus, Iters: int64(iters), Defines: defines})
	require.NoError(t, err)
	x := program(p, vcpus)
	x.Symmetric = v.Alike
	return x
}

// lock is a lock of the test's own in the harness.
func lock(t testing.TB, source string, c guestcode.Config) *explore.Target {
	t.Helper()
	p, err := guestcode.BuildSource(c, asm.Source{Name: "lock.s", Text: []byte(source)})
	require.NoError(t, err)
	return program(p, c.VCPUs)
}

func program(p *guestcode.Program, vcpus int) *explore.Target {
	return &explore.Target{Name: p.Name, Machine: vmm.Config{
		VMs:       experiment.VMs(p, 1, vcpus),
		Symbolize: func(a uint64) string { return experiment.Symbol(p.Object, a) },
	}}
}

// threads is a source of threads; each starts with RDI and RSI on two lines of
// shared memory and RDX on a third.
func threads(t testing.TB, source string, observe ...string) *explore.Target {
	t.Helper()
	p, err := guestcode.BuildThreads(guestcode.Config{}, asm.Source{Name: "threads.s", Text: []byte(source)})
	require.NoError(t, err)
	img, starts := experiment.ThreadsImage(p, nil)
	for i := range starts {
		starts[i].Regs[7], starts[i].Regs[6], starts[i].Regs[2] = 0x200000, 0x200040, 0x200080
	}
	x := &explore.Target{Name: "threads", Starts: starts, Complete: true, Machine: vmm.Config{
		VMs:       []vmm.VMConfig{{VCPUs: len(starts), Image: img}},
		Symbolize: func(a uint64) string { return experiment.Symbol(p.Object, a) },
	}}
	for _, name := range observe {
		o, err := explore.ParseObservable(name)
		require.NoError(t, err)
		x.Observe = append(x.Observe, o)
	}
	return x
}

// search explores t and plays the trace of a violation to its end.
func search(t testing.TB, x *explore.Target, r explore.Reduction) *explore.Result {
	t.Helper()
	res, err := explore.Explore(x, explore.Config{Reduce: r, MaxStates: 3_000_000})
	require.NoError(t, err)
	require.NotEqual(t, explore.Bounded, res.Verdict, res.Message)
	if res.Trace == nil {
		return res
	}
	p, err := explore.Play(x, res.Trace)
	require.NoError(t, err)
	for at := 0; at < len(res.Trace.Path); {
		lines, err := p.Next()
		require.NoError(t, err)
		require.NotEmpty(t, lines)
		at = lines[0].Step
	}
	if !res.Property.OfGraph() && res.Property != explore.Final {
		require.NotEmpty(t, p.Breach(), "the trace must end in the %s: %s", res.Property, res.Message)
	}
	return res
}

// number prints what a failed comparison is about.
func number(r *explore.Result) string {
	return fmt.Sprintf("%s %s, %d states: %s", r.Verdict, r.Property, r.States, r.Message)
}
