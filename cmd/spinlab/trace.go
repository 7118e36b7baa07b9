package main

import (
	"fmt"
	"io"
	"strings"

	"spinlab/cpu"
	"spinlab/experiment"
	"spinlab/locktest/engine"
	"spinlab/mem"
)

// registerEffects lists the registers and flags that an instruction changed.
func registerEffects(before, after *[16]uint64, flagsBefore, flagsAfter uint64) []string {
	var list []string
	for i, name := range cpu.RegNames {
		if before[i] != after[i] {
			list = append(list, fmt.Sprintf("%s %#x -> %#x", strings.ToLower(name), before[i], after[i]))
		}
	}
	for _, f := range engine.FlagNames {
		switch {
		case flagsBefore&f.Bit != 0 && flagsAfter&f.Bit == 0:
			list = append(list, "-"+f.Name)
		case flagsBefore&f.Bit == 0 && flagsAfter&f.Bit != 0:
			list = append(list, "+"+f.Name)
		}
	}
	return list
}

// bareTrace prints what each instruction of a snippet does.
type bareTrace struct {
	w        io.Writer
	m        *engine.Bare
	image    mem.Image
	flags    uint64
	buffered uint8
	compiled bool // the code has lines of C
}

func newBareTrace(w io.Writer, m *engine.Bare) *bareTrace {
	return &bareTrace{w: w, m: m, image: append(mem.Image(nil), m.Image...), flags: m.Snippet.Flags | 2, compiled: hasCompiledLines(m.Object)}
}

// step is vmm's observer: the instruction at before.RIP has run. The HLT behind
// the code is ours and not shown.
func (t *bareTrace) step(c *cpu.Core, p *mem.Port, before *cpu.State) {
	if before.RIP == t.m.End {
		return
	}
	var b [15]byte
	n := p.M.Peek(before.RIP, b[:])
	op := engine.DecodeAt(b[:n], before.RIP)
	text := op.Format(before.RIP, func(a uint64) string { return experiment.Symbol(t.m.Object, a) })
	old, now := [16]uint64(before.R[:16]), [16]uint64(c.R[:16])
	effects := registerEffects(&old, &now, t.flags, c.RFlags())
	t.flags = c.RFlags()
	if changes := p.M.Changes(t.image); len(changes) > 0 {
		for _, r := range changes {
			effects = append(effects, fmt.Sprintf("[%#x] %x -> %x", r.Addr, engine.ImageBytes(t.image, r.Addr, len(r.Bytes)), r.Bytes))
		}
		t.image = p.M.Image(t.image)
	}
	if d := int(p.B.N) - int(t.buffered); d != 0 {
		effects = append(effects, fmt.Sprintf("buffer %+d (%d)", d, p.B.N))
		t.buffered = p.B.N
	}
	number := fmt.Sprint(c.Count.Instructions)
	if op.Mn == cpu.HLT {
		number = "-" // where it stops does not count
	}
	place := ""
	if t.compiled {
		place = fmt.Sprintf("%-16s ", compiledLine(t.m.Object, before.RIP))
	}
	line := fmt.Sprintf("%6s  %#x  %-20s %s%-32s %s", number, before.RIP, experiment.Symbol(t.m.Object, before.RIP), place, text, strings.Join(effects, ", "))
	fmt.Fprintln(t.w, strings.TrimRight(line, " "))
}
