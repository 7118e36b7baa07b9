package cpu

// What a search over interleavings needs of a core.

// Arch returns the whole architecture with every pending flag worked out.
func (c *Core) Arch() *State {
	c.settle()
	return &c.State
}

// SetArch makes s the architecture: what Arch returned at another time.
func (c *Core) SetArch(s *State) {
	c.State = *s
	c.Arrived()
}

// Arrived tells the core that its State was replaced in place.
func (c *Core) Arrived() {
	c.lz, c.cur, c.turned = lazy{}, cursor{}, false
}

// StopAt makes the instruction at a probe with this id an action that others
// can see: a Run with Budget.Visible stops before it.
func (k *Code) StopAt(id uint8) { k.acts |= 1 << id }

// watch is what comes before an instruction when shared accesses are seen one
// by one: refusals, and the stop before a probe.
func (c *Core) watch(blk *Block, o *Op) outcome {
	p := c.p
	p.Dead = c.R[RSP] - min(c.Code.RedZone, c.R[RSP])
	if blk.Probe != 0 && c.Code.acts>>blk.Probe&1 != 0 {
		if st := p.Act(); st > slow {
			return st
		}
	}
	switch {
	case o.Flag&opWeak != 0:
		c.Why = Rows[o.Mn].Name + " is refused: it is not ordered as x86-TSO orders stores"
	case o.Mn == RDRAND || o.Mn == RDSEED:
		c.Why = Rows[o.Mn].Name + " is refused: random numbers would make states endless"
	case o.Mn == RDTSC || o.Mn == RDTSCP:
		c.Why = Rows[o.Mn].Name + " is refused: there is no time between states"
	default:
		return done
	}
	return unsupported
}
