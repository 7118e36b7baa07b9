package mem

// undo is one overwritten word and the page's version before the write.
type undo struct {
	pg      *Page
	word    int
	old     uint64
	version uint64
}

// Mark names a moment in the undo log.
type Mark int

// Mark starts or continues logging of writes and returns the present moment.
func (m *Memory) Mark() Mark {
	if !m.logging {
		m.logging = true
		m.epoch++ // fast paths do not log: drop every cached translation
	}
	return Mark(len(m.log))
}

// Rollback restores all bytes and page versions to what they were at k. The
// line directory is not part of the architecture and stays as it is.
func (m *Memory) Rollback(k Mark) {
	for i := len(m.log) - 1; i >= int(k); i-- {
		u := &m.log[i]
		u.pg.W[u.word] = u.old
		u.pg.Version = u.version
		if of := m.FreedPage(u.pg, u.word); of != nil {
			m.renew(u.pg, u.word)
		}
	}
	m.nextVersion() // for CodeVersion
	m.log = m.log[:k]
}

// Image is a copy of pages at one moment, in address order.
type Image []PageImage

// PageImage is the copy of one page.
type PageImage struct {
	Addr uint64
	W    [wordsPerPage]uint64
}

// Image copies every mapped page into reuse, which may be nil.
func (m *Memory) Image(reuse Image) Image {
	img := reuse[:0]
	for _, pg := range m.Pages() {
		img = append(img, PageImage{pg.Addr, *pg.W})
	}
	return img
}

// Run is a run of neighbouring bytes.
type Run struct {
	Addr  uint64
	Bytes []byte
}

// Changes returns the runs of bytes that differ from base, in address order.
// Pages that base lacks count as having been zero.
func (m *Memory) Changes(base Image) []Run {
	var zero [wordsPerPage]uint64
	var runs []Run
	for _, pg := range m.Pages() {
		for len(base) > 0 && base[0].Addr < pg.Addr {
			base = base[1:]
		}
		old := &zero
		if len(base) > 0 && base[0].Addr == pg.Addr {
			old = &base[0].W
		}
		if *old != *pg.W {
			runs = pg.appendChanges(runs, old)
		}
	}
	return runs
}

// appendChanges adds the bytes of pg that differ from old; a run may go on from
// the page before.
func (pg *Page) appendChanges(runs []Run, old *[wordsPerPage]uint64) []Run {
	for w := range wordsPerPage {
		if pg.W[w] == old[w] {
			continue
		}
		for i := range 8 {
			b, was := byte(pg.W[w]>>(i*8)), byte(old[w]>>(i*8))
			if b == was {
				continue
			}
			a := pg.Addr + uint64(w*8+i)
			if n := len(runs); n > 0 && runs[n-1].Addr+uint64(len(runs[n-1].Bytes)) == a {
				runs[n-1].Bytes = append(runs[n-1].Bytes, b)
			} else {
				runs = append(runs, Run{a, []byte{b}})
			}
		}
	}
	return runs
}
