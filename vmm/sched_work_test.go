package vmm

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

func itoa(n int) string { return strconv.Itoa(n) }

// pauses is a loop of n PAUSEs with work turns of two instructions between.
func pauses(n, work int) string {
	return fmt.Sprintf("vcpu_main: mov $%d, %%ecx\n1: pause\nmov $%d, %%eax\n2: dec %%eax\njne 2b\ndec %%ecx\njne 1b\n", n, work) + pass
}

func TestExponential(t *testing.T) {
	for u, want := range map[uint64]uint64{
		1<<64 - 1: 0,
		1 << 63:   693147,   // ln 2
		1 << 62:   1386294,  // 2 ln 2
		3 << 62:   287682,   // ln 4/3
		1:         44361419, // 64 ln 2
		0:         44361419,
	} {
		assert.InDelta(t, want, exponential(1_000_000, u), 1, "%#x", u)
	}
	const n = 100_000
	var sum, square, tail float64
	for i := range uint64(n) {
		x := float64(exponential(1000, mem.Mix(7, 3, i)))
		sum += x
		square += x * x
		if x > 2000 {
			tail++
		}
	}
	assert.InDelta(t, 1000, sum/n, 15)
	assert.InDelta(t, 1000, math.Sqrt(square/n-sum*sum/n/n), 20)
	assert.InDelta(t, math.Exp(-2), tail/n, 0.005)
}

// Draws depend on the seed, the vCPU and their number alone.
func TestDraws(t *testing.T) {
	draws := func(seed uint64, pcpus int) [3][2]uint64 {
		m := machine(t, `
vcpu_main:
	mov $1000, %eax
	in $0xe1, %eax
	mov %eax, 0x200000(,%rdi,8)
	mov $1000, %eax
	in $0xe1, %eax
	mov %eax, 0x200100(,%rdi,8)`+pass, 3, pcpus, func(c *Config) { c.Seed = seed })
		require.Equal(t, VerdictDone, m.Run().Verdict)
		var d [3][2]uint64
		for i := range d {
			d[i] = [2]uint64{shared(m, uint64(8*i)), shared(m, uint64(0x100+8*i))}
		}
		return d
	}
	a := draws(1, 1)
	assert.Equal(t, a, draws(1, 3))
	assert.NotEqual(t, a, draws(2, 1))
	assert.NotEqual(t, a[0], a[1])
	assert.NotEqual(t, a[0][0], a[0][1])
}

// Alarms end a halt: before it, during it, and not when they were called off.
func TestAlarms(t *testing.T) {
	for name, c := range map[string]struct {
		body    string
		verdict Verdict
		halted  mem.Cycles
	}{
		"during the halt": {"mov $5000, %eax\nout %eax, $0xe2\nhlt", VerdictDone, 11 + 5000 + 9000 - (11 + 10 + 2000)},
		"before it":       {"mov $50, %eax\nout %eax, $0xe2\nmov $100, %eax\nout %eax, $0xe0\nhlt", VerdictDone, 0},
		"called off":      {"mov $5000, %eax\nout %eax, $0xe2\nxor %eax, %eax\nout %eax, $0xe2\nhlt", VerdictDeadlock, 0},
		"for one halt":    {"mov $5000, %eax\nout %eax, $0xe2\nhlt\nhlt", VerdictDeadlock, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, "vcpu_main:\n"+c.body+pass, 1, 1)
			assert.Equal(t, c.verdict, r.Verdict, r.Message)
			if c.verdict == VerdictDone {
				assert.Equal(t, c.halted, r.VMs[0].VCPUs[0].HaltedCycles)
				assert.Equal(t, uint64(1), r.VMs[0].VCPUs[0].Exits.Total()-r.VMs[0].VCPUs[0].Exits.IO, "the device does not count")
			}
		})
	}
}

// Hogs take their share and nobody waits for them; skipping their loop changes
// nothing, and a deadlock beside them is found.
func TestHogs(t *testing.T) {
	img, _ := guest(t, spend("20000"))
	for _, set := range []func(*Config){func(c *Config) { c.Slice = 5000 }, fairly()} {
		one := func(noSkip bool) Report {
			cfg := Config{VMs: []VMConfig{{VCPUs: 2, Image: img}, HogVM(2)}, PCPUs: 2, NoSkip: noSkip, Pin: true}
			set(&cfg)
			m, err := NewMachine(cfg)
			require.NoError(t, err)
			return m.Run()
		}
		r := one(false)
		balanced(t, r)
		require.Equal(t, VerdictDone, r.Verdict, r.Message)
		assert.Equal(t, r, one(true))
		assert.True(t, r.VMs[1].Hog)
		for i, h := range r.VMs[1].VCPUs {
			assert.InDelta(t, h.RunCycles, h.Instructions, 60, "a cycle for each, but for a switch at the end")
			assert.InDelta(t, r.VMs[0].VCPUs[i].RunCycles, h.RunCycles, 7000)
		}
	}
	img, _ = guest(t, "vcpu_main: hlt"+pass)
	m, err := NewMachine(Config{VMs: []VMConfig{{VCPUs: 1, Image: img}, HogVM(1)}, PCPUs: 1})
	require.NoError(t, err)
	r := m.Run()
	assert.Equal(t, VerdictDeadlock, r.Verdict)
	assert.Len(t, r.Waiting, 1)
	_, err = NewMachine(Config{VMs: []VMConfig{HogVM(1)}, PCPUs: 1})
	assert.EqualError(t, err, "hogs alone never end (--hogs)")
}

// Hogs have run up to the very cycle at which an interrupt that nobody handles
// ends the machine.
func TestHogsUpToTheEnd(t *testing.T) {
	img, _ := guest(t, "vcpu_main: mfence\npause\njmp vcpu_main")
	for at := mem.Cycles(400); at < 420; at++ {
		one := func(noSkip bool) Report {
			m, err := NewMachine(Config{VMs: []VMConfig{{VCPUs: 2, Image: img}, HogVM(2)}, PCPUs: 3, NoSkip: noSkip,
				Inject: []Injection{{VCPU: 1, Vector: VectorNMI, Timed: true, Cycle: at}}})
			require.NoError(t, err)
			return m.Run()
		}
		r := one(false)
		require.Equal(t, VerdictFault, r.Verdict)
		require.Equal(t, one(true), r, "at %d", at)
	}
}

// Pinned vCPUs stay, even if a pCPU idles.
func TestPinning(t *testing.T) {
	for _, set := range []func(*Config){func(*Config) {}, fairly()} {
		var list []stay
		r := run(t, "vcpu_main: mov %edi, %eax\nand $1, %eax\nxor $1, %eax\nimul $20000, %eax, %eax\nout %eax, $0xe0"+pass,
			6, 2, set, stays(&list), func(c *Config) { c.Pin = true })
		require.Equal(t, VerdictDone, r.Verdict, r.Message)
		for _, e := range list {
			assert.Equal(t, e.vcpu%2, e.pcpu)
		}
	}
}

// A host that polls: the first short halt makes it poll, a kick during a poll
// costs no wake-up, a long halt makes it stop.
func TestHaltPolling(t *testing.T) {
	source := `
vcpu_main:
	test %edi, %edi
	jne 2f
	mov $3, %ebp
1:	hlt
	dec %ebp
	jne 1b` + pass + `
2:	mov $500, %eax
	call 3f			# during a sleep
	mov $700, %eax
	call 3f			# during a poll
	mov $9000, %eax
	call 3f			# during a long sleep
	xor %eax, %eax
	out %al, $0xf4
3:	out %eax, $0xe0
	mov $5, %eax
	mov $1, %ebx
	vmcall
	ret`
	m := machine(t, source, 2, 2, fairly(func(p *Profile) {
		p.Poll = HaltPoll{Max: 3000, Start: 1000, Grow: 2}
	}))
	r := m.Run()
	balanced(t, r)
	require.Equal(t, VerdictDone, r.Verdict, r.Message)
	assert.Equal(t, uint64(1), r.VMs[0].VCPUs[0].PolledHalts)
	assert.Equal(t, uint64(3), r.VMs[0].VCPUs[0].Exits.HLT)
	assert.Equal(t, mem.Cycles(0), m.VCPUs[0].pollFor, "back to 0 after the long one")
}

// What a large machine costs grows with what happens in it: eight times the
// vCPUs take eight times the turns, and each turn looks at pCPUs, not at vCPUs.
func TestManyVCPUs(t *testing.T) {
	turns := func(vcpus int) (n int) {
		m := machine(t, spend("2000"), vcpus, 8, fairly())
		s := NewScheduler(m)
		for _, v := range m.VCPUs {
			s.Start(v, m.skew(v))
		}
		for ; m.verdict == ""; n++ {
			s.turn()
		}
		require.Equal(t, VerdictDone, m.verdict, m.message)
		return n
	}
	few, many := turns(64), turns(512)
	assert.InDelta(t, 8, float64(many)/float64(few), 1)
}

// BenchmarkManyVCPUs is the time for each vCPU of a machine that starts, runs
// a little and ends.
func BenchmarkManyVCPUs(b *testing.B) {
	for _, n := range []int{64, 512} {
		b.Run(itoa(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				m := machine(b, spend("2000"), n, 8, fairly())
				b.StartTimer()
				require.Equal(b, VerdictDone, m.Run().Verdict)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/vcpu")
		})
	}
}
