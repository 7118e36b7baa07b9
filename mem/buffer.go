package mem

// BufferSlots is the capacity of a store buffer in entries. Intel documents 42
// or more for recent cores; no property of TSO depends on it, and a checker
// that ever fills it says "bounded".
const BufferSlots = 16

// Entry is one buffered store: Size bytes (1 to 8) at Addr, all in one line.
type Entry struct {
	Addr, Data uint64
	Ready      Cycles // when its line has been won; Never: only a drain commits it
	Size       uint8
}

// StoreBuffer is the FIFO of one core. It is a plain value: copying it copies
// the buffered stores.
type StoreBuffer struct {
	Slot [BufferSlots]Entry
	Seen uint64 // one bit a word hash: a clear bit means no entry touches that word
	Head uint8
	N    uint8
}

// wordBit is the bit of the presence filter for the 8-byte word that holds a.
func wordBit(a uint64) uint64 { return 1 << (a >> 3 & 63) }

// touch gives the filter bits of the one or two words that [a, a+n) covers.
func touch(a, n uint64) uint64 { return wordBit(a) | wordBit(a+n-1) }

// At returns the i-th entry, counted from the oldest.
func (b *StoreBuffer) At(i int) *Entry { return &b.Slot[(int(b.Head)+i)&(BufferSlots-1)] }

// push adds the youngest entry; the caller has made sure that there is room.
func (b *StoreBuffer) push(e Entry) {
	*b.At(int(b.N)) = e
	b.N++
	b.Seen |= touch(e.Addr, uint64(e.Size))
}

// pop removes and returns the oldest entry.
func (b *StoreBuffer) pop() Entry {
	e := *b.At(0)
	b.Slot[b.Head] = Entry{} // equal buffers are equal values
	b.Head = (b.Head + 1) & (BufferSlots - 1)
	b.N--
	if b.N == 0 {
		b.Seen, b.Head = 0, 0
	}
	return e
}

// MayOvertake says whether the i-th entry may reach memory before those in front
// of it on a machine without TSO: none of them touches its bytes.
func (b *StoreBuffer) MayOvertake(i int) bool {
	x := b.At(i)
	for j := range i {
		if e := b.At(j); e.Addr < x.Addr+uint64(x.Size) && x.Addr < e.Addr+uint64(e.Size) {
			return false
		}
	}
	return true
}

// advance makes the i-th entry the oldest one; the others keep their order.
func (b *StoreBuffer) advance(i int) {
	x := *b.At(i)
	for ; i > 0; i-- {
		*b.At(i) = *b.At(i - 1)
	}
	*b.At(0) = x
}

// LastReady is when the youngest entry will be ready, 0 for an empty buffer.
func (b *StoreBuffer) LastReady() Cycles {
	if b.N == 0 {
		return 0
	}
	return b.At(int(b.N) - 1).Ready
}

// forward overlays the buffered bytes of [a, a+n) on v, oldest entry first, so
// that each byte comes from the youngest store that covers it.
func (b *StoreBuffer) forward(a, n, v uint64) uint64 {
	if b.Seen&touch(a, n) == 0 {
		return v
	}
	for i := range int(b.N) {
		e := b.At(i)
		d := int64(e.Addr - a)
		switch {
		case d >= int64(n) || d <= -int64(e.Size):
		case d >= 0:
			m := sizeMask(uint64(e.Size)) << (d * 8)
			v = v&^m | e.Data<<(d*8)&m
		default:
			m := sizeMask(uint64(e.Size)) >> (-d * 8)
			v = v&^m | e.Data>>(-d*8)&m
		}
	}
	return v & sizeMask(n)
}

// covers says whether some entry touches [a, a+n).
func (b *StoreBuffer) covers(a, n uint64) bool {
	for i := range int(b.N) {
		e := b.At(i)
		if e.Addr < a+n && a < e.Addr+uint64(e.Size) {
			return true
		}
	}
	return false
}

// masks has 16 entries so that an index of four bits needs no bounds check.
var masks = [16]uint64{0, 0xff, 0xffff, 0xffffff, 1<<32 - 1, 1<<40 - 1, 1<<48 - 1, 1<<56 - 1, 1<<64 - 1}

// sizeMask has the low n bytes set, n from 0 to 8.
func sizeMask(n uint64) uint64 { return masks[n&15] }
