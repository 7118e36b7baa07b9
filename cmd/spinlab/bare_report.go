package main

import (
	"fmt"
	"io"

	"spinlab/cpu"
	"spinlab/locktest/engine"
	"spinlab/vmm"
)

func bareCode(r *engine.BareReport) int {
	switch r.Stop {
	case vmm.BareHLT:
		return exitOK
	case vmm.BareLimit:
		return exitLimit
	}
	return exitBad
}

// printBare prints what a snippet did.
func printBare(w io.Writer, r *engine.BareReport, format string) error {
	t := changeTable(r)
	switch format {
	case "json":
		return writeJSON(w, r)
	case "csv":
		t.add("stop", "", r.Verdict())
		t.add("rip", "", r.RIP)
		t.add("instructions", "", r.Instructions)
		t.add("locked", "", r.Locked)
		return t.csv(w)
	}
	fmt.Fprintf(w, "%s: %s at %s — %s instructions, %d locked, %d loads, %d stores\n",
		r.Target, r.Verdict(), r.Place(), grouped(r.Instructions), r.Locked, r.Loads, r.Stores)
	for k := range cpu.NumExits {
		if n := r.Exits[engine.ExitNames[k]]; n > 0 && k != cpu.ExitHLT {
			fmt.Fprintf(w, "exits: %s %d\n", engine.ExitNames[k], n)
		}
	}
	if len(t.rows) > 0 {
		t.text(w)
	}
	return nil
}

// changeTable is one table of everything that differs.
func changeTable(r *engine.BareReport) table {
	t := table{head: []string{"changed", "before", "after"}}
	for _, c := range r.Registers {
		t.add(c.What, c.Before, c.After)
	}
	for _, c := range r.Memory {
		t.add("["+c.What+"]", c.Before, c.After)
	}
	return t
}
