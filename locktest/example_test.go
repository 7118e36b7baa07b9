package locktest_test

import (
	"fmt"
	"testing"

	"spinlab/locktest"
)

// A function that a JIT compiler emitted is called on a simulated core.
func ExampleCall() {
	code := locktest.Bytes([]byte{0xf0, 0x0f, 0xc1, 0x07, 0xc3}) // lock xadd %eax,(%rdi); ret
	r, err := locktest.Call(code,
		locktest.Reg("rax", 2), locktest.Reg("rdi", locktest.Scratch), locktest.Mem(locktest.Scratch, 5))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.End, r.Instructions, "instructions,", r.Locked, "locked")
	fmt.Println("eax", r.Reg("rax"), "memory", r.Mem(locktest.Scratch, 1))
	// Output:
	// end 2 instructions, 1 locked
	// eax 5 memory [7]
}

// A lock is proved for two CPUs, and its broken sister is not.
func ExampleCheck() {
	for _, xchg := range []string{"lock btsl $0, (%rdi)", "btsl $0, (%rdi)"} {
		code := locktest.Asm(`
			.globl spin_lock, spin_unlock
		spin_lock:
			` + xchg + `
			jc spin_lock
			ret
		spin_unlock:
			movl $0, (%rdi)
			ret
		`)
		v, err := locktest.Check(code, 2, 1, locktest.Limits{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(v)
	}
	// Output:
	// holds
	// violated: exclusion
}

// A test of a compiler reads the object that it has written.
func ExampleFile() {
	for _, object := range []string{"ttas-O2.o", "broken-O2.o"} {
		code := locktest.File("../tests/testdata/obj/" + object)
		missed, err := locktest.Judge(code, "lock locked == 1")
		if err != nil {
			fmt.Println(err)
			return
		}
		v, err := locktest.Check(code, 2, 1, locktest.Limits{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(v, missed)
	}
	// Output:
	// holds []
	// violated: exclusion [lock locked == 1: lock locked: measured 0, wanted == 1 (spin_lock broken.c:4)]
}

func ExampleMeasure() {
	cost, err := locktest.Measure(locktest.Variant("ticket"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("lock %+v\nunlock %+v\nspin turn %d\n", cost.Lock, cost.Unlock, cost.SpinTurn)
	// Output:
	// lock {Instructions:9 Locked:1 Loads:3 Stores:2 Branches:2 Bytes:23}
	// unlock {Instructions:5 Locked:0 Loads:3 Stores:2 Branches:1 Bytes:9}
	// spin turn 4
}

// Budgets are gates: they say what is over, by how much and where.
func ExampleJudge() {
	code := locktest.Asm(`
		.globl spin_lock, spin_unlock
	spin_lock:
		lock btsl $0, (%rdi)
		jc spin_lock
		ret
	spin_unlock:
		lock btrl $0, (%rdi)
		ret
	`)
	missed, err := locktest.Judge(code,
		"lock locked == 1",
		"unlock locked == 0",
		"check holds 2x1")
	if err != nil {
		fmt.Println(err)
	}
	for _, m := range missed {
		fmt.Println(m)
	}
	// Output:
	// unlock locked == 0: unlock locked: measured 1, wanted == 0 (spin_unlock asm:8)
}

// In a test of a compiler, the whole is one line a rule.
func ExampleBudget() {
	var t *testing.T // of the test
	compiled := func() []byte { return nil }
	_ = func() {
		code := locktest.Functions(map[string][]byte{"spin_lock": compiled(), "spin_unlock": compiled()})
		locktest.Budget(t, code, "lock instructions <= 9", "check holds 2x2")
	}
}
