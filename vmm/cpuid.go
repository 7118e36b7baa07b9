package vmm

// What CPUID says. A bit is set only if package cpu models the instructions
// that it promises; FPU, MMX, XSAVE, AVX, APIC, MONITOR, SYSENTER and TSX are
// not modelled and not promised.

// Bits of CPUID (SDM vol. 2A, CPUID; leaf, register and bit).
const (
	leaf1EDX = 1<<4 | 1<<5 | 1<<6 | 1<<8 | 1<<13 | 1<<15 | 1<<19 | sse // TSC MSR PAE CX8 PGE CMOV CLFSH
	sse      = 1<<25 | 1<<26                                           // SSE SSE2: 64-bit mode takes them for granted
	leaf1ECX = 1<<13 | 1<<22 | 1<<23 | 1<<30                           // CX16 MOVBE POPCNT RDRAND
	leaf7EBX = 1<<0 | 1<<3 | 1<<8 | 1<<18 | 1<<19 | 1<<23 | 1<<24      // FSGSBASE BMI1 BMI2 RDSEED ADX CLFLUSHOPT CLWB
	leaf7EDX = 1 << 14                                                 // SERIALIZE
	extEDX   = 1<<20 | 1<<27 | 1<<29                                   // NX RDTSCP LM
	extECX   = 1<<0 | 1<<5 | 1<<8                                      // LAHF LZCNT PREFETCHW

	hypervisorBit = 1 << 31 // leaf 1 ECX: reserved by Intel and AMD for hypervisors to set

	// signature is family 6, model 85, stepping 4: Skylake-SP, a part with VMX
	// pause-loop exiting whose CPUID is widely known.
	signature = 0x50654

	maxBasicLeaf    = 7
	maxExtendedLeaf = 0x80000008
)

// The vendor is GenuineIntel: the machine's pause-loop exiting is VMX's, and a
// guest that picks VMCALL or VMMCALL by vendor gets VMCALL. Both work.
const (
	vendorEBX = 0x756e6547 // "Genu"
	vendorEDX = 0x49656e69 // "ineI"
	vendorECX = 0x6c65746e // "ntel"
)

// BaseCPUID answers CPUID for a bare core: no hypervisor, APIC id 0. Leaves
// that do not exist read as zero.
func BaseCPUID(leaf, sub uint32) (a, b, c, d uint32) {
	switch leaf {
	case 0:
		return maxBasicLeaf, vendorEBX, vendorECX, vendorEDX
	case 1: // EBX 15:8: CLFLUSH acts on 8 quadwords; 23:16: one logical processor
		return signature, 8<<8 | 1<<16, leaf1ECX, leaf1EDX
	case 7:
		if sub == 0 {
			return 0, leaf7EBX, 0, leaf7EDX
		}
	case 0x80000000:
		return maxExtendedLeaf, 0, 0, 0
	case 0x80000001:
		return 0, 0, extECX, extEDX
	case 0x80000007:
		return 0, 0, 0, 1 << 8 // invariant TSC
	case 0x80000008:
		return 48<<8 | 46, 0, 0, 0 // linear and physical address bits
	}
	return 0, 0, 0, 0
}

// KVM's leaves (Linux, Documentation/virtual/kvm/cpuid.txt).
const (
	leafKVMSignature = 0x40000000
	leafKVMFeatures  = 0x40000001

	kvmEBX = 0x4b4d564b // "KVMK"
	kvmECX = 0x564b4d56 // "VMKV"
	kvmEDX = 0x4d       // "M"

	kvmHintsRealtime = 1 << 0 // EDX of the features leaf
)

// cpuid answers CPUID for a vCPU: the basic leaves with its APIC id and the
// hypervisor bit, and KVM's own.
func (m *Machine) cpuid(v *VCPU, leaf, sub uint32) (a, b, c, d uint32) {
	if v.VM.image.Xen && leaf>>28 == leafXenSignature>>28 {
		return xenCPUID(leaf)
	}
	switch leaf {
	case leafKVMSignature:
		return leafKVMFeatures, kvmEBX, kvmECX, kvmEDX
	case leafKVMFeatures:
		if m.cfg.RealtimeHint {
			d = kvmHintsRealtime
		}
		if m.cfg.PVUnhaltBit == NoPVUnhalt {
			return 0, 0, 0, d
		}
		return 1 << m.cfg.PVUnhaltBit, 0, 0, d
	}
	a, b, c, d = BaseCPUID(leaf, sub)
	if leaf == 1 {
		b |= APICID(v.Index) << 24 // the initial APIC id has 8 bits
		c |= hypervisorBit
	}
	return a, b, c, d
}

// APICID is the APIC id of vCPU i. It differs from the index for every vCPU,
// so that a guest which takes one for the other fails.
func APICID(i int) uint32 { return 2*uint32(i) + 1 }

// indexOf is the vCPU index of an APIC id, −1 if no vCPU can have it.
func indexOf(apicID uint32) int {
	if apicID&1 == 0 {
		return -1
	}
	return int(apicID >> 1)
}
