package asm

import (
	"strings"
)

// cond is one open .if.
type cond struct {
	name   string
	at     place
	live   bool // this branch is assembled
	taken  bool // some branch was
	outer  bool // the surrounding code is assembled
	elsing bool // .else was seen
}

func (u *unit) live() bool { return len(u.conds) == 0 || u.conds[len(u.conds)-1].live }

func isConditional(name string) bool {
	return name == ".endif" || strings.HasPrefix(name, ".if") || strings.HasPrefix(name, ".else")
}

// conditional handles the .if family and reports whether name is one of it.
func (u *unit) conditional(name, args string) bool {
	switch name {
	case ".else", ".elseif", ".endif":
		u.flip(name, args)
		return true
	}
	if !strings.HasPrefix(name, ".if") {
		return false
	}
	c := cond{name: name, at: u.now, outer: u.live()}
	if c.outer {
		truth, known := u.truth(name, args)
		if !known {
			return false
		}
		c.live, c.taken = truth, truth
	}
	u.conds = append(u.conds, c)
	return true
}

func (u *unit) flip(name, args string) {
	if len(u.conds) == 0 {
		u.errorf("%s without .if", name)
		return
	}
	c := &u.conds[len(u.conds)-1]
	switch {
	case name == ".endif":
		u.conds = u.conds[:len(u.conds)-1]
	case c.elsing:
		u.errorf("%s after .else", name)
	case name == ".else":
		c.elsing = true
		c.live = c.outer && !c.taken
	case !c.outer || c.taken:
		c.live = false
	default:
		c.live, _ = u.truth(".if", args)
		c.taken = c.live
	}
}

// truth evaluates a condition. One that does not parse counts as false, so
// that its error is not followed by those of the code it guards.
func (u *unit) truth(name, args string) (truth, known bool) {
	switch name {
	case ".ifdef", ".ifndef", ".ifnotdef":
		w, rest := word(args)
		if w == "" || rest != "" {
			u.errorf("%s: symbol expected, not %q", name, args)
			return false, true
		}
		s := u.symbols[w]
		if _, ok := u.a.opt.Defines[w]; ok {
			s = u.lookup(w)
		}
		return (s != nil && s.defined()) == (name == ".ifdef"), true
	case ".ifb", ".ifnb":
		return (strings.TrimSpace(args) == "") == (name == ".ifb"), true
	case ".ifc", ".ifnc", ".ifeqs", ".ifnes":
		l := splitArgs(args)
		if len(l) != 2 {
			u.errorf("%s takes two strings", name)
			return false, true
		}
		return (unquote(l[0]) == unquote(l[1])) == (name == ".ifc" || name == ".ifeqs"), true
	}
	op, ok := map[string]string{".if": "!=", ".ifne": "!=", ".ifeq": "==", ".iflt": "<", ".ifle": "<=", ".ifgt": ">", ".ifge": ">="}[name]
	if !ok {
		return false, false
	}
	v, ok := u.constant(args, name)
	return ok && compare(op, v, 0), true
}
