package cpu

import "spinlab/mem"

// maxCircle is most instructions of a circle that is looked for.
const maxCircle = 1 << 10

// Circles says whether c goes round a loop that only looks and comes back to where
// it was without any change: it will do so for ever, unless somebody writes what it
// reads or interrupts it. Nothing is changed, not even a line moves; nor does it
// matter what c has skipped, so the answer is the same with and without Skips.
func (c *Core) Circles(m *mem.Memory) bool {
	k := *c
	k.Pause, k.OnProbe, k.Skips = PauseLoop{}, nil, false
	k.p = mem.NewPort(m, 0, nil, mem.Timed)
	k.cur = cursor{}
	if k.Step || !k.mayRunFast(false) {
		return false
	}
	for range maxCircle { // what is read may be new to the registers
		if !k.look() {
			return false
		}
	}
	rip, regs, flags := k.RIP, k.R, k.RFlags()
	for range maxCircle {
		if !k.look() {
			return false
		}
		if k.RIP == rip && k.R == regs && k.RFlags() == flags {
			return true
		}
	}
	return false
}

// look executes an instruction if it only looks.
func (c *Core) look() bool {
	blk, i, st := c.locate()
	return st <= slow && looks(blk.solo[i].alone) && c.Run(c.p, Budget{Retire: 1}) == Retired
}
