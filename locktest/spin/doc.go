// Package spin is the language of regression tests on generated code: scripts
// that end in .spin, which `spinlab test` runs.
//
//	script.go   Script: a file as items, each a command with its place
//	words.go    a line as words with columns
//	command.go  the table of commands
//	option.go   the table of flags, and inputs as rdi=0x200000
//	plan.go     words -> what a command is to do, with all errors at once
//	source.go   where code comes from
//	cc.go       the C compiler, for who wants it
//	golden.go   commands with expected output
//	budget.go   commands that hold a number or a verdict
//	run.go      Script.Run: a result for each item
//	update.go   expected blocks rewritten in place
//
// The format is that of cockroachdb/datadriven: a command, perhaps lines for
// it, then ---- and what it prints, up to a blank line. A script is read and
// planned as a whole before anything runs, so a mistake at its end is told
// without waiting for its beginning.
//
// Clocks and the compiler come from outside, in Config.
package spin
