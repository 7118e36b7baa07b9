package mem

// The fast path of a core that runs with an empty buffer. Whoever uses it has
// seen Quiet; nothing on this path ends it.

// nowhere is a page that no address is on: it fills empty translation slots,
// so that the fast path needs no test for nil.
var nowhere = &Page{Addr: 1}

// Quiet says whether the fast path may be used: nothing is buffered.
func (p *Port) Quiet() bool { return p.B.N == 0 }

// ReadPage gives the page of a if n bytes there lie in one word and can be read
// without any bookkeeping: translation cached, line here. Else nil.
func (p *Port) ReadPage(a, n uint64) *Page {
	pg := p.rt[a>>pageShift&(tlbSize-1)]
	if pg.Addr != a&^(PageSize-1) || a&7+n > 8 || pg.Sharers[a>>6&(linesPerPage-1)]&p.bit != p.bit {
		return nil
	}
	return pg
}

// WriteWord gives the word that holds the n bytes at a if they can be written
// at once: translation cached, line owned, no code and no undo log. Else nil.
func (p *Port) WriteWord(a, n uint64) *uint64 {
	pg := p.wt[a>>pageShift&(tlbSize-1)]
	if pg.Addr != a&^(PageSize-1) || a&7+n > 8 || pg.Owner[a>>6&(linesPerPage-1)] != p.self {
		return nil
	}
	return &pg.W[a>>3&(wordsPerPage-1)]
}

// Warm brings the line of the n bytes at a to this core, for reading or alone,
// if that is all that ReadPage or WriteWord wanted, and returns the stall. It
// does what a load or a locked RMW would do; a plain store must wait in the
// buffer instead.
func (p *Port) Warm(a, n uint64, alone bool) (Cycles, bool) {
	pg := p.rt[a>>pageShift&(tlbSize-1)]
	if alone {
		pg = p.wt[a>>pageShift&(tlbSize-1)]
	}
	if pg.Addr != a&^(PageSize-1) || a&7+n > 8 || p.Meter == nil {
		return 0, false
	}
	line := int(a>>6) & (linesPerPage - 1)
	if alone {
		return p.Meter.own(pg, line, p.Core), true
	}
	return p.Meter.share(pg, line, p.Core), true
}

// Word is the aligned word that holds a.
func (pg *Page) Word(a uint64) uint64 { return pg.W[a>>3&(wordsPerPage-1)] }
