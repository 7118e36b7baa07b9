package litmus

import (
	"fmt"
	"slices"
	"strings"
)

// Expected is what a text of herd7 says about a test.
type Expected struct {
	States  []string // sorted, each with its locations in order of name
	Verdict string   // Ok or No
}

// ParseExpected reads herd7's output: the states and the verdict. Everything
// else may be missing.
func ParseExpected(text string) (Expected, error) {
	var e Expected
	left := -1
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		n := 0
		switch {
		case left > 0:
			e.States = append(e.States, normalState(line))
			left--
		case line == "Ok", line == "No":
			e.Verdict = line
		case strings.HasPrefix(line, "States "):
			if _, err := fmt.Sscanf(line, "States %d", &n); err != nil || n < 0 {
				return e, fmt.Errorf("%q: a number of states is wanted", line)
			}
			left = n
		}
	}
	if left != 0 || e.Verdict == "" {
		return e, fmt.Errorf("not what herd7 prints: States N, N lines and Ok or No are wanted")
	}
	slices.Sort(e.States)
	return e, nil
}

// normalState sorts the parts of a state: a=1; b=2;.
func normalState(line string) string {
	var parts []string
	for part := range strings.SplitSeq(line, ";") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

// Differences tells how the outcome differs from what is expected, a line
// each; nothing if it does not.
func (o *Outcome) Differences(e Expected) []string {
	got := Expected{Verdict: o.Verdict()}
	for _, s := range o.States {
		got.States = append(got.States, normalState(o.line(s)))
	}
	slices.Sort(got.States)
	var list []string
	if got.Verdict != e.Verdict {
		list = append(list, fmt.Sprintf("verdict %s, expected %s", got.Verdict, e.Verdict))
	}
	for _, s := range e.States {
		if _, ok := slices.BinarySearch(got.States, s); !ok {
			list = append(list, "missing: "+s)
		}
	}
	for _, s := range got.States {
		if _, ok := slices.BinarySearch(e.States, s); !ok {
			list = append(list, "not expected: "+s)
		}
	}
	return list
}
