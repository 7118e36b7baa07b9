package mem

// The fast path of a core that runs with an empty buffer. Whoever uses it has
// seen Quiet; nothing on this path ends it.

// xlat is a cached translation. The tag is the page's address with bit 0 set,
// so that an empty slot matches no address.
type xlat struct {
	tag uint64
	pg  *Page
	w   *[wordsPerPage]uint64
}

func tagOf(a uint64) uint64 { return a&^(PageSize-1) | 1 }

// xlat gives the translation of pg, an empty one if its lines need a closer look.
func (pg *Page) xlat() xlat {
	if pg.Perm&Freed != 0 {
		return xlat{}
	}
	return xlat{pg.Addr | 1, pg, pg.W}
}

// Quiet says whether the fast path may be used: nothing is buffered.
func (p *Port) Quiet() bool { return p.B.N == 0 }

// hotLine is a line that this core may read, or write, without any bookkeeping
// until another core moves a line or a translation changes.
type hotLine struct {
	key uint64 // line number plus Port.gen
	w   *[LineSize / 8]uint64
}

const (
	hotLines = 64
	// Port.gen counts in steps of genStep, above any line number of the lower
	// half of the address space, up to genEnd; only those lines become hot.
	// Then no stale key equals a present one.
	genStep = 1 << 42
	genEnd  = genStep << 14
)

// ReadWord gives the aligned word that holds the n bytes at a if they lie in it
// and their line is hot for reading, else nil: try ReadRefill.
func (p *Port) ReadWord(a, n uint64) *uint64 {
	x := &p.hotR[a>>6&(hotLines-1)]
	if x.key != a>>6+p.gen || a&7+n > 8 {
		return nil
	}
	return &x.w[a>>3&7]
}

// WriteWord is ReadWord for writing at once.
func (p *Port) WriteWord(a, n uint64) *uint64 {
	x := &p.hotW[a>>6&(hotLines-1)]
	if x.key != a>>6+p.gen || a&7+n > 8 {
		return nil
	}
	return &x.w[a>>3&7]
}

// ReadRefill makes the line of the n bytes at a hot for reading if nothing
// speaks against it: translation cached, line here.
func (p *Port) ReadRefill(a, n uint64) bool {
	x := &p.rt[a>>pageShift&(tlbSize-1)]
	line := a >> 6 & (linesPerPage - 1)
	if x.tag != tagOf(a) || a&7+n > 8 || x.pg.Sharers[line]&p.bit != p.bit || a>>47 != 0 {
		return false
	}
	p.hotR[a>>6&(hotLines-1)] = hotLine{a>>6 + p.gen, (*[8]uint64)(x.w[line*8:])}
	return true
}

// WriteRefill is ReadRefill for writing: line owned, no code, no undo log.
func (p *Port) WriteRefill(a, n uint64) bool {
	x := &p.wt[a>>pageShift&(tlbSize-1)]
	line := a >> 6 & (linesPerPage - 1)
	if x.tag != tagOf(a) || a&7+n > 8 || x.pg.Owner[line] != p.self || a>>47 != 0 {
		return false
	}
	p.hotW[a>>6&(hotLines-1)] = hotLine{a>>6 + p.gen, (*[8]uint64)(x.w[line*8:])}
	return true
}

// cool makes every hot line an ordinary one.
func (p *Port) cool() {
	if p.gen += genStep; p.gen >= genEnd {
		p.gen = genStep
		p.hotR, p.hotW = [hotLines]hotLine{}, [hotLines]hotLine{}
	}
	if p.Meter != nil {
		p.seq = p.Meter.seq
	}
}

// Warm brings the line of the n bytes at a to this core, for reading or alone,
// if that is all that ReadWord or WriteWord wanted, and returns the stall. It
// does what a load or a locked RMW would do; a plain store must wait in the
// buffer instead.
func (p *Port) Warm(a, n uint64, alone bool) (Cycles, bool) {
	x := &p.rt[a>>pageShift&(tlbSize-1)]
	if alone {
		x = &p.wt[a>>pageShift&(tlbSize-1)]
	}
	if x.tag != tagOf(a) || a&7+n > 8 || p.Meter == nil {
		return 0, false
	}
	line := int(a>>6) & (linesPerPage - 1)
	if alone {
		return p.own(x.pg, line), true
	}
	return p.share(x.pg, line), true
}

// share and own move a line to this core and return the stall. Its own moves
// leave its hot lines hot; those of others since the last Sync still count.
func (p *Port) share(pg *Page, line int) Cycles {
	known := p.seq == p.Meter.seq
	c := p.Meter.share(pg, line, p.Core)
	if known {
		p.seq = p.Meter.seq
	}
	return p.Meter.queue(pg, line, p.Now+p.Stall, c)
}

func (p *Port) own(pg *Page, line int) Cycles {
	return p.Meter.queue(pg, line, p.Now+p.Stall, p.take(pg, line))
}

// take is own for a store that commits: its request was made, and its place in
// the line's queue taken, when the store was buffered.
func (p *Port) take(pg *Page, line int) Cycles {
	known := p.seq == p.Meter.seq
	c := p.Meter.own(pg, line, p.Core)
	if known {
		p.seq = p.Meter.seq
	}
	return c
}
