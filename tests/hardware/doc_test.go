// Package hardware compares the cpu package with a real processor.
//
// A generator (gen_test.go and the files after it) makes random instructions
// and short sequences of every user-mode row of the instruction table, together
// with what the manuals leave undefined about their results. A native runner
// (runner.c) executes them on the host; vmm.Bare executes them in three ways;
// everything that is defined must agree.
//
//	go test ./tests/hardware                                20,000 new cases, then the floor
//	SPINLAB_HW_CASES=200000 go test ./tests/hardware        more of them
//	SPINLAB_HW_SEED=7 SPINLAB_HW_INDEX=123 go test -run TestAgainstHost -v ./tests/hardware
//	                                                        one case again, whatever its outcome
//	go test ./tests/hardware -run TestFloor -update         a new floor, from this host
//
// The floor (testdata/floor.jsonl.gz) is a set of cases with a processor's
// results, so that hosts without gcc, and other architectures, test as well.
package hardware
