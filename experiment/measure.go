package experiment

import (
	"fmt"
	"slices"
	"strings"

	"spinlab/asm"
	"spinlab/cpu"
	"spinlab/guestcode"
	"spinlab/vmm"
)

// Cost is what a piece of code takes, from its first instruction through its
// RET. Stack accesses count as loads and stores, an RMW as one of each. Branches
// are jumps, calls and returns, taken or not.
type Cost struct {
	Instructions uint64 `json:"instructions"`
	Locked       uint64 `json:"locked"`
	Loads        uint64 `json:"loads"`
	Stores       uint64 `json:"stores"`
	Branches     uint64 `json:"branches"`
}

// Uncontended is one lock and one unlock of a free lock by a single vCPU, after
// spin_init has run and both have been called once before.
type Uncontended struct {
	Lock   Cost `json:"lock"`
	Unlock Cost `json:"unlock"`
}

// phase is a stretch of code whose instructions are counted. Events come after
// an instruction has retired, so the counters from before it are given along.
type phase struct {
	from, to uint64 // addresses of the first instruction and of the first after it
	before   cpu.Counters
	branches uint64 // since it was opened
	open     bool
	cost     Cost
}

// StuckError says that a lock could not be measured because one vCPU alone does
// not come to the end.
type StuckError struct {
	Name    string
	Verdict vmm.Verdict
	Message string
}

func (e *StuckError) Error() string {
	msg := e.Message
	if e.Verdict == vmm.VerdictLimit {
		msg = fmt.Sprintf("two acquisitions take more than %d instructions", maxWatched)
	}
	return fmt.Sprintf("%s: alone on one vCPU it ends with %s: %s", e.Name, e.Verdict, msg)
}

// MeasureUncontended counts the second of two acquisitions on the given host.
func MeasureUncontended(p *guestcode.Program, host vmm.Config) (u Uncontended, err error) {
	lock, unlock, err := lockFunctions(p)
	if err != nil {
		return u, err
	}
	phases := [2]phase{{from: lock, to: p.Acquired}, {from: unlock, to: p.Released}}
	r, err := watch(p, host, 1, func(e *vmm.Event, c cpu.Counters) {
		for i := range phases {
			phases[i].see(e, c)
		}
	})
	switch {
	case err != nil:
		return u, err
	case r.Verdict != vmm.VerdictDone:
		return u, &StuckError{p.Name, r.Verdict, r.Message}
	}
	return Uncontended{phases[0].cost, phases[1].cost}, nil
}

// see takes note of an instruction that starts with the counters c.
func (f *phase) see(e *vmm.Event, c cpu.Counters) {
	switch {
	case !f.open && e.RIP == f.from:
		f.open, f.before, f.branches = true, c, 0
	case f.open && e.RIP == f.to:
		f.open = false
		f.cost = Cost{c.Instructions - f.before.Instructions, c.Locked - f.before.Locked,
			c.Loads - f.before.Loads, c.Stores - f.before.Stores, f.branches}
	}
	if f.open && e.Op.Mn.IsBranch() {
		f.branches++
	}
}

// lockFunctions finds what the harness calls.
func lockFunctions(p *guestcode.Program) (lock, unlock uint64, err error) {
	if !p.Harness {
		return 0, 0, fmt.Errorf("%s: drives itself; only a spin_lock and spin_unlock can be measured", p.Name)
	}
	return p.Function("spin_lock"), p.Function("spin_unlock"), nil
}

// maxWatched bounds a measurement, in instructions: it is a few acquisitions,
// and a lock that needs more than this is stuck.
const maxWatched = 2_000_000

// watch runs p on the given host with a pCPU for each vCPU and shows every
// instruction with the counters of its vCPU from before it.
func watch(p *guestcode.Program, cfg vmm.Config, vcpus int, see func(*vmm.Event, cpu.Counters)) (*Result, error) {
	var m *vmm.Machine
	cfg.VMs, cfg.PCPUs, cfg.MaxInstructions = VMs(p, 1, vcpus), vcpus, maxWatched
	cfg.Symbolize = func(addr uint64) string { return Symbol(p.Object, addr) }
	last := make([]cpu.Counters, vcpus)
	cfg.Observe = func(e *vmm.Event) {
		if e.Kind == vmm.EventInstruction {
			now := m.VCPUs[e.VCPU].Core.Count
			if now.Instructions == 1 {
				last[e.VCPU] = cpu.Counters{} // the boot is over, counting starts anew
			}
			see(e, last[e.VCPU])
			last[e.VCPU] = now
		}
	}
	m, err := vmm.NewMachine(cfg)
	if err != nil {
		return nil, err
	}
	r := &Result{Report: m.Run()}
	return r, nil
}

// MeasureSpin counts the instructions of one turn of the spin loop: what a
// vCPU executes from one PAUSE to the next at the same address while the other
// holds the lock, or without a PAUSE from one jump back to the next. It is 0 if
// nobody waits in a loop.
func MeasureSpin(p *guestcode.Program, host vmm.Config) (uint64, error) {
	if _, _, err := lockFunctions(p); err != nil {
		return 0, err
	}
	type mark struct{ rip, at uint64 } // the last one, and the count before it
	type waiter struct {
		waits       bool
		pause, jump mark
	}
	var waiters [2]waiter
	byPause, byJump := map[uint64]int{}, map[uint64]int{}
	_, err := watch(p, host, len(waiters), func(e *vmm.Event, c cpu.Counters) {
		w := &waiters[e.VCPU]
		last, turns := &w.jump, byJump
		switch {
		case e.RIP == p.Acquire:
			*w = waiter{waits: true}
			return
		case e.RIP == p.Acquired:
			w.waits = false
			return
		case !w.waits:
			return
		case e.Op.Mn == cpu.PAUSE:
			last, turns = &w.pause, byPause
		case (e.Op.Mn != cpu.JMP && e.Op.Mn != cpu.JCC) || e.After.RIP > e.RIP:
			return
		}
		if last.rip == e.RIP {
			turns[c.Instructions-last.at]++
		}
		*last = mark{e.RIP, c.Instructions}
	})
	if err != nil {
		return 0, err
	}
	if len(byPause) != 0 {
		return most(byPause), nil
	}
	return most(byJump), nil
}

// most is the key with the highest count, the smaller one of equals; 0 if
// there is none.
func most(count map[uint64]int) (best uint64) {
	var keys []uint64
	for k := range count {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if count[k] > count[best] {
			best = k
		}
	}
	return best
}

// Bytes are sizes of code.
type Bytes struct {
	Lock     uint64 `json:"lock"`
	Unlock   uint64 `json:"unlock"`
	Slowpath uint64 `json:"slowpath"`
}

// notSlow are the functions of the guest ABI, which are no slow path.
var notSlow = []string{"spin_lock", "spin_unlock", "spin_trylock", "spin_is_locked", "spin_init"}

// abi finds what the functions of the guest ABI are, under whatever name; the
// names of what is at one address are one function.
func abi(p *guestcode.Program) map[uint64]string {
	at := map[uint64]string{}
	for _, name := range slices.Backward(notSlow) {
		if a := p.Function(name); a != 0 {
			at[a] = name
		}
	}
	return at
}

// MeasureBytes adds up code by symbol. The slow path is every other function
// that the lock's sources give a size: what stands out of line, and the
// hypervisor's back end.
func MeasureBytes(p *guestcode.Program) (b Bytes) {
	parts, seen := abi(p), map[uint64]bool{}
	for _, s := range p.Object.Symbols {
		if s.Absolute || guestcode.OwnSource(s.Source) || !executable(p.Object, s.Section) {
			continue
		}
		part, known := parts[s.Addr]
		switch {
		case part == "spin_lock" && (s.Size > 0 || b.Lock == 0): // not .LFB0 at the same place
			b.Lock = codeSize(p.Object, s)
		case part == "spin_unlock" && (s.Size > 0 || b.Unlock == 0):
			b.Unlock = codeSize(p.Object, s)
		case !known && (s.Size == 0 || !seen[s.Addr]):
			b.Slowpath += s.Size
			seen[s.Addr] = s.Size > 0
		}
	}
	return b
}

func executable(obj *asm.Object, section string) bool {
	return slices.ContainsFunc(obj.Sections, func(s asm.Section) bool { return s.Name == section && s.Exec })
}

// codeSize is what .size says, else the distance to the next global label of
// the section or to its end.
func codeSize(obj *asm.Object, s asm.Symbol) uint64 {
	if s.Size > 0 {
		return s.Size
	}
	var end uint64
	for _, sec := range obj.Sections {
		if sec.Name == s.Section {
			end = sec.Addr + uint64(len(sec.Data))
		}
	}
	for _, o := range obj.Symbols {
		if o.Global && o.Section == s.Section && o.Addr > s.Addr && !strings.HasPrefix(o.Name, ".L") {
			end = min(end, o.Addr)
		}
	}
	return end - s.Addr
}
