package main

import (
	"fmt"
	"io"
	"strings"

	"spinlab/cpu"
	"spinlab/experiment"
	"spinlab/mem"
	"spinlab/vmm"
)

// bareReport is what a snippet did; its fields are the JSON.
type bareReport struct {
	Target       string            `json:"target"`
	Stop         vmm.BareStop      `json:"stop"`
	RIP          string            `json:"rip"`
	Symbol       string            `json:"symbol"`
	Instructions uint64            `json:"instructions"`
	Locked       uint64            `json:"locked"`
	Loads        uint64            `json:"loads"`
	Stores       uint64            `json:"stores"`
	Registers    []change          `json:"registers"`
	Memory       []change          `json:"memory"`
	Exits        map[string]uint64 `json:"exits"`
	Fault        *faultJSON        `json:"fault"`
	Why          string            `json:"why,omitempty"`

	atEnd bool
	fault string // in words
}

// faultJSON is an exception as exec has it.
type faultJSON struct {
	Vector uint8  `json:"vector"`
	Name   string `json:"name"`
	Error  uint32 `json:"error"`
	CR2    string `json:"cr2"`
	Triple bool   `json:"triple,omitempty"`
}

// change is one thing that differs from the start.
type change struct {
	What   string `json:"what"`
	Before string `json:"before"`
	After  string `json:"after"`
}

var exitNames = map[cpu.ExitKind]string{
	cpu.ExitHLT: "hlt", cpu.ExitVMCall: "hypercall", cpu.ExitCPUID: "cpuid", cpu.ExitIn: "in", cpu.ExitOut: "out",
	cpu.ExitRDMSR: "rdmsr", cpu.ExitWRMSR: "wrmsr", cpu.ExitCRRead: "cr_read", cpu.ExitCRWrite: "cr_write",
	cpu.ExitRDTSC: "rdtsc", cpu.ExitPause: "pause", cpu.ExitMWAIT: "mwait",
}

// report compares the machine with its start.
func (m *bareMachine) report(stop vmm.BareStop, why string) *bareReport {
	c := m.engine.Core
	r := &bareReport{Target: m.code.name, Stop: stop, RIP: hexNumber(c.RIP), Symbol: experiment.Symbol(m.code.obj, c.RIP),
		Instructions: c.Count.Instructions, Locked: c.Count.Locked, Loads: c.Count.Loads, Stores: c.Count.Stores,
		Registers: []change{}, Memory: []change{}, Exits: map[string]uint64{}, Why: why,
		atEnd: stop == vmm.BareHLT && c.RIP == m.end}
	for i, name := range cpu.RegNames {
		if c.R[i] != m.s.Regs[i] {
			r.Registers = append(r.Registers, change{strings.ToLower(name), hexNumber(m.s.Regs[i]), hexNumber(c.R[i])})
		}
	}
	if was := m.s.Flags | 2; c.RFlags() != was {
		r.Registers = append(r.Registers, change{"rflags", flagText(was), flagText(c.RFlags())})
	}
	for _, run := range m.engine.Changes() {
		old := imageBytes(m.image, run.Addr, len(run.Bytes))
		r.Memory = append(r.Memory, change{hexNumber(run.Addr), hexBytes(old), hexBytes(run.Bytes)})
	}
	for kind, n := range m.engine.Exits {
		if n > 0 {
			r.Exits[exitNames[cpu.ExitKind(kind)]] = n
		}
	}
	if stop == vmm.BareFault {
		f := &c.Fault
		r.fault = faultText(f)
		r.Fault = &faultJSON{f.Vector, cpu.VectorName(f.Vector), f.Error, hexNumber(f.CR2), f.Triple}
	}
	return r
}

// imageBytes reads from a copy of memory; what it lacks was zero.
func imageBytes(img mem.Image, addr uint64, n int) []byte {
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

var flagNames = []struct {
	bit  uint64
	name string
}{{cpu.CF, "CF"}, {cpu.PF, "PF"}, {cpu.AF, "AF"}, {cpu.ZF, "ZF"}, {cpu.SF, "SF"}, {cpu.TF, "TF"},
	{cpu.IF, "IF"}, {cpu.DF, "DF"}, {cpu.OF, "OF"}, {cpu.AC, "AC"}}

// flagText is RFLAGS in hex with the names of its set bits.
func flagText(v uint64) string {
	var names []string
	for _, f := range flagNames {
		if v&f.bit != 0 {
			names = append(names, f.name)
		}
	}
	if len(names) == 0 {
		return hexNumber(v)
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

func (r *bareReport) exitCode() int {
	switch r.Stop {
	case vmm.BareHLT:
		return exitOK
	case vmm.BareLimit:
		return exitLimit
	}
	return exitBad
}

func (r *bareReport) print(w io.Writer, format string) error {
	t := r.changes()
	switch format {
	case "json":
		return writeJSON(w, r)
	case "csv":
		r.facts(&t)
		return t.csv(w)
	}
	fmt.Fprintf(w, "%s: %s at %s — %s instructions, %d locked, %d loads, %d stores\n",
		r.Target, r.verdict(), r.place(), grouped(r.Instructions), r.Locked, r.Loads, r.Stores)
	for k := range cpu.NumExits {
		if n := r.Exits[exitNames[k]]; n > 0 && k != cpu.ExitHLT {
			fmt.Fprintf(w, "exits: %s %d\n", exitNames[k], n)
		}
	}
	if len(t.rows) > 0 {
		t.text(w)
	}
	return nil
}

func (r *bareReport) place() string {
	if r.Symbol == "" || r.atEnd {
		return r.RIP
	}
	return r.RIP + " (" + r.Symbol + ")"
}

func (r *bareReport) verdict() string {
	switch {
	case r.Fault != nil:
		return "fault " + r.fault
	case r.Stop == vmm.BareUnsupported:
		return "unsupported (" + r.Why + ")"
	case r.atEnd:
		return "end"
	}
	return string(r.Stop)
}

// facts adds how it ended to a table of changes.
func (r *bareReport) facts(t *table) {
	t.add("stop", "", r.verdict())
	t.add("rip", "", r.RIP)
	t.add("instructions", "", r.Instructions)
	t.add("locked", "", r.Locked)
}

// changes is one table of everything that differs.
func (r *bareReport) changes() table {
	t := table{head: []string{"changed", "before", "after"}}
	for _, c := range r.Registers {
		t.add(c.What, c.Before, c.After)
	}
	for _, c := range r.Memory {
		t.add("["+c.What+"]", c.Before, c.After)
	}
	return t
}
