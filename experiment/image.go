package experiment

import (
	"encoding/binary"
	"fmt"
	"slices"

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
		Probes: probes(p), OneLock: !p.Harness,
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
	img.Segments = append(img.Segments, perCPU(p, vcpus)...)
	img.Xen = p.Backend == guestcode.BackendXen
	img.IDT, img.Handlers = guestcode.IDTBase, handlers(p)
	if p.Counter != 0 {
		img.Counters = []uint64{p.Counter}
		img.Want = uint64(vcpus) * uint64(p.Iters)
	}
	return img
}

// probes are the harness's, or those that a program has been given.
func probes(p *guestcode.Program) [4][]uint64 {
	if !p.Harness {
		return p.Probes
	}
	return [4][]uint64{{p.Acquire}, {p.Acquired}, {p.Release}, {p.Released}}
}

// perCPU is what Linux objects find in the per-CPU areas; the host's own words go
// over it.
func perCPU(p *guestcode.Program, vcpus int) (list []vmm.Segment) {
	if p.PerCPU == nil {
		return nil
	}
	for i := range vcpus {
		area := slices.Clone(p.PerCPU)
		binary.LittleEndian.PutUint64(area[guestcode.PerCPUSelf:], guestcode.PerCPU(i))
		list = append(list, vmm.Segment{Addr: guestcode.PerCPU(i), Data: area, Perm: mem.Read | mem.Write})
	}
	return list
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
