package vmm

import (
	"spinlab/cpu"
	"spinlab/mem"
)

// KVM's hypercalls: number in RAX, arguments in RBX, RCX, RDX and RSI, result
// in RAX (Linux, Documentation/virtual/kvm/hypercalls.txt).
const (
	hcVAPICPollIRQ = 1
	hcKickCPU      = 5
	hcSchedYield   = 11
)

// Results, negated (include/uapi/linux/kvm_para.h).
const (
	kvmENOSYS = 1000
	kvmEPERM  = 1
)

func exitHypercall(m *Machine, v *VCPU, p *mem.Port) Next {
	if v.VM.image.Xen {
		return exitXen(m, v, p)
	}
	r := &v.Core.R
	v.yieldTo = nil
	r[cpu.RAX] = m.hypercall(v, r[cpu.RAX])
	if v.yieldTo != nil {
		return Yield
	}
	return Resume
}

func (m *Machine) hypercall(v *VCPU, number uint64) uint64 {
	if v.Core.CPL != 0 {
		return negative(kvmEPERM)
	}
	switch number {
	case hcVAPICPollIRQ: // the exit itself is the point
		return 0
	case hcKickCPU:
		v.books.kicks++
		if to := m.kickTarget(v); to != nil {
			m.Kick(v, to)
			if m.cfg.KickABI == KickMainline && m.cfg.Profile.Policy == CFS {
				v.yieldTo = to // mainline's kick ends in kvm_sched_yield
			}
		}
		return 0
	case hcSendIPI:
		return m.sendIPI(v)
	case hcSchedYield: // RBX is the APIC id; the scheduler looks whether it waits
		if i := indexOf(uint32(v.Core.R[cpu.RBX])); i >= 0 && i < len(v.VM.VCPUs) && i != v.Index {
			v.yieldTo = v.VM.VCPUs[i]
		}
		return 0
	}
	return negative(kvmENOSYS)
}

func negative(errno uint64) uint64 { return -errno }

// kickTarget finds the vCPU that KICK_CPU names, nil if there is none. The
// host keeps an int: the upper half of the register does not count. Later hosts
// kick nobody when nobody matches, and so does this one unless it has V8's bug.
func (m *Machine) kickTarget(v *VCPU) *VCPU {
	r := &v.Core.R
	index := -1
	switch m.cfg.KickABI {
	case KickV8:
		index = indexOf(uint32(r[cpu.RBX]))
	case KickV3:
		index = int(int32(r[cpu.RBX]))
	case KickMainline:
		index = indexOf(uint32(r[cpu.RCX]))
	}
	n := len(v.VM.VCPUs)
	switch {
	case index >= 0 && index < n:
		return v.VM.VCPUs[index]
	case m.cfg.HostBug == HostKickLast:
		return v.VM.VCPUs[n-1]
	}
	return nil
}
