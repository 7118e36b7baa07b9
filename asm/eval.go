package asm

import "errors"

// value is what an expression is worth before the layout: a number, or a
// number plus the start of a fragment whose address is not known yet.
type value struct {
	n    int64
	base *frag
}

var errNotConst = errors.New("expression is not constant here")

// constant evaluates a node that must not depend on the layout. The
// difference of two labels in one fragment is such a constant.
func (n *node) constant() (int64, error) {
	v, err := n.early(new(int))
	if err == nil && v.base != nil {
		err = errNotConst
	}
	return v.n, err
}

func (n *node) early(steps *int) (value, error) {
	*steps++
	switch {
	case *steps > maxEvalSteps:
		return value{}, errTooComplex
	case n.op == "num":
		return value{n: n.n}, nil
	case n.op == "sym" && n.at > atPLT, n.op == "view":
		return value{}, errNotConst
	case n.op == "sym":
		return n.sym.early(steps)
	}
	x, err := n.x.early(steps)
	if err != nil {
		return value{}, err
	}
	var y value
	if n.y != nil {
		if y, err = n.y.early(steps); err != nil {
			return value{}, err
		}
	}
	switch {
	case n.op == "+" && (x.base == nil || y.base == nil):
		if x.base == nil {
			x.base = y.base
		}
		return value{x.n + y.n, x.base}, nil
	case n.op == "-" && y.base == nil:
		return value{x.n - y.n, x.base}, nil
	case x.base == y.base && (n.op == "-" || comparison[n.op] || x.base == nil):
		v, err := apply(&node{op: n.op, x: num(x.n), y: numOrNil(n.y, y.n)})
		return value{n: v}, err
	}
	return value{}, errNotConst
}

var comparison = map[string]bool{"==": true, "!=": true, "<>": true, "<": true, ">": true, "<=": true, ">=": true}

func numOrNil(n *node, v int64) *node {
	if n == nil {
		return nil
	}
	return num(v)
}

// eval evaluates a node when every label has an address.
func (n *node) eval() (int64, error) { return n.late(new(int)) }

func (n *node) late(steps *int) (int64, error) {
	*steps++
	switch {
	case *steps > maxEvalSteps:
		return 0, errTooComplex
	case n.op == "num":
		return n.n, nil
	case n.op == "sym" && n.at > atPLT:
		return n.lateAt(steps)
	case n.op == "view":
		return n.view(steps)
	case n.op == "sym":
		return n.sym.late(steps)
	}
	x, err := n.x.late(steps)
	if err != nil {
		return 0, err
	}
	var y int64
	if n.y != nil {
		if y, err = n.y.late(steps); err != nil {
			return 0, err
		}
	}
	return apply(&node{op: n.op, x: num(x), y: numOrNil(n.y, y)})
}

// walk calls f for every symbol that the expression names.
func (n *node) walk(f func(*symbol)) {
	if n == nil || n.op == "view" {
		return
	}
	if n.op == "sym" {
		f(n.sym)
	}
	n.x.walk(f)
	n.y.walk(f)
}

// apply computes one operator on numbers. Values wrap at 64 bits; >> shifts in
// zeros and a true comparison is -1, as in GNU as.
func apply(n *node) (int64, error) {
	x := n.x.n
	switch n.op {
	case "u-":
		return -x, nil
	case "u~":
		return ^x, nil
	case "u!":
		return oneIf(x == 0), nil
	}
	y := n.y.n
	switch n.op {
	case "*":
		return x * y, nil
	case "/", "%":
		return divide(n.op, x, y)
	case "<<":
		return x << min(uint64(y), 64), nil
	case ">>":
		return int64(uint64(x) >> min(uint64(y), 64)), nil
	case "|":
		return x | y, nil
	case "&":
		return x & y, nil
	case "^":
		return x ^ y, nil
	case "!":
		return x | ^y, nil
	case "+":
		return x + y, nil
	case "-":
		return x - y, nil
	case "&&":
		return oneIf(x != 0 && y != 0), nil
	case "||":
		return oneIf(x != 0 || y != 0), nil
	}
	return -oneIf(compare(n.op, x, y)), nil
}

func divide(op string, x, y int64) (int64, error) {
	switch {
	case y == 0:
		return 0, errors.New("division by zero")
	case op == "/":
		return x / y, nil
	}
	return x % y, nil
}

func compare(op string, x, y int64) bool {
	switch op {
	case "==":
		return x == y
	case "<":
		return x < y
	case ">":
		return x > y
	case "<=":
		return x <= y
	case ">=":
		return x >= y
	}
	return x != y
}

func oneIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
