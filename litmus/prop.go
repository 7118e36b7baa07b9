package litmus

import (
	"slices"
	"strings"
)

// Prop is a proposition about a final state.
type Prop interface {
	// holds says whether it is true in a state.
	holds(*view) bool
	// write prints it as herd7 does, given what it stands in.
	write(b *strings.Builder, t *Test, in precedence)
	// locs adds what it looks at.
	locs(add func(Loc))
}

// The propositions. An empty And is true, an empty Or false.
type (
	// Equals compares a location with a constant, or an array with several.
	Equals struct {
		Loc    Loc
		Values []Value
	}
	// Same compares two locations.
	Same struct{ A, B Loc }
	// Not is negation.
	Not struct{ P Prop }
	// And holds when all do.
	And []Prop
	// Or holds when one does.
	Or []Prop
	// Implies holds when A does not or B does.
	Implies struct{ A, B Prop }
)

func (q Equals) holds(v *view) bool {
	ty := v.t.typeOf(q.Loc)
	got := v.values(q.Loc)
	for i, want := range q.Values {
		if got[i] != v.named(want, ty) {
			return false
		}
	}
	return true
}

func (q Same) holds(v *view) bool { return v.values(q.A)[0] == v.values(q.B)[0] }
func (q Not) holds(v *view) bool  { return !q.P.holds(v) }

func (q And) holds(v *view) bool {
	return !slices.ContainsFunc(q, func(p Prop) bool { return !p.holds(v) })
}

func (q Or) holds(v *view) bool {
	return slices.ContainsFunc(q, func(p Prop) bool { return p.holds(v) })
}

func (q Implies) holds(v *view) bool { return !q.A.holds(v) || q.B.holds(v) }

func (q Equals) locs(add func(Loc)) { add(q.Loc) }

func (q Same) locs(add func(Loc)) {
	add(q.A)
	add(q.B)
}

func (q Not) locs(add func(Loc)) { q.P.locs(add) }

func (q And) locs(add func(Loc)) {
	for _, p := range q {
		p.locs(add)
	}
}

func (q Or) locs(add func(Loc)) { And(q).locs(add) }

func (q Implies) locs(add func(Loc)) {
	q.A.locs(add)
	q.B.locs(add)
}

// precedence is what a proposition stands in, for parentheses.
type precedence uint8

const (
	inNothing precedence = iota
	inOr
	inAnd
	inImplies
)

func (q Equals) write(b *strings.Builder, t *Test, _ precedence) {
	b.WriteString(q.Loc.text(t))
	b.WriteByte('=')
	// A constant is printed signed whatever it is compared with.
	if ty := t.typeOf(q.Loc); ty.Len > 0 && q.Loc.Index < 0 {
		writeVector(b, q.Values, Type{})
		return
	}
	b.WriteString(q.Values[0].text(Type{}))
}

func (q Same) write(b *strings.Builder, t *Test, _ precedence) {
	b.WriteString(q.A.text(t) + "=" + q.B.text(t))
}

func (q Not) write(b *strings.Builder, t *Test, _ precedence) {
	b.WriteString("not (")
	q.P.write(b, t, inNothing)
	b.WriteByte(')')
}

func (q And) write(b *strings.Builder, t *Test, in precedence) {
	if len(q) == 0 {
		b.WriteString("true")
		return
	}
	writeList(b, t, q, ` /\ `, inAnd, in == inImplies)
}

func (q Or) write(b *strings.Builder, t *Test, in precedence) {
	if len(q) == 0 {
		b.WriteString("false")
		return
	}
	writeList(b, t, q, ` \/ `, inOr, in == inAnd || in == inImplies)
}

func (q Implies) write(b *strings.Builder, t *Test, in precedence) {
	writeList(b, t, []Prop{q.A, q.B}, " => ", inImplies, in == inOr || in == inAnd)
}

func writeList(b *strings.Builder, t *Test, list []Prop, between string, here precedence, parens bool) {
	if parens {
		b.WriteByte('(')
	}
	for i, p := range list {
		if i > 0 {
			b.WriteString(between)
		}
		p.write(b, t, here)
	}
	if parens {
		b.WriteByte(')')
	}
}

func writeVector(b *strings.Builder, list []Value, ty Type) {
	b.WriteByte('{')
	for i, v := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(v.text(ty))
	}
	b.WriteByte('}')
}

// Condition is the condition as herd7 prints it.
func (t *Test) Condition() string {
	var b strings.Builder
	b.WriteString(t.Kind.Keyword() + " (")
	t.Cond.write(&b, t, inNothing)
	b.WriteByte(')')
	return b.String()
}

// Displayed are the locations that a state shows: those of the condition and
// of the locations section, in herd7's order.
func (t *Test) Displayed() []Loc {
	return sortedLocs(func(add func(Loc)) {
		for _, l := range t.Shown {
			add(l)
		}
		t.Cond.locs(add)
	})
}

// Observed are Displayed and what the filter looks at.
func (t *Test) Observed() []Loc {
	return sortedLocs(func(add func(Loc)) {
		for _, l := range t.Displayed() {
			add(l)
		}
		if t.Filter != nil {
			t.Filter.locs(add)
		}
	})
}

func sortedLocs(each func(add func(Loc))) []Loc {
	var list []Loc
	each(func(l Loc) { list = append(list, l) })
	slices.SortFunc(list, compareLocs)
	return slices.Compact(list)
}
