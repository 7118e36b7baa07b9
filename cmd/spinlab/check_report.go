package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"spinlab/explore"
	"spinlab/locktest/engine"
)

// The JSON of check.
type (
	checkJSON struct {
		Target      string          `json:"target"`
		Verdict     string          `json:"verdict"`
		Property    *string         `json:"property"`
		Message     string          `json:"message,omitempty"`
		Missed      []string        `json:"missed,omitempty"` // of a deadlock: why sleepers were not woken
		States      uint64          `json:"states"`
		Transitions uint64          `json:"transitions"`
		Seconds     float64         `json:"seconds"`
		Bytes       uint64          `json:"bytes"`
		Reduce      string          `json:"reduce"`
		Observed    []string        `json:"observed"`
		Finals      [][]string      `json:"finals"`
		Overtaking  *overtakingJSON `json:"overtaking,omitempty"`
		Loop        int             `json:"loop,omitempty"` // number of the action from which on all repeats for ever
		Trace       []traceJSON     `json:"trace"`
		Random      *randomJSON     `json:"random,omitempty"`
	}
	overtakingJSON struct {
		Unbounded bool   `json:"unbounded"`
		Max       uint64 `json:"max"`
		VCPU      int    `json:"vcpu"`
		Lock      string `json:"lock"`
	}
	traceJSON struct {
		Number  int    `json:"number"`
		VCPU    int    `json:"vcpu"`
		Action  string `json:"action"`
		RIP     string `json:"rip"`
		Symbol  string `json:"symbol"`
		Source  string `json:"source"`
		Text    string `json:"text"`
		Effect  string `json:"effect"`
		Private bool   `json:"private,omitempty"`
	}
)

func printCheck(w io.Writer, t *checkTarget, r *explore.Result, lines []explore.Line, took time.Duration, f *checkFlags) error {
	if f.output.value == "json" {
		return writeJSON(w, checkReport(t, r, lines, took, f))
	}
	fmt.Fprintf(w, "%s: %s", t.Name, r.Verdict)
	if r.Property != "" {
		fmt.Fprintf(w, ": %s", r.Property)
	}
	printAmount(w, r, took)
	if r.Trace != nil {
		fmt.Fprintf(w, ", %d steps to it", len(r.Trace.Path))
	}
	fmt.Fprintln(w)
	if r.Message != "" {
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(r.Message, "; ", "\n  "))
	}
	for _, s := range missed(t, r, lines) {
		fmt.Fprintf(w, "  %s\n", s)
	}
	printOvertaking(w, t, r)
	printFinals(w, t, r)
	printLoop(w, lines, r, f.full)
	return nil
}

// missed tells why sleepers were not woken.
func missed(t *checkTarget, r *explore.Result, lines []explore.Line) []string {
	switch r.Property {
	case explore.Deadlock, explore.Livelock, explore.Starvation:
		return explore.Missed(lines, r.Trace.Loop, t.Place)
	}
	return nil
}

// printOvertaking tells how often others come first.
func printOvertaking(w io.Writer, t *checkTarget, r *explore.Result) {
	switch o := r.Overtaking; {
	case o == nil:
	case o.Unbounded:
		fmt.Fprintf(w, "  overtaking: without bound (vcpu %d at %s)\n", o.VCPU, t.Place(o.Lock))
	case o.Max == 0:
		fmt.Fprintf(w, "  overtaking: none\n")
	default:
		fmt.Fprintf(w, "  overtaking: at most %s (vcpu %d at %s)\n", explore.Times(o.Max), o.VCPU, t.Place(o.Lock))
	}
}

// memory tells what the states took.
func memory(r *explore.Result) string {
	return fmt.Sprintf("%s KiB (%d bytes a state)", grouped(r.Bytes>>10), r.Bytes/max(r.States, 1))
}

// printFinals lists what was observed.
func printFinals(w io.Writer, t *checkTarget, r *explore.Result) {
	if len(t.Observe) == 0 {
		return
	}
	if len(r.Finals) == 0 {
		fmt.Fprintln(w, "  no final state was reached")
	}
	for _, values := range r.Finals {
		words := make([]string, len(values))
		for i, v := range values {
			words[i] = fmt.Sprintf("%s=%#x", t.Observe[i].Name, v)
		}
		fmt.Fprintf(w, "  final: %s\n", strings.Join(words, " "))
	}
}

// printLoop prints the trace of a violation, and where it goes on for ever.
func printLoop(w io.Writer, lines []explore.Line, r *explore.Result, full bool) {
	if r.Trace == nil || r.Trace.Loop == 0 {
		printLines(w, lines, full)
		return
	}
	i := slices.IndexFunc(lines, func(l explore.Line) bool { return l.Step >= r.Trace.Loop })
	if i < 0 {
		i = len(lines)
	}
	printLines(w, lines[:i], full)
	fmt.Fprintln(w, "  and for ever:")
	printLines(w, lines[i:], full)
}

// printLines prints a trace.
func printLines(w io.Writer, lines []explore.Line, full bool) {
	for _, l := range lines {
		if l.Private && !full {
			continue
		}
		printLine(w, &l)
	}
}

func printLine(w io.Writer, l *explore.Line) { fmt.Fprintln(w, engine.TraceLine(l)) }

func checkReport(t *checkTarget, r *explore.Result, lines []explore.Line, took time.Duration, f *checkFlags) checkJSON {
	j := checkJSON{Target: t.Name, Verdict: string(r.Verdict), Message: r.Message, States: r.States,
		Transitions: r.Transitions, Seconds: took.Seconds(), Bytes: r.Bytes, Reduce: f.reduce.value,
		Observed: []string{}, Finals: [][]string{}, Trace: []traceJSON{},
		Random: newRandomJSON(r.Random)}
	if r.Property != "" {
		p := string(r.Property)
		j.Property = &p
	}
	j.Missed = missed(t, r, lines)
	if o := r.Overtaking; o != nil {
		j.Overtaking = &overtakingJSON{o.Unbounded, o.Max, o.VCPU, hexNumber(o.Lock)}
	}
	if r.Trace != nil {
		j.Loop = r.Trace.Loop
	}
	for _, o := range t.Observe {
		j.Observed = append(j.Observed, o.Name)
	}
	for _, values := range r.Finals {
		words := []string{}
		for _, v := range values {
			words = append(words, hexNumber(v))
		}
		j.Finals = append(j.Finals, words)
	}
	for _, l := range lines {
		if !l.Private || f.full {
			j.Trace = append(j.Trace, traceJSON{l.Step, l.VCPU, l.Action, hexNumber(l.RIP), l.Symbol, l.Source, l.Text, l.Effect, l.Private})
		}
	}
	return j
}
