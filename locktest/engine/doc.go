// Package engine builds code that is under test and asks the machine about it:
// what a call costs and changes, whether a lock runs, whether it holds. The
// scripts of `spinlab test` (package spin), the Go API (package locktest) and
// the verbs of the command line stand on it.
//
//	source.go  Source: a variant, assembler text, an object, bytes
//	bare.go    a snippet alone on one core
//	changes.go what it changed, as text
//	count.go   what functions cost
//	check.go   every interleaving
//	run.go     one schedule
//	dis.go     instructions as text
//	words.go   numbers, registers, memory and names as people write them
//
// Nothing here knows a script or a flag, and nothing prints.
package engine
