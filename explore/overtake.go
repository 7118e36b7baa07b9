package explore

import (
	"fmt"

	"spinlab/vmm"
)

// Overtaking tells how often others get a lock while one vCPU waits for it, over
// all schedules, fair or not. A wait counts from the first visible action in the
// lock function on: before it has drawn a ticket or joined a queue, no lock can
// keep anybody from coming first.
type Overtaking struct {
	Unbounded bool
	Max       uint64
	VCPU      int    // who waits then
	Lock      uint64 //
}

// liveness asks the questions about endless programs.
func (s *search) liveness() {
	if !s.t.Endless || s.found != nil {
		return
	}
	e := s.edges()
	if !s.t.Unfair {
		s.starvation(e)
	}
	s.overtake(e)
}

// overtake finds the largest number of overtakings, for every waiter.
func (s *search) overtake(e edges) {
	worst := &Overtaking{}
	var then []vmm.Action
	at := uint32(0)
	for i := range s.w.N() {
		o := overtaken{s: s, e: e, i: i, part: make([]uint32, s.states.count)}
		e.components(o.waits, o.component)
		if o.unbounded && !worst.Unbounded || !worst.Unbounded && o.most > worst.Max {
			*worst = Overtaking{o.unbounded, o.most, i, s.lockOf(o.at, i)}
			if at, then = o.at, o.then; !o.unbounded {
				then = o.furthest(at)
			}
		}
	}
	s.overtaking = worst
	if s.t.MaxOvertaking > 0 && (worst.Unbounded || worst.Max > uint64(s.t.MaxOvertaking)) {
		how := Times(worst.Max)
		if worst.Unbounded {
			how = "without bound"
		}
		s.violate(Overtaken, fmt.Sprintf("others get %s %s while vcpu %d waits for it", s.t.place(worst.Lock), how, worst.VCPU), at, nil)
		if s.found.property == Overtaken {
			s.found.then, s.found.forever = then, worst.Unbounded
		}
	}
}

// Times is a number of times in words.
func Times(n uint64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// lockOf is the lock that vCPU i waits for in a state, 0 if it does not.
func (s *search) lockOf(at uint32, i int) uint64 {
	if u := s.uses[s.states.row(at)[i]]; u.wait != 0 {
		return s.locks[u.wait-1]
	}
	return 0
}

// overtaken measures what may happen while vCPU i waits.
type overtaken struct {
	s *search
	e edges
	i int

	part []uint32 // number of each state's component, from 1
	best []uint64 // of each component: the most overtakings from there on

	most      uint64
	unbounded bool
	at        uint32       // where that begins
	then      []vmm.Action // and how
}

func (o *overtaken) waits(at uint32) bool {
	u := o.s.uses[o.s.states.row(at)[o.i]]
	return u.wait != 0 && u.begun
}

// gains is how many other vCPUs get vCPU i's lock along an edge.
func (o *overtaken) gains(from, to uint32) (n uint64) {
	a, b := o.s.states.row(from), o.s.states.row(to)
	lock := o.s.uses[a[o.i]].wait
	for j := range o.s.w.N() {
		if j != o.i && o.s.uses[a[j]].held>>lock&1 == 0 && o.s.uses[b[j]].held>>lock&1 != 0 {
			n++
		}
	}
	return n
}

// component is told of the components, those that others lead to first.
func (o *overtaken) component(c component) bool {
	number := uint32(len(o.best) + 1)
	for _, at := range c.states {
		o.part[at] = number
	}
	best, start := uint64(0), c.least()
	for _, at := range c.states {
		for i := o.e.first[at]; i < o.e.first[at+1]; i++ {
			to := o.s.graph.at(i)
			if !o.waits(to) {
				continue
			}
			n := o.gains(at, to)
			if o.part[to] == number && n > 0 {
				o.endless(&c, at, to)
				return false
			}
			if o.part[to] != number {
				best = max(best, n+o.best[o.part[to]-1])
			}
		}
	}
	o.best = append(o.best, best)
	if best > o.most {
		o.most, o.at = best, start
	}
	return true
}

// endless notes a cycle on which vCPU i is overtaken, along an edge.
func (o *overtaken) endless(c *component, from, to uint32) {
	inside := c.set()
	to1 := func(x uint32) func(leg) bool { return func(l leg) bool { return l.to == x && inside.has(x) } }
	o.unbounded, o.at = true, c.least()
	var path []leg
	if o.at != from {
		path = o.e.walk(inside.has, o.at, to1(from))
	}
	path = append(path, o.e.walk(inside.has, from, to1(to))...)
	if to != o.at {
		path = append(path, o.e.walk(inside.has, to, to1(o.at))...)
	}
	o.then = actions(path)
}

// furthest goes from a state of a component, once all are known, along the most
// overtakings.
func (o *overtaken) furthest(at uint32) []vmm.Action {
	var path []leg
	for {
		left := o.best[o.part[at]-1]
		if left == 0 {
			return actions(path)
		}
		legs := o.e.walk(func(x uint32) bool { return o.waits(x) && o.best[o.part[x]-1] == left }, at, func(l leg) bool {
			return o.waits(l.to) && o.gains(l.from, l.to) > 0 && o.gains(l.from, l.to)+o.best[o.part[l.to]-1] == left
		})
		if legs == nil {
			return actions(path) // cannot be: the maximum comes from somewhere
		}
		path = append(path, legs...)
		at = path[len(path)-1].to
	}
}
