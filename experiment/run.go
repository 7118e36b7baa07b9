package experiment

import (
	"fmt"

	"spinlab/guestcode"
	"spinlab/vmm"
)

// Stats are the guest's own counters, as the patch series keeps them in
// debugfs: all VMs together.
type Stats struct {
	TakenSlow          uint64 `json:"taken_slow"`           // slow path entered by a locker
	TakenSlowPickup    uint64 `json:"taken_slow_pickup"`    // and the lock was free after all
	ReleasedSlow       uint64 `json:"released_slow"`        // slow path entered by an unlocker
	ReleasedSlowKicked uint64 `json:"released_slow_kicked"` // and it kicked somebody
}

// Result is the report of a run with what the guest's memory adds to it.
type Result struct {
	vmm.Report
	Stats *Stats   `json:"stats,omitempty"` // nil if the program does not count
	Locks []string `json:"locks,omitempty"` // unless done: the lock's first bytes in each VM, hex in memory order
	Wants []Want   `json:"wants,omitempty"` // unless done: who waits for which ticket
}

// Want is what a vCPU has published in its struct kvm_lock_waiting.
type Want struct {
	VM     int    `json:"vm"`
	VCPU   int    `json:"vcpu"`
	Lock   string `json:"lock"`
	Ticket uint64 `json:"ticket"`
}

// lockBytes is how much of a lock is shown: the widest pair of tickets.
const lockBytes = 4

// VMs makes the VMs of a configuration: n equal ones that run p.
func VMs(p *guestcode.Program, n, vcpus int) []vmm.VMConfig {
	list := make([]vmm.VMConfig, n)
	img := Image(p, vcpus)
	for i := range list {
		list[i] = vmm.VMConfig{VCPUs: vcpus, Image: img}
	}
	return list
}

// Run runs p on a machine of that configuration and reports.
func Run(p *guestcode.Program, cfg vmm.Config) (*Result, error) {
	if cfg.Symbolize == nil {
		cfg.Symbolize = func(addr uint64) string { return Symbol(p.Object, addr) }
	}
	m, err := vmm.NewMachine(cfg)
	if err != nil {
		return nil, err
	}
	r := &Result{Report: m.Run()}
	r.Target = p.Name
	if p.Stats != 0 {
		r.Stats = readStats(m, p.Stats)
	}
	if r.Verdict != vmm.VerdictDone && p.Harness {
		r.look(m, p)
	}
	return r, nil
}

func readStats(m *vmm.Machine, at uint64) *Stats {
	s := &Stats{}
	for _, vm := range m.VMs {
		s.TakenSlow += vm.Mem.PeekUint(at, 4)
		s.TakenSlowPickup += vm.Mem.PeekUint(at+4, 4)
		s.ReleasedSlow += vm.Mem.PeekUint(at+8, 4)
		s.ReleasedSlowKicked += vm.Mem.PeekUint(at+12, 4)
	}
	return s
}

// look notes what the locks and the waiters were like when the machine stopped.
func (r *Result) look(m *vmm.Machine, p *guestcode.Program) {
	for _, vm := range m.VMs {
		b := make([]byte, lockBytes)
		vm.Mem.Peek(p.Lock, b)
		r.Locks = append(r.Locks, fmt.Sprintf("%x", b))
	}
	if _, ok := p.Object.Lookup("kvm_lock_spinning"); !ok {
		return
	}
	for _, w := range r.Waiting {
		area := guestcode.PerCPU(w.VCPU)
		mem := m.VMs[w.VM].Mem
		if lock := mem.PeekUint(area+guestcode.PerCPULock, 8); lock != 0 {
			r.Wants = append(r.Wants, Want{w.VM, w.VCPU, fmt.Sprintf("%#x", lock), mem.PeekUint(area+guestcode.PerCPUWant, 2)})
		}
	}
}
