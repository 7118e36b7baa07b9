package mem

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A line serves one request at a time: those that come while it is busy wait,
// in the order in which they are made. Hits ask nobody.
func TestLinesServeOneRequestAtATime(t *testing.T) {
	meter := &Meter{Costs: LineCosts{Fill: 200, Transfer: 150, Upgrade: 60, Occupancy: 50}}
	var ports [4]*Port
	ports[0] = newPort(t, Timed, 0, nil, meter)
	for i := 1; i < len(ports); i++ {
		ports[i] = newPort(t, Timed, i, ports[0].M, meter)
	}
	load := func(core int, now Cycles, addr uint64) Cycles {
		p := ports[core]
		p.Now, p.Stall = now, 0
		p.Sync()
		p.Load(addr, 8)
		return p.Stall
	}
	assert.Equal(t, Cycles(200), load(0, 1000, base), "a fill; the line is busy until 1,050")
	assert.Equal(t, Cycles(150), load(1, 1050, base), "until 1,100")
	assert.Equal(t, Cycles(150+50), load(2, 1050, base), "until 1,150")
	assert.Equal(t, Cycles(150+40), load(3, 1110, base), "until 1,200")
	assert.Zero(t, load(3, 1120, base), "a hit")
	assert.Equal(t, Cycles(200), load(0, 1120, base+64), "another line")
	assert.Equal(t, Cycles(50+40), meter.Counts.Queued)

	p := ports[1]
	p.Now, p.Stall = 1150, 0
	p.Store(base, 8, 1)
	p.Store(base+8, 8, 2)
	assert.Equal(t, Cycles(1150+50+60), p.B.At(0).Ready, "its request goes out at once and waits for 1,200")
	assert.Equal(t, Cycles(1150+50+60+1), p.B.At(1).Ready, "the request is on its way already")
	p.Commit()
	p.Commit()
	assert.Equal(t, Cycles(1250), ports[0].M.Page(base).Busy[0], "a commit makes no request of its own")
	assert.Equal(t, uint64(1), meter.Counts.Upgrades)
}

// Only a line that no core of the own socket holds is remote.
func TestSockets(t *testing.T) {
	meter := &Meter{Costs: LineCosts{Transfer: 100, Remote: 300}}
	meter.SetSockets(2)
	var ports [4]*Port
	ports[0] = newPort(t, Timed, 0, nil, meter)
	for i := 1; i < len(ports); i++ {
		ports[i] = newPort(t, Timed, i, ports[0].M, meter)
	}
	for i, want := range []Cycles{0, 100, 300, 100} {
		ports[i].Load(base, 8)
		assert.Equal(t, want, ports[i].Stall, "core %d", i)
	}
	assert.Equal(t, LineCounts{Fills: 1, Transfers: 3, Remote: 1}, meter.Counts)
	meter.SetSockets(0)
	assert.Equal(t, [MaxCores]uint8{}, meter.Socket)
}
