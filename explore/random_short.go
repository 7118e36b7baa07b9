package explore

import (
	"slices"

	"spinlab/vmm"
)

// A violation that was met at random has many steps that do not matter, and
// goes to and fro between vCPUs. For a reader it is made shorter: parts are left
// out or brought forward, as long as the end stays the same violation.

// shortenTries bounds how often that is tried; ours: a second or so.
const shortenTries = 10_000

// shorten gives a path to the same violation with fewer changes of who acts,
// and then fewer actions. That to a livelock is left as it is: it ends where
// something changed for the last time.
func (s *sampler) shorten(f *sample) []vmm.Action {
	best := f.path
	if f.property == Livelock {
		return best
	}
	left := shortenTries
	try := func(path []vmm.Action) bool {
		if left == 0 {
			return false
		}
		left--
		got := s.retrace(path, f.property)
		if got == nil || !shorter(got, best) {
			return false
		}
		best = got
		return true
	}
	for again := true; again && left > 0; {
		again = false
		for size := max(len(best)/2, 1); size > 0; size /= 2 {
			for i := 0; i < len(best); {
				if try(without(best, i, min(i+size, len(best)))) {
					again = true
				} else {
					i += size
				}
			}
		}
		for i := 0; i < len(best); i++ {
			if path := joined(best, i); path != nil && try(path) {
				again = true
			}
		}
	}
	return best
}

// retrace does what it can of a path and gives what that was, if it ends in a
// violation of the property, else nil.
func (s *sampler) retrace(path []vmm.Action, want Property) []vmm.Action {
	s.begin()
	done := make([]vmm.Action, 0, len(path))
	for _, a := range path {
		if !s.open(a) {
			continue
		}
		e, err := s.apply(a)
		if err != nil || s.wrong(&s.how, s.w) {
			return nil
		}
		if !e.Moved {
			continue
		}
		done = append(done, a)
		if e.Breach != vmm.NoBreach {
			if breaches[e.Breach] != want {
				return nil
			}
			return done
		}
	}
	if over, p, _ := s.over(); !over || p != want {
		return nil
	}
	return done
}

func without(path []vmm.Action, from, to int) []vmm.Action {
	return append(slices.Clone(path[:from]), path[to:]...)
}

// joined brings the next part of the thread that acts at i forward, to behind
// the part that i ends; without such a part it gives nil.
func joined(path []vmm.Action, i int) []vmm.Action {
	if i+1 == len(path) || oneThread(path[i], path[i+1]) {
		return nil
	}
	for j := i + 1; j < len(path); j++ {
		if !oneThread(path[i], path[j]) {
			continue
		}
		end := j
		for end < len(path) && oneThread(path[i], path[end]) {
			end++
		}
		p := append(slices.Clone(path[:i+1]), path[j:end]...)
		return append(append(p, path[i+1:j]...), path[end:]...)
	}
	return nil
}

// oneThread says whether two actions are of one thread, so that a reader takes
// them for one part.
func oneThread(a, b vmm.Action) bool {
	return a.VCPU == b.VCPU && (a.Kind == vmm.ActCommit) == (b.Kind == vmm.ActCommit)
}

// shorter says whether a path is easier to follow than another.
func shorter(a, b []vmm.Action) bool {
	if x, y := parts(a), parts(b); x != y {
		return x < y
	}
	return len(a) < len(b)
}

// parts is how many parts a path has.
func parts(path []vmm.Action) int {
	n := 0
	for i := range path {
		if i == 0 || !oneThread(path[i-1], path[i]) {
			n++
		}
	}
	return n
}
