package main

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spinlab/experiment"
	"spinlab/guestcode"
	"spinlab/locktest/engine"
	"spinlab/vmm"
)

// machineFlags describe a machine; run and compare share them.
type machineFlags struct {
	profile         string
	ple             *choice
	slice           uint64
	seed            uint64
	commit          *choice
	kickABI         *choice
	hostBug         *choice
	pvUnhaltBit     int
	maxInstructions uint64
	maxCycles       uint64
	noSkip          bool

	iters, workIn, workOut int64
	defines                []string
	bind                   bindFlags
}

// runFlags are those of run.
type runFlags struct {
	machineFlags
	snapshotFlags
	timelineFlags
	vcpus, pcpus, vms int
	trace             bool
	irqs              irqFlags
	do                string
	stats             statsFlags
	host              hostFlags
	backend           *choice
	output            *choice

	bare        bool
	set, memory []string
	cpl         uint8
}

const runHelp = `Runs a lock on a simulated machine and prints what it cost. TARGET is a built-in
variant (spinlab list), or files with commas between them: GNU as source, ELF
objects, archives and static executables, flat binaries. They are a lock with
spin_lock and spin_unlock (or what --lock and --unlock name), which the harness
drives, or a program with vcpu_main (or --entry). The harness makes every vCPU
take the lock --iters times and increment a plain counter.

By default half as many pCPUs as vCPUs share the work: 2x overcommit. The time
is virtual; equal command lines give equal output to the byte. --seed varies
when the vCPUs start.

--profile x5570, x7560 and zen5 are whole hosts: so many pCPUs on sockets, the
scheduler of Linux (CFS), and pause-loop exiting where the CPU has it.

--bare runs any snippet alone on one core without a hypervisor, and prints what
changed. It ends at the first HLT, behind its last byte, or at a RET from its
top frame. 0x200000 to 0x20ffff is memory to play with; RSP points into a stack
of its own. TARGET may then be hex:BYTES, too. Plain hex digits are taken as
code when there is neither a variant nor a file of that name.

--trace prints each instruction with its effects before the report; with
-o json or csv it goes to the standard error.

--irq injects an interrupt: 0@5000 when vCPU 0 has retired 5,000 instructions,
0@c12000 at cycle 12,000. Locks run with IF set on such a vCPU, and the handler
takes a second lock. A program of its own has an irq_handler and an nmi_handler.

--timeline FILE writes who ran where and when, exits, kicks, and lock waits and
holds for ui.perfetto.dev; --timeline - draws it with a row for each pCPU.

--snapshot-at N --snapshot FILE stops after N instructions and saves the whole
machine; --restore FILE goes on, and prints what the whole run would have.

Exit codes: 0 done; 1 deadlock, violation or fault; 2 bad input; 3 a limit.`

func runCmd() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run TARGET",
		Short: "Run a lock on a simulated machine, or any snippet with --bare",
		Long:  runHelp,
		Example: `  spinlab run ticket-pv-kvm --vcpus 4 --pcpus 2
  spinlab run ticket --vcpus 8 --pcpus 4 --ple=on --work-in 500
  spinlab run ticket-pv-kvm-unlocked-add --commit=late --vcpus 2 --pcpus 2 --work-out 400 --define SPIN_THRESHOLD=16
  spinlab run ticket --profile x5570 --vcpus 8 --vms 2 --hogs 4 --seed 1
  spinlab run ticket-pv-xen --stats --define STATS=2 --irq-every all@50000
  spinlab run mylock.s --iters 10 --trace
  spinlab run ticket.o --lock my_lock --unlock my_unlock
  spinlab run ticket --vcpus 8 --iters 20 --timeline -
  spinlab run ticket-pv-kvm --snapshot-at 50000 --snapshot half.snap
  spinlab run --restore half.snap
  spinlab run --bare hex:f00fc107 --set rax=2 --set rdi=0x200000 --mem 0x200000=05`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.bare {
				return oneTarget(cmd, args)
			}
			return f.snapshotFlags.check(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.bare {
				return bareRun(cmd, args[0], &f)
			}
			return machineRun(cmd, args, &f)
		},
	}
	f.output = outputFlag(cmd, "text", "json", "csv")
	fs := cmd.Flags()
	fs.IntVar(&f.vcpus, "vcpus", 4, "vCPUs of each VM")
	fs.IntVar(&f.pcpus, "pcpus", 0, "pCPUs of the machine (default the profile's, else half the vCPUs, rounded up)")
	fs.IntVar(&f.vms, "vms", 1, "equal VMs on the machine")
	f.machineFlags.add(fs)
	f.snapshotFlags.add(fs)
	f.timelineFlags.add(fs)
	f.irqs.add(fs)
	fs.StringVar(&f.do, "do", "", doUsage)
	f.stats.add(fs)
	f.host.add(fs)
	f.backend = newChoice("auto", "kvm", "xen")
	fs.Var(f.backend, "backend", "the hypervisor that the guest meets; auto is the one that the lock was written for:")
	fs.BoolVar(&f.trace, "trace", false, "print every instruction and what the host does")
	fs.BoolVar(&f.bare, "bare", false, "run a snippet alone on one core")
	f.bind.add(fs, bindEntry|bindProbe)
	fs.StringArrayVar(&f.set, "set", nil, "with --bare: a register to start with, as `rdi=0x200000`")
	fs.StringArrayVar(&f.memory, "mem", nil, "with --bare: bytes to start with, as `0x200000=0201`")
	fs.Uint8Var(&f.cpl, "cpl", 0, "with --bare: privilege level, 0 or 3")
	return cmd
}

// add defines the flags of a machine.
func (f *machineFlags) add(fs *pflag.FlagSet) {
	f.ple = newChoice("off", "on")
	f.commit = newChoice("timed", "eager", "late", "random")
	f.kickABI = newChoice("v8", "v3", "mainline")
	f.hostBug = newChoice(vmm.HostBugs[:]...)
	fs.Int64Var(&f.iters, "iters", guestcode.DefaultIters, "acquisitions of each vCPU")
	fs.Int64Var(&f.workIn, "work-in", 0, "turns of a work loop inside the critical section")
	fs.Int64Var(&f.workOut, "work-out", 0, "turns of a work loop before each acquisition")
	fs.StringVar(&f.profile, "profile", "default", "what things cost and how the host schedules: a `name` from spinlab list profiles")
	fs.Var(f.ple, "ple", "pause-loop exiting:")
	fs.Uint64Var(&f.slice, "slice", 0, "time slice in cycles (default the profile's)")
	fs.Uint64Var(&f.seed, "seed", 0, "varies start times; 0 starts all vCPUs at once")
	fs.Var(f.commit, "commit", "when buffered stores commit:")
	fs.Var(f.kickABI, "kick-abi", "how the kick hypercall names its target (the built-in locks speak v8):")
	fs.Var(f.hostBug, "host-bug", "a mistake of the host to show its effect:")
	fs.IntVar(&f.pvUnhaltBit, "pv-unhalt-bit", vmm.DefaultPVUnhaltBit, "CPUID feature `bit` that offers the kick; -1 offers none")
	fs.Uint64Var(&f.maxInstructions, "max-instructions", vmm.DefaultMaxInstructions, "ends an endless guest: instructions of all vCPUs")
	fs.Uint64Var(&f.maxCycles, "max-cycles", 0, "ends a run in virtual time (default no limit)")
	fs.BoolVar(&f.noSkip, "no-skip", false, "execute every turn of loops that only wait, which are otherwise skipped where turns are alike; the report is the same")
	f.bind.add(fs, bindLock|bindLoad)
	fs.StringArrayVar(&f.defines, "define", nil, "set a parameter of the source: `NAME=VALUE`, as often as needed")
}

// checkCounts refuses what the libraries would take for a default.
func (f *machineFlags) checkCounts() error {
	switch {
	case f.iters < 1:
		return fmt.Errorf("--iters %d: at least 1 acquisition is wanted", f.iters)
	case f.maxInstructions == 0:
		return errors.New("--max-instructions 0: nothing could run")
	}
	return nil
}

// config makes the machine's configuration, all but its VMs and pCPUs.
func (f *machineFlags) config() (vmm.Config, error) {
	profile, ok := vmm.FindProfile(f.profile)
	if !ok {
		return vmm.Config{}, fmt.Errorf("unknown profile %q: spinlab list profiles shows all", f.profile)
	}
	cfg := vmm.Config{
		Profile: &profile, Slice: f.slice, PLE: f.usePLE(&profile),
		Commit: engine.CommitModes[f.commit.value], Seed: f.seed,
		MaxInstructions: f.maxInstructions, MaxCycles: f.maxCycles,
		HostBug: hostBug(f.hostBug.value), KickABI: engine.KickABIs[f.kickABI.value], PVUnhaltBit: f.pvUnhaltBit, NoSkip: f.noSkip,
	}
	if f.pvUnhaltBit == 0 { // 0 means the default to the machine
		return cfg, errors.New("--pv-unhalt-bit 0: 1 to 31, or -1 for none")
	}
	return cfg, nil
}

// program is the guest's part of the flags.
func (f *machineFlags) program(vcpus int) (guestcode.Config, error) {
	defines, err := parseDefines(f.defines)
	for _, both := range []struct {
		flag, name   string
		value, usual int64
	}{{"iters", "ITERS", f.iters, guestcode.DefaultIters}, {"work-in", "WORK_IN", f.workIn, 0}, {"work-out", "WORK_OUT", f.workOut, 0}} {
		x, ok := defines[both.name]
		if ok && both.value != both.usual && x != both.value {
			return guestcode.Config{}, fmt.Errorf("--%s %d contradicts --define %s=%d", both.flag, both.value, both.name, x)
		}
	}
	c := guestcode.Config{VCPUs: vcpus, Iters: f.iters, WorkIn: f.workIn, WorkOut: f.workOut, Defines: defines}
	return c, errors.Join(err, f.bind.apply(&c))
}

// checkSize names the range before a default is derived from a bad value.
func (f *runFlags) checkSize(cmd *cobra.Command) error {
	switch {
	case f.vcpus < 1 || f.vcpus > vmm.MaxVCPUs:
		return fmt.Errorf("--vcpus %d: a VM has 1 to %d vCPUs", f.vcpus, vmm.MaxVCPUs)
	case f.vms < 1 || f.vms > vmm.MaxVMs:
		return fmt.Errorf("--vms %d: a machine has 1 to %d VMs", f.vms, vmm.MaxVMs)
	case cmd.Flags().Changed("pcpus") && (f.pcpus < 1 || f.pcpus > vmm.MaxPCPUs):
		return fmt.Errorf("--pcpus %d: a machine has 1 to %d pCPUs", f.pcpus, vmm.MaxPCPUs)
	}
	if f.pcpus == 0 {
		f.pcpus = f.usualPCPUs()
	}
	if f.pcpus == 0 {
		f.pcpus = halfOf(f.vcpus * f.vms)
	}
	return nil
}

// halfOf is the default number of pCPUs.
func halfOf(vcpus int) int { return min((vcpus+1)/2, vmm.MaxPCPUs) }

// machineRun is the verb run on a whole machine.
func machineRun(cmd *cobra.Command, args []string, f *runFlags) error {
	for _, name := range []string{"set", "mem", "cpl"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is for --bare", name)
		}
	}
	if err := f.timelineFlags.check(cmd, append(args, f.restore)...); err != nil {
		return err
	}
	j, err := f.job(cmd, args)
	if err != nil {
		return err
	}
	if err := f.stats.checkReport(j.p, f.output.value); err != nil {
		return err
	}
	return buffered(cmd, func(w *bufio.Writer) error {
		notes := w // for traces and drawings
		if f.output.value != "text" {
			notes = bufio.NewWriter(cmd.ErrOrStderr())
		}
		defer notes.Flush()
		hooks := vmm.Hooks{Symbolize: symbolizer(j.p), Line: func(a uint64) string { return compiledLine(j.p.Object, a) }}
		if f.trace {
			hooks.Observe = machineTrace(notes, j).event
		}
		var endTimeline func() error
		if hooks.Events, endTimeline, err = f.timelineFlags.open(notes, j.m); err != nil {
			return err
		}
		j.m.Listen(hooks)
		stop := progress(cmd.ErrOrStderr(), "running "+j.p.Name)
		if f.snapshotFlags.file != "" {
			defer stop()
			return f.snapshotFlags.save(cmd, j)
		}
		r := experiment.Finish(j.p, j.m)
		stop()
		if len(j.p.Probes) != 0 && r.Verdict == vmm.VerdictDone && acquisitions(r) == 0 {
			writeNotes(cmd.ErrOrStderr(), []string{neverAcquired})
		}
		if err := printRun(w, r, j.p, f.output.value); err != nil {
			return err
		}
		if f.stats.show && f.output.value == "text" {
			printHistogram(w, r.Stats)
		}
		if f.timelineFlags.file == "-" {
			fmt.Fprintln(notes)
		}
		if err := errors.Join(endTimeline(), w.Flush()); err != nil {
			return err
		}
		return exitWith(verdictCode(r.Verdict))
	})
}

// job is the machine to run: a new one, or one that was saved.
func (f *runFlags) job(cmd *cobra.Command, args []string) (*job, error) {
	if f.restore != "" {
		j, err := restoreJob(f.restore)
		if err == nil {
			j.m.SetNoSkip(f.noSkip)
		}
		return j, err
	}
	do, err := doSequences(cmd, f.do, &f.vcpus)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(f.checkSize(cmd), f.checkCounts()); err != nil {
		return nil, err
	}
	cfg, err := f.config()
	if err != nil {
		return nil, err
	}
	c, err := f.program(f.vcpus)
	if err != nil {
		return nil, err
	}
	injections, handlers, err := f.irqs.injections(f.vms, f.vcpus)
	if err != nil {
		return nil, err
	}
	c.IRQs, c.Do, c.Handlers = f.irqs.any(), do, handlers
	t, err := findTarget(args[0], cmd.InOrStdin())
	if err != nil {
		return nil, err
	}
	p, err := t.build(c)
	if err != nil {
		return nil, err
	}
	printNotes(cmd, p.Notes)
	if b, ok := backends[f.backend.value]; ok {
		p.Backend = b
	}
	if cfg.Tasks, err = f.stats.tasks(p, cmd.ErrOrStderr(), f.output.value); err != nil {
		return nil, err
	}
	cfg.Inject = inject(injections, p.Vectors)
	cfg.PCPUs, cfg.VMs = f.pcpus, experiment.VMs(p, f.vms, f.vcpus)
	if err := f.host.apply(&cfg); err != nil {
		return nil, err
	}
	return newJob(t, c, p, cfg)
}

func verdictCode(v vmm.Verdict) int {
	switch v {
	case vmm.VerdictDone:
		return exitOK
	case vmm.VerdictLimit:
		return exitLimit
	}
	return exitBad
}

// bareAllowed are the flags of run that mean something with --bare.
var bareAllowed = map[string]bool{"bare": true, "entry": true, "load": true, "set": true, "mem": true, "cpl": true, "commit": true,
	"max-instructions": true, "trace": true, "define": true, "output": true, "no-skip": true, "help": true}

// checkBare refuses flags that a bare core has no use for.
func (f *runFlags) checkBare(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(g *pflag.Flag) {
		if !bareAllowed[g.Name] && err == nil {
			err = fmt.Errorf("--%s means nothing with --bare", g.Name)
		}
	})
	switch {
	case err != nil:
	case cmd.Flags().Changed("commit") && f.commit.value != "eager" && f.commit.value != "late":
		err = fmt.Errorf("--commit %s: a bare core has eager and late", f.commit.value)
	case f.cpl != 0 && f.cpl != 3:
		err = fmt.Errorf("--cpl %d: 0 and 3 are modelled", f.cpl)
	case f.maxInstructions == 0:
		err = f.checkCounts()
	}
	return err
}
