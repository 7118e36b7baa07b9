package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"spinlab/explore"
	"spinlab/locktest/engine"
)

// The JSON of check.
type (
	checkJSON struct {
		Target      string      `json:"target"`
		Verdict     string      `json:"verdict"`
		Property    *string     `json:"property"`
		Message     string      `json:"message,omitempty"`
		States      uint64      `json:"states"`
		Transitions uint64      `json:"transitions"`
		Seconds     float64     `json:"seconds"`
		Bytes       uint64      `json:"bytes"`
		Reduce      string      `json:"reduce"`
		Observed    []string    `json:"observed"`
		Finals      [][]string  `json:"finals"`
		Trace       []traceJSON `json:"trace"`
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
	fmt.Fprintf(w, " — %s states, %s transitions, %.2f s, %s", grouped(r.States), grouped(r.Transitions), took.Seconds(), memory(r))
	if r.Trace != nil {
		fmt.Fprintf(w, ", %d steps to it", len(r.Trace.Path))
	}
	fmt.Fprintln(w)
	if r.Message != "" {
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(r.Message, "; ", "\n  "))
	}
	printFinals(w, t, r)
	printLines(w, lines, f.full)
	return nil
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
		Observed: []string{}, Finals: [][]string{}, Trace: []traceJSON{}}
	if r.Property != "" {
		p := string(r.Property)
		j.Property = &p
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
