package spin

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"spinlab/cpu"
	"spinlab/experiment"
	"spinlab/explore"
	"spinlab/litmus"
	"spinlab/locktest/engine"
	"spinlab/vmm"
)

// ofLock says that a subject is a part of the lock and not a function: those
// are called with inputs.
func (it *Item) ofLock(subject string) bool {
	b := &it.opts.bare
	return slices.Contains(lockSubjects, subject) && len(b.Regs)+len(b.Mem) == 0 && b.Flags == nil
}

func countLine(name string, n *engine.Count) string {
	return fmt.Sprintf("%s: %d instructions, %d locked, %d loads, %d stores, %d branches, %d bytes\n",
		name, n.Instructions, n.Locked, n.Loads, n.Stores, n.Branches, n.Bytes)
}

// runCount prints a line for each function; without any, for the four parts of
// a lock.
func runCount(r *runner, it *Item) (string, error) {
	names := texts(it.args)
	if len(names) == 0 {
		if it.ofLock("lock") && r.isLock() {
			names = lockSubjects
		} else {
			names = []string{""}
		}
	}
	var b strings.Builder
	for _, name := range names {
		if !it.ofLock(name) {
			n, err := r.call(it, name)
			if err != nil {
				return "", err
			}
			b.WriteString(countLine(n.Function, &n))
			continue
		}
		n, err := r.lockCount(it)
		if err != nil {
			return "", err
		}
		switch name {
		case "lock":
			b.WriteString(countLine(name, &n.Lock))
		case "unlock":
			b.WriteString(countLine(name, &n.Unlock))
		case "spin":
			fmt.Fprintf(&b, "spin: %d instructions a turn\n", n.Spin)
		default:
			fmt.Fprintf(&b, "slowpath: %d bytes\n", n.Slowpath)
		}
	}
	return b.String(), nil
}

// isLock says that the code has the functions of a lock.
func (r *runner) isLock() bool {
	obj, err := r.source.Object(nil)
	if err != nil {
		return false
	}
	_, lock := obj.Lookup("spin_lock")
	_, unlock := obj.Lookup("spin_unlock")
	return lock && unlock
}

// runRegs prints how a call ended, what it executed and what it changed.
func runRegs(r *runner, it *Item) (string, error) {
	c := it.opts.bare
	if len(it.args) > 0 {
		c.Entry = it.args[0].text
	}
	_, rep, _, err := r.source.Call(r.bareLimits(c), it.opts.defines)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(rep.Verdict())
	if !rep.AtEnd {
		b.WriteString(" at " + rep.Place())
	}
	fmt.Fprintf(&b, " — %d instructions, %d locked, %d loads, %d stores, %d branches\n", rep.Instructions, rep.Locked, rep.Loads, rep.Stores, rep.Branches)
	for k := range cpu.NumExits {
		if n := rep.Exits[engine.ExitNames[k]]; n > 0 && k != cpu.ExitHLT {
			fmt.Fprintf(&b, "exits: %s %d\n", engine.ExitNames[k], n)
		}
	}
	for _, c := range rep.Registers {
		fmt.Fprintf(&b, "%s %s -> %s\n", c.What, c.Before, c.After)
	}
	for _, c := range rep.Memory {
		fmt.Fprintf(&b, "[%s] %s -> %s\n", c.What, c.Before, c.After)
	}
	return b.String(), nil
}

// runDis prints the instructions of functions. Addresses are relative to the
// function, so that code before it may change.
func runDis(r *runner, it *Item) (string, error) {
	obj, err := r.source.Object(it.opts.defines)
	if err != nil {
		return "", err
	}
	list := engine.Disassemble(obj)
	var b strings.Builder
	if len(it.args) == 0 {
		for _, in := range list {
			if name := experiment.Symbol(obj, in.Addr); name != "" && !strings.Contains(name, "+") {
				fmt.Fprintf(&b, "%s:\n", name)
			}
			fmt.Fprintf(&b, "  %-20x %s\n", in.Bytes, relative(in.Text))
		}
		return b.String(), nil
	}
	for _, w := range it.args {
		addr, size, err := engine.Function(obj, w.text)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s:\n", w.text)
		for _, in := range list {
			if in.Addr >= addr && in.Addr < addr+size {
				fmt.Fprintf(&b, "  +%-4x %-20x %s\n", in.Addr-addr, in.Bytes, relative(in.Text))
			}
		}
	}
	return b.String(), nil
}

var (
	namedTarget = regexp.MustCompile(`0x[0-9a-f]+ <([^>]+)>`)
	namedRIP    = regexp.MustCompile(`rip 0x[0-9a-f]+ \(([^)]+)\)`)
)

// relative names an address by its symbol alone, so that expected output does
// not change when code before it does.
func relative(text string) string {
	return namedRIP.ReplaceAllString(namedTarget.ReplaceAllString(text, "$1"), "at $1")
}

func runRun(r *runner, it *Item) (string, error) {
	res, err := r.runMachine(it)
	if err != nil {
		return "", err
	}
	lines := runLines(res)
	if it.opts.counters {
		t := res.Totals()
		lines = append(lines,
			fmt.Sprintf("instructions %d, locked %d, loads %d, stores %d, pauses %d", t.Instructions, t.Locked, t.Loads, t.Stores, t.Pauses),
			fmt.Sprintf("exits %d, hlts %d, hypercalls %d, kicks %d, transfers %d, cycles %d", t.Exits, t.HLTs, t.Hypercalls, t.Kicks, t.Transfers, t.Cycles))
	}
	return strings.Join(lines, "\n") + "\n", nil
}

// runLines are the verdict and, unless all is well, who did not end.
func runLines(r *engine.Run) []string {
	line := string(r.Verdict)
	if r.Counter.Want > 0 {
		line += fmt.Sprintf(" — counter %d of %d", r.Counter.Got, r.Counter.Want)
	}
	lines := []string{line}
	if r.Verdict == vmm.VerdictDone {
		return lines
	}
	if r.Message != "" && r.Verdict != vmm.VerdictDeadlock {
		lines = append(lines, "  "+relative(r.Message))
	}
	const most = 8
	for i, s := range r.Waiting {
		if i == most {
			lines = append(lines, fmt.Sprintf("  … %d vCPUs in all", len(r.Waiting)))
			break
		}
		lines = append(lines, fmt.Sprintf("  vcpu %d %s at %s", s.VCPU, s.State, s.Symbol))
	}
	return lines
}

func runCheck(r *runner, it *Item) (string, error) {
	c, err := r.checkAll(it)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(checkVerdict(c))
	if it.opts.states {
		fmt.Fprintf(&b, " — %d states, %d transitions", c.States, c.Transitions)
	}
	b.WriteString("\n")
	for _, values := range c.Finals {
		words := make([]string, len(values))
		for i, v := range values {
			words[i] = fmt.Sprintf("%s=%#x", c.Target.Observe[i].Name, v)
		}
		if len(words) > 0 {
			fmt.Fprintf(&b, "  final: %s\n", strings.Join(words, " "))
		}
	}
	if o := c.Overtaking; o != nil {
		fmt.Fprintf(&b, "  overtaking: %s\n", overtaking(c))
	}
	if !it.opts.trace {
		return b.String(), nil
	}
	if c.Message != "" {
		b.WriteString(relative(indented(strings.Split(c.Message, "; "))) + "\n")
	}
	lines, err := c.Trace()
	repeats := false
	for _, l := range lines {
		if loop := c.Result.Trace.Loop; loop > 0 && l.Step >= loop && !repeats {
			repeats = true
			b.WriteString("  and for ever:\n")
		}
		if !l.Private || it.opts.full {
			b.WriteString(traceLine(&l) + "\n")
		}
	}
	return b.String(), err
}

// overtaking tells how often others come first.
func overtaking(c *engine.Check) string {
	switch o := c.Overtaking; {
	case o.Unbounded:
		return "without bound"
	case o.Max == 0:
		return "none"
	default:
		return "at most " + explore.Times(o.Max)
	}
}

// traceLine is a line of a trace without addresses and places in sources: those
// of the harness are not the script's to keep.
func traceLine(l *explore.Line) string {
	text := l.Text
	if l.Action != "step" && l.Action != text {
		text = l.Action + ": " + text
	}
	return fmt.Sprintf("%4d  v%d  %-28s %-34s %s", l.Step, l.VCPU, l.Symbol, relative(text), l.Effect)
}

func checkVerdict(c *engine.Check) string {
	if c.Verdict == explore.Violated {
		return "violated: " + string(c.Property)
	}
	return string(c.Verdict)
}

func planLitmus(it *Item) *SyntaxError {
	if len(it.block) > 0 {
		return nil
	}
	return it.oneArg("FILE, or the lines up to ----,")
}

func runLitmus(r *runner, it *Item) (string, error) {
	name, text := r.script.Path, strings.Join(it.block, "\n")
	if len(it.block) > 0 {
		text = strings.Repeat("\n", it.blockAt-1) + text
	} else {
		name = it.args[0].text
		b, err := r.cfg.read(r.path(name))
		if err != nil {
			return "", err
		}
		text = string(b)
	}
	t, err := litmus.Parse(name, []byte(text))
	if err != nil {
		return "", err
	}
	o, err := t.Run(r.searchLimits(it.opts.check.Search, it.opts.timeout))
	if err != nil {
		return "", err
	}
	out := fmt.Sprintf("Test %s %s\n%s", t.Name, t.Kind, o.Body())
	if o.Note != "" {
		out += o.Note + "\n"
	}
	return out, nil
}

// call runs a function with the inputs and counts.
func (r *runner) call(it *Item, name string) (engine.Count, error) {
	c := it.opts.bare
	c.Entry = name
	return r.source.CountCall(r.bareLimits(c), it.opts.defines)
}

// lockCount measures the lock once for each set of defines.
func (r *runner) lockCount(it *Item) (*engine.LockCount, error) {
	key := fmt.Sprint(it.opts.defines) // fmt sorts the keys
	if n, ok := r.counts[key]; ok {
		return n, nil
	}
	n, err := r.source.CountLock(it.opts.defines)
	if err == nil {
		r.counts[key] = n
	}
	return n, err
}

// TimeoutError says that the time of a command was up.
type TimeoutError struct{ After time.Duration }

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("not done after %s (--timeout)", e.After)
}

func (r *runner) runMachine(it *Item) (*engine.Run, error) {
	c := it.opts.run
	if c.MaxInstructions == 0 {
		c.MaxInstructions = r.cfg.MaxInstructions
	}
	limit := it.opts.timeout
	if limit == 0 {
		limit = r.cfg.Timeout
	}
	c.Expired = r.cfg.expired(limit)
	res, err := r.source.Run(c)
	if err == nil && res.Expired {
		err = &TimeoutError{limit}
	}
	return res, err
}

func (r *runner) checkAll(it *Item) (*engine.Check, error) {
	c := it.opts.check
	c.Search = r.searchLimits(c.Search, it.opts.timeout)
	return r.source.Check(c)
}

func (r *runner) searchLimits(c explore.Config, timeout time.Duration) explore.Config {
	if c.MaxStates == 0 {
		c.MaxStates = r.cfg.MaxStates
	}
	if c.MaxMemory == 0 {
		c.MaxMemory = r.cfg.MaxMemory
	}
	if timeout == 0 {
		timeout = r.cfg.Timeout
	}
	c.Expired = r.cfg.expired(timeout)
	return c
}

// callInstructions bounds a call that no flag bounds: far more than a lock
// takes, and well below a second.
const callInstructions = 10_000_000

func (r *runner) bareLimits(c engine.BareConfig) engine.BareConfig {
	if c.MaxInstructions == 0 {
		c.MaxInstructions = r.cfg.MaxInstructions
	}
	if c.MaxInstructions == 0 {
		c.MaxInstructions = callInstructions
	}
	return c
}
