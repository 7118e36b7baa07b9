package main

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"spinlab/asm"
	"spinlab/cpu"
	"spinlab/guestcode"
	"spinlab/mem"
	"spinlab/vmm"
)

// Where a bare snippet finds memory.
const (
	bareShared     = 0x200000 // mapped read and write, all zero but for --mem
	bareSharedSize = 0x10000
	bareStack      = 0x300000
	bareStackSize  = 0x8000
	bareTop        = bareStack + bareStackSize
)

// bareMachine is a snippet, ready to run, and what it came from.
type bareMachine struct {
	code   code
	s      *vmm.Snippet
	end    uint64 // the HLT behind the last byte: also where the top frame returns to
	engine *vmm.Bare
	image  mem.Image // memory at the start
}

// bareRun is the verb run with --bare.
func bareRun(cmd *cobra.Command, arg string, f *runFlags) error {
	m, err := newBareMachine(cmd, arg, f)
	if err != nil {
		return err
	}
	return buffered(cmd, func(w *bufio.Writer) error {
		if f.trace {
			m.s.Observer = newBareTrace(w, m).step
		}
		stop, why, err := m.engine.Run(m.s)
		if err != nil {
			return err
		}
		r := m.report(stop, why)
		if err := r.print(w, f.output.value); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		return exitWith(r.exitCode())
	})
}

func newBareMachine(cmd *cobra.Command, arg string, f *runFlags) (*bareMachine, error) {
	defines, err := parseDefines(f.defines)
	if err != nil {
		return nil, err
	}
	begin, err := parseStart(f.set, f.memory)
	if err != nil {
		return nil, err
	}
	if err := f.checkBare(cmd); err != nil {
		return nil, err
	}
	config := guestcode.Config{Defines: defines}
	if err := f.bind.apply(&config); err != nil {
		return nil, err
	}
	c, err := findCode(arg, cmd.InOrStdin(), config, false)
	if err != nil {
		return nil, err
	}
	printNotes(cmd, c.notes)
	if err := checkBareRoom(c.obj); err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	m := &bareMachine{code: c, engine: vmm.NewBare()}
	m.s = &vmm.Snippet{CPL: f.cpl, Flags: 0x2, Max: f.maxInstructions, Buffered: f.commit.value == "late",
		CodePerm: mem.Read | mem.Exec}
	if err := m.place(&c, f.bind.entry); err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	if err := m.start(begin); err != nil {
		return nil, err
	}
	if _, _, err := m.engine.Run(&vmm.Snippet{Load: m.s.Load, Code: m.s.Code, CodePerm: m.s.CodePerm, Entry: m.end,
		CPL: m.s.CPL, Flags: m.s.Flags, Map: m.s.Map, Max: 1}); err != nil {
		return nil, err
	}
	m.image = m.engine.Mem.Image(nil) // a run that does nothing shows the memory at the start
	return m, nil
}

// place turns the object into code and regions and finds the entry.
func (m *bareMachine) place(c *code, entry string) error {
	obj := c.obj
	apart := false // something else lies behind the code so far
	for _, sec := range obj.Sections {
		if len(m.s.Code) > 0 {
			apart = apart || !sec.Exec || sec.Addr-m.s.Load > maxSource
		}
		if !sec.Exec || apart {
			m.s.Map = append(m.s.Map, vmm.Region{Addr: sec.Addr, Size: uint64(len(sec.Data)), Perm: permOf(sec), Bytes: sec.Data})
			continue
		}
		if len(m.s.Code) == 0 {
			m.s.Load = sec.Addr
		}
		for m.s.Load+uint64(len(m.s.Code)) < sec.Addr {
			m.s.Code = append(m.s.Code, 0xf4)
		}
		m.s.Code = append(m.s.Code, sec.Data...)
		if sec.Write {
			m.s.CodePerm |= mem.Write
		}
	}
	if len(m.s.Code) == 0 {
		return errors.New("no code: nothing is in an executable section")
	}
	m.end = m.s.Load + uint64(len(m.s.Code))
	m.s.Code = append(m.s.Code, 0xf4)
	m.s.Entry = m.s.Load
	if c.entry != 0 {
		m.s.Entry = c.entry
	}
	if entry == "" {
		return nil
	}
	if s, ok := obj.Lookup(entry); ok {
		m.s.Entry = s.Addr
		return nil
	}
	at, err := parseNumber(entry)
	if err != nil {
		return fmt.Errorf("--entry %s: no such symbol", entry)
	}
	m.s.Entry = at
	return nil
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

// checkBareRoom refuses an image that lies over the memory of a snippet.
func checkBareRoom(obj *asm.Object) error {
	for _, s := range obj.Sections {
		for _, r := range []struct {
			what       string
			from, size uint64
		}{{"the memory to play with", bareShared, bareSharedSize}, {"the stack", bareStack, bareStackSize}} {
			if end := s.Addr + uint64(len(s.Data)); len(s.Data) > 0 && s.Addr < r.from+r.size && end > r.from {
				return fmt.Errorf("section %s reaches from %#x to %#x, and %s is at %#x", s.Name, s.Addr, end, r.what, r.from)
			}
		}
	}
	return nil
}

// start sets up registers, stack and memory. The top frame's return address
// is the HLT behind the code.
func (m *bareMachine) start(begin start) error {
	m.s.Map = append(m.s.Map,
		vmm.Region{Addr: bareShared, Size: bareSharedSize, Perm: mem.Read | mem.Write},
		vmm.Region{Addr: bareStack, Size: bareStackSize, Perm: mem.Read | mem.Write})
	var top [8]byte
	for i := range top {
		top[i] = byte(m.end >> (i * 8))
	}
	m.s.Map = append(m.s.Map, vmm.Region{Addr: bareTop - 8, Size: 8, Perm: mem.Read | mem.Write, Bytes: top[:]})
	first, last := m.s.Load&^(mem.PageSize-1), m.end|(mem.PageSize-1)
	for _, r := range begin.mem {
		if r.Addr <= last && r.Addr+uint64(len(r.Bytes)) > first {
			return fmt.Errorf("--mem %#x: the code is there, from %#x to %#x", r.Addr, first, last)
		}
		m.s.Map = append(m.s.Map, vmm.Region{Addr: r.Addr, Size: uint64(len(r.Bytes)), Perm: mem.Read | mem.Write, Bytes: r.Bytes})
	}
	m.s.Regs[cpu.RSP] = bareTop - 8
	for i, v := range begin.regs {
		m.s.Regs[i] = v
	}
	if begin.flags != nil {
		m.s.Flags = *begin.flags
	}
	return nil
}
