package vmm

import (
	"fmt"

	"spinlab/mem"
)

// A timeline shows who ran where and when. It has two forms, both fed by
// Config.Events and both of bounded size in memory:
//
//	timeline_trace.go  the Chrome trace event format, which Perfetto opens
//	timeline_text.go   a picture for a terminal, one row a pCPU

// Timeline takes the events of a run and draws them.
type Timeline interface {
	// Event is the machine's hook: see Hooks.
	Event(*Event)
	// Close ends the timeline after the run's report was made.
	Close() error
}

// shape is what a timeline knows of its machine.
type shape struct {
	mhz    uint64 // at least 1
	pcpus  int
	vcpus  []int      // of each VM
	first  []int      // number of each VM's first vCPU among all
	start  mem.Cycles // when the events begin
	symbol func(addr uint64) string
}

func shapeOf(m *Machine) shape {
	s := shape{mhz: max(m.cfg.Profile.MHz, 1), pcpus: len(m.Ports), start: m.present(), symbol: m.symbol}
	for _, vm := range m.VMs {
		s.vcpus = append(s.vcpus, len(vm.VCPUs))
		s.first = append(s.first, vm.VCPUs[0].ID)
	}
	return s
}

// present is the time that the machine has reached: 0 before it begins, and at
// a pause that of the core which is the furthest behind.
func (m *Machine) present() mem.Cycles {
	if m.sched == nil || m.booting {
		return 0
	}
	now := mem.Never
	for _, v := range m.VCPUs {
		if v.pcpu >= 0 {
			now = min(now, v.Core.Now)
		}
	}
	if now == mem.Never {
		return m.sched.now
	}
	return now
}

// id numbers the vCPUs of all VMs.
func (s *shape) id(vm, vcpu int) int { return s.first[vm] + vcpu }

// name is short: "v1", or "m0v1" on a machine of several VMs.
func (s *shape) name(vm, vcpu int) string {
	if len(s.vcpus) == 1 {
		return fmt.Sprintf("v%d", vcpu)
	}
	return fmt.Sprintf("m%dv%d", vm, vcpu)
}

// picoseconds of a time. Cycles that differ differ here too, up to 10^6 MHz.
func (s *shape) picoseconds(t mem.Cycles) uint64 {
	const perMicro = 1_000_000
	return t/s.mhz*perMicro + t%s.mhz*perMicro/s.mhz
}
