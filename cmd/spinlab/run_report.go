package main

import (
	"fmt"
	"io"
	"strings"

	"spinlab/experiment"
	"spinlab/guestcode"
	"spinlab/vmm"
)

// acquisitions is how many there were in all.
func acquisitions(r *experiment.Result) (n uint64) {
	for _, vm := range r.VMs {
		for _, v := range vm.VCPUs {
			n += v.Acquisitions
		}
	}
	return n
}

// printRun prints the report of a run.
func printRun(w io.Writer, r *experiment.Result, p *guestcode.Program, format string) error {
	switch format {
	case "json":
		return writeJSON(w, r)
	case "csv":
		t := runTable(r)
		return t.csv(w)
	}
	printVerdict(w, r, p)
	work, times := workTable(r), timeTable(r)
	fmt.Fprintln(w)
	work.text(w)
	fmt.Fprintln(w)
	times.text(w)
	l := r.Lines
	fmt.Fprintf(w, "\nlines: %s transfers, %s upgrades, %s fills, %s split locks\n",
		grouped(l.Transfers), grouped(l.Upgrades), grouped(l.Fills), grouped(l.SplitLocks))
	if l.Remote > 0 {
		fmt.Fprintf(w, "remote: %s of the transfers came from another socket\n", grouped(l.Remote))
	}
	if s := r.Stats; s != nil {
		fmt.Fprintf(w, "guest: %s\n", statsLine(s))
	}
	if n := interruptsTaken(r); n > 0 {
		fmt.Fprintf(w, "interrupts taken: %s\n", grouped(n))
	}
	if r.Console != "" {
		fmt.Fprintf(w, "\nconsole:\n%s\n", strings.TrimRight(r.Console, "\n"))
	}
	return nil
}

// interruptsTaken adds up over all vCPUs.
func interruptsTaken(r *experiment.Result) (n uint64) {
	for _, vm := range r.VMs {
		for i := range vm.VCPUs {
			n += vm.VCPUs[i].Interrupts
		}
	}
	return n
}

// mostWaiting is how many vCPUs are named when a run got stuck.
const mostWaiting = 32

// printVerdict is the first line and, unless all is well, the reason.
func printVerdict(w io.Writer, r *experiment.Result, p *guestcode.Program) {
	fmt.Fprintf(w, "%s: %s", r.Target, r.Verdict)
	sep := " — "
	if r.Counter.Want > 0 {
		fmt.Fprintf(w, "%scounter %d of %d", sep, r.Counter.Got, r.Counter.Want)
		sep = ", "
	}
	fmt.Fprintf(w, "%s%s cycles, seed %d\n", sep, grouped(r.Cycles), r.Seed)
	switch {
	case r.Verdict == vmm.VerdictDone:
		return
	case r.Verdict != vmm.VerdictDeadlock && r.Message != "":
		fmt.Fprintf(w, "  %s\n", r.Message)
	}
	if r.Verdict == vmm.VerdictDeadlock && strings.HasPrefix(r.Message, "boot ") {
		fmt.Fprintf(w, "  %s\n", r.Message)
	}
	for i, s := range r.Waiting {
		if r.Verdict != vmm.VerdictDeadlock && r.Verdict != vmm.VerdictLimit {
			break // the message has said who did it
		}
		if i == mostWaiting {
			fmt.Fprintf(w, "  … %d vCPUs in all\n", len(r.Waiting))
			break
		}
		fmt.Fprintf(w, "  %s %s at %#x%s: %s\n", vcpuName(r, s.VM, s.VCPU), s.State, s.RIP, where(p, s), waitsFor(r, s))
	}
	if r.Livelock {
		fmt.Fprintln(w, "  none of them can ever go on: nobody is left to change what they read (a livelock)")
	}
	for vm, lock := range r.Locks {
		name := "the lock"
		if len(r.Locks) > 1 {
			name = fmt.Sprintf("the lock of vm %d", vm)
		}
		fmt.Fprintf(w, "  %s at %#x holds %s\n", name, p.Lock, lock)
	}
}

// where is the symbol and the source line of a vCPU that was not done.
func where(p *guestcode.Program, s vmm.Stuck) string {
	text := ""
	if s.Symbol != "" {
		text = " (" + s.Symbol + ")"
	}
	if line := experiment.SourceLine(p.Object, s.RIP); line != "" {
		text += " " + line
	}
	return text
}

// waitsFor says what would let a vCPU go on.
func waitsFor(r *experiment.Result, s vmm.Stuck) string {
	text := "has not ended"
	if s.Spins {
		text = "spins round a loop that only reads"
	}
	switch s.State {
	case vmm.Asleep.String(), vmm.Halted.String():
		text = "waits for a kick, none is pending"
		if s.Kicked {
			text = "a kick is pending"
		}
		if !s.IF {
			text += ", interrupts are off"
		}
	}
	for _, w := range r.Wants {
		if w.VM == s.VM && w.VCPU == s.VCPU {
			text += fmt.Sprintf("; wants ticket %d of lock %s", w.Ticket, w.Lock)
		}
	}
	return text
}

func vcpuName(r *experiment.Result, vm, vcpu int) string {
	if len(r.VMs) == 1 {
		return fmt.Sprintf("vcpu %d", vcpu)
	}
	return fmt.Sprintf("vm %d vcpu %d", vm, vcpu)
}

// eachVCPU calls f for every vCPU, and then, if there are several, with the
// sums of their counters.
func eachVCPU(r *experiment.Result, f func(name string, v *vmm.VCPUReport)) {
	var sum vmm.VCPUReport
	n := 0
	for i := range r.VMs {
		for k := range r.VMs[i].VCPUs {
			v := &r.VMs[i].VCPUs[k]
			name := fmt.Sprint(v.VCPU)
			if len(r.VMs) > 1 {
				name = fmt.Sprintf("%d.%d", i, v.VCPU)
			}
			if r.VMs[i].Hog { // no part of the work
				f(fmt.Sprintf("hog %d", v.VCPU), v)
				continue
			}
			f(name, v)
			addCounters(&sum, v)
			n++
		}
	}
	if n > 1 {
		if sum.Acquisitions > 0 {
			sum.WaitCycles.Mean /= float64(sum.Acquisitions)
			sum.HoldCycles.Mean /= float64(sum.Acquisitions)
		}
		f("all", &sum)
	}
}

// addCounters adds v to sum; means are summed up weighted.
func addCounters(sum, v *vmm.VCPUReport) {
	sum.Instructions += v.Instructions
	sum.Locked += v.Locked
	sum.Pauses += v.Pauses
	sum.Exits.HLT += v.Exits.HLT
	sum.Exits.Hypercall += v.Exits.Hypercall
	sum.Exits.Pause += v.Exits.Pause
	sum.Exits.Preempt += v.Exits.Preempt
	sum.KicksSent += v.KicksSent
	sum.RunCycles += v.RunCycles
	sum.ReadyCycles += v.ReadyCycles
	sum.HaltedCycles += v.HaltedCycles
	sum.HostCycles += v.HostCycles
	sum.DoneCycles += v.DoneCycles
	sum.Acquisitions += v.Acquisitions
	sum.WaitCycles.Mean += v.WaitCycles.Mean * float64(v.Acquisitions)
	sum.WaitCycles.Max = max(sum.WaitCycles.Max, v.WaitCycles.Max)
	sum.HoldCycles.Mean += v.HoldCycles.Mean * float64(v.Acquisitions)
}

// vcpuHead is the header of the first column.
func vcpuHead(r *experiment.Result) string {
	if len(r.VMs) > 1 {
		return "vm.vcpu"
	}
	return "vcpu"
}

// workTable is what the vCPUs executed and why they left the guest.
func workTable(r *experiment.Result) table {
	t := table{head: []string{vcpuHead(r), "instructions", "locked", "pauses", "exits: hlt", "hypercall", "pause", "preempt", "kicks sent"}}
	eachVCPU(r, func(name string, v *vmm.VCPUReport) {
		t.add(name, v.Instructions, v.Locked, v.Pauses, v.Exits.HLT, v.Exits.Hypercall, v.Exits.Pause, v.Exits.Preempt, v.KicksSent)
	})
	return t
}

// timeTable is how long they waited and where their time went.
func timeTable(r *experiment.Result) table {
	t := table{head: []string{vcpuHead(r), "acquisitions", "cycles: wait mean", "wait max", "hold mean", "run", "ready", "halted", "host", "done"}}
	eachVCPU(r, func(name string, v *vmm.VCPUReport) {
		t.add(name, v.Acquisitions, v.WaitCycles.Mean, v.WaitCycles.Max, v.HoldCycles.Mean,
			v.RunCycles, v.ReadyCycles, v.HaltedCycles, v.HostCycles, v.DoneCycles)
	})
	return t
}

// runTable is the CSV: one row a vCPU, the verdict repeated.
func runTable(r *experiment.Result) table {
	t := table{head: []string{"target", "seed", "verdict", "vm", "vcpu", "instructions", "locked", "loads", "stores", "pauses",
		"exits_hlt", "exits_hypercall", "exits_pause", "exits_preempt", "kicks_sent",
		"run_cycles", "ready_cycles", "halted_cycles", "host_cycles", "done_cycles",
		"acquisitions", "wait_mean_cycles", "wait_max_cycles"}}
	for _, vm := range r.VMs {
		for i := range vm.VCPUs {
			v := &vm.VCPUs[i]
			t.add(r.Target, r.Seed, r.Verdict, vm.VM, v.VCPU, v.Instructions, v.Locked, v.Loads, v.Stores, v.Pauses,
				v.Exits.HLT, v.Exits.Hypercall, v.Exits.Pause, v.Exits.Preempt, v.KicksSent,
				v.RunCycles, v.ReadyCycles, v.HaltedCycles, v.HostCycles, v.DoneCycles,
				v.Acquisitions, v.WaitCycles.Mean, v.WaitCycles.Max)
		}
	}
	return t
}
