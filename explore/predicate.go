package explore

import (
	"fmt"
	"strconv"
	"strings"

	"spinlab/vmm"
)

// Predicate is a condition on final states.
type Predicate struct {
	Text      string
	root      node
	operands  []*Observable
	registers bool // it reads registers
}

// node is an expression: what it is worth in the present state of a walk.
// Truth is 1, everything but 0 is true.
type node func(w *vmm.Walk) uint64

func (p *Predicate) holds(w *vmm.Walk) bool { return p.root(w) != 0 }

func (p *Predicate) check(n int) error {
	for _, o := range p.operands {
		if err := o.check(n); err != nil {
			return err
		}
	}
	return nil
}

// ParsePredicate reads a condition in C's notation: observables and numbers,
// compared by == != < <= > >= (without sign), joined by ! && || and brackets,
// changed by + - & | ^.
func ParsePredicate(text string) (*Predicate, error) {
	p := &Predicate{Text: text}
	t, err := tokens(text)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	q := parser{p: p, rest: t}
	if p.root, err = q.level(0); err == nil && len(q.rest) > 0 {
		err = fmt.Errorf("%s is not expected", q.rest[0])
	}
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	return p, nil
}

// signs are the operators, longer ones first where they begin alike.
var signs = []string{"==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "(", ")", "+", "-", "&", "|", "^"}

// tokens cuts text into operators and words.
func tokens(text string) (list []string, err error) {
scan:
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		for _, s := range signs {
			if rest, ok := strings.CutPrefix(text, s); ok {
				list, text = append(list, s), rest
				continue scan
			}
		}
		n := strings.IndexAny(text, " \t=!<>()&|^+-")
		if n < 0 {
			n = len(text)
		}
		if n == 0 {
			return nil, fmt.Errorf("%c is no operator", text[0])
		}
		list, text = append(list, text[:n]), text[n:]
	}
	return list, nil
}

// levels are the binary operators, those that bind least first.
var levels = [][]string{{"||"}, {"&&"}, {"==", "!=", "<", "<=", ">", ">="}, {"|"}, {"^"}, {"&"}, {"+", "-"}}

// maxDepth bounds brackets within brackets.
const maxDepth = 100

type parser struct {
	p     *Predicate
	rest  []string
	depth int
}

func (q *parser) accept(words ...string) string {
	for _, s := range words {
		if len(q.rest) > 0 && q.rest[0] == s {
			q.rest = q.rest[1:]
			return s
		}
	}
	return ""
}

func (q *parser) level(i int) (node, error) {
	if i == len(levels) {
		return q.unary()
	}
	a, err := q.level(i + 1)
	for err == nil {
		op := q.accept(levels[i]...)
		if op == "" {
			return a, nil
		}
		var b node
		if b, err = q.level(i + 1); err == nil {
			a = combine(op, a, b)
		}
	}
	return nil, err
}

func combine(op string, a, b node) node {
	f := operations[op]
	return func(w *vmm.Walk) uint64 { return f(a(w), b(w)) }
}

var operations = map[string]func(a, b uint64) uint64{
	"||": func(a, b uint64) uint64 { return truth(a != 0 || b != 0) },
	"&&": func(a, b uint64) uint64 { return truth(a != 0 && b != 0) },
	"==": func(a, b uint64) uint64 { return truth(a == b) },
	"!=": func(a, b uint64) uint64 { return truth(a != b) },
	"<":  func(a, b uint64) uint64 { return truth(a < b) },
	"<=": func(a, b uint64) uint64 { return truth(a <= b) },
	">":  func(a, b uint64) uint64 { return truth(a > b) },
	">=": func(a, b uint64) uint64 { return truth(a >= b) },
	"|":  func(a, b uint64) uint64 { return a | b },
	"^":  func(a, b uint64) uint64 { return a ^ b },
	"&":  func(a, b uint64) uint64 { return a & b },
	"+":  func(a, b uint64) uint64 { return a + b },
	"-":  func(a, b uint64) uint64 { return a - b },
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (q *parser) unary() (node, error) {
	if q.depth++; q.depth > maxDepth {
		return nil, fmt.Errorf("more than %d levels", maxDepth)
	}
	defer func() { q.depth-- }()
	switch {
	case len(q.rest) == 0:
		return nil, fmt.Errorf("something is missing at the end")
	case q.accept("!") != "":
		a, err := q.unary()
		return func(w *vmm.Walk) uint64 { return truth(a(w) == 0) }, err
	case q.accept("(") != "":
		a, err := q.level(0)
		if err == nil && q.accept(")") == "" {
			err = fmt.Errorf(") is missing")
		}
		return a, err
	}
	word := q.rest[0]
	q.rest = q.rest[1:]
	if v, err := strconv.ParseUint(word, 0, 64); err == nil {
		return func(*vmm.Walk) uint64 { return v }, nil
	}
	o, err := ParseObservable(word)
	if err != nil {
		return nil, err
	}
	q.p.operands = append(q.p.operands, &o)
	q.p.registers = q.p.registers || !o.Mem
	return o.value, nil
}
