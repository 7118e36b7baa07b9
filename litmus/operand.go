package litmus

import (
	"regexp"
	"strings"
)

// operand is one operand, in the order and the meaning of AT&T syntax.
type operand struct {
	kind   argKind
	reg    Reg    // argReg; argMem: the base, if hasReg
	hasReg bool   // a memory operand with a base
	index  Reg    // of a memory operand with a scale
	scale  int64  // 0: no index
	num    int64  // argImm; argMem: displacement
	name   string // location whose address is added, label, or vector register
}

type argKind uint8

const (
	argImm argKind = iota
	argReg
	argMem
	argLabel
	argVector // %xmm0: goes to the assembler as it is
)

// jumps says whether a mnemonic's operand is a label.
func jumps(mnemonic string) bool {
	return mnemonic[0] == 'j' || mnemonic == "call" || mnemonic == "callq" || strings.HasPrefix(mnemonic, "loop")
}

var (
	vectorName = regexp.MustCompile(`^%?[xX][mM][mM]([0-9]|1[0-5])$`)
	// memPattern is a displacement and something in parentheses or brackets.
	memPattern = regexp.MustCompile(`^([^()\[\]%]*)[(\[]([^()\[\]]*)[)\]]$`)
	sumPattern = regexp.MustCompile(`^([A-Za-z_.$][A-Za-z0-9_.$/]*)([+-](?:0[xX][0-9a-fA-F]+|[0-9]+))?$`)
)

// operand reads one operand.
func (p *parser) operand(in *Instr, s string) operand {
	switch {
	case jumps(in.Mnemonic):
		if n := nameLen(s); n == 0 || n != len(s) {
			p.fail(in.Line, "%s %s: a jump goes to a label", in.Mnemonic, s)
		}
		return operand{kind: argLabel, name: s}
	case strings.HasPrefix(s, "$"):
		return p.immediate(in, s[1:])
	case vectorName.MatchString(s):
		return operand{kind: argVector, name: strings.ToLower(strings.TrimPrefix(s, "%"))}
	case strings.HasPrefix(s, "%"):
		return operand{kind: argReg, reg: p.regOperand(in, s)}
	}
	if n, ok := parseNumber(s); ok {
		return operand{kind: argImm, num: n} // herd7 needs no $
	}
	if r, ok := parseReg(s); ok {
		return operand{kind: argReg, reg: r}
	}
	if m := memPattern.FindStringSubmatch(s); m != nil {
		return p.memory(in, s, strings.TrimSpace(m[1]), strings.TrimSpace(m[2]))
	}
	if sumPattern.MatchString(s) {
		a := operand{kind: argMem}
		p.add(in, &a, s)
		return a
	}
	p.fail(in.Line, "operand %q is not understood", s)
	return operand{}
}

// immediate reads what follows $: a number or a location.
func (p *parser) immediate(in *Instr, s string) operand {
	a := operand{kind: argImm}
	p.add(in, &a, s)
	return a
}

// add adds a number or location±number to an operand.
func (p *parser) add(in *Instr, a *operand, s string) {
	if n, ok := parseNumber(s); ok {
		a.num += n
		return
	}
	m := sumPattern.FindStringSubmatch(s)
	if m == nil || a.name != "" {
		p.fail(in.Line, "%q is neither a number nor a location", s)
	}
	if _, ok := parseReg(m[1]); ok {
		p.fail(in.Line, "%q: a register stands where a number or a location is wanted", s)
	}
	a.name = m[1]
	p.t.note(a.name, in.Line)
	if m[2] != "" {
		n, ok := parseNumber(strings.TrimPrefix(m[2], "+"))
		if !ok {
			p.fail(in.Line, "%s does not fit in 64 bits", m[2])
		}
		a.num += n
	}
}

func (p *parser) regOperand(in *Instr, s string) Reg {
	r, ok := parseReg(strings.TrimPrefix(s, "%"))
	if !ok {
		p.fail(in.Line, "no register %s; symbolic registers are not supported", s)
	}
	return r
}

// memory reads disp(inside): (x), [x], x(%rip), 8(%rax), (%rax,%rbx,8).
func (p *parser) memory(in *Instr, whole, disp, inside string) operand {
	a := operand{kind: argMem}
	if disp != "" {
		p.add(in, &a, disp)
	}
	parts := strings.Split(inside, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	bare := strings.TrimPrefix(parts[0], "%")
	if strings.EqualFold(bare, "rip") && len(parts) == 1 {
		if a.name == "" {
			p.fail(in.Line, "%s: a location is wanted before (%%rip)", whole)
		}
		return a
	}
	if r, ok := parseReg(bare); ok {
		a.reg, a.hasReg = r, true
	} else if parts[0] != "" || len(parts) == 1 {
		p.add(in, &a, parts[0])
	}
	if len(parts) > 1 {
		p.scaled(in, &a, whole, parts[1:])
	}
	if !a.hasReg && a.scale == 0 && a.name == "" {
		p.fail(in.Line, "%s: numbers as addresses are not supported", whole)
	}
	return a
}

// scaled reads the index and the scale of a memory operand.
func (p *parser) scaled(in *Instr, a *operand, whole string, parts []string) {
	a.index, a.scale = p.regOperand(in, parts[0]), 1
	if len(parts) == 1 {
		return
	}
	n, ok := parseNumber(parts[1])
	if !ok || n != 1 && n != 2 && n != 4 && n != 8 || len(parts) > 2 {
		p.fail(in.Line, "%s: a scale is 1, 2, 4 or 8", whole)
	}
	a.scale = n
}
