package explore

import "spinlab/vmm"

// What a sampler does with its walk.

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
