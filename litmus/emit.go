package litmus

import (
	"fmt"
	"strings"

	"spinlab/asm"
)

// endName and startName are the labels of a process in its source. Names of a
// test's own labels cannot clash: they are replaced by .L0, .L1, ….
func startName(i int) string { return fmt.Sprintf("litmus.start.%d", i) }
func endName(i int) string   { return fmt.Sprintf("litmus.end.%d", i) }

// source is a process as GNU as source. Every instruction stands on the line
// that it has in the test, so that the assembler's messages lead there.
func (t *Test) source(i int, l *layout) asm.Source {
	th := &t.Threads[i]
	e := &emitter{t: t, l: l, labels: map[string]string{}, line: 1}
	e.to(th.Line)
	e.b.WriteString(startName(i) + ":;")
	for k := range th.Instrs {
		e.to(th.Instrs[k].Line)
		e.instr(&th.Instrs[k])
	}
	e.define(th.End)
	e.b.WriteString(endName(i) + ": hlt\n")
	return asm.Source{Name: t.File, Text: []byte(e.b.String())}
}

type emitter struct {
	t      *Test
	l      *layout
	b      strings.Builder
	line   int
	labels map[string]string
}

// to goes on to a line; instructions of a process come in order of line.
func (e *emitter) to(line int) {
	for ; e.line < line; e.line++ {
		e.b.WriteByte('\n')
	}
}

func (e *emitter) label(name string) string {
	if e.labels[name] == "" {
		e.labels[name] = fmt.Sprintf(".L%d", len(e.labels))
	}
	return e.labels[name]
}

func (e *emitter) define(labels []string) {
	for _, l := range labels {
		e.b.WriteString(e.label(l) + ": ")
	}
}

func (e *emitter) instr(in *Instr) {
	e.define(in.Labels)
	for _, p := range in.Prefixes {
		e.b.WriteString(p + " ")
	}
	mnemonic, args := e.t.attOrder(in)
	e.b.WriteString(mnemonic)
	for i := range args {
		e.b.WriteByte(" ,"[min(i, 1)])
		e.b.WriteString(e.arg(&args[i]))
	}
	e.b.WriteByte(';')
}

// herdNames are mnemonics that herd7 has and GNU as has not.
var herdNames = map[string]string{"jlt": "jl", "jgt": "jg"}

// attOrder gives the mnemonic and the operands as GNU as wants them.
func (t *Test) attOrder(in *Instr) (string, []operand) {
	mnemonic, args := in.Mnemonic, append([]operand(nil), in.Args...)
	if m, ok := herdNames[mnemonic]; ok {
		mnemonic = m
	}
	swap := len(args) == 2
	if t.Dialect == X8664 {
		// herd7 reads CMPXCHG with the destination first even here.
		swap = swap && strings.HasPrefix(mnemonic, "cmpxchg") && args[0].kind == argMem
	} else if size := suffixSize(mnemonic); size > 0 {
		for i := range args {
			if args[i].kind == argReg {
				args[i].reg = args[i].reg.resized(size)
			}
		}
	}
	if swap {
		args[0], args[1] = args[1], args[0]
	}
	return mnemonic, args
}

// suffixSize is the operand size that the X86 dialect's MOVB, MOVW, MOVL and
// MOVQ say, 0 for other mnemonics: their registers are written EAX whatever
// the size is.
func suffixSize(mnemonic string) int {
	return map[string]int{"movb": 1, "movw": 2, "movl": 4, "movq": 8}[mnemonic]
}

func (e *emitter) arg(a *operand) string {
	switch a.kind {
	case argReg:
		return "%" + a.reg.String()
	case argVector:
		return "%" + a.name
	case argLabel:
		return e.label(a.name)
	case argImm:
		return fmt.Sprintf("$%d", e.address(a))
	}
	var b strings.Builder
	if n := e.address(a); n != 0 || !a.hasReg {
		fmt.Fprintf(&b, "%d", n)
	}
	if !a.hasReg && a.scale == 0 {
		return b.String()
	}
	b.WriteByte('(')
	if a.hasReg {
		b.WriteString("%" + e.base(a.reg).String())
	}
	if a.scale > 0 {
		fmt.Fprintf(&b, ",%%%s,%d", e.base(a.index), a.scale)
	}
	b.WriteByte(')')
	return b.String()
}

// base is the register as part of an address. In the X86 dialect it is the
// whole register: addresses fit in 32 bits and the upper half is zero.
func (e *emitter) base(r Reg) Reg {
	if e.t.Dialect == X86 && r.Size == 4 {
		return r.resized(8)
	}
	return r
}

// address is the number of an operand, with its location's address added.
func (e *emitter) address(a *operand) int64 {
	if a.name == "" {
		return a.num
	}
	return a.num + int64(e.l.addr[a.name])
}
