package vmm

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"spinlab/mem"
)

// sleepers is a lock program whose waiters halt and are kicked.
var sleepers = lockProgram(`
	mov $1, %eax
4:	xchg %al, (%rdi)
	test %al, %al
	je 5f
	movl $1, 0x80(%rdi)
	sti
	hlt
	mov $1, %eax
	jmp 4b
5:`, `
	movb $0, (%rdi)
	mfence
	cmpl $0, 0x80(%rdi)
	je 6f
	movl $0, 0x80(%rdi)
	mov $3, %ecx
	push %rbx
7:	mov $5, %eax
	mov %ecx, %ebx
	dec %ebx
	add %ebx, %ebx
	inc %ebx
	vmcall
	dec %ecx
	jne 7b
	pop %rbx
6:`, 12, 300, 50)

// idler sleeps until an interrupt comes; both kinds have the same handler.
const idler = `
vcpu_main:
	sti
	nop
	test %edi, %edi
	jne 1f
	hlt
1:	` + pass + `
irq_handler:
nmi_handler:
	iretq
`

// timelineProfile is a machine with CFS and pause-loop exiting if it has it.
func timelineProfile(name string) func(*Config) {
	return func(c *Config) {
		p, _ := FindProfile(name)
		c.Profile, c.PLE = &p, p.PLEKind != PLENone
	}
}

// timelineOf runs a machine with a timeline.
func timelineOf(t testing.TB, m *Machine, draw func(io.Writer, *Machine) Timeline) (string, Report) {
	t.Helper()
	var b bytes.Buffer
	tl := draw(&b, m)
	m.Listen(Hooks{Symbolize: m.cfg.Symbolize, Events: tl.Event})
	r := m.Run()
	require.NoError(t, tl.Close())
	return b.String(), r
}

// traceEvent is an event of the format; a field that it lacks is zero.
type traceEvent struct {
	Ph, Cat, Name, S, BP string
	PID, TID             int
	TS, Dur              json.Number
	ID                   int
	Args                 map[string]any
}

// ps turns microseconds with six digits into picoseconds.
func ps(t testing.TB, n json.Number) uint64 {
	t.Helper()
	whole, rest, ok := strings.Cut(string(n), ".")
	require.True(t, ok && len(rest) == 6, n)
	v, err := json.Number(strings.TrimLeft(whole+rest, "0") + "").Int64()
	if strings.Trim(whole+rest, "0") == "" {
		return 0
	}
	require.NoError(t, err)
	return uint64(v)
}

// parseTrace reads a trace and holds it against the rules of the format: times
// in order on each track, slices that do not overlap, every begin with its end,
// every arrow with its head.
func parseTrace(t testing.TB, text string) []traceEvent {
	t.Helper()
	var file struct {
		DisplayTimeUnit string
		TraceEvents     []traceEvent
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&file))
	assert.Contains(t, []string{"ns", "ms"}, file.DisplayTimeUnit)
	type track struct{ pid, tid int }
	last, end := map[track]uint64{}, map[track]uint64{}
	open, arrows, names := map[int]string{}, map[int]int{}, map[track]bool{}
	for _, e := range file.TraceEvents {
		at := track{e.PID, e.TID}
		require.NotEmpty(t, e.Name)
		if e.Ph == "M" {
			names[at] = true
			continue
		}
		require.True(t, names[at], "track %v has no name", at)
		ts := ps(t, e.TS)
		if e.Ph == "b" || e.Ph == "e" { // tracks of their own, by id
			at = track{-e.PID, e.ID}
		}
		require.GreaterOrEqual(t, ts, last[at], "%+v", e)
		last[at] = ts
		switch e.Ph {
		case "X":
			require.GreaterOrEqual(t, ts, end[at], "%+v overlaps", e)
			end[at] = ts + ps(t, e.Dur)
			require.Greater(t, end[at], ts)
		case "b":
			require.Empty(t, open[e.ID])
			open[e.ID] = e.Name
		case "e":
			require.Equal(t, open[e.ID], e.Name)
			delete(open, e.ID)
		case "s":
			require.Zero(t, arrows[e.ID])
			arrows[e.ID] = 1
			require.Less(t, ts, end[at], "an arrow begins in a slice")
		case "f":
			require.Equal(t, 1, arrows[e.ID])
			require.Equal(t, "e", e.BP)
			arrows[e.ID] = 2
		case "i":
			require.Equal(t, "t", e.S)
		default:
			t.Errorf("unknown phase %q", e.Ph)
		}
	}
	assert.Empty(t, open)
	for id, n := range arrows {
		assert.Equal(t, 2, n, "arrow %d has no head", id)
	}
	return file.TraceEvents
}

func TestTraceFormat(t *testing.T) {
	for _, c := range []struct {
		name         string
		source       string
		vcpus, pcpus int
		verdict      Verdict
		change       func(*Config)
	}{
		{"ticket", lockProgram(ticketLock, ticketUnlock, 20, 50, 20), 4, 2, VerdictDone, func(c *Config) { c.Slice = 2000 }},
		{"pause loops", lockProgram(ticketLock, ticketUnlock, 20, 900, 20), 4, 2, VerdictDone, func(c *Config) { c.PLE = true }},
		{"kicks", sleepers, 3, 2, VerdictDone, func(*Config) {}},
		{"kicks, two VMs", sleepers, 3, 2, VerdictDone, func(c *Config) { c.VMs = append(c.VMs, c.VMs[0]) }},
		{"idle gaps", sleepers, 3, 5, VerdictDone, func(c *Config) { c.Seed, c.VMs = 4, append(c.VMs, c.VMs[0]) }},
		{"CFS", sleepers, 3, 2, VerdictDone, timelineProfile("x5570")},
		{"CFS, pause loops", lockProgram(ticketLock, ticketUnlock, 20, 900, 20), 6, 3, VerdictDone, timelineProfile("zen5")},
		{"interrupts", idler, 2, 2, VerdictDone, func(c *Config) {
			c.Inject = []Injection{{VCPU: 0, Vector: VectorTimer, Timed: true, Cycle: 9000}, {VCPU: 1, Vector: VectorNMI, Retired: 3}}
		}},
		{"a kick for nobody", haltAndKick, 2, 2, VerdictLimit, func(c *Config) { c.MaxCycles = 9000 }},
		{"time runs out", sleepers, 3, 2, VerdictLimit, func(c *Config) { c.MaxCycles = 30_000 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := machine(t, c.source, c.vcpus, c.pcpus, c.change)
			text, r := timelineOf(t, m, NewTrace)
			require.Equal(t, c.verdict, r.Verdict, r.Message)
			again, _ := timelineOf(t, machine(t, c.source, c.vcpus, c.pcpus, c.change), NewTrace)
			assert.Equal(t, text, again, "equal runs, equal bytes")
			sums := map[string]uint64{}
			holds := uint64(0)
			for _, e := range parseTrace(t, text) {
				if e.Ph == "X" && e.PID > hostPID {
					sums[e.Cat] += ps(t, e.Dur)
				}
				if e.Ph == "b" && e.Name == "hold" {
					holds++
				}
			}
			want, acquired := map[string]uint64{}, uint64(0)
			for _, vm := range r.VMs {
				for _, v := range vm.VCPUs {
					for cat, n := range map[string]mem.Cycles{SpentRun: v.RunCycles, SpentReady: v.ReadyCycles, SpentHalted: v.HaltedCycles, SpentHost: v.HostCycles} {
						want[cat] += n * 1e6 / m.cfg.Profile.MHz
					}
					acquired += v.Acquisitions
				}
			}
			assert.Equal(t, acquired, holds)
			for cat, n := range want {
				assert.InDelta(t, n, sums[cat], float64(len(text)), "time spent %s", cat) // each slice is rounded
			}
		})
	}
}

// What a trace shows of a kick: the hypercall, the arrow, and the halt that it
// ends.
func TestTraceShowsKicks(t *testing.T) {
	text, r := timelineOf(t, machine(t, haltAndKick, 2, 2), NewTrace)
	require.Equal(t, VerdictDone, r.Verdict, r.Message)
	seen := map[string]int{}
	for _, e := range parseTrace(t, text) {
		seen[e.Ph+" "+e.Name]++
	}
	for name, n := range map[string]int{"X v0 hypercall": 1, "X v1 hlt": 1, "i kick v1": 1, "s kick": 1, "f kick": 1,
		"X halted": 1, "X v1 switch": 1, "i v1 done": 1} {
		assert.Equal(t, n, seen[name], name)
	}
}

func TestTextTimeline(t *testing.T) {
	draw := func(width int) func(io.Writer, *Machine) Timeline {
		return func(w io.Writer, m *Machine) Timeline { return NewText(w, m, width) }
	}
	fast := func(c *Config) {
		p, _ := FindProfile("default")
		p.Switch = 0
		c.Profile, c.Slice = &p, 4000
	}
	spin := "vcpu_main: mov $2000, %ecx\n1: dec %ecx\njne 1b\n" + pass
	text, _ := timelineOf(t, machine(t, spin, 2, 1, fast), draw(40))
	assert.Equal(t, `timeline: 12024 cycles from 0, 4.008000 us; a character is 352 cycles
p0 00000000000hhhhhh11111111111hhhhhhh
0-1 vcpu 0-1, h host, . idle
`, text)
	for _, width := range []int{1, 20, 60, 100, 237} {
		text, r := timelineOf(t, machine(t, sleepers, 3, 2), draw(width))
		require.Equal(t, VerdictDone, r.Verdict, r.Message)
		rows := strings.Split(text, "\n")
		require.Len(t, rows, 6)
		for i, name := range []string{"p0   ", "p1   ", "lock "} {
			row := rows[i+1]
			assert.True(t, strings.HasPrefix(row, name), row)
			if width >= 20 {
				assert.LessOrEqual(t, len(row), width)
				assert.Greater(t, len(row), width*3/4)
			}
		}
		assert.Contains(t, rows[3], "0")
	}
}

// The events cost nothing and come as they happened: neither they nor cores
// that run ahead change a report, and both kinds of run tell the same.
func TestEventsChangeNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		vcpus, pcpus := rapid.IntRange(2, 5).Draw(rt, "vcpus"), rapid.IntRange(1, 4).Draw(rt, "pcpus")
		source := rapid.SampledFrom([]string{sleepers, lockProgram(ticketLock, ticketUnlock, 10, 100, 30)}).Draw(rt, "source")
		slice := rapid.Uint64Range(500, 20_000).Draw(rt, "slice")
		seed := rapid.Uint64Range(0, 5).Draw(rt, "seed")
		commit := mem.CommitMode(rapid.IntRange(0, int(mem.Random)).Draw(rt, "commit"))
		ple := rapid.Bool().Draw(rt, "ple")
		fair := rapid.Bool().Draw(rt, "fair")
		one := func(listen, lockstep bool) (Report, map[int][]Event) {
			m := machine(t, source, vcpus, pcpus, func(c *Config) {
				c.Slice, c.Seed, c.Commit, c.PLE, c.MaxInstructions = slice, seed, commit, ple, 200_000
				if fair {
					timelineProfile("zen5")(c)
					c.Slice = 0
				}
			})
			m.lockstep = lockstep
			all := map[int][]Event{}
			if listen {
				m.Listen(Hooks{Symbolize: m.cfg.Symbolize, Events: func(e *Event) { all[e.VCPU] = append(all[e.VCPU], *e) }})
			}
			return m.Run(), all
		}
		quiet, _ := one(false, false)
		r, events := one(true, false)
		require.Equal(rt, quiet, r)
		if quiet.Verdict == VerdictLimit {
			return // where exactly a limit on all instructions strikes, lockstep decides otherwise
		}
		r2, events2 := one(true, true)
		require.Equal(rt, quiet, r2)
		require.Equal(rt, events, events2)
		require.NotEmpty(rt, events)
	})
}
