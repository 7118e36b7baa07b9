package vmm

import (
	"spinlab/cpu"
	"spinlab/mem"
)

// The Xen host of a VM whose image asks for it: as much of the hypercall
// interface as a PV spinlock needs. Number in RAX, arguments in RDI, RSI, …,
// result in RAX, by VMCALL or VMMCALL (Xen, public/arch-x86/xen-x86_64.h and
// hvm/hypercall.c). The structures are those of the public headers that are
// named at each.
const (
	xenMemoryOp       = 12 // __HYPERVISOR_memory_op
	xenSchedOp        = 29 // __HYPERVISOR_sched_op
	xenEventChannelOp = 32 // __HYPERVISOR_event_channel_op

	xenAddToPhysmap = 7 // XENMEM_add_to_physmap (public/memory.h)
	xenSharedInfo   = 0 // XENMAPSPACE_shared_info

	schedYield = 0 // SCHEDOP_yield (public/sched.h)
	schedBlock = 1 // SCHEDOP_block
	schedPoll  = 3 // SCHEDOP_poll

	evtchnSend    = 4 // EVTCHNOP_send (public/event_channel.h)
	evtchnBindIPI = 7 // EVTCHNOP_bind_ipi
)

// Results, negated (public/errno.h).
const (
	xenEPERM  = 1
	xenENOENT = 2
	xenEFAULT = 14
	xenEINVAL = 22
	xenENOSPC = 28
	xenENOSYS = 38
)

// Offsets in struct shared_info of a 64-bit guest (public/xen.h): behind 32
// struct vcpu_info of 64 bytes a pending bit and a mask bit for each of 4,096
// ports. Upcalls are not modelled, so the mask and the vcpu_info stay as the
// guest leaves them.
const (
	sharedPending = 0x800
	maxPorts      = 4096
)

// maxPolled is how many ports one SCHEDOP_poll may name (do_poll in Xen's
// common/sched).
const maxPolled = 128

// EventPort is an event channel's port; 0 is none.
type EventPort uint32

// What VCPU.Poll may hold besides a port.
const (
	NoPort  EventPort = 0         // the vCPU does not poll
	AnyPort EventPort = 1<<32 - 1 // it polls several ports: any event wakes it
)

// XenState is what the host knows of a VM's event channels. It is set up by the
// guest's boot code and stays, as memory does.
type XenState struct {
	SharedInfo uint64 // where the guest has mapped shared_info, 0 before
	Bound      uint32 // ports 1 to Bound are bound
}

// Leaves of Xen's CPUID (public/arch-x86/cpuid.h), and where KVM's go on a host
// that speaks both (Linux, KVM_CPUID_SIGNATURE_NEXT).
const (
	leafXenSignature = 0x40000000
	leafXenVersion   = 0x40000001
	leafXenLast      = 0x40000002
	leafKVMMoved     = 0x40000100

	xenEBX = 0x566e6558 // "XenV"
	xenECX = 0x65584d4d // "MMXe"
	xenEDX = 0x4d4d566e // "nVMM"

	xenVersion = 4<<16 | 2 // 4.2, of the time of the patch series
)

// xenCPUID answers the hypervisor leaves of a VM with the Xen interface. KVM's
// leaves have moved and offer nothing: the hypercalls are Xen's.
func xenCPUID(leaf uint32) (a, b, c, d uint32) {
	switch leaf {
	case leafXenSignature:
		return leafXenLast, xenEBX, xenECX, xenEDX
	case leafXenVersion:
		return xenVersion, 0, 0, 0
	case leafKVMMoved:
		return leafKVMMoved + 1, kvmEBX, kvmECX, kvmEDX
	}
	return 0, 0, 0, 0 // no hypercall page: VMCALL is used directly
}

// exitXen is the hypercall exit of a VM with the Xen interface.
func exitXen(m *Machine, v *VCPU, p *mem.Port) Next {
	r := &v.Core.R
	if v.Core.CPL != 0 {
		r[cpu.RAX] = negative(xenEPERM)
		return Resume
	}
	number, op, arg := r[cpu.RAX], r[cpu.RDI], r[cpu.RSI]
	r[cpu.RAX] = negative(xenENOSYS)
	switch number {
	case xenSchedOp:
		return m.xenSched(v, op, arg)
	case xenEventChannelOp:
		switch op {
		case evtchnSend:
			r[cpu.RAX] = m.evtchnSend(v, p, arg)
		case evtchnBindIPI:
			r[cpu.RAX] = v.VM.bindIPI(arg)
		}
	case xenMemoryOp:
		if op == xenAddToPhysmap {
			r[cpu.RAX] = v.VM.addToPhysmap(arg)
		}
	}
	return Resume
}

// xenSched is do_sched_op. Yield and block are as on real Xen, but that block
// does not enable event delivery: there are no upcalls.
func (m *Machine) xenSched(v *VCPU, op, arg uint64) Next {
	rax := &v.Core.R[cpu.RAX]
	switch op {
	case schedYield:
		*rax = 0
		return Yield
	case schedBlock:
		*rax = 0
		return exitHLT(m, v, nil)
	case schedPoll:
		ports, rc := v.VM.polled(arg)
		*rax = negative(rc)
		if rc != 0 {
			return Resume
		}
		return m.poll(v, ports)
	}
	return Resume
}

// poll is do_poll: it returns at once if one of the ports is pending or an
// interrupt could be taken, else the vCPU blocks until an event or an interrupt
// comes. Pending bits are not cleared: that is the guest's to do.
func (m *Machine) poll(v *VCPU, ports []EventPort) Next {
	for _, port := range ports {
		if v.VM.pending(port) {
			return Resume
		}
	}
	v.Poll = AnyPort // also for no port at all, as there
	if len(ports) == 1 {
		v.Poll = ports[0]
	}
	return exitHLT(m, v, nil)
}

// polled reads struct sched_poll: a pointer to the ports, their number and a
// timeout, which is not modelled.
func (vm *VM) polled(arg uint64) (ports []EventPort, errno uint64) {
	at, ok := vm.read(arg, 8)
	n, ok2 := vm.read(arg+8, 4)
	timeout, ok3 := vm.read(arg+16, 8)
	switch {
	case !ok || !ok2 || !ok3:
		return nil, xenEFAULT
	case n > maxPolled:
		return nil, xenEINVAL
	case timeout != 0:
		return nil, xenENOSYS
	}
	for i := range n {
		port, ok := vm.read(at+4*i, 4)
		if !ok {
			return nil, xenEFAULT
		}
		if port >= maxPorts {
			return nil, xenEINVAL
		}
		ports = append(ports, EventPort(port))
	}
	return ports, 0
}

// evtchnSend is EVTCHNOP_send: struct evtchn_send has the port. The bit becomes
// pending by a locked operation on the sender's pCPU; an event that is pending
// already changes nothing.
func (m *Machine) evtchnSend(v *VCPU, p *mem.Port, arg uint64) uint64 {
	port, ok := v.VM.read(arg, 4)
	switch {
	case !ok:
		return negative(xenEFAULT)
	case port == 0 || port > uint64(v.VM.Xen.Bound):
		return negative(xenEINVAL)
	case v.VM.Xen.SharedInfo == 0:
		return negative(xenEINVAL)
	}
	v.books.kicks++
	was, st := setBit(p, v.Core.Now, v.VM.Xen.SharedInfo+sharedPending+port/64*8, port%64)
	v.Core.Now += p.Stall
	if st > mem.Slow {
		return negative(xenEFAULT)
	}
	bit := v.VM.Xen.SharedInfo + sharedPending + port/8
	m.emit(EventNotify, v, func(e *Event) {
		e.Target, e.Store = int(port), mem.Entry{Addr: bit, Data: v.VM.Mem.PeekUint(bit, 1), Size: 1}
	})
	if !was {
		m.wakePollers(v, EventPort(port))
	}
	return 0
}

// setBit sets a bit of the word at a, as a LOCK BTS of the host would.
func setBit(p *mem.Port, now mem.Cycles, a, bit uint64) (was bool, st mem.Status) {
	stop := p.Stop
	p.SetStop(false)
	p.Now, p.Stall = now, 0
	p.Sync()
	at, old, st := p.BeginRMW(a, 8)
	if st <= mem.Slow {
		p.EndRMW(at, old|1<<bit)
	}
	p.SetStop(stop)
	return old>>bit&1 != 0, st
}

// wakePollers is evtchn_check_pollers: whoever polls this port or several wakes.
func (m *Machine) wakePollers(from *VCPU, port EventPort) {
	for _, to := range from.VM.VCPUs {
		if to.Poll == port || to.Poll == AnyPort {
			m.Kick(from, to)
		}
	}
}

// bindIPI is EVTCHNOP_bind_ipi: struct evtchn_bind_ipi has the vCPU and takes
// the port, the next free one.
func (vm *VM) bindIPI(arg uint64) uint64 {
	vcpu, ok := vm.read(arg, 4)
	switch {
	case !ok || !vm.writable(arg+4, 4):
		return negative(xenEFAULT)
	case vcpu >= uint64(len(vm.VCPUs)):
		return negative(xenENOENT)
	case vm.Xen.Bound+1 >= maxPorts:
		return negative(xenENOSPC)
	}
	vm.Xen.Bound++
	vm.Mem.Poke(arg+4, word(uint64(vm.Xen.Bound))[:4])
	return 0
}

// addToPhysmap is XENMEM_add_to_physmap: struct xen_add_to_physmap has the
// space at 4 and the guest's page number at 16. Only shared_info is there to be
// mapped.
func (vm *VM) addToPhysmap(arg uint64) uint64 {
	space, ok := vm.read(arg+4, 4)
	gpfn, ok2 := vm.read(arg+16, 8)
	if !ok || !ok2 {
		return negative(xenEFAULT)
	}
	at := gpfn << 12
	if space != xenSharedInfo || gpfn == 0 || gpfn >= 1<<36 {
		return negative(xenEINVAL)
	}
	if vm.Mem.Page(at) != nil || vm.Mem.Map(at, mem.PageSize, mem.Read|mem.Write) != nil {
		return negative(xenEINVAL)
	}
	vm.Xen.SharedInfo = at
	return 0
}

// pending says whether an event is pending on the port.
func (vm *VM) pending(port EventPort) bool {
	if vm.Xen.SharedInfo == 0 {
		return false
	}
	w := vm.Mem.PeekUint(vm.Xen.SharedInfo+sharedPending+uint64(port)/64*8, 8)
	return w>>(port%64)&1 != 0
}

// read gets n bytes of a guest's argument, if they are mapped.
func (vm *VM) read(a uint64, n int) (uint64, bool) {
	var b [8]byte
	if vm.Mem.Peek(a, b[:n]) < n {
		return 0, false
	}
	return vm.Mem.PeekUint(a, n), true
}

func (vm *VM) writable(a, n uint64) bool {
	for _, at := range [2]uint64{a, a + n - 1} {
		if pg := vm.Mem.Page(at); pg == nil || pg.Perm&mem.Write == 0 {
			return false
		}
	}
	return true
}

// xenDrains says whether a hypercall of a Xen guest acts only with the store
// buffer empty: all that read or write the guest's memory do.
func xenDrains(number uint64) bool {
	return number == xenSchedOp || number == xenEventChannelOp || number == xenMemoryOp
}
