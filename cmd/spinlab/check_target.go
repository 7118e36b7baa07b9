package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spinlab/asm"
	"spinlab/experiment"
	"spinlab/explore"
	"spinlab/guestcode"
	"spinlab/locktest/engine"
	"spinlab/mem"
	"spinlab/vmm"
)

// checkTarget is a target to explore, and what its addresses are called.
type checkTarget struct {
	explore.Target
	object  *asm.Object
	threads bool
	source  string // of a target that is no variant
	trace   *trace // for its names of memory
}

// forever as --iters makes the harness endless, and takes its counters away.
const forever = "forever"

// target turns TARGET and the flags into something to explore.
func (f *checkFlags) target(cmd *cobra.Command, arg string) (*checkTarget, error) {
	if f.vcpus < 1 || f.vcpus > vmm.MaxWalkers {
		return nil, fmt.Errorf("--vcpus %d: a check has 1 to %d vCPUs", f.vcpus, vmm.MaxWalkers)
	}
	defines, err := parseDefines(f.defines)
	if err != nil {
		return nil, err
	}
	found, err := findTarget(arg, cmd.InOrStdin())
	if err != nil {
		return nil, err
	}
	t, err := f.threads(cmd, found, defines)
	if t == nil && err == nil {
		t, err = f.program(cmd, found, defines)
	}
	if err != nil {
		return nil, err
	}
	t.source = string(found.source.Text)
	return t, f.questions(t)
}

// program makes the machine of a lock in the harness, or of a program.
func (f *checkFlags) program(cmd *cobra.Command, found target, defines map[string]int64) (*checkTarget, error) {
	if len(f.set) > 0 {
		return nil, errors.New("--set is for threads: the target has no label P0")
	}
	if found.variant != nil {
		defines = engine.CheckDefines(found.variant, defines)
	}
	do, err := doSequences(cmd, f.do, &f.vcpus)
	if err != nil {
		return nil, err
	}
	irqs, handlers, err := f.readInterrupts(f.vcpus)
	if err != nil {
		return nil, err
	}
	c := guestcode.Config{VCPUs: f.vcpus, Defines: defines, IRQs: irqs != nil, Do: do, Handlers: handlers, FreeLast: f.freeLast, Forever: do == nil && f.iters == forever}
	if f.freeLast && (do != nil || c.Forever) {
		return nil, errors.New("--free-last is for a number of --iters: what never ends frees nothing, and a lock program does not say who is last")
	}
	if c.Main, err = f.main.read(cmd); err != nil {
		return nil, err
	}
	if c.Main != nil && found.variant == nil {
		return nil, errors.New("--main drives a built-in lock; a target of your own is a program itself if it has vcpu_main")
	}
	if do == nil && !c.Forever {
		n, err := strconv.ParseInt(f.iters, 0, 32)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("--iters %s: a number from 1 up is wanted, or %s", f.iters, forever)
		}
		c.Iters = n
	}
	p, err := found.build(c)
	if err != nil {
		return nil, err
	}
	t := &checkTarget{object: p.Object, trace: newTrace(nil, p, 1)}
	t.Name = p.Name
	t.Machine.VMs = experiment.VMs(p, 1, f.vcpus)
	t.setInterrupts(irqs, p.Vectors)
	t.IRQsOff = f.irqsOff
	t.Endless = c.Forever || p.Endless
	t.Symmetric = found.variant != nil && found.variant.Alike && len(slices.Compact(do)) <= 1
	return t, nil
}

// threads makes the machine of a source with threads, nil if it has none.
func (f *checkFlags) threads(cmd *cobra.Command, found target, defines map[string]int64) (*checkTarget, error) {
	if found.variant != nil {
		return nil, nil
	}
	p, err := guestcode.BuildThreads(guestcode.Config{Defines: defines}, found.source)
	if p == nil || err != nil {
		return nil, err
	}
	for _, name := range []string{"vcpus", "iters", "do"} {
		if cmd.Flags().Lookup(name) != nil && cmd.Flags().Changed(name) {
			return nil, fmt.Errorf("--%s means nothing with threads: each label is a vCPU", name)
		}
	}
	t := &checkTarget{object: p.Object, threads: true, trace: newTrace(nil, &guestcode.Program{Object: p.Object}, 1)}
	t.Name = p.Name
	if t.Setup, err = f.start(); err != nil {
		return nil, err
	}
	img, starts := experiment.ThreadsImage(p, t.Setup)
	t.Machine.VMs = []vmm.VMConfig{{VCPUs: len(starts), Image: img}}
	t.Starts = starts
	irqs, handlers, err := f.readInterrupts(len(starts))
	if err != nil {
		return nil, err
	}
	if handlers != nil {
		return nil, errors.New("a lock program as a handler (--irq 0:Bb) is for locks: threads have an irq_handler of their own")
	}
	t.setInterrupts(irqs, nil)
	t.Complete = true
	return t, f.registers(starts)
}

// start reads --mem.
func (f *checkFlags) start() (runs []mem.Run, err error) {
	for _, w := range f.memory {
		r, err := parseMemory(w)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// registers gives the threads what --set says.
func (f *checkFlags) registers(starts []vmm.Start) error {
	for _, w := range f.set {
		r, err := engine.ParseThreadReg(w)
		if err == nil && r.Thread >= len(starts) {
			err = fmt.Errorf("there is no thread P%d", r.Thread)
		}
		if err != nil {
			return fmt.Errorf("--set %s: %w", w, err)
		}
		starts[r.Thread].Regs[r.Reg] = r.Value
	}
	return nil
}

// questions reads what is asked of final states and the rest of the machine.
func (f *checkFlags) questions(t *checkTarget) (err error) {
	if t.Setup, err = f.start(); err != nil {
		return err
	}
	for _, name := range strings.Split(f.observe, ",") {
		if f.observe == "" {
			break
		}
		o, err := explore.ParseObservable(strings.TrimSpace(name))
		if err != nil {
			return fmt.Errorf("--observe %w", err)
		}
		t.Observe = append(t.Observe, o)
	}
	if f.final != "" {
		if t.Final, err = explore.ParsePredicate(f.final); err != nil {
			return fmt.Errorf("--final %w", err)
		}
	}
	t.Complete = t.Complete || f.all
	t.MaxOvertaking, t.Unfair = f.maxOvertaking, f.unfair
	if f.maxOvertaking < 0 {
		return fmt.Errorf("--max-overtaking %d: a number from 1 up is wanted", f.maxOvertaking)
	}
	t.Machine.KickABI, t.Machine.PVUnhaltBit = engine.KickABIs[f.kickABI.value], f.pvUnhaltBit
	t.Machine.HostBug = hostBug(f.hostBug.value)
	if f.pvUnhaltBit == 0 {
		return errors.New("--pv-unhalt-bit 0: 1 to 31, or -1 for none")
	}
	t.Machine.Symbolize = func(a uint64) string { return experiment.Symbol(t.object, a) }
	t.Source = func(a uint64) string { return experiment.SourceLine(t.object, a) }
	t.Place = t.trace.memory
	return nil
}
