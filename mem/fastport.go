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

func (pg *Page) xlat() xlat { return xlat{pg.Addr | 1, pg, pg.W} }

// Quiet says whether the fast path may be used: nothing is buffered.
func (p *Port) Quiet() bool { return p.B.N == 0 }

// hotLine is a line that this core may read, or write, without any bookkeeping.
// The directory takes it away at the moment when another core wins the line.
type hotLine struct {
	key uint64 // line number: the address without its low 6 bits; noLine: none
	w   *[LineSize / 8]uint64
}

const (
	hotLines = 64
	noLine   = ^uint64(0)
)

// hotSet holds the hot lines of one kind, by the low bits of their numbers.
type hotSet [hotLines]hotLine

func (h *hotSet) clear() {
	for i := range h {
		h[i].key = noLine
	}
}

// drop takes a line out, if it is in.
func (h *hotSet) drop(line uint64) {
	if x := &h[line&(hotLines-1)]; x.key == line {
		x.key = noLine
	}
}

// word gives the aligned word that holds the n bytes at a if they lie in it and
// their line is hot, else nil.
func (h *hotSet) word(a, n uint64) *uint64 {
	x := &h[a>>6&(hotLines-1)]
	if x.key != a>>6 || a&7+n > 8 {
		return nil
	}
	return &x.w[a>>3&7]
}

// ReadWord gives the aligned word that holds the n bytes at a if they lie in it
// and their line is hot for reading, else nil: try ReadRefill.
func (p *Port) ReadWord(a, n uint64) *uint64 { return p.hotR.word(a, n) }

// WriteWord is ReadWord for writing at once.
func (p *Port) WriteWord(a, n uint64) *uint64 { return p.hotW.word(a, n) }

// Refill says what an access may do to get its line.
type Refill uint8

// The ways to get a line.
const (
	InPlace      Refill = iota // nothing: the line must be here
	ForLoad                    // wait for a copy
	ForLock                    // wait until the line is here alone
	ForStore                   // take it if a store would commit at once, else it must be buffered
	ForLoadStore               // a load, then a store
)

// ReadRefill makes the line of the n bytes at a hot for reading if nothing
// speaks against it: translation cached, line here. With ForLoad the line comes
// if it is elsewhere, at Now, and Stall grows by the wait.
func (p *Port) ReadRefill(a, n uint64, how Refill) bool {
	x := &p.rt[a>>pageShift&(tlbSize-1)]
	line := int(a>>6) & (linesPerPage - 1)
	if x.tag != tagOf(a) || a&7+n > 8 {
		return false
	}
	if x.pg.Sharers[line]&p.bit != p.bit {
		if how == InPlace {
			return false
		}
		p.Stall += p.share(x.pg, line)
	}
	p.hotR[a>>6&(hotLines-1)] = hotLine{a >> 6, (*[8]uint64)(x.w[line*8:])}
	return true
}

// WriteRefill is ReadRefill for writing: line owned, no code, no undo log.
func (p *Port) WriteRefill(a, n uint64, how Refill) bool {
	x := &p.wt[a>>pageShift&(tlbSize-1)]
	line := int(a>>6) & (linesPerPage - 1)
	if x.tag != tagOf(a) || a&7+n > 8 {
		return false
	}
	if x.pg.Owner[line] != p.self && !p.win(x.pg, line, how) {
		return false
	}
	p.hotW[a>>6&(hotLines-1)] = hotLine{a >> 6, (*[8]uint64)(x.w[line*8:])}
	return true
}

// win moves a line of another core, or of none, to this one alone, if the access
// could not also leave its store in the buffer. The buffer is empty.
func (p *Port) win(pg *Page, line int, how Refill) bool {
	switch {
	case how == ForLock:
	case how == InPlace || how == ForLoad || p.Mode != Eager && !p.atOnce(pg, line, how):
		return false
	case how == ForLoadStore:
		p.Stall += p.share(pg, line)
	}
	p.Stall += p.own(pg, line)
	return true
}

// atOnce says whether a store to the line, which comes after a load of it if
// that is how, would cost nothing.
func (p *Port) atOnce(pg *Page, line int, how Refill) bool {
	if how == ForLoadStore { // the load leaves the line here, shared if others had it
		return pg.Sharers[line] == 0 || p.Meter.Costs.Upgrade == 0
	}
	return p.Meter.price(pg, line, p.Core) == 0
}

// share and own move a line to this core and return the stall.
func (p *Port) share(pg *Page, line int) Cycles {
	return p.Meter.queue(pg, line, p.Now+p.Stall, p.Meter.share(pg, line, p.Core))
}

func (p *Port) own(pg *Page, line int) Cycles {
	return p.Meter.queue(pg, line, p.Now+p.Stall, p.Meter.own(pg, line, p.Core))
}
