package tests

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/asm"
	"spinlab/experiment"
	"spinlab/explore"
	"spinlab/guestcode"
	"spinlab/locktest/engine"
)

// mutable is a variant whose sources can be edited.
type mutable struct {
	variant guestcode.Variant
	sources []asm.Source
	defines map[string]int64 // of the sound variant
	checks  []checkSize
	lines   []asm.Line      // statements of the lock's functions, by address
	fast    map[uint64]bool // those of spin_lock and spin_unlock
}

// checkSize is a search: numbers, and defines that differ from the variant's.
type checkSize struct {
	vcpus, iters int
	defines      map[string]int64
}

// notMutated are functions that the harness does not call, or calls only before
// the others start: what check and the counts cannot see.
var notMutated = regexp.MustCompile(`^(spin_trylock|spin_is_locked|spin_init|paravirt_nop|xen_init_events|vcpu_|acquire|release)`)

func newMutable(t *testing.T, v guestcode.Variant) *mutable {
	m := &mutable{variant: v, defines: map[string]int64{}, fast: map[uint64]bool{}}
	for _, name := range v.Files() {
		text, err := os.ReadFile("../guestcode/src/" + name)
		require.NoError(t, err)
		m.sources = append(m.sources, asm.Source{Name: name, Text: text})
	}
	for _, p := range v.Params {
		m.defines[p.Name] = v.Value(p.Name, map[string]int64{"STATS": 0, "SPIN_THRESHOLD": 1, "XEN_TIMEOUT": 1, "PENDING_LOOPS": 1})
	}
	m.checks = []checkSize{{2, 1, nil}, {2, 2, nil}, {3, 1, nil}}
	if _, ok := v.Param("TICKET_BATCH"); ok { // alone in a batch, and two of a batch
		m.checks = nil
		for _, batch := range []int64{1, 2} {
			d := map[string]int64{"TICKET_BATCH": batch}
			m.checks = append(m.checks, checkSize{2, 1, d}, checkSize{2, 2, d})
		}
	}
	p, err := m.source(nil).Build(guestcode.Config{VCPUs: 2})
	require.NoError(t, err)
	for _, l := range p.Object.Lines {
		name, _, ok := p.Object.SymbolAt(l.Addr)
		sym, _ := p.Object.Lookup(name)
		if ok && sym.Section == ".text" && !notMutated.MatchString(name) && l.File != "harness.s" && l.File != "spin-init-stub.s" {
			m.lines = append(m.lines, l)
			m.fast[l.Addr] = name == "spin_lock" || name == "spin_unlock"
		}
	}
	require.NotEmpty(t, m.lines)
	return m
}

// edit replaces what stands behind the labels of lines: number -> text.
type edit struct {
	file  string
	lines map[int]string
}

// source is the lock after an edit.
func (m *mutable) source(e *edit) engine.Source {
	build := func(c guestcode.Config) (*guestcode.Program, error) {
		c.Defines = maps.Clone(c.Defines)
		if _, ok := m.variant.Param("NR_CPUS"); ok {
			c.Defines["NR_CPUS"] = int64(max(c.VCPUs, 1)) // as a build of the variant has it
		}
		all := slices.Clone(m.sources)
		for i := range all {
			if e == nil || all[i].Name != e.file {
				continue
			}
			text := strings.SplitAfter(string(all[i].Text), "\n")
			for n, line := range e.lines {
				text[n-1] = label(text[n-1]) + "\t" + line + "\n"
			}
			all[i].Text = []byte(strings.Join(text, ""))
		}
		p, err := guestcode.BuildSource(c, all...)
		if err == nil {
			p.Backend = m.variant.Backend
		}
		return p, err
	}
	return engine.Source{Name: m.variant.Name, Builder: build, Defines: m.defines}
}

// mutant is one deliberate breakage.
type mutant struct {
	kind string
	at   asm.Line
	edit edit
	fast bool // it stands in spin_lock or spin_unlock itself
}

func (x *mutant) String() string {
	return fmt.Sprintf("%s at %s:%d: %s", x.kind, x.at.File, x.at.Line, statement(x.at.Text))
}

// statement is an instruction without its comment, blanks made one.
func statement(text string) string {
	text, _, _ = strings.Cut(text, "#")
	return strings.Join(strings.Fields(text), " ")
}

// label is what stands before the statement of a source line.
func label(text string) string {
	if l, _, ok := strings.Cut(text, ":"); ok && !strings.ContainsAny(strings.TrimSpace(l), " \t%(#") {
		return strings.TrimSpace(l) + ":"
	}
	return ""
}

// at replaces the statement of l; others on the same line stay.
func (m *mutable) at(l asm.Line, kind, text string) mutant {
	return mutant{kind, l, edit{l.File, map[int]string{l.Line: m.replaced(l, text)}}, m.fast[l.Addr]}
}

func (m *mutable) replaced(l asm.Line, text string) string {
	i := slices.IndexFunc(m.sources, func(s asm.Source) bool { return s.Name == l.File })
	line := strings.Split(string(m.sources[i].Text), "\n")[l.Line-1]
	line, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), label(line)), "#")
	old, _, _ := strings.Cut(l.Text, "#")
	return strings.Replace(line, strings.TrimSpace(old), text, 1)
}

var (
	xchgMem   = regexp.MustCompile(`^xchg([bwlq]?) (%\w+), ([^%]*\(%\w+\))$`)
	storeLine = regexp.MustCompile(`^mov[bwlq]? [$%][\w]+, [^,]*(\(|%gs:)`)
	toRAX     = regexp.MustCompile(`^(mov\w*|lea|xor) .*, ?%[er]?a[xl]$`)
)

// breakages are the mutants that change what a lock means to other CPUs. A
// check must find each of them.
func (m *mutable) breakages() (list []mutant) {
	for i, l := range m.lines {
		s := statement(l.Text)
		switch {
		case strings.HasPrefix(s, "lock "):
			list = append(list, m.at(l, "drop lock", strings.TrimPrefix(s, "lock ")))
		case xchgMem.MatchString(s):
			g := xchgMem.FindStringSubmatch(s)
			r := map[byte]string{'b': "%r11b", 'w': "%r11w", 'l': "%r11d", 'q': "%r11", 0: "%r11"}[width(g[1])]
			list = append(list, m.at(l, "split xchg", fmt.Sprintf("mov %s, %s; mov %s, %s; mov %s, %s", g[3], r, g[2], g[3], r, g[2])))
		case s == "mfence":
			list = append(list, m.at(l, "drop fence", ""))
		}
		if strings.Contains(s, "cmpxchg") {
			for k := i - 1; k >= 0 && k > i-8 && m.lines[k].File == l.File; k-- {
				if toRAX.MatchString(statement(m.lines[k].Text)) {
					list = append(list, m.at(m.lines[k], "keep eax", ""))
					break
				}
			}
		}
		if i > 0 && m.lines[i-1].File == l.File && storeLine.MatchString(s) && storeLine.MatchString(statement(m.lines[i-1].Text)) {
			before := m.lines[i-1]
			x := m.at(l, "swap stores", statement(before.Text))
			x.edit.lines[before.Line] = m.replaced(before, s)
			list = append(list, x)
		}
	}
	return list
}

func width(suffix string) byte {
	if suffix == "" {
		return 0
	}
	return suffix[0]
}

// slowdowns are the mutants that change only what a lock costs. A budget must
// find each of them.
func (m *mutable) slowdowns() (list []mutant) {
	for i, l := range m.lines {
		s := statement(l.Text)
		if i > 0 && m.lines[i-1].File == l.File && m.lines[i-1].Line == l.Line || s == "" {
			continue // a further statement of a line
		}
		if s == "pause" {
			list = append(list, m.at(l, "drop pause", ""))
		}
		list = append(list, m.at(l, "add nop", "nop; "+s))
		if !testing.Short() {
			list = append(list, m.at(l, "add mov", "mov %rdi, %rdi; "+s))
		}
	}
	return list
}

// check searches a mutant at growing sizes until something is violated.
func (m *mutable) check(t *testing.T, e *edit) (string, error) {
	for _, s := range m.checks {
		// Wrong code may count without end: nothing sound needs a tenth of this.
		c, err := m.source(e).Check(engine.CheckConfig{VCPUs: s.vcpus, Iters: int64(s.iters), Defines: s.defines, Search: explore.Config{MaxStates: 2_000_000}})
		if err != nil {
			return "", err
		}
		if c.Verdict == explore.Violated {
			return fmt.Sprintf("%s %dx%d", c.Property, s.vcpus, s.iters), nil
		}
		require.Equal(t, explore.Holds, c.Verdict, "%s: %s", m.variant.Name, c.Message)
	}
	return "", nil
}

// run counts what a mutant does in one schedule, where waiters sleep.
func (m *mutable) run(t *testing.T, e *edit) engine.Totals {
	r, err := m.source(e).Run(engine.RunConfig{VCPUs: 4, PCPUs: 2, Iters: 50, MaxInstructions: 5_000_000})
	require.NoError(t, err)
	return r.Totals()
}

// reached says whether the statement of a mutant runs in a check at all.
func (m *mutable) reached(t *testing.T, x *mutant) bool {
	trap := m.at(x.at, "trap", "ud2; "+statement(x.at.Text))
	found, err := m.check(t, &trap.edit)
	require.NoError(t, err)
	return found != ""
}

// equivalent are mutants that no check can find, with the reason.
var equivalent = []equivalence{
	{"mcs.s", "swap stores", "movl $0, LOCKED(%rsi)",
		"nobody knows the node before the XCHG behind both stores, which drains the buffer"},
	{"qspinlock.s", "swap stores", "movq $0, NEXT(%rsi)",
		"nobody knows the node before the XCHG of the tail, which drains the buffer"},
	{"xen-events.s", "swap stores", "movl $1, 8(%rsp)", "arguments on the own stack: the hypercall behind them reads both"},
	{"xen-events.s", "swap stores", "movq $0, 16(%rsp)", "arguments on the own stack: the hypercall behind them reads both"},
	{"backend-kvm.s", "swap stores", "mov %sil, %gs:W_WANT", slotEmpty},
	{"backend-kvm.s", "swap stores", "mov %rdi, %gs:W_LOCK", slotEmpty},
	{"backend-xen.s", "swap stores", "mov %sil, %gs:W_WANT", slotEmpty},
	{"backend-xen.s", "swap stores", "mov %rdi, %gs:W_LOCK", slotEmpty},
}

// equivalence is a mutant, wherever its statement occurs, and why it is none.
type equivalence struct{ file, kind, statement, reason string }

// slotEmpty: the order of the stores to w->lock and w->want matters where w
// still holds an older ticket of the same lock while another is published.
// The twin ticket-pv-kvm-want-lock-swapped needs three vCPUs and two locks, one
// within the other, for that; the harness takes one lock at a time.
const slotEmpty = "w->lock is empty between two waits for the one lock of the harness"

// TestMutationsBreak: a lock prefix dropped, an xchg taken apart, a fence
// dropped, neighbouring stores swapped, EAX not loaded before a cmpxchg: in
// every sound variant a check finds each of these, or it is listed above with
// the reason why nothing can.
func TestMutationsBreak(t *testing.T) {
	t.Parallel()
	used := map[int]bool{}
	caught, slower, unreached := 0, 0, 0
	for _, v := range guestcode.Variants() {
		if v.BrokenOf != "" || testing.Short() && v.Backend != guestcode.BackendNone {
			continue
		}
		m := newMutable(t, v)
		found, err := m.check(t, nil)
		require.NoError(t, err)
		require.Empty(t, found, "%s unchanged", v.Name)
		sound := m.run(t, nil)
		for _, x := range m.breakages() {
			found, err := m.check(t, &x.edit)
			require.NoError(t, err, "%s: %s", v.Name, &x)
			known := slices.IndexFunc(equivalent, func(e equivalence) bool {
				return e.file == x.at.File && e.kind == x.kind && e.statement == statement(x.at.Text)
			})
			switch {
			case found != "":
				caught++
				t.Logf("%-24s %s: %s", v.Name, &x, found)
				assert.Negative(t, known, "%s: %s is caught and need not be listed", v.Name, &x)
			case !m.reached(t, &x):
				unreached++
				t.Logf("%-24s %s: does not run in a check", v.Name, &x)
			case m.run(t, &x.edit) != sound:
				slower++
				t.Logf("%-24s %s: other counts in a run", v.Name, &x)
			case known >= 0:
				used[known] = true
			default:
				t.Errorf("%s: %s: no check finds it", v.Name, &x)
			}
		}
	}
	for i, e := range equivalent {
		if !used[i] && !testing.Short() {
			t.Errorf("%s: %s: %s: is in the table, but no such mutant survives", e.file, e.kind, e.statement)
		}
	}
	t.Logf("%d caught by a check, %d by counts, %d not reached, %d equivalent", caught, slower, unreached, len(used))
}

// TestMutationsCost: a pause dropped, a NOP or an empty move added before any
// statement: the counts of lock and unlock, the spin turn or the bytes of the
// code tell each of them.
func TestMutationsCost(t *testing.T) {
	if testing.Short() {
		t.Skip("TestMutations has the ones that break")
	}
	by := map[string]int{}
	for _, v := range guestcode.Variants() {
		if v.BrokenOf != "" || testing.Short() && v.Backend != guestcode.BackendNone {
			continue
		}
		m := newMutable(t, v)
		sound, err := m.source(nil).CountLock(nil)
		require.NoError(t, err)
		for _, x := range m.slowdowns() {
			how := m.counted(t, &x, sound)
			by[how]++
			assert.NotEmpty(t, how, "%s: %s: no budget finds it", v.Name, &x)
		}
	}
	t.Logf("caught by: %v", by)
	assert.NotZero(t, by["instructions"])
	assert.NotZero(t, by["spin turn"])
}

// counted says by which count a mutant differs from the sound lock; code that a
// free lock does not run is only built.
func (m *mutable) counted(t *testing.T, x *mutant, sound *engine.LockCount) string {
	if x.kind != "drop pause" && !x.fast {
		p, err := m.source(&x.edit).Build(guestcode.Config{VCPUs: 1})
		require.NoError(t, err, "%s: %s", m.variant.Name, x)
		if b := experiment.MeasureBytes(p); b.Lock != sound.Lock.Bytes || b.Unlock != sound.Unlock.Bytes || b.Slowpath != sound.Slowpath {
			return "bytes"
		}
	}
	n, err := m.source(&x.edit).CountLock(nil)
	require.NoError(t, err, "%s: %s", m.variant.Name, x)
	return difference(sound, n)
}

// difference names the first of the counts that tells two locks apart, those of
// executed code first.
func difference(a, b *engine.LockCount) string {
	switch {
	case a.Lock.Cost != b.Lock.Cost, a.Unlock.Cost != b.Unlock.Cost:
		return "instructions"
	case a.Spin != b.Spin:
		return "spin turn"
	case a.Lock.Bytes != b.Lock.Bytes, a.Unlock.Bytes != b.Unlock.Bytes, a.Slowpath != b.Slowpath:
		return "bytes"
	}
	return ""
}
