package vmm

import (
	"fmt"

	"spinlab/cpu"
	"spinlab/mem"
)

// Region is memory that a snippet starts with: size bytes at Addr, the first
// ones given.
type Region struct {
	Addr, Size uint64
	Perm       mem.Perm
	Bytes      []byte
}

// Snippet is a piece of code to run alone on one core without a hypervisor.
type Snippet struct {
	Load     uint64 // where Code goes, in whole pages filled up with HLT
	Code     []byte
	CodePerm mem.Perm
	Entry    uint64
	Regs     [16]uint64
	Flags    uint64
	XMM      *[16][2]uint64 // nil: zero
	CPL      uint8
	FSBase   uint64
	GSBase   uint64
	Map      []Region
	Max      uint64 // instructions; at least 1
	HLTArch  bool   // HLT acts by its CPL; else the first one reached ends the run
	Buffered bool   // stores wait in the buffer until a drain; else they commit at once
	Observer func(c *cpu.Core, p *mem.Port, before *cpu.State)
}

// BareStop says how a snippet ended.
type BareStop string

// The ends of a snippet.
const (
	BareHLT         BareStop = "hlt"
	BareFault       BareStop = "fault"
	BareLimit       BareStop = "limit"
	BareUnsupported BareStop = "unsupported"
)

// Bare runs snippets one after the other on one core. It answers CPUID from
// the fixed set of BaseCPUID and RDTSC with the cycles so far; hypercalls,
// ports, MSRs and control registers end a snippet as unsupported.
type Bare struct {
	Mem  *mem.Memory
	Core *cpu.Core
	Port *mem.Port
	// Exits counts the exits of the last Run by kind.
	Exits [cpu.NumExits]uint64

	code *cpu.Code
	base mem.Image
}

// Addresses are limited to what the line directory and page tables of a small
// machine need; a snippet may map this many bytes.
const bareLimit = 64 << 20

// NewBare gives an idle engine.
func NewBare() *Bare {
	m := mem.New()
	m.SetLimit(bareLimit)
	b := &Bare{Mem: m, code: cpu.NewCode(nil)}
	b.Core = cpu.NewCore(b.code)
	b.Port = mem.NewPort(m, 0, nil, mem.Eager)
	return b
}

// Run executes s from a clean machine. Afterwards Core holds the final state,
// and Changes tells what happened to memory. why explains an unsupported stop.
// It fails only on a snippet that cannot be set up.
func (b *Bare) Run(s *Snippet) (stop BareStop, why string, err error) {
	if err := b.load(s); err != nil {
		return "", "", err
	}
	b.base = b.Mem.Image(b.base)
	stop, why = b.run(s)
	b.Port.CommitAll()
	return stop, why, nil
}

// Changes returns the bytes that differ from the start, in address order.
func (b *Bare) Changes() []mem.Run { return b.Mem.Changes(b.base) }

func (b *Bare) load(s *Snippet) error {
	b.Mem.Reset()
	b.code.Reset()
	mode := mem.Eager
	if s.Buffered {
		mode = mem.Late
	}
	b.Port.Reset(mode)
	for _, r := range s.Map {
		if err := b.Mem.Map(r.Addr, r.Size, r.Perm); err != nil {
			return err
		}
		if n := b.Mem.Poke(r.Addr, r.Bytes); n < len(r.Bytes) {
			return fmt.Errorf("map %#x: %d bytes given for %d", r.Addr, len(r.Bytes), r.Size)
		}
	}
	if len(s.Code) > 0 {
		first := s.Load &^ (mem.PageSize - 1)
		size := (s.Load + uint64(len(s.Code)) - first + mem.PageSize - 1) &^ (mem.PageSize - 1)
		if err := b.Mem.Map(first, size, s.CodePerm); err != nil {
			return err
		}
		b.Mem.Fill(first, size, 0xf4)
		b.Mem.Poke(s.Load, s.Code)
	}
	c := b.Core
	c.Reset()
	c.Count, c.Now, c.Delay = cpu.Counters{}, 0, 0
	b.Exits = [cpu.NumExits]uint64{}
	copy(c.R[:16], s.Regs[:])
	c.SetRFlags(s.Flags)
	c.SetCPL(s.CPL)
	c.FSBase, c.GSBase, c.HLTAny = s.FSBase, s.GSBase, !s.HLTArch
	if s.XMM != nil {
		c.XMM = *s.XMM
	}
	c.Jump(s.Entry)
	return nil
}

func (b *Bare) run(s *Snippet) (BareStop, string) {
	c := b.Core
	budget := cpu.Budget{Retire: s.Max}
	for {
		if s.Observer != nil {
			budget.Retire = 1
		}
		before := c.State
		stop := c.Run(b.Port, budget)
		if s.Observer != nil {
			s.Observer(c, b.Port, &before)
		}
		switch stop {
		case cpu.Retired:
			if c.Count.Spent() >= s.Max {
				return BareLimit, ""
			}
		case cpu.Exited:
			if end, why, over := b.exit(s); over {
				return end, why
			}
			if c.Count.Spent() >= s.Max {
				return BareLimit, ""
			}
		case cpu.Faulted:
			return BareFault, ""
		case cpu.Unsupported:
			return BareUnsupported, c.Why
		default:
			return BareUnsupported, "stopped: " + stop.String()
		}
		if s.Observer == nil {
			budget.Retire = s.Max - c.Count.Spent()
		}
	}
}

// exit answers what a bare core can have answered.
func (b *Bare) exit(s *Snippet) (BareStop, string, bool) {
	c := b.Core
	name := ""
	b.Exits[c.Exit.Kind]++
	switch c.Exit.Kind {
	case cpu.ExitHLT:
		if !s.HLTArch {
			c.Jump(c.Exit.RIP)
			c.Count.Instructions--
		}
		return BareHLT, "", true
	case cpu.ExitCPUID:
		a, bx, cx, d := BaseCPUID(uint32(c.R[cpu.RAX]), uint32(c.R[cpu.RCX]))
		c.R[cpu.RAX], c.R[cpu.RBX], c.R[cpu.RCX], c.R[cpu.RDX] = uint64(a), uint64(bx), uint64(cx), uint64(d)
		return "", "", false
	case cpu.ExitRDTSC:
		c.R[cpu.RAX], c.R[cpu.RDX] = c.Now&0xffffffff, c.Now>>32
		if c.Exit.Reg != 0 { // RDTSCP: the processor number is 0
			c.R[cpu.RCX] = 0
		}
		return "", "", false
	case cpu.ExitVMCall:
		name = "a hypercall"
	case cpu.ExitIn, cpu.ExitOut:
		name = "port I/O"
	case cpu.ExitRDMSR, cpu.ExitWRMSR:
		name = "an MSR access"
	case cpu.ExitCRRead, cpu.ExitCRWrite:
		name = "a control register access"
	case cpu.ExitMWAIT:
		name = "monitor or mwait"
	}
	c.Jump(c.Exit.RIP)
	c.Count.Instructions--
	return BareUnsupported, name + " has no hypervisor to answer it on a bare core", true
}
