package mem

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Cycles counts virtual time in cycles of the simulated machine.
type Cycles = uint64

// Never is a time that does not come: the ready time of a store that only a
// drain commits, the budget of a run without a time limit.
const Never Cycles = 1<<64 - 1

// Sizes of the x86 page and cache line, in bytes.
const (
	PageSize = 4096
	LineSize = 64

	pageShift    = 12
	wordsPerPage = PageSize / 8
	linesPerPage = PageSize / LineSize
)

// Perm is a set of page permissions.
type Perm uint8

// The permissions of a page. There is no guest paging: these stand for what a
// hypervisor's shadow page tables would allow.
const (
	Read Perm = 1 << iota
	Write
	Exec
	// Freed marks pages with lines that the guest gave back: see Free.
	Freed
)

// Page is one 4 KiB page of guest memory with the directory of its lines.
// Words are little-endian, as the guest sees them.
//
// The words are an object of exactly 4 KiB, which the Go allocator aligns to
// 4 KiB: a guest address and the host address of its word then agree in their
// low 12 bits, and a core's own state can be laid where it does not collide
// with busy guest addresses (hosts take a load for dependent on an earlier
// store that agrees in these bits; it cost a load 5 ns).
type Page struct {
	Addr    uint64 // address of the first byte
	Version uint64 // a new number for every write while Code is set
	Perm    Perm
	Code    bool                       // decoded blocks exist: writes must give a new Version
	Private bool                       // seen by one vCPU only: plain stores bypass the buffer
	Holder  uint8                      // whose, if private: a core's number
	Varies  *[wordsPerPage / 64]uint64 // words that are ever written, a bit each; nil: any may be

	Owner   [linesPerPage]uint8   // core+1 that holds it modified or exclusive, 0: nobody
	Sharers [linesPerPage]uint64  // bit c: core c holds a copy
	Busy    *[linesPerPage]Cycles // until when a line serves a request; nil: none so far
	W       *[wordsPerPage]uint64
}

// Memory is the guest-physical memory of one VM. The zero value is not ready:
// use New.
type Memory struct {
	pages   map[uint64]*Page
	free    []*Page // pages of an earlier life, for Reset
	limit   int     // most pages that may be mapped
	version uint64  // last Version handed out
	epoch   uint64  // moves when a cached translation may be stale
	pokes   uint64  // moves when the host changes bytes or takes lines away
	logging bool
	log     []undo
	freed   bool // some line was given back

	// BeforeCode, if not nil, is told before bytes change on a page with decoded
	// code.
	BeforeCode func()

	hideConstants bool     // loads of words that nobody writes are private
	trespass      *Page    // see Trespass
	surprise      []uint64 // see Surprises
}

// ErrLimit is what Map returns, wrapped, when the memory limit would be passed.
var ErrLimit = errors.New("guest memory limit")

// DefaultLimit is how many bytes a VM may map unless SetLimit says otherwise.
const DefaultLimit = 256 << 20

// New gives an empty memory that may grow to DefaultLimit bytes.
func New() *Memory {
	return &Memory{pages: make(map[uint64]*Page), limit: DefaultLimit / PageSize, epoch: 1}
}

// SetLimit sets how many bytes may be mapped, rounded down to whole pages.
func (m *Memory) SetLimit(bytes uint64) { m.limit = int(bytes / PageSize) }

// Reset unmaps everything and keeps the pages for later Map calls, so that a
// driver that runs many small programs does not allocate for each.
func (m *Memory) Reset() {
	for _, pg := range m.pages {
		m.free = append(m.free, pg)
	}
	clear(m.pages)
	m.log, m.logging, m.freed = m.log[:0], false, false
	m.epoch++
}

// Map makes the pages that hold [addr, addr+size) accessible with perm. Pages
// that exist keep their bytes and take the new permissions. It returns
// ErrLimit, wrapped, when the limit would be passed.
func (m *Memory) Map(addr, size uint64, perm Perm) error {
	if size == 0 {
		return nil
	}
	first, last := addr>>pageShift, (addr+size-1)>>pageShift
	if last < first {
		return fmt.Errorf("map %#x, %d bytes: wraps around the address space", addr, size)
	}
	if n := last - first + 1; n > uint64(m.limit) || len(m.pages)+int(n) > m.limit && m.missing(first, last) > m.limit-len(m.pages) {
		return fmt.Errorf("map %#x, %d bytes: %w of %d bytes", addr, size, ErrLimit, m.limit*PageSize)
	}
	for i := first; ; i++ {
		pg := m.pages[i]
		if pg == nil {
			pg = m.newPage(i)
		}
		pg.Perm = perm
		if i == last {
			break
		}
	}
	m.freed = m.freed || addr >= freedBase
	m.epoch++
	return nil
}

func (m *Memory) missing(first, last uint64) (n int) {
	for i := first; ; i++ {
		if m.pages[i] == nil {
			n++
		}
		if i == last {
			return n
		}
	}
}

func (m *Memory) newPage(index uint64) *Page {
	var pg *Page
	if n := len(m.free); n > 0 {
		pg = m.free[n-1]
		m.free = m.free[:n-1]
		*pg.W = [wordsPerPage]uint64{}
		*pg = Page{W: pg.W}
	} else {
		pg = &Page{W: new([wordsPerPage]uint64)}
	}
	pg.Addr = index << pageShift
	pg.Version = m.nextVersion()
	m.pages[index] = pg
	return pg
}

// nextVersion gives a number that no page of this memory ever had, so that a
// rolled-back version can come back without meaning other bytes.
func (m *Memory) nextVersion() uint64 {
	m.version++
	return m.version
}

// CodeVersion moves whenever a page with decoded code gets another Version.
func (m *Memory) CodeVersion() uint64 { return m.version }

// Page returns the page that holds addr, or nil when nothing is mapped there.
func (m *Memory) Page(addr uint64) *Page { return m.pages[addr>>pageShift] }

// Pages returns all mapped pages in address order.
func (m *Memory) Pages() []*Page {
	all := make([]*Page, 0, len(m.pages))
	for _, pg := range m.pages {
		all = append(all, pg)
	}
	slices.SortFunc(all, func(a, b *Page) int {
		if a.Addr < b.Addr {
			return -1
		}
		return 1
	})
	return all
}

// SetPrivate marks the pages of [addr, addr+size) as seen by one vCPU only.
func (m *Memory) SetPrivate(addr, size uint64, private bool) {
	for a := addr &^ (PageSize - 1); a < addr+size; a += PageSize {
		if pg := m.Page(a); pg != nil {
			pg.Private = private
		}
	}
	m.epoch++
}

// MarkCode notes that decoded blocks of this page exist: from now on every
// write gives the page a new Version.
func (m *Memory) MarkCode(pg *Page) {
	if !pg.Code {
		pg.Code = true
		m.epoch++
	}
}

// Peek copies committed bytes at addr into dst, ignoring permissions, and
// returns how many were mapped before the first hole.
func (m *Memory) Peek(addr uint64, dst []byte) int {
	for i := range dst {
		pg := m.Page(addr + uint64(i))
		if pg == nil {
			return i
		}
		a := addr + uint64(i)
		dst[i] = byte(pg.W[a>>3&(wordsPerPage-1)] >> (a & 7 * 8))
	}
	return len(dst)
}

// PeekUint reads n committed bytes, n at most 8, little-endian; unmapped bytes
// read as zero.
func (m *Memory) PeekUint(addr uint64, n int) (v uint64) {
	var b [8]byte
	m.Peek(addr, b[:n])
	for i := n - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

// Poke writes bytes as a loader does, ignoring permissions and buffers. It
// returns how many were mapped before the first hole.
func (m *Memory) Poke(addr uint64, src []byte) int {
	m.pokes++
	for i := 0; i < len(src); {
		a := addr + uint64(i)
		pg := m.Page(a)
		if pg == nil {
			return i
		}
		for i < len(src) && a&^(PageSize-1) == pg.Addr {
			if n := a & 7; n == 0 && len(src)-i >= 8 {
				m.writeWord(pg, int(a>>3)&(wordsPerPage-1), binary.LittleEndian.Uint64(src[i:]), ^uint64(0))
				i, a = i+8, a+8
				continue
			}
			sh := a & 7 * 8
			m.writeWord(pg, int(a>>3)&(wordsPerPage-1), uint64(src[i])<<sh, 0xff<<sh)
			i, a = i+1, a+1
		}
	}
	return len(src)
}

// Fill sets every byte of the mapped pages in [addr, addr+size) to b, in whole
// words; addr and size are multiples of 8.
func (m *Memory) Fill(addr, size uint64, b byte) {
	m.pokes++
	v := uint64(b) * 0x0101010101010101
	for a := addr; a < addr+size; a += 8 {
		if pg := m.Page(a); pg != nil {
			for end := min(pg.Addr+PageSize, addr+size); a < end; a += 8 {
				m.writeWord(pg, int(a>>3)&(wordsPerPage-1), v, ^uint64(0))
			}
			a -= 8
		}
	}
}

// writeWord merges the masked bits of v into word i of pg. Every write to
// guest memory that is not a port's fast path ends here: undo log and code
// versions have one place.
func (m *Memory) writeWord(pg *Page, i int, v, mask uint64) {
	if pg.Code && m.BeforeCode != nil {
		m.BeforeCode()
	}
	old := pg.W[i]
	if pg.Varies != nil {
		m.vary(pg, i)
	}
	if m.logging {
		m.log = append(m.log, undo{pg, i, old, pg.Version})
	}
	pg.W[i] = old&^mask | v&mask
	m.renew(pg, i)
}
