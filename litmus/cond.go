package litmus

// condition reads what follows the code: locations, filter and the condition.
// Without a condition every state is right.
func (p *parser) condition(text string, line int) {
	s := &stream{p: p, list: p.tokens(text, line)}
	p.t.Kind, p.t.Cond = Forall, And(nil)
	if s.take("locations") {
		p.shown(s)
	}
	if s.take("filter") {
		p.t.Filter = p.or(s, 0)
	}
	switch t := s.peek(); {
	case s.take("exists"), s.take("final"):
		p.t.Kind, p.t.Cond = Exists, p.or(s, 0)
	case s.take("forall"):
		p.t.Kind, p.t.Cond = Forall, p.or(s, 0)
	case s.take("~"), s.take("not"):
		s.want("exists")
		p.t.Kind, p.t.Cond = NotExists, p.or(s, 0)
	case t.text == "(":
		p.t.Kind, p.t.Cond = Exists, p.or(s, 0)
	}
	s.take(";")
	if s.take("with") {
		p.kinds(s)
	}
	if t := s.peek(); t.kind != tokEOF {
		p.fail(t.line, "the end, /\\ or \\/ is wanted, not %s", t)
	}
}

// kinds skips "with model: exists; …": what other models are expected to say.
func (p *parser) kinds(s *stream) {
	for s.peek().kind != tokEOF {
		s.name("a model")
		s.want(":")
		if !s.take("forall") {
			if !s.take("~") {
				s.take("not")
			}
			s.want("exists")
		}
		if !s.take(";") {
			return
		}
	}
}

// shown reads locations [0:rax; x; y int;].
func (p *parser) shown(s *stream) {
	s.want("[")
	for !s.take("]") {
		line := s.peek().line
		l := p.condLoc(s)
		p.t.Shown = append(p.t.Shown, l)
		p.shownType(s, l, line)
		if s.peek().text != "]" {
			s.want(";")
		}
	}
}

// shownType reads the type behind a location. One from the init block stays.
func (p *parser) shownType(s *stream, l Loc, line int) {
	ty := pointerType
	switch t := s.peek(); {
	case s.take("*"):
	case t.kind == tokName:
		s.at++
		base, ok := baseTypes[t.text]
		if !ok {
			p.fail(t.line, "unknown type %s", t.text)
		}
		if !s.take("*") {
			ty = base
		}
	default:
		return
	}
	if _, ok := p.t.types[l.whole()]; !ok {
		p.declare(l.whole(), ty, line)
	}
}

// The grammar of propositions, from what binds least: \/, /\, => (to the
// right), then ~ and atoms.

func (p *parser) or(s *stream, depth int) Prop {
	list := Or{p.and(s, depth)}
	for s.take(`\/`) {
		list = append(list, p.and(s, depth))
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

func (p *parser) and(s *stream, depth int) Prop {
	list := And{p.implies(s, depth)}
	for s.take(`/\`) {
		list = append(list, p.implies(s, depth))
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

func (p *parser) implies(s *stream, depth int) Prop {
	q := p.unary(s, depth)
	if s.take("=>") {
		return Implies{q, p.implies(s, p.deeper(s, depth))}
	}
	return q
}

func (p *parser) unary(s *stream, depth int) Prop {
	depth = p.deeper(s, depth)
	switch {
	case s.take("~"), s.take("not"):
		return Not{p.unary(s, depth)}
	case s.take("("):
		q := p.or(s, depth)
		s.want(")")
		return q
	case s.take("true"):
		return And(nil)
	case s.take("false"):
		return Or(nil)
	}
	return p.atom(s)
}

// deeper bounds how deep the condition nests.
func (p *parser) deeper(s *stream, depth int) int {
	if depth >= maxDepth {
		p.fail(s.peek().line, "the condition nests deeper than %d", maxDepth)
	}
	return depth + 1
}

// atom reads LOCATION = VALUE, LOCATION = LOCATION, or either with !=.
func (p *parser) atom(s *stream) Prop {
	if t := s.peek(); t.text == "fault" || t.text == "Fault" {
		p.fail(t.line, "faults in conditions are not supported")
	}
	l := p.condLoc(s)
	t := s.next()
	differs := false
	switch t.text {
	case "=", "==":
	case "!=", "<>":
		differs = true
	default:
		p.fail(t.line, "= is wanted, not %s", t)
	}
	q := p.rightSide(s, l)
	if differs {
		return Not{q}
	}
	return q
}

// rightSide reads what l is compared with.
func (p *parser) rightSide(s *stream, l Loc) Prop {
	t := s.peek()
	whole := l.Index < 0 && p.t.typeOf(l).Len > 0
	_, isProc := procNumber(t)
	switch {
	case t.text == "{":
		v := p.vector(s)
		if !whole || len(v) != p.t.typeOf(l).Len {
			p.fail(t.line, "%s is not an array of %d elements", l.text(p.t), len(v))
		}
		return Equals{l, v}
	case whole:
		p.fail(t.line, "%s is an array: {…} is wanted", l.Name)
	case t.text == "[", s.take("*"), isProc && s.after(1).text == ":":
		r := p.condLoc(s)
		if p.t.typeOf(r).Len > 0 && r.Index < 0 {
			p.fail(t.line, "%s is an array", r.Name)
		}
		return Same{l, r}
	}
	return Equals{l, []Value{p.value(s)}}
}

// condLoc reads a location, or an element t[1] of an array.
func (p *parser) condLoc(s *stream) Loc {
	line := s.peek().line
	l := p.location(s)
	if l.Name != "" && s.peek().text == "[" {
		s.at++
		n := s.number()
		s.want("]")
		if n < 0 || n >= maxElements {
			p.fail(line, "%s[%d] is not in the array", l.Name, n)
		}
		l.Index = int(n)
	}
	p.checkLoc(l, line)
	return l
}
