package litmus

import (
	"encoding/binary"
	"errors"
	"fmt"

	"spinlab/asm"
	"spinlab/explore"
	"spinlab/mem"
	"spinlab/vmm"
)

// The address map of a test's machine.
const (
	sharedBase  = 0x200000
	sharedSize  = 0x10000
	lineSize    = mem.LineSize
	stackTop    = 0x301000
	stackStride = 0x2000
	stackSize   = 0x1000
)

// layout says where the locations are: each begins a cache line of its own, in
// order of appearance.
type layout struct {
	addr map[string]uint64
	at   map[uint64]string // by line
	data []byte            // the shared memory at the start
}

// place lays out the locations and fills in their first values.
func (t *Test) place() (*layout, error) {
	l := &layout{map[string]uint64{}, map[uint64]string{}, make([]byte, sharedSize)}
	next := uint64(sharedBase)
	for _, name := range t.names {
		ty := t.typeOf(memLoc(name))
		size := uint64(ty.Size * ty.count())
		lines := (size + lineSize - 1) / lineSize
		if next+lines*lineSize > sharedBase+sharedSize {
			return nil, &Error{t.File, t.first[name], fmt.Sprintf("%s: the locations need more than %d bytes", name, sharedSize)}
		}
		l.addr[name] = next
		for range lines {
			l.at[next] = name
			next += lineSize
		}
	}
	for _, i := range t.Inits {
		if !i.Loc.IsReg() {
			l.init(i, t.typeOf(i.Loc))
		}
	}
	return l, nil
}

// init writes first values. What has no type is written whole: an instruction
// of any size finds the number there.
func (l *layout) init(i Init, ty Type) {
	at := l.addr[i.Loc.Name] - sharedBase
	var word [8]byte
	for k, v := range i.Values {
		binary.LittleEndian.PutUint64(word[:], l.number(v))
		size := ty.Size
		if ty == defaultType {
			size = len(word)
		}
		copy(l.data[at+uint64(k*size):], word[:size])
	}
}

// number is a value as the machine has it.
func (l *layout) number(v Value) uint64 {
	if v.Sym == "" {
		return uint64(v.Num)
	}
	return l.addr[v.Sym] + uint64(v.Off)
}

// name turns a number that is an address of a location into that address.
func (l *layout) name(v Value) Value {
	if v.Sym != "" {
		v = Value{Num: int64(l.number(v))}
	}
	a := uint64(v.Num)
	if sym, ok := l.at[a&^(lineSize-1)]; ok {
		return Value{Sym: sym, Off: int(a - l.addr[sym])}
	}
	return v
}

// build makes the test's machine and what is to be observed of it.
func (t *Test) build() (*explore.Target, *layout, error) {
	l, err := t.place()
	if err != nil {
		return nil, nil, err
	}
	obj, err := t.assemble(l)
	if err != nil {
		return nil, nil, err
	}
	img := &vmm.Image{Layout: vmm.Layout{StackTop: stackTop, StackStride: stackStride, StackSize: stackSize}}
	for _, s := range obj.Sections {
		img.Segments = append(img.Segments, vmm.Segment{Addr: s.Addr, Data: s.Data, Perm: mem.Read | mem.Exec})
	}
	img.Segments = append(img.Segments, vmm.Segment{Addr: sharedBase, Data: l.data, Perm: mem.Read | mem.Write})
	target := &explore.Target{Name: t.Name, Complete: true}
	for i := range t.Threads {
		target.Starts = append(target.Starts, t.start(i, obj, l))
	}
	img.Main = target.Starts[0].RIP
	target.Machine = vmm.Config{VMs: []vmm.VMConfig{{VCPUs: len(t.Threads), Image: img}}, PCPUs: 1,
		Symbolize: func(addr uint64) string { return t.where(obj, addr) }}
	for _, loc := range t.Observed() {
		target.Observe = append(target.Observe, t.observables(loc, l)...)
	}
	return target, l, nil
}

// where names the process and the line of a code address.
func (t *Test) where(obj *asm.Object, addr uint64) string {
	line, ok := obj.LineAt(addr)
	if !ok {
		return ""
	}
	proc := t.Threads[0].Proc
	for i := range t.Threads {
		if first, _ := obj.Lookup(startName(i)); first.Addr <= addr {
			proc = t.Threads[i].Proc
		}
	}
	return fmt.Sprintf("P%d, line %d", proc, line.Line)
}

// assemble assembles the processes. Complaints lead to lines of the test.
func (t *Test) assemble(l *layout) (*asm.Object, error) {
	sources := make([]asm.Source, len(t.Threads))
	for i := range sources {
		sources[i] = t.source(i, l)
	}
	obj, err := asm.Assemble(asm.Options{}, sources...)
	var list asm.ErrorList
	if errors.As(err, &list) {
		errs := make(Errors, len(list))
		for i, e := range list {
			errs[i] = &Error{e.File, e.Line, e.Msg}
		}
		return nil, errs
	}
	return obj, err
}

// start is how process i starts and ends.
func (t *Test) start(i int, obj *asm.Object, l *layout) vmm.Start {
	first, _ := obj.Lookup(startName(i))
	end, _ := obj.Lookup(endName(i))
	s := vmm.Start{RIP: first.Addr, End: end.Addr, Regs: new([16]uint64)}
	for _, in := range t.Inits {
		if in.Loc.Proc != t.Threads[i].Proc {
			continue
		}
		r := in.Loc.Reg
		v := l.number(in.Values[0])
		switch r.Size {
		case 8:
			s.Regs[r.Num] = v
		case 4:
			s.Regs[r.Num] = uint64(uint32(v))
		default:
			mask := (uint64(1)<<(8*r.Size) - 1) << r.Shift
			s.Regs[r.Num] = s.Regs[r.Num]&^mask | v<<r.Shift&mask
		}
	}
	return s
}

// observables are what to read for a location: one, or one an element.
func (t *Test) observables(loc Loc, l *layout) []explore.Observable {
	ty := t.typeOf(loc)
	if loc.IsReg() {
		return []explore.Observable{{Name: loc.text(t), VCPU: t.thread(loc.Proc),
			Reg: loc.Reg.Num, Shift: loc.Reg.Shift, Size: min(ty.Size, loc.Reg.Size)}}
	}
	at, n := l.addr[loc.Name], ty.count()
	if loc.Index >= 0 {
		at, n = at+uint64(loc.Index*ty.Size), 1
	}
	list := make([]explore.Observable, n)
	for k := range list {
		list[k] = explore.Observable{Name: loc.text(t), Mem: true, Addr: at + uint64(k*ty.Size), Size: ty.Size}
	}
	return list
}
