package explore

import (
	"fmt"
	"slices"

	"spinlab/vmm"
)

// Endless programs are asked two questions that no single state answers. Does a
// vCPU wait for a lock for ever, or never come back from releasing one, although
// everybody else gets on (starvation)?
// How often do others get the lock while one waits for it (overtaking)? Both are
// questions about the cycles of the complete graph, one waiter at a time.
//
// Fair means weakly fair: no vCPU, no store buffer and no wake-up can go on for
// ever without being let; buffers drain in the end (Lahav, Namakonov, Oberhauser,
// Podkopaev, Vafeiadis: Making weak memory models fair, OOPSLA 2021). Interrupts
// need not come.

// uses is what the probes say in one block of a vCPU. Locks are numbers in
// search.locks, counted from 1.
type uses struct {
	wait  uint8 // the youngest lock that is waited for, 0 for none
	begun bool  // its wait has begun in earnest
	leave uint8 // the youngest lock that is being released, 0 for none
	held  uint64
}

// maxLocks is how many locks the masks of uses have room for.
const maxLocks = 63

// useOf sums up the lock uses of vCPU i, as the walk has them.
func (s *search) useOf(i int) (u uses) {
	s.lockUses = s.w.LockUses(s.lockUses[:0], i)
	for _, x := range s.lockUses {
		n := s.lockNumber(x.Lock)
		switch {
		case x.Held:
			u.held |= 1 << n
		case x.Leaving:
			u.leave = n
		default:
			u.wait, u.begun = n, x.Begun
		}
	}
	return u
}

func (s *search) lockNumber(addr uint64) uint8 {
	for i, a := range s.locks {
		if a == addr {
			return uint8(i + 1)
		}
	}
	if len(s.locks) == maxLocks { // nothing is said about more of them
		return 0
	}
	s.locks = append(s.locks, addr)
	return uint8(len(s.locks))
}

// edges leads from state numbers to their edges in the graph.
type edges struct {
	s     *search
	first []uint64
}

func (s *search) edges() edges {
	e := edges{s, make([]uint64, s.states.count+1)}
	for at := range s.states.count {
		e.first[at+1] = e.first[at] + uint64(s.graph.degree[at])
	}
	return e
}

// label of an edge: the kind of action and the vCPU.
func label(a vmm.Action) uint16 { return uint16(a.Kind)<<5 | uint16(a.VCPU) }

func unlabel(b uint16) vmm.Action {
	return vmm.Action{Kind: vmm.ActionKind(b >> 5), VCPU: uint8(b & 31)}
}

// obliged are the processes of which fairness asks that they get on: a bit for
// each vCPU's step, its buffer and its wake-up.
type obliged [3]uint32

func (o *obliged) set(a vmm.Action) {
	if k, ok := process(a); ok {
		o[k] |= 1 << a.VCPU
	}
}

func (o *obliged) clear(a vmm.Action) {
	if k, ok := process(a); ok {
		o[k] &^= 1 << a.VCPU
	}
}

// process says whose turn an action is: a vCPU's, its buffer's whichever store
// commits, its wake-up's. Interrupts are nobody's.
func process(a vmm.Action) (k vmm.ActionKind, ok bool) {
	switch {
	case a.Kind.Commits():
		return vmm.ActCommit, true
	case a.Kind <= vmm.ActWake:
		return a.Kind, true
	}
	return 0, false
}

func (o obliged) has(a vmm.Action) bool {
	k, ok := process(a)
	return ok && o[k]>>a.VCPU&1 != 0
}

func (o obliged) meet(x obliged) obliged { return obliged{o[0] & x[0], o[1] & x[1], o[2] & x[2]} }

func (o obliged) empty() bool { return o == obliged{} }

// component is a strongly connected part of the graph of those states that a
// question is about.
type component struct {
	states []uint32
	cycle  bool // at least one edge stays inside
}

// components finds the strongly connected components of the states that in says
// yes to, later ones first: no edge leads from a component to one that is told
// after it (Tarjan 1972, without recursion).
func (e edges) components(in func(at uint32) bool, tell func(c component) bool) {
	n := e.s.states.count
	index := make([]uint32, n) // 0: not visited
	low := make([]uint32, n)
	onStack := bitmap{}
	var stack []uint32
	type frame struct {
		at   uint32
		edge uint64
	}
	var calls []frame
	next := uint32(1)
	visit := func(at uint32) {
		index[at], low[at] = next, next
		next++
		stack = append(stack, at)
		onStack.set(at)
		calls = append(calls, frame{at, e.first[at]})
	}
	for root := range n {
		if index[root] != 0 || !in(root) {
			continue
		}
		visit(root)
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			if f.edge < e.first[f.at+1] {
				to := e.s.graph.at(f.edge)
				f.edge++
				switch {
				case !in(to):
				case index[to] == 0:
					visit(to)
				case onStack.has(to):
					low[f.at] = min(low[f.at], index[to])
				}
				continue
			}
			at := f.at
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				up := calls[len(calls)-1].at
				low[up] = min(low[up], low[at])
			}
			if low[at] != index[at] {
				continue
			}
			var c component
			for {
				x := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				onStack.clear(x)
				c.states = append(c.states, x)
				if x == at {
					break
				}
			}
			c.cycle = len(c.states) > 1 || e.loops(at)
			if !tell(c) {
				return
			}
		}
	}
}

// loops says whether a state is its own successor.
func (e edges) loops(at uint32) bool {
	for i := e.first[at]; i < e.first[at+1]; i++ {
		if e.s.graph.at(i) == at {
			return true
		}
	}
	return false
}

// enabled are the processes that can get on in a state.
func (e edges) enabled(at uint32) (o obliged) {
	for i := e.first[at]; i < e.first[at+1]; i++ {
		o.set(unlabel(e.s.graph.label(i)))
	}
	return o
}

// owed are the processes that could get on in every state of a component and in
// it never do: with one of them, whoever stays there is not fair.
func (e edges) owed(c *component, inside bitmap) (owed obliged) {
	always := obliged{^uint32(0), ^uint32(0), ^uint32(0)}
	var done obliged
	for _, at := range c.states {
		on := e.enabled(at)
		for k := range always {
			always[k] &= on[k]
		}
		for i := e.first[at]; i < e.first[at+1]; i++ {
			if inside.has(e.s.graph.at(i)) {
				done.set(unlabel(e.s.graph.label(i)))
			}
		}
	}
	for k := range owed {
		owed[k] = always[k] &^ done[k]
	}
	return owed
}

// inside says whether vCPU i waits for a lock in a state, or is releasing one. A
// critical section lies between any two of these, and no step is longer than one.
func (s *search) inside(at uint32, i int) bool {
	u := &s.uses[s.states.row(at)[i]]
	return u.wait != 0 || u.leave != 0
}

// starvation looks for a fair cycle in which a vCPU waits for ever.
func (s *search) starvation(e edges) {
	for i := range s.w.N() {
		var best *component
		first := uint32(0)
		e.components(func(at uint32) bool { return s.inside(at, i) }, func(c component) bool {
			if !c.cycle {
				return true
			}
			inside := c.set()
			owed := e.owed(&c, inside)
			if least := c.least(); owed.empty() && (best == nil || least < first) {
				best, first = &c, least
			}
			return true
		})
		if best == nil {
			continue
		}
		s.violate(Starvation, s.hunger(first, i), first, nil)
		s.found.then, s.found.forever = e.fairCycle(best, first), true
		return
	}
}

// hunger says what vCPU i is in for ever.
func (s *search) hunger(at uint32, i int) string {
	what, u := "waits for %s for ever", s.uses[s.states.row(at)[i]]
	n := u.wait
	if n == 0 {
		what, n = "never comes back from releasing %s", u.leave
	}
	return fmt.Sprintf("vcpu %d "+what+", although every vCPU and every store buffer gets on", i, s.t.place(s.locks[n-1]))
}

func (c *component) set() bitmap {
	b := bitmap{}
	for _, at := range c.states {
		b.set(at)
	}
	return b
}

func (c *component) least() uint32 {
	least := c.states[0]
	for _, at := range c.states {
		least = min(least, at)
	}
	return least
}

func (t *Target) place(a uint64) string {
	if t.Place != nil {
		return t.Place(a)
	}
	return fmt.Sprintf("%#x", a)
}

// fairCycle walks from a state of a fair component around and back to it, so
// that on the way every process gets on, or for a moment cannot.
func (e edges) fairCycle(c *component, from uint32) []vmm.Action {
	inside := c.set()
	var path []leg
	at := from
	for due := e.enabled(from); !due.empty(); {
		legs := e.walk(inside.has, at, func(l leg) bool {
			return inside.has(l.to) && (due.has(l.by) || due.meet(e.enabled(l.to)) != due)
		})
		for _, l := range legs {
			due.clear(l.by)
			due = due.meet(e.enabled(l.to))
			at = l.to
		}
		if path = append(path, legs...); legs == nil {
			break // cannot be: the component is fair
		}
	}
	if at != from || path == nil {
		path = append(path, e.walk(inside.has, at, func(l leg) bool { return l.to == from })...)
	}
	return actions(path)
}

// leg is an edge on a way.
type leg struct {
	from, to uint32
	by       vmm.Action
}

func actions(path []leg) (list []vmm.Action) {
	for _, l := range path {
		list = append(list, l.by)
	}
	return list
}

// walk finds a shortest way from a state over states that in says yes to, to the
// first edge that ends says yes to; nil if there is none.
func (e edges) walk(in func(at uint32) bool, from uint32, ends func(leg) bool) []leg {
	type step struct {
		leg
		back int // index in queue, −1 at the start
	}
	var queue []step
	seen := bitmap{}
	expand := func(at uint32, from int) (last int, found bool) {
		for i := e.first[at]; i < e.first[at+1]; i++ {
			l := leg{at, e.s.graph.at(i), unlabel(e.s.graph.label(i))}
			if ends(l) {
				queue = append(queue, step{l, from})
				return len(queue) - 1, true
			}
			if !seen.has(l.to) && in(l.to) {
				seen.set(l.to)
				queue = append(queue, step{l, from})
			}
		}
		return 0, false
	}
	last, found := expand(from, -1)
	for i := 0; i < len(queue) && !found; i++ {
		last, found = expand(queue[i].to, i)
	}
	if !found {
		return nil
	}
	var path []leg
	for i := last; i >= 0; i = queue[i].back {
		path = append(path, queue[i].leg)
	}
	slices.Reverse(path)
	return path
}
