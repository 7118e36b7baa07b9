package asm

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
)

// symbol is a label, an absolute symbol, or a name that was only used so far.
type symbol struct {
	name string
	at   place // of the definition, or of the first use

	frag *frag // a label: the fragment and the offset in it
	off  int
	expr *node // set by .set, .equ or =

	global, weak              bool
	local                     bool    // .local
	inTable                   bool    // an object's symbol table must hold it
	visibility                byte    // STV_*
	typ                       byte    // STT_*
	common                    uint64  // alignment of a .comm that the linker places, else 0
	like                      *symbol // what .set made this another name of, for its type and size
	weakRef                   *symbol // .weakref: what this name stands for
	namedWeakly, namedPlainly bool    // by such a name, by its own
	slot                      *symbol // the word of the global offset table, if it has one
	fromDefine                bool
	size                      *node
	link                      *symbol // another source's global of this name
	hidden                    bool    // numeric labels and "."
}

func (s *symbol) defined() bool { return s.frag != nil || s.expr != nil }

func (s *symbol) early(steps *int) (value, error) {
	switch {
	case s.frag != nil:
		return value{int64(s.off), s.frag}, nil
	case s.expr != nil:
		return s.expr.early(steps)
	}
	return value{}, errNotConst
}

func (s *symbol) late(steps *int) (int64, error) {
	switch {
	case s.frag != nil:
		return int64(s.frag.addr) + int64(s.off), nil
	case s.expr != nil:
		return s.expr.late(steps)
	case s.link != nil:
		return s.link.late(steps)
	case s.weak:
		return 0, nil
	}
	return 0, errors.New("undefined symbol " + s.name)
}

// ref returns a node for a name used in an expression. A name that .set gave
// a value stands for that value, so that a later .set does not change it.
func (u *unit) ref(name string) *node {
	s := u.lookup(name)
	if s.weakRef != nil {
		s.weakRef.namedWeakly = true
		return &node{op: "sym", sym: s.weakRef}
	}
	s.namedPlainly = true
	if s.expr != nil {
		if v, err := s.expr.constant(); err == nil {
			return num(v)
		}
		return s.expr
	}
	return &node{op: "sym", sym: s}
}

// lookup finds or creates the source's symbol of that name.
func (u *unit) lookup(name string) *symbol {
	if s := u.symbols[name]; s != nil {
		return s
	}
	s := &symbol{name: name, at: u.now}
	if v, ok := u.a.opt.Defines[name]; ok {
		s.expr, s.fromDefine = num(v), true
		u.defs = append(u.defs, s)
		u.a.usedDefines[name] = true
	}
	u.symbols[name] = s
	u.order = append(u.order, s)
	return s
}

// here is "." in an expression: the start of the current statement.
func (u *unit) here() *symbol {
	return &symbol{name: ".", at: u.now, frag: u.startFrag, off: u.startOff, hidden: true}
}

// numericRef resolves 1b to the last 1: and 1f to the next.
func (u *unit) numericRef(digits string, dir byte) (*symbol, error) {
	digits = canonicalDigits(digits)
	l := u.numeric[digits]
	if dir == 'b' {
		if l == nil || l.last == nil {
			return nil, fmt.Errorf("no label %s: before this line", digits)
		}
		return l.last, nil
	}
	if l == nil {
		l = &numericLabel{}
		u.numeric[digits] = l
	}
	if l.next == nil {
		l.next = &symbol{name: digits + "f", at: u.now, hidden: true}
	}
	return l.next, nil
}

type numericLabel struct{ last, next *symbol }

// canonicalDigits makes 01 and 1 the same label.
func canonicalDigits(d string) string {
	if n, err := strconv.ParseUint(d, 10, 64); err == nil {
		return strconv.FormatUint(n, 10)
	}
	return d
}

// defineLabel places a label at the end of what has been emitted.
func (u *unit) defineLabel(name string) {
	u.flushPrefixes()
	u.sec.used = true
	f, off := u.sec.end()
	if isDecimal(name) {
		name = canonicalDigits(name)
		l := u.numeric[name]
		if l == nil {
			l = &numericLabel{}
			u.numeric[name] = l
		}
		s := l.next
		if s == nil {
			s = &symbol{name: name, at: u.now, hidden: true}
		}
		s.frag, s.off = f, off
		l.last, l.next = s, nil
		return
	}
	s := u.lookup(name)
	if s.defined() {
		u.errorf("symbol %s is already defined%s", name, s.definedAt())
		return
	}
	s.at, s.frag, s.off = u.now, f, off
	u.defs = append(u.defs, s)
}

func (s *symbol) definedAt() string {
	if s.fromDefine {
		return " by a define"
	}
	return fmt.Sprintf(" in line %d", s.at.line)
}

// setSymbol is .set, .equ and =. once is .equiv, which refuses a redefinition.
func (u *unit) setSymbol(name string, n *node, once bool) {
	s := u.lookup(name)
	switch {
	case s.fromDefine:
		return // --define wins over the source's default
	case s.frag != nil, once && s.defined():
		u.errorf("symbol %s is already defined%s", name, s.definedAt())
		return
	}
	if s.expr == nil {
		u.defs = append(u.defs, s)
	}
	if v, err := n.constant(); err == nil {
		n = num(v)
	}
	loop := false
	n.walk(func(t *symbol) { loop = loop || t == s })
	if loop {
		u.errorf("symbol %s is defined by itself", name)
		n = num(0)
	}
	if s.expr != nil {
		s = u.again(s)
	}
	s.at, s.expr, s.like = u.now, n, nil
	if t := n.named(); t != nil && (n.op == "sym" || t.sym.defined()) {
		s.like = t.sym
	}
}

// again makes room for a second .set of a symbol. What was read so far keeps
// the first value, forward references too, as in GNU as.
func (u *unit) again(old *symbol) *symbol {
	s := *old
	u.symbols[s.name] = &s
	for _, l := range [][]*symbol{u.order, u.defs} {
		for i := range l {
			if l[i] == old {
				l[i] = &s
			}
		}
	}
	return &s
}

// resolve binds every undefined name to another source's global and reports
// the names and defines that stay without a value.
func (a *assembler) resolve() {
	globals := map[string]*symbol{}
	for _, u := range a.units {
		for _, s := range u.order {
			if !s.global && !s.weak || !s.defined() {
				continue
			}
			old := globals[s.name]
			switch {
			case old == nil || old.weak && !s.weak:
				globals[s.name] = s
			case !s.weak && !old.weak && !(s.fromDefine && old.fromDefine):
				a.errorAt(s.at, "symbol %s is already defined at %s:%d", s.name, old.at.file, old.at.line)
			}
		}
	}
	for _, u := range a.units {
		for _, s := range u.order {
			s.weak = s.weak || s.namedWeakly && !s.namedPlainly && !s.defined()
			if g := globals[s.name]; !s.defined() && g != s {
				s.link = g
			}
			if a.opt.Extern != nil && !s.defined() && s.link == nil && !s.hidden {
				if addr, ok := a.opt.Extern(s.name); ok {
					s.link = &symbol{name: s.name, at: s.at, expr: num(int64(addr))}
				}
			}
		}
		a.reportUndefined(u)
	}
}

func (a *assembler) reportUndefined(u *unit) {
	for _, r := range u.refs {
		if r.unloaded && !a.object {
			continue
		}
		r.n.walk(func(s *symbol) {
			if s.defined() || s.link != nil || s.weak || a.object && !s.hidden {
				return
			}
			if s.hidden {
				a.errorAt(r.at, "no label %s: after this line", s.name[:len(s.name)-1])
				return
			}
			a.errorAt(r.at, "undefined symbol %s%s", s.name, UndefinedHint(s.name))
		})
	}
}

// checkDefines reports the defines that no source looked up.
func (a *assembler) checkDefines() {
	var names []string
	for name := range a.opt.Defines {
		if !a.usedDefines[name] {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		a.errorAt(place{source: -1}, "--define %s: no source uses it", name)
	}
}
