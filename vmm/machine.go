package vmm

import (
	"fmt"

	"spinlab/cpu"
	"spinlab/mem"
)

// Machine is the whole simulated computer: VMs, their vCPUs, and the pCPUs
// with their ports to memory. Its methods are the single actions; a Scheduler
// or another driver decides their order.
type Machine struct {
	VMs   []*VM
	VCPUs []*VCPU     // of all VMs, in order: VCPU.ID indexes it
	Ports []*mem.Port // one per pCPU

	cfg   Config
	meter *mem.Meter

	verdict  Verdict // "" while the machine may go on
	message  string
	console  []byte
	left     uint64  // instructions that may still retire
	pauseAt  uint64  // RunTo pauses when left is this; neverPause without it
	kicked   []*VCPU // asleep when they were kicked: their wake-up is to be arranged
	booting  bool
	lockstep bool // for tests: see Scheduler

	events   hostEvents // what the host does at times of its own
	sched    *Scheduler // of the present part of the run, nil before it began
	boots    int        // VMs whose boot is over
	bootWork uint64     // instructions that those retired

	// Note is for the caller: bytes that a snapshot carries.
	Note []byte
}

// VM is one virtual machine.
type VM struct {
	Index int
	Mem   *mem.Memory
	VCPUs []*VCPU

	Xen     XenState
	image   *Image
	code    *cpu.Code
	holders []holding // who is between acquired and release of which lock
	live    int       // vCPUs that are not done; of hogs none count
	hog     bool      // nobody waits for its end
	boosted int       // vCPU that the last directed yield of a PAUSE exit chose
}

// MPState is what a vCPU is doing as far as the hypervisor is concerned.
type MPState uint8

// The states of a vCPU. Halted and Asleep are both KVM_MP_STATE_HALTED: the
// host has yet to look again before it sleeps, or it has.
const (
	NotStarted MPState = iota
	Runnable
	Halted
	Asleep
	Done
)

func (s MPState) String() string {
	return [...]string{"not started", "runnable", "halted", "asleep", "done"}[s]
}

// VCPU is one virtual CPU. The first block is its architecture; what follows
// is bookkeeping that no guest can see.
type VCPU struct {
	VM         *VM
	ID         int // in the machine
	Index      int // in its VM
	Core       *cpu.Core
	State      MPState
	PVUnhalted bool // a kick came that no halt has used up
	IRQ        Interrupts
	Poll       EventPort // what SCHEDOP_poll waits for: see xen.go
	TSCAux     uint32    // IA32_TSC_AUX
	TSCOffset  uint64    // what WRMSR to IA32_TIME_STAMP_COUNTER added

	phase   phase // of its present stay on a pCPU; see sched.go
	home    int   // pCPU whose queue it joins
	pcpu    int   // pCPU that it is on, −1 if on none
	draws   uint64
	plan    []plannedIRQ // interrupts that are still to come, by count
	alert   bool         // interrupts are pending or planned
	drains  bool         // its next instruction waits until its stores are out
	roused  bool         // its wake-up is being arranged
	work    mem.Cycles   // to pass before it runs code again: see sched_work.go
	thinks  uint64       // draws from the workload device
	alarm   alarm
	halted  mem.Cycles // when it last halted
	pollFor mem.Cycles // how long the host polls at its next halt
	fair    entity
	spin    spinState
	yieldTo *VCPU // whom its hypercall yields to
	books   books
	crit    section
	locks   lockUses
}

// Verdict says how a run ended; the JSON contract has the same words.
type Verdict string

// The verdicts of a run.
const (
	VerdictDone      Verdict = "done"
	VerdictDeadlock  Verdict = "deadlock"
	VerdictViolation Verdict = "violation"
	VerdictFault     Verdict = "fault"
	VerdictLimit     Verdict = "limit"
)

// NewMachine checks the configuration, maps the images and gives a machine
// that is ready to Run. Errors say which limit was passed and which flag sets
// the value.
func NewMachine(cfg Config) (*Machine, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	m := newMachine(cfg)
	for i, vm := range m.VMs {
		if err := vm.load(); err != nil {
			return nil, fmt.Errorf("vm %d: %w", i, err)
		}
	}
	m.powerOn()
	return m, nil
}

// newMachine makes the parts of a machine. Its memories are empty.
func newMachine(cfg Config) *Machine {
	m := &Machine{cfg: cfg, meter: &mem.Meter{Costs: cfg.Profile.Lines}, pauseAt: neverPause}
	m.meter.SetSockets(cfg.Profile.SocketCores)
	for i, vc := range cfg.VMs {
		m.VMs = append(m.VMs, m.newVM(i, vc))
	}
	for i := range cfg.PCPUs {
		m.Ports = append(m.Ports, mem.NewPort(m.VMs[0].Mem, i, m.meter, cfg.Commit))
	}
	return m
}

func (m *Machine) newVM(index int, vc VMConfig) *VM {
	costs := m.cfg.Profile.CPU
	vm := &VM{Index: index, Mem: mem.New(), image: vc.Image, code: cpu.NewCode(&costs), hog: vc.Hog}
	for i := range vc.VCPUs {
		v := &VCPU{VM: vm, ID: len(m.VCPUs), Index: i, Core: cpu.NewCore(vm.code)}
		v.Core.Feat = &cpu.Features{Seed: m.cfg.Seed}
		v.Core.OnProbe = m.probe(v)
		m.hook(v)
		vm.VCPUs = append(vm.VCPUs, v)
		m.VCPUs = append(m.VCPUs, v)
	}
	for _, p := range vc.Image.Probes {
		vm.code.SetProbe(p.Addr, uint8(p.Kind))
	}
	return vm
}

// load maps the image, the stacks and the per-CPU areas, and writes what the
// host tells each vCPU about itself.
func (vm *VM) load() error {
	for _, s := range vm.image.Segments {
		size := max(s.Size, uint64(len(s.Data)))
		if err := vm.Mem.Map(s.Addr, size, s.Perm&^mem.Freed); err != nil {
			return err
		}
		if s.Perm&mem.Freed != 0 {
			vm.Mem.Free(s.Addr, size)
		}
		vm.Mem.Poke(s.Addr, s.Data)
	}
	l := &vm.image.Layout
	for i := range vm.VCPUs {
		if err := vm.Mem.Map(l.stackTop(i)-l.StackSize, l.StackSize, mem.Read|mem.Write); err != nil {
			return fmt.Errorf("stack of vcpu %d: %w", i, err)
		}
		if l.PerCPUStride == 0 {
			continue
		}
		area := l.perCPU(i)
		if err := vm.Mem.Map(area, l.PerCPUStride, mem.Read|mem.Write); err != nil {
			return fmt.Errorf("per-CPU area of vcpu %d: %w", i, err)
		}
		vm.Mem.Poke(area+perCPUIndex, word(uint64(i)))
		vm.Mem.Poke(area+perCPUAPICID, word(uint64(APICID(i))))
	}
	return vm.buildIDT()
}

func (l *Layout) stackTop(i int) uint64 { return l.StackTop + uint64(i)*l.StackStride }
func (l *Layout) perCPU(i int) uint64   { return l.PerCPUBase + uint64(i)*l.PerCPUStride }

func word(v uint64) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
	return b
}

// powerOn puts everything that is not memory into its first state: cores,
// counters, ports, the line directory, console and time.
func (m *Machine) powerOn() {
	m.verdict, m.message = "", ""
	m.console, m.kicked = nil, nil
	m.left = m.cfg.MaxInstructions
	m.meter.Counts = mem.LineCounts{}
	for i := range m.Ports {
		m.Ports[i] = mem.NewPort(m.VMs[0].Mem, i, m.meter, m.cfg.Commit)
	}
	for _, vm := range m.VMs {
		vm.holders, vm.live, vm.boosted = nil, len(vm.VCPUs), 0
		if vm.hog {
			vm.live = 0
		}
		for _, pg := range vm.Mem.Pages() {
			clear(pg.Sharers[:])
			clear(pg.Owner[:])
			pg.Busy = nil
		}
		for _, v := range vm.VCPUs {
			m.reset(v)
		}
	}
	m.planIRQs()
}

// socket is the socket of pCPU i.
func (m *Machine) socket(i int) uint8 { return m.meter.Socket[i] }

// reset gives v the state in which a vCPU starts: RDI is its index, RSP its
// stack, GS base its per-CPU area, all other registers 0, IF clear, CPL 0.
func (m *Machine) reset(v *VCPU) {
	c, l := v.Core, &v.VM.image.Layout
	c.Reset()
	c.Count, c.Now, c.Delay = cpu.Counters{}, 0, 0
	c.Pause = m.cfg.pauseLoop()
	c.R[cpu.RDI] = uint64(v.Index)
	c.R[cpu.RSP] = l.stackTop(v.Index)
	if l.PerCPUStride != 0 {
		c.GSBase = l.perCPU(v.Index)
	}
	if len(v.VM.image.Handlers) != 0 {
		c.IDT = cpu.Table{Base: v.VM.image.IDT, Limit: idtLimit}
	}
	c.Jump(v.VM.image.Main)
	v.State, v.PVUnhalted, v.Poll = NotStarted, false, NoPort
	v.TSCAux, v.TSCOffset = uint32(v.Index), 0
	v.phase, v.home, v.pcpu, v.draws = inGuest, v.ID%m.cfg.PCPUs, -1, 0
	v.work, v.thinks, v.alarm, v.halted, v.pollFor = 0, 0, alarm{}, 0, 0
	v.fair, v.spin, v.yieldTo = entity{}, spinState{}, nil
	v.books, v.crit, v.locks = books{in: cyclesHalted, closed: v.books.closed}, section{}, lockUses{}
}

// stop ends the machine with a verdict; the first one stands.
func (m *Machine) stop(why Verdict, format string, args ...any) {
	if m.verdict != "" {
		return
	}
	m.verdict, m.message = why, fmt.Sprintf(format, args...)
}

// Run boots every VM, runs the machine to its end and reports. A machine runs
// once.
func (m *Machine) Run() Report {
	m.RunTo(neverPause)
	return m.report(m.sched)
}

// skew is when v starts: at once without a seed, else at a time that depends
// on the seed and the vCPU alone.
func (m *Machine) skew(v *VCPU) mem.Cycles {
	if m.cfg.Seed == 0 || m.cfg.Profile.Skew == 0 {
		return 0
	}
	return mem.Mix(m.cfg.Seed, uint64(v.ID), 0) % m.cfg.Profile.Skew
}

// BootLimit is how many instructions the boot code of a VM may retire.
const BootLimit = 10_000_000

// begin sets up the next part of the run: the boot of a VM, in which vCPU 0
// runs alone at the boot entry, or after the last boot the run itself.
func (m *Machine) begin() {
	for m.boots < len(m.VMs) && m.VMs[m.boots].image.Boot == 0 {
		m.boots++
	}
	m.sched = NewScheduler(m)
	m.sched.lockstep = m.lockstep
	if m.booting = m.boots < len(m.VMs); m.booting {
		vm := m.VMs[m.boots]
		vm.VCPUs[0].Core.Jump(vm.image.Boot)
		m.left = min(BootLimit, m.cfg.MaxInstructions)
		m.sched.Start(vm.VCPUs[0], 0)
		return
	}
	for _, v := range m.VCPUs {
		m.sched.Start(v, m.skew(v))
	}
}

// booted ends the boot of a VM: all but memory is reset. It says whether the
// machine may go on.
func (m *Machine) booted() bool {
	if m.verdict != VerdictDone {
		m.message = fmt.Sprintf("boot of vm %d: %s", m.boots, m.message)
		return false
	}
	m.bootWork += m.limit() - m.left
	m.boots++
	m.booting = false
	m.powerOn()
	m.sched = nil
	return true
}
