package main

import (
	"fmt"
	"io"
	"strings"

	"spinlab/experiment"
	"spinlab/guestcode"
	"spinlab/locktest/engine"
	"spinlab/vmm"
)

// trace prints what happens on a machine, a line for each event: time, vCPU,
// place, text, effects.
type trace struct {
	w        io.Writer
	p        *guestcode.Program
	manyVMs  bool
	compiled bool              // the program has lines of C
	flags    map[[2]int]uint64 // RFLAGS after the last instruction, by VM and vCPU
	buffered map[int]uint8     // entries of each pCPU's store buffer
}

func newTrace(w io.Writer, p *guestcode.Program, vms int) *trace {
	return &trace{w: w, p: p, manyVMs: vms > 1, compiled: hasCompiledLines(p.Object), flags: map[[2]int]uint64{}, buffered: map[int]uint8{}}
}

// machineTrace is a trace of a machine that may be in the middle of its run.
func machineTrace(w io.Writer, j *job) *trace {
	t := newTrace(w, j.p, len(j.m.VMs))
	for i, port := range j.m.Ports {
		t.buffered[i] = port.B.N
	}
	return t
}

// event is the machine's observer.
func (t *trace) event(e *vmm.Event) {
	if e.Kind == vmm.EventInstruction {
		t.instruction(e)
		return
	}
	who := fmt.Sprintf("p%d", e.PCPU)
	if e.VCPU >= 0 {
		who = t.vcpu(e.VM, e.VCPU)
	}
	what := e.Kind.String()
	switch e.Kind {
	case vmm.EventCommit:
		if t.buffered[e.PCPU] > 0 {
			t.buffered[e.PCPU]--
		}
		what += fmt.Sprintf(" [%s] %s, buffer -1 (%d)", t.memory(e.Store.Addr), little(e.Store.Data, e.Store.Size), t.buffered[e.PCPU])
	case vmm.EventExit:
		what += " " + e.Reason.String()
	case vmm.EventKick:
		what += " " + t.vcpu(e.VM, e.Target)
	case vmm.EventRaise, vmm.EventInterrupt:
		what += fmt.Sprintf(" %#x", e.Target)
	case vmm.EventSwitch:
		what += fmt.Sprintf(" to p%d", e.PCPU)
	}
	fmt.Fprintf(t.w, "%10d  %-5s ---- %s\n", e.Time, who, what)
}

func (t *trace) vcpu(vm, vcpu int) string {
	if t.manyVMs {
		return fmt.Sprintf("m%dv%d", vm, vcpu)
	}
	return fmt.Sprintf("v%d", vcpu)
}

func (t *trace) instruction(e *vmm.Event) {
	names := func(a uint64) string { return experiment.Symbol(t.p.Object, a) }
	text := e.Op.Format(e.RIP, names)
	before, after := [16]uint64(e.Before.R[:16]), [16]uint64(e.After.R[:16])
	effects := registerEffects(&before, &after, e.Before.Flags, e.After.Flags)
	for _, s := range e.Stores {
		effects = append(effects, fmt.Sprintf("[%s] %s -> %s", t.memory(s.Addr), little(s.Old, s.Size), little(s.Val, s.Size)))
	}
	if n := e.Buffer.N; n != t.buffered[e.PCPU] {
		effects = append(effects, fmt.Sprintf("buffer %+d (%d)", int(n)-int(t.buffered[e.PCPU]), n))
		t.buffered[e.PCPU] = n
	}
	line := fmt.Sprintf("%10d  %-5s %#x  %-24s %s%-32s %s", e.Time, t.vcpu(e.VM, e.VCPU), e.RIP, names(e.RIP), t.place(e.RIP), text, strings.Join(effects, ", "))
	fmt.Fprintln(t.w, strings.TrimRight(line, " "))
}

// place is a column with the line of C, if the program has any.
func (t *trace) place(a uint64) string {
	if !t.compiled {
		return ""
	}
	return fmt.Sprintf("%-16s ", compiledLine(t.p.Object, a))
}

// memory names an address of the guest's map.
func (t *trace) memory(a uint64) string { return engine.Place(t.p, a) }

// little is a value as it lies in memory, in hex.
func little(v uint64, size uint8) string {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(v >> (i * 8))
	}
	return hexBytes(b)
}
