package mem

// Memory that the guest gives back. Freed lines are bits of host-only pages far
// above anything a guest maps, so that the undo log, snapshots and the states of
// a search carry them like all other memory.

// freedBase is where the bits are: a word of 64 lines for each page of the lower
// half of the address space. The addresses are not canonical, so no guest
// reaches them.
const freedBase = 1 << 56

// Free marks the lines that [addr, addr+size) touches as given back: from now on
// any access there is a page fault with Fault.Freed. Lines that are not mapped
// are left out.
func (m *Memory) Free(addr, size uint64) {
	if size == 0 || addr >= freedBase {
		return
	}
	last := min(addr+size-1, freedBase-1)
	if last < addr {
		last = freedBase - 1
	}
	for _, pg := range m.Pages() { // not over the range: a guest may name all of memory
		for line := range uint64(linesPerPage) {
			if a := pg.Addr + line*LineSize; a <= last && a+LineSize-1 >= addr {
				m.freeLine(pg, a)
			}
		}
	}
}

func (m *Memory) freeLine(pg *Page, a uint64) {
	at := freedBase + a>>pageShift<<3
	bits := m.Page(at)
	if bits == nil {
		if m.Map(at, 8, 0) != nil {
			return // the limit of guest memory: nothing more is noted
		}
		bits = m.Page(at)
	}
	if pg.Perm&Freed == 0 {
		pg.Perm |= Freed // look closer from now on
		m.epoch++
	}
	m.loseLine(pg, a)
	m.pokes++
	m.writeWord(bits, int(at>>3)&(wordsPerPage-1), bits.W[at>>3&(wordsPerPage-1)]|1<<(a>>6&(linesPerPage-1)), ^uint64(0))
}

// IsFreed says whether the line of a was given back.
func (m *Memory) IsFreed(a uint64) bool {
	if !m.freed {
		return false
	}
	at := freedBase + a>>pageShift<<3
	bits := m.Page(at)
	return bits != nil && bits.W[at>>3&(wordsPerPage-1)]>>(a>>6&(linesPerPage-1))&1 != 0
}

// FreedPage gives the page whose freed lines a word tells of, nil for a word of
// ordinary memory.
func (m *Memory) FreedPage(pg *Page, word int) *Page {
	if pg.Addr < freedBase {
		return nil
	}
	return m.Page((pg.Addr - freedBase + uint64(word)<<3) >> 3 << pageShift)
}

// loseLine tells a search that the line of a is not what it may have been taken
// for: a load there is a fault or not, depending on when it comes.
func (m *Memory) loseLine(pg *Page, a uint64) {
	if pg.Private {
		m.trespass = pg
	}
	if pg.Varies != nil {
		for w := range uint64(LineSize / 8) {
			m.vary(pg, int(a>>3+w)&(wordsPerPage-1))
		}
	}
}

// renew gives a page whose word i has changed a new Version, where decoded blocks
// depend on it: they must be fetched again, too, if a line of theirs was freed or
// is no longer.
func (m *Memory) renew(pg *Page, i int) {
	if pg.Code {
		pg.Version = m.nextVersion()
	}
	if of := m.FreedPage(pg, i); of != nil && of.Code {
		of.Version = m.nextVersion()
	}
}
