package experiment

import (
	"fmt"

	"spinlab/asm"
	"spinlab/guestcode"
	"spinlab/mem"
	"spinlab/vmm"
)

// Image is p as a machine with that many vCPUs loads it. The text is writable,
// because spin_init may patch jump labels.
func Image(p *guestcode.Program, vcpus int) *vmm.Image {
	img := &vmm.Image{
		Boot: p.Boot, Main: p.Main,
		Probes: probes(p),
		Layout: vmm.Layout{
			StackTop:     guestcode.StackTop(0),
			StackStride:  guestcode.StackSize,
			StackSize:    guestcode.StackSize - guestcode.StackGuard,
			PerCPUBase:   guestcode.PerCPUBase,
			PerCPUStride: guestcode.PerCPUSize,
		},
	}
	for _, s := range p.Object.Sections {
		perm := mem.Read
		if s.Exec {
			perm |= mem.Write | mem.Exec
		}
		if s.Write {
			perm |= mem.Write
		}
		img.Segments = append(img.Segments, vmm.Segment{Addr: s.Addr, Data: s.Data, Perm: perm})
	}
	img.Segments = append(img.Segments,
		vmm.Segment{Addr: guestcode.SharedBase, Size: guestcode.SharedSize, Perm: mem.Read | mem.Write})
	img.Xen = p.Backend == guestcode.BackendXen
	img.IDT, img.Handlers = guestcode.IDTBase, handlers(p)
	switch {
	case p.Counters != nil:
		img.Counters, img.Want, img.Takes = p.Counters, p.Want, p.Takes
	case p.Counter != 0 && !p.Endless:
		img.Counters = []uint64{p.Counter}
		img.Want = uint64(vcpus) * uint64(iters(p))
	}
	return img
}

// probes lists the marks of the harness and of lock programs.
func probes(p *guestcode.Program) (list []vmm.Probe) {
	for _, x := range []vmm.Probe{{Kind: vmm.ProbeAcquire, Addr: p.Acquire}, {Kind: vmm.ProbeAcquired, Addr: p.Acquired},
		{Kind: vmm.ProbeRelease, Addr: p.Release}, {Kind: vmm.ProbeReleased, Addr: p.Released}} {
		if x.Addr != 0 {
			list = append(list, x)
		}
	}
	for _, x := range p.Probes {
		list = append(list, vmm.Probe{Kind: probeKinds[x.Probe], Addr: x.Addr})
	}
	return list
}

// probeKinds are the machine's words for the guest's probes.
var probeKinds = map[guestcode.Probe]vmm.ProbeKind{
	guestcode.ProbeAcquire: vmm.ProbeAcquire, guestcode.ProbeAcquired: vmm.ProbeAcquired,
	guestcode.ProbeRelease: vmm.ProbeRelease, guestcode.ProbeReleased: vmm.ProbeReleased,
	guestcode.ProbeTaken: vmm.ProbeTaken, guestcode.ProbeAwaited: vmm.ProbeAwaited, guestcode.ProbePassed: vmm.ProbePassed,
}

// handlers are those of a program that drives itself: its irq_handler is for
// every vector that a guest may use as it likes. A harness builds its own table.
func handlers(p *guestcode.Program) (list []vmm.Handler) {
	if p.NMIHandler != 0 {
		list = append(list, vmm.Handler{Vector: vmm.VectorNMI, Addr: p.NMIHandler})
	}
	for vec := vmm.VectorTimer; vec < 256 && p.IRQHandler != 0; vec++ {
		list = append(list, vmm.Handler{Vector: uint8(vec), Addr: p.IRQHandler})
	}
	return list
}

// iters is how often each vCPU takes the lock.
func iters(p *guestcode.Program) int64 {
	s, ok := p.Object.Lookup("ITERS")
	if !ok {
		return guestcode.DefaultIters
	}
	return int64(s.Addr)
}

// Symbol names an address as label+offset, "" if no label precedes it.
func Symbol(obj *asm.Object, addr uint64) string {
	name, off, ok := obj.SymbolAt(addr)
	switch {
	case !ok:
		return ""
	case off == 0:
		return name
	}
	return fmt.Sprintf("%s+%#x", name, off)
}

// SourceLine names the place in the source that an address comes from, "" if
// there is none.
func SourceLine(obj *asm.Object, addr uint64) string {
	l, ok := obj.LineAt(addr)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s:%d", l.File, l.Line)
}
