package explore

import (
	"fmt"
	"slices"

	"spinlab/vmm"
)

// search is one search under one assumption of what is private.
type search struct {
	t   *Target
	cfg *Config
	w   *vmm.Walk
	how Trace // what steps mean; no path

	vcpus  *blocks // of all vCPUs
	memory *blocks
	states *states
	graph  graph
	rounds *round // the memory of rounds; nil before the first
	memo   memo
	goal   bitmap // states that end well, or at a violation

	traits []trait // of every block of a vCPU

	// Of endless targets:
	uses       []uses // of every block of a vCPU
	locks      []uint64
	lockUses   []vmm.LockUse
	overtaking *Overtaking

	loaded []uint32 // the tuple that the walk holds
	next   []uint32 // the tuple being made
	alike  bool     // the blocks of a tuple are in ascending order
	block  []byte
	snap   vmm.Snapshot
	ready  bool // the walk is in the state that is expanded, and a mark is set
	todo   []vmm.Action

	finals   map[string][]uint64
	stuck    map[string][]uint64
	found    *violation // the first one
	bound    string     // which bound was hit
	done     bool       // nothing more is wanted
	overflow bool

	lessons
	patience int // states until the search starts again for surprises
}

// trait is what the search wants to know of a vCPU's block at once.
type trait struct {
	choices vmm.Choices
	holds   bool   // a lock
	kicked  uint32 // the block that a kick makes of it, plus 1; 0 is not known
}

// violation is what went wrong first: in state at, or by an action there.
type violation struct {
	property Property
	message  string
	at       uint32
	by       *vmm.Action
	then     []vmm.Action // what comes after that
	forever  bool         // and leads back, to go on for ever
}

func newSearch(t *Target, cfg *Config, how Trace, labels bool) (*search, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	w, err := newWalk(t, t.Machine, &how, nil)
	if err != nil {
		return nil, err
	}
	s := &search{t: t, cfg: cfg, w: w, how: how, vcpus: newBlocks(), memory: newBlocks(), states: newStates(w.N() + 1), memo: newMemo(),
		finals: map[string][]uint64{}, stuck: map[string][]uint64{}}
	s.graph.labelled = t.Endless || labels
	if s.alike = t.Symmetric && !s.graph.labelled && how.Reduce == ReduceAll && !how.WhoIsWho && !t.looksAtRegisters() && t.Interrupts == nil; s.alike {
		w.SetAlike()
	}
	s.loaded = make([]uint32, w.N()+1)
	s.next = make([]uint32, w.N()+1)
	return s, nil
}

// pollEvery is how many states pass between looks at bounds other than their
// number.
const pollEvery = 1 << 10

func (s *search) run() error {
	for i := range s.w.N() {
		s.next[i] = s.vcpu(i)
	}
	s.next[s.w.N()] = s.mem()
	copy(s.loaded, s.next)
	s.states.add(s.next, 0, 0)
	s.surprised() // by what every vCPU starts with
	for at := uint32(0); at < s.states.count; {
		r, err := s.round(at), error(nil)
		if r != nil {
			at, err = r.run()
		} else {
			err = s.visit(at, s.expand)
			at++
		}
		if err != nil || s.done {
			return err
		}
	}
	if s.surprises == nil {
		s.livelock()
		s.liveness()
	}
	return nil
}

// visit is the turn of one state: whoever expands it notes the edges in the
// order of its actions.
func (s *search) visit(at uint32, expand func(uint32) error) error {
	if at%pollEvery == 0 && s.poll(at) {
		s.done = true
		return nil
	}
	s.ready = false
	first := s.graph.n
	if err := expand(at); err != nil || s.astray() {
		s.done = true
		return err
	}
	s.graph.degree = append(s.graph.degree, uint8(s.graph.n-first))
	s.done = s.over()
	return nil
}

// over says whether nothing more is wanted.
func (s *search) over() bool {
	switch {
	case s.wrong(&s.how, s.w):
		return true
	case s.surprises != nil && s.patience == 0:
		return true
	case s.surprises != nil:
		s.patience--
		return false
	case s.found != nil && !s.t.Complete:
		return true
	case s.cfg.MaxStates != 0 && uint64(s.states.count) > s.cfg.MaxStates:
		s.bound = fmt.Sprintf("%d states (--max-states)", s.cfg.MaxStates)
	case s.states.count >= maxStates-maxActions:
		s.bound = "the numbers of states are used up"
	}
	return s.bound != ""
}

// poll looks at the bounds that take a while to look at.
func (s *search) poll(at uint32) bool {
	if s.cfg.MaxMemory != 0 && s.bytes() > s.cfg.MaxMemory {
		s.bound = fmt.Sprintf("%d bytes of states (--max-memory)", s.cfg.MaxMemory)
	}
	if s.cfg.Expired != nil && s.cfg.Expired() {
		s.bound = "time (--timeout)"
	}
	if s.cfg.Progress != nil {
		s.cfg.Progress(uint64(s.states.count), uint64(s.states.count-at))
	}
	return s.bound != ""
}

func (s *search) bytes() uint64 {
	return s.vcpus.bytes() + s.memory.bytes() + s.states.bytes() + s.graph.bytes() + s.goal.bytes() + s.memo.bytes()
}

// vcpu and mem give the numbers of the walk's present blocks.
func (s *search) vcpu(i int) uint32 {
	s.block = s.w.AppendVCPU(s.block[:0], i)
	id := s.vcpus.id(s.block)
	if int(id) == len(s.traits) {
		s.traits = append(s.traits, trait{choices: s.w.Choices(i), holds: s.w.Holds(i)})
		if s.t.Endless {
			s.uses = append(s.uses, s.useOf(i))
		}
	}
	return id
}

func (s *search) mem() uint32 {
	s.block = s.w.AppendMemory(s.block[:0])
	return s.memory.id(s.block)
}

// load brings the walk into a state.
func (s *search) load(at uint32) {
	row := s.states.row(at)
	n := s.w.N()
	for i, id := range row[:n] {
		if s.loaded[i] != id {
			s.w.LoadVCPU(i, s.vcpus.at(id))
			s.loaded[i] = id
		}
	}
	if s.loaded[n] != row[n] {
		s.w.LoadMemory(s.memory.at(row[n]))
		s.loaded[n] = row[n]
	}
}

// expand tries everything that can happen in a state.
func (s *search) expand(at uint32) error {
	s.todo = s.actions(s.todo[:0], s.states.row(at))
	if len(s.todo) == 0 {
		s.load(at)
		s.end(at)
	}
	for _, a := range s.todo {
		if err := s.act(at, a); err != nil || s.astray() {
			return err // the state is not rolled back
		}
	}
	return nil
}

// actions appends what may happen in the state of a row, in a fixed order.
func (s *search) actions(dst []vmm.Action, row []uint32) []vmm.Action {
	for i, id := range row[:s.w.N()] {
		dst = s.traits[id].choices.Append(dst, i)
	}
	return dst
}

// act takes what a does from what is known, or finds it out.
func (s *search) act(at uint32, a vmm.Action) error {
	switch s.foresee(s.next, s.states.row(at), a) {
	case waits:
		return nil
	case moves:
		s.graph.add(s.enter(at, a), a)
		return nil
	}
	if !s.ready {
		s.load(at)
		s.w.Mark(&s.snap)
		s.ready = true
	}
	return s.try(at, a)
}

// try lets a happen in the state that the walk is in, and undoes it.
func (s *search) try(at uint32, a vmm.Action) error {
	e, err := s.w.Apply(a)
	if s.misled(s.w) || err != nil {
		return err
	}
	s.overflow = s.overflow || e.Overflow
	s.code = s.code || e.CodeWritten && s.how.Reduce != ReduceNone
	s.surprised()
	switch {
	case e.Breach != vmm.NoBreach:
		s.goal.set(at)
		s.violate(breaches[e.Breach], e.Message, at, &a)
	case e.Moved:
		s.reach(&e)
		s.remember(at, a, &e)
		s.graph.add(s.enter(at, a), a)
	default:
		s.remember(at, a, &e)
	}
	s.w.Rollback(&s.snap, e.Changed)
	return nil
}

var breaches = [...]Property{
	vmm.BreachExclusion: Exclusion, vmm.BreachAssertion: Assertion, vmm.BreachFault: Fault, vmm.BreachFreed: Freed,
}

// reach makes next the tuple of the state that the walk has come to.
func (s *search) reach(e *vmm.Effect) {
	n := s.w.N()
	copy(s.next, s.loaded)
	for i := range n {
		if e.Changed>>i&1 != 0 {
			s.next[i] = s.vcpu(i)
		}
	}
	if e.Memory {
		s.next[n] = s.mem()
	}
}

// enter gives the number of the state that next is, reached from at by a.
func (s *search) enter(at uint32, a vmm.Action) uint32 {
	s.order(s.next)
	return s.states.add(s.next, at, pack(a))
}

// order makes a tuple the one that stands for all in which only who is who is
// another.
func (s *search) order(tuple []uint32) {
	if s.alike {
		slices.Sort(tuple[:len(tuple)-1])
	}
}

// scouting is how many more states are visited after a surprise: they are not
// the right ones, but they bring more surprises of the same kind.
const scouting = 1 << 10

// surprised notes words that are written although they were taken for constant.
func (s *search) surprised() {
	if list := s.w.Memory().Surprises(); list != nil {
		s.surprises = append(s.surprises, list...)
		s.patience = scouting
	}
}

func (s *search) violate(p Property, message string, at uint32, by *vmm.Action) {
	if s.found != nil {
		return
	}
	s.found = &violation{property: p, message: message, at: at}
	if by != nil {
		a := *by
		s.found.by = &a
	}
}

// pack makes an action a word of a row.
func pack(a vmm.Action) uint32 { return uint32(a.Kind)<<8 | uint32(a.VCPU) }

func unpack(x uint32) vmm.Action {
	return vmm.Action{Kind: vmm.ActionKind(x >> 8), VCPU: uint8(x)}
}
