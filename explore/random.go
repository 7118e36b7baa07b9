package explore

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"spinlab/vmm"
)

// Random schedules, for what is too large to be searched: probabilistic
// concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A
// randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS
// 2010). Threads have priorities, drawn for each run, and the highest that can
// go on does. At depth − 1 steps, drawn too, the one that is about to go on
// falls below all others. A bug that needs depth orderings of steps is met by a
// run with probability 1/(n·k^(depth−1)) at least, for n threads and k steps.
//
// A store buffer is a thread of its own, and so are the interrupts of a vCPU:
// when stores commit is as free as everything else.

// Schedules says which random schedules are run.
type Schedules struct {
	Runs  uint64 // how many; the first violation ends it
	Seed  uint64 // equal seeds give equal runs
	Depth int    // orderings that a bug needs, from 1 up; one more costs a factor of k
}

// Sampling tells what was run.
type Sampling struct {
	Runs  uint64 // that were run
	Seed  uint64
	Depth int
	// Steps is k: the most steps that a run has had.
	Steps uint64
	// Probability is what the theorem promises for all runs together: the least
	// with which a bug of that depth is found. It is no proof.
	Probability float64
	// Cut is how many runs were still going on when they had had enough steps.
	Cut uint64
}

const (
	// runLimit is the most steps of a run, endlessLimit that where no end is
	// expected. Ours: locks in the harness take some hundred steps for each
	// acquisition.
	runLimit     = 20_000
	endlessLimit = 2_000
)

// sampling runs random schedules under one assumption of what is private.
type sampling struct {
	t        *Target
	cfg      *Config
	p        Schedules
	how      Trace
	samplers []*sampler // one for each worker, made when there is work for it
	learner  *sampler   // it found that the assumption is wrong

	out    Sampling
	steps  uint64 // of all runs
	finals map[string][]uint64
	stuck  map[string][]uint64
	found  *sample
	bound  string
}

// sample is a violation and how it came about.
type sample struct {
	property Property
	message  string
	path     []vmm.Action
}

// Random runs schedules of t at random until one ends in a violation. Its
// verdict is Violated or Bounded, never Holds. Livelocks are found only where
// everybody who is not done goes round and round alone.
//
// Of cfg, Reduce, DrainOnHalt, Expired, Progress and Workers count; the result
// is the same however many workers there are.
func Random(t *Target, cfg Config, p Schedules) (*Result, error) {
	if p.Depth < 1 || p.Runs < 1 {
		return nil, fmt.Errorf("%d runs of depth %d: both are 1 at least", p.Runs, p.Depth)
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	how := Trace{Reduce: cfg.Reduce, DrainOnHalt: cfg.DrainOnHalt}
	for restarts := 0; ; restarts++ {
		s := &sampling{t: t, cfg: &cfg, p: p, how: how, out: Sampling{Seed: p.Seed, Depth: p.Depth},
			finals: map[string][]uint64{}, stuck: map[string][]uint64{}}
		if err := s.run(); err != nil {
			return nil, err
		}
		if s.learner == nil || !s.learner.learn(&how, s.learner.w) {
			return s.result(restarts)
		}
	}
}

// partMost is how many runs are shared out at a time. They all go by the k of
// the runs before, so that it does not matter who is faster.
const partMost = 64

// run runs schedules until one violates something, or teaches something.
func (s *sampling) run() error {
	if err := s.employ(1); err != nil {
		return err
	}
	for from := uint64(0); from < s.p.Runs; {
		if s.cfg.Expired != nil && s.cfg.Expired() {
			s.bound = "time (--timeout)"
			return nil
		}
		if s.cfg.Progress != nil {
			s.cfg.Progress(from, s.p.Runs-from)
		}
		n := min(max(from, 1), partMost, s.p.Runs-from)
		runs, err := s.part(from, int(n))
		if err != nil {
			return err
		}
		for i := range runs {
			if done, err := s.count(&runs[i]); done || err != nil {
				return err
			}
		}
		from += n
	}
	return nil
}

// part runs n schedules from number from on. What comes behind one that ends
// everything may be missing.
func (s *sampling) part(from uint64, n int) ([]ending, error) {
	workers := min(max(s.cfg.Workers, 1), n/4+1)
	if err := s.employ(workers); err != nil {
		return nil, err
	}
	runs := make([]ending, n)
	var who, next atomic.Int64
	together(workers, func() {
		one := s.samplers[who.Add(1)-1]
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			runs[i] = one.run(rand.New(rand.NewPCG(s.p.Seed, from+uint64(i))))
			if runs[i].err != nil || runs[i].learned {
				return // the walk is of no more use, and neither is what comes later
			}
		}
	})
	return runs, nil
}

// employ makes as many samplers as there are workers.
func (s *sampling) employ(workers int) error {
	for len(s.samplers) < workers {
		one, err := newSampler(s)
		if err != nil {
			return err
		}
		s.samplers = append(s.samplers, one)
	}
	return nil
}

// count takes what a run has come to into account. It says whether that is all.
func (s *sampling) count(e *ending) (done bool, err error) {
	if e.err != nil {
		return true, e.err
	}
	if e.learned {
		s.learner = e.by
		return true, nil
	}
	s.out.Runs++
	s.out.Steps = max(s.out.Steps, e.steps)
	s.steps += e.steps
	switch {
	case e.cut:
		s.out.Cut++
	case e.final != nil:
		s.finals[e.final.key] = e.final.values
	case e.stuck != nil:
		s.stuck[e.stuck.key] = e.stuck.values
	}
	if e.found != nil && s.found == nil {
		s.found = e.found
	}
	return s.found != nil && !s.t.Complete, nil
}

// threads is how many there are: the vCPUs, their buffers, and where interrupts
// may come those.
func (t *Target) threads() int {
	n := t.Machine.VMs[0].VCPUs
	for _, list := range t.Interrupts {
		if len(list) > 0 {
			return 3 * n
		}
	}
	return 2 * n
}

// probability is 1 − (1 − 1/(n·k^(depth−1)))^runs, for n threads and k steps.
func probability(threads int, steps uint64, depth int, runs uint64) float64 {
	one := 1 / (float64(threads) * math.Pow(float64(max(steps, 1)), float64(depth-1)))
	return -math.Expm1(float64(runs) * math.Log1p(-one))
}

// result sums it up.
func (s *sampling) result(restarts int) (*Result, error) {
	s.out.Probability = probability(s.t.threads(), s.out.Steps, s.p.Depth, s.out.Runs)
	r := &Result{Verdict: Bounded, Transitions: s.steps, Restarts: restarts, Finals: sorted(s.finals), Stuck: sorted(s.stuck), Random: &s.out}
	if f := s.found; f != nil {
		r.Verdict, r.Property, r.Message = Violated, f.property, f.message
		how := s.how
		fresh, err := newSampler(s) // the others may have learned something since
		if err != nil {
			return nil, err
		}
		how.Path = fresh.shorten(f)
		r.Trace = &how
		return r, r.retell(s.t)
	}
	r.Message = fmt.Sprintf("%d random schedules, no violation; a bug of depth %d among k=%d steps would have been found with probability ≥ %.2g; this is no proof",
		s.out.Runs, s.p.Depth, s.out.Steps, s.out.Probability)
	if s.out.Cut > 0 {
		r.Message += fmt.Sprintf("; %d of them were cut off, after %d steps at most", s.out.Cut, s.t.limit())
	}
	if s.bound != "" {
		r.Message += "; bound hit: " + s.bound
	}
	r.Unentered = s.bound == "" && s.t.probed() && !slices.ContainsFunc(s.samplers, func(one *sampler) bool { return one.w.Entered })
	return r, nil
}

// limit is the most steps of a run.
func (t *Target) limit() int {
	if t.Endless {
		return endlessLimit
	}
	return runLimit
}
