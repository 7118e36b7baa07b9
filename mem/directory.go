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
	Socket [MaxCores]uint8 // socket of each core: see SetSockets

	ports [MaxCores]*Port // of each core: whose hot lines end when they move
}

// share brings a line to core for reading and returns the stall.
func (m *Meter) share(pg *Page, line int, core uint8) Cycles {
	bit := uint64(1) << core
	switch s := pg.Sharers[line]; {
	case s&bit != 0:
		return 0
	case s == 0:
		m.Counts.Fills++
		pg.Sharers[line], pg.Owner[line] = bit, core+1
		return m.Costs.Fill
	default:
		m.disown(pg, line)
		m.Counts.Transfers++
		pg.Sharers[line], pg.Owner[line] = s|bit, 0
		return m.moved(s, core)
	}
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

// own makes core the only holder of a line, counts how, and returns the stall.
func (m *Meter) own(pg *Page, line int, core uint8) Cycles {
	if pg.Owner[line] == core+1 {
		return 0
	}
	m.revoke(pg, line, core)
	var cost Cycles
	bit := uint64(1) << core
	switch s := pg.Sharers[line]; {
	case s&bit != 0:
		cost = m.Costs.Upgrade
		m.Counts.Upgrades++
	case s == 0:
		cost = m.Costs.Fill
		m.Counts.Fills++
	default:
		cost = m.moved(s, core)
		m.Counts.Transfers++
	}
	pg.Sharers[line], pg.Owner[line] = bit, core+1
	return cost
}

// disown ends the hot line of the core that may write a line.
func (m *Meter) disown(pg *Page, line int) {
	if o := pg.Owner[line]; o != 0 {
		if p := m.ports[(o-1)&(MaxCores-1)]; p != nil {
			p.hotW.drop(pg.number(line))
		}
	}
}

// revoke ends the hot lines of all other cores that hold a line.
func (m *Meter) revoke(pg *Page, line int, core uint8) {
	m.disown(pg, line)
	for s := pg.Sharers[line] &^ (1 << core); s != 0; s &= s - 1 {
		if p := m.ports[bits.TrailingZeros64(s)]; p != nil {
			p.hotR.drop(pg.number(line))
		}
	}
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
	for c := range m.Socket {
		m.Socket[c] = 0
		if cores > 0 {
			m.Socket[c] = uint8(c / cores)
		}
	}
}
