package explore

import (
	"sync"
	"sync/atomic"

	"spinlab/vmm"
)

// Several workers search as one does. What takes the time of a large search is
// not the guest but looking up: what an action does to known blocks, and
// whether the state that it leads to is a new one. Workers do that for a run of
// states at once, a round. Then one goroutine goes over what they have found,
// in the order of the states: it alone gives numbers, notes edges, tries
// actions that are not known yet, judges, and looks at bounds. So every number,
// the first violation and the moment at which a bound is hit are those of one
// worker, whoever was faster.
//
// A state that is new is entered in the table by a mark, which stands for its
// tuple until it gets its number; the first one to enter wins, and who that is
// tells nobody anything. All of a round is known before it begins, so it reads
// what does not change meanwhile: rows, traits and the memo.

// perVCPU is how many actions a vCPU may have in a state: a step or a wake, a
// commit, and an interrupt.
const perVCPU = 3

// maxActions is how many a state may have.
const maxActions = perVCPU * vmm.MaxWalkers

const (
	// roundMost is how many states a round has at most, roundWords how many words
	// the tuples that they lead to: those should stay in the caches until they
	// get their numbers.
	roundMost  = 1 << 13
	roundWords = 1 << 19
	// roundLeast is how many are worth waking workers for.
	roundLeast = 1 << 11
	// portion is how many states a worker takes at a time at most, batch how many
	// it looks up at once, so that the processor waits for them together.
	portion = 1 << 7
	batch   = 1 << 4
)

// fate is what a worker has found out about an action: what kind of answer, the
// action packed, and a reference.
type fate uint64

const (
	fateNew   fate = iota << 62 // reference: the slot of the table with its mark
	fateKnown                   // the number of the state that it leads to
	fateTry                     // it has to be tried
	fateWaits                   // it waits for its store buffer
)

const (
	fateKind fate = 3 << 62
	fateBy        = 40 // a shift
	fateRef       = 1<<fateBy - 1
)

// round is a run of states and what workers find out about them.
type round struct {
	s        *search
	from, to uint32
	taken    atomic.Uint32 // how many of them workers have taken

	most   int     // actions of one state
	counts []uint8 // actions of each state
	fates  []fate  // of each state's actions; most for each state
	tuples []uint32
	none   uint32 // what was read only to have it near
}

// round prepares the next states for workers; nil says that it is better to do
// without.
func (s *search) round(at uint32) *round {
	if s.cfg.Workers < 2 || s.surprises != nil {
		return nil
	}
	most := perVCPU * s.w.N()
	// The table is at most half full and does not grow within a round.
	size := min(roundMost, uint32(roundWords/(most*s.states.key)))
	n := min(s.states.count-at, s.states.count/uint32(2*most), size)
	least := uint32(roundLeast)
	if s.cfg.crowd != 0 {
		least = s.cfg.crowd
	}
	if n < least {
		return nil
	}
	if s.rounds == nil {
		s.rounds = &round{s: s, most: most, counts: make([]uint8, size), fates: make([]fate, int(size)*most),
			tuples: make([]uint32, int(size)*most*s.states.key)}
	}
	r := s.rounds
	r.from, r.to = at, at+n
	r.taken.Store(0)
	return r
}

// run is the turn of all states of a round. It gives the state that comes next.
func (r *round) run() (uint32, error) {
	t := r.s.states
	t.marked = r.tuples
	together(r.s.cfg.Workers, r.look)
	err := r.join()
	t.marked = nil
	t.fit(r.s.cfg.Workers)
	return r.to, err
}

// together lets a number of workers do the same, and waits for them.
func together(workers int, work func()) {
	var wait sync.WaitGroup
	for range workers - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
}

// look is what one worker does: it takes portions until none are left.
func (r *round) look() {
	w := scout{round: r}
	n := r.to - r.from
	share := min(portion, n/uint32(4*r.s.cfg.Workers)+1)
	for {
		at := r.taken.Add(share) - share
		if at >= n {
			return
		}
		for end := min(at+share, n); at < end; at += batch {
			w.batch(at, min(at+batch, end))
		}
	}
}

// scout is a worker in a round.
type scout struct {
	*round
	todo    []lookup
	actions []vmm.Action // of one state
	none    uint32       // what was read only to have it near
}

// lookup is an action that is looked up.
type lookup struct {
	a    vmm.Action
	row  []uint32
	fate int    // its number, and that of its tuple
	slot uint64 // where the tuple may be
}

// batch finds out what can happen in the states from to to of the round. It
// goes over them once for each kind of memory that it has to wait for.
func (w *scout) batch(from, to uint32) {
	s, t := w.s, w.s.states
	w.list(from, to)
	for i := range w.todo {
		l := &w.todo[i]
		w.none += s.memo.entries[s.memo.start(s.who(l.a), l.row[l.a.VCPU], l.row[len(l.row)-1])].who
	}
	moving := w.todo[:0]
	for _, l := range w.todo {
		next := t.tuple(uint32(l.fate))
		switch s.foresee(next, l.row, l.a) {
		case waits:
			w.fates[l.fate] = fateWaits
		case unknown:
			w.fates[l.fate] = fateTry | fate(pack(l.a))<<fateBy
		case moves:
			s.order(next)
			l.slot = t.hash(next) & uint64(len(t.slots)-1)
			moving = append(moving, l)
		}
	}
	for i := range moving {
		v := atomic.LoadUint32(&t.slots[moving[i].slot])
		if v != 0 && v < firstMark {
			moving[i].row = t.row(v - 1)
		}
	}
	for i := range moving {
		w.none += moving[i].row[0]
	}
	for _, l := range moving {
		w.fates[l.fate] = t.claim(uint32(l.fate), l.slot) | fate(pack(l.a))<<fateBy
	}
}

// list makes todo what can happen in states.
func (w *scout) list(from, to uint32) {
	w.todo = w.todo[:0]
	for at := from; at < to; at++ {
		row := w.s.states.row(w.from + at)[:w.s.states.key]
		w.actions = w.s.actions(w.actions[:0], row)
		w.counts[at] = uint8(len(w.actions))
		for i, a := range w.actions {
			w.todo = append(w.todo, lookup{a: a, row: row, fate: int(at)*w.most + i})
		}
	}
}

// join gives the states that a round leads to their numbers, and does what is
// left to do.
func (r *round) join() error {
	s := r.s
	for at := r.from; at < r.to; at++ {
		if (at-r.from)%portion == 0 {
			r.near(at - r.from)
		}
		if err := s.visit(at, r.expand); err != nil || s.done {
			return err
		}
	}
	return nil
}

// near reads the slots that a portion refers to, all at once.
func (r *round) near(from uint32) {
	for at := from; at < min(from+portion, r.to-r.from); at++ {
		i := int(at) * r.most
		for _, f := range r.fates[i : i+int(r.counts[at])] {
			if f&fateKind == fateNew {
				r.none += r.s.states.slots[f&fateRef]
			}
		}
	}
}

// expand is search.expand with what workers have found out.
func (r *round) expand(at uint32) error {
	s, t := r.s, r.s.states
	i := int(at-r.from) * r.most
	if r.counts[at-r.from] == 0 {
		s.load(at)
		s.end(at)
	}
	for _, f := range r.fates[i : i+int(r.counts[at-r.from])] {
		by := uint32(f &^ fateKind >> fateBy)
		switch f & fateKind {
		case fateKnown:
			s.graph.add(uint32(f&fateRef), unpack(by))
		case fateNew:
			s.graph.add(t.number(uint64(f&fateRef), at, by), unpack(by))
		case fateTry:
			if err := s.act(at, unpack(by)); err != nil || s.astray() {
				return err
			}
		}
	}
	return nil
}
