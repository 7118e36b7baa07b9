package mem

// Store buffers n bytes (1 to 8) of v for a. A store that faults writes
// nothing, not even the part before the fault.
func (p *Port) Store(a, n, v uint64) Status {
	if p.B.N == 0 {
		if w := p.WriteWord(a, n); w != nil {
			sh := a & 7 * 8
			m := masks[n&15] << sh
			*w = *w&^m | v<<sh&m
			return Done
		}
	}
	first := LineSize - a&(LineSize-1)
	if first >= n {
		return p.storePiece(a, n, v, 1)
	}
	if !canonical(a + n - 1) {
		return NonCanonical
	}
	if _, st := p.page(a, Write); st != Done {
		return st
	}
	if _, st := p.page(a+first, Write); st != Done {
		return st
	}
	if st := p.storePiece(a, first, v, 2); st > Slow {
		return st
	}
	return p.storePiece(a+first, n-first, v>>(first*8), 1)
}

// Writable checks whether a store of n bytes at a would fault, without doing
// it: for instructions that must not write anything if a later part faults.
func (p *Port) Writable(a, n uint64) Status {
	if !canonical(a + n - 1) {
		return NonCanonical
	}
	if _, st := p.page(a, Write); st != Done {
		return st
	}
	if last := a + n - 1; last>>pageShift != a>>pageShift {
		if _, st := p.page(last&^(PageSize-1), Write); st != Done {
			return st
		}
	}
	return Done
}

// storePiece buffers bytes of one line, when the buffer has room for slots.
func (p *Port) storePiece(a, n, v uint64, slots uint8) Status {
	pg, st := p.page(a, Write)
	if st != Done {
		return st
	}
	v &= sizeMask(n)
	if pg.Code {
		p.CodeHit = true
	}
	if p.Mode == Manual && p.mine(pg) {
		p.write(pg, a, n, v)
		return p.direct(pg, a)
	}
	if pg.Varies != nil {
		p.M.varyBytes(pg, a, n)
	}
	p.commitReady(p.Now)
	if st := p.makeRoom(slots); st != Done {
		return st
	}
	line := int(a>>6) & (linesPerPage - 1)
	var price Cycles
	if p.Meter != nil {
		price = p.Meter.price(pg, line, p.Core)
		if p.Meter.Costs.Occupancy != 0 && (p.Mode == Timed || p.Mode == Random) && !p.B.covers(a&^(LineSize-1), LineSize) {
			// The request goes out now, unless an older store has sent it.
			price = p.Meter.queue(pg, line, p.Now+p.Stall, price)
		}
	}
	e := Entry{Addr: a, Data: v, Size: uint8(n)}
	switch p.Mode {
	case Eager:
		if p.Meter != nil {
			p.Stall += p.Meter.own(pg, line, p.Core, p.Now+p.Stall, false)
		}
		p.write(pg, a, n, v)
		return p.direct(pg, a)
	case Timed:
		if price == 0 && p.B.N == 0 {
			if p.Meter != nil {
				p.Meter.own(pg, line, p.Core, p.Now, false)
			}
			p.write(pg, a, n, v)
			return p.direct(pg, a)
		}
		e.Ready = max(p.Now+p.Stall+price, p.B.LastReady()+1)
	case Random:
		e.Ready = max(p.Now+p.Stall+price+p.Draws.next(), p.B.LastReady()+1)
	case Late, Manual:
		e.Ready = Never
	}
	p.B.push(e)
	if p.Exact {
		p.Until = min(p.Until, e.Ready)
	}
	return Slow
}

// direct caches the translation when later stores to pg need no bookkeeping.
func (p *Port) direct(pg *Page, a uint64) Status {
	if !pg.Code && !p.M.logging && pg.Perm&Read != 0 && (p.Mode == Timed || p.Mode == Eager) {
		p.wt[a>>pageShift&(tlbSize-1)] = pg.xlat()
	}
	return Slow
}

// makeRoom frees slots at the buffer's old end, as far as time allows.
func (p *Port) makeRoom(slots uint8) Status {
	for p.B.N+slots > BufferSlots {
		e := p.B.At(0)
		switch {
		case p.Mode == Manual:
			p.Overflow = true
			return Full
		case e.Ready == Never:
		case e.Ready >= p.Until:
			return Full
		case e.Ready > p.Now+p.Stall:
			p.Stall = e.Ready - p.Now
			p.Waited = p.Stall
		}
		p.Commit()
	}
	return Done
}

// write puts committed bytes of one line into the page.
func (p *Port) write(pg *Page, a, n, v uint64) {
	i, sh := int(a>>3)&(wordsPerPage-1), a&7*8
	p.M.writeWord(pg, i, v<<sh, sizeMask(n)<<sh)
	if sh != 0 && a&7+n > 8 {
		p.M.writeWord(pg, i+1, v>>(64-sh), sizeMask(n)>>(64-sh))
	}
}

// Commit takes the oldest store to memory and returns it. The buffer must not
// be empty.
func (p *Port) Commit() Entry {
	e := p.B.pop()
	x := &p.rt[e.Addr>>pageShift&(tlbSize-1)]
	pg := x.pg
	if x.tag != tagOf(e.Addr) {
		pg = p.M.Page(e.Addr) // mapped when it was buffered, and pages stay
	}
	if p.Meter != nil {
		p.Meter.take(pg, int(e.Addr>>6)&(linesPerPage-1), p.Core)
	}
	p.write(pg, e.Addr, uint64(e.Size), e.Data)
	return e
}

// commitReady commits, oldest first, what is ready at t.
func (p *Port) commitReady(t Cycles) {
	for p.B.N != 0 && p.B.At(0).Ready <= t {
		p.Commit()
	}
}

// CommitAll empties the buffer whatever the time.
func (p *Port) CommitAll() {
	for p.B.N != 0 {
		p.Commit()
	}
}

// Fence answers Done or Slow when the own buffer is empty, making it so where
// time allows, else Drain: try again once it is. In the explorer it is a
// visible action.
func (p *Port) Fence() Status {
	if p.Stop {
		if _, seen, st := p.replay(); seen || st != Done {
			return st
		}
	}
	if st := p.Empty(); st > Slow {
		return st
	}
	if p.Stop {
		p.record(0)
	}
	return Slow
}

// Act answers Done when a visible action without an access of its own (HLT, a
// hypercall) may go ahead, else Visible.
func (p *Port) Act() Status {
	if !p.Stop {
		return Done
	}
	if _, seen, st := p.replay(); seen || st != Done {
		return st
	}
	p.record(0)
	return Done
}

// Empty is Fence without being an action of its own: serializing instructions
// and exits use it.
func (p *Port) Empty() Status {
	if p.B.N == 0 {
		return Done
	}
	last := p.B.LastReady()
	switch {
	case p.Mode == Manual:
		return Drain
	case last == Never:
	case last >= p.Until:
		return Drain
	case last > p.Now+p.Stall:
		p.Stall = last - p.Now
		p.Waited = p.Stall
	}
	p.CommitAll()
	return Slow
}

// Atomic is an open locked access between BeginRMW and EndRMW.
type Atomic struct {
	pg, pg2 *Page
	a, n    uint64
}

// BeginRMW opens a locked read-modify-write of n bytes (1 to 8) at a and
// returns the old value. The own buffer must be empty (Drain otherwise). Both
// permissions are checked first, as a failed CMPXCHG writes too. An access
// that crosses a line is atomic all the same and counts as a split lock.
func (p *Port) BeginRMW(a, n uint64) (Atomic, uint64, Status) {
	at := Atomic{a: a, n: n}
	var st Status
	if !canonical(a + n - 1) {
		return at, 0, NonCanonical
	}
	if at.pg, st = p.page(a, Write); st != Done {
		return at, 0, st
	}
	at.pg2 = at.pg
	if end := a + n - 1; end>>pageShift != a>>pageShift {
		if at.pg2, st = p.page(end&^(PageSize-1), Write); st != Done {
			return at, 0, st
		}
	}
	first := false
	if p.Stop {
		p.mine(at.pg)
		p.mine(at.pg2)
		_, seen, st := p.replay()
		if st > Slow {
			return at, 0, st
		}
		first = !seen
	}
	if st := p.Empty(); st > Slow {
		return at, 0, st
	}
	if first {
		p.Allow--
	}
	p.lockLines(&at)
	return at, p.atomicRead(&at), Slow
}

// lockLines moves the line or lines of at to this core.
func (p *Port) lockLines(at *Atomic) {
	split := at.a&(LineSize-1)+at.n > LineSize
	if at.pg.Code || at.pg2.Code {
		p.CodeHit = true
	}
	if p.Meter == nil {
		return
	}
	p.Stall += p.Meter.own(at.pg, int(at.a>>6)&(linesPerPage-1), p.Core, p.Now+p.Stall, false)
	if split {
		p.Meter.Counts.SplitLocks++
		p.Stall += p.Meter.own(at.pg2, int((at.a+at.n-1)>>6)&(linesPerPage-1), p.Core, p.Now+p.Stall, false)
	}
}

func (p *Port) atomicRead(at *Atomic) uint64 {
	first := PageSize - at.a&(PageSize-1)
	if at.n <= first {
		return at.pg.read(at.a, at.n)
	}
	return at.pg.read(at.a, first) | at.pg2.read(at.a+first, at.n-first)<<(first*8)
}

// EndRMW stores the new value of at and closes it.
func (p *Port) EndRMW(at Atomic, v uint64) {
	v &= sizeMask(at.n)
	first := PageSize - at.a&(PageSize-1)
	if at.n <= first {
		p.write(at.pg, at.a, at.n, v)
		p.direct(at.pg, at.a)
		return
	}
	p.write(at.pg, at.a, first, v)
	p.write(at.pg2, at.a+first, at.n-first, v>>(first*8))
}

// BeginRMW16 is BeginRMW for the 16 bytes of CMPXCHG16B; a must be a multiple
// of 16.
func (p *Port) BeginRMW16(a uint64) (at Atomic, lo, hi uint64, st Status) {
	at, lo, st = p.BeginRMW(a, 8)
	if st > Slow {
		return at, 0, 0, st
	}
	return at, lo, at.pg.read(a+8, 8), st
}

// EndRMW16 stores both halves and closes at.
func (p *Port) EndRMW16(at Atomic, lo, hi uint64) {
	p.write(at.pg, at.a, 8, lo)
	p.write(at.pg, at.a+8, 8, hi)
}

// Room answers Done or Slow when the buffer can take that many more entries,
// for instructions that must store all or nothing; else Full.
func (p *Port) Room(slots uint8) Status {
	if p.B.N+slots <= BufferSlots {
		return Done
	}
	return p.makeRoom(slots)
}
