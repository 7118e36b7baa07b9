package vmm

import (
	"slices"

	"spinlab/cpu"
	"spinlab/mem"
)

// stack is a vCPU's own stack: private memory that goes into its block, from
// the lowest live word up. What lies below RSP is dead.
type stack struct {
	low, top uint64
	pages    []*mem.Page
	dirty    uint64 // all words below are zero
}

const (
	wordShift    = 3
	wordsPerPage = mem.PageSize >> wordShift
)

func newStack(m *mem.Memory, low, size uint64) stack {
	s := stack{low: low &^ (mem.PageSize - 1), top: low + size}
	for a := s.low; a < s.top; a += mem.PageSize {
		s.pages = append(s.pages, m.Page(a))
	}
	for a := s.low; a < s.top; a += 8 { // the boot's leftovers
		s.set(m, a, 0)
	}
	s.dirty = s.top
	return s
}

func (s *stack) word(a uint64) uint64 {
	return s.pages[(a-s.low)/mem.PageSize].W[a>>wordShift&(wordsPerPage-1)]
}

func (s *stack) set(m *mem.Memory, a, v uint64) {
	m.SetWord(s.pages[(a-s.low)/mem.PageSize], int(a>>wordShift)&(wordsPerPage-1), v)
}

// live gives the address of the lowest word in use. plain is false when RSP
// points elsewhere: then any word may be in use.
func (s *stack) live(sp, redZone uint64) (low uint64, plain bool) {
	if sp < s.low || sp > s.top {
		return s.low, false
	}
	if low = sp - redZone; low < s.low || low > sp {
		low = s.low
	}
	return low &^ 7, true
}

// append writes the live words: all of them, or with an odd RSP those that are
// not zero.
func (s *stack) append(dst []byte, live uint64, plain bool) []byte {
	if plain {
		for a := live; a < s.top; a += 8 {
			dst = le.AppendUint64(dst, s.word(a))
		}
		return dst
	}
	for a := live; a < s.top; a += 8 {
		if v := s.word(a); v != 0 {
			dst = le.AppendUint64(le.AppendUint16(dst, uint16((a-s.low)>>wordShift)), v)
		}
	}
	return dst
}

// load is append backwards.
func (s *stack) load(m *mem.Memory, r *reader, live uint64, plain bool) {
	if !plain {
		for a := s.dirty; a < s.top; a += 8 {
			s.set(m, a, 0)
		}
		s.dirty = s.low
		for len(r.b) > 0 {
			a := s.low + uint64(r.u16())<<wordShift
			s.set(m, a, r.u64())
		}
		return
	}
	for a := s.dirty; a < live; a += 8 {
		s.set(m, a, 0)
	}
	s.dirty = live
	for a := live; a < s.top; a += 8 {
		s.set(m, a, r.u64())
	}
}

// sharedMemory knows every shared word that was ever written, in the order in
// which that was found out.
type sharedMemory struct {
	words []sharedWord
	index map[uint64]uint32 // address -> number in words
	pages []*mem.Page       // that have words in it, or lines that were freed
}

type sharedWord struct {
	pg   *mem.Page
	i    int
	base uint64 // its value at the start
}

// written looks through the undo log of the last action: new words are noted
// with the value that they had. It says whether shared memory was written.
func (w *Walk) written() (shared bool) {
	w.vm.Mem.Written(0, func(pg *mem.Page, i int, old uint64) {
		if pg.Private {
			w.effect.Changed |= 1 << pg.Holder
			return
		}
		shared = true
		a := pg.Addr + uint64(i)<<wordShift
		if _, ok := w.mem.index[a]; !ok {
			w.mem.index[a] = uint32(len(w.mem.words))
			w.mem.words = append(w.mem.words, sharedWord{pg, i, old})
			w.mem.touch(pg)
			w.mem.touch(w.vm.Mem.FreedPage(pg, i))
		}
	})
	// Not only now: a page may be written first and turn out to be code later,
	// and what an action is known to write is not written again.
	for _, pg := range w.mem.pages {
		w.effect.CodeWritten = w.effect.CodeWritten || pg.Code
	}
	return shared
}

// touch notes a page that is not the same in all states; nil is none.
func (s *sharedMemory) touch(pg *mem.Page) {
	if pg != nil && !slices.Contains(s.pages, pg) {
		s.pages = append(s.pages, pg)
	}
}

// AppendMemory appends the block of shared memory: the words that differ from
// the start.
func (w *Walk) AppendMemory(dst []byte) []byte {
	for n := range w.mem.words {
		x := &w.mem.words[n]
		if v := x.pg.W[x.i]; v != x.base {
			dst = le.AppendUint64(le.AppendUint32(dst, uint32(n)), v)
			if w.alike {
				w.maskShared(x.pg.Addr+uint64(x.i)<<wordShift, v)
			}
		}
	}
	return dst
}

// LoadMemory makes shared memory what AppendMemory wrote.
func (w *Walk) LoadMemory(block []byte) {
	r := reader{block}
	next := uint32(1<<32 - 1)
	if len(r.b) > 0 {
		next = r.u32()
	}
	for n := range w.mem.words {
		x := &w.mem.words[n]
		v := x.base
		if uint32(n) == next {
			v = r.u64()
			next = 1<<32 - 1
			if len(r.b) > 0 {
				next = r.u32()
			}
		}
		w.vm.Mem.SetWord(x.pg, x.i, v)
	}
}

// AppendState appends everything: what a state is.
func (w *Walk) AppendState(dst []byte) []byte {
	for i := range w.who {
		at := len(dst)
		dst = w.AppendVCPU(append(dst, 0, 0, 0, 0), i)
		le.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return w.AppendMemory(dst)
}

// Counter compares the guest's own count with what it should be; both are 0 if
// it does not count.
func (w *Walk) Counter() (got, want uint64) {
	if w.vm.image.Want == 0 && w.vm.image.Takes == nil {
		return 0, 0
	}
	c := w.vm.counter()
	return c.Got, c.Want
}

// Operand gives the address and size of an instruction's memory operand; ok is
// false if it has none or does not touch it.
func (e *Event) Operand() (addr uint64, size uint8, ok bool) {
	if e.Op == nil || e.Op.Mn == cpu.LEA || e.Op.Mn == cpu.NOP {
		return 0, 0, false
	}
	for _, a := range e.Op.Args {
		if a.Kind == cpu.ArgMem {
			return address(e.Op, e.Code, e.Before), min(a.W, 8), true
		}
	}
	return 0, 0, false
}

// Frees says whether an instruction gives memory back, and how many bytes; RDI
// is where.
func (e *Event) Frees() (n uint64, ok bool) {
	if e.Op == nil || e.Op.Mn != cpu.OUT || len(e.Code) < 2 || e.Code[len(e.Code)-1] != portFree {
		return 0, false
	}
	return e.Before.R[cpu.RSI], true
}

// OwnStack says whether addr lies in the stack of vCPU i.
func (w *Walk) OwnStack(i int, addr uint64) bool {
	s := &w.who[i].stack
	return addr >= s.low && addr < s.top
}

// Rejudge says what is wrong with the present state if nothing can happen in
// it: who waits for what, "" if all are done.
func (w *Walk) Rejudge() string {
	if w.Done() || len(w.Enabled(nil)) > 0 {
		return ""
	}
	_, why := w.Waiting()
	return why
}
