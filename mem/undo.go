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
	}
	m.log = m.log[:k]
}

// Changes returns the runs of bytes that differ between the base pages and
// now, in address order; base maps a page address to its earlier words. Pages
// without an entry in base count as having been zero.
func (m *Memory) Changes(base map[uint64]*[wordsPerPage]uint64) []Run {
	var zero [wordsPerPage]uint64
	var runs []Run
	for _, pg := range m.Pages() {
		old := base[pg.Addr]
		if old == nil {
			old = &zero
		}
		if *old == pg.W {
			continue
		}
		for i := range PageSize {
			sh := uint(i&7) * 8
			b := byte(pg.W[i>>3] >> sh)
			if b == byte(old[i>>3]>>sh) {
				continue
			}
			a := pg.Addr + uint64(i)
			if n := len(runs); n > 0 && runs[n-1].Addr+uint64(len(runs[n-1].Bytes)) == a {
				runs[n-1].Bytes = append(runs[n-1].Bytes, b)
			} else {
				runs = append(runs, Run{a, []byte{b}})
			}
		}
	}
	return runs
}

// Run is a run of neighbouring bytes.
type Run struct {
	Addr  uint64
	Bytes []byte
}

// Image copies the words of every mapped page, for Changes.
func (m *Memory) Image() map[uint64]*[wordsPerPage]uint64 {
	img := make(map[uint64]*[wordsPerPage]uint64, len(m.pages))
	for _, pg := range m.Pages() {
		w := pg.W
		img[pg.Addr] = &w
	}
	return img
}
