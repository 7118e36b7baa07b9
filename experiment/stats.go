package experiment

import (
	"spinlab/guestcode"
	"spinlab/mem"
	"spinlab/vmm"
)

// Stats are the guest's own counters, as the patch series keeps them in
// debugfs: all VMs together. What the program does not collect is absent.
type Stats struct {
	TakenSlow          uint64   `json:"taken_slow"`                    // slow path entered by a locker
	TakenSlowPickup    uint64   `json:"taken_slow_pickup"`             // and the lock was free after all
	TakenSlowSpurious  *uint64  `json:"taken_slow_spurious,omitempty"` // Xen: woken without an event
	ReleasedSlow       uint64   `json:"released_slow"`                 // slow path entered by an unlocker
	ReleasedSlowKicked uint64   `json:"released_slow_kicked"`          // and it kicked somebody
	TimeBlocked        *uint64  `json:"time_blocked,omitempty"`        // time in the slow path of lockers, in cycles
	HistoBlocked       []uint64 `json:"histo_blocked,omitempty"`       // its stays by length: [2^i, 2^(i+1)) cycles, the last one longer
}

// histoBuckets is HISTO_BUCKETS + 1 of the patches.
const histoBuckets = 31

// ReadStats reads the counters of p in all VMs, nil if it has none. Where they
// are in spinlock_stats is what the symbols of the source say.
func ReadStats(m *vmm.Machine, p *guestcode.Program) *Stats {
	if p.Stats == 0 {
		return nil
	}
	s := &Stats{}
	for name, to := range map[string]*uint64{
		"TAKEN_SLOW": &s.TakenSlow, "TAKEN_SLOW_PICKUP": &s.TakenSlowPickup,
		"RELEASED_SLOW": &s.ReleasedSlow, "RELEASED_SLOW_KICKED": &s.ReleasedSlowKicked,
	} {
		if x := sumOf(m, p, name, 4); x != nil {
			*to = *x
		}
	}
	s.TakenSlowSpurious = sumOf(m, p, "TAKEN_SLOW_SPURIOUS", 4)
	histo, ok := p.Object.Lookup("HISTO_SPIN_BLOCKED")
	if _, full := p.Object.Lookup("zero_stats"); !ok || !full {
		return s
	}
	s.HistoBlocked = make([]uint64, histoBuckets)
	for _, vm := range m.VMs {
		for i := range s.HistoBlocked {
			s.HistoBlocked[i] += vm.Mem.PeekUint(p.Stats+histo.Addr+4*uint64(i), 4)
		}
	}
	s.TimeBlocked = new(uint64)
	for _, vm := range m.VMs {
		*s.TimeBlocked += vm.Mem.PeekUint((p.Stats+histo.Addr+4*histoBuckets+7)&^7, 8)
	}
	return s
}

// sumOf adds up a field of spinlock_stats over the VMs, nil if there is none.
func sumOf(m *vmm.Machine, p *guestcode.Program, field string, size int) *uint64 {
	off, ok := p.Object.Lookup(field)
	if !ok {
		return nil
	}
	var sum uint64
	for _, vm := range m.VMs {
		sum += vm.Mem.PeekUint(p.Stats+off.Addr, size)
	}
	return &sum
}

// ZeroStats is the task of a user who writes 1 to zero_stats in debugfs at that
// time, in every VM. It says whether the program looks at it.
func ZeroStats(p *guestcode.Program, at mem.Cycles) (vmm.Task, bool) {
	s, ok := p.Object.Lookup("zero_stats")
	return vmm.Task{At: at, Do: func(m *vmm.Machine, _ mem.Cycles) {
		for _, vm := range m.VMs {
			vm.Mem.Poke(s.Addr, []byte{1})
		}
	}}, ok
}
