package mem

// What a search over interleavings needs beyond Mark and Rollback: who owns a
// private page, what was written since a mark, and words set without a log.

// SetOwner makes the pages of [addr, addr+size) private to one core: its loads
// and stores there are nobody's business, until another core proves that wrong
// (see Trespass).
func (m *Memory) SetOwner(addr, size uint64, core uint8) {
	for a := addr &^ (PageSize - 1); a < addr+size; a += PageSize {
		if pg := m.Page(a); pg != nil {
			pg.Private, pg.Holder = true, core
		}
	}
	m.epoch++
}

// mine says whether pg is private to this core. A page that is private to
// another one counts as shared for this access, and is noted.
func (p *Port) mine(pg *Page) bool {
	if !pg.Private {
		return false
	}
	if pg.Holder != p.Core {
		p.M.trespass = pg
		return false
	}
	return true
}

// Trespass returns and forgets the last private page that a core touched which
// does not own it, or that somebody freed, nil if there was none. Whoever took the page for private
// was wrong from the start.
func (m *Memory) Trespass() *Page {
	pg := m.trespass
	m.trespass = nil
	return pg
}

// Written calls f for every word that was written since k, in order, with the
// value before; a word may come more than once.
func (m *Memory) Written(k Mark, f func(pg *Page, word int, old uint64)) {
	for i := int(k); i < len(m.log); i++ {
		u := &m.log[i]
		f(u.pg, u.word, u.old)
	}
}

// ForgetLog drops the undo log: what was written so far cannot be rolled back
// any more.
func (m *Memory) ForgetLog() { m.log = m.log[:0] }

// SetWord gives word i of pg a value without an entry in the undo log.
func (m *Memory) SetWord(pg *Page, i int, v uint64) {
	if pg.W[i] == v {
		return
	}
	pg.W[i] = v
	m.renew(pg, i)
}

// Advance makes the i-th entry of the buffer the next to commit: what a machine
// without TSO may do where MayOvertake says so.
func (p *Port) Advance(i int) { p.B.advance(i) }

// Put appends an entry to the buffer, which must have room, as it was read
// from a stored state: nobody waits for it.
func (b *StoreBuffer) Put(addr, data uint64, size uint8) {
	b.push(Entry{Addr: addr, Data: data, Size: size, Ready: Never})
}

// View reads n bytes at a as the core sees them, without any effect.
func (p *Port) View(a uint64, n uint8) uint64 {
	return p.B.forward(a, uint64(n), p.M.PeekUint(a, int(n)))
}

// AssumeConstant makes loads of shared words idle as long as nobody writes them,
// and private, too, if hide is set; varying are words that are known to be
// written. What turns out to be written besides is told by Surprises.
func (m *Memory) AssumeConstant(varying []uint64, hide bool) {
	m.hideConstants = hide
	for _, pg := range m.pages {
		pg.Varies = new([wordsPerPage / 64]uint64)
	}
	for _, a := range varying {
		if pg := m.Page(a); pg != nil {
			i := a >> 3 & (wordsPerPage - 1)
			pg.Varies[i>>6] |= 1 << (i & 63)
		}
	}
}

// Surprises returns and forgets the words that were written, or are about to
// be, although they were taken for constant. From now on they are not.
func (m *Memory) Surprises() []uint64 {
	s := m.surprise
	m.surprise = nil
	return s
}

// constant says whether none of n bytes at a, which lie in one line, is ever
// written.
func (pg *Page) constant(a, n uint64) bool {
	if pg.Varies == nil {
		return false
	}
	i, last := a>>3&(wordsPerPage-1), (a+n-1)>>3&(wordsPerPage-1)
	return (pg.Varies[i>>6]>>(i&63)|pg.Varies[last>>6]>>(last&63))&1 == 0
}

// vary notes that word i of pg is written.
func (m *Memory) vary(pg *Page, i int) {
	if w := &pg.Varies[i>>6]; *w>>(i&63)&1 == 0 && !pg.Private {
		*w |= 1 << (i & 63)
		m.surprise = append(m.surprise, pg.Addr+uint64(i)<<3)
	}
}

func (m *Memory) varyBytes(pg *Page, a, n uint64) {
	m.vary(pg, int(a>>3)&(wordsPerPage-1))
	m.vary(pg, int((a+n-1)>>3)&(wordsPerPage-1))
}
