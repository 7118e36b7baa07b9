package litmus

import "strings"

// inits reads the init block.
func (p *parser) inits(text string, line int) {
	s := &stream{p: p, list: p.tokens(text, line)}
	for s.peek().kind != tokEOF {
		if s.take(";") {
			continue
		}
		p.initItem(s)
		if s.peek().kind != tokEOF {
			s.want(";")
		}
	}
}

// initItem reads one declaration, with or without a type and a value.
func (p *parser) initItem(s *stream) {
	line := s.peek().line
	ty, typed := p.declared(s)
	l := p.location(s)
	if l.Name != "" && s.peek().text == "[" {
		if !typed {
			p.fail(line, "an array needs a type, as in int64_t %s[2]={1,2}", l.Name)
		}
		ty.Len = p.arrayLen(s)
	}
	if typed {
		p.declare(l, ty, line)
	}
	if !s.take("=") {
		if !typed {
			p.t.Inits = append(p.t.Inits, Init{l, []Value{{}}, line})
		}
		return
	}
	p.t.Inits = append(p.t.Inits, Init{l, p.initValues(s, ty.Len), line})
}

// declared reads the type of a declaration if it has one.
func (p *parser) declared(s *stream) (ty Type, typed bool) {
	s.take("_Atomic")
	first := s.peek()
	if s.take("*") {
		return pointerType, true
	}
	if first.kind != tokName {
		return defaultType, false
	}
	second, third := s.after(1), s.after(2)
	switch {
	case second.text == "*":
		s.at += 2
		return pointerType, true
	case second.kind == tokName, second.kind == tokNumber, second.text == "[" && third.kind == tokName:
		ty, ok := baseTypes[first.text]
		if !ok {
			p.fail(first.line, "unknown type %s", first.text)
		}
		s.at++
		return ty, true
	}
	return defaultType, false
}

// declare notes a type; a location has one.
func (p *parser) declare(l Loc, ty Type, line int) {
	if old, ok := p.t.types[l]; ok && old != ty {
		p.fail(line, "%s has another type already", l.text(p.t))
	}
	p.t.types[l] = ty
}

// maxElements bounds an array: what fits in the shared memory.
const maxElements = sharedSize

func (p *parser) arrayLen(s *stream) int {
	s.want("[")
	line := s.peek().line
	n := s.number()
	s.want("]")
	if n < 1 || n > maxElements {
		p.fail(line, "an array of %d elements", n)
	}
	return int(n)
}

// initValues reads one value, or as many as the array has in braces.
func (p *parser) initValues(s *stream, elements int) []Value {
	if elements == 0 {
		return []Value{p.value(s)}
	}
	line := s.peek().line
	list := p.vector(s)
	if len(list) != elements {
		p.fail(line, "%d values for an array of %d elements", len(list), elements)
	}
	return list
}

// vector reads {v,v,…}.
func (p *parser) vector(s *stream) []Value {
	s.want("{")
	list := []Value{p.value(s)}
	for s.take(",") {
		list = append(list, p.value(s))
	}
	s.want("}")
	return list
}

// value reads a number or the address of a location.
func (p *parser) value(s *stream) Value {
	amp := s.take("&")
	t := s.peek()
	if t.kind == tokNumber && !amp {
		n := s.number()
		if s.peek().text == ":" {
			p.fail(t.line, "labels as values are not supported")
		}
		return Value{Num: n}
	}
	v := Value{Sym: s.name("a number or a location")}
	if s.peek().text == ":" {
		p.fail(t.line, "%s: is neither a number nor a location", v.Sym)
	}
	p.t.note(v.Sym, t.line)
	if s.peek().text == "[" {
		s.at++
		line := s.peek().line
		n := s.number()
		s.want("]")
		size := p.t.typeOf(memLoc(v.Sym)).Size
		if n < 0 || n >= int64(sharedSize/size) {
			p.fail(line, "%s[%d] is not in the array", v.Sym, n)
		}
		v.Off = int(n) * size
	}
	return v
}

// location reads 0:rax, P0:rax, x or [x].
func (p *parser) location(s *stream) Loc {
	t := s.peek()
	if s.take("[") {
		name := s.name("a location")
		s.want("]")
		p.t.note(name, t.line)
		return memLoc(name)
	}
	if s.after(1).text == ":" {
		if proc, ok := procNumber(t); ok {
			s.at += 2
			return regLoc(proc, p.register(s))
		}
	}
	name := s.name("a location")
	if s.peek().text == ":" {
		p.fail(t.line, "%s:… is not a location; a register is written 0:rax", name)
	}
	p.t.note(name, t.line)
	return memLoc(name)
}

// procNumber reads the 0 or P0 of 0:rax.
func procNumber(t token) (int, bool) {
	text := t.text
	if t.kind == tokName {
		rest, ok := strings.CutPrefix(text, "P")
		if !ok {
			return 0, false
		}
		text = rest
	}
	if len(text) == 0 || len(text) > 4 {
		return 0, false
	}
	n := 0
	for i := range len(text) {
		if !isDigit(text[i]) {
			return 0, false
		}
		n = 10*n + int(text[i]-'0')
	}
	return n, true
}

func (p *parser) register(s *stream) Reg {
	percent := s.take("%")
	t := s.peek()
	name := s.name("a register")
	r, ok := parseReg(name)
	if !ok && percent {
		p.fail(t.line, "no register %%%s; symbolic registers are not supported", name)
	}
	if !ok {
		p.fail(t.line, "no register %s", name)
	}
	return r
}
