package cpu

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

// FuzzDecode: any bytes decode, to the same Op each time, without a panic; what
// was decoded is 1 to 15 bytes long and has a text.
func FuzzDecode(f *testing.F) {
	for _, digits := range []string{"", "66", "2e2e2e2e2e2e2e2e2e2e2e2e2e2ec0", "f0f3660fc7", "c4e2", "62f1", "0f38f6", "c5f877", "0fae", "48b8"} {
		f.Add(unhex(f, digits))
	}
	for _, digits := range rowBytes {
		f.Add(unhex(f, digits))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkDecode(t, data) })
}

func checkDecode(t testing.TB, data []byte) {
	var code [maxLen]byte
	copy(code[:], data)
	o, p := Decode(code[:], rigCode), Decode(code[:], rigCode)
	require.NotNil(t, o.fn)
	require.True(t, o.Len >= 1 && o.Len <= maxLen, "length %d", o.Len)
	require.NotEmpty(t, o.Format(rigCode, nil))
	o.fn, p.fn = nil, nil
	require.Equal(t, o, p)
	short := Decode(data[:min(len(data), maxLen)], rigCode)
	short.fn = nil
	require.Equal(t, o, short, "missing bytes are zeros")
	code[maxLen-1] ^= 0xff // bytes behind an instruction do not matter
	if q := Decode(code[:], rigCode); int(o.Len) < maxLen && o.Mn != UNMODELLED && o.Mn != BAD {
		q.fn = nil
		require.Equal(t, o, q)
	}
}

// guest is a start that some bytes describe: the rest of them is its code.
type guest struct {
	flags byte // bit 0: CPL 3; 1: an IDT; 2 and 3: TF and AC; 4 and 5: the commit mode
	regs  [16]byte
	code  []byte
}

func guestOf(data []byte) (g guest) {
	s := &source{data}
	g.flags = s.byte()
	for i := range g.regs {
		g.regs[i] = s.byte()
	}
	g.code = append(s.b[:min(len(s.b), 2*mem.PageSize)], 0xf4)
	return g
}

// interesting are the register values that a guest chooses from.
var interesting = [...]uint64{0, 1, 2, 7, 255, 1 << 16, rigData, rigData + 8, rigData + 63, rigData + mem.PageSize - 3, rigData + 2*mem.PageSize - 8,
	rigCode, rigCode + 40, rigStack - 64, rigStack - 61, rigStack - 512, rigIDT, rigHandlers, nonCanon - 4, nonCanon, 1 << 31, 1<<32 - 1, 1 << 63, ^uint64(0),
	^uint64(0) - 0xfff, ^uint64(0) - 7, 0x700000}

// start builds the guest's machine.
func (g *guest) start(t testing.TB) *rig {
	modes := [...]mem.CommitMode{mem.Manual, mem.Late, mem.Timed, mem.Eager}
	r := newRig(t, g.code, modes[g.flags>>4&3])
	c := r.c
	for i, b := range g.regs {
		c.R[i] = interesting[int(b)%len(interesting)]
		if b >= 0xe0 { // mostly a usable stack and pointers
			c.R[i] = rigStack - 512 - uint64(b)
		}
	}
	if g.flags&2 == 0 {
		c.IDT = Table{}
	} else {
		r.m.Poke(handlerOf(0x40), []byte{0x48, 0xcf})
	}
	if g.flags&1 != 0 {
		c.SetCPL(3)
	}
	fl := uint64(0)
	if g.flags&4 != 0 {
		fl |= TF
	}
	if g.flags&8 != 0 {
		fl |= AC
	}
	c.SetRFlags(fl)
	return r
}

// Limits of one guest: its instructions, and its cycles, one for each turn of a
// repeated instruction.
const (
	guestInstructions = 5000
	guestCycles       = 20000
)

// step runs once, by at most n instructions; more is false at the guest's end.
// Exits other than HLT are let pass.
func (r *rig) step(visible bool, n uint64) (st Stop, more bool) {
	c := r.c
	left := guestInstructions - c.Count.Instructions
	st = c.Run(r.p, Budget{Retire: min(left, n), Until: guestCycles, Visible: visible})
	switch st {
	case Drain:
		r.p.CommitAll()
	case Exited:
		if c.Exit.Kind == ExitHLT {
			return st, false
		}
	case Faulted, Unsupported, Time:
		return st, false
	}
	return st, c.Count.Instructions < guestInstructions
}

// finish runs to the end in runs of at most n instructions and returns the last
// stop.
func (r *rig) finish(visible bool, n uint64) Stop {
	for range 40 * guestCycles { // each run retires, or passes an access, or drains
		if st, more := r.step(visible, n); !more {
			r.p.CommitAll()
			return st
		}
	}
	r.t.Fatalf("no end: rip %#x after %d instructions", r.c.RIP, r.c.Count.Instructions)
	return 0
}

// same holds two machines equal in all that a guest or a report can see.
func same(t testing.TB, want, got *rig, why string) {
	require.Equal(t, want.c.RFlags(), got.c.RFlags(), why)
	require.Equal(t, want.c.State, got.c.State, why)
	require.Equal(t, want.c.Count, got.c.Count, why)
	require.Equal(t, want.c.Now, got.c.Now, why)
	require.Equal(t, want.c.Fault, got.c.Fault, why)
	require.Equal(t, want.c.Exit, got.c.Exit, why)
	require.Empty(t, got.m.Changes(want.m.Image(nil)), why)
}

// FuzzExec: any bytes as code at both levels end with a stop, without a panic;
// the reference, the fast path and a run that stops before every shared access
// come to the same end.
func FuzzExec(f *testing.F) {
	addGuests(f)
	f.Fuzz(func(t *testing.T, data []byte) { checkExec(t, data) })
}

func addGuests(f *testing.F) {
	seeds, every := uint64(40), 1
	if testing.Short() {
		seeds, every = 8, 5
	}
	for seed := range seeds {
		f.Add(randomGuest(seed))
	}
	start := func(flags byte, code string) []byte {
		return append(append([]byte{flags}, make([]byte, 16)...), unhex(f, code)...)
	}
	n := 0
	for _, digits := range rowBytes {
		if n++; n%every == 0 {
			f.Add(start(0, digits))
			f.Add(start(1, digits))
		}
	}
	for _, code := range []string{"c80000ffc80800ff", "f3acebfc", "cd40cd40ebfa", "ebfe", "0f0b", "f3a4", "ff37ebfc", "fb8ed0cf", "0f011d00000000cc"} {
		f.Add(start(2, code))
		f.Add(start(6, code))
	}
}

func checkExec(t testing.TB, data []byte) {
	g := guestOf(data)
	plain := g.start(t)
	plain.c.Plain = true
	end := plain.finish(false, guestInstructions)
	fast := g.start(t)
	require.Equal(t, end, fast.finish(false, guestInstructions))
	same(t, plain, fast, "fast path")
	if plain.c.Now < 2000 && end != Time { // the rest would take long
		visible := g.start(t)
		if st := visible.finish(true, guestInstructions); st != Unsupported { // ENTER's limit
			require.Equal(t, end, st)
			same(t, plain, visible, "stops before shared accesses")
		}
	}
}

// several are instructions with more than one access, or that fault or return.
var several = func() (list [][]byte) {
	for _, digits := range strings.Fields(`
		a6 f3a6 f2ae f3a5 f348ab ff37 ff773e 8f07 8f473e 0f1007 0f114711 c8080003 c8100000 f0480fc70f 480fc70f f00fc74f3d 8b473e 89473e
		f0ff473e 0107 0f10473a cd40 48cf 660fd6473c 0f0107 87473d 9c 9d c9 f30fae17 f348ae 0fa2 0f0117 fb 6a18 66ff37 0faef0 0fab4f08`) {
		b, _ := hex.DecodeString(digits)
		list = append(list, b)
	}
	return list
}()

// randomGuest mixes the generator of the fast path's test with instructions
// that make several accesses, fault, and come back from handlers.
func randomGuest(seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 7))
	data := make([]byte, 600)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	s := &source{data}
	g := []byte{s.byte()}
	for i := range 16 {
		b := s.byte()
		switch i {
		case RSP, RBP:
			b |= 0xe0
		case RDI, RSI:
			b = byte(6 + s.n(5))
		}
		g = append(g, b)
	}
	for range 10 + s.n(20) {
		if s.n(2) == 0 {
			g = append(g, several[s.n(len(several))]...)
		} else {
			g = s.instruction(g)
		}
	}
	return g
}

// TestVisibleEqualsNormal: whether a core stops before every shared access and
// is run again, or goes on by itself, it comes to the same end.
func TestVisibleEqualsNormal(t *testing.T) {
	rounds := uint64(3000)
	if testing.Short() {
		rounds = 300
	}
	for seed := range rounds {
		if !t.Run("", func(t *testing.T) { checkExec(t, randomGuest(seed)) }) {
			t.Fatalf("seed %d", seed)
		}
	}
}

// FuzzCoreSnapshot: the State, counters, time and buffer of a core, copied in
// the middle into a fresh core, port and memory, go on as the original does.
func FuzzCoreSnapshot(f *testing.F) {
	addGuests(f)
	f.Fuzz(func(t *testing.T, data []byte) { checkSnapshot(t, data) })
}

func checkSnapshot(t testing.TB, data []byte) {
	g := guestOf(data)
	r := g.start(t)
	n := 1 + uint64(g.regs[RAX])
	for range 3 {
		if _, more := r.step(g.regs[RBX]&1 != 0, n); !more {
			break
		}
	}
	q := r.snapshot()
	require.Equal(t, r.finish(false, guestInstructions), q.finish(false, 1+uint64(g.regs[RCX])))
	same(t, r, q, "snapshot")
}

// snapshot copies the machine, without decoded code and translations.
func (r *rig) snapshot() *rig {
	m := mem.New()
	for _, pg := range r.m.Pages() {
		require.NoError(r.t, m.Map(pg.Addr, mem.PageSize, pg.Perm))
		var b [mem.PageSize]byte
		r.m.Peek(pg.Addr, b[:])
		m.Poke(pg.Addr, b[:])
	}
	c := NewCore(NewCode(nil))
	r.c.RFlags() // works out what is pending
	c.State, c.Count, c.Now, c.Exit, c.Fault = r.c.State, r.c.Count, r.c.Now, r.c.Exit, r.c.Fault
	p := mem.NewPort(m, 0, nil, r.p.Mode)
	p.B, p.Replay = r.p.B, r.p.Replay
	return &rig{r.t, c, p, m}
}
