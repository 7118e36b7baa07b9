package explore

import (
	"fmt"
	"slices"

	"spinlab/mem"
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
	memo   memo
	goal   bitmap // states that end well, or at a violation

	choices []vmm.Choices // of every block of a vCPU

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
	todo   []vmm.Action

	finals   map[string][]uint64
	stuck    map[string][]uint64
	found    *violation // the first one
	bound    string     // which bound was hit
	overflow bool

	// What was assumed and is wrong.
	trespass  *mem.Page
	below     bool
	code      bool     // code is written, so fetching it is no private matter
	surprises []uint64 // words that are written after all
	patience  int      // states until the search starts again for those
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
	for at := uint32(0); at < s.states.count; at++ {
		if at%pollEvery == 0 && s.poll(at) {
			return nil
		}
		if err := s.expand(at); err != nil {
			return err
		}
		if s.over() {
			return nil
		}
	}
	if s.surprises == nil {
		s.livelock()
		s.liveness()
	}
	return nil
}

// over says whether nothing more is wanted.
func (s *search) over() bool {
	switch {
	case s.trespass != nil || s.below || s.code || s.w.Lost() && !s.how.AllLive || s.alike && s.w.Unlike():
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
	case s.states.count >= maxStates-64:
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
	if int(id) == len(s.choices) {
		s.choices = append(s.choices, s.w.Choices(i))
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
	row := s.states.row(at)
	n := s.w.N()
	s.todo = s.todo[:0]
	for i, id := range row[:n] {
		s.todo = s.choices[id].Append(s.todo, i)
	}
	first := s.graph.n
	if len(s.todo) == 0 {
		s.load(at)
		s.end(at)
	}
	ready := false // the walk is in this state, and a mark is set
	for _, a := range s.todo {
		known := s.memo.find(s.who(a), row[a.VCPU], row[n])
		switch {
		case known.who != 0 && known.toVCPU == still:
		case known.who != 0:
			copy(s.next, row[:n+1])
			s.next[a.VCPU], s.next[n] = known.toVCPU, known.toMemory
			s.graph.add(s.enter(at, a), a)
		default:
			if !ready {
				s.load(at)
				s.w.Mark(&s.snap)
				ready = true
			}
			if err := s.try(at, a); err != nil || s.trespass != nil || s.below {
				return err // the state is not rolled back
			}
		}
	}
	s.graph.degree = append(s.graph.degree, uint8(s.graph.n-first))
	return nil
}

// try lets a happen in the state that the walk is in, and undoes it.
func (s *search) try(at uint32, a vmm.Action) error {
	e, err := s.w.Apply(a)
	if s.misled() || err != nil {
		return err
	}
	s.overflow = s.overflow || e.Overflow
	s.code = s.code || e.CodeWritten && s.how.Reduce != ReduceNone
	s.surprised()
	row, n := s.states.row(at), s.w.N()
	known := memoEntry{who: s.who(a), vcpu: row[a.VCPU], memory: row[n], toVCPU: still}
	switch {
	case e.Breach != vmm.NoBreach:
		s.goal.set(at)
		s.violate(breaches[e.Breach], e.Message, at, &a)
		e.Apart = false
	case e.Moved:
		known.toVCPU, known.toMemory = s.reach(a, &e)
		s.graph.add(s.enter(at, a), a)
	}
	if e.Apart && !e.Overflow {
		s.memo.add(known)
	}
	s.w.Rollback(&s.snap, e.Changed)
	return nil
}

var breaches = [...]Property{
	vmm.BreachExclusion: Exclusion, vmm.BreachAssertion: Assertion, vmm.BreachFault: Fault, vmm.BreachFreed: Freed,
}

// reach makes next the tuple of the state that the walk has come to by a, and
// gives the numbers of a's vCPU and of memory.
func (s *search) reach(a vmm.Action, e *vmm.Effect) (vcpu, memory uint32) {
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
	return s.next[a.VCPU], s.next[n]
}

// enter gives the number of the state that next is, reached from at by a.
func (s *search) enter(at uint32, a vmm.Action) uint32 {
	if s.alike {
		slices.Sort(s.next[:s.w.N()])
	}
	to, _ := s.states.add(s.next, at, pack(a))
	return to
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

// misled says whether something was not as private or dead as assumed.
func (s *search) misled() bool {
	s.trespass = s.w.Memory().Trespass()
	for i := range s.w.N() {
		_, p := s.w.VCPU(i)
		s.below = s.below || p.Below
	}
	return s.trespass != nil || s.below
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
