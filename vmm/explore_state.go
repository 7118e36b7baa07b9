package vmm

import (
	"encoding/binary"
	"slices"

	"spinlab/cpu"
	"spinlab/mem"
)

// The state of a Walk in bytes: one block for each vCPU and its stack, one for
// what is shared. Equal blocks are equal bytes; nothing in them depends on time
// or on how the state was reached.

var le = binary.LittleEndian

// cold is the part of a vCPU that guests hardly ever change: a block has it
// only where it differs from the start.
type cold struct {
	fsBase, gsBase, kgs uint64
	xmm                 [16][2]uint64
	cr                  [9]uint64
	idt, gdt            cpu.Table
	sel                 [6]uint16
	cpl                 uint8
	nmi                 bool
	irq                 Interrupts
	poll                EventPort
	tscAux              uint32
	tscOffset           uint64
}

func coldOf(v *VCPU) cold {
	s := &v.Core.State
	return cold{s.FSBase, s.GSBase, s.KGS, s.XMM, s.CR, s.IDT, s.GDT, s.Sel, s.CPL, s.NMI, v.IRQ, v.Poll, v.TSCAux, v.TSCOffset}
}

func (c *cold) give(v *VCPU) {
	s := &v.Core.State
	s.FSBase, s.GSBase, s.KGS, s.XMM, s.CR, s.IDT, s.GDT = c.fsBase, c.gsBase, c.kgs, c.xmm, c.cr, c.idt, c.gdt
	s.Sel, s.CPL, s.NMI = c.sel, c.cpl, c.nmi
	v.IRQ, v.Poll, v.TSCAux, v.TSCOffset = c.irq, c.poll, c.tscAux, c.tscOffset
}

// is says whether v still has this cold part; it does not copy.
func (c *cold) is(v *VCPU) bool {
	s := &v.Core.State
	return s.FSBase == c.fsBase && s.GSBase == c.gsBase && s.KGS == c.kgs && s.CPL == c.cpl && s.NMI == c.nmi &&
		v.IRQ == c.irq && v.Poll == c.poll && v.TSCAux == c.tscAux && v.TSCOffset == c.tscOffset &&
		s.IDT == c.idt && s.GDT == c.gdt && s.Sel == c.sel && s.CR == c.cr && s.XMM == c.xmm
}

// Bits of a block's second byte.
const (
	hasKick = 1 << iota
	hasCold
	hasOddStack
)

// AppendVCPU appends the block of vCPU i.
func (w *Walk) AppendVCPU(dst []byte, i int) []byte {
	k := w.who[i]
	c := k.v.Core
	if k.v.State == Done && !w.cfg.KeepDone && k.p.B.N == 0 {
		return append(dst, byte(Done))
	}
	s := c.Arch()
	flags := byte(c.Shadow) << 4
	if k.v.PVUnhalted {
		flags |= hasKick
	}
	warm := k.cold.is(k.v)
	if !warm {
		flags |= hasCold
	}
	low, plain := k.stack.live(s.R[cpu.RSP], w.cfg.RedZone)
	if !plain {
		flags |= hasOddStack
	}
	live, known := w.bury(k.v)
	w.lost = w.lost || !known
	dst = append(dst, byte(k.v.State), flags, k.p.B.N|k.v.locks.n<<5, k.p.Replay.N)
	rflags := s.Flags
	if live&cpu.LiveFlags == 0 {
		rflags &^= cpu.ArithFlags
	}
	dst = le.AppendUint32(dst, uint32(rflags))
	dst = le.AppendUint64(dst, s.RIP)
	dst = w.appendRegs(dst, s, live, i)
	for j := range int(k.p.B.N) {
		e := k.p.B.At(j)
		dst = le.AppendUint64(le.AppendUint64(append(dst, e.Size), w.maskValue(e.Addr, i)), w.maskValue(e.Data, i))
	}
	for _, v := range k.p.Replay.Val[:k.p.Replay.N] {
		dst = le.AppendUint64(dst, w.maskValue(v, i))
	}
	for _, u := range k.v.locks.use[:k.v.locks.n] {
		dst = le.AppendUint64(append(dst, u.bits()), w.maskValue(u.lock, i))
	}
	if len(k.irqs) != 0 {
		dst = append(dst, k.taken)
	}
	if !warm {
		dst = appendCold(dst, coldOf(k.v))
	}
	from := len(dst)
	dst = k.stack.append(dst, low, plain)
	if w.alike {
		w.unlike = w.unlike || !plain
		for b := dst[from:]; len(b) >= 8; b = b[8:] {
			le.PutUint64(b, w.maskValue(le.Uint64(b), i))
		}
	}
	return dst
}

// appendRegs writes which live registers are not 0, and those.
func (w *Walk) appendRegs(dst []byte, s *cpu.State, live cpu.RegSet, i int) []byte {
	at := len(dst)
	dst = append(dst, 0, 0)
	mask := uint16(0)
	for r := range 16 {
		if s.R[r] != 0 && live>>r&1 != 0 {
			mask |= 1 << r
			dst = le.AppendUint64(dst, w.maskValue(s.R[r], i))
		}
	}
	le.PutUint16(dst[at:], mask)
	return dst
}

func appendCold(dst []byte, c cold) []byte {
	n, err := binary.Append(dst, le, coldWire(c))
	if err != nil {
		panic("vmm: " + err.Error()) // its fields have fixed sizes
	}
	return n
}

// wire is cold with the exported fields that package binary wants.
type wire struct {
	Base            [3]uint64
	XMM             [16][2]uint64
	CR              [9]uint64
	Table           [2]uint64
	Limit           [2]uint16
	Sel             [6]uint16
	CPL             uint8
	NMI, PendingNMI bool
	Requests        [4]uint64
	Poll            uint32
	TSCAux          uint32
	TSCOffset       uint64
}

func coldWire(c cold) wire {
	return wire{[3]uint64{c.fsBase, c.gsBase, c.kgs}, c.xmm, c.cr, [2]uint64{c.idt.Base, c.gdt.Base},
		[2]uint16{c.idt.Limit, c.gdt.Limit}, c.sel, c.cpl, c.nmi, c.irq.NMI, c.irq.Requests, uint32(c.poll), c.tscAux, c.tscOffset}
}

func (x *wire) cold() cold {
	return cold{x.Base[0], x.Base[1], x.Base[2], x.XMM, x.CR, cpu.Table{Base: x.Table[0], Limit: x.Limit[0]},
		cpu.Table{Base: x.Table[1], Limit: x.Limit[1]}, x.Sel, x.CPL, x.NMI,
		Interrupts{Requests: x.Requests, NMI: x.PendingNMI}, EventPort(x.Poll), x.TSCAux, x.TSCOffset}
}

// reader takes a block apart.
type reader struct{ b []byte }

func (r *reader) u8() byte {
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

func (r *reader) u16() uint16 {
	v := le.Uint16(r.b)
	r.b = r.b[2:]
	return v
}

func (r *reader) u32() uint32 {
	v := le.Uint32(r.b)
	r.b = r.b[4:]
	return v
}

func (r *reader) u64() uint64 {
	v := le.Uint64(r.b)
	r.b = r.b[8:]
	return v
}

// LoadVCPU makes vCPU i what AppendVCPU wrote.
func (w *Walk) LoadVCPU(i int, block []byte) {
	k := w.who[i]
	v, c := k.v, k.v.Core
	r := reader{block}
	v.State, v.PVUnhalted = MPState(r.u8()), false
	k.p.B, k.p.Replay, k.v.locks = mem.StoreBuffer{}, mem.Replay{}, lockUses{}
	if len(r.b) == 0 {
		return
	}
	flags, counts := r.u8(), r.u8()
	v.PVUnhalted = flags&hasKick != 0
	c.Shadow = cpu.Shadow(flags >> 4)
	k.p.Replay.N, k.v.locks.n = r.u8(), counts>>5
	c.Flags = uint64(r.u32())
	c.RIP = r.u64()
	mask := r.u16()
	for j := range 16 {
		c.R[j] = 0
		if mask>>j&1 != 0 {
			c.R[j] = w.unmaskValue(r.u64(), i)
		}
	}
	for range counts & 31 {
		size := r.u8()
		addr := w.unmaskValue(r.u64(), i)
		k.p.B.Put(addr, w.unmaskValue(r.u64(), i), size)
	}
	for j := range int(k.p.Replay.N) {
		k.p.Replay.Val[j] = w.unmaskValue(r.u64(), i)
	}
	for j := range int(k.v.locks.n) {
		k.v.locks.use[j].setBits(r.u8())
		k.v.locks.use[j].lock = w.unmaskValue(r.u64(), i)
	}
	if len(k.irqs) != 0 {
		k.taken = r.u8()
	}
	if flags&hasCold != 0 {
		var x wire
		n, err := binary.Decode(r.b, le, &x)
		if err != nil {
			panic("vmm: " + err.Error())
		}
		r.b = r.b[n:]
		cc := x.cold()
		cc.give(v)
	} else if !k.cold.is(v) {
		k.cold.give(v)
	}
	c.Arrived()
	live, plain := k.stack.live(c.R[cpu.RSP], w.cfg.RedZone)
	if w.alike && plain {
		r.b = slices.Clone(r.b)
		for b := r.b; len(b) >= 8; b = b[8:] {
			le.PutUint64(b, w.unmaskValue(le.Uint64(b), i))
		}
	}
	k.stack.load(w.vm.Mem, &r, live, plain)
}

// bits are the flags of a lock use in a block.
func (u *lockUse) bits() (b byte) {
	if u.held {
		b |= 1
	}
	if u.begun {
		b |= 2
	}
	if u.leaving {
		b |= 4
	}
	return b
}

func (u *lockUse) setBits(b byte) { u.held, u.begun, u.leaving = b&1 != 0, b&2 != 0, b&4 != 0 }

// Snapshot is all vCPUs of a Walk at one moment, for Restore.
type Snapshot struct {
	vcpus []arch
}

// arch is what a guest can tell of one vCPU, its memory aside.
type arch struct {
	core   cpu.State
	buffer mem.StoreBuffer
	replay mem.Replay
	locks  lockUses
	state  MPState
	kicked bool
	irq    Interrupts
	poll   EventPort
	aux    uint32
	tsc    uint64
	taken  uint8
}

// Mark remembers the present state. There is one mark at a time: it begins a
// new undo log of memory.
func (w *Walk) Mark(s *Snapshot) {
	if s.vcpus == nil {
		s.vcpus = make([]arch, len(w.who))
	}
	for i, k := range w.who {
		v := k.v
		s.vcpus[i] = arch{*v.Core.Arch(), k.p.B, k.p.Replay, k.v.locks, v.State, v.PVUnhalted, v.IRQ, v.Poll, v.TSCAux, v.TSCOffset, k.taken}
	}
	w.vm.Mem.ForgetLog()
}

// Rollback undoes what an action has done since Mark: changed is its effect's.
func (w *Walk) Rollback(s *Snapshot, changed uint32) {
	w.vm.Mem.Rollback(0)
	for i, k := range w.who {
		if changed>>i&1 == 0 {
			continue
		}
		v, a := k.v, &s.vcpus[i]
		v.Core.SetArch(&a.core)
		k.p.B, k.p.Replay, k.v.locks = a.buffer, a.replay, a.locks
		v.State, v.PVUnhalted, k.taken = a.state, a.kicked, a.taken
		v.IRQ, v.Poll, v.TSCAux, v.TSCOffset = a.irq, a.poll, a.aux, a.tsc
	}
}
