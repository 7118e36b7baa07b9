package cpu

import (
	"unsafe"

	"spinlab/mem"
)

// Block is a straight run of decoded instructions that starts at Addr and ends
// with the first one that never goes on to the next, at a probe, or at its
// page's end. A conditional jump may leave it on the way.
type Block struct {
	Addr  uint64
	Ops   []Op
	Probe uint8 // non-zero: the block is the one instruction at a probe

	fast   []fop     // the same ops as the fast switch wants them, and fEnd
	solo   []fop     // each op to be run alone, and fEnd
	head   *fop      // the first of solo
	n      uint64    // how many ops
	turn   uint64    // how many ops one turn of a loop back to Addr takes, 0: no loop
	pre    []tally   // what the first i ops come to, i from 0 to n
	spin   *spinLoop // what is known of the loop that begins here and only looks, nil: nothing
	works  bool      // a loop that begins here does more than look
	misses uint8     // how often in a row a loop came round here that is not known to repeat itself

	page, page2 *mem.Page // where the bytes are; page2 if the last op crosses
	ver, ver2   uint64    // their versions when they were decoded
}

// tally sums ops up: cycles, and counts of 32 bits packed in pairs.
type tally struct {
	cost mem.Cycles
	ls   uint64 // loads, and stores in the upper half
	lp   uint64 // locked RMWs, and pauses in the upper half
}

// cost is what the whole block takes in cycles, lines at hand.
func (b *Block) cost() mem.Cycles { return b.pre[len(b.Ops)].cost }

// valid says whether the bytes are still what was decoded.
func (b *Block) valid() bool {
	return b.page.Version == b.ver && (b.page2 == nil || b.page2.Version == b.ver2)
}

// committed says whether no buffered store of p touches the pages of b.
func (b *Block) committed(p *mem.Port) bool {
	return p.B.N == 0 || !p.BufferedOn(b.Addr) && (b.page2 == nil || !p.BufferedOn(b.page2.Addr))
}

// maxBlock bounds a block: Off has 16 bits and a page has 4096 bytes.
const maxBlock = 64

// Code is the decoded code of one VM's memory, shared by its cores.
type Code struct {
	costs  *Costs
	probes map[uint64]uint8
	acts   uint64 // bit i: the instruction at a probe of id i is a visible action
	// RedZone is how many bytes below RSP are in use, for the watch on loads of
	// dead memory.
	RedZone uint64
	cores   int // that were made for it
	table   [codeSlots]*Block
	buf     [maxLen + 1]byte
}

const codeSlots = 1 << 10

// NewCode gives an empty cache that prices instructions by costs; nil prices
// every instruction at one cycle.
func NewCode(costs *Costs) *Code {
	if costs == nil {
		costs = new(Costs)
		for i := range costs {
			costs[i] = 1
		}
	}
	return &Code{costs: costs}
}

// Reset forgets every block and probe.
func (k *Code) Reset() {
	clear(k.table[:])
	k.probes = nil
}

// SetProbe asks that Core.OnProbe be called with id (1 to 255) whenever the
// instruction at addr retires. Probes are addresses: they cost the guest
// nothing.
func (k *Code) SetProbe(addr uint64, id uint8) {
	if k.probes == nil {
		k.probes = make(map[uint64]uint8)
	}
	k.probes[addr] = id
	clear(k.table[:])
}

func slot(rip uint64) uint64 { return (rip ^ rip>>10) & (codeSlots - 1) }

// at finds or decodes the block at rip. It returns nil when not even the first
// byte can be fetched; the port's Fault then says why. own is false when the
// port's own buffered stores supplied bytes: then the block is of this moment
// and not kept.
func (k *Code) at(p *mem.Port, rip uint64) (b *Block, st outcome) {
	b = k.table[slot(rip)]
	if b != nil && b.Addr == rip && b.valid() && b.committed(p) {
		return b, done
	}
	b, fresh, st := k.build(p, rip)
	if b != nil && fresh {
		k.table[slot(rip)] = b
		p.Sync() // marking the pages as code moved the epoch
	}
	return b, st
}

// build decodes a block. Instructions that need bytes which cannot be fetched
// end the block before them; as the first one they yield the fetch fault.
func (k *Code) build(p *mem.Port, rip uint64) (*Block, bool, outcome) {
	b := &Block{Addr: rip, Probe: k.probes[rip], Ops: make([]Op, 0, 8)}
	fresh := !p.BufferedOn(rip)
	for pc := rip; len(b.Ops) < maxBlock; {
		clear(k.buf[:])
		n, f, st := p.Fetch(pc, k.buf[:maxLen])
		if n == 0 {
			if len(b.Ops) == 0 {
				return nil, false, st
			}
			break
		}
		o := Decode(k.buf[:maxLen], pc)
		if int(o.Len) > n {
			if len(b.Ops) == 0 {
				return nil, false, st
			}
			break
		}
		fresh = fresh && (f || !p.BufferedOn(pc) && !p.BufferedOn(pc+uint64(o.Len)-1))
		if len(b.Ops) > 0 && (k.probes[pc] != 0 || (pc+uint64(o.Len)-1)>>12 != rip>>12) {
			break // probes and instructions that cross a page stand alone
		}
		k.price(&o)
		o.Off = uint16(pc - rip)
		b.Ops = append(b.Ops, o)
		pc += uint64(o.Len)
		if o.Flag&opEnd != 0 && o.Mn != JCC || b.Probe != 0 || pc>>12 != rip>>12 || !fresh { // what is not kept need not be long
			break
		}
	}
	k.seal(p, b)
	return b, fresh, done
}

// price sets the cycles of an op from the cost table.
func (k *Code) price(o *Op) {
	class := Rows[o.Mn].Class
	if o.Flag&opLock != 0 {
		o.cost = uint32(k.costs[ClassLocked])
		return
	}
	o.cost = uint32(k.costs[class])
	if class != ClassString {
		o.cost += uint32(o.nl)*uint32(k.costs[ClassLoad]) + uint32(o.ns)*uint32(k.costs[ClassStore])
	}
}

// seal sums a finished block up and ties it to its pages.
func (k *Code) seal(p *mem.Port, b *Block) {
	b.pre = make([]tally, len(b.Ops)+1)
	for i := range b.Ops {
		o, t := &b.Ops[i], b.pre[i]
		t.cost += mem.Cycles(o.cost)
		t.ls += uint64(o.nl) + uint64(o.ns)<<32
		t.lp += uint64(o.nk) + uint64(o.np)<<32
		b.pre[i+1] = t
	}
	last := &b.Ops[len(b.Ops)-1]
	end := b.Addr + uint64(last.Off) + uint64(last.Len) - 1
	b.page = p.M.Page(b.Addr)
	p.M.MarkCode(b.page)
	b.ver = b.page.Version
	if end>>12 != b.Addr>>12 {
		if b.page2 = p.M.Page(end); b.page2 != nil {
			p.M.MarkCode(b.page2)
			b.ver2 = b.page2.Version
		}
	}
	fuse(b)
}

// cursor is where the core stands: at an op of a block's solo, nowhere if head is
// nil. The op's place is a number, since to store a pointer at every instruction
// costs what the garbage collector wants to know of it.
type cursor struct {
	head *fop
	off  uintptr // of the op, in bytes from head
	// seen is Memory.CodeVersion when the block was last known to be right, or 0
	// while something needs a look between instructions: see alert.
	seen uint64
}

// standAt puts the cursor on f, an op of the solo of a block that is right.
func (c *Core) standAt(f *fop) {
	c.cur.head = f.blk.head
	c.cur.off = uintptr(f.idx) * unsafe.Sizeof(*f)
}

// op is the op at the cursor, which is somewhere.
func (k *cursor) op() *fop { return (*fop)(unsafe.Add(unsafe.Pointer(k.head), k.off)) }

// here is the op at the cursor if RIP is there, else nil.
func (c *Core) here() *fop {
	if c.cur.head == nil {
		return nil
	}
	if f := c.cur.op(); f.addr == c.RIP && f.kind != fEnd {
		return f
	}
	return nil
}

// alert makes Turn leave the next instruction to Run if there is something to
// look at before it, and readies the flags for Turn if not.
func (c *Core) alert() {
	if c.Step || !c.mayRunFast(false) {
		c.cur.seen = 0
	}
	c.keepCarry()
}

// locate finds the op at RIP.
func (c *Core) locate() (*Block, int, outcome) {
	if f := c.here(); f != nil && f.blk.valid() && f.blk.committed(c.p) {
		c.cur.seen = c.p.M.CodeVersion()
		c.alert()
		return f.blk, int(f.idx), done
	}
	b, st := c.Code.at(c.p, c.RIP)
	if c.cur = (cursor{}); b != nil {
		c.cur = cursor{b.head, 0, c.p.M.CodeVersion()}
		c.alert()
	}
	return b, 0, st
}
