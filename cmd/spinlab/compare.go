package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"spinlab/experiment"
	"spinlab/guestcode"
	"spinlab/vmm"
)

const compareHelp = `Prints one row for each lock: the size of its code, what an uncontended lock and
unlock execute, one turn of the spin loop, and what an acquisition takes with
several vCPUs. Without arguments all sound variants are compared.

Counts run from the first instruction of spin_lock (spin_unlock) through its
RET, on one vCPU after spin_init; stack accesses count as loads and stores, an
RMW as one of each. The slow path is every other sized function of the lock's
files. Contended numbers are everything that the machine did, the harness
included, divided by the acquisitions; cycles are elapsed time.`

func compareCmd() *cobra.Command {
	var f machineFlags
	var vcpus []int
	var pcpus int
	cmd := &cobra.Command{
		Use:   "compare [TARGET…]",
		Short: "Compare what locks cost, a row for each",
		Long:  compareHelp,
		Example: `  spinlab compare
  spinlab compare ticket ticket-pv-off ticket-pv-kvm --vcpus 2,8
  spinlab compare ticket mylock.s --ple=on -o json
  spinlab compare ticket lock-O2.o lock-O3.o --lock my_lock --unlock my_unlock
  spinlab compare -o bench > new.txt; benchstat old.txt new.txt`,
	}
	format := outputFlag(cmd, "text", "json", "csv", "bench")
	cmd.Flags().IntSliceVar(&vcpus, "vcpus", []int{2, 4, 8}, "numbers of vCPUs to contend with")
	cmd.Flags().IntVar(&pcpus, "pcpus", 0, "pCPUs (default half the vCPUs, rounded up)")
	f.add(cmd.Flags())
	_ = cmd.Flags().Set("iters", "200") // an int flag takes a number
	cmd.Flags().Lookup("iters").DefValue = "200"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		rows, code, err := compareRows(cmd, args, &f, vcpus, pcpus)
		if err != nil {
			return err
		}
		return buffered(cmd, func(w *bufio.Writer) error {
			if err := printCompare(w, rows, format.value); err != nil {
				return err
			}
			if err := w.Flush(); err != nil {
				return err
			}
			return exitWith(compareCode(rows, code))
		})
	}
	return cmd
}

// compareRows measures every target. One that gets stuck alone is named on the
// standard error and left out; code is then its verdict's.
func compareRows(cmd *cobra.Command, args []string, f *machineFlags, vcpus []int, pcpus int) (rows []experiment.Row, code int, err error) {
	if err := f.checkCounts(); err != nil {
		return nil, 0, err
	}
	for _, n := range vcpus {
		if n < 1 || n > vmm.MaxVCPUs {
			return nil, 0, fmt.Errorf("--vcpus %d: a VM has 1 to %d vCPUs", n, vmm.MaxVCPUs)
		}
	}
	if cmd.Flags().Changed("pcpus") && (pcpus < 1 || pcpus > vmm.MaxPCPUs) {
		return nil, 0, fmt.Errorf("--pcpus %d: a machine has 1 to %d pCPUs", pcpus, vmm.MaxPCPUs)
	}
	targets, err := compareTargets(args, cmd.InOrStdin())
	if err != nil {
		return nil, 0, err
	}
	cfg, err := f.config()
	if err != nil {
		return nil, 0, err
	}
	stop := progress(cmd.ErrOrStderr(), "comparing")
	defer stop()
	withFiles := slices.ContainsFunc(targets, func(t target) bool { return t.variant == nil })
	for _, t := range targets {
		row, err := compareRow(cmd.ErrOrStderr(), t, withFiles, f, cfg, vcpus, pcpus)
		var stuck *experiment.StuckError
		switch {
		case errors.As(err, &stuck):
			fmt.Fprintln(cmd.ErrOrStderr(), "spinlab:", err)
			code = worse(code, verdictCode(stuck.Verdict))
		case err != nil:
			return nil, 0, err
		default:
			rows = append(rows, row)
		}
	}
	return rows, code, nil
}

// compareTargets are the arguments, or all sound variants.
func compareTargets(args []string, stdin io.Reader) ([]target, error) {
	if len(args) == 0 {
		for _, v := range guestcode.Variants() {
			if v.BrokenOf == "" {
				args = append(args, v.Name)
			}
		}
	}
	var list []target
	for _, arg := range args {
		t, err := findTarget(arg, stdin)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

func compareRow(stderr io.Writer, t target, withFiles bool, f *machineFlags, cfg vmm.Config, vcpus []int, pcpus int) (experiment.Row, error) {
	base, err := f.program(0)
	if err != nil {
		return experiment.Row{}, err
	}
	if t.variant != nil && withFiles { // the flags are about the files
		base.Bind, base.Load = guestcode.Binding{}, nil
	}
	if p, err := t.build(base); err == nil {
		writeNotes(stderr, p.Notes)
	}
	row, err := experiment.Measure(t.name, t.build, base, cfg)
	if err != nil {
		return row, err
	}
	for _, n := range vcpus {
		base.VCPUs, cfg.PCPUs = n, pcpus
		if pcpus == 0 {
			cfg.PCPUs = halfOf(n)
		}
		c, err := experiment.MeasureContended(t.build, base, cfg)
		if err != nil {
			return row, err
		}
		row.Contended = append(row.Contended, c)
	}
	return row, nil
}

// compareCode is the worst of the runs' exit codes and code.
func compareCode(rows []experiment.Row, code int) int {
	for _, r := range rows {
		for _, c := range r.Contended {
			code = worse(code, verdictCode(c.Verdict))
		}
	}
	return code
}

// worse is the exit code that says more: something bad, then a limit.
func worse(a, b int) int {
	if a == exitBad || b == exitOK {
		return a
	}
	return b
}
