package explore

import (
	"errors"
	"fmt"
	"slices"

	"spinlab/mem"
	"spinlab/vmm"
)

// Explore searches every interleaving of t within the bounds of cfg. The error
// is for targets that cannot be searched: a machine that cannot be built, a
// guest that reads a clock.
//
// What is private is assumed first: stacks, and words that nobody writes. Where
// a search finds that wrong, what it has found is worth nothing, and it starts
// again with what is known now.
func Explore(t *Target, cfg Config) (*Result, error) {
	how := Trace{Reduce: cfg.Reduce, DrainOnHalt: cfg.DrainOnHalt, Weak: cfg.Weak}
	for restarts := 0; ; restarts++ {
		s, err := newSearch(t, &cfg, how, false)
		if err != nil {
			return nil, err
		}
		if err := s.run(); err != nil {
			return nil, err
		}
		if !s.learn(&how, s.w) {
			r := s.result()
			r.Restarts = restarts
			switch {
			case r.Property == Livelock && !s.graph.labelled:
				err = r.round(t, &cfg, how)
			case s.alike && r.Trace != nil:
				err = r.retell(t)
			}
			return r, err
		}
	}
}

// round gives the trace of a livelock a cycle to end in: searched again, with
// labels on the edges and without symmetry.
func (r *Result) round(t *Target, cfg *Config, how Trace) error {
	s, err := newSearch(t, cfg, how, true)
	if err != nil {
		return err
	}
	if err := s.run(); err != nil {
		return err
	}
	if s.found != nil && s.found.property == Livelock {
		x := s.result()
		r.Trace, r.Message = x.Trace, x.Message
	}
	return nil
}

// lessons are what was assumed and is wrong.
type lessons struct {
	trespass  *mem.Page
	below     bool     // memory below RSP is in use
	code      bool     // code is written, so fetching it is no private matter
	surprises []uint64 // words that are written after all
}

// misled says whether something was not as private or dead as assumed: then the
// walk is of no more use.
func (l *lessons) misled(w *vmm.Walk) bool {
	l.trespass = w.Memory().Trespass()
	for i := range w.N() {
		_, p := w.VCPU(i)
		l.below = l.below || p.Below
	}
	return l.astray()
}

func (l *lessons) astray() bool { return l.trespass != nil || l.below }

// wrong says whether there is anything to learn, surprises aside: of those more
// may come.
func (l *lessons) wrong(how *Trace, w *vmm.Walk) bool {
	return l.astray() || l.code || w.Lost() && !how.AllLive || w.Alike() && w.Unlike()
}

// learn adds what has been found out to what is assumed. It says whether there
// is anything.
func (l *lessons) learn(how *Trace, w *vmm.Walk) bool {
	switch {
	case l.trespass != nil:
		how.Shared = append(slices.Clone(how.Shared), l.trespass.Addr)
	case l.below && how.RedZone == 0:
		how.RedZone = sysVRedZone
	case l.below:
		how.RedZone = wholeStack
	case l.code:
		how.Reduce = ReduceNone
	case w.Alike() && w.Unlike():
		how.WhoIsWho = true
	case w.Lost() && !how.AllLive:
		how.AllLive = true
	case l.surprises != nil:
		how.Varying = append(slices.Clone(how.Varying), l.surprises...)
		slices.Sort(how.Varying)
	default:
		return false
	}
	return true
}

// sysVRedZone is how far below RSP a leaf function may keep data (System V ABI
// for AMD64, 3.2.2). It counts as dead until a guest is seen to read there.
const sysVRedZone = 128

// wholeStack as a red zone says that nothing on a stack is ever dead.
const wholeStack = 1 << 40

// newWalk makes the machine of t. In steps no vCPU stands before something
// private from the start on, unless that ends badly; made, if not nil, is told
// of each walk before it moves.
func newWalk(t *Target, machine vmm.Config, how *Trace, made func(*vmm.Walk)) (*vmm.Walk, error) {
	wc := vmm.WalkConfig{Starts: t.Starts, Interrupts: t.Interrupts, IRQsOff: t.IRQsOff, Fine: how.Reduce == ReduceNone, DrainOnHalt: how.DrainOnHalt, Weak: how.Weak,
		KeepDone: t.looksAtRegisters(), Shared: how.Shared, RedZone: how.RedZone,
		Doorways: t.Endless, Constants: how.Reduce == ReduceAll, Varying: how.Varying, Dead: how.Reduce == ReduceAll && !how.AllLive}
	for settle := !wc.Fine; ; settle = false {
		w, err := vmm.NewWalk(machine, wc)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(t.setup(w), t.mapped(w)); err != nil {
			return nil, err
		}
		if made != nil {
			made(w)
		}
		if !settle || w.Settle() {
			return w, nil
		}
	}
}

// setup writes what the target wants in memory. It is the start: nobody did it.
func (t *Target) setup(w *vmm.Walk) error {
	for _, r := range t.Setup {
		if n := w.Memory().Poke(r.Addr, r.Bytes); n < len(r.Bytes) {
			return fmt.Errorf("%d bytes for %#x: no memory is at %#x", len(r.Bytes), r.Addr, r.Addr+uint64(n))
		}
	}
	w.Memory().ForgetLog()
	return nil
}

// mapped says which memory that is asked for is not there: it would read as 0.
func (t *Target) mapped(w *vmm.Walk) error {
	asked := make([]*Observable, 0, len(t.Observe))
	for i := range t.Observe {
		asked = append(asked, &t.Observe[i])
	}
	if t.Final != nil {
		asked = append(asked, t.Final.operands...)
	}
	for _, o := range asked {
		if o.Mem && w.Memory().Peek(o.Addr, make([]byte, o.Size)) < o.Size {
			return fmt.Errorf("%s: no memory is there", o.Name)
		}
	}
	return nil
}

// check says what the machine of t cannot give.
func (t *Target) check() error {
	n := 0
	if len(t.Machine.VMs) == 1 {
		n = t.Machine.VMs[0].VCPUs
	}
	for i := range t.Observe {
		if err := t.Observe[i].check(n); err != nil {
			return err
		}
	}
	if t.Final != nil {
		return t.Final.check(n)
	}
	return nil
}
