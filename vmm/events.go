package vmm

import "spinlab/mem"

// The events that cost next to nothing: Config.Events gets them from cores that
// run ahead as from cores that are observed. Those of one pCPU come in order of
// time, and so do those of one vCPU.

// What Event.Spent says; the cycle fields of a report are the sums.
const (
	SpentRun    = "run"    // in the guest, waits for lines and buffers included
	SpentReady  = "ready"  // runnable, but the pCPU is another's
	SpentHalted = "halted" // asleep, or not started yet
	SpentHost   = "host"   // exits and context switches
	SpentDone   = "done"   // after its end
)

// Hooks are the functions of a Config, for a machine that was loaded.
type Hooks struct {
	Symbolize, Line func(addr uint64) string
	Observe, Events func(*Event)
}

// Listen replaces the hooks of a machine that does not run.
func (m *Machine) Listen(h Hooks) {
	m.cfg.Symbolize, m.cfg.Line, m.cfg.Observe, m.cfg.Events = h.Symbolize, h.Line, h.Observe, h.Events
	for _, v := range m.VCPUs {
		m.hook(v)
	}
}

// hook makes v tell what the configuration wants to hear.
func (m *Machine) hook(v *VCPU) {
	v.Core.Plain = m.cfg.Observe != nil
	v.books.closed = nil
	if m.cfg.Events == nil {
		return
	}
	v.books.closed = func(in cycleKind, from, to mem.Cycles) {
		if m.booting {
			return
		}
		m.cfg.Events(&Event{Kind: EventSpent, Time: to, From: from, Spent: in.String(),
			VM: v.VM.Index, VCPU: v.Index, PCPU: v.pcpu, RIP: v.Core.RIP})
	}
}

// tell reports an event of v at a time of its own to those who want no
// instructions.
func (m *Machine) tell(kind EventKind, v *VCPU, at mem.Cycles) {
	if m.cfg.Events == nil || m.booting {
		return
	}
	m.cfg.Events(&Event{Kind: kind, Time: at, VM: v.VM.Index, VCPU: v.Index, PCPU: v.pcpu, RIP: v.Core.RIP})
}
