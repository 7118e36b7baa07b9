package vmm

import (
	"spinlab/cpu"
	"spinlab/mem"
)

// Reason is why a vCPU left the guest. It indexes the handlers, the costs and
// the statistics.
type Reason uint8

// The exit reasons.
const (
	ReasonNone Reason = iota
	ReasonHLT
	ReasonHypercall
	ReasonPause
	ReasonPreempt
	ReasonCPUID
	ReasonIO
	ReasonMSR
	ReasonCR
	ReasonRDTSC
	ReasonMWAIT
	ReasonInterrupt
	ReasonWorkload
	NumReasons
)

func (r Reason) String() string { return reasons[r].name }

// reason is what the host does about an exit.
type reason struct {
	name   string
	free   bool // not an exit on hardware: not counted
	handle func(m *Machine, v *VCPU, p *mem.Port) Next
}

// reasons has a row for every Reason; a row without a handler stops the
// machine.
var reasons [NumReasons]reason

func init() { // an initializer would be a cycle: handlers count by reason
	reasons = [NumReasons]reason{
		ReasonNone:      {name: "none", free: true},
		ReasonHLT:       {name: "hlt", handle: exitHLT},
		ReasonHypercall: {name: "hypercall", handle: exitHypercall},
		ReasonPause:     {name: "pause", handle: exitPause},
		ReasonPreempt:   {name: "preempt", handle: exitPreempt},
		ReasonCPUID:     {name: "cpuid", handle: exitCPUID},
		ReasonIO:        {name: "io", handle: exitIO},
		ReasonMSR:       {name: "msr", handle: exitMSR},
		ReasonCR:        {name: "cr", handle: exitCR},
		ReasonRDTSC:     {name: "rdtsc", free: true, handle: exitRDTSC},
		ReasonMWAIT:     {name: "mwait", handle: exitMWAIT},
		ReasonInterrupt: {name: "interrupt", handle: exitInterrupt},
		ReasonWorkload:  {name: "workload", free: true, handle: exitWorkload},
	}
}

// reasonOf maps the core's exits to reasons.
var reasonOf = [cpu.NumExits]Reason{
	cpu.ExitHLT:     ReasonHLT,
	cpu.ExitVMCall:  ReasonHypercall,
	cpu.ExitCPUID:   ReasonCPUID,
	cpu.ExitIn:      ReasonIO,
	cpu.ExitOut:     ReasonIO,
	cpu.ExitRDMSR:   ReasonMSR,
	cpu.ExitWRMSR:   ReasonMSR,
	cpu.ExitCRRead:  ReasonCR,
	cpu.ExitCRWrite: ReasonCR,
	cpu.ExitRDTSC:   ReasonRDTSC,
	cpu.ExitPause:   ReasonPause,
	cpu.ExitMWAIT:   ReasonMWAIT,
}

func exitHLT(m *Machine, v *VCPU, _ *mem.Port) Next {
	if m.HaltEntry(v) {
		return Halt
	}
	return Resume
}

// exitPause is a pause loop beyond gap and window: whoever waits for a pCPU may
// hold the lock, so let it run.
func exitPause(m *Machine, v *VCPU, _ *mem.Port) Next {
	m.spunOut(v)
	return Yield
}

func exitPreempt(*Machine, *VCPU, *mem.Port) Next { return Yield }

func exitCPUID(m *Machine, v *VCPU, _ *mem.Port) Next {
	r := &v.Core.R
	a, b, c, d := m.cpuid(v, uint32(r[cpu.RAX]), uint32(r[cpu.RCX]))
	r[cpu.RAX], r[cpu.RBX], r[cpu.RCX], r[cpu.RDX] = uint64(a), uint64(b), uint64(c), uint64(d)
	return Resume
}

// The ports that exist; others read as ones and ignore what is written.
const (
	portPrint = 0xe9 // a byte for the console, as Bochs has it
	portExit  = 0xf4 // the end of this vCPU: AL = 0 is a pass
	portFree  = 0xf5 // RSI bytes of memory at RDI are given back
)

// maxConsole bounds what a guest may print, in bytes; the rest is dropped.
const maxConsole = 1 << 20

func exitIO(m *Machine, v *VCPU, _ *mem.Port) Next {
	e := &v.Core.Exit
	switch {
	case e.Kind == cpu.ExitIn:
		setLow(&v.Core.R[cpu.RAX], e.Size, ^uint64(0))
	case e.Port == portPrint && len(m.console) < maxConsole:
		m.console = append(m.console, byte(e.Val))
	case e.Port == portExit && byte(e.Val) != 0:
		m.stop(VerdictViolation, "%s: assertion failed: exit code %d", m.placeAt(v, e.RIP), byte(e.Val))
		return Dead
	case e.Port == portFree:
		v.VM.Mem.Free(v.Core.R[cpu.RDI], v.Core.R[cpu.RSI])
	case e.Port == portExit:
		m.finish(v)
		return Finished
	}
	return Resume
}

// setLow writes the low n bytes of a register as an instruction would: four
// bytes clear the upper half.
func setLow(r *uint64, n uint8, v uint64) {
	switch n {
	case 1:
		*r = *r&^0xff | v&0xff
	case 2:
		*r = *r&^0xffff | v&0xffff
	default:
		*r = v & 0xffffffff
	}
}

// exitRDTSC reads virtual time: the TSC runs at the cycle clock, the same on
// all pCPUs. RDTSCP adds IA32_TSC_AUX.
func exitRDTSC(m *Machine, v *VCPU, _ *mem.Port) Next {
	r := &v.Core.R
	t := v.Core.Now + v.TSCOffset
	r[cpu.RAX], r[cpu.RDX] = t&0xffffffff, t>>32
	if v.Core.Exit.Reg == 1 {
		r[cpu.RCX] = uint64(v.TSCAux)
	}
	return Resume
}

func exitMWAIT(m *Machine, v *VCPU, _ *mem.Port) Next {
	at := v.Core.Exit.RIP
	_, o := instruction(v, at)
	m.stop(VerdictFault, "%s: %s is not modelled", m.placeAt(v, at)+m.bytesAt(v, at), cpu.Rows[o.Mn].Name)
	return Dead
}

// vecGP is the general protection exception.
const vecGP = 13

// refuse makes the exiting instruction fault with #GP(0) instead: it has not
// retired after all. The store buffer must be empty.
func (m *Machine) refuse(v *VCPU, p *mem.Port) Next {
	c := v.Core
	c.Jump(c.Exit.RIP)
	c.Count.Instructions--
	m.left++
	if c.Raise(p, vecGP, 0) {
		return Resume
	}
	m.guestFault(v)
	return Dead
}
