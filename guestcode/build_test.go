package guestcode

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/asm"
)

func mustBuild(t *testing.T, name string, c Config) *Program {
	t.Helper()
	v, ok := Lookup(name)
	require.True(t, ok, name)
	p, err := Build(v, c)
	require.NoError(t, err)
	return p
}

func TestEveryVariantAssembles(t *testing.T) {
	for _, v := range Variants() {
		widths := []int{0}
		if v.TicketBits != 0 {
			widths = []int{0, 8, 16}
		}
		for _, bits := range widths {
			p, err := Build(v, Config{VCPUs: 2, TicketBits: bits})
			require.NoError(t, err, "%s u%d", v.Name, bits)
			assert.True(t, p.Harness)
			assert.Equal(t, v.Name, p.Name)
			for _, a := range []uint64{p.Boot, p.Main, p.Acquire, p.Acquired, p.Release, p.Released} {
				assert.GreaterOrEqual(t, a, uint64(TextBase))
				assert.Less(t, a, uint64(DataBase))
			}
			assert.Equal(t, p.Acquire+5, p.Acquired, "acquire is the call, acquired the instruction after it")
			assert.Equal(t, p.Release+5, p.Released)
			assert.Equal(t, v.Stats, p.Stats != 0)
		}
	}
}

// A twin must differ from its parent, or it tests nothing.
func TestTwinsDifferFromParents(t *testing.T) {
	for _, v := range brokenVariants() {
		for _, bits := range []int{8, 16} {
			c := Config{TicketBits: bits}
			if v.TicketBits == 0 {
				c = Config{}
			}
			broken := mustBuild(t, v.Name, c).Object.Sections[0].Data
			sound := mustBuild(t, v.BrokenOf, c).Object.Sections[0].Data
			assert.NotEqual(t, sound, broken, v.Name)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	define := func(name string, x int64) Config { return Config{Defines: map[string]int64{name: x}} }
	for _, c := range []struct {
		variant string
		config  Config
		want    string
	}{
		{"ticket-pv-kvm", Config{VCPUs: 200}, "ticket-pv-kvm: u8 tickets serve at most 127 vCPUs, not 200; use --define TICKET_BITS=16"},
		{"ticket", Config{VCPUs: 256}, "ticket: u8 tickets serve at most 255 vCPUs, not 256; use --define TICKET_BITS=16"},
		{"ticket-batch", Config{VCPUs: 126}, "ticket-batch: u8 tickets in batches of 4 serve at most 125 vCPUs, not 126; use --define TICKET_BITS=16"},
		{"mcs", Config{VCPUs: 2000}, "mcs: 1 to 1024 vCPUs, not 2000"},
		{"ticket-batch", define("TICKET_BATCH", 3), "TICKET_BATCH must be a power of two"},
		{"ticket-batch", define("TICKET_BATCH", 0), "TICKET_BATCH must be a power of two"},
		{"ticket-batch", define("TICKET_BATCH", -4), "TICKET_BATCH must be a power of two"},
		{"ticket-batch", define("TICKET_BATCH", 128), "TICKET_BATCH does not fit"},
		{"ticket", define("TICKET_BITS", 12), "TICKET_BITS must be 8 or 16"},
		{"ticket-pv-off", define("TICKET_BITS", 32), "TICKET_BITS must be 8 or 16"},
		{"ticket-pv-kvm", define("SPIN_THRESHOLD", 0), "SPIN_THRESHOLD must be at least 1"},
		{"ticket-pv-kvm", define("NR_CPUS", 1025), "NR_CPUS must be 1 to 1024"},
		{"ticket-pv-xen", Config{VCPUs: 4, Defines: map[string]int64{"NR_CPUS": 2}}, "NR_CPUS = 2: of 4 vCPUs the others would never be kicked"},
		{"ticket", define("SPIN_THRESHOLD", 4), "ticket: no parameter SPIN_THRESHOLD; it has TICKET_BITS, TICKET_INC, UNLOCK_LOCK, HEAD_UNLOCK_WAIT, ITERS, WORK_IN, WORK_OUT, ITERS_FOREVER"},
		{"ticket", Config{TicketBits: 8, Defines: map[string]int64{"TICKET_BITS": 16}}, "TICKET_BITS is given twice: 8 and 16"},
		{"mcs", Config{TicketBits: 8}, "mcs: no parameter TICKET_BITS"},
		{"tas", Config{Iters: -1}, "ITERS = -1 is out of range"},
		{"tas", Config{WorkIn: 1 << 40}, "WORK_IN = 1099511627776 is out of range"},
	} {
		v, ok := Lookup(c.variant)
		require.True(t, ok)
		_, err := Build(v, c.config)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestBatchOfAnyPowerOfTwo(t *testing.T) {
	for _, bits := range []int{8, 16} {
		for batch := int64(1); batch < 1<<(bits-1); batch <<= 1 {
			mustBuild(t, "ticket-batch", Config{TicketBits: bits, Defines: map[string]int64{"TICKET_BATCH": batch}})
		}
	}
}

// insns returns the statements between two addresses, as the source has them.
func insns(p *Program, from, to uint64) []string {
	var text []string
	for _, l := range p.Object.Lines {
		if l.Addr >= from && l.Addr < to {
			text = append(text, l.Text)
		}
	}
	return text
}

func mainSize(t *testing.T, p *Program) uint64 {
	t.Helper()
	s, ok := p.Object.Lookup("vcpu_main")
	require.True(t, ok)
	return s.Size
}

func TestHarnessHasNoMoreThanItNeeds(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		want   int // statements of vcpu_main
	}{
		{"plain", Config{}, 4 + 9 + 2},
		{"work inside", Config{WorkIn: 5}, 4 + 9 + 2 + 3},
		{"work outside", Config{WorkOut: 5}, 4 + 9 + 2 + 3},
		{"forever", Config{Forever: true}, 3 + 7},
	} {
		p := mustBuild(t, "ticket", c.config)
		assert.Len(t, insns(p, p.Main, p.Main+mainSize(t, p)), c.want, c.name)
	}
}

// Statistics can be compiled out, the scan is as long as there are vCPUs.
func TestKVMParameters(t *testing.T) {
	with := mustBuild(t, "ticket-pv-kvm", Config{})
	without := mustBuild(t, "ticket-pv-kvm", Config{Defines: map[string]int64{"STATS": 0}})
	assert.NotZero(t, with.Stats)
	assert.Zero(t, without.Stats)

	a := mustBuild(t, "ticket-pv-kvm", Config{VCPUs: 4}).Object.Sections[0].Data
	b := mustBuild(t, "ticket-pv-kvm", Config{Defines: map[string]int64{"NR_CPUS": 4}}).Object.Sections[0].Data
	assert.Equal(t, a, b)
	assert.NotEqual(t, with.Object.Sections[0].Data, a)
}

const userLock = `
	.set BIT, 0
	.globl spin_lock, spin_unlock
spin_lock:
	lock bts $BIT, (%rdi)
	jc spin_lock
	ret
spin_unlock:
	movb $0, (%rdi)
	ret
`

func TestBuildSource(t *testing.T) {
	p, err := BuildSource(Config{VCPUs: 3, Defines: map[string]int64{"BIT": 1, "ITERS": 7}},
		asm.Source{Name: "mine.s", Text: []byte(userLock)})
	require.NoError(t, err)
	assert.True(t, p.Harness)
	assert.Equal(t, "mine.s", p.Name)
	assert.Equal(t, uint64(SharedBase), p.Lock)
	assert.Equal(t, uint64(SharedBase+0x40), p.Counter)
	assert.Contains(t, insns(p, p.Boot, p.Boot+1)[0], "spin_init")
}

func TestBuildSourceOfAProgram(t *testing.T) {
	src := asm.Source{Name: "prog.s", Text: []byte("\t.set ITERS, 1\n\t.globl vcpu_main\nvcpu_main:\n\tmov $ITERS, %ecx\n\tout %al, $0xf4\n")}
	p, err := BuildSource(Config{}, src)
	require.NoError(t, err)
	assert.False(t, p.Harness)
	assert.Equal(t, uint64(TextBase), p.Main)
	assert.Zero(t, p.Boot)
	assert.Zero(t, p.Acquire)
	assert.Zero(t, p.Lock)
	assert.Equal(t, []byte{0xb9, 1, 0, 0, 0, 0xe6, 0xf4}, p.Object.Sections[0].Data)

	p, err = BuildSource(Config{Defines: map[string]int64{"ITERS": 9}}, src)
	require.NoError(t, err)
	assert.Equal(t, byte(9), p.Object.Sections[0].Data[1])
}

func TestBuildSourceRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"\t.globl spin_lock, other\nspin_lock:\nother:\n\tret\n", "no spin_unlock (nor vcpu_main"},
		{"\t.globl spin_lock, other\nspin_lock:\nother:\n\tret\n", "global symbols: spin_lock, other"},
		{"\tret\n", "no spin_lock and no spin_unlock"},
		{"\tret\n", "global symbols: none"},
		{"spin_lock:\nspin_unlock:\n\tret\n", "spin_lock and spin_unlock: defined but not .globl"},
		{"vcpu_main:\n\tret\n", "vcpu_main: defined but not .globl"},
		{"\tbogus %eax\n", "u.s:1:"},
	} {
		_, err := BuildSource(Config{}, asm.Source{Name: "u.s", Text: []byte(c.text)})
		assert.ErrorContains(t, err, c.want)
	}
	_, err := BuildSource(Config{})
	assert.Error(t, err)
}
