package engine

import (
	"fmt"
	"strings"

	"spinlab/asm"
	"spinlab/cpu"
	"spinlab/experiment"
	"spinlab/mem"
	"spinlab/vmm"
)

// Change is one thing that differs from the start: a register, rflags, or the
// address of a run of bytes.
type Change struct {
	What   string `json:"what"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Fault is an exception that nobody handled, as exec has it.
type Fault struct {
	Vector uint8  `json:"vector"`
	Name   string `json:"name"`
	Error  uint32 `json:"error"`
	CR2    string `json:"cr2"`
	Triple bool   `json:"triple,omitempty"`
}

// BareReport is what a snippet did; its fields are the JSON of run --bare.
type BareReport struct {
	Target       string            `json:"target"`
	Stop         vmm.BareStop      `json:"stop"`
	RIP          string            `json:"rip"`
	Symbol       string            `json:"symbol"`
	Instructions uint64            `json:"instructions"`
	Locked       uint64            `json:"locked"`
	Loads        uint64            `json:"loads"`
	Stores       uint64            `json:"stores"`
	Registers    []Change          `json:"registers"`
	Memory       []Change          `json:"memory"`
	Exits        map[string]uint64 `json:"exits"`
	Fault        *Fault            `json:"fault"`
	Why          string            `json:"why,omitempty"`

	AtEnd    bool   `json:"-"` // it came to its end: no HLT of its own
	Branches uint64 `json:"-"` // jumps, calls and returns; only RunCounting counts them
	fault    string // in words
}

// ExitNames are the kinds of exit as reports name them.
var ExitNames = map[cpu.ExitKind]string{
	cpu.ExitHLT: "hlt", cpu.ExitVMCall: "hypercall", cpu.ExitCPUID: "cpuid", cpu.ExitIn: "in", cpu.ExitOut: "out",
	cpu.ExitRDMSR: "rdmsr", cpu.ExitWRMSR: "wrmsr", cpu.ExitCRRead: "cr_read", cpu.ExitCRWrite: "cr_write",
	cpu.ExitRDTSC: "rdtsc", cpu.ExitPause: "pause", cpu.ExitMWAIT: "mwait",
}

// Run runs the snippet and compares the machine with its start.
func (b *Bare) Run() (*BareReport, error) {
	stop, why, err := b.Engine.Run(b.Snippet)
	if err != nil {
		return nil, err
	}
	return b.report(stop, why), nil
}

// RunCounting is Run, one instruction at a time: the branches are counted, too.
func (b *Bare) RunCounting() (*BareReport, error) {
	n := uint64(0)
	b.Snippet.Observer = func(_ *cpu.Core, p *mem.Port, before *cpu.State) {
		if op := opAt(p.M, before.RIP); op.Mn.IsBranch() {
			n++
		}
	}
	r, err := b.Run()
	if err == nil {
		r.Branches = n
	}
	return r, err
}

// opAt decodes the instruction that memory holds at an address.
func opAt(m *mem.Memory, addr uint64) cpu.Op {
	var raw [15]byte
	n := m.Peek(addr, raw[:])
	return DecodeAt(raw[:n], addr)
}

func (b *Bare) report(stop vmm.BareStop, why string) *BareReport {
	c := b.Engine.Core
	r := &BareReport{Target: b.Name, Stop: stop, RIP: fmt.Sprintf("%#x", c.RIP), Symbol: experiment.Symbol(b.Object, c.RIP),
		Instructions: c.Count.Instructions, Locked: c.Count.Locked, Loads: c.Count.Loads, Stores: c.Count.Stores,
		Registers: []Change{}, Memory: []Change{}, Exits: map[string]uint64{}, Why: why,
		AtEnd: stop == vmm.BareHLT && c.RIP == b.End}
	for i, name := range cpu.RegNames {
		if c.R[i] != b.Snippet.Regs[i] {
			r.Registers = append(r.Registers, Change{strings.ToLower(name), fmt.Sprintf("%#x", b.Snippet.Regs[i]), fmt.Sprintf("%#x", c.R[i])})
		}
	}
	if was := b.Snippet.Flags | 2; c.RFlags() != was {
		r.Registers = append(r.Registers, Change{"rflags", FlagText(was), FlagText(c.RFlags())})
	}
	for _, run := range b.Engine.Changes() {
		old := ImageBytes(b.Image, run.Addr, len(run.Bytes))
		r.Memory = append(r.Memory, Change{fmt.Sprintf("%#x", run.Addr), fmt.Sprintf("%x", old), fmt.Sprintf("%x", run.Bytes)})
	}
	for kind, n := range b.Engine.Exits {
		if n > 0 {
			r.Exits[ExitNames[cpu.ExitKind(kind)]] = n
		}
	}
	if stop == vmm.BareFault {
		f := &c.Fault
		r.fault = faultText(f)
		r.Fault = &Fault{f.Vector, cpu.VectorName(f.Vector), f.Error, fmt.Sprintf("%#x", f.CR2), f.Triple}
	}
	return r
}

// Verdict says in words how it ended: "end", "hlt", "limit", a fault.
func (r *BareReport) Verdict() string {
	switch {
	case r.Fault != nil:
		return "fault " + r.fault
	case r.Stop == vmm.BareUnsupported:
		return "unsupported (" + r.Why + ")"
	case r.AtEnd:
		return "end"
	}
	return string(r.Stop)
}

// Place is where it ended.
func (r *BareReport) Place() string {
	if r.Symbol == "" || r.AtEnd {
		return r.RIP
	}
	return r.RIP + " (" + r.Symbol + ")"
}

// Cost is what it executed.
func (r *BareReport) Cost() experiment.Cost {
	return experiment.Cost{Instructions: r.Instructions, Locked: r.Locked, Loads: r.Loads, Stores: r.Stores, Branches: r.Branches}
}

// ImageBytes reads from a copy of memory; what it lacks was zero.
func ImageBytes(img mem.Image, addr uint64, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		a := addr + uint64(i)
		for k := range img {
			if img[k].Addr == a&^(mem.PageSize-1) {
				b[i] = byte(img[k].W[a%mem.PageSize/8] >> (a % 8 * 8))
			}
		}
	}
	return b
}

// FlagNames are the bits of RFLAGS that reports name.
var FlagNames = []struct {
	Bit  uint64
	Name string
}{{cpu.CF, "CF"}, {cpu.PF, "PF"}, {cpu.AF, "AF"}, {cpu.ZF, "ZF"}, {cpu.SF, "SF"}, {cpu.TF, "TF"},
	{cpu.IF, "IF"}, {cpu.DF, "DF"}, {cpu.OF, "OF"}, {cpu.AC, "AC"}}

// FlagText is RFLAGS in hex with the names of its set bits.
func FlagText(v uint64) string {
	var names []string
	for _, f := range FlagNames {
		if v&f.Bit != 0 {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return fmt.Sprintf("%#x", v)
	}
	return fmt.Sprintf("%#x (%s)", v, strings.Join(names, " "))
}

// faultText names an exception that nobody handles.
func faultText(f *cpu.Fault) string {
	text := cpu.VectorName(f.Vector)
	if text == "" {
		text = fmt.Sprintf("vector %d", f.Vector)
	}
	if f.HasError {
		text += fmt.Sprintf(", error %#x", f.Error)
	}
	if text[:3] == "#PF" {
		text += fmt.Sprintf(", address %#x", f.CR2)
	}
	if f.Triple {
		text += ": triple fault"
	}
	return text
}

// labels lists the labels of an object that a person would call, by address.
func labels(obj *asm.Object) (names []string) {
	for _, s := range obj.Symbols {
		if !s.Absolute && !strings.HasPrefix(s.Name, ".") {
			names = append(names, s.Name)
		}
	}
	return names
}

func join(words []string) string { return strings.Join(words, ", ") }
