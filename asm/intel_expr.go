package asm

import (
	"errors"
	"fmt"
	"strings"
)

// intelExpr is what an operand's expression comes to: registers and a number
// or symbol.
type intelExpr struct {
	n           *node
	base, index reg
	scale       int
	seg         reg
	brackets    bool // some part stands in [ ]
	offset      bool // OFFSET: the address itself
}

func (e *intelExpr) node() *node {
	if e.n == nil {
		return num(0)
	}
	return e.n
}

// soleReg reports whether the expression is a register and nothing else.
func (e *intelExpr) soleReg() bool {
	return e.n == nil && e.base.class != regNone && e.index.class == regNone
}

func (e *intelExpr) hasReg() bool { return e.base.class != regNone || e.index.class != regNone }

// isNumber reports whether the expression has a value now: then it is an
// immediate, where a symbol would be memory.
func (e *intelExpr) isNumber() bool {
	if e.hasReg() || e.n == nil {
		return false
	}
	_, err := e.n.constant()
	return err == nil
}

type intelParser struct {
	u     *unit
	text  string
	depth int
}

// intelLevels are the binary operators, the loosest first. (GNU as,
// config/tc-i386-intel.c: the order is MASM's.)
var intelLevels = []map[string]string{
	{"or": "|", "xor": "^", "|": "|", "^": "^"},
	{"and": "&", "&": "&"},
	{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="},
	{"+": "+", "-": "-"},
	{"*": "*", "/": "/", "mod": "%", "%": "%", "shl": "<<", "shr": ">>", "<<": "<<", ">>": ">>"},
}

func (p *intelParser) parse() (intelExpr, error) {
	e, err := p.binary(0)
	p.space()
	if err == nil && p.text != "" {
		err = fmt.Errorf("junk %q after expression", p.text)
	}
	return e, err
}

func (p *intelParser) space() { p.text = strings.TrimLeft(p.text, " \t") }

// operator takes the next operator of a level.
func (p *intelParser) operator(level int) string {
	p.space()
	if w, rest := word(p.text); w != "" {
		op := intelLevels[level][strings.ToLower(w)]
		if op != "" {
			p.text = rest
		}
		return op
	}
	for n := 2; n > 0; n-- {
		if len(p.text) >= n {
			if op := intelLevels[level][p.text[:n]]; op != "" {
				// % before a name is a register's
				if p.text[0] == '%' && len(p.text) > 1 && isIdentStart(p.text[1]) {
					return ""
				}
				p.text = p.text[n:]
				return op
			}
		}
	}
	return ""
}

func (p *intelParser) binary(level int) (intelExpr, error) {
	if p.depth++; p.depth > maxExprDepth {
		return intelExpr{}, errors.New("expression too deep")
	}
	defer func() { p.depth-- }()
	if level == len(intelLevels) {
		return p.postfix()
	}
	x, err := p.binary(level + 1)
	for err == nil {
		op := p.operator(level)
		if op == "" {
			return x, nil
		}
		var y intelExpr
		if y, err = p.binary(level + 1); err == nil {
			x, err = joinIntel(op, x, y)
		}
	}
	return x, err
}

// postfix is a primary with [ ] groups behind it, which add: `sym[rip+4]`.
func (p *intelParser) postfix() (intelExpr, error) {
	x, err := p.primary()
	for err == nil {
		p.space()
		if !strings.HasPrefix(p.text, "[") {
			break
		}
		var y intelExpr
		if y, err = p.primary(); err == nil {
			x, err = joinIntel("+", x, y)
		}
	}
	return x, err
}

func (p *intelParser) primary() (intelExpr, error) {
	p.space()
	if p.text == "" {
		return intelExpr{}, errors.New("missing expression")
	}
	switch c := p.text[0]; {
	case c == '[':
		return p.group("[", "]")
	case c == '(':
		return p.group("(", ")")
	case c == '-' || c == '+' || c == '~':
		p.text = p.text[1:]
		x, err := p.unaryOperand()
		if err != nil || c == '+' {
			return x, err
		}
		return negateIntel(string(c), x)
	case c == '%':
		return p.register(p.text[1:])
	case isIdentStart(c):
		return p.name()
	}
	return p.plain()
}

func (p *intelParser) unaryOperand() (intelExpr, error) {
	if p.depth++; p.depth > maxExprDepth {
		return intelExpr{}, errors.New("expression too deep")
	}
	defer func() { p.depth-- }()
	return p.primary()
}

func (p *intelParser) group(open, shut string) (intelExpr, error) {
	p.text = p.text[1:]
	x, err := p.binary(0)
	if err != nil {
		return x, err
	}
	p.space()
	if !strings.HasPrefix(p.text, shut) {
		return x, fmt.Errorf("missing %s", shut)
	}
	p.text = p.text[1:]
	x.brackets = x.brackets || open == "["
	return x, nil
}

func (p *intelParser) register(t string) (intelExpr, error) {
	w, rest := word(t)
	r, ok := registers[strings.ToLower(w)]
	if !ok {
		return intelExpr{}, fmt.Errorf("unknown register %%%s", w)
	}
	p.text = rest
	return p.withSegment(r)
}

// withSegment reads what an override stands before: `fs:sym@tpoff`.
func (p *intelParser) withSegment(r reg) (intelExpr, error) {
	p.space()
	if r.class != regSeg || !strings.HasPrefix(p.text, ":") {
		return intelExpr{base: r, scale: 1}, nil
	}
	p.text = p.text[1:]
	x, err := p.binary(3) // the whole sum
	x.seg = r
	return x, err
}

// name is a register, OFFSET, NOT, FLAT: or a symbol.
func (p *intelParser) name() (intelExpr, error) {
	w, rest := word(p.text)
	lower := strings.ToLower(w)
	if r, ok := registers[lower]; ok && !p.u.prefixR {
		p.text = rest
		return p.withSegment(r)
	}
	trimmed := strings.TrimLeft(rest, " \t")
	switch {
	case lower == "offset" && trimmed != "":
		p.text = trimmed
		if w, after := word(trimmed); strings.EqualFold(w, "flat") && strings.HasPrefix(after, ":") {
			p.text = after[1:]
		}
		x, err := p.binary(3)
		x.offset = true
		return x, err
	case lower == "flat" && strings.HasPrefix(trimmed, ":"):
		p.text = trimmed[1:]
		return p.unaryOperand()
	case lower == "not" && trimmed != "":
		p.text = trimmed
		x, err := p.unaryOperand()
		if err != nil {
			return x, err
		}
		return negateIntel("~", x)
	}
	return p.plain()
}

// plain is a number, a character, a label or a symbol, as in AT&T syntax.
func (p *intelParser) plain() (intelExpr, error) {
	q := exprParser{u: p.u, text: p.text, depth: p.depth}
	n, err := q.unary()
	p.text = q.text
	return intelExpr{n: n}, err
}

func negateIntel(op string, x intelExpr) (intelExpr, error) {
	if x.hasReg() {
		return x, errors.New("a register can only be added")
	}
	x.n = fold(&node{op: "u" + op, x: x.node(), weight: x.node().weight + 1})
	return x, nil
}

// joinIntel applies a binary operator. Registers can be added, and one can be
// scaled by a number.
func joinIntel(op string, x, y intelExpr) (intelExpr, error) {
	out := intelExpr{brackets: x.brackets || y.brackets, offset: x.offset || y.offset, seg: x.seg}
	if y.seg.class != regNone {
		out.seg = y.seg
	}
	if !x.hasReg() && !y.hasReg() {
		return joinNodes(op, out, x, y)
	}
	switch {
	case op == "*":
		return scaled(out, x, y)
	case op == "-" && !y.hasReg():
		out.base, out.index, out.scale = x.base, x.index, x.scale
		return joinNodes(op, out, x, y)
	case op != "+":
		return out, errors.New("a register can only be added")
	}
	out.base, out.index, out.scale = x.base, x.index, x.scale
	for _, r := range []struct {
		reg
		scale int
	}{{y.base, 0}, {y.index, y.scale}} {
		if err := out.addReg(r.reg, r.scale); err != nil {
			return out, err
		}
	}
	if x.n == nil || y.n == nil {
		if out.n = x.n; out.n == nil {
			out.n = y.n
		}
		return out, nil
	}
	return joinNodes(op, out, x, y)
}

func joinNodes(op string, out, x, y intelExpr) (intelExpr, error) {
	out.n = fold(&node{op: op, x: x.node(), y: y.node(), weight: x.node().weight + y.node().weight + 1})
	if out.n.weight > maxExprWeight {
		return out, errTooComplex
	}
	return out, nil
}

// scaled is register * number, in either order.
func scaled(out, x, y intelExpr) (intelExpr, error) {
	if y.hasReg() {
		x, y = y, x
	}
	if !x.soleReg() || y.hasReg() {
		return out, errors.New("a register can only be multiplied by a number")
	}
	v, err := y.node().constant()
	if err != nil || v < 1 || v > 8 {
		return out, errors.New("scale factor must be 1, 2, 4 or 8")
	}
	out.index, out.scale = x.base, int(v)
	return out, nil
}

// addReg adds a register to an address. The stack pointer cannot be an index,
// so it changes places with one that can.
func (e *intelExpr) addReg(r reg, scale int) error {
	switch {
	case r.class == regNone:
		return nil
	case scale == 0 && e.base.class == regNone:
		e.base = r
	case e.index.class != regNone:
		return errors.New("more than two registers in an address")
	case scale == 0 && r.num == 4 && e.base.num != 4 && e.base.class != regNone:
		e.base, e.index, e.scale = r, e.base, 1
	default:
		e.index, e.scale = r, max(scale, 1)
	}
	return nil
}
