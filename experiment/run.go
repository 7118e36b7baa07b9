package experiment

import (
	"fmt"

	"spinlab/guestcode"
	"spinlab/vmm"
)

// Result is the report of a run with what the guest's memory adds to it.
type Result struct {
	vmm.Report
	Stats *Stats   `json:"stats,omitempty"` // nil if the program does not count
	Locks []string `json:"locks,omitempty"` // unless done: the lock's first bytes in each VM, hex in memory order
	Wants []Want   `json:"wants,omitempty"` // unless done: who waits for which ticket
}

// Want is what a vCPU has published in its struct kvm_lock_waiting, or the one
// that Xen guests have.
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
	return Finish(p, m), nil
}

// Finish runs a machine that p was loaded on to its end and reports.
func Finish(p *guestcode.Program, m *vmm.Machine) *Result {
	r := &Result{Report: m.Run()}
	r.Target = p.Name
	r.Stats = ReadStats(m, p)
	if r.Verdict != vmm.VerdictDone && p.Harness {
		r.look(m, p)
	}
	return r
}

// look notes what the locks and the waiters were like when the machine stopped.
func (r *Result) look(m *vmm.Machine, p *guestcode.Program) {
	for _, vm := range m.VMs {
		if vm.IsHog() {
			continue
		}
		b := make([]byte, lockBytes)
		vm.Mem.Peek(p.Lock, b)
		r.Locks = append(r.Locks, fmt.Sprintf("%x", b))
	}
	_, kvm := p.Object.Lookup("kvm_lock_spinning")
	if _, xen := p.Object.Lookup("xen_lock_spinning"); !kvm && !xen {
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
