package experiment

import (
	"spinlab/guestcode"
	"spinlab/mem"
	"spinlab/vmm"
)

// ThreadsImage is a source of threads as a machine loads it, with memory for
// them to share and a stack for each; extra memory is mapped where the runs of
// bytes in more are. The starts of its threads come with it.
func ThreadsImage(t *guestcode.Threads, more []mem.Run) (*vmm.Image, []vmm.Start) {
	img := &vmm.Image{
		Main: t.Threads[0].Start,
		Layout: vmm.Layout{
			StackTop:    guestcode.StackTop(0),
			StackStride: guestcode.StackSize,
			StackSize:   guestcode.StackSize - guestcode.StackGuard,
		},
	}
	const rw = mem.Read | mem.Write
	for _, r := range more {
		img.Segments = append(img.Segments, vmm.Segment{Addr: r.Addr, Size: uint64(len(r.Bytes)), Perm: rw})
	}
	for _, s := range t.Object.Sections {
		seg := vmm.Segment{Addr: s.Addr, Data: s.Data, Perm: mem.Read}
		if s.Exec {
			seg.Perm = rw | mem.Exec
			seg.Size = uint64(len(s.Data)) + 1 // what may be jumped to when a thread runs off its end
		}
		if s.Write {
			seg.Perm |= mem.Write
		}
		img.Segments = append(img.Segments, seg)
	}
	img.Segments = append(img.Segments, vmm.Segment{Addr: guestcode.SharedBase, Size: guestcode.SharedSize, Perm: rw})
	starts := make([]vmm.Start, len(t.Threads))
	for i, x := range t.Threads {
		starts[i] = vmm.Start{RIP: x.Start, Regs: new([16]uint64), Halt: x.Halt, End: x.End}
	}
	return img, starts
}
