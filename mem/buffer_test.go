package mem

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const base = 0x200000

func newPort(t testing.TB, mode CommitMode, core int, m *Memory, meter *Meter) *Port {
	if m == nil {
		m = New()
		require.NoError(t, m.Map(base, 2*PageSize, Read|Write))
	}
	p := NewPort(m, core, meter, mode)
	p.Sync()
	return p
}

// model is TSO said plainly: a list of stores, each byte of a load from the
// youngest that covers it.
type model struct {
	mem    map[uint64]byte
	stores [][2]uint64 // address, byte; one entry a byte, oldest first
	sizes  []int       // bytes of each buffered store
}

func (m *model) load(a, n uint64) (v uint64) {
	for i := int(n) - 1; i >= 0; i-- {
		b := m.mem[a+uint64(i)]
		for _, s := range m.stores {
			if s[0] == a+uint64(i) {
				b = byte(s[1])
			}
		}
		v = v<<8 | uint64(b)
	}
	return v
}

func (m *model) store(a, n, v uint64) {
	if first := LineSize - a%LineSize; first < n {
		m.store(a, first, v)
		m.store(a+first, n-first, v>>(first*8))
		return
	}
	for i := range n {
		m.stores = append(m.stores, [2]uint64{a + i, v >> (i * 8) & 0xff})
	}
	m.sizes = append(m.sizes, int(n))
}

func (m *model) commit() {
	for _, s := range m.stores[:m.sizes[0]] {
		m.mem[s[0]] = byte(s[1])
	}
	m.stores, m.sizes = m.stores[m.sizes[0]:], m.sizes[1:]
}

// Loads see own stores byte by byte, others see them in order after they
// commit, whatever the sizes and overlaps; a store that crosses a line is two.
func TestBufferEqualsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := New()
		if err := m.Map(base, 2*PageSize, Read|Write); err != nil {
			t.Fatal(err)
		}
		own, other := NewPort(m, 0, nil, Manual), NewPort(m, 1, nil, Manual)
		want := model{mem: map[uint64]byte{}}
		size := rapid.SampledFrom([]uint64{1, 2, 4, 8})
		addr := rapid.Uint64Range(base+PageSize-80, base+PageSize+16)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			a, n := addr.Draw(t, "addr"), size.Draw(t, "size")
			switch rapid.IntRange(0, 3).Draw(t, "action") {
			case 0:
				if own.B.N+2 > BufferSlots {
					continue
				}
				v := rapid.Uint64().Draw(t, "value")
				if st := own.Store(a, n, v); st > Slow {
					t.Fatalf("store: %v", st)
				}
				want.store(a, n, v)
			case 1:
				if own.B.N > 0 {
					own.Commit()
					want.commit()
				}
			case 2:
				if v, st := own.Load(a, n); st > Slow || v != want.load(a, n) {
					t.Fatalf("own load %#x,%d: %#x (%v), want %#x", a, n, v, st, want.load(a, n))
				}
			case 3:
				committed := model{mem: want.mem}
				if v, st := other.Load(a, n); st > Slow || v != committed.load(a, n) {
					t.Fatalf("other load %#x,%d: %#x, want %#x", a, n, v, committed.load(a, n))
				}
			}
			if int(own.B.N) != len(want.sizes) {
				t.Fatalf("%d buffered, want %d", own.B.N, len(want.sizes))
			}
		}
	})
}

// A word load over an own buffered byte returns the new byte beside old ones.
func TestByteWiseForwarding(t *testing.T) {
	p := newPort(t, Manual, 0, nil, nil)
	p.M.Poke(base, []byte{0x11, 0x22, 0x33, 0x44})
	p.Store(base+1, 1, 0xff)
	v, _ := p.Load(base, 4)
	require.Equal(t, uint64(0x4433ff11), v)
	require.Equal(t, uint64(0x44332211), p.M.PeekUint(base, 4), "nothing has committed")
}

func TestFullBufferStops(t *testing.T) {
	p := newPort(t, Manual, 0, nil, nil)
	for i := range uint64(BufferSlots) {
		require.LessOrEqual(t, p.Store(base+8*i, 8, i), Slow)
	}
	require.Equal(t, Full, p.Store(base, 1, 0))
	p.Commit()
	require.LessOrEqual(t, p.Store(base, 1, 0), Slow)
}

// A store that faults in its second line writes nothing at all.
func TestFaultingStoreWritesNothing(t *testing.T) {
	m := New()
	require.NoError(t, m.Map(base, PageSize, Read|Write))
	p := NewPort(m, 0, nil, Late)
	require.Equal(t, PageFault, p.Store(base+PageSize-4, 8, ^uint64(0)))
	require.Equal(t, Fault{Addr: base + PageSize, Write: true}, p.Fault)
	require.Zero(t, p.B.N)
	require.Equal(t, NonCanonical, p.Store(1<<47-4, 8, 0))
}

// A locked RMW, a fence and a serializing instruction wait for the own buffer.
func TestLockedNeedsEmptyBuffer(t *testing.T) {
	p := newPort(t, Manual, 0, nil, nil)
	p.Store(base+64, 1, 1)
	_, _, st := p.BeginRMW(base, 4)
	require.Equal(t, Drain, st)
	require.Equal(t, Drain, p.Fence())
	require.Equal(t, Drain, p.Empty())
	p.Commit()
	at, old, st := p.BeginRMW(base, 4)
	require.Equal(t, Slow, st)
	p.EndRMW(at, old+5)
	require.Equal(t, uint64(5), p.M.PeekUint(base, 4))
}

// In time: a store commits when its line has been won, never before an older
// one, and a port commits alone only up to the time when others may act.
func TestTimedCommit(t *testing.T) {
	meter := &Meter{Costs: LineCosts{Fill: 50, Upgrade: 20, Transfer: 100, Remote: 300}}
	p := newPort(t, Timed, 0, nil, meter)
	q := newPort(t, Timed, 1, p.M, meter)
	q.Load(base, 8) // the line is elsewhere
	p.Now = 1000
	p.Store(base, 8, 7)
	p.Store(base+64, 8, 8)
	require.Equal(t, Cycles(1100), p.B.At(0).Ready, "a transfer away")
	require.Equal(t, Cycles(1101), p.B.At(1).Ready, "its line comes sooner, but stores commit in order")
	p.Until = 1101
	require.Equal(t, Drain, p.Empty(), "others may act before it is empty")
	p.Until = 1102
	require.Equal(t, Slow, p.Empty())
	require.Equal(t, Cycles(101), p.Stall)
	require.Equal(t, uint64(7), p.M.PeekUint(base, 8))
	p.Now = 2000
	p.Store(base, 8, 9)
	require.Zero(t, p.B.N, "the line is owned and nothing is ahead: it commits at once")
}

func TestRandomDelaysDependOnCountersOnly(t *testing.T) {
	a := RandomDelay{Seed: 1, Key: 2, Max: 100}
	var first []Cycles
	for range 20 {
		first = append(first, a.next())
	}
	b := RandomDelay{Seed: 1, Key: 2, Max: 100, N: 10}
	for i := 10; i < 20; i++ {
		require.Equal(t, first[i], b.next())
	}
	require.NotEqual(t, first[0], first[1])
}

// A store that commits between two runs of its core must not hide from it that
// another core took a line meanwhile.
func TestCommitHidesNoOtherMoves(t *testing.T) {
	m := New()
	require.NoError(t, m.Map(base, PageSize, Read|Write))
	meter := &Meter{Costs: LineCosts{Fill: 10, Upgrade: 10, Transfer: 10}}
	a, b := newPort(t, Timed, 0, m, meter), newPort(t, Timed, 1, m, meter)
	const here, there = base, base + LineSize
	a.Store(here, 8, 1)
	a.Commit()
	a.Store(here, 8, 2) // straight to memory: the line is owned
	_, ok := a.WriteRefill(here, 8, InPlace, 0)
	require.True(t, ok)
	a.Store(there, 8, 3)
	require.Equal(t, uint8(1), a.B.N)
	b.Store(here, 8, 4)
	b.Commit()
	a.Commit()
	a.Sync()
	require.Nil(t, a.WriteWord(here, 8), "the other core has the line")
}
