package explore

import "spinlab/vmm"

// memo remembers what actions do that look at nothing but their vCPU and
// shared memory: the same blocks give the same blocks, whatever the other
// vCPUs are doing. Most states are new combinations of known blocks, and most
// of what can happen in them has happened before.
//
// Two kinds of action look further, and still are remembered. One that enters a
// critical section looks whether another vCPU is inside a lock: what it does is
// known where none is. One that kicks changes its target, by something that
// depends on the target's block alone.
type memo struct {
	entries []memoEntry
	n       int
}

// memoEntry is a known action: from two block numbers to two others.
type memoEntry struct {
	vcpu, memory     uint32
	who              uint32 // key of the action (memoWho), and above it what else it does; 0 is a free entry
	toVCPU, toMemory uint32
}

const (
	memoWho    = 1<<16 - 1
	memoEnters = 1 << 16 // it enters a critical section
	memoKicks  = 24      // a shift: the vCPU that it kicks, plus 1
)

// still as toVCPU means that the action waits for its store buffer.
const still = 1<<32 - 1

func newMemo() memo { return memo{entries: make([]memoEntry, 1<<10)} }

// who is the key of an action besides the blocks that it starts from.
func (s *search) who(a vmm.Action) uint32 {
	if s.alike {
		return uint32(a.Kind)<<8 + 1
	}
	return uint32(a.Kind)<<8 + uint32(a.VCPU) + 1
}

// start is where the entry of an action may be at first.
func (m *memo) start(who, vcpu, memory uint32) uint64 {
	return mix(mix(uint64(who), uint64(vcpu)), uint64(memory)) & uint64(len(m.entries)-1)
}

// find gives the entry of an action, or the free one where it belongs.
func (m *memo) find(who, vcpu, memory uint32) *memoEntry {
	mask := uint64(len(m.entries) - 1)
	for i := m.start(who, vcpu, memory); ; i = (i + 1) & mask {
		e := &m.entries[i]
		if e.who == 0 || e.vcpu == vcpu && e.memory == memory && e.who&memoWho == who {
			return e
		}
	}
}

// add remembers what an action has done.
func (m *memo) add(e memoEntry) {
	to := m.find(e.who&memoWho, e.vcpu, e.memory)
	if to.who != 0 {
		return
	}
	*to = e
	if m.n++; 2*m.n <= len(m.entries) {
		return
	}
	old := m.entries
	m.entries = make([]memoEntry, 2*len(old))
	for _, e := range old {
		if e.who != 0 {
			*m.find(e.who&memoWho, e.vcpu, e.memory) = e
		}
	}
}

func (m *memo) bytes() uint64 { return 20 * uint64(len(m.entries)) }

// outcome is what is known of an action before it is tried.
type outcome uint8

const (
	unknown outcome = iota
	waits           // for its store buffer
	moves
)

// foresee makes next the tuple that a leads to from that of row, if that is
// known. It changes nothing else: workers call it side by side.
func (s *search) foresee(next, row []uint32, a vmm.Action) outcome {
	n := len(next) - 1
	e := s.memo.find(s.who(a), row[a.VCPU], row[n])
	switch {
	case e.who == 0:
		return unknown
	case e.toVCPU == still:
		return waits
	case e.who&memoEnters != 0 && s.occupied(row[:n], int(a.VCPU)):
		return unknown
	}
	copy(next, row[:n+1])
	next[a.VCPU], next[n] = e.toVCPU, e.toMemory
	if k := e.who >> memoKicks; k != 0 {
		to := s.traits[row[k-1]].kicked
		if to == 0 {
			return unknown
		}
		next[k-1] = to - 1
	}
	return moves
}

// occupied says whether one of the others holds a lock.
func (s *search) occupied(vcpus []uint32, except int) bool {
	for i, id := range vcpus {
		if i != except && s.traits[id].holds {
			return true
		}
	}
	return false
}

// remember notes what an action has done: next is where it led. What may fill a
// store buffer is tried each time, so that it is seen.
func (s *search) remember(at uint32, a vmm.Action, e *vmm.Effect) {
	if !e.Apart || e.Overflow || e.Kicks != 0 && s.alike {
		return
	}
	row, n := s.states.row(at), s.w.N()
	known := memoEntry{who: s.who(a), vcpu: row[a.VCPU], memory: row[n], toVCPU: still}
	if e.Moved {
		known.toVCPU, known.toMemory = s.next[a.VCPU], s.next[n]
	}
	if e.Enters {
		known.who |= memoEnters
	}
	if e.Kicks != 0 {
		known.who |= uint32(e.Kicks) << memoKicks
		s.traits[row[e.Kicks-1]].kicked = s.next[e.Kicks-1] + 1
	}
	s.memo.add(known)
}
