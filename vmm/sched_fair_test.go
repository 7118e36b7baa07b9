package vmm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"spinlab/mem"
)

// plain is a profile for scripted schedules: CFS at 1 GHz with a latency of
// 6,000 cycles, a minimum granularity of 750 and a wake-up granularity of 1,000
// on one pCPU (twice that on two), ticks every 1,000 cycles, and round costs.
func plain() Profile {
	p, _ := FindProfile("default")
	p.Name, p.MHz, p.Policy = "plain", 1000, CFS
	p.Fair = FairParams{Latency: 6000, MinGran: 750, WakeGran: 1000, HZ: 1_000_000, Balance: 8}
	p.Exit = exits(100)
	p.Exit[ReasonHypercall] = 100
	p.Wake, p.Switch, p.IPI, p.IdleExit, p.Skew = 300, 50, 20, 0, 0
	p.PLEWindow, p.PLEGap = 400, 100
	p.PLEMax = 1 << 30
	return p
}

// fairly puts a machine under that profile.
func fairly(change ...func(*Profile)) func(*Config) {
	return func(c *Config) {
		p := plain()
		for _, f := range change {
			f(&p)
		}
		c.Profile = &p
	}
}

// stay is a vCPU on a pCPU from one switch to it until the next.
type stay struct {
	at         mem.Cycles
	vcpu, pcpu int
}

// stays lists the switches of a run.
func stays(list *[]stay) func(*Config) {
	return func(c *Config) {
		c.Events = func(e *Event) {
			if e.Kind == EventSwitch {
				*list = append(*list, stay{e.Time, e.VCPU, e.PCPU})
			}
		}
	}
}

// spend is a program whose vCPUs pass that many cycles each and end.
func spend(cycles string) string {
	return "vcpu_main: mov $" + cycles + ", %eax\nout %eax, $0xe0" + pass
}

// A tick preempts when the slice is used up: with two vCPUs 3,000 cycles. The
// tick at 3,000 finds 3,000 cycles used and not more; the next one preempts.
func TestFairSlice(t *testing.T) {
	var list []stay
	r := run(t, spend("6000"), 2, 1, fairly(), stays(&list))
	require.Equal(t, VerdictDone, r.Verdict, r.Message)
	// vCPU 1 is asked to go at 8,000, too, but has run 4,000 cycles then and
	// vCPU 0 4,100: it is picked again without a switch, and ends 6,022 cycles
	// and an exit after its switch was over.
	assert.Equal(t, []stay{{0, 0, 0}, {4100, 1, 0}, {4150 + 6022 + 100, 0, 0}}, list)
	a, b := r.VMs[0].VCPUs[0], r.VMs[0].VCPUs[1]
	assert.Equal(t, Exits{Preempt: 1, IO: 1}, a.Exits)
	assert.Equal(t, Exits{Preempt: 1, IO: 1}, b.Exits)
	assert.Equal(t, mem.Cycles(10_272-4100), a.ReadyCycles, "stolen while the other ran")
	assert.Equal(t, mem.Cycles(4100), b.ReadyCycles)
	assert.Equal(t, mem.Cycles(6022), a.RunCycles, "6,000 and the instructions")
	assert.Equal(t, mem.Cycles(100+50), a.HostCycles, "an exit, and the switch back")
}

// Many vCPUs on a pCPU get the minimum granularity each.
func TestFairMinimumGranularity(t *testing.T) {
	f := newFair(&Profile{MHz: 1000, Fair: linux3x}, 1)
	assert.Equal(t, int64(6_000_000), f.slice(1))
	assert.Equal(t, int64(3_000_000), f.slice(2))
	assert.Equal(t, int64(750_000), f.slice(8))
	assert.Equal(t, int64(750_000), f.slice(20))
	for cpus, factor := range map[int]int64{1: 1, 2: 2, 4: 3, 8: 4, 32: 4} {
		assert.Equal(t, factor*6_000_000, newFair(&Profile{MHz: 1000, Fair: linux3x}, cpus).latency, "%d pCPUs", cpus)
	}
}

// A vCPU that slept is put half a latency before the others, 3,000 cycles, and
// preempts one that is ahead by more than the wake-up granularity, at once.
func TestFairWakeUpPreemption(t *testing.T) {
	source := `
vcpu_main:
	test %edi, %edi
	jne 1f
	mov $5000, %eax
	out %eax, $0xe2		# the alarm
	hlt
	xor %eax, %eax
	out %al, $0xf4
1:	mov $20000, %eax
	out %eax, $0xe0` + pass
	var list []stay
	r := run(t, source, 2, 1, fairly(), stays(&list))
	require.Equal(t, VerdictDone, r.Verdict, r.Message)
	// vCPU 0 takes 3 instructions, OUT (10), HLT (10) and an exit: it sleeps at
	// 123. The alarm, set at 13, rings at 5,013 and wakes it at 5,313; an exit
	// of vCPU 1 later it is on the pCPU.
	require.Equal(t, []stay{{0, 0, 0}, {123, 1, 0}, {5413, 0, 0}}, list[:3])
	assert.Equal(t, uint64(1), r.VMs[0].VCPUs[1].Exits.Preempt)
	assert.Equal(t, mem.Cycles(100), r.VMs[0].VCPUs[0].ReadyCycles, "the exit of the one it preempts")

	// With a granularity above the credit nobody is preempted before a tick
	// says so: the sleeper is behind by 3,000, its slice.
	list = nil
	r = run(t, source, 2, 1, fairly(func(p *Profile) { p.Fair.WakeGran = 3500 }), stays(&list))
	require.Equal(t, VerdictDone, r.Verdict, r.Message)
	assert.Equal(t, stay{6100, 0, 0}, list[2], "the tick after the wake-up")
}

// The credit is bounded: however long it slept, it is half a latency.
func TestFairSleeperCredit(t *testing.T) {
	m := machine(t, spend("1"), 2, 1, fairly())
	s := NewScheduler(m)
	v := m.VCPUs[1]
	v.fair.started = true
	for floor, want := range map[int64]int64{10_000: 7000, 2000: 500} {
		s.cpus[0].queue, s.cpus[0].cur = nil, m.VCPUs[0]
		s.fair.rq[0].floor = floor
		m.VCPUs[0].fair = entity{vruntime: floor}
		v.fair.vruntime, v.fair.queued = 500, false
		s.fairReady(v, 0)
		assert.Equal(t, want, v.fair.vruntime, "floor %d", floor)
	}
}

// The choice of the next vCPU: buddies count only as far as the wake-up
// granularity, 1,000, allows.
func TestFairBuddies(t *testing.T) {
	for name, c := range map[string]struct {
		vruntime   [3]int64
		next, skip int
		want       int
	}{
		"leftmost":               {[3]int64{10, 20, 30}, -1, -1, 0},
		"equals: who came first": {[3]int64{10, 10, 30}, -1, -1, 0},
		"next is near":           {[3]int64{10, 20, 1010}, 2, -1, 2},
		"next is too far":        {[3]int64{10, 20, 1011}, 2, -1, 0},
		"skip":                   {[3]int64{10, 1010, 2000}, -1, 0, 1},
		"skip, but who":          {[3]int64{10, 1011, 2000}, -1, 0, 0},
		"skip is not leftmost":   {[3]int64{10, 20, 30}, -1, 1, 0},
		"next beats skip":        {[3]int64{10, 20, 30}, 2, 0, 2},
		"next is skip":           {[3]int64{10, 20, 30}, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := machine(t, spend("1"), 3, 1, fairly())
			s := NewScheduler(m)
			for i, v := range m.VCPUs {
				v.fair.vruntime = c.vruntime[i]
				s.enqueue(0, v)
			}
			rq := &s.fair.rq[0]
			if c.next >= 0 {
				rq.next = m.VCPUs[c.next]
			}
			if c.skip >= 0 {
				rq.skip = m.VCPUs[c.skip]
			}
			v := s.pickFair(0)
			assert.Equal(t, c.want, v.Index)
			assert.Len(t, s.cpus[0].queue, 2)
			assert.False(t, rq.next == v || rq.skip == v, "its marks are gone")
		})
	}
}

// A vCPU that wakes while its pCPU is busy goes to an idle one, of the same
// socket if there is one; pinned, it stays and preempts.
func TestFairMigrationOfAHaltedVCPU(t *testing.T) {
	source := `
vcpu_main:
	cmp $3, %edi
	je 3f
	mov $500, %eax
	cmp $7, %edi
	jne 1f
	mov $9000, %eax		# vCPU 7 takes pCPU 3 over
1:	out %eax, $0xe0
2:	xor %eax, %eax
	out %al, $0xf4
3:	mov $5000, %eax
	out %eax, $0xe2
	hlt			# vCPU 3 sleeps from 123 on
	jmp 2b`
	for name, c := range map[string]struct {
		cores int
		pin   bool
		want  stay
	}{
		"one socket: the lowest": {0, false, stay{5313, 3, 0}},
		"the near one":           {2, false, stay{5313, 3, 2}},
		"no near one is idle":    {1, false, stay{5313, 3, 0}},
		"pinned":                 {2, true, stay{5413, 3, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			var list []stay
			r := run(t, source, 8, 4, stays(&list), fairly(func(p *Profile) { p.SocketCores = c.cores }), func(cfg *Config) { cfg.Pin = c.pin })
			require.Equal(t, VerdictDone, r.Verdict, r.Message)
			assert.Contains(t, list, c.want)
			moved := uint64(1)
			if c.pin {
				moved = 0
			}
			assert.Equal(t, moved, r.VMs[0].VCPUs[3].Migrations)
			assert.Equal(t, mem.Cycles(5313-123), r.VMs[0].VCPUs[3].HaltedCycles)
		})
	}
}

// A pCPU that runs out of work takes from a longer queue; a longer queue is
// also found by the look at every eighth tick.
func TestFairBalance(t *testing.T) {
	source := `
vcpu_main:
	mov $30000, %eax
	cmp $1, %edi
	jne 1f
	mov $20, %eax
1:	out %eax, $0xe0` + pass
	var list []stay
	r := run(t, source, 3, 2, stays(&list), fairly())
	require.Equal(t, VerdictDone, r.Verdict, r.Message)
	// vCPU 1 ends after mov, cmp, jne, mov, OUT, 20, xor and OUT.
	assert.Equal(t, []stay{{0, 0, 0}, {0, 1, 1}, {45, 2, 1}}, list, "idle pull")

	m := machine(t, spend("1"), 5, 2, fairly())
	s := NewScheduler(m)
	for _, v := range m.VCPUs {
		v.fair.vruntime = int64(10 * v.ID)
		s.enqueue(0, v)
	}
	s.fair.rq[1].floor = 1000
	s.place(0, s.pickFair(0), 0)
	s.cpus[1].cur = s.pickFair(0)
	s.balance(1, 0)
	require.Len(t, s.cpus[1].queue, 1)
	v := s.cpus[1].queue[0]
	assert.Equal(t, 4, v.Index, "the one that would run last")
	assert.Equal(t, 40+1000-s.fair.rq[0].floor, v.fair.vruntime, "as far from the floor as before")
	s.balance(1, 0)
	assert.Len(t, s.cpus[1].queue, 1, "3 against 2 is no reason")
}

// Random machines under CFS: the books balance, runs repeat, and the ways to
// drive the machine agree.
func TestRandomFairMachines(t *testing.T) {
	think := "\n\tmov $300, %eax\n\tin $0xe1, %eax\n\tout %eax, $0xe0\n"
	nap := "\n\tmov $900, %eax\n\tin $0xe1, %eax\n\tout %eax, $0xe2\n\thlt\n\tmov $0, %eax\n\tout %eax, $0xe2\n"
	call := "\n\tmov $11, %eax\n\tmov %rbx, %r8\n\tmov $3, %ebx\n\tvmcall\n\tmov %r8, %rbx\n"
	rapid.Check(t, func(rt *rapid.T) {
		between := rapid.SampledFrom([]string{"", think, think + nap, call + think, nap + call}).Draw(rt, "between")
		source := lockProgram(ticketLock+"\n", ticketUnlock+between,
			rapid.IntRange(1, 10).Draw(rt, "iters"), rapid.IntRange(1, 200).Draw(rt, "inside"), rapid.IntRange(1, 400).Draw(rt, "outside"))
		img, _ := guest(t, source)
		cfg := Config{PCPUs: rapid.IntRange(1, 5).Draw(rt, "pcpus")}
		for range rapid.IntRange(1, 3).Draw(rt, "vms") {
			cfg.VMs = append(cfg.VMs, VMConfig{VCPUs: rapid.IntRange(2, 5).Draw(rt, "vcpus"), Image: img})
		}
		if n := rapid.IntRange(0, 3).Draw(rt, "hogs"); n > 0 {
			cfg.VMs = append(cfg.VMs, HogVM(n))
		}
		p := plain()
		p.SocketCores = rapid.IntRange(0, 3).Draw(rt, "socket")
		p.Lines.Occupancy = rapid.Uint64Range(0, 90).Draw(rt, "occupancy")
		p.IdleExit = rapid.Uint64Range(0, 200).Draw(rt, "idle exit")
		p.Skew = 5000
		p.Fair.WakeGran = rapid.Uint64Range(0, 4000).Draw(rt, "wake granularity")
		p.PLEGrow, p.PLEShrink = rapid.Uint64Range(0, 500).Draw(rt, "grow"), rapid.Uint64Range(0, 500).Draw(rt, "shrink")
		if rapid.Bool().Draw(rt, "svm") {
			p.PLEKind, p.PLECount, p.PLEMax = PLESVM, 30, 65535
		}
		if rapid.Bool().Draw(rt, "poll") {
			p.Poll = HaltPoll{Max: 3000, Start: 100, Grow: 2, Shrink: rapid.Uint64Range(0, 2).Draw(rt, "poll shrink")}
		}
		if rapid.IntRange(0, 3).Draw(rt, "policy") == 0 {
			p.Policy, p.Slice = RoundRobin, 5000
		}
		cfg.Profile = &p
		cfg.Pin = rapid.Bool().Draw(rt, "pin")
		cfg.PLE = rapid.Bool().Draw(rt, "ple")
		cfg.Seed = rapid.Uint64Range(0, 5).Draw(rt, "seed")
		cfg.KickABI = KickABI(rapid.IntRange(0, int(KickMainline)).Draw(rt, "abi"))
		cfg.Commit = mem.CommitMode(rapid.IntRange(0, int(mem.Random)).Draw(rt, "commit"))
		cfg.MaxInstructions = 3_000_000
		one := func(lockstep bool) Report {
			m, err := NewMachine(cfg)
			require.NoError(rt, err)
			m.lockstep = lockstep
			return m.Run()
		}
		r := one(false)
		balanced(rt, r)
		require.Equal(rt, VerdictDone, r.Verdict, r.Message)
		require.Equal(rt, r.Counter.Want, r.Counter.Got)
		require.Equal(rt, r, one(false), "again")
		require.Equal(rt, r, one(true), "one cycle at a time")
		m, err := NewMachine(cfg)
		require.NoError(rt, err)
		if m.RunTo(rapid.Uint64Range(1, 3000).Draw(rt, "pause")) {
			m = resumed(t, m)
		}
		require.Equal(rt, r, m.Run(), "saved and resumed")
		cfg.NoSkip = true
		require.Equal(rt, r, one(false), "hogs executed")
	})
}
