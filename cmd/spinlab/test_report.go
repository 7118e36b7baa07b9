package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"spinlab/locktest/spin"
)

// testJSON is a command in the JSON of test; a script that cannot be read has
// one entry without a name.
type testJSON struct {
	Script  string  `json:"script"`
	Line    int     `json:"line"`
	Name    string  `json:"name"`
	Command string  `json:"command"`
	Status  string  `json:"status"` // pass, fail, skip or error
	Message string  `json:"message"`
	Want    string  `json:"want"`
	Got     string  `json:"got"`
	Diff    string  `json:"diff"`
	Repeat  string  `json:"repeat"`
	Seconds float64 `json:"seconds"`
}

func printTests(w io.Writer, runs []scriptRun, f *testFlags) error {
	switch {
	case f.tap:
		return printTAP(w, runs)
	case f.output.value == "json":
		return writeJSON(w, testRows(runs))
	case f.output.value == "csv":
		t := table{head: []string{"script", "line", "name", "status", "message", "seconds"}}
		for _, j := range testRows(runs) {
			t.add(j.Script, j.Line, j.Name, j.Status, j.Message, fmt.Sprintf("%.3f", j.Seconds))
		}
		return t.csv(w)
	}
	sum := map[spin.Status]int{}
	for i := range runs {
		printScript(w, &runs[i])
		for _, r := range runs[i].results {
			sum[r.Status]++
		}
		if runs[i].err != nil {
			sum[spin.Error]++
		}
	}
	fmt.Fprintln(w, testSum(len(runs), sum))
	return nil
}

// testSum is the last line: 3 scripts: 20 passed, 1 failed.
func testSum(scripts int, sum map[spin.Status]int) string {
	parts := []string{fmt.Sprintf("%d passed", sum[spin.Pass])}
	for _, p := range []struct {
		status spin.Status
		text   string
	}{{spin.Fail, "failed"}, {spin.Error, "with errors"}, {spin.Skip, "skipped"}} {
		if n := sum[p.status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, p.text))
		}
	}
	noun := "scripts"
	if scripts == 1 {
		noun = "script"
	}
	return fmt.Sprintf("%d %s: %s", scripts, noun, strings.Join(parts, ", "))
}

// printScript prints a line for the script, and below it what is not well.
func printScript(w io.Writer, run *scriptRun) {
	if run.err != nil {
		fmt.Fprintf(w, "ERROR %s\n%s\n", run.path, indent(run.err.Error(), "  "))
		return
	}
	bad, tests := 0, 0
	for _, r := range run.results {
		if r.Status == spin.Fail || r.Status == spin.Error {
			bad++
		}
		if !r.Item.IsSource() {
			tests++
		}
	}
	word := "ok   "
	note := fmt.Sprintf("%d commands", tests)
	switch {
	case bad > 0:
		word, note = "FAIL ", fmt.Sprintf("%d of %d commands", bad, tests)
	case run.updated:
		note += ", updated"
	}
	fmt.Fprintf(w, "%s %s  %s\n", word, run.path, note)
	printSkips(w, run)
	for i := range run.results {
		printFailure(w, run, &run.results[i])
	}
}

// printSkips says aloud what was not tested and why, once for each reason.
func printSkips(w io.Writer, run *scriptRun) {
	count := map[string]int{}
	var order []string
	for _, r := range run.results {
		if r.Status != spin.Skip {
			continue
		}
		if count[r.Message] == 0 {
			order = append(order, r.Message)
		}
		count[r.Message]++
	}
	for _, why := range order {
		fmt.Fprintf(w, "  skipped %d: %s\n", count[why], why)
	}
}

func printFailure(w io.Writer, run *scriptRun, r *spin.Result) {
	if r.Status != spin.Fail && r.Status != spin.Error {
		return
	}
	fmt.Fprintf(w, "  %s:%d: %s\n", run.path, r.Item.Line, r.Item.Text)
	fmt.Fprintln(w, indent(explain(r), "    "))
	if !r.Item.IsSource() {
		fmt.Fprintf(w, "    repeat: %s\n", run.repeat(r.Item))
	}
}

// explain is what is wrong: a message, or the difference.
func explain(r *spin.Result) string {
	if r.Diff == "" {
		return r.Message
	}
	_, diff, _ := strings.Cut(r.Diff, "\n") // the line "diff want got" says nothing
	return strings.TrimRight(diff, "\n")
}

func indent(text, by string) string { return by + strings.ReplaceAll(text, "\n", "\n"+by) }

// repeat is the command line that runs one command of a script again.
func (run *scriptRun) repeat(it *spin.Item) string {
	return fmt.Sprintf("spinlab test %s --run %s%s", shellWord(run.path), shellWord("^"+regexp.QuoteMeta(it.Name)+"$"), run.bounds)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=+-]+$`)

// shellWord quotes s for a POSIX shell if need be.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func testRows(runs []scriptRun) []testJSON {
	rows := []testJSON{}
	for i := range runs {
		run := &runs[i]
		if run.err != nil {
			rows = append(rows, testJSON{Script: run.path, Status: string(spin.Error), Message: run.err.Error()})
		}
		for _, r := range run.results {
			j := testJSON{Script: run.path, Line: r.Item.Line, Name: r.Item.Name, Command: r.Item.Text, Status: string(r.Status),
				Message: r.Message, Want: r.Item.Want(), Got: r.Got, Diff: r.Diff, Seconds: r.Took.Seconds()}
			if !r.Item.IsSource() {
				j.Repeat = run.repeat(r.Item)
			}
			rows = append(rows, j)
		}
	}
	return rows
}

// printTAP prints the Test Anything Protocol, version 13.
func printTAP(w io.Writer, runs []scriptRun) error {
	rows := testRows(runs)
	fmt.Fprintf(w, "TAP version 13\n1..%d\n", len(rows))
	for i, j := range rows {
		name := strings.ReplaceAll(strings.TrimRight(j.Script+" "+j.Name, " "), "#", `\#`)
		switch j.Status {
		case string(spin.Pass):
			fmt.Fprintf(w, "ok %d - %s\n", i+1, name)
		case string(spin.Skip):
			fmt.Fprintf(w, "ok %d - %s # SKIP %s\n", i+1, name, j.Message)
		default:
			text := j.Message + j.Diff
			fmt.Fprintf(w, "not ok %d - %s\n  ---\n  at: %s:%d\n  message: |\n%s\n  ...\n", i+1, name, j.Script, j.Line, indent(strings.TrimRight(text, "\n"), "    "))
		}
	}
	return nil
}

// The JUnit report, as the JUnit XML reporting plugins of CI systems read it.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string     `xml:"name,attr"`
		Class   string     `xml:"classname,attr"`
		Time    string     `xml:"time,attr"`
		Failure *junitNote `xml:"failure"`
		Error   *junitNote `xml:"error"`
		Skipped *junitNote `xml:"skipped"`
	}
	junitNote struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func writeJUnit(name string, runs []scriptRun) error {
	var all junitSuites
	for i := range runs {
		all.Suites = append(all.Suites, junitOf(&runs[i]))
	}
	b, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, append([]byte(xml.Header), append(b, '\n')...), 0o644); err != nil {
		return fileError(name, err)
	}
	return nil
}

func junitOf(run *scriptRun) junitSuite {
	s := junitSuite{Name: run.path}
	var total time.Duration
	for _, r := range run.results {
		total += r.Took
	}
	for _, j := range testRows([]scriptRun{*run}) {
		name := j.Name
		if name == "" {
			name = run.path
		}
		c := junitCase{Name: name, Class: run.path, Time: fmt.Sprintf("%.3f", j.Seconds)}
		note := &junitNote{firstLine(j.Message + j.Diff), fmt.Sprintf("%s:%d: %s\n%s%s\n%s\n", j.Script, j.Line, j.Command, j.Message, j.Diff, j.Repeat)}
		switch spin.Status(j.Status) {
		case spin.Fail:
			s.Failures++
			c.Failure = note
		case spin.Error:
			s.Errors++
			c.Error = note
		case spin.Skip:
			s.Skipped++
			c.Skipped = &junitNote{Message: j.Message}
		}
		s.Cases = append(s.Cases, c)
	}
	s.Tests, s.Time = len(s.Cases), fmt.Sprintf("%.3f", total.Seconds())
	return s
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
