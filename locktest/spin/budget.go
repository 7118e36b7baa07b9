package spin

import (
	"fmt"
	"slices"
	"strings"

	"spinlab/explore"
	"spinlab/locktest/engine"
	"spinlab/vmm"
)

// budget is a number or a verdict that must be met.
type budget struct {
	subject string // lock, unlock, spin, slowpath, run, check, or a function
	metric  string // what is counted; "" asks for a verdict
	op      string
	want    uint64

	verdict, property string
}

// operators compare a measured number with the wanted one.
var operators = map[string]func(got, want uint64) bool{
	"<=": func(g, w uint64) bool { return g <= w },
	">=": func(g, w uint64) bool { return g >= w },
	"<":  func(g, w uint64) bool { return g < w },
	">":  func(g, w uint64) bool { return g > w },
	"==": func(g, w uint64) bool { return g == w },
	"!=": func(g, w uint64) bool { return g != w },
}

func isOperator(s string) bool { _, ok := operators[s]; return ok }

// What can be counted, in the order of messages.
var (
	callMetrics = []string{"instructions", "locked", "loads", "stores", "branches", "bytes"}
	runMetrics  = []string{"instructions", "locked", "loads", "stores", "pauses", "hlts", "hypercalls", "exits", "kicks", "transfers", "cycles"}
	metricsOf   = map[string][]string{"spin": {"instructions"}, "slowpath": {"bytes"}, "run": runMetrics}
)

func metrics(subject string) []string {
	if list, ok := metricsOf[subject]; ok {
		return list
	}
	return callMetrics
}

// lockSubjects are the parts of a lock that have a price of their own.
var lockSubjects = []string{"lock", "unlock", "spin", "slowpath"}

// setBudget reads METRIC OP NUMBER.
func (it *Item) setBudget(subject string, words []word) *SyntaxError {
	if len(words) != 3 {
		at := it.words[0]
		if len(words) > 3 {
			at = words[3]
		}
		return it.bad(at, "%s METRIC OP NUMBER is wanted, as %s %s <= 9", subject, subject, metrics(subject)[0])
	}
	b := budget{subject: subject, metric: words[0].text, op: words[1].text}
	if !slices.Contains(metrics(subject), b.metric) {
		return it.bad(words[0], "%s has no %s; there are %s", subject, b.metric, strings.Join(metrics(subject), ", "))
	}
	if !isOperator(b.op) {
		return it.bad(words[1], "%s: one of <=, <, ==, !=, >=, > is wanted", b.op)
	}
	n, err := engine.ParseNumber(words[2].text)
	if err != nil || int64(n) < 0 {
		return it.bad(words[2], "%s: a number from 0 up is wanted", words[2].text)
	}
	b.want = n
	it.isBudget, it.budget = true, b
	return nil
}

func planLockBudget(it *Item) *SyntaxError { return it.setBudget(it.cmd.name, it.args) }

// planCount is a budget if an operator stands among the words.
func planCount(it *Item) *SyntaxError {
	i := slices.IndexFunc(it.args, func(w word) bool { return isOperator(w.text) })
	if i < 0 {
		return nil
	}
	if i < 2 {
		return it.bad(it.words[0], "count FUNCTION METRIC OP NUMBER is wanted, as count spin_trylock instructions <= 12")
	}
	return it.setBudget(it.args[0].text, it.args[1:])
}

func planRegs(it *Item) *SyntaxError {
	if len(it.args) > 1 {
		return it.oneArg("FUNCTION")
	}
	return nil
}

var (
	runVerdicts   = []string{string(vmm.VerdictDone), string(vmm.VerdictDeadlock), string(vmm.VerdictViolation), string(vmm.VerdictFault), string(vmm.VerdictLimit)}
	checkVerdicts = []string{string(explore.Holds), string(explore.Violated)}
)

// Properties are what a check can find violated.
func Properties() []string {
	var list []string
	for _, p := range []explore.Property{explore.Exclusion, explore.Deadlock, explore.Livelock, explore.Assertion, explore.Fault, explore.Freed, explore.Final, explore.Starvation, explore.Overtaken} {
		list = append(list, string(p))
	}
	return list
}

// planRun is golden alone, and a budget with a verdict or METRIC OP NUMBER.
func planRun(it *Item) *SyntaxError {
	switch {
	case len(it.args) == 0:
		return nil
	case len(it.args) == 1 && slices.Contains(runVerdicts, it.args[0].text):
		it.isBudget, it.budget = true, budget{subject: "run", verdict: it.args[0].text}
		return nil
	case len(it.args) == 1:
		return it.bad(it.args[0], "%s: 4x1000 (VCPUSxITERS), a verdict (%s) or METRIC OP NUMBER is wanted", it.args[0].text, strings.Join(runVerdicts, ", "))
	}
	return it.setBudget("run", it.args)
}

// planCheck is golden alone, and a budget with a verdict.
func planCheck(it *Item) *SyntaxError {
	if len(it.args) == 0 {
		return nil
	}
	b := budget{subject: "check", verdict: it.args[0].text}
	if !slices.Contains(checkVerdicts, b.verdict) {
		return it.bad(it.args[0], "%s: 2x1 (VCPUSxITERS), holds or violated PROPERTY is wanted", b.verdict)
	}
	rest := it.args[1:]
	if b.verdict == string(explore.Violated) && len(rest) > 0 {
		b.property, rest = rest[0].text, rest[1:]
		if !slices.Contains(Properties(), b.property) {
			return it.bad(it.args[1], "no property %s; there are %s", b.property, strings.Join(Properties(), ", "))
		}
	}
	if len(rest) > 0 {
		return it.bad(rest[0], "%s: nothing is expected here", rest[0].text)
	}
	it.isBudget, it.budget = true, b
	return nil
}

// judge holds a budget: "" if it is met, else measured against wanted and where.
func (r *runner) judge(it *Item) (string, error) {
	b := &it.budget
	switch {
	case b.subject == "check" && b.verdict != "":
		return r.judgeCheck(it)
	case b.subject == "run":
		return r.judgeRun(it)
	}
	got, where, err := r.measure(it)
	if err != nil || operators[b.op](got, b.want) {
		return "", err
	}
	msg := fmt.Sprintf("%s %s: measured %d, wanted %s %d", b.subject, b.metric, got, b.op, b.want)
	if where != "" {
		msg += " (" + where + ")"
	}
	return msg, nil
}

// measure is the number of a budget for code, and where that is.
func (r *runner) measure(it *Item) (got uint64, where string, err error) {
	b := &it.budget
	if it.ofLock(b.subject) {
		n, err := r.lockCount(it)
		if err != nil {
			return 0, "", err
		}
		switch b.subject {
		case "spin":
			return n.Spin, "one turn of the spin loop of " + r.source.Name, nil
		case "slowpath":
			return n.Slowpath, "all functions but spin_lock and spin_unlock", nil
		case "unlock":
			return metric(&n.Unlock, b.metric), place(&n.Unlock), nil
		}
		return metric(&n.Lock, b.metric), place(&n.Lock), nil
	}
	n, err := r.call(it, b.subject)
	return metric(&n, b.metric), place(&n), err
}

func place(n *engine.Count) string { return strings.TrimSpace(n.Function + " " + n.Where) }

func metric(n *engine.Count, name string) uint64 {
	return map[string]uint64{"instructions": n.Instructions, "locked": n.Locked, "loads": n.Loads, "stores": n.Stores,
		"branches": n.Branches, "bytes": n.Bytes}[name]
}

func (r *runner) judgeRun(it *Item) (string, error) {
	b := &it.budget
	res, err := r.runMachine(it)
	if err != nil {
		return "", err
	}
	if b.metric == "" {
		if got := string(res.Verdict); got != b.verdict {
			return fmt.Sprintf("run: got %s, wanted %s\n%s", got, b.verdict, strings.Join(runLines(res), "\n")), nil
		}
		return "", nil
	}
	if res.Verdict != vmm.VerdictDone {
		return "run: nothing to measure, it ended with\n" + strings.Join(runLines(res), "\n"), nil
	}
	t := res.Totals()
	got := map[string]uint64{"instructions": t.Instructions, "locked": t.Locked, "loads": t.Loads, "stores": t.Stores, "pauses": t.Pauses,
		"hlts": t.HLTs, "hypercalls": t.Hypercalls, "exits": t.Exits, "kicks": t.Kicks, "transfers": t.Transfers, "cycles": t.Cycles}[b.metric]
	if operators[b.op](got, b.want) {
		return "", nil
	}
	return fmt.Sprintf("run %s: measured %d, wanted %s %d (%d acquisitions of %s)", b.metric, got, b.op, b.want, t.Acquisitions, r.source.Name), nil
}

func (r *runner) judgeCheck(it *Item) (string, error) {
	b := &it.budget
	c, err := r.checkAll(it)
	if err != nil {
		return "", err
	}
	if string(c.Verdict) == b.verdict && (b.property == "" || b.property == string(c.Property)) {
		return "", nil
	}
	want := strings.TrimSpace(b.verdict + " " + b.property)
	msg := fmt.Sprintf("check: got %s, wanted %s", checkVerdict(c), want)
	if c.Message != "" {
		msg += "\n" + indented(strings.Split(c.Message, "; "))
	}
	if where := c.Where(); where != "" {
		msg += fmt.Sprintf("\n  where: %s, after %d steps", where, len(c.Result.Trace.Path))
	}
	return msg, nil
}

// indented puts each line below what it belongs to.
func indented(lines []string) string { return "  " + strings.Join(lines, "\n  ") }
