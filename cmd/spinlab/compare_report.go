package main

import (
	"fmt"
	"io"

	"spinlab/experiment"
	"spinlab/vmm"
)

func printCompare(w io.Writer, rows []experiment.Row, format string) error {
	switch format {
	case "json":
		return writeJSON(w, rows)
	case "csv":
		t := compareCSV(rows)
		return t.csv(w)
	case "bench":
		printBench(w, rows)
		return nil
	}
	t := staticTable(rows)
	t.text(w)
	if c := contendedTable(rows); len(c.rows) > 0 {
		fmt.Fprintln(w)
		c.text(w)
	}
	return nil
}

// staticTable has what does not depend on a schedule.
func staticTable(rows []experiment.Row) table {
	t := table{head: []string{"variant", "bytes: lock", "unlock", "slowpath",
		"lock: instr", "locked", "loads", "stores", "unlock: instr", "locked", "loads", "stores", "spin turn: instr"}}
	for _, r := range rows {
		l, u := r.Uncontended.Lock, r.Uncontended.Unlock
		t.add(r.Variant, r.Bytes.Lock, r.Bytes.Unlock, r.Bytes.Slowpath,
			l.Instructions, l.Locked, l.Loads, l.Stores, u.Instructions, u.Locked, u.Loads, u.Stores, r.SpinTurn)
	}
	return t
}

// contendedTable has a row for each run, per acquisition.
func contendedTable(rows []experiment.Row) table {
	t := table{head: []string{"variant", "vcpus", "pcpus", "per acquisition: instr", "locked", "pauses", "transfers", "exits", "cycles", "verdict"}}
	for _, r := range rows {
		for _, c := range r.Contended {
			p := c.Per
			t.add(r.Variant, c.VCPUs, c.PCPUs, p.Instructions, p.Locked, p.Pauses, p.Transfers, p.Exits, p.Cycles, string(c.Verdict))
		}
	}
	return t
}

func compareCSV(rows []experiment.Row) table {
	t := table{head: []string{"variant", "bytes_lock", "bytes_unlock", "bytes_slowpath",
		"lock_instructions", "lock_locked", "lock_loads", "lock_stores",
		"unlock_instructions", "unlock_locked", "unlock_loads", "unlock_stores", "spin_instructions",
		"vcpus", "pcpus", "verdict", "instructions", "locked", "pauses", "transfers", "exits", "cycles"}}
	for _, r := range rows {
		l, u := r.Uncontended.Lock, r.Uncontended.Unlock
		runs := r.Contended
		if len(runs) == 0 {
			runs = []experiment.Contended{{}}
		}
		for _, c := range runs {
			p := c.Per
			t.add(r.Variant, r.Bytes.Lock, r.Bytes.Unlock, r.Bytes.Slowpath,
				l.Instructions, l.Locked, l.Loads, l.Stores, u.Instructions, u.Locked, u.Loads, u.Stores, r.SpinTurn,
				c.VCPUs, c.PCPUs, c.Verdict, p.Instructions, p.Locked, p.Pauses, p.Transfers, p.Exits, p.Cycles)
		}
	}
	return t
}

// printBench prints the Go benchmark format: a line for each run, which
// benchstat compares by name. A run that did not end gives no line.
func printBench(w io.Writer, rows []experiment.Row) {
	fmt.Fprintln(w, "goos: spinlab")
	fmt.Fprintln(w, "goarch: amd64")
	fmt.Fprintln(w, "pkg: spinlab/compare")
	for _, r := range rows {
		l, u := r.Uncontended.Lock, r.Uncontended.Unlock
		fmt.Fprintf(w, "BenchmarkUncontended/variant=%s 1 %d lock-instructions %d lock-locked %d unlock-instructions %d unlock-locked\n",
			r.Variant, l.Instructions, l.Locked, u.Instructions, u.Locked)
		for _, c := range r.Contended {
			if c.Verdict != vmm.VerdictDone {
				continue
			}
			p := c.Per
			fmt.Fprintf(w, "BenchmarkContended/variant=%s/vcpus=%d/pcpus=%d 1 %.2f cycles/op %.2f instructions/op %.2f locked/op %.2f transfers/op %.2f exits/op\n",
				r.Variant, c.VCPUs, c.PCPUs, p.Cycles, p.Instructions, p.Locked, p.Transfers, p.Exits)
		}
	}
}
