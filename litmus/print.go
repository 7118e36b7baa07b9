package litmus

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Write prints the outcome as herd7 does. The time is the caller's: nothing
// here reads a clock.
func (o *Outcome) Write(w io.Writer, took time.Duration) error {
	var b strings.Builder
	t := o.Test
	fmt.Fprintf(&b, "Test %s %s\n", t.Name, t.Kind)
	b.WriteString(o.Body())
	fmt.Fprintf(&b, "Time %s %.2f\n", t.Name, took.Seconds())
	if h := t.Hash(); h != "" {
		fmt.Fprintf(&b, "Hash=%s\n", h)
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// Body is the part of herd7's text from the states to the observation.
func (o *Outcome) Body() string {
	var b strings.Builder
	fmt.Fprintf(&b, "States %d\n", len(o.States))
	for _, s := range o.States {
		b.WriteString(o.line(s) + "\n")
	}
	pos, neg := o.Witnesses()
	fmt.Fprintf(&b, "%s\nWitnesses\nPositive: %d Negative: %d\n", o.Verdict(), pos, neg)
	fmt.Fprintf(&b, "Condition %s\n%s\n", o.Test.Condition(), o.Summary())
	return b.String()
}

// Summary is herd7's line Observation NAME Sometimes 1 2.
func (o *Outcome) Summary() string {
	return fmt.Sprintf("Observation %s %s %d %d", o.Test.Name, o.Observation(), o.Pos, o.Neg)
}

// line prints a state.
func (o *Outcome) line(s State) string {
	parts := make([]string, len(s))
	for i := range s {
		name, value := o.Pair(s, i)
		parts[i] = name + "=" + value + ";"
	}
	return strings.Join(parts, " ")
}

// Pair gives the i-th location of a state and its value as they are printed.
func (o *Outcome) Pair(s State, i int) (name, value string) {
	ty := o.Test.typeOf(o.Locs[i])
	name = o.Locs[i].text(o.Test)
	if ty.Len == 0 || o.Locs[i].Index >= 0 {
		return name, s[i][0].text(ty)
	}
	var b strings.Builder
	writeVector(&b, s[i], ty)
	return name, b.String()
}
