package litmus

import (
	"fmt"
	"slices"

	"spinlab/explore"
)

// Outcome is what the search of a test found.
type Outcome struct {
	Test *Test
	// Locs are the locations that a state shows, and States the states that
	// pass the filter, each once, in herd7's order.
	Locs   []Loc
	States []State
	// Pos and Neg are how many of them the proposition holds in and not.
	Pos, Neg int

	Bounded bool // a bound was hit: there may be more states
	// Note tells what else happened: a fault, a process that never ends, a
	// bound. "" if all went well.
	Note               string
	Explored, Followed uint64 // states and transitions of the search
}

// State has the values of each of Outcome.Locs: one, or one an element.
type State [][]Value

// view is a final state while it is judged.
type view struct {
	t    *Test
	l    *layout
	at   map[Loc]int // where a location's values begin
	vals []uint64
}

// values reads a location, or all elements of an array.
func (v *view) values(loc Loc) []Value {
	ty := v.t.typeOf(loc)
	n := 1
	if loc.Index < 0 {
		n = ty.count()
	}
	list := make([]Value, n)
	for k := range list {
		list[k] = v.named(Value{Num: int64(v.vals[v.at[loc]+k])}, ty)
	}
	return list
}

// named is a value of a type in the one form that values are compared in.
func (v *view) named(x Value, ty Type) Value {
	if x = v.l.name(x); x.Sym != "" && ty.Size >= 4 {
		return x
	}
	return Value{Num: int64(v.l.number(x))}.as(ty)
}

// Run searches all interleavings of a test. The error says that the test makes
// no sense to the assembler or the machine.
func (t *Test) Run(cfg explore.Config) (*Outcome, error) {
	target, l, err := t.build()
	if err != nil {
		return nil, err
	}
	r, err := explore.Explore(target, cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.File, err)
	}
	o := &Outcome{Test: t, Locs: t.Displayed(), Bounded: r.Verdict == explore.Bounded,
		Explored: r.States, Followed: r.Transitions}
	switch {
	case o.Bounded:
		o.Note = r.Message
	case r.Property != "":
		o.Note = string(r.Property) + ": " + r.Message
	}
	o.judge(&view{t: t, l: l, at: t.offsets()}, r.Finals)
	return o, nil
}

// offsets says where the values of each observed location begin.
func (t *Test) offsets() map[Loc]int {
	at, n := map[Loc]int{}, 0
	for _, loc := range t.Observed() {
		at[loc] = n
		if loc.Index >= 0 {
			n++
		} else {
			n += t.typeOf(loc).count()
		}
	}
	return at
}

// judge sorts the states and counts where the proposition holds.
func (o *Outcome) judge(v *view, finals [][]uint64) {
	type judged struct {
		state State
		holds bool
	}
	var list []judged
	for _, f := range finals {
		v.vals = f
		if v.t.Filter != nil && !v.t.Filter.holds(v) {
			continue
		}
		s := make(State, len(o.Locs))
		for i, loc := range o.Locs {
			s[i] = v.values(loc)
		}
		list = append(list, judged{s, v.t.Cond.holds(v)})
	}
	slices.SortFunc(list, func(a, b judged) int { return compareStates(a.state, b.state) })
	list = slices.CompactFunc(list, func(a, b judged) bool { return compareStates(a.state, b.state) == 0 })
	for _, j := range list {
		o.States = append(o.States, j.state)
		if j.holds {
			o.Pos++
		} else {
			o.Neg++
		}
	}
}

func compareStates(a, b State) int {
	return slices.CompareFunc(a, b, func(x, y []Value) int {
		return slices.CompareFunc(x, y, compareValues)
	})
}

// Verdict is Ok if the condition is what the test asks for, else No. With a
// bound hit it is Bounded unless the states that were found settle it.
func (o *Outcome) Verdict() string {
	found, word := o.Pos > 0, [2]string{"No", "Ok"} // without and with a state that settles it
	switch o.Test.Kind {
	case NotExists:
		word = [2]string{"Ok", "No"}
	case Forall:
		found, word = o.Neg > 0, [2]string{"Ok", "No"}
	}
	switch {
	case found:
		return word[1]
	case o.Bounded:
		return "Bounded"
	}
	return word[0]
}

// Witnesses are the states for and against the condition.
func (o *Outcome) Witnesses() (positive, negative int) {
	if o.Test.Kind == NotExists {
		return o.Neg, o.Pos
	}
	return o.Pos, o.Neg
}

// Observation says how often the proposition holds.
func (o *Outcome) Observation() string {
	switch {
	case o.Pos == 0:
		return "Never"
	case o.Neg == 0:
		return "Always"
	}
	return "Sometimes"
}
