package vmm

import (
	"spinlab/cpu"
	"spinlab/mem"
)

// Model-specific registers (SDM vol. 4, table 2-2). Any other is #GP.
const (
	msrTSC      = 0x10
	msrAPICBase = 0x1b
	msrEFER     = 0xc0000080
	msrFSBase   = 0xc0000100
	msrGSBase   = 0xc0000101
	msrKernelGS = 0xc0000102
	msrTSCAux   = 0xc0000103

	efer          = 1<<0 | 1<<8 | 1<<10 | 1<<11 // SCE LME LMA NXE, as Linux runs
	apicBase      = 0xfee00000 | 1<<11          // enabled, at its usual address
	apicBaseIsBSP = 1 << 8                      // this is the boot processor
)

func exitMSR(m *Machine, v *VCPU, p *mem.Port) Next {
	num := uint32(v.Core.R[cpu.RCX])
	if v.Core.Exit.Kind == cpu.ExitWRMSR {
		if !v.writeMSR(num, v.Core.Exit.Val) {
			return m.refuse(v, p)
		}
		return Resume
	}
	x, ok := v.readMSR(num)
	if !ok {
		return m.refuse(v, p)
	}
	v.Core.R[cpu.RAX], v.Core.R[cpu.RDX] = x&0xffffffff, x>>32
	return Resume
}

func (v *VCPU) readMSR(num uint32) (uint64, bool) {
	switch num {
	case msrTSC:
		return v.Core.Now + v.TSCOffset, true
	case msrAPICBase:
		if v.Index == 0 {
			return apicBase | apicBaseIsBSP, true
		}
		return apicBase, true
	case msrEFER:
		return efer, true
	case msrFSBase:
		return v.Core.FSBase, true
	case msrGSBase:
		return v.Core.GSBase, true
	case msrKernelGS:
		return v.Core.KGS, true
	case msrTSCAux:
		return uint64(v.TSCAux), true
	}
	return 0, false
}

// writeMSR returns false where hardware raises #GP: unknown registers, bases
// that are not canonical, bits that are reserved or that this machine cannot
// change.
func (v *VCPU) writeMSR(num uint32, x uint64) bool {
	switch num {
	case msrTSC:
		v.TSCOffset = x - v.Core.Now
		return true
	case msrEFER:
		return x == efer
	case msrTSCAux:
		v.TSCAux = uint32(x)
		return x>>32 == 0
	}
	if !canonical(x) {
		return false
	}
	switch num {
	case msrFSBase:
		v.Core.FSBase = x
	case msrGSBase:
		v.Core.GSBase = x
	case msrKernelGS:
		v.Core.KGS = x
	default:
		return false
	}
	return true
}

func canonical(a uint64) bool { return uint64(int64(a<<16)>>16) == a }

// Bits of control registers that a guest in 64-bit mode cannot clear here
// (SDM vol. 3A, 2.5).
const (
	cr0Needs = 1<<0 | 1<<31 // PE PG
	cr4Needs = 1 << 5       // PAE
)

// exitCR moves to or from a control register. Leaving 64-bit mode, reserved
// upper bits and priorities above 15 are #GP.
func exitCR(m *Machine, v *VCPU, p *mem.Port) Next {
	c, e := v.Core, &v.Core.Exit
	if int(e.CR) >= len(c.CR) || 1<<e.CR&0x11d == 0 { // CR0, 2, 3, 4 and 8 exist
		return m.refuse(v, p)
	}
	if e.Kind == cpu.ExitCRRead {
		c.R[e.Reg&15] = c.CR[e.CR]
		return Resume
	}
	bad := false
	switch e.CR {
	case 0:
		bad = e.Val&cr0Needs != cr0Needs || e.Val>>32 != 0
	case 4:
		bad = e.Val&cr4Needs == 0 || e.Val>>32 != 0
	case 8:
		bad = e.Val > 15
	}
	if bad {
		return m.refuse(v, p)
	}
	c.CR[e.CR] = e.Val
	return Resume
}
