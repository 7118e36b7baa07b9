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

// maxSequence bounds a sequence, in letters.
const maxSequence = 4096

// Handler is an interrupt handler of a lock program.
type Handler struct {
	VCPU int
	NMI  bool
	Do   string // its sequence
}

// sequence is a parsed lock program of one vCPU or handler.
type sequence struct {
	text    string // without the star
	ops     []doOp
	forever bool
	takes   [NamedLocks]uint64 // of each lock, tries left out
	locks   uint               // a bit for each lock that it names
}

// doOp is one step of a sequence.
type doOp struct {
	kind doKind
	lock int
	end  int // of a try: the index behind its release
}

type doKind uint8

const (
	doTake doKind = iota
	doGive
	doTry
	doAwait
)

// parseSequence reads the lock program of one vCPU: an upper-case letter takes
// that lock, the lower-case one releases it, T before a letter tries once and
// leaves everything up to the release out if that fails, W before a letter waits
// until the lock is free. A star at the end repeats for ever.
func parseSequence(text string) (*sequence, error) {
	s := &sequence{}
	s.text, s.forever = strings.CutSuffix(text, "*")
	if s.text == "" {
		return nil, errors.New("an empty sequence: Aa takes and releases lock A")
	}
	if len(s.text) > maxSequence {
		return nil, fmt.Errorf("more than %d letters", maxSequence)
	}
	held := map[int]int{} // lock -> index of its take
	kind := doTake
	for i, c := range s.text {
		switch k, lock := int(c-'A'), int(c-'a'); {
		case kind == doTake && (c == 'T' || c == 'W'):
			kind = map[rune]doKind{'T': doTry, 'W': doAwait}[c]
			continue
		case k >= 0 && k < NamedLocks:
			if _, twice := held[k]; twice && kind != doAwait {
				return nil, fmt.Errorf("letter %d: lock %c is taken, and held already", i+1, c)
			}
			if kind != doAwait {
				held[k] = len(s.ops)
			}
			s.ops = append(s.ops, doOp{kind: kind, lock: k})
			s.locks |= 1 << k
			if kind == doTake {
				s.takes[k]++
			}
		case kind == doTake && lock >= 0 && lock < NamedLocks:
			at, ok := held[lock]
			if !ok {
				return nil, fmt.Errorf("letter %d: %c releases a lock that is not held", i+1, c)
			}
			delete(held, lock)
			s.ops = append(s.ops, doOp{kind: doGive, lock: lock})
			s.ops[at].end = len(s.ops)
		default:
			return nil, fmt.Errorf("letter %d: %q: A to H takes a lock, a to h releases it, T and W stand before a taken one", i+1, string(c))
		}
		kind = doTake
	}
	if kind != doTake {
		return nil, errors.New("a T or W without a lock behind it")
	}
	for k := range NamedLocks {
		if _, ok := held[k]; ok {
			return nil, fmt.Errorf("lock %c is never released", 'A'+k)
		}
	}
	return s, s.tries()
}

// tries refuses a try whose span cuts through that of another lock: what is
// left out must be whole. Takes inside a span may not happen, so they are not
// known beforehand.
func (s *sequence) tries() error {
	for at, o := range s.ops {
		if o.kind != doTry {
			continue
		}
		for i, x := range s.ops {
			inside := i > at && i < o.end
			if x.kind != doGive && x.end != 0 && (inside && x.end > o.end || i < at && x.end > at && x.end < o.end) {
				return fmt.Errorf("the try of %c and the span of %c overlap: what a failed try leaves out must be whole", 'A'+o.lock, 'A'+x.lock)
			}
			if inside && x.kind == doTake {
				return fmt.Errorf("a take inside the try of %c: give tries only (T%c)", 'A'+o.lock, 'A'+x.lock)
			}
		}
	}
	return nil
}

// write appends the sequence as lines of the macros of harness-do.s.
func (s *sequence) write(b *strings.Builder, label string) {
	names := [...]string{doTake: "take", doGive: "give", doTry: "try", doAwait: "await"}
	for i, o := range s.ops {
		for at, x := range s.ops[:i] {
			if x.kind == doTry && x.end == i {
				fmt.Fprintf(b, "%s_%d:\n", label, at)
			}
		}
		fmt.Fprintf(b, "\t%s %d", names[o.kind], o.lock)
		if o.kind == doTry {
			fmt.Fprintf(b, ", %s_%d", label, i)
		}
		b.WriteByte('\n')
	}
	for at, x := range s.ops {
		if x.kind == doTry && x.end == len(s.ops) {
			fmt.Fprintf(b, "%s_%d:\n", label, at)
		}
	}
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
