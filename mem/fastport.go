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

// hotLine is a line that this core may read, or read and write, without any
// bookkeeping. The directory takes it away at the moment when another core wins
// the line.
type hotLine struct {
	r, w  uint64 // its number, the address without its low 6 bits, if it may be read, written; else noLine
	words *[LineSize / 8]uint64
	_     uint64 // a power of two is found faster
}

const (
	hotLines = 64
	noLine   = ^uint64(0)
)

// hotSet holds the hot lines by the low bits of their numbers. What may be
// written may be read.
type hotSet [hotLines]hotLine

func (h *hotSet) clear() {
	for i := range h {
		h[i] = hotLine{r: noLine, w: noLine}
	}
}

// drop takes a line out, if it is in.
func (h *hotSet) drop(line uint64) {
	if x := &h[line&(hotLines-1)]; x.r == line {
		x.r, x.w = noLine, noLine
	}
}

// protect makes a line one that may only be read.
func (h *hotSet) protect(line uint64) {
	if x := &h[line&(hotLines-1)]; x.w == line {
		x.w = noLine
	}
}

// ReadWord gives the aligned word that holds the n bytes at a if they lie in it
// and their line is hot for reading, else nil: try ReadRefill.
func (p *Port) ReadWord(a, n uint64) *uint64 {
	x := &p.hot[a>>6&(hotLines-1)]
	if x.r != a>>6 || a&7+n > 8 {
		return nil
	}
	return &x.words[a>>3&7]
}

// WriteWord is ReadWord for writing at once.
func (p *Port) WriteWord(a, n uint64) *uint64 {
	x := &p.hot[a>>6&(hotLines-1)]
	if x.w != a>>6 || a&7+n > 8 {
		return nil
	}
	return &x.words[a>>3&7]
}

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
// if it is elsewhere, on a request made at now, which may stall.
func (p *Port) ReadRefill(a, n uint64, how Refill, now Cycles) (stall Cycles, ok bool) {
	x := &p.rt[a>>pageShift&(tlbSize-1)]
	if x.tag != tagOf(a) || a&7+n > 8 {
		return 0, false
	}
	line := int(a>>6) & (linesPerPage - 1)
	if x.pg.Sharers[line]&p.bit != p.bit {
		if how == InPlace {
			return 0, false
		}
		stall = p.Meter.share(x.pg, line, p.Core, now)
	}
	h := &p.hot[a>>6&(hotLines-1)]
	if h.r != a>>6 {
		h.r, h.w, h.words = a>>6, noLine, (*[8]uint64)(x.w[line*8:])
	}
	return stall, true
}

// WriteRefill is ReadRefill for writing: line owned, no code, no undo log.
func (p *Port) WriteRefill(a, n uint64, how Refill, now Cycles) (stall Cycles, ok bool) {
	x := &p.wt[a>>pageShift&(tlbSize-1)]
	if x.tag != tagOf(a) || a&7+n > 8 {
		return 0, false
	}
	line := int(a>>6) & (linesPerPage - 1)
	if x.pg.Owner[line] != p.self {
		if how == InPlace || how != ForLock && p.Mode != Eager && !p.atOnce(x.pg, line, how) {
			return 0, false
		}
		stall = p.Meter.own(x.pg, line, p.Core, now, how == ForLoadStore)
	}
	h := &p.hot[a>>6&(hotLines-1)]
	if h.r != a>>6 {
		h.words = (*[8]uint64)(x.w[line*8:])
	}
	h.r, h.w = a>>6, a>>6
	return stall, true
}

// atOnce says whether a store to the line, which comes after a load of it if
// that is how, would cost nothing and so not wait in the buffer.
func (p *Port) atOnce(pg *Page, line int, how Refill) bool {
	if how == ForLoadStore { // the load leaves the line here, shared if others had it
		return p.Meter.Costs.Upgrade == 0 || pg.Sharers[line] == 0
	}
	return p.Meter.price(pg, line, p.Core) == 0
}
