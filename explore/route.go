package explore

import (
	"slices"

	"spinlab/vmm"
)

// path leads from the start to a state, as it was first reached.
func (s *search) path(to uint32) []vmm.Action {
	var p []vmm.Action
	for to != 0 {
		row := s.states.row(to)
		p = append(p, unpack(row[s.states.key+1]))
		to = row[s.states.key]
	}
	slices.Reverse(p)
	return p
}

// route is path to a state and by, if not nil, one action on. In tuples whose
// order says nothing an action names a place: here it gets the vCPU that is in
// that situation.
func (s *search) route(to uint32, by *vmm.Action) []vmm.Action {
	p := s.path(to)
	if by != nil {
		p = append(p, *by)
	}
	if !s.alike {
		return p
	}
	states := []uint32{to}
	for at := to; at != 0; {
		at = s.states.row(at)[s.states.key]
		states = append(states, at)
	}
	slices.Reverse(states)
	n := s.w.N()
	now := slices.Clone(s.states.row(0)[:n]) // the block of each vCPU
	for i := range p {
		from := s.states.row(states[i])[:n]
		j := slices.Index(now, from[p[i].VCPU])
		if i+1 < len(states) {
			now[j] = moved(from, s.states.row(states[i+1])[:n], p[i].VCPU)
		}
		p[i].VCPU = uint8(j)
	}
	return p
}

// moved gives the block that the one at place who of a tuple has become in the
// next tuple: what is in that, but not among the others.
func moved(from, to []uint32, who uint8) uint32 {
	rest := slices.Clone(to)
	for i, x := range from {
		if j := slices.Index(rest, x); i != int(who) && j >= 0 {
			rest = slices.Delete(rest, j, j+1)
		}
	}
	return rest[0]
}

// retell takes the message of a violation from the trace: the search may have
// called the vCPUs otherwise.
func (r *Result) retell(t *Target) error {
	p, err := Play(t, r.Trace)
	if err != nil {
		return err
	}
	for {
		lines, err := p.Next()
		switch {
		case err != nil:
			return err
		case lines != nil:
		case r.Property == Livelock:
			r.Message = whyOutOfReach(p.w)
			return nil
		default:
			if why := p.Breach(); why != "" {
				r.Message = why
			}
			return nil
		}
	}
}
