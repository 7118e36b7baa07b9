package mem

// MaxCores is how many cores the line directory can tell apart: one bit each.
const MaxCores = 64

// LineCosts are the cycles that an access waits for its cache line beyond a
// hit, which is part of the instruction's own cost.
type LineCosts struct {
	Fill     Cycles // nobody has the line: it comes from memory
	Upgrade  Cycles // this core shares it and wants it alone
	Transfer Cycles // another core of the socket has it
	Remote   Cycles // only cores of other sockets have it
}

// LineCounts counts directory events of one machine since its start.
type LineCounts struct {
	Fills      uint64 `json:"fills"`
	Upgrades   uint64 `json:"upgrades"`
	Transfers  uint64 `json:"transfers"`
	SplitLocks uint64 `json:"split_locks"`
}

// Meter prices and counts line movements. One Meter serves all ports of a
// machine; a port without one costs nothing and keeps no directory.
type Meter struct {
	Costs  LineCosts
	Counts LineCounts
	Socket [MaxCores]uint8 // socket of each core

	seq uint64 // moves with every line that changes hands
}

// share brings a line to core for reading and returns the stall.
func (m *Meter) share(pg *Page, line int, core uint8) Cycles {
	bit := uint64(1) << core
	switch s := pg.Sharers[line]; {
	case s&bit != 0:
		return 0
	case s == 0:
		m.seq++
		m.Counts.Fills++
		pg.Sharers[line], pg.Owner[line] = bit, core+1
		return m.Costs.Fill
	default:
		m.seq++
		m.Counts.Transfers++
		pg.Sharers[line], pg.Owner[line] = s|bit, 0
		return m.away(s, core)
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
	m.seq++
	cost := m.price(pg, line, core)
	bit := uint64(1) << core
	switch s := pg.Sharers[line]; {
	case s&bit != 0:
		m.Counts.Upgrades++
	case s == 0:
		m.Counts.Fills++
	default:
		m.Counts.Transfers++
	}
	pg.Sharers[line], pg.Owner[line] = bit, core+1
	return cost
}

// away is the price of a line that only the cores in s hold.
func (m *Meter) away(s uint64, core uint8) Cycles {
	home := m.Socket[core]
	for c := range uint8(MaxCores) {
		if s>>c&1 != 0 && m.Socket[c] == home {
			return m.Costs.Transfer
		}
	}
	return m.Costs.Remote
}
