package vmm

import (
	"errors"
	"fmt"
	"slices"

	"spinlab/cpu"
	"spinlab/mem"
)

// ActionKind is what can happen next on a machine without a scheduler.
type ActionKind uint8

// The kinds of action.
const (
	// ActStep runs a vCPU through one visible action and the private ones after
	// it; a halted vCPU goes to sleep, or finds that it need not.
	ActStep ActionKind = iota
	// ActCommit takes the oldest store of a vCPU's buffer to memory.
	ActCommit
	// ActWake makes a vCPU that sleeps and was kicked runnable.
	ActWake
	// ActDeliver lets a vCPU take the next interrupt of WalkConfig.Interrupts,
	// halted or not.
	ActDeliver
	// ActOvertake and the kinds behind it commit a younger store before the
	// oldest: ActOvertake + i does that to the one with i + 1 in front of it. Only
	// WalkConfig.Weak has them.
	ActOvertake
	lastAction = ActOvertake + mem.BufferSlots - 2
)

func (k ActionKind) String() string {
	if k >= ActOvertake {
		return fmt.Sprintf("commit+%d", k-ActOvertake+1)
	}
	return [...]string{"step", "commit", "wake", "deliver"}[k]
}

// ParseAction is ActionKind.String backwards.
func ParseAction(s string) (ActionKind, bool) {
	for k := ActStep; k <= lastAction; k++ {
		if k.String() == s {
			return k, true
		}
	}
	return 0, false
}

// Commits says whether an action commits a store.
func (k ActionKind) Commits() bool { return k == ActCommit || k >= ActOvertake }

// Action is one way to go on.
type Action struct {
	Kind ActionKind
	VCPU uint8
}

// MaxWalkers is how many vCPUs a Walk may have: sets of them are words.
const MaxWalkers = 32

// Start is how a vCPU of a Walk starts and ends where that differs from the
// image's Main with RDI = index.
type Start struct {
	RIP uint64 // 0: the image's Main
	// Regs replaces all sixteen registers if it is not nil. RSP is kept if it
	// is 0 there.
	Regs *[16]uint64
	// Halt is the address of the HLT that ends this vCPU, and End an address
	// that ends it when RIP comes there; 0 for none. OUT to port 0xf4 always
	// does.
	Halt, End uint64
}

// WalkConfig tunes a Walk.
type WalkConfig struct {
	Starts []Start // nil, or one for each vCPU
	// Fine makes every instruction a step of its own.
	Fine bool
	// DrainOnHalt makes HLT wait for the own store buffer.
	DrainOnHalt bool
	// KeepDone keeps the registers of a vCPU that is done in its state; without
	// it they are dead.
	KeepDone bool
	// Shared are pages of stacks that more than one vCPU uses.
	Shared []uint64
	// RedZone is how many bytes below RSP are in use.
	RedZone uint64
	// Interrupts are the vectors that each vCPU takes, in this order and once
	// each, at any boundary where it may; nil, or a list for each vCPU.
	Interrupts [][]uint8
	// IRQsOff does not tell the guest that interrupts come: it starts with IF = 0.
	IRQsOff bool
	// Dead leaves registers out of a state that are overwritten before they are
	// read.
	Dead bool
	// Constants makes loads of shared words private that nobody writes; Varying
	// are those that somebody does.
	Constants bool
	// Weak lets younger stores commit before older ones to other bytes: the
	// Pentium Pro with its errata 66 and 92, or SPARC's PSO. It is not x86-TSO.
	Weak bool
	// Doorways notes whether a vCPU that waits for a lock has done its first
	// visible action since, loads of words that nobody writes aside, and whether
	// it is in the function that releases one.
	Doorways bool
	Varying  []uint64
}

// sharesStack says whether the stack from low to top has a shared page: then
// none of it counts as private.
func (c *WalkConfig) sharesStack(low, top uint64) bool {
	return slices.ContainsFunc(c.Shared, func(a uint64) bool { return a >= low&^(mem.PageSize-1) && a < top })
}

// Breach is what is wrong with a state in which a vCPU cannot go on, or two
// have come where only one may be.
type Breach uint8

// The breaches.
const (
	NoBreach Breach = iota
	BreachExclusion
	BreachAssertion
	BreachFault
	BreachFreed
)

// Effect is what an action did.
type Effect struct {
	// Moved is false when the action is not possible yet, because the store
	// buffer has to drain first. Nothing has changed then.
	Moved bool
	// Changed has a bit for every vCPU whose block may have changed, and Memory
	// says whether the block of shared memory may have.
	Changed uint32
	Memory  bool
	// Apart is false when the action looked at other vCPUs, or changed them, but
	// for two ways that are told: Enters says that it looked who else holds a
	// lock, Kicks is the vCPU that was kicked, plus 1.
	Apart, Enters bool
	Kicks         uint8
	// Breach and Message tell what is wrong with the state after the action.
	Breach  Breach
	Message string
	// Overflow says that a store found its buffer full, and CodeWritten that
	// memory with instructions was written: then they are no private matter.
	Overflow, CodeWritten bool
}

// Walk is a Machine without a scheduler: each vCPU has a pCPU and a store
// buffer of its own, time does not exist, and whoever holds the Walk says what
// happens next. All that happens is done by the machine's own single actions.
//
// One VM is walked. After NewWalk its boot is over and every vCPU stands at its
// start.
type Walk struct {
	m   *Machine
	vm  *VM
	cfg WalkConfig
	who []*walker
	mem sharedMemory

	live liveness // nil: every register is
	lost bool     // a vCPU stood where live knows nothing

	leaves bool // Doorways, and the image says where a lock has been released
	alike  bool // blocks do not tell whose they are
	unlike bool // but something did

	effect Effect // of the action that is being applied
	err    error

	// Entered says that some vCPU has ever come into a critical section.
	Entered bool
}

// walker is one vCPU of a Walk.
type walker struct {
	v     *VCPU
	p     *mem.Port
	start Start
	cold  cold // as it was at the start
	stack stack
	irqs  []uint8 // interrupts that may come, and how many have
	taken uint8
}

// NewWalk boots the machine and takes its scheduler away.
func NewWalk(cfg Config, wc WalkConfig) (*Walk, error) {
	if len(cfg.VMs) != 1 {
		return nil, errors.New("a search has one VM")
	}
	n := cfg.VMs[0].VCPUs
	if n < 1 || n > MaxWalkers {
		return nil, fmt.Errorf("%d vCPUs: a search has 1 to %d", n, MaxWalkers)
	}
	if wc.Interrupts != nil && len(wc.Interrupts) != n {
		return nil, fmt.Errorf("interrupts of %d vCPUs, not %d", len(wc.Interrupts), n)
	}
	if wc.Starts != nil && len(wc.Starts) != n {
		return nil, fmt.Errorf("%d starts for %d vCPUs", len(wc.Starts), n)
	}
	observe := cfg.Observe
	cfg.PCPUs, cfg.PLE, cfg.Seed, cfg.Commit, cfg.Observe = n, false, 0, mem.Timed, nil
	m, err := NewMachine(cfg)
	if err != nil {
		return nil, err
	}
	if err := m.bootOnly(); err != nil {
		return nil, err
	}
	m.cfg.Observe = observe
	w := &Walk{m: m, vm: m.VMs[0], cfg: wc}
	w.vm.code.RedZone = wc.RedZone
	w.vm.code.StopAt(uint8(ProbeRelease))
	w.vm.code.StopAt(uint8(ProbePassed))
	for i := range n {
		w.place(i)
	}
	w.leaves = wc.Doorways && slices.ContainsFunc(w.vm.image.Probes, func(x Probe) bool { return x.Kind == ProbeReleased })
	if wc.Constants || wc.Doorways {
		w.vm.Mem.AssumeConstant(wc.Varying, wc.Constants)
	}
	if wc.Dead {
		w.live = w.findLive()
	}
	w.mem.index = map[uint64]uint32{}
	w.vm.Mem.Mark()
	w.vm.Mem.ForgetLog()
	return w, nil
}

// bootOnly runs the boots of all VMs and nothing else.
func (m *Machine) bootOnly() error {
	for {
		m.begin()
		if !m.booting {
			m.verdict, m.message = "", ""
			return nil
		}
		m.setPause(neverPause)
		m.sched.Run()
		if !m.booted() {
			return errors.New(m.message)
		}
	}
}

// place puts vCPU i on a pCPU of its own, at its start.
func (w *Walk) place(i int) {
	m, v := w.m, w.vm.VCPUs[i]
	k := &walker{v: v, p: mem.NewPort(w.vm.Mem, i, nil, mem.Manual)}
	m.Ports[i] = k.p
	v.State, v.pcpu = Runnable, i
	v.Core.OnProbe = func(id uint8, addr uint64, _ mem.Cycles) { w.probe(k, ProbeKind(id), addr) }
	if w.cfg.Starts != nil {
		k.start = w.cfg.Starts[i]
		w.begin(k)
	}
	l := &w.vm.image.Layout
	if top := l.stackTop(i); l.StackSize != 0 && !w.cfg.sharesStack(top-l.StackSize, top) {
		k.stack = newStack(w.vm.Mem, l.stackTop(i)-l.StackSize, l.StackSize)
		w.vm.Mem.SetOwner(k.stack.low, l.StackSize, uint8(i))
	}
	k.cold = coldOf(v)
	if w.cfg.Interrupts != nil {
		k.irqs = w.cfg.Interrupts[i]
		if l.PerCPUStride != 0 && !w.cfg.IRQsOff && slices.ContainsFunc(k.irqs, func(vec uint8) bool { return vec != VectorNMI }) {
			w.vm.Mem.Poke(l.perCPU(i)+perCPUIRQ, []byte{1})
		}
	}
	w.who = append(w.who, k)
}

// begin moves k to its own start.
func (w *Walk) begin(k *walker) {
	c, s := k.v.Core, &k.start
	if s.RIP != 0 {
		c.Jump(s.RIP)
	}
	if s.Regs != nil {
		sp := c.R[cpu.RSP]
		copy(c.R[:16], s.Regs[:])
		if s.Regs[cpu.RSP] == 0 {
			c.R[cpu.RSP] = sp
		}
	}
	if s.End != 0 {
		w.vm.code.SetProbe(s.End, uint8(probeEnd))
		w.vm.code.StopAt(uint8(probeEnd))
	}
}

// Lost says whether a vCPU has come to an instruction that the search for dead
// registers did not find, so that its result is worth nothing.
func (w *Walk) Lost() bool { return w.lost }

// Machine returns the machine that is walked, for looking at.
func (w *Walk) Machine() *Machine { return w.m }

// Memory returns the guest's memory, for looking at.
func (w *Walk) Memory() *mem.Memory { return w.vm.Mem }

// N is how many vCPUs there are.
func (w *Walk) N() int { return len(w.who) }

// VCPU returns a vCPU and its port, for looking at.
func (w *Walk) VCPU(i int) (*VCPU, *mem.Port) { return w.who[i].v, w.who[i].p }

// Done says whether every vCPU is done and every buffer empty.
func (w *Walk) Done() bool {
	for _, k := range w.who {
		if k.v.State != Done || k.p.B.N != 0 {
			return false
		}
	}
	return true
}

// Waiting tells of every vCPU that is not done, and why, in words.
func (w *Walk) Waiting() ([]Stuck, string) {
	var list []Stuck
	for _, k := range w.who {
		if k.v.State != Done {
			list = append(list, w.m.stuck(k.v))
		}
	}
	return list, w.m.waiting()
}

// Enabled appends what can happen next, in a fixed order. A step may still
// turn out to wait for its store buffer: Apply then says that nothing moved.
func (w *Walk) Enabled(dst []Action) []Action {
	for i := range w.who {
		dst = w.Choices(i).Append(dst, i)
	}
	return dst
}

// Choices are the kinds of action that are open to a vCPU, a bit each. They
// depend on its own block alone.
type Choices uint32

// Append appends them as actions of vCPU i.
func (c Choices) Append(dst []Action, i int) []Action {
	for k := ActStep; k <= lastAction && c>>k != 0; k++ {
		if c>>k&1 != 0 {
			dst = append(dst, Action{Kind: k, VCPU: uint8(i)})
		}
	}
	return dst
}

// Choices tells what is open to vCPU i.
func (w *Walk) Choices(i int) (c Choices) {
	k := w.who[i]
	switch v := k.v; {
	case v.State == Runnable || v.State == Halted:
		c |= 1 << ActStep
	case v.State == Asleep && w.m.wakeable(v):
		c |= 1 << ActWake
	}
	if k.p.B.N != 0 {
		c |= 1 << ActCommit
	}
	if k.interruptible() {
		c |= 1 << ActDeliver
	}
	for j := 1; j < int(k.p.B.N) && w.cfg.Weak; j++ {
		if k.p.B.MayOvertake(j) {
			c |= 1 << (ActOvertake + ActionKind(j-1))
		}
	}
	return c
}
