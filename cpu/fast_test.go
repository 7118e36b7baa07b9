package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

// source hands out choices from bytes, so that the same generator serves random
// tests and the fuzzer; when the bytes run out it gives zeros.
type source struct{ b []byte }

func (s *source) byte() byte {
	if len(s.b) == 0 {
		return 0
	}
	v := s.b[0]
	s.b = s.b[1:]
	return v
}

func (s *source) n(n int) int { return (int(s.byte())<<8 | int(s.byte())) % n }

// modrm encodes reg and a register or memory operand: RDI or RSI plus a small
// displacement, sometimes with an index, sometimes past the end of the data.
func (s *source) modrm(reg int, mem bool) []byte {
	r := byte(reg&7) << 3
	if !mem {
		return []byte{0xc0 | r | byte(s.n(8))}
	}
	base := byte(7 - s.n(2))
	switch s.n(8) {
	case 0: // (base,index,scale)
		return []byte{0x04 | r, byte(s.n(4))<<6 | 2<<3 | base}
	case 1: // disp32 near the page's end
		d := 0xff0 + s.n(0x20)
		return []byte{0x80 | r | base, byte(d), byte(d >> 8), 0, 0}
	}
	return []byte{0x40 | r | base, byte(s.n(24) * 4)}
}

// instruction appends one random instruction.
func (s *source) instruction(code []byte) []byte {
	var pfx []byte
	w := byte(1)
	switch s.n(4) {
	case 0:
		w = 0
	case 1:
		pfx = []byte{0x48}
	case 2:
		pfx = []byte{0x66}
	}
	isMem := s.n(3) == 0
	emit := func(parts ...[]byte) []byte {
		for _, p := range parts {
			code = append(code, p...)
		}
		return code
	}
	reg := s.n(8)
	if reg >= 6 || reg == 4 {
		reg = 0 // keep RSP, RSI and RDI usable
	}
	op := byte(s.n(8)) << 3
	switch s.n(16) {
	case 0, 1: // ALU r/m, r
		return emit(pfx, []byte{op | w}, s.modrm(reg, isMem))
	case 2: // ALU r, r/m
		return emit(pfx, []byte{op | 2 | w}, s.modrm(reg, isMem))
	case 3: // ALU r/m, imm8
		return emit(pfx, []byte{0x83 - 3*(1-w)}, s.modrm(int(op>>3), isMem), []byte{s.byte()})
	case 4: // MOV either way
		return emit(pfx, []byte{0x88 | byte(s.n(2))<<1 | w}, s.modrm(reg, isMem))
	case 5: // MOVZX, MOVSX
		return emit(pfx, []byte{0x0f, 0xb6 | byte(s.n(2))<<3 | byte(s.n(2))}, s.modrm(reg, isMem))
	case 6: // INC, DEC
		return emit(pfx, []byte{0xfe | w}, s.modrm(s.n(2), isMem))
	case 7: // shifts by an immediate or CL
		return emit(pfx, []byte{0xc0 | w}, s.modrm(s.n(8), isMem), []byte{s.byte()})
	case 8: // Jcc over the next few bytes or back
		return emit([]byte{0x70 | byte(s.n(16)), byte(s.n(20) - 6)})
	case 9: // locked RMW
		return emit([]byte{0xf0}, pfx, []byte{op&^0x38 | byte(s.n(7))<<3 | w}, s.modrm(reg, true))
	case 10: // LOCK XADD, CMPXCHG; XCHG
		return emit([]byte{0xf0}, pfx, [][]byte{{0x0f, 0xc0 | w}, {0x0f, 0xb0 | w}, {0x86 | w}}[s.n(3)], s.modrm(reg, true))
	case 11: // PUSH, POP
		return emit([]byte{[]byte{0x50, 0x58}[s.n(2)] | byte(s.n(4))})
	case 12: // LEA, CMOVcc, SETcc, IMUL
		return emit(pfx, [][]byte{{0x8d}, {0x0f, 0x40 | byte(s.n(16))}, {0x0f, 0x90 | byte(s.n(16))}, {0x0f, 0xaf}}[s.n(4)], s.modrm(reg, true))
	case 13: // TEST
		return emit(pfx, []byte{0x84 | w}, s.modrm(reg, isMem))
	case 14: // a store into this code: MOV to 0x100000 + n, 32-bit address
		return emit([]byte{0x88, 0x04, 0x25, byte(s.n(64)), 0x00, 0x10, 0x00})
	}
	return emit([][]byte{{0x90}, {0xf3, 0x90}, {0xf3, 0xaa}, {0xa4}, {0xf9}, {0x0f, 0xae, 0xf0}, {0xc3}, {0xe8, 2, 0, 0, 0}, {0xc9}, {0xf4}}[s.n(10)])
}

// pairing is the same machine twice: one on the fast path, one on handlers.
type pairing struct {
	mem   [2]*mem.Memory
	cores [2][]*Core
	ports [2][]*mem.Port
}

// newPairing builds two machines with cores cores each running code.
func newPairing(t testing.TB, code []byte, mode mem.CommitMode, n int, s *source) *pairing {
	p := new(pairing)
	regs := [16]uint64{}
	for i := range regs {
		regs[i] = uint64(s.n(64)) * 0x10001000101
	}
	skew, count := 8*uint64(s.n(4)), uint64(s.n(200))
	for k := range 2 {
		m := mem.New()
		require.NoError(t, m.Map(0x100000, 4096, mem.Read|mem.Write|mem.Exec))
		require.NoError(t, m.Map(0x200000, 4096, mem.Read|mem.Write))
		require.NoError(t, m.Map(0x300000, 4096*4, mem.Read|mem.Write))
		m.Poke(0x100000, code)
		costs := &Costs{ClassALU: 1, ClassLoad: 2, ClassStore: 1, ClassLocked: 9, ClassPause: 7, ClassMul: 3, ClassString: 2, ClassSystem: 5, ClassFence: 4, ClassDiv: 20}
		kode := NewCode(costs)
		meter := &mem.Meter{Costs: mem.LineCosts{Fill: 11, Upgrade: 5, Transfer: 17}}
		p.mem[k] = m
		for i := range n {
			c := NewCore(kode)
			copy(c.R[:16], regs[:])
			c.R[RDI], c.R[RSI], c.R[RSP], c.R[RDX] = 0x200000, 0x200040, 0x301000+uint64(i)*0x1000-skew, count
			c.Plain = k == 1
			c.HLTAny = true
			c.Jump(0x100000)
			p.cores[k] = append(p.cores[k], c)
			p.ports[k] = append(p.ports[k], mem.NewPort(m, i, meter, mode))
		}
	}
	return p
}

// run lets core i of both machines run with one budget and compares all that
// an observer could see. It says whether the core can go on.
func (p *pairing) run(t testing.TB, i int, b Budget) bool {
	var stop [2]Stop
	for k := range 2 {
		c := p.cores[k][i]
		bb := b
		if b.Until != 0 {
			bb.Until += c.Now
		}
		stop[k] = c.Run(p.ports[k][i], bb)
		if stop[k] == Drain {
			p.ports[k][i].CommitAll()
		}
	}
	f, r := p.cores[0][i], p.cores[1][i]
	require.Equal(t, stop[1], stop[0], "stop")
	require.Equal(t, r.RFlags(), f.RFlags(), "flags")
	require.Equal(t, r.State, f.State)
	require.Equal(t, r.Count, f.Count)
	require.Equal(t, r.Now, f.Now, "cycles")
	require.Equal(t, r.Delay, f.Delay, "delay")
	require.Equal(t, p.ports[1][i].B, p.ports[0][i].B, "store buffer")
	if stop[0] == Faulted {
		require.Equal(t, r.Fault, f.Fault)
	}
	return stop[0] == Retired || stop[0] == Time || stop[0] == Drain
}

// checkFast runs one generated program under random budgets on both paths.
func checkFast(t testing.TB, data []byte) {
	s := &source{data}
	var code []byte
	for range 4 + s.n(40) {
		code = s.instruction(code)
	}
	code = append(code[:min(len(code), 4000)], 0xf4)
	mode := []mem.CommitMode{mem.Timed, mem.Timed, mem.Late, mem.Eager}[s.n(4)]
	n := 1 + s.n(2)
	p := newPairing(t, code, mode, n, s)
	alive := make([]bool, n)
	for i := range alive {
		alive[i] = true
	}
	for range 60 {
		i := s.n(n)
		if !alive[i] {
			continue
		}
		var b Budget
		switch s.n(3) {
		case 0:
			b.Retire = 1 + uint64(s.n(3))
		case 1:
			b.Retire = 1 + uint64(s.n(300))
		case 2:
			b.Until = 1 + uint64(s.n(200))
			b.Retire = 500
		}
		alive[i] = p.run(t, i, b)
	}
	require.Empty(t, p.mem[0].Changes(p.mem[1].Image(nil)), "memory differs")
}

// TestFastPathEqualsReference: whatever the program, the budget, the commit
// mode and the switching between cores, the fast path and the handlers leave
// the same state, counts, cycles and memory.
func TestFastPathEqualsReference(t *testing.T) {
	rounds := 4000
	if testing.Short() {
		rounds = 400
	}
	for seed := range rounds {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		data := make([]byte, 2048)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		ok := t.Run("", func(t *testing.T) { checkFast(t, data) })
		if !ok {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzFastPath(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, data []byte) { checkFast(t, data) })
}

// TestRunAllocatesNothing: once its blocks are decoded, a core runs without
// allocating.
func TestRunAllocatesNothing(t *testing.T) {
	for _, mode := range []mem.CommitMode{mem.Timed, mem.Late} {
		cores, ports := benchMachine(t, ticketLoop, mode, 1)
		cores[0].Run(ports[0], Budget{Retire: 1000})
		require.Zero(t, testing.AllocsPerRun(10, func() { cores[0].Run(ports[0], Budget{Retire: 10000}) }))
		require.Zero(t, testing.AllocsPerRun(10, func() {
			for range 1000 {
				if cores[0].Turn(ports[0]) == Stands {
					cores[0].Run(ports[0], Budget{Retire: 1})
				}
			}
		}))
		cores[0].Plain = true
		require.Zero(t, testing.AllocsPerRun(10, func() { cores[0].Run(ports[0], Budget{Retire: 10000}) }))
	}
}
