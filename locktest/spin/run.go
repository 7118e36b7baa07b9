package spin

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"spinlab/experiment"
	"spinlab/locktest/engine"
)

// Config is what scripts run with. Its zero value has no bounds but those of
// the scripts, no clock and no compiler.
type Config struct {
	Short bool           // leaves out commands marked --long
	Only  *regexp.Regexp // if not nil: leaves out commands whose name does not match

	// Source is the code that commands before the first source command are
	// about; nil: there must be none.
	Source *engine.Source

	// Bounds of commands that set none themselves; 0: none, or the engine's.
	MaxStates, MaxMemory, MaxInstructions uint64
	Timeout                               time.Duration

	// Deadline gives a function that says whether that much time is over; nil:
	// timeouts mean nothing.
	Deadline func(time.Duration) func() bool
	// Now reads a clock for Result.Took; nil: it stays 0.
	Now func() time.Time
	// Compile runs the C compiler on a file and returns assembler text, or an
	// object if -c is among the flags. nil: there is none.
	Compile func(file string, flags []string) ([]byte, error)
}

// Status says how a command ended.
type Status string

// The ends of a command.
const (
	Pass  Status = "pass"
	Fail  Status = "fail"
	Skip  Status = "skip"
	Error Status = "error" // its input makes no sense
)

// Result is what came of a command.
type Result struct {
	Item    *Item
	Status  Status
	Message string // of a failed budget, an error, or why it was skipped
	Got     string // what a command with expected output printed
	Diff    string // unified, of expected output that differs
	Took    time.Duration
}

// Want is the expected output of the item.
func (it *Item) Want() string {
	if len(it.want) == 0 {
		return ""
	}
	return strings.Join(it.want, "\n") + "\n"
}

// Golden says that the item has expected output.
func (it *Item) Golden() bool { return it.golden }

// runner goes through a script.
type runner struct {
	script *Script
	cfg    *Config

	at     *Item // the source command in force
	ready  bool  // it has been loaded
	source engine.Source
	why    string // there is no code
	counts map[string]*engine.LockCount
}

// Run runs the script. Results come for all tests in their order, and for
// sources that could not be had.
func (s *Script) Run(cfg *Config) []Result {
	r := &runner{script: s, cfg: cfg}
	if cfg.Source != nil {
		r.ready, r.source, r.counts = true, *cfg.Source, map[string]*engine.LockCount{}
	}
	var list []Result
	for _, it := range s.Items {
		if it.IsSource() {
			r.at, r.ready = it, false
			continue
		}
		if cfg.Only != nil && !cfg.Only.MatchString(it.Name) {
			continue
		}
		list = append(list, r.one(it)...)
	}
	return list
}

// one runs a test, and its source if that has not been loaded.
func (r *runner) one(it *Item) (list []Result) {
	if it.Long && r.cfg.Short {
		return []Result{{Item: it, Status: Skip, Message: "marked --long"}}
	}
	if it.cmd.needsSource && !r.ready {
		if bad := r.load(); bad != nil {
			list = append(list, *bad)
		}
	}
	if it.cmd.needsSource && r.why != "" {
		return append(list, Result{Item: it, Status: Skip, Message: r.why})
	}
	began := r.cfg.now()
	res := r.test(it)
	res.Took = r.cfg.now().Sub(began)
	return append(list, res)
}

// load makes the code of the source command in force.
func (r *runner) load() *Result {
	r.ready, r.why, r.counts = true, "", map[string]*engine.LockCount{}
	src, err := r.at.cmd.load(r, r.at)
	if err == nil && src.skip == "" {
		_, err = src.Object(nil) // mistakes in it are told once, here
	}
	switch {
	case err != nil:
		r.why = fmt.Sprintf("no code: line %d failed", r.at.Line)
		return &Result{Item: r.at, Status: Error, Message: err.Error()}
	case src.skip != "":
		r.why = fmt.Sprintf("no code: %s (%s)", src.skip, r.at.Text)
	}
	r.source = src.Source
	return nil
}

func (r *runner) test(it *Item) Result {
	if it.isBudget {
		msg, err := r.judge(it)
		switch {
		case err != nil:
			return failed(it, err)
		case msg != "":
			return Result{Item: it, Status: Fail, Message: msg}
		}
		return Result{Item: it, Status: Pass}
	}
	got, err := it.cmd.run(r, it)
	if err != nil {
		return failed(it, err)
	}
	got = normal(got)
	res := Result{Item: it, Status: Pass, Got: got}
	if want := it.Want(); got != want {
		res.Status = Fail
		res.Diff = string(diff.Diff("want", []byte(want), "got", []byte(got)))
	}
	return res
}

// failed is the result of a command that gave no answer. Code that does not come
// to its end has failed a test; everything else is bad input.
func failed(it *Item, err error) Result {
	res := Result{Item: it, Status: Error, Message: err.Error()}
	var end *engine.EndError
	var stuck *experiment.StuckError
	var late *TimeoutError
	if errors.As(err, &end) || errors.As(err, &stuck) || errors.As(err, &late) {
		res.Status = Fail
	}
	return res
}

// normal is output as an expected block can hold it: no blank lines, no blanks
// at line ends.
func normal(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func (c *Config) now() time.Time {
	if c.Now == nil {
		return time.Time{}
	}
	return c.Now()
}

// expired is a function that says whether the time is up, nil if it never is.
func (c *Config) expired(after time.Duration) func() bool {
	if c.Deadline == nil || after == 0 {
		return nil
	}
	return c.Deadline(after)
}

func (c *Config) compile(file string, flags []string) ([]byte, error) {
	if c.Compile == nil {
		return nil, &NoCompilerError{"C compiler"}
	}
	return c.Compile(file, flags)
}

// maxFile bounds a source beside a script, in bytes.
const maxFile = 16 << 20

func (c *Config) read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fileError(path, err)
	}
	if len(b) > maxFile {
		return nil, fmt.Errorf("%s: longer than %d MiB", path, maxFile>>20)
	}
	return b, nil
}

// fileError says what is wrong with a file, with its name once.
func fileError(name string, err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}
