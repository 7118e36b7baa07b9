package asm

import (
	"fmt"
	"strconv"
	"strings"
)

// macro is a .macro definition.
type macro struct {
	name   string
	params []macroParam
	body   []stmt
}

type macroParam struct {
	name, value string
	required    bool
	vararg      bool
}

// Bounds on macros that call themselves or double their arguments.
const (
	maxNesting    = 100
	maxStatements = 1 << 18
	maxStatement  = 1 << 14 // bytes
)

// spend counts one statement or round of a loop and reports whether reading
// goes on. It ends when a macro runs away or when there are errors enough.
func (u *unit) spend() bool {
	if u.ended {
		return false
	}
	if u.expanded++; u.expanded == maxStatements+1 {
		u.errorf("more than %d statements, those of macros and loops included: does one run away?", maxStatements)
		u.a.cut = true
	}
	return u.expanded <= maxStatements && len(u.a.errs) < maxErrors
}

// run reads statements. Blocks are cut out here, so that a macro's body is
// stored and not run.
func (u *unit) run(stmts []stmt, depth int) {
	openConds := len(u.conds)
	for i := 0; i < len(stmts); i++ {
		s := stmts[i]
		u.now = s.place
		if !u.spend() {
			return
		}
		if len(s.text) > maxStatement {
			u.errorf("statement is longer than %d bytes", maxStatement)
			continue
		}
		name, args := directiveOf(s.text)
		if isConditional(name) && !strings.HasPrefix(s.text, ".") {
			if !u.live() { // GNU as looks for a directive only where the line begins
				continue
			}
			u.labels(s.text)
		}
		if u.conditional(name, args) || !u.live() {
			continue
		}
		end := blockEnd[name]
		if end == "" {
			if name == ".exitm" {
				u.conds = u.conds[:openConds]
				return
			}
			u.statement(s, depth)
			continue
		}
		n := findEnd(stmts[i+1:], name)
		if n < 0 {
			u.errorf("%s without %s", name, end)
			return
		}
		u.now = s.place
		if rest := u.labels(s.text); rest != s.text {
			u.startFrag, u.startOff = u.sec.end()
		}
		u.block(name, args, stmts[i+1:i+1+n], depth)
		i += n + 1
	}
}

var blockEnd = map[string]string{".macro": ".endm", ".rept": ".endr", ".irp": ".endr", ".irpc": ".endr"}

// directiveOf returns the directive of a statement, behind any labels.
func directiveOf(text string) (name, args string) {
	for {
		w, rest := word(text)
		if w == "" {
			rest = strings.TrimLeft(text, "0123456789")
		}
		trimmed := strings.TrimLeft(rest, " \t")
		if len(rest) < len(text) && strings.HasPrefix(trimmed, ":") {
			text = strings.TrimSpace(trimmed[1:])
			continue
		}
		return strings.ToLower(w), strings.TrimSpace(rest)
	}
}

// findEnd finds the end of a block, past inner blocks of the same kind.
func findEnd(stmts []stmt, open string) int {
	level := 0
	for i, s := range stmts {
		name, _ := directiveOf(s.text)
		switch {
		case blockEnd[name] == blockEnd[open]:
			level++
		case name == blockEnd[open] || name == ".endmacro" && open == ".macro":
			if level == 0 {
				return i
			}
			level--
		}
	}
	return -1
}

func (u *unit) block(name, args string, body []stmt, depth int) {
	if depth > maxNesting {
		u.errorf("nesting deeper than %d", maxNesting)
		return
	}
	switch name {
	case ".macro":
		u.defineMacro(args, body)
	case ".rept":
		n, ok := u.constant(args, ".rept")
		if ok && (n < 0 || n > maxStatements) {
			u.errorf(".rept: bad count %d", n)
			return
		}
		for ; ok && n > 0 && u.spend(); n-- {
			u.run(body, depth+1)
		}
	default:
		u.repeatOver(name, args, body, depth)
	}
}

// repeatOver is .irp and .irpc: the body once for every argument or character.
func (u *unit) repeatOver(name, args string, body []stmt, depth int) {
	list := splitMacroArgs(args)
	if len(list) == 0 {
		u.errorf("%s: missing symbol", name)
		return
	}
	param, values := list[0], list[1:]
	if name == ".irpc" && len(values) > 0 {
		values = strings.Split(unquote(strings.Join(values, "")), "")
	}
	if len(values) == 0 {
		values = []string{""}
	}
	at := u.now
	for _, v := range values {
		u.run(substitute(body, map[string]string{param: unquote(v)}, -1, nil), depth+1)
		u.now = at
	}
}

func (u *unit) defineMacro(args string, body []stmt) {
	name, rest := word(args)
	if name == "" {
		u.errorf(".macro: missing name")
		return
	}
	m := &macro{name: name, body: body}
	for _, p := range splitMacroArgs(strings.TrimLeft(rest, " \t,")) {
		q := macroParam{}
		decl, dflt, _ := strings.Cut(p, "=")
		id, kind, _ := strings.Cut(strings.TrimSpace(decl), ":")
		q.name, q.value = strings.TrimSpace(id), unquote(strings.TrimSpace(dflt))
		q.required, q.vararg = kind == "req", kind == "vararg"
		if w, r := word(q.name); w == "" || r != "" {
			u.errorf(".macro %s: bad parameter %q", name, p)
			return
		}
		m.params = append(m.params, q)
	}
	if u.macros[strings.ToLower(name)] != nil {
		u.errorf("macro %s is already defined", name)
		return
	}
	u.macros[strings.ToLower(name)] = m
}

func (u *unit) callMacro(m *macro, args string, depth int) {
	if depth > maxNesting {
		u.errorf("macro %s: nesting deeper than %d", m.name, maxNesting)
		return
	}
	values, err := m.bind(args)
	if err != nil {
		u.errorf("macro %s: %s", m.name, err)
		return
	}
	at := u.now
	u.calls++
	openConds := len(u.conds)
	u.run(substitute(m.body, values, u.calls-1, &at), depth+1)
	u.now = at
	for len(u.conds) > openConds {
		u.a.errorAt(at, "%s without .endif in macro %s", u.conds[len(u.conds)-1].name, m.name)
		u.conds = u.conds[:len(u.conds)-1]
	}
}

// bind assigns the arguments of a call to the parameters.
func (m *macro) bind(args string) (map[string]string, error) {
	values := map[string]string{}
	for _, p := range m.params {
		values[p.name] = p.value
	}
	list := splitMacroArgs(args)
	next := 0
	for i, arg := range list {
		if name, v, ok := strings.Cut(arg, "="); ok && !strings.HasPrefix(v, "=") {
			if _, known := values[strings.TrimSpace(name)]; known {
				values[strings.TrimSpace(name)] = unquote(strings.TrimSpace(v))
				continue
			}
		}
		if next >= len(m.params) {
			return nil, fmt.Errorf("takes %d arguments, not %d", len(m.params), len(list))
		}
		p := m.params[next]
		next++
		if p.vararg {
			values[p.name] = strings.Join(list[i:], ",")
			break
		}
		if arg != "" {
			values[p.name] = unquote(arg)
		}
	}
	for _, p := range m.params {
		if p.required && values[p.name] == "" {
			return nil, fmt.Errorf("argument %s is missing", p.name)
		}
	}
	return values, nil
}

// substitute replaces \name, \@ and \() in a body. With a place, the
// statements are attributed to the call, where the reader looks.
func substitute(body []stmt, values map[string]string, count int, at *place) []stmt {
	var out []stmt
	for _, s := range body {
		t := substituteText(s.text, values, count)
		if at != nil {
			s.place = *at
		}
		// An argument may bring a ';' of its own.
		for _, part := range splitSemicolons(t) {
			out = append(out, stmt{s.place, part})
		}
	}
	return out
}

func substituteText(t string, values map[string]string, count int) string {
	if !strings.Contains(t, "\\") {
		return t
	}
	var b strings.Builder
	for i := 0; i < len(t) && b.Len() <= maxStatement; i++ {
		rest := t[i+1:]
		switch name, _ := paramName(rest); {
		case t[i] != '\\':
			b.WriteByte(t[i])
		case strings.HasPrefix(rest, "@") && count >= 0:
			b.WriteString(strconv.Itoa(count))
			i++
		case strings.HasPrefix(rest, "()"):
			i += 2
		default:
			if v, ok := values[name]; ok && name != "" {
				b.WriteString(v)
				i += len(name)
			} else {
				b.WriteByte('\\')
			}
		}
	}
	return b.String()
}

func paramName(t string) (string, string) {
	i := 0
	for i < len(t) && isIdent(t[i]) && t[i] != '.' {
		i++
	}
	return t[:i], t[i:]
}

func splitSemicolons(t string) []string {
	if !strings.Contains(t, ";") {
		return []string{t}
	}
	s := scanner{text: t}
	for s.pos < len(t) {
		s.step()
	}
	s.flush()
	var out []string
	for _, st := range s.out {
		out = append(out, st.text)
	}
	return out
}

// splitMacroArgs cuts at commas and at blanks that do not stand beside an
// operator, outside quotes and parentheses: `a, b c` is three arguments and
// `a + b` one.
func splitMacroArgs(t string) []string {
	var out []string
	for _, part := range splitArgs(t) {
		start, depth := 0, 0
		for i := 0; i < len(part); i++ {
			switch c := part[i]; {
			case c == '"':
				if n := stringLen(part[i:]); n > 0 {
					i += n - 1
				}
			case c == '(':
				depth++
			case c == ')':
				depth--
			case (c == ' ' || c == '\t') && depth <= 0:
				before, after := strings.TrimSpace(part[start:i]), strings.TrimSpace(part[i:])
				if before != "" && after != "" && !endsInOperator(before) && !startsWithOperator(after) {
					out = append(out, before)
					start = i
				}
			}
		}
		out = append(out, strings.TrimSpace(part[start:]))
	}
	return out
}

const operatorChars = "+-*/|&^<>=!~"

func endsInOperator(t string) bool { return strings.IndexByte(operatorChars+"(", t[len(t)-1]) >= 0 }
func startsWithOperator(t string) bool {
	return strings.IndexByte("+-*/|&^<>=)", t[0]) >= 0
}

func unquote(t string) string {
	if len(t) >= 2 && t[0] == '"' && stringLen(t) == len(t) {
		return strings.ReplaceAll(t[1:len(t)-1], `\"`, `"`)
	}
	return t
}
