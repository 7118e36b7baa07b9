package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spinlab/asm"
	"spinlab/experiment"
	"spinlab/explore"
	"spinlab/guestcode"
	"spinlab/mem"
	"spinlab/vmm"
)

// CheckConfig says what to search. The zero value is two vCPUs that take the
// lock once.
type CheckConfig struct {
	VCPUs   int   // 0 means 2
	Iters   int64 // acquisitions of each vCPU; 0 means 1
	Forever bool  // an endless harness without counters, instead of Iters
	// Do are lock programs, one for each vCPU, instead of all three.
	Do      []string
	Defines map[string]int64
	// Main drives a built-in lock instead of the harness; nil: the harness does.
	Main     *asm.Source
	FreeLast bool // whoever takes the lock last gives its memory back

	Mem     []mem.Run   // memory to start with
	Regs    []ThreadReg // registers of threads to start with
	Observe []explore.Observable
	Final   *explore.Predicate

	Interrupts []Interrupt // each comes once, at any boundary where it may
	IRQsOff    bool        // they come only where the lock turns them on

	All           bool // go on after a violation
	MaxOvertaking int  // of endless targets: how often others may come first; 0 is no bound
	Unfair        bool // of endless targets: starvation is not asked for
	Search        explore.Config
	KickABI       vmm.KickABI
	HostBug       vmm.HostBug
	PVUnhaltBit   int
}

// ThreadReg is a register that a thread starts with.
type ThreadReg struct {
	Thread, Reg int
	Value       uint64
}

// Interrupt is one for a vCPU; vmm.VectorNMI is an NMI. Do is the lock program
// of its handler, which then gets a vector of its own.
type Interrupt struct {
	VCPU   int
	Vector uint8
	Do     string
}

// CheckDefines are the parameters of checked builds of a variant, unless they
// are given: no counters that only grow, and a short wait before sleeping.
func CheckDefines(v *guestcode.Variant, given map[string]int64) map[string]int64 {
	all := maps.Clone(given)
	if all == nil {
		all = map[string]int64{}
	}
	for name, x := range checkDefines {
		_, known := v.Param(name)
		if _, ok := all[name]; known && !ok {
			all[name] = x
		}
	}
	return all
}

var checkDefines = map[string]int64{"STATS": 0, "SPIN_THRESHOLD": 2, "XEN_TIMEOUT": 2, "PENDING_LOOPS": 1}

// Check is a finished search.
type Check struct {
	*explore.Result
	Target *explore.Target
	Object *asm.Object
}

// Holds says that nothing was violated and no bound hit.
func (c *Check) Holds() bool { return c.Verdict == explore.Holds }

// Trace tells the interleaving of a violation, an instruction a line.
func (c *Check) Trace() ([]explore.Line, error) {
	if c.Result.Trace == nil {
		return nil, nil
	}
	return explore.Tell(c.Target, c.Result.Trace)
}

// Where is the place of the last instruction before a violation, as symbol and
// source line; "" if there is none.
func (c *Check) Where() string {
	lines, err := c.Trace()
	if err != nil || len(lines) == 0 {
		return ""
	}
	l := lines[len(lines)-1]
	return strings.TrimSpace(l.Symbol + " " + l.Source)
}

// Check searches every interleaving of a lock, a program or threads.
func (s Source) Check(c CheckConfig) (*Check, error) {
	t, obj, err := s.checkTarget(&c)
	if err != nil {
		return nil, err
	}
	r, err := explore.Explore(t, c.Search)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	return &Check{r, t, obj}, nil
}

func (s Source) checkTarget(c *CheckConfig) (*explore.Target, *asm.Object, error) {
	t, p, err := s.threadTarget(c)
	if t == nil && err == nil {
		t, p, err = s.lockTarget(c)
	}
	if err != nil {
		return nil, nil, err
	}
	t.Setup, t.Observe, t.Final = c.Mem, c.Observe, c.Final
	if err := t.interrupts(c.Interrupts, p.Vectors); err != nil {
		return nil, nil, err
	}
	t.Complete = t.Complete || c.All
	t.MaxOvertaking, t.Unfair, t.IRQsOff = c.MaxOvertaking, c.Unfair, c.IRQsOff
	t.Machine.KickABI, t.Machine.HostBug, t.Machine.PVUnhaltBit = c.KickABI, c.HostBug, c.PVUnhaltBit
	t.Machine.Symbolize = func(a uint64) string { return experiment.Symbol(p.Object, a) }
	t.Target.Source = func(a uint64) string { return experiment.SourceLine(p.Object, a) }
	t.Place = func(a uint64) string { return Place(p, a) }
	return &t.Target, p.Object, nil
}

// checkedTarget is a target while it is made.
type checkedTarget struct{ explore.Target }

// lockTarget makes the machine of a lock in the harness, or of a program.
func (s Source) lockTarget(c *CheckConfig) (*checkedTarget, *guestcode.Program, error) {
	if len(c.Regs) > 0 {
		return nil, nil, errors.New("registers are for threads: the source has no label P0")
	}
	switch {
	case c.Do != nil && (c.VCPUs != 0 || c.Iters != 0 || c.Forever):
		return nil, nil, errors.New("numbers of vCPUs and acquisitions mean nothing beside lock programs: there is one for each vCPU")
	case c.Do != nil:
		c.VCPUs = len(c.Do)
	case c.VCPUs == 0:
		c.VCPUs = 2
	}
	if c.FreeLast && (c.Do != nil || c.Forever) {
		return nil, nil, errors.New("nobody takes the lock last where nobody ends, and a lock program does not say who does")
	}
	if c.Iters == 0 {
		c.Iters = 1
	}
	if c.VCPUs < 1 || c.VCPUs > vmm.MaxWalkers {
		return nil, nil, fmt.Errorf("%d vCPUs: a check has 1 to %d", c.VCPUs, vmm.MaxWalkers)
	}
	defines := c.Defines
	if s.Variant != nil {
		defines = CheckDefines(s.Variant, s.with(defines))
	}
	p, err := s.Build(guestcode.Config{VCPUs: c.VCPUs, Iters: c.Iters, Forever: c.Forever, Defines: defines,
		Do: c.Do, Handlers: handlers(c.Interrupts), FreeLast: c.FreeLast, Main: c.Main, IRQs: len(c.Interrupts) > 0})
	if err != nil {
		return nil, nil, err
	}
	t := &checkedTarget{}
	t.Name = s.Name
	t.Machine.VMs = experiment.VMs(p, 1, c.VCPUs)
	t.Endless = c.Forever || p.Endless
	t.Symmetric = s.Variant != nil && s.Variant.Alike && len(slices.Compact(slices.Clone(c.Do))) <= 1
	return t, p, nil
}

// threadTarget makes the machine of a source with threads, nil if it has none.
func (s Source) threadTarget(c *CheckConfig) (*checkedTarget, *guestcode.Program, error) {
	th, err := s.Threads(c.Defines)
	if th == nil || err != nil {
		return nil, nil, err
	}
	if c.VCPUs != 0 || c.Iters != 0 || c.Forever || c.Do != nil || handlers(c.Interrupts) != nil {
		return nil, nil, errors.New("lock programs and numbers of vCPUs and acquisitions mean nothing with threads: each label is a vCPU")
	}
	img, starts := experiment.ThreadsImage(th, c.Mem)
	t := &checkedTarget{}
	t.Name = s.Name
	t.Machine.VMs = []vmm.VMConfig{{VCPUs: len(starts), Image: img}}
	t.Starts, t.Complete = starts, true
	for _, r := range c.Regs {
		if r.Thread < 0 || r.Thread >= len(starts) {
			return nil, nil, fmt.Errorf("there is no thread P%d", r.Thread)
		}
		starts[r.Thread].Regs[r.Reg] = r.Value
	}
	return t, &guestcode.Program{Object: th.Object}, nil
}

// handlers are the lock programs that interrupts run.
func handlers(list []Interrupt) (h []guestcode.Handler) {
	for _, x := range list {
		if x.Do != "" {
			h = append(h, guestcode.Handler{VCPU: x.VCPU, NMI: x.Vector == vmm.VectorNMI, Do: x.Do})
		}
	}
	return h
}

// interrupts sorts them by vCPU; vectors are those of the handlers.
func (t *checkedTarget) interrupts(list []Interrupt, vectors []uint8) error {
	if len(list) == 0 {
		return nil
	}
	n := t.Machine.VMs[0].VCPUs
	t.Interrupts = make([][]uint8, n)
	for _, x := range list {
		if x.VCPU < 0 || x.VCPU >= n {
			return fmt.Errorf("an interrupt for vCPU %d: there are 0 to %d", x.VCPU, n-1)
		}
		if x.Do != "" {
			x.Vector, vectors = vectors[0], vectors[1:]
		}
		t.Interrupts[x.VCPU] = append(t.Interrupts[x.VCPU], x.Vector)
	}
	return nil
}

// Place names an address of the guest's map.
func Place(p *guestcode.Program, a uint64) string {
	type area struct {
		name       string
		from, size uint64
	}
	var areas []area
	switch {
	case p.Harness && a >= guestcode.SharedBase && a < guestcode.Lock(guestcode.NamedLocks):
		k := int(a-guestcode.SharedBase) / guestcode.LockStride
		letter := string(rune('A' + k))
		if k == 0 && p.Probes == nil {
			letter = "" // the only one that the harness knows
		}
		areas = []area{{"lock" + letter, guestcode.Lock(k), guestcode.CounterOffset}, {"counter" + letter, guestcode.Counter(k), 8}}
	case a >= guestcode.PerCPUBase && a < guestcode.PerCPU(guestcode.MaxVCPUs):
		i := int(a-guestcode.PerCPUBase) / guestcode.PerCPUSize
		areas = append(areas, area{fmt.Sprintf("percpu%d", i), guestcode.PerCPU(i), guestcode.PerCPUSize})
	case a >= guestcode.StackBase && a < guestcode.StackTop(guestcode.MaxVCPUs-1):
		i := int(a-guestcode.StackBase) / guestcode.StackSize
		return fmt.Sprintf("stack%d-%#x", i, guestcode.StackTop(i)-a)
	}
	for _, r := range areas {
		if a == r.from {
			return r.name
		}
		if a > r.from && a-r.from < r.size {
			return fmt.Sprintf("%s+%#x", r.name, a-r.from)
		}
	}
	if name := experiment.Symbol(p.Object, a); name != "" {
		return name
	}
	return fmt.Sprintf("%#x", a)
}

// TraceLine is a line of a trace as check prints it.
func TraceLine(l *explore.Line) string {
	text := l.Text
	if l.Action != "step" && l.Action != text {
		text = l.Action + ": " + text
	}
	s := fmt.Sprintf("%4d  v%d  %#x  %-28s %-20s %-34s %s", l.Step, l.VCPU, l.RIP, l.Symbol, l.Source, text, l.Effect)
	return strings.TrimRight(s, " ")
}
