package vmm

import "spinlab/cpu"

// KVM_HC_SEND_IPI (Linux, Documentation/virt/kvm/x86/hypercalls.rst and
// kvm_pv_send_ipi): RBX and RCX are a bitmap of APIC ids that begins at RDX, RSI
// is the interrupt command register's low word. It is how a guest here sends
// interrupts to others, as there is no local APIC; CPUID does not offer it.
const hcSendIPI = 10

const (
	kvmEINVAL = 22

	icrShorthand = 3<<18 | 1<<11 // destination shorthand and mode (SDM vol. 3A, 12.6.1): not with a bitmap
	icrMode      = 7 << 8
	icrFixed     = 0 << 8
	icrNMI       = 4 << 8
)

// sendIPI raises the interrupt for every vCPU named and returns how many.
func (m *Machine) sendIPI(v *VCPU) uint64 {
	r := &v.Core.R
	vec := uint8(r[cpu.RSI])
	switch {
	case r[cpu.RSI]&icrShorthand != 0:
		return negative(kvmEINVAL)
	case r[cpu.RSI]&icrMode == icrNMI:
		vec = VectorNMI
	case r[cpu.RSI]&icrMode != icrFixed || vec < 32:
		return negative(kvmEINVAL)
	}
	var n uint64
	for i := range uint32(128) {
		if r[[2]int{cpu.RBX, cpu.RCX}[i/64]]>>(i%64)&1 == 0 {
			continue
		}
		k := indexOf(uint32(r[cpu.RDX]) + i)
		if k >= 0 && k < len(v.VM.VCPUs) {
			m.Raise(v.VM.VCPUs[k], vec)
			n++
		}
	}
	return n
}
