package hardware

import (
	"fmt"

	"spinlab/cpu"
	"spinlab/mem"
	"spinlab/vmm"
)

// engine is one way of running a case in vmm.Bare.
type engine struct {
	name     string
	bare     *vmm.Bare
	buffered bool
}

// engines are the three ways: the fast switch, the reference handlers, and
// stores that wait in the store buffer.
func engines() []*engine {
	list := []*engine{{name: "fast"}, {name: "plain"}, {name: "buffered", buffered: true}}
	for _, e := range list {
		e.bare = vmm.NewBare()
		e.bare.Core.Plain = e.name == "plain"
	}
	return list
}

// maxTurns bounds a case; none needs as many instructions.
const maxTurns = 20000

// run executes a case. count is how many instructions retired.
func (e *engine) run(c *testCase) (o outcome, count uint64, err error) {
	xmm := c.XMM
	page := c.page()
	s := vmm.Snippet{
		Load: codePage + uint64(c.Offset), Entry: codePage + uint64(c.Offset), Code: c.Code, CodePerm: mem.Read | mem.Exec,
		Regs: c.Regs, Flags: c.Flags, XMM: &xmm, CPL: 3, FSBase: fsBase, GSBase: gsBase,
		Map: []vmm.Region{{Addr: scratchPage, Size: pageSize, Perm: mem.Read | mem.Write, Bytes: page[:]}},
		Max: maxTurns, Buffered: e.buffered,
	}
	stop, why, err := e.bare.Run(&s)
	if err != nil {
		return o, 0, err
	}
	core := e.bare.Core
	o = outcome{Flags: core.RFlags(), RIP: core.RIP, XMM: core.XMM, Page: *page}
	copy(o.Regs[:], core.R[:16])
	switch stop {
	case vmm.BareHLT:
		o.HLT = true
	case vmm.BareFault:
		f := core.Fault
		o.RIP, o.Vector, o.Error, o.CR2 = f.RIP, f.Vector, f.Error, f.CR2
	default:
		return o, 0, fmt.Errorf("stopped as %s: %s", stop, why)
	}
	for _, r := range e.bare.Changes() {
		if r.Addr < scratchPage || r.Addr+uint64(len(r.Bytes)) > scratchPage+pageSize {
			return o, 0, fmt.Errorf("wrote %d bytes at %#x", len(r.Bytes), r.Addr)
		}
		copy(o.Page[r.Addr-scratchPage:], r.Bytes)
	}
	return o, core.Count.Instructions, nil
}

// compare says in which way the engine's outcome is not the processor's; ""
// if it is.
func (c *testCase) compare(want, got *outcome) string {
	if c.AnyCR2 {
		same := *got
		same.CR2 = want.CR2
		got = &same
	}
	switch {
	case want.stop() != got.stop():
		return fmt.Sprintf("%s, want %s", got.stop(), want.stop())
	case want.RIP != got.RIP:
		return fmt.Sprintf("rip %#x, want %#x", got.RIP, want.RIP)
	}
	for i, w := range want.Regs {
		if c.UndefRegs>>i&1 == 0 && got.Regs[i] != w {
			return fmt.Sprintf("%s %#x, want %#x", cpu.RegNames[i], got.Regs[i], w)
		}
	}
	mask := ^c.undefined(want.RIP, !want.HLT)
	if got.Flags&mask != want.Flags&mask {
		return fmt.Sprintf("flags %#x, want %#x, of %#x", got.Flags&mask, want.Flags&mask, mask&0xffffff)
	}
	for i, w := range want.XMM {
		if got.XMM[i] != w {
			return fmt.Sprintf("xmm%d %016x, want %016x", i, got.XMM[i], w)
		}
	}
	if c.AnyPage && !want.HLT {
		return ""
	}
	for i, w := range want.Page {
		if got.Page[i] != w {
			return fmt.Sprintf("byte %#x is %#x, want %#x (was %#x)", scratchPage+i, got.Page[i], w, c.page()[i])
		}
	}
	return ""
}

// stop describes how a run ended, with all that the exception says.
func (o *outcome) stop() string {
	switch {
	case o.HLT:
		return "hlt"
	case o.Vector == 14:
		return fmt.Sprintf("#PF error %#x cr2 %#x", o.Error, o.CR2)
	case o.Error != 0:
		return fmt.Sprintf("%s error %#x", cpu.VectorName(o.Vector), o.Error)
	}
	return cpu.VectorName(o.Vector)
}

// checkEngines runs a case in every engine against what the processor did, and
// the engines against each other in all that the manuals leave open as well.
func checkEngines(list []*engine, c *testCase, want *outcome) string {
	var first outcome
	var counted uint64
	for i, e := range list {
		got, count, err := e.run(c)
		if err != nil {
			return e.name + ": " + err.Error()
		}
		if why := c.compare(want, &got); why != "" {
			return e.name + ": " + why
		}
		if n, ok := c.retired(want.RIP); ok && n != count {
			return fmt.Sprintf("%s: %d instructions retired, want %d", e.name, count, n)
		}
		if i == 0 {
			first, counted = got, count
		} else if got != first || count != counted {
			return fmt.Sprintf("%s ends otherwise than %s: flags %#x and %#x, %d and %d instructions, registers equal: %v",
				e.name, list[0].name, got.Flags, first.Flags, count, counted, got.Regs == first.Regs)
		}
	}
	return ""
}
