package cpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

// switched gives cores cores on one random program, with a cost model that is
// drawn too: lines that cost nothing, something, or make others queue.
func switched(t testing.TB, s *source, mode mem.CommitMode) *pairing {
	var code []byte
	for range 4 + s.n(40) {
		code = s.instruction(code)
	}
	code = append(code, 0xeb, byte(-min(len(code)+2, 126))) // round and round
	n := 2 + s.n(3)
	p := newPairing(t, code, mode, n, s)
	costs := []mem.LineCosts{{}, {Fill: 11, Upgrade: 5, Transfer: 17}, {Fill: 9, Transfer: 30}, {Fill: 8, Upgrade: 4, Transfer: 6, Occupancy: 5},
		{Fill: 7, Upgrade: 3, Transfer: 10, Remote: 40}}[s.n(5)]
	for k := range 2 {
		meter := p.ports[k][0].Meter
		if meter.Costs = costs; costs.Remote != 0 {
			meter.SetSockets(2)
		}
		for i, port := range p.ports[k] {
			port.Draws = mem.RandomDelay{Seed: 5, Key: uint64(i), Max: 30}
		}
	}
	return p
}

// turn lets core i of both machines execute one instruction: by Turn where that
// takes it, and by its handler. It says whether the core can go on.
func (p *pairing) turn(i int) bool {
	var stop [2]Stop
	for k := range 2 {
		c, port := p.cores[k][i], p.ports[k][i]
		did := Stands
		if k == 0 {
			did = c.Turn(port)
		}
		if k == 0 && did == Stands && port.B.N != 0 {
			did = c.TurnBeside(port)
		}
		if did == Stands {
			stop[k] = c.Run(port, Budget{Retire: 1})
		}
		if stop[k] == Drain {
			port.CommitAll()
		}
	}
	return stop[0] == stop[1] && (stop[0] == Retired || stop[0] == Drain)
}

// same holds core i of both machines equal.
func (p *pairing) same(t testing.TB, i int) {
	f, r := p.cores[0][i], p.cores[1][i]
	fl, rl := f.RFlags(), r.RFlags()
	a, b := p.ports[0][i], p.ports[1][i]
	if fl == rl && f.State == r.State && f.Count == r.Count && f.Now == r.Now && f.Delay == r.Delay && a.B == b.B && a.Meter.Counts == b.Meter.Counts {
		return // by far cheaper than what names the difference
	}
	require.Equal(t, rl, fl, "flags")
	require.Equal(t, r.State, f.State)
	require.Equal(t, r.Count, f.Count)
	require.Equal(t, r.Now, f.Now, "cycles")
	require.Equal(t, r.Delay, f.Delay, "delay")
	require.Equal(t, b.B, a.B, "store buffer")
	require.Equal(t, b.Meter.Counts, a.Meter.Counts, "line directory")
}

// sameMemory holds bytes and line directory equal.
func (p *pairing) sameMemory(t testing.TB) {
	require.Empty(t, p.mem[0].Changes(p.mem[1].Image(nil)), "memory differs")
	want := p.mem[1].Pages()
	for i, pg := range p.mem[0].Pages() {
		require.Equal(t, want[i].Sharers, pg.Sharers, "sharers")
		require.Equal(t, want[i].Owner, pg.Owner, "owners")
		require.Equal(t, want[i].Busy, pg.Busy, "until when lines are busy")
	}
}

// checkSwitched changes cores at random, mostly after each instruction, and lets
// a driver's commits and longer runs come between. Flags are looked at now and
// then only, since to look at them works them out.
func checkSwitched(t testing.TB, s *source, mode mem.CommitMode) (turns int) {
	p := switched(t, s, mode)
	n := len(p.cores[0])
	dead := make([]bool, n)
	for range 400 {
		i := s.n(n)
		switch what := s.n(16); {
		case dead[i]:
		case what == 0:
			dead[i] = !p.run(t, i, Budget{Retire: 1 + uint64(s.n(40)), Until: uint64(s.n(60))})
		case what == 1 && p.ports[0][i].B.N != 0:
			require.Equal(t, p.ports[1][i].Commit(), p.ports[0][i].Commit())
		case what == 2:
			p.same(t, i)
		default:
			dead[i] = !p.turn(i)
			turns++
			require.Equal(t, p.cores[1][i].RIP, p.cores[0][i].RIP)
		}
	}
	for i := range n {
		p.same(t, i)
	}
	p.sameMemory(t)
	return turns
}

// TestTurnsEqualReference: cores that change places at every instruction come,
// in every commit mode and whatever lines cost, to the registers, flags, memory,
// counts, cycles and line directory of their handlers.
func TestTurnsEqualReference(t *testing.T) {
	rounds := uint64(1500)
	if testing.Short() {
		rounds = 150
	}
	for _, mode := range []mem.CommitMode{mem.Timed, mem.Eager, mem.Late, mem.Random} {
		t.Run(fmt.Sprint(mode), func(t *testing.T) {
			turns := 0
			for seed := range rounds {
				rng := rand.New(rand.NewPCG(seed, uint64(mode)))
				data := make([]byte, 4096)
				for i := range data {
					data[i] = byte(rng.Uint32())
				}
				turns += checkSwitched(t, &source{data}, mode)
			}
			require.Greater(t, turns, int(rounds)*20, "most programs end at once")
		})
	}
}

// TestTurnLooksAtWhatIsSpecial: Turn leaves an instruction to Run while
// something needs a look before it, and takes it otherwise.
func TestTurnLooksAtWhatIsSpecial(t *testing.T) {
	stores := func(_ *Core, p *mem.Port) { p.Store(rigData, 8, 1) }
	for name, c := range map[string]struct {
		change func(c *Core, p *mem.Port)
		takes  bool
		op     string // six of them; "" is NOP
	}{
		"nothing":            {func(*Core, *mem.Port) {}, true, ""},
		"RIP elsewhere":      {func(c *Core, _ *mem.Port) { c.RIP++ }, false, ""},
		"a jump":             {func(c *Core, _ *mem.Port) { c.Jump(rigCode) }, false, ""},
		"trap flag":          {func(c *Core, _ *mem.Port) { c.SetRFlags(TF) }, false, ""},
		"alignment checks":   {func(c *Core, _ *mem.Port) { c.SetRFlags(AC) }, false, ""},
		"code has changed":   {func(_ *Core, p *mem.Port) { p.M.Poke(rigCode+0x800, []byte{0}) }, false, ""},
		"a buffered store":   {stores, true, ""},
		"and a load of it":   {stores, false, "mov 7(%rdi), %al"},
		"a load beside it":   {stores, true, "mov 8(%rdi), %al"},
		"a store behind it":  {stores, false, "mov %al, 64(%rdi)"},
		"the store is ready": {func(_ *Core, p *mem.Port) { stores(nil, p); p.B.At(0).Ready = 1 }, false, "mov 8(%rdi), %al"},
		"it stores to code":  {func(_ *Core, p *mem.Port) { p.Store(rigCode+0x800, 1, 1) }, false, ""},
		"stops for accesses": {func(_ *Core, p *mem.Port) { p.SetStop(true); p.Sync() }, false, ""},
		"memory has changed": {func(_ *Core, p *mem.Port) { p.M.SetPrivate(rigData, 1, true) }, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, assemble(t, rigCode, strings.Repeat(cmp.Or(c.op, "nop")+";", 6)), mem.Late)
			r.c.Run(r.p, Budget{Retire: 2})
			require.Equal(t, uint64(2), r.c.Count.Instructions)
			c.change(r.c, r.p)
			before := *r.c
			did := r.c.Turn(r.p)
			if r.p.B.N != 0 {
				require.Equal(t, Stands, did)
				did = r.c.TurnBeside(r.p)
			}
			require.Equal(t, c.takes, did != Stands)
			if !c.takes {
				require.Equal(t, before.State, r.c.State, "nothing has been done")
				require.Equal(t, before.Count, r.c.Count)
			}
		})
	}
}

// FuzzTurns is TestTurnsEqualReference for programs, costs and patterns that a
// fuzzer finds.
func FuzzTurns(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{data}
		mode := []mem.CommitMode{mem.Timed, mem.Eager, mem.Late, mem.Random}[s.n(4)]
		checkSwitched(t, s, mode)
	})
}
