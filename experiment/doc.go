// Package experiment puts guest programs on machines and measures them.
//
//	image.go    a guest program -> what a machine loads
//	run.go      one run: the machine's report and the guest's own counters
//	measure.go  what one lock and one unlock cost, to the instruction
//	compare.go  the rows of a comparison of variants
//
// It is where package guestcode, which knows no machine, and package vmm, which
// knows no variant, meet.
package experiment
