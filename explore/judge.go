package explore

import (
	"encoding/binary"
	"fmt"
	"slices"

	"spinlab/vmm"
)

// bitmap is a set of state numbers.
type bitmap []uint64

func (b *bitmap) set(i uint32) {
	for int(i>>6) >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i>>6] |= 1 << (i & 63)
}

func (b bitmap) clear(i uint32) { b[i>>6] &^= 1 << (i & 63) }

func (b bitmap) has(i uint32) bool { return int(i>>6) < len(b) && b[i>>6]>>(i&63)&1 != 0 }

func (b bitmap) bytes() uint64 { return 8 * uint64(cap(b)) }

// end judges a state in which nothing can happen.
func (s *search) end(at uint32) {
	s.goal.set(at)
	if !s.w.Done() {
		s.collect(s.stuck)
		_, why := s.w.Waiting()
		s.violate(Deadlock, why, at, nil)
		return
	}
	s.collect(s.finals)
	if wrong := s.t.ends(s.w); wrong != "" {
		s.violate(Final, wrong, at, nil)
	}
}

// ends says what is wrong with the final state that a walk is in, "" if it is
// as it should be.
func (t *Target) ends(w *vmm.Walk) string {
	if got, want := w.Counter(); got != want {
		return fmt.Sprintf("the counter is %d after %d acquisitions: updates were lost", got, want)
	}
	if t.Final != nil && !t.Final.holds(w) {
		return "a final state without " + t.Final.Text
	}
	return ""
}

// observed are the values of what is asked for in an end; equal keys are equal
// values.
type observed struct {
	key    string
	values []uint64
}

// observe reads them in the present state of a walk.
func observe(t *Target, w *vmm.Walk) *observed {
	o := &observed{values: make([]uint64, len(t.Observe))}
	key := make([]byte, 0, 8*len(o.values))
	for i := range o.values {
		o.values[i] = t.Observe[i].value(w)
		key = binary.BigEndian.AppendUint64(key, o.values[i])
	}
	o.key = string(key)
	return o
}

// collect notes what is observed in the present state.
func (s *search) collect(into map[string][]uint64) {
	o := observe(s.t, s.w)
	into[o.key] = o.values
}

// sorted lists what was collected.
func sorted(m map[string][]uint64) [][]uint64 {
	list := make([][]uint64, 0, len(m))
	for _, v := range m {
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b []uint64) int { return slices.Compare(a, b) })
	return list
}

// livelock asks of the complete graph whether an end can be reached from every
// state. Passes go backwards over the states, so that one pass follows all
// edges to later states; those to earlier ones take another.
func (s *search) livelock() {
	if s.t.Endless {
		return
	}
	good := s.goal
	good.set(s.states.count - 1) // the length
	if !s.goal.has(s.states.count - 1) {
		good[len(good)-1] &^= 1 << ((s.states.count - 1) & 63)
	}
	for changed := true; changed; {
		changed = false
		edge := s.graph.n
		for at := s.states.count; at > 0; {
			at--
			edge -= uint64(s.graph.degree[at])
			if good.has(at) {
				continue
			}
			for i := range uint64(s.graph.degree[at]) {
				if good.has(s.graph.at(edge + i)) {
					good.set(at)
					changed = true
					break
				}
			}
		}
	}
	s.goal = good
	for at := range s.states.count {
		if !good.has(at) {
			s.outOfReach(at, good)
			return
		}
	}
}

// outOfReach is a livelock: no end can be reached from a state. With labels in
// the graph the trace goes on to where everybody gets on in vain.
func (s *search) outOfReach(at uint32, good bitmap) {
	var then []vmm.Action
	if s.graph.labelled {
		e := s.edges()
		var last *component
		e.components(func(x uint32) bool { return !good.has(x) }, func(c component) bool {
			last = &c // nothing leads out of the first that is told
			return false
		})
		if last.cycle {
			at = last.least()
			then = e.fairCycle(last, at)
		}
	}
	s.load(at)
	s.violate(Livelock, whyOutOfReach(s.w), at, nil)
	s.found.then, s.found.forever = then, then != nil
}

// whyOutOfReach is the message of a livelock.
func whyOutOfReach(w *vmm.Walk) string {
	_, why := w.Waiting()
	return "the end is out of reach: " + why
}

// probed says whether probes tell of critical sections.
func (t *Target) probed() bool {
	return len(t.Machine.VMs) == 1 && len(t.Machine.VMs[0].Image.Probes) != 0
}

// result sums the search up.
func (s *search) result() *Result {
	r := &Result{Verdict: Holds, States: uint64(s.states.count), Transitions: s.graph.n, Bytes: s.bytes(),
		Finals: sorted(s.finals), Stuck: sorted(s.stuck), Overtaking: s.overtaking}
	r.Unentered = !s.w.Entered && s.bound == "" && s.t.probed()
	switch v := s.found; {
	case v != nil:
		r.Verdict, r.Property, r.Message = Violated, v.property, v.message
		how := s.how
		how.Path = s.route(v.at, v.by)
		if v.forever {
			how.Loop = len(how.Path) + 1
		}
		how.Path = append(how.Path, v.then...)
		r.Trace = &how
	case s.bound != "":
		r.Verdict, r.Message = Bounded, "bound hit: "+s.bound
	case s.overflow:
		r.Verdict, r.Message = Bounded, "bound hit: a store buffer was full"
	}
	return r
}
