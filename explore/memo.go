package explore

import "spinlab/vmm"

// memo remembers what actions do that look at nothing but their vCPU and
// shared memory: the same blocks give the same blocks, whatever the other
// vCPUs are doing. Most states are new combinations of known blocks, and most
// of what can happen in them has happened before.
type memo struct {
	entries []memoEntry
	n       int
}

// memoEntry is a known action: from two block numbers to two others.
type memoEntry struct {
	vcpu, memory     uint32
	who              uint32 // slot and kind of action, plus 1; 0 is a free entry
	toVCPU, toMemory uint32
}

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

// find gives the entry of an action, or the free one where it belongs.
func (m *memo) find(who, vcpu, memory uint32) *memoEntry {
	mask := uint64(len(m.entries) - 1)
	for i := mix(mix(uint64(who), uint64(vcpu)), uint64(memory)) & mask; ; i = (i + 1) & mask {
		e := &m.entries[i]
		if e.who == 0 || e.vcpu == vcpu && e.memory == memory && e.who == who {
			return e
		}
	}
}

// add remembers what an action has done.
func (m *memo) add(e memoEntry) {
	*m.find(e.who, e.vcpu, e.memory) = e
	if m.n++; 2*m.n <= len(m.entries) {
		return
	}
	old := m.entries
	m.entries = make([]memoEntry, 2*len(old))
	for _, e := range old {
		if e.who != 0 {
			*m.find(e.who, e.vcpu, e.memory) = e
		}
	}
}

func (m *memo) bytes() uint64 { return 20 * uint64(len(m.entries)) }
