package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"spinlab/experiment"
	"spinlab/guestcode"
	"spinlab/mem"
	"spinlab/vmm"
)

// statsFlags are about the guest's own statistics.
type statsFlags struct {
	show  bool
	every uint64
	zero  uint64
}

func (f *statsFlags) add(fs *pflag.FlagSet) {
	fs.BoolVar(&f.show, "stats", false, "print the guest's statistics; --define STATS=2 collects times, too")
	fs.Uint64Var(&f.every, "stats-every", 0, "print them on the standard error each time that so many `cycles` have passed")
	fs.Uint64Var(&f.zero, "zero-stats", 0, "write 1 to the guest's zero_stats at this `cycle`, as a user of debugfs does")
}

// checkReport refuses --stats where a report would have none.
func (f *statsFlags) checkReport(p *guestcode.Program, format string) error {
	switch {
	case f.show && p.Stats == 0:
		return fmt.Errorf("--stats: %s counts nothing", p.Name)
	case f.show && format == "csv":
		return errors.New("--stats: the rows of csv are vCPUs, which have none; -o json has them")
	}
	return nil
}

// tasks are what reads and resets the statistics during a run. Snapshots go to
// w, as JSON lines if the report is JSON.
func (f *statsFlags) tasks(p *guestcode.Program, w io.Writer, format string) ([]vmm.Task, error) {
	if f.every != 0 && p.Stats == 0 {
		return nil, fmt.Errorf("--stats-every: %s counts nothing", p.Name)
	}
	var list []vmm.Task
	if f.zero != 0 {
		t, ok := experiment.ZeroStats(p, f.zero)
		if !ok {
			return nil, errors.New("--zero-stats: the guest does not look at zero_stats; --define STATS=2 makes locks with statistics do so")
		}
		list = append(list, t)
	}
	if f.every != 0 {
		list = append(list, everyCycles(f.every, func(m *vmm.Machine, at mem.Cycles) {
			printSample(w, at, experiment.ReadStats(m, p), format)
		}))
	}
	return list, nil
}

func printSample(w io.Writer, at mem.Cycles, s *experiment.Stats, format string) {
	if format != "json" {
		fmt.Fprintf(w, "cycle %s: %s\n", grouped(at), statsLine(s))
		return
	}
	b, err := json.Marshal(struct {
		Cycle mem.Cycles        `json:"cycle"`
		Stats *experiment.Stats `json:"stats"`
	}{at, s})
	if err == nil {
		fmt.Fprintf(w, "%s\n", b)
	}
}

// statsLine is the counters in the order of the patches' debugfs files.
func statsLine(s *experiment.Stats) string {
	parts := []string{"taken_slow " + grouped(s.TakenSlow), "taken_slow_pickup " + grouped(s.TakenSlowPickup)}
	if s.TakenSlowSpurious != nil {
		parts = append(parts, "taken_slow_spurious "+grouped(*s.TakenSlowSpurious))
	}
	parts = append(parts, "released_slow "+grouped(s.ReleasedSlow), "released_slow_kicked "+grouped(s.ReleasedSlowKicked))
	if s.TimeBlocked != nil {
		parts = append(parts, "time_blocked "+grouped(*s.TimeBlocked))
	}
	return strings.Join(parts, ", ")
}

// printHistogram shows which times lockers stayed in the slow path, a line for
// each bucket between the first and the last that is not empty.
func printHistogram(w io.Writer, s *experiment.Stats) {
	if s == nil || s.HistoBlocked == nil {
		return
	}
	first, last, most := -1, -1, uint64(0)
	for i, n := range s.HistoBlocked {
		if n != 0 {
			last, most = i, max(most, n)
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		fmt.Fprintln(w, "\nblocked: nobody")
		return
	}
	const width = 50
	t := table{head: []string{"blocked for cycles", "times", ""}}
	for i := first; i <= last; i++ {
		span := fmt.Sprintf("2^%d to 2^%d", i, i+1)
		if i == len(s.HistoBlocked)-1 {
			span = fmt.Sprintf("2^%d or more", i)
		}
		n := s.HistoBlocked[i]
		t.add(span, n, strings.Repeat("#", int((n*width+most-1)/most)))
	}
	fmt.Fprintln(w)
	t.text(w)
}
