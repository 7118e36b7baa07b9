package vmm

import (
	"spinlab/mem"
)

const (
	lineWords    = mem.LineSize / 8
	linesPerPage = mem.PageSize / mem.LineSize
)

// memory moves the pages of a VM in address order. A page is its address (8
// bytes), permissions, whether it is private and whose (1 each), a bit for each
// line that is not all zero and a bit for each line that somebody holds (8
// each); then the owner (1), the sharers and until when it is busy (8 each) of
// the latter lines, then the words of the former.
func (c *codec) memory(m *mem.Memory) {
	pages := m.Pages()
	n := c.length(len(pages))
	next := uint64(0)
	for i := range n {
		var pg *mem.Page
		if !c.load {
			pg = pages[i]
		} else if pg = c.newPage(m, next); pg == nil {
			return
		}
		next = pg.Addr + 1
		c.page(pg)
	}
}

// newPage reads the head of a page and maps it, nil after an error. Its address
// must be at least least.
func (c *codec) newPage(m *mem.Memory, least uint64) *mem.Page {
	if len(c.buf) < 8 {
		c.fail("its body ends too early")
		return nil
	}
	addr := uint64(0)
	c.word(&addr, 8)
	if addr%mem.PageSize != 0 || addr < least {
		c.fail("page %#x is out of order", addr)
		return nil
	}
	if err := m.Map(addr, mem.PageSize, 0); err != nil {
		c.fail("%w", err)
		return nil
	}
	return m.Page(addr)
}

func (c *codec) page(pg *mem.Page) {
	perm, private, holder := uint64(pg.Perm), uint64(0), uint64(pg.Holder)
	if pg.Private {
		private = 1
	}
	var full, held uint64
	if !c.load {
		c.word(&pg.Addr, 8)
		full, held = inUse(pg)
	}
	c.word(&perm, 1)
	c.word(&private, 1)
	c.word(&holder, 1)
	c.word(&full, 8)
	c.word(&held, 8)
	if c.load {
		c.limit(permType, perm)
		pg.Perm, pg.Private, pg.Holder = mem.Perm(perm), private != 0, uint8(holder)
	}
	for line := range linesPerPage {
		if held>>line&1 != 0 {
			c.holders(pg, line)
		}
	}
	for line := range linesPerPage {
		if full>>line&1 != 0 {
			for i := range lineWords {
				c.word(&pg.W[line*lineWords+i], 8)
			}
		}
	}
}

// holders moves what the directory knows of a line.
func (c *codec) holders(pg *mem.Page, line int) {
	owner, busy := uint64(pg.Owner[line]), uint64(0)
	if pg.Busy != nil {
		busy = pg.Busy[line]
	}
	c.word(&owner, 1)
	c.word(&pg.Sharers[line], 8)
	c.word(&busy, 8)
	pg.Owner[line] = uint8(owner)
	if c.load && busy != 0 {
		if pg.Busy == nil {
			pg.Busy = new([linesPerPage]mem.Cycles)
		}
		pg.Busy[line] = busy
	}
}

// inUse gives a bit for each line that is not all zero, and for each that some
// core holds.
func inUse(pg *mem.Page) (full, held uint64) {
	for line := range linesPerPage {
		words := [lineWords]uint64(pg.W[line*lineWords:])
		if words != [lineWords]uint64{} {
			full |= 1 << line
		}
		if pg.Sharers[line] != 0 || pg.Owner[line] != 0 || pg.Busy != nil && pg.Busy[line] != 0 {
			held |= 1 << line
		}
	}
	return full, held
}
