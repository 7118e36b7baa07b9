package mem

// Status is how an access ended.
type Status uint8

// The ends of an access. Up to Slow the access was done; from Visible on
// nothing has happened and the instruction must be tried again later; from
// PageFault on it never will be.
const (
	Done         Status = iota
	Slow                // done, but Port.Stall or Port.CodeHit may be set
	Visible             // stopped before a shared access, as asked for
	Drain               // the own buffer must be empty first
	Full                // the buffer has no room for the store
	PageFault           // see Port.Fault
	NonCanonical        // address bits 63 to 47 differ
)

// CommitMode says when buffered stores commit.
type CommitMode uint8

const (
	// Timed: when the line has been won, by the meter's costs. A store to a
	// line that the core owns, with nothing ahead of it, commits at once.
	Timed CommitMode = iota
	// Eager: at once, as if there were no buffer.
	Eager
	// Late: only when something drains the buffer or it is full.
	Late
	// Random: after a delay drawn from (seed, core's key, store number).
	Random
	// Manual: only by Commit; a drain stops with Drain. The explorer's mode.
	Manual
)

// Fault tells what a page fault was about.
type Fault struct {
	Addr    uint64
	Write   bool
	Fetch   bool
	Present bool // mapped, but the permission is missing
	Freed   bool // the guest gave this memory back
}

// Port is a core's way to memory: its store buffer and cached translations. A
// port belongs to a pCPU; a vCPU leaves it only with the buffer empty.
type Port struct {
	M     *Memory
	B     StoreBuffer
	Meter *Meter // nil: no directory, no stalls
	Mode  CommitMode
	Core  uint8

	Now   Cycles // when the present instruction started; set by the core
	Until Cycles // other cores do nothing before this: up to here the port may commit on its own
	Stall Cycles // cycles that the present instruction waited so far

	// CodeHit is set when the core's own store went to a page with decoded
	// code, buffered or not: blocks decoded ahead may be stale.
	CodeHit bool
	Fault   Fault

	Draws RandomDelay

	// Stop, if set, makes every access to a shared page beyond Allow end with
	// Visible. What the present instruction already read is in Replay.
	Stop   bool
	Allow  uint8
	Replay Replay
	// Overflow is set when a store found a full buffer that only Commit empties,
	// and Below when a load read the core's own private memory below Dead: what
	// a search then takes for dead is not.
	// Idle is set when the shared access was a load of a word that nobody writes.
	Overflow bool
	Below    bool
	Idle     bool
	Dead     uint64

	self  uint8  // Core+1 when metered, else 0: what Page.Owner says of our lines
	bit   uint64 // our bit in Page.Sharers, 0 when not metered
	epoch uint64
	rt    [tlbSize]xlat // readable pages, by low index bits
	hot   hotSet        // lines to be used at once
	wt    [tlbSize]xlat // pages whose stores may go straight to memory

	// Exact is for a driver that lets other cores' loops pass unseen: Until then
	// comes down to when a store that is buffered may commit.
	Exact bool
	// Waited is the part of Stall that went by before the store buffer was as the
	// present instruction wants it: it starts behind that.
	Waited Cycles
	// Lost is how many times another core took a line that this one held.
	Lost uint64
}

const tlbSize = 64

// Replay holds the values that the present instruction has already read from
// shared memory, so that a stop between two accesses of one instruction
// (CMPS, push mem, a split load) goes on where it was.
type Replay struct {
	Val  [8]uint64
	N    uint8 // values held
	Next uint8 // how many the present attempt has used
}

// NewPort gives core number core its port to m. meter may be nil; of several
// ports with one meter and core, the last one counts.
func NewPort(m *Memory, core int, meter *Meter, mode CommitMode) *Port {
	p := &Port{M: m, Core: uint8(core), Meter: meter, Mode: mode, Until: Never}
	if meter != nil {
		p.self, p.bit = p.Core+1, 1<<p.Core
		meter.ports[p.Core&(MaxCores-1)] = p
	}
	p.forget()
	return p
}

// Reset gives the port the state of a new one in the given mode.
func (p *Port) Reset(mode CommitMode) {
	p.B, p.Mode = StoreBuffer{}, mode
	p.Now, p.Until, p.Stall = 0, Never, 0
	p.CodeHit, p.Fault, p.Draws = false, Fault{}, RandomDelay{}
	p.Stop, p.Allow, p.Replay = false, 0, Replay{}
	p.epoch = 0
}

// Attach points the port at m, whose translations it forgets. The buffer must
// be empty.
func (p *Port) Attach(m *Memory) {
	if p.M != m {
		p.M = m
		p.epoch = 0 // no memory has it: Sync will drop everything
	}
}

// Sync drops cached translations and hot lines if they may be stale. Whoever
// runs a core calls it before the first access, and after anything that moves
// the epoch.
func (p *Port) Sync() {
	epoch := p.M.epoch
	if p.Stop {
		epoch |= stopped
	}
	if p.epoch != epoch {
		p.epoch = epoch
		p.forget()
	}
}

// stopped marks the epoch of a port whose accesses are stopped, so that Ready
// need not look at Stop.
const stopped = 1 << 63

// Ready says whether the port is synced, nothing is buffered, accesses are not
// stopped, and no code has changed since Memory.CodeVersion was seen: then a core
// may go on at once. It has one branch, as it is asked at every turn.
func (p *Port) Ready(seen uint64) bool {
	m := p.M
	return (p.epoch^m.epoch)|(m.version^seen)|uint64(p.B.N) == 0
}

// Beside says whether a load within the 8 bytes around a at t neither sees a
// buffered store nor comes behind one that is ready. Something is buffered.
func (p *Port) Beside(a uint64, t Cycles) bool {
	if p.B.At(0).Ready <= t {
		return false
	}
	for i := range int(p.B.N) {
		if e := p.B.At(i); e.Addr>>3 <= a>>3 && (e.Addr+uint64(e.Size)-1)>>3 >= a>>3 {
			return false
		}
	}
	return true
}

// forget empties the translation caches.
func (p *Port) forget() {
	clear(p.rt[:])
	clear(p.wt[:])
	p.hot.clear()
}

// SetStop switches the stops before shared accesses on or off; see Stop.
func (p *Port) SetStop(on bool) {
	if p.Stop != on {
		p.Stop = on
		p.epoch = 0 // cached translations skip the test for shared pages
	}
}

// Seen is a state of what a core's loads and its code depend on.
type Seen struct {
	port              *Port
	lost, pokes, code uint64
}

// Seen gives the present state: as long as it stays, and the core has nothing
// buffered and only loads from lines that it holds, these loads give the same, and
// its instructions are the same.
func (p *Port) Seen() Seen { return Seen{p, p.Lost, p.M.pokes, p.M.version} }

// Retired tells the port that the present instruction is complete.
func (p *Port) Retired() {
	p.Replay.N, p.Replay.Next = 0, 0
}

// Load reads n bytes (1 to 8) at a, little-endian, as the core sees them.
func (p *Port) Load(a, n uint64) (uint64, Status) {
	if p.B.N == 0 {
		if w := p.ReadWord(a, n); w != nil {
			return *w >> (a & 7 * 8) & masks[n&15], Done
		}
	}
	if first := LineSize - a&(LineSize-1); first < n {
		if !canonical(a + n - 1) {
			return 0, NonCanonical
		}
		lo, st := p.loadPiece(a, first)
		if st > Slow {
			return 0, st
		}
		hi, st := p.loadPiece(a+first, n-first)
		return lo | hi<<(first*8), st
	}
	return p.loadPiece(a, n)
}

// loadPiece reads bytes that lie in one line.
func (p *Port) loadPiece(a, n uint64) (uint64, Status) {
	pg, st := p.page(a, Read)
	if st != Done {
		return 0, st
	}
	same := p.Stop && pg.constant(a, n)
	shared := p.Stop && !p.mine(pg) && !(same && p.M.hideConstants)
	if shared {
		if v, seen, st := p.replay(); seen || st != Done {
			return v, st
		}
	}
	if p.B.N != 0 {
		p.commitReady(p.Now)
	}
	v := p.B.forward(a, n, pg.read(a, n))
	if p.Meter != nil {
		p.Stall += p.Meter.share(pg, int(a>>6)&(linesPerPage-1), p.Core, p.Now+p.Stall)
	}
	if p.Stop && a < p.Dead && pg.Private && !shared {
		p.Below = true
	}
	if shared {
		p.Idle = p.Idle || same
		p.record(v)
		return v, Slow
	}
	if !shared {
		p.rt[a>>pageShift&(tlbSize-1)] = pg.xlat()
	}
	return v, Slow
}

// read gets n bytes at a that lie in one line, without the buffer.
func (pg *Page) read(a, n uint64) uint64 {
	i, sh := a>>3&(wordsPerPage-1), a&7*8
	v := pg.W[i] >> sh
	if sh != 0 && a&7+n > 8 {
		v |= pg.W[i+1] << (64 - sh)
	}
	return v & sizeMask(n)
}

// canonical says whether bits 63 to 47 of a are equal (SDM vol. 1, 3.3.7.1).
func canonical(a uint64) bool { return uint64(int64(a<<16)>>16) == a }

// page finds the page of a and checks one permission.
func (p *Port) page(a uint64, need Perm) (*Page, Status) {
	if !canonical(a) {
		return nil, NonCanonical
	}
	x := &p.rt[a>>pageShift&(tlbSize-1)]
	pg := x.pg
	if x.tag != tagOf(a) {
		pg = p.M.Page(a)
	}
	freed := pg != nil && pg.Perm&Freed != 0 && p.M.IsFreed(a)
	if pg != nil && pg.Perm&need != 0 && !freed {
		return pg, Done
	}
	p.Fault = Fault{Addr: a, Write: need == Write, Fetch: need == Exec, Present: pg != nil && pg.Perm&(Read|Write|Exec) != 0}
	p.Fault.Freed = freed
	return nil, PageFault
}

// replay gives back a value that the present instruction has already read, or
// says whether another shared access is allowed.
func (p *Port) replay() (v uint64, seen bool, st Status) {
	r := &p.Replay
	if r.Next < r.N {
		r.Next++
		return r.Val[r.Next-1], true, Slow
	}
	if p.Allow == 0 {
		return 0, false, Visible
	}
	return 0, false, Done
}

// record notes a shared access of the present instruction.
func (p *Port) record(v uint64) {
	r := &p.Replay
	p.Allow--
	r.Val[r.N&7] = v
	r.N++
	r.Next = r.N
}
