package guestcode

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spinlab/asm"
	"spinlab/asm/elfobj"
)

//go:embed src/*.s
var files embed.FS

// sourceDir keeps the guest's sources out of the package's folder, where the go
// command would take them for sources of its own assembler.
const sourceDir = "src/"

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

// BuildSource links a user's own files: sources, objects and whatever else
// asm/elfobj knows. They define spin_lock and spin_unlock, and the harness is
// added; or they define vcpu_main, and are a program that drives itself.
// Config.Bind gives these functions other names.
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

// Function is the address of what plays a part of the guest ABI: spin_lock,
// spin_unlock, spin_trylock, spin_is_locked or spin_init; 0 if nothing does.
func (p *Program) Function(usual string) uint64 { return p.Bind.find(p.Object, usual) }

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

// build links the files alone first, to see what they define, and then with what
// they lack.
func build(c Config, files []asm.Source) (*Program, error) {
	own, harness, err := c.splitDefines()
	if err != nil {
		return nil, err
	}
	img, err := c.link(own, files)
	if err != nil {
		return nil, err
	}
	if err := c.Bind.check(img); err != nil {
		return nil, err
	}
	all := slices.Clone(files)
	if c.Bind.Main != "" || isGlobal(img.Object, "vcpu_main") {
		if c.Do != nil || c.Handlers != nil {
			return nil, errors.New("a lock program (--do, --irq 0:Bb) needs a lock: this target has a vcpu_main of its own")
		}
		return buildProgram(c, img, all)
	}
	if err := checkLock(img.Object, c.Bind); err != nil {
		return nil, err
	}
	if len(c.Bind.Probes) > 0 {
		return nil, errors.New("--probe is for programs that drive themselves; the harness has its own probes")
	}
	ours, label := harnessSources(c, img)
	all = append(all, ours...)
	if c.IRQs || c.Handlers != nil {
		all = append(all, c.Bind.adapt(embedded("harness-irq.s")))
		maps.Copy(harness, irqDefines(img.Object))
	}
	l, err := parseLockProgram(c)
	if err != nil {
		return nil, err
	}
	vectors, err := l.join(c, img.Object, &all, harness)
	if err != nil {
		return nil, err
	}
	maps.Copy(own, harness)
	if img, err = c.link(own, all); err != nil {
		return nil, err
	}
	p := harnessProgram(img, label)
	p.Bind, p.Iters, p.Vectors = c.Bind, harness["ITERS"], vectors
	p.Endless = harness["ITERS_FOREVER"] != 0 || l.endless()
	if l != nil {
		l.finish(p, c)
	}
	return p, nil
}

// harnessSources are the harness and what a lock lacks. label says what the
// harness's labels are called in it.
func harnessSources(c Config, img *elfobj.Image) (list []asm.Source, label map[string]string) {
	src, label := embedded("harness.s"), map[string]string{}
	for _, name := range harnessLabels {
		label[name] = harnessLabel(img, name)
		src = rename(src, name, label[name])
	}
	init, found := img.Lookup("spin_init")
	switch {
	case c.Bind.Init == "" && !(found && init.Global):
		list = append(list, embedded("spin-init-stub.s"))
	case c.Bind.Init != "" || img.Compiled(init):
		src = rename(src, "spin_init", "init_with_lock")
		list = append(list, c.Bind.adapt(embedded("init-args.s")))
	}
	return append([]asm.Source{c.Bind.adapt(src)}, list...), label
}

// buildProgram makes a Program of files that drive themselves. ITERS and the
// like are theirs, so they get those that were given as defines. A function that
// a compiler has made gets a caller.
func buildProgram(c Config, img *elfobj.Image, files []asm.Source) (*Program, error) {
	main, boot := c.Bind.name("vcpu_main"), "vcpu_boot"
	if s, ok := img.Lookup(main); ok && img.Compiled(s) || !ok {
		files, main = append(files, c.Bind.adapt(embedded("start.s"))), "start_main"
	}
	if s, ok := img.Lookup(boot); ok && s.Global && img.Compiled(s) {
		files, boot = append(files, embedded("start-boot.s")), "start_boot"
	}
	img, err := c.link(c.Defines, files)
	if err != nil {
		return nil, err
	}
	obj := img.Object
	probes, err := c.Bind.probes(obj)
	if err != nil {
		return nil, err
	}
	return &Program{
		Object: obj, Probes: marks(probes), PerCPU: perCPU(img), Notes: img.Notes,
		Boot: address(obj, boot), Main: address(obj, main),
		Stats:      address(obj, "spinlock_stats"),
		IRQHandler: address(obj, "irq_handler"), NMIHandler: address(obj, "nmi_handler"),
	}, nil
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

// harnessProgram is a lock in the harness, whose labels have these names.
func harnessProgram(img *elfobj.Image, label map[string]string) *Program {
	obj := img.Object
	at := func(name string) uint64 { return address(obj, label[name]) }
	return &Program{
		Object: obj, Harness: true, PerCPU: perCPU(img), Notes: img.Notes,
		Boot: at("vcpu_boot"), Main: address(obj, "vcpu_main"),
		Acquire: at("acquire"), Acquired: at("acquired"), Release: at("release"), Released: at("released"),
		Lock: Lock(0), Counter: Counter(0), Stats: address(obj, "spinlock_stats"),
	}
}

// checkLock reports what the harness would miss.
func checkLock(obj *asm.Object, b Binding) error {
	e := &MissingSymbolError{}
	if _, ok := obj.Lookup("vcpu_main"); ok {
		return &MissingSymbolError{Local: []string{"vcpu_main"}, Have: globals(obj)}
	}
	for _, name := range []string{"spin_lock", "spin_unlock"} {
		if b.name(name) != name || isGlobal(obj, name) {
			continue // what is bound has been checked
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
