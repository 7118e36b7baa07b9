package engine

import (
	"bytes"
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
	// End is the HLT behind the last byte of the code, where the top frame
	// returns to. If data is there, it is on a page of its own.
	End    uint64
	Engine *vmm.Bare
	Image  mem.Image // memory at the start

	first, behind uint64 // the first piece of code, from its first byte to behind its last
}

// NewBare puts the code of an object on a core.
func NewBare(name string, obj *asm.Object, c BareConfig) (*Bare, error) {
	b := &Bare{Name: name, Object: obj, Engine: vmm.NewBare()}
	b.Snippet = &vmm.Snippet{CPL: c.CPL, Flags: 0x2, Max: c.MaxInstructions, Buffered: c.Late}
	if err := b.place(&c); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := b.start(c.Start); err != nil {
		return nil, err
	}
	s := b.Snippet
	idle := &vmm.Snippet{Entry: b.End, CPL: s.CPL, Flags: s.Flags, Map: s.Map, Max: 1}
	if _, _, err := b.Engine.Run(idle); err != nil {
		return nil, err
	}
	b.Image = b.Engine.Mem.Image(nil) // a run that does nothing shows the memory at the start
	return b, nil
}

// place turns the object into regions and finds the entry.
func (b *Bare) place(c *BareConfig) error {
	s := b.Snippet
	for _, sec := range b.Object.Sections {
		if err := checkBareRoom(sec); err != nil {
			return err
		}
	}
	first, last := codeRun(b.Object.Sections)
	if first < 0 {
		return errors.New("no code: nothing is in an executable section")
	}
	b.first = b.Object.Sections[first].Addr
	b.behind = endOf(b.Object.Sections[last])
	b.End = b.behind
	for b.taken(b.End) {
		b.End = max(b.End&^(mem.PageSize-1)+mem.PageSize, bareTop)
	}
	s.Map = append(padding(b.Object.Sections, first, last), vmm.Region{Addr: b.End, Size: 1, Perm: mem.Read | mem.Exec, Bytes: []byte{opcodeHLT}})
	for _, sec := range b.Object.Sections {
		s.Map = append(s.Map, vmm.Region{Addr: sec.Addr, Size: uint64(len(sec.Data)), Perm: permOf(sec), Bytes: sec.Data})
	}
	s.Map = append(s.Map, sharedPages(b.Object.Sections)...)
	return b.enter(c)
}

// enter finds where the snippet begins.
func (b *Bare) enter(c *BareConfig) error {
	s := b.Snippet
	s.Entry = b.first
	if c.Begin != 0 {
		s.Entry = c.Begin
	}
	if c.Entry == "" {
		return nil
	}
	if sym, ok := b.Object.Lookup(c.Entry); ok {
		s.Entry = sym.Addr
		return nil
	}
	at, err := strconv.ParseUint(c.Entry, 0, 64)
	if err != nil {
		return &SymbolError{c.Entry, labels(b.Object)}
	}
	s.Entry = at
	return nil
}

const opcodeHLT = 0xf4

// maxCode bounds code in one piece, in bytes: the space between sections is
// filled with HLT as far as this.
const maxCode = 16 << 20

func endOf(s asm.Section) uint64 { return s.Addr + uint64(len(s.Data)) }

// codeRun is the first piece of code: from the first executable section to the
// last before something else comes.
func codeRun(sections []asm.Section) (first, last int) {
	first, last = -1, -1
	for i, s := range sections {
		switch {
		case len(s.Data) == 0:
		case first < 0 && s.Exec:
			first, last = i, i
		case first >= 0 && (!s.Exec || s.Addr-sections[first].Addr > maxCode):
			return first, last
		case first >= 0:
			last = i
		}
	}
	return first, last
}

// padding is HLT wherever the pages of executable sections hold nothing else,
// and between those of the first piece.
func padding(sections []asm.Section, first, last int) (list []vmm.Region) {
	add := func(from, to uint64) {
		if from < to {
			list = append(list, vmm.Region{Addr: from, Size: to - from, Perm: mem.Read | mem.Exec, Bytes: bytes.Repeat([]byte{opcodeHLT}, int(to-from))})
		}
	}
	from := uint64(0) // the end of the section before in the first piece
	for i, s := range sections {
		if !s.Exec || len(s.Data) == 0 {
			continue
		}
		if i <= first || i > last {
			from = s.Addr &^ (mem.PageSize - 1)
		}
		end := endOf(s)
		add(from, s.Addr)
		add(end, (end+mem.PageSize-1)&^(mem.PageSize-1))
		from = end
	}
	return list
}

// sharedPages gives a page with several sections the permissions of all: mapped
// one after the other, the last would decide.
func sharedPages(sections []asm.Section) (list []vmm.Region) {
	perms := map[uint64]mem.Perm{}
	for _, s := range sections {
		if len(s.Data) == 0 {
			continue
		}
		first, last := s.Addr&^(mem.PageSize-1), (endOf(s)-1)&^(mem.PageSize-1)
		for _, page := range []uint64{first, last} {
			if have := perms[page]; have != 0 && have|permOf(s) != have {
				list = append(list, vmm.Region{Addr: page, Size: mem.PageSize, Perm: have | permOf(s)})
			}
			perms[page] |= permOf(s)
		}
	}
	return list
}

// taken reports whether the HLT behind the code cannot be there: another
// section is, or the page is one of data.
func (b *Bare) taken(addr uint64) bool {
	page := addr &^ (mem.PageSize - 1)
	if page >= BareShared && page < BareShared+bareSharedSize || page >= bareStack && page < bareTop {
		return true
	}
	for _, s := range b.Object.Sections {
		switch {
		case len(s.Data) == 0:
		case addr >= s.Addr && addr < endOf(s), addr == page && s.Addr < page+mem.PageSize && endOf(s) > page:
			return true
		}
	}
	return false
}

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
	for _, r := range begin.Mem {
		for _, code := range [][2]uint64{{b.first, b.behind - 1}, {b.End, b.End}} {
			first, last := code[0]&^(mem.PageSize-1), code[1]|(mem.PageSize-1)
			if r.Addr <= last && r.Addr+uint64(len(r.Bytes)) > first {
				return fmt.Errorf("memory at %#x: the code is there, from %#x to %#x", r.Addr, first, last)
			}
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
