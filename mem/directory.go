package mem

import "math/bits"

// MaxCores is how many cores the line directory can tell apart: one bit each.
const MaxCores = 64

// LineCosts are the cycles that an access waits for its cache line beyond a
// hit, which is part of the instruction's own cost.
type LineCosts struct {
	Fill     Cycles // nobody has the line: it comes from memory
	Upgrade  Cycles // this core shares it and wants it alone
	Transfer Cycles // another core of the socket has it
	Remote   Cycles // only cores of other sockets have it

	// Occupancy is how long a line is busy with one request before it takes
	// the next; 0 serves all at once.
	Occupancy Cycles
}

// LineCounts counts directory events of one machine since its start.
type LineCounts struct {
	Fills      uint64 `json:"fills"`
	Upgrades   uint64 `json:"upgrades"`
	Transfers  uint64 `json:"transfers"`
	SplitLocks uint64 `json:"split_locks"`
	Remote     uint64 `json:"remote,omitempty"`       // part of Transfers: from another socket
	Queued     Cycles `json:"queue_cycles,omitempty"` // waits of requests for lines that were busy with others
}

// Meter prices and counts line movements. One Meter serves all ports of a
// machine; a port without one costs nothing and keeps no directory.
type Meter struct {
	Costs  LineCosts
	Counts LineCounts
	Socket [MaxCores]uint8 // socket of each core, set by SetSockets

	// Watched are the cores that only look at lines which they hold, a bit each:
	// OnLoss is told of those that are about to lose one, before it moves.
	Watched uint64
	OnLoss  func(cores uint64)

	split bool            // there are several sockets
	ports [MaxCores]*Port // of each core: whose hot lines end when they move
}

// share brings a line to core for reading, on a request made at t, and returns
// the stall.
func (m *Meter) share(pg *Page, line int, core uint8, t Cycles) Cycles {
	bit := uint64(1) << core
	var cost Cycles
	switch s := pg.Sharers[line]; {
	case s&bit != 0:
		return 0
	case s == 0:
		m.Counts.Fills++
		pg.Sharers[line], pg.Owner[line] = bit, core+1
		cost = m.Costs.Fill
	default:
		if o := pg.Owner[line]; o != 0 {
			if p := m.ports[(o-1)&(MaxCores-1)]; p != nil {
				p.hot.protect(pg.number(line))
			}
		}
		m.Counts.Transfers++
		pg.Sharers[line], pg.Owner[line] = s|bit, 0
		cost = m.moved(s, core)
	}
	return m.queue(pg, line, t, cost)
}

// price is what own would cost now, without moving the line.
func (m *Meter) price(pg *Page, line int, core uint8) Cycles {
	bit := uint64(1) << core
	switch s := pg.Sharers[line]; {
	case pg.Owner[line] == core+1:
		return 0
	case s&bit != 0:
		return m.Costs.Upgrade
	case s == 0:
		return m.Costs.Fill
	default:
		return m.away(s, core)
	}
}

// own makes core the only holder of a line, on a request made at t, counts how,
// and returns the stall. With load the core has read the line just before, so
// that a line which others hold comes as a copy first.
func (m *Meter) own(pg *Page, line int, core uint8, t Cycles, load bool) (stall Cycles) {
	if pg.Owner[line] == core+1 {
		return 0
	}
	bit := uint64(1) << core
	s := m.isolate(pg, line, core)
	if s == 0 {
		m.Counts.Fills++
		return m.queue(pg, line, t, m.Costs.Fill)
	}
	if s&bit == 0 {
		m.Counts.Transfers++
		stall = m.queue(pg, line, t, m.moved(s, core))
	}
	if s&bit != 0 || load {
		m.Counts.Upgrades++
		stall += m.queue(pg, line, t+stall, m.Costs.Upgrade)
	}
	return stall
}

// take is own for a store that commits: its request was made, and its place in
// the line's queue taken, when the store was buffered.
func (m *Meter) take(pg *Page, line int, core uint8) {
	if pg.Owner[line] == core+1 {
		return
	}
	switch s := m.isolate(pg, line, core); {
	case s == 0:
		m.Counts.Fills++
	case s>>core&1 != 0:
		m.Counts.Upgrades++
	default:
		m.Counts.Transfers++
		m.moved(s, core)
	}
}

// isolate makes core the only holder of a line, which is hot no more for the
// others, and returns who held it before.
func (m *Meter) isolate(pg *Page, line int, core uint8) (s uint64) {
	s = pg.Sharers[line]
	if w := s & m.Watched &^ (1 << core); w != 0 {
		m.OnLoss(w)
	}
	pg.Sharers[line], pg.Owner[line] = 1<<core, core+1
	n := pg.number(line)
	for o := s &^ (1 << core); o != 0; o &= o - 1 {
		if p := m.ports[bits.TrailingZeros64(o)]; p != nil {
			p.hot.drop(n)
			p.Lost++
		}
	}
	return s
}

// number is the line's number in the address space.
func (pg *Page) number(line int) uint64 { return pg.Addr>>6 + uint64(line) }

// queue lets a request of that cost, made at t, wait until the line has served
// those before it, and returns how long it takes in all. Requests are served in
// the order in which they are made.
func (m *Meter) queue(pg *Page, line int, t, cost Cycles) Cycles {
	if cost == 0 || m.Costs.Occupancy == 0 {
		return cost
	}
	if pg.Busy == nil {
		pg.Busy = new([linesPerPage]Cycles)
	}
	start := max(t, pg.Busy[line])
	pg.Busy[line] = start + m.Costs.Occupancy
	m.Counts.Queued += start - t
	return start - t + cost
}

// moved is away for a line that is on its way: remote transfers are counted.
func (m *Meter) moved(s uint64, core uint8) Cycles {
	if m.far(s, core) {
		m.Counts.Remote++
		return m.Costs.Remote
	}
	return m.Costs.Transfer
}

// away is the price of a line that only the cores in s hold.
func (m *Meter) away(s uint64, core uint8) Cycles {
	if m.far(s, core) {
		return m.Costs.Remote
	}
	return m.Costs.Transfer
}

// far says whether none of the cores in s shares core's socket.
func (m *Meter) far(s uint64, core uint8) bool {
	return m.split && m.none(s, core)
}

func (m *Meter) none(s uint64, core uint8) bool {
	home := m.Socket[core]
	for ; s != 0; s &= s - 1 {
		if m.Socket[bits.TrailingZeros64(s)] == home {
			return false
		}
	}
	return true
}

// SetSockets puts the cores on sockets of that many each; 0 is one socket for
// all.
func (m *Meter) SetSockets(cores int) {
	m.split = cores > 0
	for c := range m.Socket {
		m.Socket[c] = 0
		if cores > 0 {
			m.Socket[c] = uint8(c / cores)
		}
	}
}
