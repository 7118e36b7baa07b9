package vmm

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/cpu"
	"spinlab/mem"
)

// Three vCPUs on one pCPU, two of which spin: the first PAUSE more than 400
// cycles after the loop's start exits, and the pCPU goes to the vCPU behind the
// one that was chosen last. The spinner that was chosen already is passed over.
func TestPauseExitYieldsToTheRightCandidate(t *testing.T) {
	source := `
vcpu_main:
	cmp $2, %edi
	je 2f
	mov $60, %ecx
1:	pause			# a turn takes 10 + 1 + 1 cycles
	dec %ecx
	jne 1b
2:` + pass
	var list []stay
	r := run(t, source, 3, 1, stays(&list), fairly(), func(c *Config) { c.PLE = true })
	require.Equal(t, VerdictDone, r.Verdict, r.Message)
	// vCPU 0's first PAUSE is at 3, the 35th at 3 + 34·12 = 411: it exits at
	// 421 and yields at 521 to vCPU 1, which does the same. vCPU 2 takes 13
	// cycles. vCPU 0 then has 25 turns left.
	first := mem.Cycles(3 + 34*12 + 10 + 100)
	second := first + 50 + first
	third := second + 50 + 13
	assert.Equal(t, []stay{{0, 0, 0}, {first, 1, 0}, {second, 2, 0}, {third, 0, 0}, {third + 50 + 2 + 25*12 + 11, 1, 0}}, list)
	for i, want := range []uint64{1, 1, 0} {
		assert.Equal(t, want, r.VMs[0].VCPUs[i].Exits.Pause)
		assert.Equal(t, want, r.VMs[0].VCPUs[i].YieldsTo)
	}
	assert.Equal(t, second-first, r.VMs[0].VCPUs[0].ReadyCycles-(third-second))
}

// kvm_vcpu_on_spin's choice among the vCPUs of a VM.
func TestOnSpinCandidates(t *testing.T) {
	const n = 5
	for name, c := range map[string]struct {
		boosted int
		queued  []int
		inSpin  []int
		chosen  []int
		user    []int
		pcpus   int
		want    int // −1: nobody
	}{
		"behind the last one":      {1, []int{1, 2, 3}, nil, nil, nil, 1, 2},
		"around the end":           {3, []int{1, 2}, nil, nil, nil, 1, 1},
		"the last one at last":     {3, []int{3}, nil, nil, nil, 1, 3},
		"nobody waits":             {0, nil, nil, nil, nil, 1, -1},
		"a spinner is passed over": {0, []int{1, 2}, []int{1}, nil, nil, 1, 2},
		"but not the second time":  {0, []int{1, 2}, []int{1}, []int{1}, nil, 1, 1},
		"only spinners":            {0, []int{1, 2}, []int{1, 2}, nil, nil, 1, -1},
		"preempted in user mode":   {0, []int{1, 2}, nil, nil, []int{1}, 1, 2},
		"waits on another pCPU":    {0, []int{2}, nil, nil, nil, 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			m := machine(t, spend("1"), n, c.pcpus, fairly(), func(cfg *Config) { cfg.PLE = true })
			s := NewScheduler(m)
			me := m.VCPUs[0]
			s.place(0, me, 0)
			m.VMs[0].boosted = c.boosted
			if c.pcpus > 1 {
				s.place(1, m.VCPUs[n-1], 0)
			}
			for _, i := range c.queued {
				s.enqueue(c.pcpus-1, m.VCPUs[i])
			}
			for _, i := range c.inSpin {
				m.VCPUs[i].spin.in = true
			}
			for _, i := range c.chosen {
				m.VCPUs[i].spin.chosen = true
			}
			for _, i := range c.user {
				m.VCPUs[i].Core.SetCPL(3)
			}
			got := s.onSpin(0, me)
			require.Equal(t, c.want >= 0, got)
			if c.want < 0 {
				assert.Equal(t, c.boosted, m.VMs[0].boosted)
				return
			}
			assert.Equal(t, c.want, m.VMs[0].boosted)
			assert.Same(t, m.VCPUs[c.want], s.fair.rq[c.pcpus-1].next)
			for _, i := range c.inSpin {
				if i != c.want {
					assert.True(t, m.VCPUs[i].spin.chosen, "it is eligible when one looks again")
				}
			}
		})
	}
}

// Three failed yields end the search: each candidate is alone on a pCPU, as the
// spinner is. (Waiting alone it is about to be dispatched.)
func TestOnSpinGivesUp(t *testing.T) {
	m := machine(t, spend("1"), 5, 5, fairly())
	s := NewScheduler(m)
	s.place(0, m.VCPUs[0], 0)
	for i := 1; i < 5; i++ {
		s.enqueue(i, m.VCPUs[i])
		m.VCPUs[i].spin = spinState{in: true, chosen: true}
	}
	assert.False(t, s.onSpin(0, m.VCPUs[0]))
	for i, looked := range []bool{1: true, 2: true, 3: true, 4: false} {
		if i > 0 {
			assert.Equal(t, !looked, m.VCPUs[i].spin.chosen, "vcpu %d", i)
		}
	}
}

// A directed yield to another pCPU preempts there, but never in the middle of a
// context switch, and not before whoever was switched to has run for a moment.
func TestRemotePreemptionWaitsForTheSwitch(t *testing.T) {
	for name, c := range map[string]struct{ busy, now, want mem.Cycles }{
		"in the guest":              {50, 700, 720},
		"in the middle of a switch": {750, 701, 770},
	} {
		t.Run(name, func(t *testing.T) {
			m := machine(t, spend("1"), 4, 2, fairly())
			s := NewScheduler(m)
			s.place(0, m.VCPUs[0], 0)
			s.place(1, m.VCPUs[1], c.busy-50)
			s.fair.rq[1].busy = c.busy
			s.enqueue(1, m.VCPUs[2])
			m.VCPUs[0].Core.Now = c.now
			require.Equal(t, 1, s.yieldTo(0, m.VCPUs[0], m.VCPUs[2]))
			assert.Equal(t, c.want, s.end[1])
			assert.Equal(t, c.want, s.fair.rq[1].need)
			assert.Nil(t, s.fair.rq[0].skip, "nobody else waits there")
		})
	}
}

// SCHED_YIELD, hypercall 11, names its target by APIC id: under both policies
// vCPU 2 goes before vCPU 1. A target that is not there changes nothing.
func TestSchedYield(t *testing.T) {
	source := func(id string) string {
		return `
vcpu_main:
	test %edi, %edi
	jne 1f
	mov $11, %eax
	mov $` + id + `, %ebx
	vmcall
	mov %rax, 0x200000
1:	mov $200, %eax
	out %eax, $0xe0` + pass
	}
	for name, set := range map[string]func(*Config){"cfs": fairly(), "round robin": func(*Config) {}} {
		for id, want := range map[string][]int{"5": {0, 2}, "3": {0, 1}, "1": {0, 1}, "4": {0, 1}, "99": {0, 1}} {
			var list []stay
			m := machine(t, source(id), 3, 1, stays(&list), set)
			r := m.Run()
			balanced(t, r)
			require.Equal(t, VerdictDone, r.Verdict, r.Message)
			assert.Equal(t, want, []int{list[0].vcpu, list[1].vcpu}, "%s, APIC id %s", name, id)
			assert.Zero(t, shared(m, 0))
		}
	}
}

// AMD's filter: a count of PAUSEs, loaded anew on entry and after a gap.
func TestPauseFilter(t *testing.T) {
	for name, c := range map[string]struct {
		pauses, work int
		threshold    mem.Cycles
		want         uint64
	}{
		"count used up":            {30, 1, 100, 0},
		"the next one exits":       {31, 1, 100, 1},
		"an entry loads it anew":   {61, 1, 100, 1},
		"twice":                    {62, 1, 100, 2},
		"gaps load it anew":        {100, 50, 100, 0},
		"without a threshold none": {31, 50, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			source := pauses(c.pauses, c.work)
			r := run(t, source, 1, 1, fairly(func(p *Profile) {
				p.PLEKind, p.PLECount, p.PLEGap = PLESVM, 30, c.threshold
			}), func(cfg *Config) { cfg.PLE = true })
			require.Equal(t, VerdictDone, r.Verdict, r.Message)
			assert.Equal(t, c.want, r.VMs[0].VCPUs[0].Exits.Pause)
		})
	}
}

// The window adapts by KVM's rules.
func TestPauseWindow(t *testing.T) {
	for _, c := range []struct{ val, modifier, grown, shrunk uint64 }{
		{4096, 0, 4096, 4096},
		{4096, 2, 8192, 4096},
		{40_000, 2, 50_000, 20_000},
		{8192, 4096, 12_288, 4096},
		{20_000, 5000, 25_000, 15_000},
		{5000, 60_000, 50_000, 4096},
	} {
		assert.Equal(t, c.grown, grown(c.val, 4096, c.modifier, 50_000), "%+v", c)
		assert.Equal(t, c.shrunk, shrunk(c.val, 4096, c.modifier), "%+v", c)
	}
	// Alone on its pCPU a spinner gets a window twice as long after each exit:
	// 400, 800, 1,600 cycles pass in 35, 68 and 135 PAUSEs of 12 cycles.
	for n, want := range map[int]uint64{35 + 68 + 134: 2, 35 + 68 + 135: 3} {
		r := run(t, "vcpu_main: mov $"+itoa(n)+", %ecx\n1: pause\ndec %ecx\njne 1b"+pass, 1, 1,
			fairly(func(p *Profile) { p.PLEGrow = 2 }), func(cfg *Config) { cfg.PLE = true })
		assert.Equal(t, want, r.VMs[0].VCPUs[0].Exits.Pause, "%d PAUSEs", n)
	}
}

// A holder is preempted right after it took the lock (a case of public bug
// reports): with PLE the waiter exits after its window and the holder runs,
// without it the waiter spins its whole slice away.
func TestHolderPreempted(t *testing.T) {
	code, err := hex.DecodeString("b801000000870785c07409f390833f0075f9ebecff4740c70700000000faf4")
	require.NoError(t, err)
	img := &Image{Main: testText, Segments: []Segment{
		{Addr: testText, Data: code, Perm: mem.Read | mem.Exec},
		{Addr: testShared, Size: 0x1000, Perm: mem.Read | mem.Write},
	}}
	for _, ple := range []bool{true, false} {
		m, err := NewMachine(Config{VMs: []VMConfig{{VCPUs: 2, Image: img}}, PCPUs: 1, Slice: 50_000, PLE: ple})
		require.NoError(t, err)
		s := NewScheduler(m)
		for _, v := range m.VCPUs {
			v.Core.R[cpu.RDI] = testShared
			s.Start(v, 0)
		}
		s.lockstep = true
		for m.VCPUs[0].Core.Count.Locked == 0 {
			s.turn()
		}
		s.end[0] = m.VCPUs[0].Core.Now
		s.lockstep = false
		s.Run()
		assert.Equal(t, uint64(2), m.VMs[0].Mem.PeekUint(testShared+0x40, 4))
		waiter := m.VCPUs[1]
		spun := waiter.Core.Count.Pauses
		p := m.cfg.Profile
		turn := p.CPU[cpu.ClassPause] + p.CPU[cpu.ClassLoad] + 2*p.CPU[cpu.ClassALU]
		if ple {
			assert.Equal(t, uint64(1), waiter.books.exits[ReasonPause])
			assert.Equal(t, p.PLEWindow/turn+2, spun, "the first PAUSE beyond the window is the last")
			assert.Zero(t, waiter.books.exits[ReasonPreempt])
			continue
		}
		assert.Equal(t, uint64(1), waiter.books.exits[ReasonPreempt])
		assert.InDelta(t, 50_000/turn, spun, 20)
	}
}

// A waiter is preempted while it is next in line: the lock stands free until it
// is back, and the one behind it spins in vain.
func TestWaiterPreempted(t *testing.T) {
	source := lockProgram(ticketLock, ticketUnlock, 1, 1000, 1)
	m := machine(t, source, 3, 3)
	s := NewScheduler(m)
	for i, v := range m.VCPUs {
		s.Start(v, mem.Cycles(100*i)) // in this order they draw tickets
	}
	for m.VCPUs[1].Core.Count.Pauses < 10 {
		s.turn()
	}
	// The host takes vCPU 1's pCPU away for 20,000 cycles.
	v, away := m.VCPUs[1], mem.Cycles(20_000)
	v.books.book(cyclesReady, v.Core.Now)
	v.Core.Now += away
	s.turns[1] = turnAt(v.Core.Now, 1)
	back := v.Core.Now
	v.books.book(cyclesRun, back)
	s.Run()
	r := m.report(s)
	balanced(t, r)
	require.Equal(t, VerdictDone, r.Verdict, r.Message)
	a := r.VMs[0].VCPUs
	assert.Equal(t, away, a[1].ReadyCycles)
	assert.Less(t, a[0].RunCycles, back, "the holder was done long before")
	assert.Greater(t, a[2].WaitCycles.Max, away+a[1].HoldCycles.Max, "who is behind waits for both")
	assert.Greater(t, a[2].Pauses, uint64(1000))
}
