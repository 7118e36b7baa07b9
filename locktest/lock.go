package locktest

import (
	"fmt"
	"strings"
	"testing"

	"spinlab/explore"
	"spinlab/locktest/engine"
	"spinlab/locktest/spin"
)

// Cost is what a lock costs when nobody contends: the second of two
// acquisitions on one CPU.
type Cost struct {
	Lock, Unlock  Counts
	SpinTurn      uint64 // instructions of a turn of the waiting loop; 0 without PAUSE
	SlowpathBytes uint64 // of all functions but spin_lock and spin_unlock
}

// Measure counts what a lock costs. It fails for code that is no lock, or that
// gets stuck alone.
func Measure(c Code) (*Cost, error) {
	if c.err != nil {
		return nil, c.err
	}
	n, err := c.src.CountLock(nil)
	if err != nil {
		return nil, err
	}
	return &Cost{countsOf(&n.Lock), countsOf(&n.Unlock), n.Spin, n.Slowpath}, nil
}

// Count is Measure in a test.
func Count(t testing.TB, c Code) *Cost {
	t.Helper()
	n, err := Measure(c)
	if err != nil {
		t.Fatalf("locktest: %v", err)
	}
	return n
}

// Limits bound a search. The zero value has none.
type Limits struct {
	States uint64 // distinct states
	Memory uint64 // bytes
}

// Verdict is what a search of all interleavings found.
type Verdict struct {
	Holds   bool
	Bounded bool // a limit was hit: nothing is known about the rest
	// Property is what was violated: exclusion, deadlock, livelock, assertion,
	// fault, freed or final. Message says how, or which limit was hit.
	Property, Message   string
	States, Transitions uint64
	// Trace is a shortest way to the violation, a line for each step; nil
	// without one.
	Trace []string
}

func (v *Verdict) String() string {
	switch {
	case v.Holds:
		return "holds"
	case v.Bounded:
		return "bounded"
	}
	return "violated: " + v.Property
}

// Check searches all interleavings of vcpus CPUs that each take the lock iters
// times: instructions, store buffers, halts and kicks. It fails for code that
// is no lock.
func Check(c Code, vcpus, iters int, limits Limits) (*Verdict, error) {
	switch {
	case c.err != nil:
		return nil, c.err
	case vcpus < 1 || iters < 1:
		return nil, fmt.Errorf("%d CPUs, %d times: at least 1 of each", vcpus, iters)
	}
	found, err := c.src.Check(engine.CheckConfig{VCPUs: vcpus, Iters: int64(iters),
		Search: explore.Config{MaxStates: limits.States, MaxMemory: limits.Memory}})
	if err != nil {
		return nil, err
	}
	v := &Verdict{Holds: found.Holds(), Bounded: found.Verdict == explore.Bounded, Property: string(found.Property),
		Message: found.Message, States: found.States, Transitions: found.Transitions}
	lines, err := found.Trace()
	for _, l := range lines {
		if !l.Private {
			v.Trace = append(v.Trace, engine.TraceLine(&l))
		}
	}
	return v, err
}

// Holds fails the test unless the lock is proved for that many CPUs and
// acquisitions. The way to a violation is in the message.
func Holds(t testing.TB, c Code, vcpus, iters int) {
	t.Helper()
	v, err := Check(c, vcpus, iters, Limits{})
	switch {
	case err != nil:
		t.Fatalf("locktest: %v", err)
	case !v.Holds:
		t.Errorf("locktest: %s (%s)\n%s", v, v.Message, strings.Join(v.Trace, "\n"))
	}
}

// Violates fails the test unless the search finds that property violated; ""
// takes any.
func Violates(t testing.TB, c Code, property string, vcpus, iters int) {
	t.Helper()
	v, err := Check(c, vcpus, iters, Limits{})
	switch {
	case err != nil:
		t.Fatalf("locktest: %v", err)
	case v.Holds || v.Bounded || property != "" && v.Property != property:
		t.Errorf("locktest: %s, wanted violated: %s", v, property)
	}
}

// Judge holds the code to budgets, in the words of scripts:
//
//	lock instructions <= 9        unlock locked == 0
//	spin instructions <= 4        slowpath bytes < 400
//	count spin_trylock instructions <= 12 rdi=0x200000
//	check holds 2x2               check violated exclusion 2x1
//	run done 4x1000               run exits < 100 4x1000
//
// It returns a message for each that is not met; the error is for lines and
// code that make no sense.
func Judge(c Code, lines ...string) (missed []string, err error) {
	if c.err != nil {
		return nil, c.err
	}
	s, err := spin.ParseBudgets("budget", lines)
	if err != nil {
		return nil, err
	}
	for _, r := range s.Run(&spin.Config{Source: &c.src}) {
		switch r.Status {
		case spin.Fail:
			missed = append(missed, fmt.Sprintf("%s: %s", r.Item.Text, r.Message))
		case spin.Error:
			return missed, fmt.Errorf("%s: %s", r.Item.Text, r.Message)
		}
	}
	return missed, nil
}

// Budget is Judge in a test: every budget that is not met is an error.
func Budget(t testing.TB, c Code, lines ...string) {
	t.Helper()
	missed, err := Judge(c, lines...)
	for _, m := range missed {
		t.Errorf("locktest: %s", m)
	}
	if err != nil {
		t.Fatalf("locktest: %v", err)
	}
}
