package explore

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"spinlab/vmm"
)

// mix is a step of a multiplicative hash: it picks buckets, equality decides.
func mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo
}

func hashBytes(b []byte) uint64 {
	h := uint64(len(b))
	for ; len(b) >= 8; b = b[8:] {
		h = mix(h, binary.LittleEndian.Uint64(b))
	}
	var tail uint64
	for i, x := range b {
		tail |= uint64(x) << (8 * i)
	}
	return mix(h, tail)
}

// blocks numbers byte strings: equal strings, equal numbers, from 0 up.
type blocks struct {
	text  []byte
	start []uint64 // of each string; it ends where the next one starts
	slots []uint32 // open addressing: number + 1, 0 is free
}

func newBlocks() *blocks {
	return &blocks{start: []uint64{0}, slots: make([]uint32, 1<<8)}
}

func (t *blocks) n() int { return len(t.start) - 1 }

// at returns string number id; it is not to be changed.
func (t *blocks) at(id uint32) []byte { return t.text[t.start[id]:t.start[id+1]] }

// id gives the number of b.
func (t *blocks) id(b []byte) uint32 {
	mask := uint64(len(t.slots) - 1)
	i := hashBytes(b) & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if id := t.slots[i] - 1; string(t.at(id)) == string(b) {
			return id
		}
	}
	t.text = append(t.text, b...)
	t.start = append(t.start, uint64(len(t.text)))
	t.slots[i] = uint32(t.n())
	if t.n()*2 > len(t.slots) {
		t.grow()
	}
	return uint32(t.n() - 1)
}

func (t *blocks) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	mask := uint64(len(t.slots) - 1)
	for id := range t.n() {
		i := hashBytes(t.at(uint32(id))) & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(id) + 1
	}
}

func (t *blocks) bytes() uint64 {
	return uint64(cap(t.text)) + 8*uint64(cap(t.start)) + 4*uint64(len(t.slots))
}

// states numbers tuples of block numbers in the order in which they are found.
// A row has the tuple, and behind it how the state was reached first: from
// which state and by which action. Rows never move.
type states struct {
	key    int // words of the tuple
	width  int // words of a row
	count  uint32
	chunks [][]uint32
	slots  []uint32 // open addressing: number + 1, 0 is free
	marked []uint32 // tuples of a round; nil outside of one
}

// chunkRows is how many rows are allocated at once.
const chunkRows = 1 << 14

// maxStates is what the numbers of states have room for. Slots from firstMark
// up are marks: they stand for a tuple among marked that has no number yet.
const (
	maxStates = 1<<32 - 1<<26
	firstMark = maxStates + 1
)

func newStates(key int) *states {
	return &states{key: key, width: key + 2, slots: make([]uint32, 1<<10)}
}

func (t *states) row(s uint32) []uint32 {
	i := int(s%chunkRows) * t.width
	return t.chunks[s/chunkRows][i : i+t.width]
}

func (t *states) hash(key []uint32) uint64 {
	h := uint64(0)
	for i := 0; i+1 < len(key); i += 2 {
		h = mix(h, uint64(key[i])|uint64(key[i+1])<<32)
	}
	if len(key)&1 != 0 {
		h = mix(h, uint64(key[len(key)-1]))
	}
	return h
}

// add gives the number of a tuple; if it is new then from and by tell how it was
// reached.
func (t *states) add(key []uint32, from, by uint32) uint32 {
	mask := uint64(len(t.slots) - 1)
	i := t.hash(key) & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if t.is(t.slots[i], key) {
			return t.number(i, from, by)
		}
	}
	t.slots[i] = t.append(key, from, by)
	s := t.slots[i] - 1
	if t.marked == nil {
		t.fit(1)
	}
	return s
}

// is says whether what a slot holds stands for a tuple.
func (t *states) is(v uint32, key []uint32) bool {
	var k []uint32
	if v < firstMark {
		k = t.row(v - 1)
	} else {
		k = t.tuple(v - firstMark)
	}
	for j, x := range key {
		if k[j] != x {
			return false
		}
	}
	return true
}

// tuple is one of those that a round has found.
func (t *states) tuple(i uint32) []uint32 {
	return t.marked[int(i)*t.key : int(i+1)*t.key]
}

// number gives the number of the state in slot i. A mark gets the next one.
func (t *states) number(i uint64, from, by uint32) uint32 {
	v := t.slots[i]
	if v >= firstMark {
		v = t.append(t.tuple(v-firstMark), from, by)
		t.slots[i] = v
	}
	return v - 1
}

// append makes a tuple the next state and gives what goes into its slot.
func (t *states) append(key []uint32, from, by uint32) uint32 {
	s := t.count
	if s%chunkRows == 0 {
		t.chunks = append(t.chunks, make([]uint32, chunkRows*t.width))
	}
	t.count++
	row := t.row(s)
	copy(row, key)
	row[t.key], row[t.key+1] = from, by
	return s + 1
}

// claim looks for tuple number k of a round from slot i on, and enters a mark
// if it is new. Workers do so side by side: the tuple is written before.
func (t *states) claim(k uint32, i uint64) fate {
	mask := uint64(len(t.slots) - 1)
	key := t.tuple(k)
	for ; ; i = (i + 1) & mask {
		v := atomic.LoadUint32(&t.slots[i])
		if v == 0 {
			if atomic.CompareAndSwapUint32(&t.slots[i], 0, firstMark+k) {
				return fateNew | fate(i)
			}
			v = atomic.LoadUint32(&t.slots[i])
		}
		switch {
		case !t.is(v, key):
		case v >= firstMark:
			return fateNew | fate(i)
		default:
			return fateKnown | fate(v-1)
		}
	}
}

// room is how many slots there are for a number of states.
func room(states uint32) int {
	return max(1<<10, 1<<bits.Len64(2*uint64(states)-1))
}

// fit makes the table as large as its states want it.
func (t *states) fit(workers int) {
	n := room(t.count)
	if n <= len(t.slots) {
		return
	}
	t.slots = make([]uint32, n)
	var taken atomic.Uint32
	together(workers, func() {
		for c := taken.Add(1); int(c) <= len(t.chunks); c = taken.Add(1) {
			t.enter((c-1)*chunkRows, min(c*chunkRows, t.count))
		}
	})
}

// enter puts states from from to to into an empty table. Others do so, too.
func (t *states) enter(from, to uint32) {
	mask := uint64(len(t.slots) - 1)
	for s := from; s < to; s++ {
		i := t.hash(t.row(s)[:t.key]) & mask
		for !atomic.CompareAndSwapUint32(&t.slots[i], 0, s+1) {
			i = (i + 1) & mask
		}
	}
}

func (t *states) bytes() uint64 {
	return 4 * (uint64(len(t.chunks))*chunkRows*uint64(t.width) + uint64(room(t.count)))
}

// graph has the successors of every state, in order of state numbers.
type graph struct {
	chunks [][]uint32
	n      uint64
	degree []uint8 // of each state that was expanded

	labelled bool // labels of the edges are wanted, too
	labels   []uint16
}

const chunkEdges = 1 << 16

func (g *graph) add(t uint32, a vmm.Action) {
	if g.n%chunkEdges == 0 {
		g.chunks = append(g.chunks, make([]uint32, chunkEdges))
	}
	g.chunks[g.n/chunkEdges][g.n%chunkEdges] = t
	g.n++
	if g.labelled {
		g.labels = append(g.labels, label(a))
	}
}

func (g *graph) at(i uint64) uint32 { return g.chunks[i/chunkEdges][i%chunkEdges] }

func (g *graph) label(i uint64) uint16 { return g.labels[i] }

func (g *graph) bytes() uint64 {
	return uint64(len(g.chunks))*chunkEdges*4 + uint64(cap(g.degree)+2*cap(g.labels))
}
