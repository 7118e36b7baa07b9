package engine

import (
	"fmt"

	"spinlab/experiment"
	"spinlab/guestcode"
	"spinlab/vmm"
)

// Count is what one call of a function executes, from its first instruction
// through its RET, and how many bytes it has.
type Count struct {
	Function string // spin_lock
	Where    string // its place in the source, "" if there is none
	experiment.Cost
	Bytes uint64
}

// LockCount is what a lock costs.
type LockCount struct {
	Lock, Unlock Count  // the second acquisition of a free lock, on one vCPU
	Spin         uint64 // instructions of one turn of the spin loop; 0 without PAUSE
	Slowpath     uint64 // bytes of all other functions
}

// CountLock measures a lock as compare does.
func (s Source) CountLock(defines map[string]int64) (*LockCount, error) {
	row, err := experiment.Measure(s.Name, s.Build, guestcode.Config{Defines: defines}, vmm.Config{})
	if err != nil {
		return nil, err
	}
	p, err := s.Build(guestcode.Config{VCPUs: 1, Defines: defines})
	if err != nil {
		return nil, err
	}
	n := &LockCount{Spin: row.SpinTurn, Slowpath: row.Bytes.Slowpath}
	n.Lock = Count{"spin_lock", functionLine(p, "spin_lock"), row.Uncontended.Lock, row.Bytes.Lock}
	n.Unlock = Count{"spin_unlock", functionLine(p, "spin_unlock"), row.Uncontended.Unlock, row.Bytes.Unlock}
	return n, nil
}

func functionLine(p *guestcode.Program, name string) string {
	addr, _, err := Function(p.Object, name)
	if err != nil {
		return ""
	}
	return experiment.SourceLine(p.Object, addr)
}

// Call runs one function on a bare core with the given inputs. The core is
// there to be looked at afterwards.
func (s Source) Call(c BareConfig, defines map[string]int64) (*Bare, *BareReport, Count, error) {
	fail := func(err error) (*Bare, *BareReport, Count, error) { return nil, nil, Count{}, err }
	obj, err := s.Object(defines)
	if err != nil {
		return fail(err)
	}
	b, err := NewBare(s.Name, obj, c)
	if err != nil {
		return fail(err)
	}
	r, err := b.RunCounting()
	if err != nil {
		return fail(err)
	}
	n := Count{Function: c.Entry, Cost: r.Cost(), Where: experiment.SourceLine(obj, b.Snippet.Entry)}
	if _, size, err := Function(obj, c.Entry); err == nil {
		n.Bytes = size
	} else { // the code as a whole
		n.Bytes = b.behind - b.first
	}
	if n.Function == "" {
		n.Function = "code"
	}
	return b, r, n, nil
}

// CountCall is the count of Call. It fails if the call does not come to its end.
func (s Source) CountCall(c BareConfig, defines map[string]int64) (Count, error) {
	_, r, n, err := s.Call(c, defines)
	if err == nil && r.Stop != vmm.BareHLT {
		err = &EndError{n.Function, r.Verdict(), r.Place(), r.Stop == vmm.BareLimit, c.MaxInstructions}
	}
	return n, err
}

// EndError says that a call did not come to its end.
type EndError struct {
	Function, Verdict, Place string
	Limited                  bool
	Max                      uint64
}

func (e *EndError) Error() string {
	if e.Limited {
		return fmt.Sprintf("%s: not at its end after %d instructions, at %s", e.Function, e.Max, e.Place)
	}
	return fmt.Sprintf("%s: %s at %s", e.Function, e.Verdict, e.Place)
}
