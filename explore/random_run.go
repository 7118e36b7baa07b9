package explore

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"

	"spinlab/vmm"
)

// A thread of a schedule is a vCPU, a store buffer or the interrupts of a vCPU:
// number i, n + i or 2n + i for vCPU i of n.

// sampler is a worker: it runs one schedule after another on a walk of its own.
type sampler struct {
	*sampling
	w *vmm.Walk
	lessons

	vcpus   [][]byte // the start
	memory  []byte
	choices []vmm.Choices // of each vCPU
	blocked []bool        // each vCPU's step waits for its store buffer
	block   []byte
	// met is where each vCPU has been in a run, its block and that of memory
	// hashed to one number, and how long the path was then.
	met []map[uint64]int
}

func newSampler(s *sampling) (*sampler, error) {
	w, err := newWalk(s.t, s.t.Machine, &s.how, nil)
	if err != nil {
		return nil, err
	}
	one := &sampler{sampling: s, w: w, choices: make([]vmm.Choices, w.N()), blocked: make([]bool, w.N())}
	for i := range w.N() {
		one.vcpus = append(one.vcpus, w.AppendVCPU(nil, i))
		one.met = append(one.met, map[uint64]int{})
	}
	one.memory = w.AppendMemory(nil)
	one.surprises = w.Memory().Surprises()
	return one, nil
}

// ending is what a run has come to.
type ending struct {
	by      *sampler
	err     error
	learned bool // something that was assumed is wrong: nothing else counts
	steps   uint64
	cut     bool
	found   *sample // a violation
	// final or stuck is what is observed where nothing can happen any more.
	final, stuck *observed
}

// schedule is one run.
type schedule struct {
	*sampler
	priority []int // of each thread, higher ones first; no two are equal
	changes  []change
	lowest   int // of all priorities so far
	path     []vmm.Action
	end      ending

	shared uint64 // a hash of the present block of memory
	still  int    // how long the path was when something changed for others
	rounds uint32 // vCPUs that have come back to a block since then, a bit each
}

// change gives the thread that is to take a step a new priority.
type change struct{ at, priority int }

// run runs the schedule that random draws: priorities, and where they change
// among as many steps as the longest run has had so far.
func (s *sampler) run(random *rand.Rand) ending {
	r := &schedule{sampler: s, priority: random.Perm(s.t.threads()), end: ending{by: s}}
	for i := range r.priority {
		r.priority[i] += s.p.Depth
	}
	for i := 1; i < s.p.Depth && s.out.Steps > 0; i++ {
		r.changes = append(r.changes, change{random.IntN(int(s.out.Steps)), i})
	}
	slices.SortStableFunc(r.changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	r.end.err = r.play()
	r.end.learned = s.wrong(&s.how, s.w) || s.surprises != nil
	r.end.steps = uint64(len(r.path))
	return r.end
}

// play goes from the start to an end.
func (r *schedule) play() error {
	r.begin()
	for i := range r.met {
		clear(r.met[i])
	}
	r.shared = hashBytes(r.memory)
	for len(r.path) < r.t.limit() {
		t := r.next()
		if t < 0 && r.halt() {
			return nil
		}
		if t < 0 {
			continue
		}
		a := r.action(t)
		e, err := r.apply(a)
		switch {
		case err != nil:
			return err
		case r.wrong(&r.how, r.w):
			return nil
		case !e.Moved:
			continue
		}
		r.path = append(r.path, a)
		if e.Breach != vmm.NoBreach {
			r.violate(breaches[e.Breach], e.Message)
			return nil
		}
		r.follow(t, a, &e)
	}
	r.end.cut = true
	return nil
}

// next gives the thread that goes on, −1 if none can.
func (r *schedule) next() int {
	t := r.highest()
	for t >= 0 && len(r.changes) > 0 && r.changes[0].at <= len(r.path) {
		r.priority[t] = r.changes[0].priority
		r.changes = r.changes[1:]
		t = r.highest()
	}
	return t
}

func (r *schedule) highest() int {
	best := -1
	for t, p := range r.priority {
		if (best < 0 || p > r.priority[best]) && r.open(r.action(t)) {
			best = t
		}
	}
	return best
}

// action is what a thread would do next.
func (r *schedule) action(t int) vmm.Action {
	n := len(r.choices)
	a := vmm.Action{Kind: [...]vmm.ActionKind{vmm.ActStep, vmm.ActCommit, vmm.ActDeliver}[t/n], VCPU: uint8(t % n)}
	if t < n && r.choices[t]>>vmm.ActWake&1 != 0 {
		a.Kind = vmm.ActWake
	}
	return a
}

// follow looks where a has led. A vCPU that comes back to a block of its own
// since anything changed that others can tell goes round in a circle: it waits,
// as if for its store buffer, until something changes. One that comes back to a
// block with memory as it was then, but not in between, gets the lowest
// priority: it may do so for ever.
func (r *schedule) follow(t int, a vmm.Action, e *vmm.Effect) {
	i := int(a.VCPU)
	changed := a.Kind != vmm.ActStep || e.Changed != 1<<i
	if e.Memory {
		r.block = r.w.AppendMemory(r.block[:0])
		m := hashBytes(r.block)
		changed = changed || m != r.shared
		r.shared = m
	}
	if changed {
		r.still = len(r.path)
		r.release()
	}
	if a.Kind != vmm.ActStep {
		return
	}
	r.block = r.w.AppendVCPU(r.block[:0], i)
	key := mix(hashBytes(r.block), r.shared)
	before, again := r.met[i][key]
	r.met[i][key] = len(r.path)
	switch {
	case again && before >= r.still:
		r.rounds |= 1 << i
		r.blocked[i] = true
	case again:
		r.lowest--
		r.priority[t] = r.lowest
	}
}

// release lets all go on that wait for a change; those that wait for their
// buffers will find out.
func (r *schedule) release() {
	clear(r.blocked)
	r.rounds = 0
}

// halt judges a moment in which no thread goes on. It says whether that is the
// end of the run.
func (r *schedule) halt() bool {
	if over, _, _ := r.over(); over {
		r.finish()
		return true
	}
	if !r.hopeless() { // an interrupt may come elsewhere in a circle
		r.release()
		return false
	}
	if r.t.Endless {
		r.end.cut = true
		return true
	}
	r.path = r.path[:r.still]
	r.violate(Livelock, whyOutOfReach(r.w))
	return true
}

// hopeless says whether every vCPU either can do nothing or goes round in a
// circle that nobody else can tell from standing still: nothing but their own
// steps can happen, those depend on nothing that changes, so the end is out of
// reach. That blocks were met again is known by hashes; so it is tried.
func (r *schedule) hopeless() bool {
	for i, c := range r.choices {
		if c != 0 && (c != 1<<vmm.ActStep || r.rounds>>i&1 == 0) {
			return false
		}
	}
	var blocks [][]byte
	for i := range r.choices {
		blocks = append(blocks, r.w.AppendVCPU(nil, i))
	}
	memory := r.w.AppendMemory(nil)
	defer r.put(blocks, memory)
	for i, c := range r.choices {
		if c != 0 && !r.circles(i, blocks[i], memory) {
			return false
		}
	}
	return true
}

// circles lets vCPU i take steps until it is back where it is now. It says
// whether nothing else could happen on the way.
func (r *schedule) circles(i int, here, memory []byte) bool {
	for range len(r.path) + 1 {
		e, err := r.apply(vmm.Action{Kind: vmm.ActStep, VCPU: uint8(i)})
		if err != nil || !e.Moved || e.Breach != vmm.NoBreach || e.Changed != 1<<i || r.choices[i] != 1<<vmm.ActStep {
			return false
		}
		if e.Memory && !bytes.Equal(memory, r.w.AppendMemory(nil)) {
			return false
		}
		if bytes.Equal(here, r.w.AppendVCPU(nil, i)) {
			return true
		}
	}
	return false
}

// finish judges a run in which nothing can happen any more.
func (r *schedule) finish() {
	_, p, message := r.over()
	if r.w.Done() {
		r.end.final = observe(r.t, r.w)
	} else {
		r.end.stuck = observe(r.t, r.w)
	}
	if p != "" {
		r.violate(p, message)
	}
}

// violate notes the violation that ends a run.
func (r *schedule) violate(p Property, message string) {
	r.end.found = &sample{p, message, slices.Clone(r.path)}
}
