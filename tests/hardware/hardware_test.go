package hardware

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/cpu"
)

// envNumber reads a number from the environment.
func envNumber(t testing.TB, name string, otherwise uint64) uint64 {
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	v, err := strconv.ParseUint(s, 0, 64)
	require.NoError(t, err, name)
	return v
}

// TestAgainstHost makes new cases and compares this host's processor with the
// engine on them.
func TestAgainstHost(t *testing.T) {
	h := startHost(t)
	want := uint64(20000)
	if testing.Short() {
		want = 2000
	}
	count := envNumber(t, "SPINLAB_HW_CASES", want)
	seed := envNumber(t, "SPINLAB_HW_SEED", 1)
	first := envNumber(t, "SPINLAB_HW_INDEX", 0)
	if os.Getenv("SPINLAB_HW_INDEX") != "" {
		count = 1
	}
	s := &session{t: t, host: h, engines: engines(), seed: seed}
	const batch = 500
	for at := uint64(0); at < count; at += batch {
		s.batch(first+at, min(batch, count-at))
	}
	t.Logf("%s: %d cases of seed %d, %d skipped, %d differ; %d ended by HLT, others by %s",
		h.vendor, count, seed, s.skipped, s.bad, s.ends["hlt"], s.endings())
	if s.bad > 0 {
		t.Errorf("%d of %d cases differ from the processor", s.bad, count)
	}
}

// session is a run of TestAgainstHost.
type session struct {
	t            *testing.T
	host         *host
	engines      []*engine
	seed         uint64
	bad, skipped int
	ends         map[string]int
}

// batch makes count cases from index first on and compares them.
func (s *session) batch(first, count uint64) {
	cases := make([]*testCase, count)
	for i := range cases {
		cases[i] = generate(s.seed, first+uint64(i), s.host.features)
	}
	replies, err := s.host.ask(cases)
	require.NoError(s.t, err)
	for i, c := range cases {
		s.check(c, &replies[i], first+uint64(i))
	}
}

// check compares one case. At most 20 differences are printed.
func (s *session) check(c *testCase, r *reply, index uint64) {
	if s.ends == nil {
		s.ends = map[string]int{}
	}
	want, err := r.outcome()
	if err != nil {
		s.bad++
		s.t.Errorf("%v\n%s", err, s.describe(c, index))
		return
	}
	if skip(c, &want) {
		s.skipped++
		return
	}
	s.ends[strings.Fields(want.stop())[0]]++
	why := checkEngines(s.engines, c, &want)
	if why == "" && os.Getenv("SPINLAB_HW_INDEX") == "" {
		return
	}
	if why != "" {
		s.bad++
	}
	if s.bad <= 20 {
		s.report(c, &want, index, why)
	}
}

// report prints a case with both results.
func (s *session) report(c *testCase, want *outcome, index uint64, why string) {
	text := s.describe(c, index) + "  processor: " + want.text()
	for _, e := range s.engines {
		got, count, err := e.run(c)
		text += fmt.Sprintf("  %s: %s    %d instructions, %v\n", e.name, got.text(), count, err)
	}
	if why == "" {
		s.t.Logf("agrees\n%s", text)
	} else {
		s.t.Errorf("%s\n%s", why, text)
	}
}

// skip leaves out what is a property of the host's kernel: some make a locked
// access across lines #AC (Documentation/arch/x86/buslock.rst).
func skip(c *testCase, want *outcome) bool {
	const alignmentCheck = 17
	return !want.HLT && want.Vector == alignmentCheck && want.Flags&cpu.AC == 0
}

// describe gives the case and the command that repeats it.
func (s *session) describe(c *testCase, index uint64) string {
	return fmt.Sprintf("bytes %x\n%s  start: %s\n  again: SPINLAB_HW_SEED=%d SPINLAB_HW_INDEX=%d go test -run TestAgainstHost -v ./tests/hardware\n",
		c.Code, c.listing(), stateText(&c.Regs, c.Flags), s.seed, index)
}

func stateText(regs *[16]uint64, flags uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "flags %#x", flags)
	for i, v := range regs {
		fmt.Fprintf(&b, " %s %#x", cpu.RegNames[i], v)
	}
	return b.String()
}

func (o *outcome) text() string {
	return fmt.Sprintf("%s at %#x, %s\n", o.stop(), o.RIP, stateText(&o.Regs, o.Flags))
}

// endings lists how runs ended, by vector.
func (s *session) endings() string {
	var parts []string
	for v := range uint8(32) {
		if n := s.ends[cpu.VectorName(v)]; n > 0 && cpu.VectorName(v) != "" {
			parts = append(parts, fmt.Sprintf("%s %d", cpu.VectorName(v), n))
		}
	}
	return strings.Join(parts, ", ")
}
