package asm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// node is an expression: a number, a symbol, or an operator on nodes.
type node struct {
	op     string // "num", "sym", or an operator
	n      int64
	sym    *symbol
	at     atKind // "sym": what of the symbol is meant, atNone for its address
	a      *assembler
	x, y   *node // y is nil for a unary operator
	weight int   // operators below, shared ones counted each time
}

func num(n int64) *node { return &node{op: "num", n: n} }

// precedence holds GNU as's levels, which are not C's: the bit operators bind
// tighter than + and -, and + shares its level with the comparisons.
// (Using as, section "Infix Operators".)
var precedence = map[string]int{
	"*": 4, "/": 4, "%": 4, "<<": 4, ">>": 4,
	"|": 3, "&": 3, "^": 3, "!": 3,
	"+": 2, "-": 2, "==": 2, "<>": 2, "!=": 2, "<": 2, ">": 2, ">=": 2, "<=": 2,
	"&&": 1,
	"||": 0,
}

// Bounds that keep a crafted expression from exhausting the stack or, by
// symbols that double each other, from taking for ever.
const (
	maxExprDepth  = 200
	maxExprWeight = 4096
	maxEvalSteps  = 20000
)

var errTooComplex = errors.New("expression too complex, or defined by itself")

type exprParser struct {
	u     *unit
	text  string
	depth int
}

// parseExpr parses the whole of text.
func (u *unit) parseExpr(text string) (*node, error) {
	n, rest, err := u.parseExprPrefix(text)
	if err == nil && rest != "" {
		err = fmt.Errorf("junk %q after expression", rest)
	}
	return n, err
}

// parseExprPrefix parses an expression and returns what follows it.
func (u *unit) parseExprPrefix(text string) (*node, string, error) {
	p := exprParser{u: u, text: text}
	n, err := p.binary(0)
	p.space()
	return n, p.text, err
}

func (p *exprParser) space() { p.text = strings.TrimLeft(p.text, " \t") }

// operator returns the binary operator that comes next, or "".
func (p *exprParser) operator() string {
	p.space()
	if len(p.text) >= 2 {
		if _, ok := precedence[p.text[:2]]; ok {
			return p.text[:2]
		}
	}
	if p.text != "" {
		if _, ok := precedence[p.text[:1]]; ok {
			return p.text[:1]
		}
	}
	return ""
}

func (p *exprParser) binary(level int) (*node, error) {
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	for {
		op := p.operator()
		if op == "" || precedence[op] < level {
			return x, nil
		}
		p.text = p.text[len(op):]
		y, err := p.binary(precedence[op] + 1)
		if err != nil {
			return nil, err
		}
		x = fold(&node{op: op, x: x, y: y, weight: x.weight + y.weight + 1})
		if x.weight > maxExprWeight {
			return nil, errTooComplex
		}
	}
}

// fold replaces an operator on numbers by its value, so that long constant
// expressions do not build deep trees.
func fold(n *node) *node {
	if n.x.op == "num" && (n.y == nil || n.y.op == "num") {
		if v, err := apply(n); err == nil {
			return num(v)
		}
	}
	return n
}

func (p *exprParser) unary() (*node, error) {
	if p.depth++; p.depth > maxExprDepth {
		return nil, errors.New("expression too deep")
	}
	defer func() { p.depth-- }()
	p.space()
	if p.text == "" {
		return nil, errors.New("missing expression")
	}
	switch c := p.text[0]; {
	case strings.IndexByte("-+~!", c) >= 0:
		p.text = p.text[1:]
		x, err := p.unary()
		if err != nil {
			return nil, err
		}
		if c == '+' {
			return x, nil
		}
		return fold(&node{op: "u" + string(c), x: x, weight: x.weight + 1}), nil
	case c == '(':
		return p.paren()
	case c == '\'':
		return p.char()
	case isDigit(c):
		return p.number()
	case isIdentStart(c):
		return p.symbol()
	}
	return nil, fmt.Errorf("bad expression %q", p.text)
}

func (p *exprParser) paren() (*node, error) {
	p.text = p.text[1:]
	x, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	p.space()
	if !strings.HasPrefix(p.text, ")") {
		return nil, errors.New("missing )")
	}
	p.text = p.text[1:]
	return x, nil
}

func (p *exprParser) char() (*node, error) {
	n := charLen(p.text)
	body := strings.TrimPrefix(p.text[:n], "'")
	if len(body) > 1 {
		body = strings.TrimSuffix(body, "'")
	}
	s, err := unescape(body)
	if err != nil || len(s) != 1 {
		return nil, fmt.Errorf("bad character constant %s", p.text[:n])
	}
	p.text = p.text[n:]
	return num(int64(s[0])), nil
}

// number reads 10, 0x1f, 0b101, 017, and the label references 1b and 1f. A
// lone 0b is the label, since a binary number needs a digit.
func (p *exprParser) number() (*node, error) {
	i := 0
	for i < len(p.text) && isIdent(p.text[i]) && p.text[i] != '.' && p.text[i] != '$' {
		i++
	}
	t := p.text[:i]
	p.text = p.text[i:]
	last := t[len(t)-1]
	if digits := t[:len(t)-1]; (last == 'b' || last == 'f') && isDecimal(digits) {
		sym, err := p.u.numericRef(digits, last)
		if err != nil {
			return nil, err
		}
		return &node{op: "sym", sym: sym}, nil
	}
	v, err := parseNumber(t)
	return num(v), err
}

func isDecimal(t string) bool { return t != "" && strings.Trim(t, "0123456789") == "" }

// parseNumber wraps at 64 bits as GNU as does: 0xffffffffffffffff is -1.
func parseNumber(t string) (int64, error) {
	v, err := strconv.ParseUint(t, 0, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("number %s does not fit into 64 bits", t)
	}
	if err != nil || strings.Contains(t, "_") || strings.HasPrefix(t, "0o") || strings.HasPrefix(t, "0O") {
		return 0, fmt.Errorf("bad number %s", t)
	}
	return int64(v), nil
}

func (p *exprParser) symbol() (*node, error) {
	name, rest := word(p.text)
	p.text = rest
	n := &node{op: "sym"}
	if name == "." {
		n.sym = p.u.here()
	} else {
		n = p.u.ref(name)
	}
	at, r, ok := relocSuffix(rest)
	if !ok {
		return n, nil
	}
	kind, ok := atKinds[strings.ToUpper(at)]
	if !ok {
		return nil, fmt.Errorf("relocation @%s is not supported", at)
	}
	if n.op != "sym" {
		return nil, fmt.Errorf("@%s needs a label, and %s is a value", at, name)
	}
	p.text = r
	return &node{op: "sym", sym: n.sym, at: kind, a: p.u.a}, nil
}

func relocSuffix(t string) (name, rest string, ok bool) {
	if !strings.HasPrefix(t, "@") {
		return "", t, false
	}
	name, rest = word(t[1:])
	return name, rest, name != ""
}

// unescape reads the inside of a GNU as string or character constant.
func unescape(t string) ([]byte, error) {
	var out []byte
	for i := 0; i < len(t); i++ {
		if t[i] != '\\' {
			out = append(out, t[i])
			continue
		}
		if i++; i == len(t) {
			return nil, errors.New("lone backslash in string")
		}
		if k := strings.IndexByte("bfnrt\\\"'", t[i]); k >= 0 {
			out = append(out, "\b\f\n\r\t\\\"'"[k])
			continue
		}
		base, from, digits := 8, i, 3
		if t[i] == 'x' || t[i] == 'X' {
			base, from, digits = 16, i+1, 2
		}
		to := from
		for to < len(t) && to < from+digits && digitIn(t[to], base) {
			to++
		}
		v, err := strconv.ParseUint(t[from:to], base, 16)
		if err != nil {
			return nil, fmt.Errorf("bad escape \\%c in string", t[i])
		}
		out = append(out, byte(v))
		i = to - 1
	}
	return out, nil
}

func digitIn(c byte, base int) bool {
	_, err := strconv.ParseUint(string(c), base, 8)
	return err == nil
}
