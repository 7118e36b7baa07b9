package experiment

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/guestcode"
	"spinlab/mem"
	"spinlab/vmm"
)

// snapshotCases are machines that differ in all that a snapshot has to carry.
var snapshotCases = []struct {
	name       string
	variant    string
	vms, vcpus int
	pcpus      int
	threshold  int64 // SPIN_THRESHOLD, 0: the default
	work       int64 // turns inside the critical section
	change     func(*vmm.Config)
}{
	{"alone", "ticket", 1, 2, 2, 0, 30, func(*vmm.Config) {}},
	{"overcommit", "ticket", 1, 5, 2, 0, 30, func(c *vmm.Config) { c.Slice = 3000 }},
	{"ple", "ticket", 1, 4, 2, 0, 1500, func(c *vmm.Config) { c.PLE, c.Slice = true, 20_000 }},
	{"late", "ticket", 1, 3, 2, 0, 100, func(c *vmm.Config) { c.Commit, c.Slice = mem.Late, 3000 }},
	{"random", "ticket-pv-off", 1, 4, 3, 0, 30, func(c *vmm.Config) { c.Commit, c.Seed, c.Slice = mem.Random, 7, 4000 }},
	{"eager", "ticket-batch", 1, 3, 2, 0, 30, func(c *vmm.Config) { c.Commit, c.Slice = mem.Eager, 5000 }},
	{"halts", "ticket-pv-kvm", 1, 4, 2, 4, 300, func(c *vmm.Config) { c.Seed = 3 }},
	{"halts late", "ticket-pv-kvm-safe-halt", 1, 4, 4, 2, 100, func(c *vmm.Config) { c.Commit = mem.Late }},
	{"halts ple", "ticket-pv-kvm", 2, 3, 2, 200, 2000, func(c *vmm.Config) { c.PLE, c.Slice = true, 20_000 }},
	{"many vms", "ticket-pv-kvm", 3, 2, 2, 4, 300, func(c *vmm.Config) { c.Commit, c.Seed, c.Slice = mem.Random, 2, 5000 }},
	{"x5570", "ticket-pv-kvm", 2, 3, 2, 30, 500, profiled("x5570")},
	{"x7560", "ticket", 1, 5, 2, 0, 1000, profiled("x7560")},
	{"zen5, pinned", "ticket-pv-kvm", 1, 5, 2, 2, 500, func(c *vmm.Config) { profiled("zen5")(c); c.Pin, c.Seed = true, 5 }},
	{"hogs", "ticket-pv-kvm", 1, 3, 2, 4, 500, func(c *vmm.Config) { profiled("x7560")(c); c.VMs = append(c.VMs, vmm.HogVM(1)) }},
	{"xen", "ticket-pv-xen", 2, 3, 2, 4, 300, func(c *vmm.Config) { c.Seed = 1 }},
	{"byte-xen", "byte-xen", 1, 4, 2, 0, 3000, func(c *vmm.Config) { c.Slice = 20_000 }},
	{"interrupts", "ticket-pv-xen", 1, 3, 2, 4, 100, func(c *vmm.Config) {
		c.Inject = []vmm.Injection{
			{VCPU: 0, Vector: vmm.VectorTimer, Timed: true, Cycle: 3000, Every: 7000},
			{VCPU: 1, Vector: vmm.VectorTimer, Retired: 300}, {VCPU: 1, Vector: vmm.VectorTimer, Retired: 900}}
	}},
	{"instructions run out", "ticket", 1, 4, 2, 0, 30, func(c *vmm.Config) { c.MaxInstructions = 1500 }},
	{"time runs out", "ticket-pv-kvm", 1, 4, 2, 4, 300, func(c *vmm.Config) { c.MaxCycles = 60_000 }},
}

// profiled chooses a machine. The runs here are short beside its ticks and
// slices, so these are made a thousand times shorter.
func profiled(name string) func(*vmm.Config) {
	return func(c *vmm.Config) {
		p, ok := vmm.FindProfile(name)
		if !ok {
			panic(name)
		}
		p.Fair.HZ *= 1000
		p.Fair.Latency, p.Fair.MinGran, p.Fair.WakeGran = p.Fair.Latency/1000, p.Fair.MinGran/1000, p.Fair.WakeGran/1000
		p.Skew = 2000
		c.Profile, c.Seed, c.PLE = &p, 2, p.PLEKind != vmm.PLENone
	}
}

// points is how many snapshots are taken in all.
func points() int {
	if testing.Short() {
		return 50
	}
	return 1000
}

// A machine that was saved at any instruction and loaded again ends as the one
// that went on, and so does the one that was only saved.
func TestSnapshotAnywhere(t *testing.T) {
	per := (points() + len(snapshotCases) - 1) / len(snapshotCases)
	for k, c := range snapshotCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := guestcode.Config{VCPUs: c.vcpus, Iters: 12, WorkIn: c.work, WorkOut: 20, IRQs: c.name == "interrupts"}
			if c.threshold != 0 {
				g.Defines = map[string]int64{"SPIN_THRESHOLD": c.threshold}
			}
			p := build(t, c.variant, g)
			cfg := vmm.Config{VMs: VMs(p, c.vms, c.vcpus), PCPUs: c.pcpus}
			cfg.Symbolize = func(a uint64) string { return Symbol(p.Object, a) }
			c.change(&cfg)
			fresh := func() *vmm.Machine {
				m, err := vmm.NewMachine(cfg)
				require.NoError(t, err)
				return m
			}
			whole := fresh()
			want := finish(t, p, whole)
			last := whole.Retired()
			require.Greater(t, last, uint64(1000))
			random := rand.New(rand.NewPCG(uint64(k), 1))
			for range per {
				n := random.Uint64N(last)
				m := fresh()
				require.True(t, m.RunTo(n))
				require.Equal(t, n, m.Retired())
				file := save(t, m)
				loaded, err := vmm.Load(bytes.NewReader(file))
				require.NoError(t, err, "at %d", n)
				loaded.Listen(vmm.Hooks{Symbolize: cfg.Symbolize})
				require.Equal(t, file, save(t, loaded), "saved again at %d", n)
				require.Equal(t, want, finish(t, p, loaded), "loaded at %d of %d", n, last)
				require.Equal(t, want, finish(t, p, m), "saved at %d of %d", n, last)
			}
		})
	}
}

// A run may be saved and loaded as often as one likes.
func TestSnapshotChain(t *testing.T) {
	p := build(t, "ticket-pv-kvm", guestcode.Config{VCPUs: 4, Iters: 10, WorkIn: 50, Defines: map[string]int64{"SPIN_THRESHOLD": 3}})
	cfg := vmm.Config{VMs: VMs(p, 1, 4), PCPUs: 2}
	r, err := Run(p, cfg)
	require.NoError(t, err)
	m, err := vmm.NewMachine(cfg)
	require.NoError(t, err)
	for n := uint64(0); m.RunTo(n); n += 97 {
		m, err = vmm.Load(bytes.NewReader(save(t, m)))
		require.NoError(t, err)
	}
	want, err := json.Marshal(r)
	require.NoError(t, err)
	require.Equal(t, string(want), finish(t, p, m))
}

func save(t *testing.T, m *vmm.Machine) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, m.Save(&b))
	return b.Bytes()
}

func finish(t *testing.T, p *guestcode.Program, m *vmm.Machine) string {
	t.Helper()
	b, err := json.Marshal(Finish(p, m))
	require.NoError(t, err)
	return string(b)
}
