package main

import (
	"bufio"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spinlab/explore"
	"spinlab/locktest/engine"
	"spinlab/vmm"
)

const checkHelp = `Searches every interleaving of a small machine: all orders in which vCPUs step,
store buffers commit and the host acts, on x86-TSO with HLT and kick. It is the
machine of run, without its scheduler. TARGET is a built-in variant, files with
commas between them that hold a lock or a program (as for run), or threads: a
source with the labels P0:, P1:, … has a vCPU for each, which is done at the
last HLT of its text or behind it; functions P0, P1, … of an object are threads,
too, and done when they return.

What can be violated: exclusion, assertion (a non-zero exit code), deadlock
(nothing can happen and somebody is not done: lost wake-ups), livelock (the end
is out of reach), fault, freed (an access to memory that was given back), final
(--final, and lost counts); of endless programs (--iters forever, or * in --do)
starvation (somebody waits for a lock, or never comes back from releasing one,
although all others get on) and --max-overtaking. The trace leads the shortest
way to where it goes wrong.

For threads the search goes on after a violation, so that the final states are
complete. Statistics are off and SPIN_THRESHOLD is 2 unless --define says
otherwise. A bound that is hit gives the verdict bounded, never holds. --random
looks at random schedules only: violated, or bounded.

Exit codes: 0 holds; 1 violated; 2 bad input; 3 bounded.`

// checkFlags are those of check.
type checkFlags struct {
	vcpus          int
	iters          string
	defines        []string
	bind           bindFlags
	set, memory    []string
	irq            []string
	nmi            []string
	do             string
	main           sourceFlag
	freeLast       bool
	irqsOff        bool
	observe, final string
	reduce         *choice
	drain          bool
	buffer         *choice
	all, full      bool
	maxOvertaking  int
	unfair         bool
	maxStates      uint64
	maxMemory      string
	timeout        time.Duration
	workers        int
	random         uint64
	seed           uint64
	depth          int
	save           string
	kickABI        *choice
	hostBug        *choice
	pvUnhaltBit    int
	output         *choice
}

func checkCmd() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check TARGET",
		Short: "Search every interleaving of a lock, a program or threads",
		Long:  checkHelp,
		Example: `  spinlab check ticket --vcpus 3
  spinlab check ticket-pv-kvm-unlocked-add --save lost.json
  spinlab check sb.s --set P0.rdi=0x200000 --observe P0.eax,P1.eax,mem:0x200040:4
  spinlab check mcs.o --vcpus 3
  spinlab check lock.s --final 'mem:0x200040:8==2' --reduce=none
  spinlab check ticket-pv-kvm --vcpus 8 --iters 4 --random 10000 --seed 1`,
		Args: oneTarget,
		RunE: func(cmd *cobra.Command, args []string) error { return check(cmd, args[0], &f) },
	}
	f.output = outputFlag(cmd, "text", "json")
	f.add(cmd.Flags())
	return cmd
}

func (f *checkFlags) add(fs *pflag.FlagSet) {
	f.reduce = newChoice("all", "steps", "none")
	f.kickABI = newChoice("v8", "v3", "mainline")
	f.hostBug = newChoice(vmm.HostBugs[:]...)
	fs.IntVar(&f.vcpus, "vcpus", 2, "vCPUs that run the lock or program")
	fs.StringVar(&f.iters, "iters", "1", "acquisitions of each vCPU: a `number`, or forever")
	fs.StringVar(&f.do, "do", "", doUsage)
	fs.StringVar(&f.main.file, "main", "", "a program that drives a built-in lock: a source `FILE` with vcpu_main, and vcpu_boot that calls spin_init")
	fs.BoolVar(&f.freeLast, "free-last", false, "whoever takes the lock last gives its memory back after the release: any access after that is a violation")
	fs.StringArrayVar(&f.defines, "define", nil, "set a parameter of the source: `NAME=VALUE`, as often as needed")
	f.bind.add(fs, bindLock|bindProbe|bindEntry|bindLoad)
	fs.StringArrayVar(&f.set, "set", nil, "threads: a register to start with, as `P0.rdi=0x200000`")
	fs.StringArrayVar(&f.memory, "mem", nil, "bytes to start with, as `0x200000=0201`")
	fs.StringVar(&f.observe, "observe", "", "what to report of final states: `P0.eax,mem:0x200040:4`")
	fs.StringVar(&f.final, "final", "", "what must hold in every final state: `'P0.eax==1 || mem:0x200000:4==2'`")
	fs.StringArrayVar(&f.irq, "irq", nil, "an interrupt for a vCPU, once, at any boundary where it is allowed: `VCPU`; :Bb behind it is the lock program of the handler, or :VECTOR (default 0x20)")
	fs.StringArrayVar(&f.nmi, "nmi", nil, "an NMI for a vCPU, once, at any boundary: `VCPU`, or with a handler as above")
	fs.BoolVar(&f.irqsOff, "irqs-off", false, "vCPUs with --irq run with interrupts off: they come only where the lock turns them on")
	fs.Var(f.reduce, "reduce", "which equivalent interleavings to leave out:")
	f.buffer = newChoice("tso", "ppro")
	fs.Var(f.buffer, "buffer", "the order in which a buffer's stores commit: oldest first, or any but to the same bytes (Pentium Pro errata 66 and 92):")
	fs.BoolVar(&f.drain, "drain-on-halt", false, "HLT waits for the store buffer (the manuals promise nothing)")
	fs.IntVar(&f.maxOvertaking, "max-overtaking", 0, "endless targets: a violation if others get a lock more often than `N` times while one waits (default no limit)")
	fs.BoolVar(&f.unfair, "unfair", false, "endless targets: do not ask whether a vCPU can starve")
	fs.BoolVar(&f.all, "all", false, "go on after a violation")
	fs.BoolVar(&f.full, "full", false, "show private instructions in the trace, too")
	fs.Uint64Var(&f.maxStates, "max-states", 0, "give up after that many states (default no limit)")
	fs.StringVar(&f.maxMemory, "max-memory", "4G", "give up when states take that much memory: bytes, or with K, M or G")
	fs.DurationVar(&f.timeout, "timeout", 0, "give up after that time, as 90s (default no limit)")
	fs.IntVar(&f.workers, "workers", 0, "workers that search side by side; the result is the same (default one for each processor)")
	fs.Uint64Var(&f.random, "random", 0, "run that many random schedules in place of the search, for what is too large: a `number`")
	fs.Uint64Var(&f.seed, "seed", 0, "with --random: equal seeds give equal schedules")
	fs.IntVar(&f.depth, "depth", 3, "with --random: how many orderings of steps a bug may need")
	fs.StringVar(&f.save, "save", "", "write the trace of a violation to `FILE`, for replay")
	fs.Var(f.kickABI, "kick-abi", "how the kick hypercall names its target (the built-in locks speak v8):")
	fs.Var(f.hostBug, "host-bug", "a mistake of the host to show its effect:")
	fs.IntVar(&f.pvUnhaltBit, "pv-unhalt-bit", 6, "CPUID feature `bit` that offers the kick; -1 offers none")
}

// maxWorkers is ours: beyond it the one goroutine that gives numbers is what
// takes the time.
const maxWorkers = 256

// config makes the bounds of the search.
func (f *checkFlags) config() (explore.Config, error) {
	c := explore.Config{MaxStates: f.maxStates, DrainOnHalt: f.drain, Weak: f.buffer.value == "ppro"}
	switch f.reduce.value {
	case "steps":
		c.Reduce = explore.ReduceSteps
	case "none":
		c.Reduce = explore.ReduceNone
	}
	if f.workers < 0 || f.workers > maxWorkers {
		return c, fmt.Errorf("--workers %d: 1 to %d, or 0 for one on each processor", f.workers, maxWorkers)
	}
	if c.Workers = f.workers; c.Workers == 0 {
		c.Workers = min(runtime.GOMAXPROCS(0), maxWorkers)
	}
	var err error
	if c.MaxMemory, err = engine.ParseSize(f.maxMemory); err != nil {
		return c, fmt.Errorf("--max-memory %s: %w", f.maxMemory, err)
	}
	if f.timeout < 0 {
		return c, fmt.Errorf("--timeout %s: a time to come is wanted", f.timeout)
	}
	if f.timeout > 0 {
		deadline := time.Now().Add(f.timeout)
		c.Expired = func() bool { return time.Now().After(deadline) }
	}
	return c, nil
}

func check(cmd *cobra.Command, arg string, f *checkFlags) error {
	cfg, err := f.config()
	if err != nil {
		return err
	}
	if err := f.checkRandom(cmd); err != nil {
		return err
	}
	t, err := f.target(cmd, arg)
	if err != nil {
		return err
	}
	printNotes(cmd, t.notes)
	stop := progress(cmd.ErrOrStderr(), "searching "+t.Name)
	began := time.Now()
	r, err := f.look(t, cfg)
	took := time.Since(began)
	stop()
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	if r.Unentered && r.Verdict != explore.Violated {
		printNotes(cmd, []string{neverAcquired})
	}
	var lines []explore.Line
	if r.Verdict == explore.Violated {
		if lines, err = explore.Tell(&t.Target, r.Trace); err != nil {
			return err
		}
	}
	if f.save != "" {
		if err := saveTrace(f, t, r); err != nil {
			return err
		}
	}
	return buffered(cmd, func(w *bufio.Writer) error {
		if err := printCheck(w, t, r, lines, took, f); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		return exitWith(checkCode(r.Verdict))
	})
}

func checkCode(v explore.Verdict) int {
	switch v {
	case explore.Holds:
		return exitOK
	case explore.Bounded:
		return exitLimit
	}
	return exitBad
}
