package guestcode

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spinlab/asm"
)

// NamedLocks is how many locks lock programs have: the letters A to H. A vCPU
// has a queue node for each of them (src/harness-do.s).
const NamedLocks = 8

// Handler is an interrupt handler of a lock program.
type Handler struct {
	VCPU int
	NMI  bool
	Do   string // its sequence
}

// lockProgram is what --do and the handlers of --irq and --nmi ask for.
type lockProgram struct {
	main     []*sequence // of each vCPU; nil: the loop of harness.s
	handlers []*sequence // in the order of Config.Handlers
	text     strings.Builder
}

// parseLockProgram gives nil if none is asked for.
func parseLockProgram(c Config) (*lockProgram, error) {
	if c.Do == nil && c.Handlers == nil {
		return nil, nil
	}
	p := &lockProgram{}
	for i, text := range c.Do {
		s, err := parseSequence(text)
		if err != nil {
			return nil, fmt.Errorf("--do %s: vCPU %d, %s: %w", strings.Join(c.Do, ","), i, text, err)
		}
		p.main = append(p.main, s)
	}
	if c.Do != nil && len(c.Do) != c.VCPUs {
		return nil, fmt.Errorf("--do %s: %d sequences for %d vCPUs", strings.Join(c.Do, ","), len(c.Do), c.VCPUs)
	}
	for _, h := range c.Handlers {
		s, err := parseSequence(h.Do)
		if err == nil && s.forever {
			err = errors.New("a handler that never returns")
		}
		if err != nil {
			return nil, fmt.Errorf("the handler %s of vCPU %d: %w", h.Do, h.VCPU, err)
		}
		p.handlers = append(p.handlers, s)
	}
	return p, nil
}

// all are the sequences of vCPUs and handlers.
func (p *lockProgram) all() []*sequence { return slices.Concat(p.main, p.handlers) }

// endless says whether a vCPU repeats for ever: then nothing is counted.
func (p *lockProgram) endless() bool {
	return p != nil && slices.ContainsFunc(p.main, func(s *sequence) bool { return s.forever })
}

func (p *lockProgram) uses(kind doKind) bool {
	for _, s := range p.all() {
		if slices.ContainsFunc(s.ops, func(o doOp) bool { return o.kind == kind }) {
			return true
		}
	}
	return false
}

// firstVector is that of the first handler's sequence.
const firstVector = 0x20

// source makes the end of harness-do.s. It gives the vectors of the handlers.
func (p *lockProgram) source(c Config) (asm.Source, []uint8) {
	b := &p.text
	p.writeMain(b)
	vectors := p.writeHandlers(b, c)
	src := embedded("harness-do.s")
	src.Text = append(slices.Clone(src.Text), b.String()...)
	return src, vectors
}

func (p *lockProgram) writeMain(b *strings.Builder) {
	if p.main == nil {
		return
	}
	first := map[string]int{} // vCPUs with equal sequences run the same code
	b.WriteString("do_start:\n")
	for i, s := range p.main {
		key := s.text
		if s.forever {
			key += "*"
		}
		if _, ok := first[key]; !ok {
			first[key] = i
		}
		if i+1 < len(p.main) {
			fmt.Fprintf(b, "\tcmp $%d, %%edi\n\tje do_vcpu%d\n", i, first[key])
		} else {
			fmt.Fprintf(b, "\tjmp do_vcpu%d\n", first[key])
		}
	}
	b.WriteString("\t.size vcpu_main, . - vcpu_main\n")
	for i, s := range p.main {
		key := s.text
		if s.forever {
			key += "*"
		}
		if first[key] != i {
			continue
		}
		label := fmt.Sprintf("do_vcpu%d", i)
		fmt.Fprintf(b, "\t.type %s, @function\n%s:\t# %s\n", label, label, key)
		s.write(b, label)
		if s.forever {
			fmt.Fprintf(b, "\tjmp %s\n", label)
		} else {
			b.WriteString("\tpass\n")
		}
		fmt.Fprintf(b, "\t.size %s, . - %s\n", label, label)
	}
}

// writeHandlers gives each interrupt sequence a vector of its own, and makes
// one NMI handler that looks which CPU it is on: all NMIs have one vector.
func (p *lockProgram) writeHandlers(b *strings.Builder, c Config) []uint8 {
	var list []string // sequences, in the order of their vectors
	vectors := make([]uint8, len(p.handlers))
	nmis := ""
	for i, s := range p.handlers {
		h := c.Handlers[i]
		if h.NMI {
			vectors[i] = 2
			label := fmt.Sprintf("do_nmi%d", i)
			nmis += fmt.Sprintf("\tcmpl $%d, %%gs:PERCPU_INDEX\n\tje %s\n", h.VCPU, label)
			p.writeHandler(b, s, label, 2)
			continue
		}
		at := slices.Index(list, s.text)
		if at < 0 {
			at = len(list)
			list = append(list, s.text)
			p.writeHandler(b, s, fmt.Sprintf("do_irq%d", at), 1)
		}
		vectors[i] = firstVector + uint8(at)
	}
	if nmis != "" {
		fmt.Fprintf(b, "\t.globl nmi_handler\n\t.type nmi_handler, @function\nnmi_handler:\n%s\tiretq\n\t.size nmi_handler, . - nmi_handler\n", nmis)
	}
	if len(list) > 0 {
		b.WriteString("\t.data\n\t.balign 8\n\t.globl do_handlers\ndo_handlers:\n")
		for i := range list {
			fmt.Fprintf(b, "\t.quad do_irq%d\n", i)
		}
	}
	return vectors
}

func (p *lockProgram) writeHandler(b *strings.Builder, s *sequence, label string, context int) {
	var takes uint64
	for _, n := range s.takes {
		takes += n
	}
	fmt.Fprintf(b, "\t.type %s, @function\n%s:\t# %s\n\t.set context, %d\n\thandler_begin\n", label, label, s.text, context)
	s.write(b, label)
	fmt.Fprintf(b, "\thandler_end %d\n\t.size %s, . - %s\n", takes, label, label)
}

// maxHandlers is how many vectors there are from firstVector on.
const maxHandlers = 256 - firstVector

// join adds a lock program to the sources and its defines to those of the
// harness. It gives the vectors of the handlers.
func (p *lockProgram) join(c Config, lock *asm.Object, all *[]asm.Source, harness map[string]int64) ([]uint8, error) {
	if p == nil {
		return nil, nil
	}
	defines, err := p.defines(c, lock)
	if err != nil {
		return nil, err
	}
	if harness["ITERS_FOREVER"] != 0 || p.endless() {
		defines["COUNT"] = 0
	}
	maps.Copy(harness, defines)
	src, vectors := p.source(c)
	*all = append(*all, c.Bind.adapt(src))
	return vectors, nil
}

// defines are the symbols of the harness for this program.
func (p *lockProgram) defines(c Config, obj *asm.Object) (map[string]int64, error) {
	d := map[string]int64{"COUNT": 1}
	if p.main != nil {
		d["DO_MAIN"] = 1
	}
	for name, symbol := range map[string]string{"HAVE_TRYLOCK": "spin_trylock", "HAVE_IS_LOCKED": "spin_is_locked", "HAVE_UNLOCK_WAIT": "spin_unlock_wait"} {
		if isGlobal(obj, c.Bind.name(symbol)) {
			d[name] = 1
		}
	}
	if p.uses(doTry) && d["HAVE_TRYLOCK"] == 0 {
		return nil, errors.New("a try (T…) needs a global spin_trylock, which the lock does not have")
	}
	if p.uses(doAwait) && d["HAVE_IS_LOCKED"]+d["HAVE_UNLOCK_WAIT"] == 0 {
		return nil, errors.New("waiting (W…) needs a global spin_unlock_wait or spin_is_locked, which the lock does not have")
	}
	sequences := map[string]bool{}
	nmi := map[int]bool{}
	for i, h := range c.Handlers {
		switch {
		case h.NMI && nmi[h.VCPU]:
			return nil, fmt.Errorf("two NMI handlers of vCPU %d: there is one vector for all NMIs", h.VCPU)
		case h.NMI:
			nmi[h.VCPU] = true
			d["OWN_NMI"] = 1
		default:
			sequences[p.handlers[i].text] = true
		}
	}
	if len(sequences) > maxHandlers {
		return nil, fmt.Errorf("%d different handlers, but %d vectors", len(sequences), maxHandlers)
	}
	if len(sequences) > 0 {
		d["DO_HANDLERS"] = int64(len(sequences))
	}
	return d, nil
}

// finish notes in the Program what the lock program makes known.
func (p *lockProgram) finish(out *Program, c Config) {
	for _, x := range []struct {
		kind Probe
		name string
	}{{ProbeAcquire, "do_acquire"}, {ProbeAcquired, "do_acquired"}, {ProbeRelease, "do_release"}, {ProbeReleased, "do_released"},
		{ProbeTaken, "do_taken"}, {ProbeAcquire, "do_await"}, {ProbeAwaited, "do_awaited"}, {ProbePassed, "do_passed"}} {
		if a := address(out.Object, x.name); a != 0 {
			out.Probes = append(out.Probes, ProbeAt{x.kind, a})
		}
	}
	if p.main != nil {
		out.Acquire, out.Acquired, out.Release, out.Released = 0, 0, 0, 0
	}
	out.Counters, out.Want, out.Takes = nil, 0, nil
	if out.Endless {
		return
	}
	var locks uint
	for _, s := range p.all() {
		locks |= s.locks
	}
	if p.main == nil {
		locks |= 1
		out.Want = uint64(c.VCPUs) * uint64(out.Iters)
	}
	for _, s := range p.main {
		for _, n := range s.takes {
			out.Want += n
		}
	}
	for k := range NamedLocks {
		if locks>>k&1 != 0 {
			out.Counters = append(out.Counters, Counter(k))
		}
	}
	for i := range c.VCPUs {
		out.Takes = append(out.Takes, PerCPU(i)+PerCPUTakes)
	}
}
