package main

import (
	"bufio"
	"fmt"
	"strings"
)

// The JSON of a test.
type (
	litmusJSON struct {
		Name        string          `json:"name"`
		File        string          `json:"file"`
		Kind        string          `json:"kind"`
		States      [][][2]string   `json:"states"`
		Verdict     string          `json:"verdict"`
		Witnesses   witnessesJSON   `json:"witnesses"`
		Condition   string          `json:"condition"`
		Observation string          `json:"observation"`
		Explored    litmusSpaceJSON `json:"explored"`
		Seconds     float64         `json:"seconds"`
		Note        string          `json:"note"`
		Expected    *bool           `json:"as_expected"` // null if nothing is known
		Differences []string        `json:"differences"`
	}
	witnessesJSON struct {
		Positive int `json:"positive"`
		Negative int `json:"negative"`
	}
	litmusSpaceJSON struct {
		States      uint64 `json:"states"`
		Transitions uint64 `json:"transitions"`
	}
)

// litmusReport prints tests one after the other.
type litmusReport struct {
	w      *bufio.Writer
	format string
	json   []litmusJSON
}

// add takes the next test. Text comes at once, so that a long series shows what
// it has.
func (r *litmusReport) add(it *litmusItem) error {
	switch {
	case it.err != nil:
		return nil
	case r.format != "text":
		r.json = append(r.json, it.json())
		return nil
	case !it.folder:
		if err := it.outcome.Write(r.w, it.took); err != nil {
			return err
		}
		return r.w.Flush()
	case !it.compared:
		fmt.Fprintln(r.w, it.outcome.Summary())
	case len(it.differences) > 0:
		fmt.Fprintf(r.w, "%s: not as expected\n  %s\n", it.path, strings.Join(it.differences, "\n  "))
	}
	return nil
}

// finish prints what comes behind the last test.
func (r *litmusReport) finish(items []litmusItem) error {
	switch r.format {
	case "json":
		if r.json == nil {
			r.json = []litmusJSON{}
		}
		return writeJSON(r.w, r.json)
	case "csv":
		return litmusTable(r.json).csv(r.w)
	}
	if s := litmusSum(items); s != "" {
		fmt.Fprintln(r.w, s)
	}
	return nil
}

// litmusSum is the last line for folders: 505 tests: 505 as expected.
func litmusSum(items []litmusItem) string {
	var tests, same, differ, alone, bad int
	for i := range items {
		it := &items[i]
		if !it.folder {
			continue
		}
		tests++
		switch {
		case it.err != nil:
			bad++
		case !it.compared:
			alone++
		case len(it.differences) > 0:
			differ++
		default:
			same++
		}
	}
	if tests == 0 {
		return ""
	}
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{same, "as expected"}, {differ, "not as expected"}, {alone, "without an expected text"}, {bad, "not understood"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", grouped(uint64(p.n)), p.what))
		}
	}
	noun := "tests"
	if tests == 1 {
		noun = "test"
	}
	return fmt.Sprintf("%s %s: %s", grouped(uint64(tests)), noun, strings.Join(parts, ", "))
}

func (it *litmusItem) json() litmusJSON {
	o := it.outcome
	j := litmusJSON{Name: o.Test.Name, File: it.path, Kind: o.Test.Kind.String(), States: [][][2]string{},
		Verdict: o.Verdict(), Condition: o.Test.Condition(), Observation: o.Observation(),
		Explored: litmusSpaceJSON{o.Explored, o.Followed}, Seconds: it.took.Seconds(), Note: o.Note, Differences: []string{}}
	j.Witnesses.Positive, j.Witnesses.Negative = o.Witnesses()
	for _, s := range o.States {
		pairs := make([][2]string, len(s))
		for i := range s {
			pairs[i][0], pairs[i][1] = o.Pair(s, i)
		}
		j.States = append(j.States, pairs)
	}
	if it.compared {
		same := len(it.differences) == 0
		j.Expected = &same
		j.Differences = append(j.Differences, it.differences...)
	}
	return j
}

func litmusTable(tests []litmusJSON) *table {
	t := &table{head: []string{"name", "kind", "states", "verdict", "positive", "negative", "observation",
		"explored_states", "explored_transitions", "as_expected"}}
	for _, j := range tests {
		expected := ""
		if j.Expected != nil {
			expected = fmt.Sprint(*j.Expected)
		}
		t.add(j.Name, j.Kind, len(j.States), j.Verdict, j.Witnesses.Positive, j.Witnesses.Negative, j.Observation,
			j.Explored.States, j.Explored.Transitions, expected)
	}
	return t
}
