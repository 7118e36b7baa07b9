package vmm

// Symmetry: vCPUs that run the same code are alike but for where their stacks
// and per-CPU areas are. Where a program is declared symmetric, a vCPU's block
// has its own addresses as if it were vCPU 0, so that two vCPUs in the same
// situation have the same block, and states that differ only in who is who are
// one state.
//
// That is right as long as the addresses are all by which a vCPU can tell that
// it is another one. A program that reads its index or its APIC id, or scans
// vCPUs in order, is not symmetric and must not be declared so. Addresses of
// another vCPU's memory are noticed: then the search goes without symmetry.

// SetAlike makes blocks independent of which vCPU they are of.
func (w *Walk) SetAlike() { w.alike = true }

// Alike says whether SetAlike was called.
func (w *Walk) Alike() bool { return w.alike }

// Unlike says whether something was seen that belongs to another vCPU, so that
// a result that relies on symmetry is worth nothing.
func (w *Walk) Unlike() bool { return w.unlike }

// areas are the two kinds of memory that each vCPU has of its own.
func (l *Layout) areas() [2]area {
	return [2]area{{l.stackTop(0) - l.StackSize, l.StackSize + 1, l.StackStride}, {l.PerCPUBase, l.PerCPUStride, l.PerCPUStride}}
}

// area is memory of which vCPU i has size bytes, stride bytes behind those of
// vCPU i − 1.
type area struct{ base, size, stride uint64 }

// owner says whose v is, −1 if it is no address in the area.
func (a area) owner(v uint64, vcpus int) int {
	if a.stride == 0 || v < a.base || v >= a.base+uint64(vcpus)*a.stride {
		return -1
	}
	if (v-a.base)%a.stride >= a.size && a.size < a.stride {
		return -1
	}
	return int((v - a.base) / a.stride)
}

// maskValue turns a value of vCPU i into what vCPU 0 would have.
func (w *Walk) maskValue(v uint64, i int) uint64 {
	if !w.alike {
		return v
	}
	for _, a := range w.vm.image.Layout.areas() {
		switch n := a.owner(v, len(w.who)); n {
		case -1:
		case i:
			return v - uint64(i)*a.stride
		default:
			w.unlike = true
		}
	}
	return v
}

// unmaskValue is maskValue backwards.
func (w *Walk) unmaskValue(v uint64, i int) uint64 {
	if !w.alike {
		return v
	}
	for _, a := range w.vm.image.Layout.areas() {
		if a.owner(v, len(w.who)) == 0 {
			return v + uint64(i)*a.stride
		}
	}
	return v
}

// maskShared notes that shared memory holds an address of a vCPU's memory, or
// that such memory was written.
func (w *Walk) maskShared(addr, v uint64) {
	for _, a := range w.vm.image.Layout.areas() {
		if a.owner(addr, len(w.who)) >= 0 || a.owner(v, len(w.who)) >= 0 {
			w.unlike = true
		}
	}
}
