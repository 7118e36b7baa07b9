package engine

import (
	"errors"
	"fmt"
	"strconv"

	"spinlab/asm"
	"spinlab/cpu"
	"spinlab/mem"
	"spinlab/vmm"
)

// Where a bare snippet finds memory.
const (
	BareShared     = 0x200000 // mapped read and write, all zero but for Start.Mem
	bareSharedSize = 0x10000
	bareStack      = 0x300000
	bareStackSize  = 0x8000
	bareTop        = bareStack + bareStackSize
)

// Start is what a snippet finds: registers by number, RFLAGS (nil: 0x2), bytes
// in memory. Pages of the latter that are not mapped anyway are mapped.
type Start struct {
	Regs  map[int]uint64
	Flags *uint64
	Mem   []mem.Run
}

// BareConfig says how to run a snippet.
type BareConfig struct {
	Entry string // a symbol or an address, "" is Begin
	Begin uint64 // where the code begins, 0 is its first byte
	Start
	CPL             uint8  // 0 or 3
	MaxInstructions uint64 // at least 1
	Late            bool   // stores stay in the buffer until something drains it
}

// Bare is a snippet on one core without a hypervisor, ready to run. It ends at
// the first HLT, behind its last byte, or at a RET from its top frame.
type Bare struct {
	Name    string
	Object  *asm.Object
	Snippet *vmm.Snippet
	End     uint64 // the HLT behind the last byte: also where the top frame returns to
	Engine  *vmm.Bare
	Image   mem.Image // memory at the start
}

// NewBare puts the code of an object on a core.
func NewBare(name string, obj *asm.Object, c BareConfig) (*Bare, error) {
	b := &Bare{Name: name, Object: obj, Engine: vmm.NewBare()}
	b.Snippet = &vmm.Snippet{CPL: c.CPL, Flags: 0x2, Max: c.MaxInstructions, Buffered: c.Late, CodePerm: mem.Read | mem.Exec}
	if err := b.place(&c); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := b.start(c.Start); err != nil {
		return nil, err
	}
	s := b.Snippet
	idle := &vmm.Snippet{Load: s.Load, Code: s.Code, CodePerm: s.CodePerm, Entry: b.End, CPL: s.CPL, Flags: s.Flags, Map: s.Map, Max: 1}
	if _, _, err := b.Engine.Run(idle); err != nil {
		return nil, err
	}
	b.Image = b.Engine.Mem.Image(nil) // a run that does nothing shows the memory at the start
	return b, nil
}

// place turns the object into code and regions and finds the entry.
func (b *Bare) place(c *BareConfig) error {
	s, entry := b.Snippet, c.Entry
	apart := false // something else lies behind the code so far
	for _, sec := range b.Object.Sections {
		if err := checkBareRoom(sec); err != nil {
			return err
		}
		if len(s.Code) > 0 {
			apart = apart || !sec.Exec || sec.Addr-s.Load > maxCode
		}
		if !sec.Exec || apart {
			s.Map = append(s.Map, vmm.Region{Addr: sec.Addr, Size: uint64(len(sec.Data)), Perm: permOf(sec), Bytes: sec.Data})
			continue
		}
		if len(s.Code) == 0 {
			s.Load = sec.Addr
		}
		for s.Load+uint64(len(s.Code)) < sec.Addr {
			s.Code = append(s.Code, opcodeHLT)
		}
		s.Code = append(s.Code, sec.Data...)
		if sec.Write {
			s.CodePerm |= mem.Write
		}
	}
	if len(s.Code) == 0 {
		return errors.New("no code: nothing is in an executable section")
	}
	b.End = s.Load + uint64(len(s.Code))
	s.Code = append(s.Code, opcodeHLT)
	s.Entry = s.Load
	if c.Begin != 0 {
		s.Entry = c.Begin
	}
	if entry == "" {
		return nil
	}
	if sym, ok := b.Object.Lookup(entry); ok {
		s.Entry = sym.Addr
		return nil
	}
	at, err := strconv.ParseUint(entry, 0, 64)
	if err != nil {
		return &SymbolError{entry, labels(b.Object)}
	}
	s.Entry = at
	return nil
}

const opcodeHLT = 0xf4

// maxCode bounds code in one piece, in bytes; what lies further away is mapped
// for itself.
const maxCode = 16 << 20

// permOf are the permissions of a section on a bare core.
func permOf(sec asm.Section) mem.Perm {
	perm := mem.Read
	if sec.Write {
		perm |= mem.Write
	}
	if sec.Exec {
		perm |= mem.Exec
	}
	return perm
}

// checkBareRoom refuses a section that lies over the memory of a snippet.
func checkBareRoom(s asm.Section) error {
	end := s.Addr + uint64(len(s.Data))
	for _, r := range []struct {
		what       string
		from, size uint64
	}{{"the memory to play with", BareShared, bareSharedSize}, {"the stack", bareStack, bareStackSize}} {
		if len(s.Data) > 0 && s.Addr < r.from+r.size && end > r.from {
			return fmt.Errorf("section %s reaches from %#x to %#x, and %s is at %#x", s.Name, s.Addr, end, r.what, r.from)
		}
	}
	return nil
}

// start sets up registers, stack and memory. The top frame's return address
// is the HLT behind the code.
func (b *Bare) start(begin Start) error {
	const rw = mem.Read | mem.Write
	s := b.Snippet
	var top [8]byte
	for i := range top {
		top[i] = byte(b.End >> (i * 8))
	}
	s.Map = append(s.Map,
		vmm.Region{Addr: BareShared, Size: bareSharedSize, Perm: rw},
		vmm.Region{Addr: bareStack, Size: bareStackSize, Perm: rw},
		vmm.Region{Addr: bareTop - 8, Size: 8, Perm: rw, Bytes: top[:]})
	first, last := s.Load&^(mem.PageSize-1), b.End|(mem.PageSize-1)
	for _, r := range begin.Mem {
		if r.Addr <= last && r.Addr+uint64(len(r.Bytes)) > first {
			return fmt.Errorf("memory at %#x: the code is there, from %#x to %#x", r.Addr, first, last)
		}
		s.Map = append(s.Map, vmm.Region{Addr: r.Addr, Size: uint64(len(r.Bytes)), Perm: rw, Bytes: r.Bytes})
	}
	s.Regs[cpu.RSP] = bareTop - 8
	for i, v := range begin.Regs {
		s.Regs[i] = v
	}
	if begin.Flags != nil {
		s.Flags = *begin.Flags
	}
	return nil
}
