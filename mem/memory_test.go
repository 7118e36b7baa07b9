package mem

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The directory tells apart what the seeds argue about: a read by another core
// is a transfer, a write to a shared line an upgrade, a plain RMW on a remote
// line both, a locked one a single request.
func TestDirectory(t *testing.T) {
	costs := LineCosts{Fill: 50, Upgrade: 20, Transfer: 100, Remote: 300}
	cases := []struct {
		name   string
		do     func(p, q *Port)
		counts LineCounts
		stall  Cycles // of q
	}{
		{"first touch", func(p, q *Port) { q.Load(base, 8) }, LineCounts{Fills: 1}, 50},
		{"hit", func(p, q *Port) { q.Load(base, 8); q.Stall = 0; q.Load(base+8, 8) }, LineCounts{Fills: 1}, 0},
		{"read from another core", func(p, q *Port) { p.Load(base, 8); q.Load(base, 8) }, LineCounts{Fills: 1, Transfers: 1}, 100},
		{"locked RMW on a remote line", func(p, q *Port) {
			p.Load(base, 8)
			at, v, _ := q.BeginRMW(base, 8)
			q.EndRMW(at, v)
		}, LineCounts{Fills: 1, Transfers: 1}, 100},
		{"locked RMW on a shared line", func(p, q *Port) {
			p.Load(base, 8)
			q.Load(base, 8)
			q.Stall = 0
			at, v, _ := q.BeginRMW(base, 8)
			q.EndRMW(at, v)
		}, LineCounts{Fills: 1, Transfers: 1, Upgrades: 1}, 20},
		{"plain RMW on a remote line", func(p, q *Port) {
			p.Load(base, 8)
			v, _ := q.Load(base, 8)
			q.Store(base, 8, v)
			q.CommitAll()
		}, LineCounts{Fills: 1, Transfers: 1, Upgrades: 1}, 100},
		{"split lock", func(p, q *Port) {
			at, v, _ := q.BeginRMW(base+60, 8)
			q.EndRMW(at, v)
		}, LineCounts{Fills: 2, SplitLocks: 1}, 100},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			meter := &Meter{Costs: costs}
			p := newPort(t, Timed, 0, nil, meter)
			q := newPort(t, Timed, 1, p.M, meter)
			c.do(p, q)
			require.Equal(t, c.counts, meter.Counts)
			require.Equal(t, c.stall, q.Stall)
		})
	}
}

func TestRemoteSocketCostsMore(t *testing.T) {
	meter := &Meter{Costs: LineCosts{Transfer: 100, Remote: 300}}
	meter.SetSockets(1)
	p := newPort(t, Timed, 0, nil, meter)
	q := newPort(t, Timed, 1, p.M, meter)
	p.Load(base, 8)
	q.Load(base, 8)
	require.Equal(t, Cycles(300), q.Stall)
}

// Rollback restores every byte and every page version, however writes and
// marks are nested.
func TestRollback(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := New()
		if err := m.Map(base, PageSize, Read|Write|Exec); err != nil {
			t.Fatal(err)
		}
		m.MarkCode(m.Page(base))
		p := NewPort(m, 0, nil, Eager)
		type moment struct {
			mark    Mark
			image   Image
			version uint64
		}
		stack := []moment{{m.Mark(), m.Image(nil), m.Page(base).Version}}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "action") {
			case 0:
				stack = append(stack, moment{m.Mark(), m.Image(nil), m.Page(base).Version})
			case 1:
				top := stack[len(stack)-1]
				m.Rollback(top.mark)
				if len(m.Changes(top.image)) != 0 || m.Page(base).Version != top.version {
					t.Fatal("rollback left something changed")
				}
				if len(stack) > 1 {
					stack = stack[:len(stack)-1]
				}
			default:
				p.Store(rapid.Uint64Range(base, base+PageSize-8).Draw(t, "addr"), 8, rapid.Uint64().Draw(t, "value"))
			}
		}
	})
}

func TestMapLimit(t *testing.T) {
	m := New()
	m.SetLimit(3 * PageSize)
	require.NoError(t, m.Map(base, 3*PageSize, Read))
	require.NoError(t, m.Map(base, 3*PageSize, Read|Write), "mapping again needs no more memory")
	require.ErrorIs(t, m.Map(0, 1, Read), ErrLimit)
	require.ErrorIs(t, m.Map(0, 1<<62, Read), ErrLimit)
	require.ErrorContains(t, m.Map(^uint64(0), 2, Read), "wraps")
}

func TestPermissions(t *testing.T) {
	m := New()
	require.NoError(t, m.Map(0x1000, PageSize, Read|Exec))
	p := NewPort(m, 0, nil, Eager)
	_, st := p.Load(0x1ff8, 8)
	require.Equal(t, Slow, st)
	require.Equal(t, PageFault, p.Store(0x1000, 1, 0))
	require.Equal(t, Fault{Addr: 0x1000, Write: true, Present: true}, p.Fault)
	_, _, st = p.BeginRMW(0x1000, 4)
	require.Equal(t, PageFault, st, "a locked RMW needs write permission even to fail its compare")
	_, st = p.Load(0x1ffc, 8)
	require.Equal(t, PageFault, st)
	require.Equal(t, Fault{Addr: 0x2000}, p.Fault, "the fault is at the first byte that is missing")
	_, st = p.Load(1<<47, 1)
	require.Equal(t, NonCanonical, st)
}

// Instruction fetch sees own buffered stores at once, those of others once
// they have committed.
func TestFetch(t *testing.T) {
	m := New()
	require.NoError(t, m.Map(base, PageSize, Read|Write|Exec))
	own, other := NewPort(m, 0, nil, Late), NewPort(m, 1, nil, Late)
	own.Store(base+1, 1, 0x90)
	var b [4]byte
	n, fresh, _ := own.Fetch(base, b[:])
	require.Equal(t, []any{4, false, byte(0x90)}, []any{n, fresh, b[1]})
	_, fresh, _ = other.Fetch(base, b[:])
	require.Equal(t, []any{true, byte(0)}, []any{fresh, b[1]})
	own.CommitAll()
	other.Fetch(base, b[:])
	require.Equal(t, byte(0x90), b[1])
	n, _, st := own.Fetch(base+PageSize-2, b[:])
	require.Equal(t, 2, n)
	require.Equal(t, PageFault, st)
	require.True(t, own.Fault.Fetch)
}

// With Stop, each run may make one shared access; the values of an unfinished
// instruction come back when it is tried again.
func TestStopBeforeSharedAccess(t *testing.T) {
	m := New()
	require.NoError(t, m.Map(base, PageSize, Read|Write))
	p := NewPort(m, 0, nil, Manual)
	p.SetStop(true)
	m.Poke(base, []byte{1})
	p.Allow = 1
	v, st := p.Load(base, 1)
	require.Equal(t, []any{uint64(1), Slow}, []any{v, st})
	_, st = p.Load(base+8, 1)
	require.Equal(t, Visible, st, "the second access must wait")
	m.Poke(base, []byte{9})
	p.Replay.Next, p.Allow = 0, 1 // the instruction is tried again
	v, _ = p.Load(base, 1)
	require.Equal(t, uint64(1), v, "what it read before stays read")
	_, st = p.Load(base+8, 1)
	require.Equal(t, Slow, st)
	p.Retired()
	m.SetPrivate(base, PageSize, true)
	p.Sync()
	_, st = p.Load(base+16, 1)
	require.LessOrEqual(t, st, Slow, "private pages are nobody's business")
}
