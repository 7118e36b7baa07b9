package explore

import (
	"fmt"
	"math"
	"math/rand/v2"

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

// sampler runs random schedules under one assumption of what is private.
type sampler struct {
	t   *Target
	cfg *Config
	p   Schedules
	how Trace
	w   *vmm.Walk
	lessons

	vcpus   [][]byte // the start
	memory  []byte
	choices []vmm.Choices // of each vCPU
	blocked []bool        // each vCPU's step waits for its store buffer
	block   []byte
	// met is where each vCPU has been in a run, its block and that of memory
	// hashed to one number, and how long the path was then.
	met []map[uint64]int

	out    Sampling
	steps  uint64
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
// Of cfg, Reduce, DrainOnHalt, Expired and Progress count.
func Random(t *Target, cfg Config, p Schedules) (*Result, error) {
	if p.Depth < 1 || p.Runs < 1 {
		return nil, fmt.Errorf("%d runs of depth %d: both are 1 at least", p.Runs, p.Depth)
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	how := Trace{Reduce: cfg.Reduce, DrainOnHalt: cfg.DrainOnHalt}
	for restarts := 0; ; restarts++ {
		s, err := newSampler(t, &cfg, how, p)
		if err != nil {
			return nil, err
		}
		if err := s.run(); err != nil {
			return nil, err
		}
		if !s.learn(&how, s.w) {
			return s.result(restarts)
		}
	}
}

func newSampler(t *Target, cfg *Config, how Trace, p Schedules) (*sampler, error) {
	w, err := newWalk(t, t.Machine, &how, nil)
	if err != nil {
		return nil, err
	}
	s := &sampler{t: t, cfg: cfg, p: p, how: how, w: w, out: Sampling{Seed: p.Seed, Depth: p.Depth},
		choices: make([]vmm.Choices, w.N()), blocked: make([]bool, w.N()),
		finals: map[string][]uint64{}, stuck: map[string][]uint64{}}
	for i := range w.N() {
		s.vcpus = append(s.vcpus, w.AppendVCPU(nil, i))
		s.met = append(s.met, map[uint64]int{})
	}
	s.memory = w.AppendMemory(nil)
	s.surprises = w.Memory().Surprises()
	return s, nil
}

// threads is how many there are: the vCPUs, their buffers, and where interrupts
// may come those.
func (s *sampler) threads() int {
	n := 2 * s.w.N()
	for _, list := range s.t.Interrupts {
		if len(list) > 0 {
			return n + s.w.N()
		}
	}
	return n
}

// run runs schedules until one violates something, or teaches something.
func (s *sampler) run() error {
	for i := range s.p.Runs {
		if s.cfg.Expired != nil && s.cfg.Expired() {
			s.bound = "time (--timeout)"
			return nil
		}
		if s.cfg.Progress != nil && i%pollEvery == 0 {
			s.cfg.Progress(i, s.p.Runs-i)
		}
		random := rand.New(rand.NewPCG(s.p.Seed, i))
		r := s.schedule(random)
		if err := r.run(); err != nil {
			return err
		}
		if s.wrong(&s.how, s.w) || s.surprises != nil {
			return nil
		}
		s.steps += uint64(len(r.path))
		s.out.Runs++
		if r.cut {
			s.out.Cut++
		}
		s.out.Steps = max(s.out.Steps, uint64(len(r.path)))
		if s.found != nil && !s.t.Complete {
			return nil
		}
	}
	return nil
}

// begin brings the walk to the start.
func (s *sampler) begin() { s.put(s.vcpus, s.memory) }

// put brings the walk into a state.
func (s *sampler) put(vcpus [][]byte, memory []byte) {
	for i, b := range vcpus {
		s.w.LoadVCPU(i, b)
	}
	s.w.LoadMemory(memory)
	s.w.Memory().ForgetLog()
	s.look(1<<s.w.N() - 1)
}

// look finds out what is open to some vCPUs, a bit each.
func (s *sampler) look(changed uint32) {
	for i := range s.choices {
		if changed>>i&1 != 0 {
			s.choices[i], s.blocked[i] = s.w.Choices(i), false
		}
	}
}

// open says whether a may happen now, as far as is known.
func (s *sampler) open(a vmm.Action) bool {
	return s.choices[a.VCPU]>>a.Kind&1 != 0 && !(a.Kind == vmm.ActStep && s.blocked[a.VCPU])
}

// apply lets a happen. Where it has to wait for its store buffer, nothing does.
func (s *sampler) apply(a vmm.Action) (vmm.Effect, error) {
	e, err := s.w.Apply(a)
	if err != nil || s.misled(s.w) {
		return e, err
	}
	s.w.Memory().ForgetLog()
	s.code = s.code || e.CodeWritten && s.how.Reduce != ReduceNone
	s.surprises = append(s.surprises, s.w.Memory().Surprises()...)
	if e.Moved {
		s.look(e.Changed)
	} else {
		s.blocked[a.VCPU] = true
	}
	return e, nil
}

// over says whether nothing can happen any more, and what is wrong with that.
func (s *sampler) over() (over bool, p Property, message string) {
	for _, c := range s.choices {
		if c != 0 {
			return false, "", ""
		}
	}
	if !s.w.Done() {
		_, why := s.w.Waiting()
		return true, Deadlock, why
	}
	if wrong := s.t.ends(s.w); wrong != "" {
		return true, Final, wrong
	}
	return true, "", ""
}

// Probability is 1 − (1 − 1/(n·k^(depth−1)))^runs, for n threads and k steps.
func probability(threads int, steps uint64, depth int, runs uint64) float64 {
	one := 1 / (float64(threads) * math.Pow(float64(max(steps, 1)), float64(depth-1)))
	return -math.Expm1(float64(runs) * math.Log1p(-one))
}

// result sums it up.
func (s *sampler) result(restarts int) (*Result, error) {
	s.out.Probability = probability(s.threads(), s.out.Steps, s.p.Depth, s.out.Runs)
	r := &Result{Verdict: Bounded, Transitions: s.steps, Restarts: restarts, Finals: sorted(s.finals), Stuck: sorted(s.stuck), Random: &s.out}
	if f := s.found; f != nil {
		r.Verdict, r.Property, r.Message = Violated, f.property, f.message
		how := s.how
		how.Path = s.shorten(f)
		r.Trace = &how
		return r, r.retell(s.t)
	}
	r.Message = fmt.Sprintf("%d random schedules, no violation; a bug of depth %d among k=%d steps would have been found with probability ≥ %.2g; this is no proof",
		s.out.Runs, s.p.Depth, s.out.Steps, s.out.Probability)
	if s.out.Cut > 0 {
		r.Message += fmt.Sprintf("; %d of them were cut off, at %d steps", s.out.Cut, s.limit())
	}
	if s.bound != "" {
		r.Message += "; bound hit: " + s.bound
	}
	return r, nil
}

func (s *sampler) limit() int {
	if s.t.Endless {
		return endlessLimit
	}
	return runLimit
}
