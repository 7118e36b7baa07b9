package guestcode

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spinlab/asm"
)

//go:embed src/*.s
var files embed.FS

// sourceDir keeps the guest's sources out of the package's folder, where the go
// command would take them for sources of its own assembler.
const sourceDir = "src/"

// DefaultIters is how often each vCPU takes the lock if Config does not say.
const DefaultIters = 1000

// maxTurns bounds ITERS, WORK_IN and WORK_OUT: they are loaded as 32-bit
// counters.
const maxTurns = 0x7fffffff

// Config says how to build a program.
type Config struct {
	// VCPUs is how many will run it, 0 if that is not known yet. Too many for
	// the width of the tickets are refused.
	VCPUs int
	// Iters is the number of acquisitions of each vCPU, 0 for DefaultIters.
	Iters int64
	// WorkIn and WorkOut are turns of a work loop inside and outside the
	// critical section; with 0 there is no loop at all.
	WorkIn, WorkOut int64
	// Forever makes the harness endless and takes the counter out of it.
	Forever bool
	// TicketBits chooses the width of tickets, 0 for the variant's default.
	TicketBits int
	// IRQs links the harness with interrupt handlers: see src/harness-irq.s. A
	// program that drives itself brings its own.
	IRQs bool
	// Do are the lock programs, one for each of the VCPUs; nil: each takes lock
	// A Iters times. The letters are those of the package documentation.
	Do []string
	// Handlers are lock programs that interrupts run; they imply IRQs.
	Handlers []Handler
	// FreeLast makes whoever takes the lock last give its memory back after the
	// release, as an object is freed that the lock is part of. Any access after
	// that is wrong.
	FreeLast bool
	// Main is a program that drives the lock: it has a vcpu_main, and calls
	// spin_init itself in its vcpu_boot.
	Main *asm.Source
	// Defines override parameters of the sources.
	Defines map[string]int64
}

// Program is an assembled guest program and where its parts are.
type Program struct {
	Name   string
	Object *asm.Object

	// Boot runs on vCPU 0 alone before the others start, 0 if there is nothing
	// to do; Main is where each vCPU starts.
	Boot, Main uint64

	// The probes, addresses in the harness: the call of spin_lock, the
	// instruction after it, the call of spin_unlock, the instruction after it.
	// All 0 if the program drives itself.
	Acquire, Acquired, Release, Released uint64

	// Probes are further addresses that mean the same, of lock programs.
	Probes []ProbeAt

	// Lock and Counter are what the harness works on, 0 without it. Stats is
	// the address of spinlock_stats, 0 if nothing is counted.
	Lock, Counter, Stats uint64
	// Counters are those of a lock program, and Want what they must add up to at
	// its end, beside the numbers at the addresses Takes, which the guest counts
	// itself: tries that succeed and interrupts that come. Nil and 0 without.
	Counters, Takes []uint64
	Want            uint64
	// Vectors are those of Config.Handlers: an interrupt with it runs it.
	Vectors []uint8

	Harness bool // the harness drives the program
	// Endless says that a vCPU of a lock program repeats for ever.
	Endless bool
	// Backend is the hypervisor that the program was written for; BackendNone
	// runs on any.
	Backend Backend
	// IRQHandler and NMIHandler are the handlers that a host-built descriptor
	// table must name, 0 if there are none or the guest builds its own.
	IRQHandler, NMIHandler uint64
}

// Probe is what a probe's address means.
type Probe uint8

// The probes. A vCPU waits for a lock from Acquire on, until Acquired or Awaited;
// it holds it from Acquired or Taken to Release.
const (
	ProbeAcquire  Probe = iota + 1 // the call of spin_lock or spin_unlock_wait
	ProbeAcquired                  // the instruction after spin_lock
	ProbeRelease                   // the call of spin_unlock
	ProbeReleased                  // the instruction after it
	ProbeTaken                     // a spin_trylock has succeeded
	ProbeAwaited                   // the instruction after spin_unlock_wait
	ProbePassed                    // behind that
)

// ProbeAt is a probe and its address. RDI names the lock at those that begin or
// end a wait or a hold, Acquired and Awaited aside.
type ProbeAt struct {
	Probe Probe
	Addr  uint64
}

// Build assembles a variant and the harness into one image.
func Build(v Variant, c Config) (*Program, error) {
	defines, err := v.defines(c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.Name, err)
	}
	var sources []asm.Source
	for _, name := range v.Files() {
		sources = append(sources, embedded(name))
	}
	c.Defines = defines
	if c.Main != nil {
		sources = append(sources, *c.Main)
	}
	p, err := build(c, sources)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.Name, err)
	}
	if err := v.checkCapacity(c.VCPUs, defines); err != nil {
		return nil, err
	}
	p.Name, p.Backend = v.Name, v.Backend
	return p, nil
}

// BuildSource assembles a user's own sources. They define spin_lock and
// spin_unlock, and the harness is added; or they define vcpu_main, and are a
// program that drives itself.
func BuildSource(c Config, sources ...asm.Source) (*Program, error) {
	if len(sources) == 0 {
		return nil, errors.New("no source")
	}
	if c.TicketBits != 0 {
		defines := map[string]int64{paramTicketBits: int64(c.TicketBits)}
		maps.Copy(defines, c.Defines)
		c.Defines = defines
	}
	p, err := build(c, sources)
	if err != nil {
		return nil, err
	}
	p.Name, p.Backend = sources[0].Name, BackendNone
	return p, nil
}

// defines works out the value of every parameter of the variant.
func (v Variant) defines(c Config) (map[string]int64, error) {
	given := maps.Clone(c.Defines)
	if given == nil {
		given = map[string]int64{}
	}
	if c.TicketBits != 0 {
		if old, ok := given[paramTicketBits]; ok && old != int64(c.TicketBits) {
			return nil, fmt.Errorf("TICKET_BITS is given twice: %d and %d", c.TicketBits, old)
		}
		given[paramTicketBits] = int64(c.TicketBits)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := v.Param(name); !ok && !isHarnessParam(name) {
			return nil, fmt.Errorf("no parameter %s; it has %s", name, strings.Join(v.paramNames(), ", "))
		}
	}
	n, fixed := given[paramNRCPUs]
	if n >= 1 && n < int64(c.VCPUs) {
		return nil, fmt.Errorf("NR_CPUS = %d: of %d vCPUs the others would never be kicked", n, c.VCPUs)
	}
	for _, p := range v.Params {
		given[p.Name] = v.Value(p.Name, given)
	}
	if _, ok := v.Param(paramNRCPUs); ok && !fixed && c.VCPUs > 0 {
		given[paramNRCPUs] = int64(min(c.VCPUs, MaxVCPUs))
	}
	return given, nil
}

func (v Variant) paramNames() []string {
	var names []string
	for _, p := range v.Params {
		if !p.Mutation {
			names = append(names, p.Name)
		}
	}
	return append(names, harnessParams...)
}

// checkCapacity refuses more vCPUs than the lock or the address map serve.
func (v Variant) checkCapacity(vcpus int, defines map[string]int64) error {
	limit := v.MaxCPUs(defines)
	if limit == 0 || vcpus <= limit {
		return nil
	}
	wide := maps.Clone(defines)
	wide[paramTicketBits] = 16
	return &TooManyCPUsError{
		Variant: v.Name,
		Bits:    v.Value(paramTicketBits, defines),
		Batch:   v.Value(paramTicketBatch, defines),
		Max:     limit, VCPUs: vcpus,
		Wider: min(v.MaxCPUs(wide), MaxVCPUs),
	}
}

// harnessParams are the symbols of harness.s that Config or a define sets.
var harnessParams = []string{"ITERS", "WORK_IN", "WORK_OUT", "ITERS_FOREVER"}

func isHarnessParam(name string) bool { return slices.Contains(harnessParams, name) }

// splitDefines separates the sources' defines from the harness's; a define
// wins over the field of Config that means the same.
func (c Config) splitDefines() (own, harness map[string]int64, err error) {
	if c.VCPUs < 0 || c.VCPUs > MaxVCPUs {
		return nil, nil, fmt.Errorf("1 to %d vCPUs, not %d", MaxVCPUs, c.VCPUs)
	}
	harness = map[string]int64{
		"ITERS": c.Iters, "WORK_IN": c.WorkIn, "WORK_OUT": c.WorkOut, "ITERS_FOREVER": 0,
	}
	if c.Iters == 0 {
		harness["ITERS"] = DefaultIters
	}
	if c.Forever {
		harness["ITERS_FOREVER"] = 1
	}
	own = map[string]int64{}
	for name, x := range c.Defines {
		if isHarnessParam(name) {
			harness[name] = x
		} else {
			own[name] = x
		}
	}
	for _, name := range harnessParams {
		least := int64(0)
		if name == "ITERS" {
			least = 1
		}
		if x := harness[name]; x < least || x > maxTurns {
			return nil, nil, fmt.Errorf("%s = %d is out of range %d to %d", name, x, least, maxTurns)
		}
	}
	if c.FreeLast {
		harness["FREE_LAST"] = int64(c.VCPUs) * harness["ITERS"]
	}
	return own, harness, nil
}

// build assembles the sources alone first, to see what they define, and then
// with what they lack.
func build(c Config, sources []asm.Source) (*Program, error) {
	own, harness, err := c.splitDefines()
	if err != nil {
		return nil, err
	}
	obj, err := assemble(own, sources)
	if err != nil {
		return nil, err
	}
	if err := checkRoom(obj); err != nil {
		return nil, err
	}
	if isGlobal(obj, "vcpu_main") {
		if c.Do != nil || c.Handlers != nil {
			return nil, errors.New("a lock program (--do, --irq 0:Bb) needs a lock: this target has a vcpu_main of its own")
		}
		return buildProgram(c, obj, sources)
	}
	if err := checkLock(obj); err != nil {
		return nil, err
	}
	all := append(slices.Clone(sources), embedded("harness.s"))
	if !isGlobal(obj, "spin_init") {
		all = append(all, embedded("spin-init-stub.s"))
	}
	if c.IRQs || c.Handlers != nil {
		all = append(all, embedded("harness-irq.s"))
		maps.Copy(harness, irqDefines(obj))
	}
	if c.Do != nil || c.Handlers != nil {
		return buildLockProgram(c, obj, all, own, harness)
	}
	maps.Copy(own, harness)
	if obj, err = assemble(own, all); err != nil {
		return nil, err
	}
	return harnessProgram(obj), nil
}

// buildLockProgram adds what --do and handlers ask for to the sources.
func buildLockProgram(c Config, lock *asm.Object, all []asm.Source, own, harness map[string]int64) (*Program, error) {
	l, err := parseLockProgram(c)
	if err != nil {
		return nil, err
	}
	defines, err := l.defines(c, lock)
	if err != nil {
		return nil, err
	}
	endless := harness["ITERS_FOREVER"] != 0 || l.endless()
	if endless {
		defines["COUNT"] = 0
	}
	src, vectors := l.source(c)
	maps.Copy(own, harness)
	maps.Copy(own, defines)
	obj, err := assemble(own, append(all, src))
	if err != nil {
		return nil, err
	}
	p := harnessProgram(obj)
	p.Vectors, p.Endless = vectors, endless
	l.finish(p, c, harness["ITERS"])
	return p, nil
}

// buildProgram makes a Program of sources that drive themselves. ITERS and the
// like are theirs, so they get those that were given as defines.
func buildProgram(c Config, obj *asm.Object, sources []asm.Source) (*Program, error) {
	if slices.ContainsFunc(harnessParams, func(name string) bool { _, ok := c.Defines[name]; return ok }) {
		var err error
		if obj, err = assemble(c.Defines, sources); err != nil {
			return nil, err
		}
	}
	return &Program{
		Object: obj,
		Boot:   address(obj, "vcpu_boot"), Main: address(obj, "vcpu_main"),
		Stats:      address(obj, "spinlock_stats"),
		IRQHandler: address(obj, "irq_handler"), NMIHandler: address(obj, "nmi_handler"),
	}, nil
}

// checkRoom refuses an image that reaches into the memory of the locks.
func checkRoom(obj *asm.Object) error {
	for _, s := range obj.Sections {
		if end := s.Addr + uint64(len(s.Data)); end > SharedBase {
			return fmt.Errorf("section %s reaches from %#x to %#x, but the locks lie from %#x on: an image has %d KiB", s.Name, s.Addr, end, uint64(SharedBase), (SharedBase-TextBase)>>10)
		}
	}
	return nil
}

// irqDefines tell harness.s that it has handlers, and harness-irq.s which of
// them the lock's sources bring along.
func irqDefines(obj *asm.Object) map[string]int64 {
	defines := map[string]int64{"IRQS": 1}
	for name, symbol := range map[string]string{"OWN_IRQ": "irq_handler", "OWN_NMI": "nmi_handler"} {
		if isGlobal(obj, symbol) {
			defines[name] = 1
		}
	}
	return defines
}

func harnessProgram(obj *asm.Object) *Program {
	return &Program{
		Object: obj, Harness: true,
		Boot: address(obj, "vcpu_boot"), Main: address(obj, "vcpu_main"),
		Acquire: address(obj, "acquire"), Acquired: address(obj, "acquired"),
		Release: address(obj, "release"), Released: address(obj, "released"),
		Lock: Lock(0), Counter: Counter(0), Stats: address(obj, "spinlock_stats"),
	}
}

func assemble(defines map[string]int64, sources []asm.Source) (*asm.Object, error) {
	return asm.Assemble(asm.Options{Base: TextBase, DataBase: DataBase, Defines: defines}, sources...)
}

// checkLock reports what the harness would miss.
func checkLock(obj *asm.Object) error {
	e := &MissingSymbolError{}
	if _, ok := obj.Lookup("vcpu_main"); ok {
		return &MissingSymbolError{Local: []string{"vcpu_main"}, Have: globals(obj)}
	}
	for _, name := range []string{"spin_lock", "spin_unlock"} {
		if isGlobal(obj, name) {
			continue
		}
		if _, ok := obj.Lookup(name); ok {
			e.Local = append(e.Local, name)
		} else {
			e.Missing = append(e.Missing, name)
		}
	}
	if len(e.Missing)+len(e.Local) == 0 {
		return nil
	}
	e.Have = globals(obj)
	return e
}

// globals lists the global labels, in order of definition.
func globals(obj *asm.Object) []string {
	var names []string
	for _, s := range obj.Symbols {
		if s.Global && !s.Absolute {
			names = append(names, s.Name)
		}
	}
	return names
}

func isGlobal(obj *asm.Object, name string) bool {
	s, ok := obj.Lookup(name)
	return ok && s.Global && !s.Absolute
}

// address returns where a global label is, 0 if it is nowhere.
func address(obj *asm.Object, name string) uint64 {
	if s, ok := obj.Lookup(name); ok && s.Global {
		return s.Addr
	}
	return 0
}

// embedded returns one of the package's own sources.
func embedded(name string) asm.Source {
	text, err := files.ReadFile(sourceDir + name)
	if err != nil {
		panic("guestcode: " + err.Error()) // the table names a file that is not there: a test sees to it
	}
	return asm.Source{Name: name, Text: text}
}
