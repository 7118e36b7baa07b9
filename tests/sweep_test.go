//go:build sweep

package tests

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The sweeps of docs/findings.md: minutes, so `make sweep` runs them and `make
// test` does not.

var twoLocks = []string{"Aa", "Bb", "AaBb", "BbAa", "ABba"}

// Every choice of three lock programs over two locks holds.
func TestSweepTwoLocks(t *testing.T) {
	for i, a := range twoLocks {
		for j, b := range twoLocks[i:] {
			for _, c := range twoLocks[i+j:] {
				do := strings.Join([]string{a, b, c}, ",")
				v := checked(t, "ticket-pv-kvm --do "+do+slow1)
				assert.Equal(t, "holds", v.Verdict, "%s: %s", do, v.Message)
				t.Logf("%s: %s, %d states", do, v.Verdict, v.States)
			}
		}
	}
}

// An interrupt that takes the other lock, beside every program on another vCPU,
// with interrupts on and off: what V8 gets wrong, its cures get right.
func TestSweepInterrupts(t *testing.T) {
	for _, lock := range []struct {
		name  string
		cured bool
	}{
		{"ticket-pv-kvm", false}, {"ticket-pv-kvm-safe-halt", true}, {"ticket-pv-kvm-v4", true},
		{"ticket-pv-xen", false}, {"ticket-pv-xen --define PEND_AFTER_PICKUP=1", true},
	} {
		for _, other := range twoLocks {
			for _, me := range []string{"Aa --irq 0:Bb", "Bb --irq 0:Aa"} {
				for _, off := range []string{"", " --irqs-off"} {
					mine, irq, _ := strings.Cut(me, " ")
					words := lock.name + " --do " + mine + "," + other + " " + irq + off + slow1
					want := "holds"
					if off == "" && breaks(mine, other, lock.cured) {
						want = "violated"
					}
					v := checked(t, words)
					assert.Equal(t, want, v.Verdict, "%s: %s", words, v.Message)
					t.Logf("%s: %s, %d states", words, v.Verdict, v.States)
				}
			}
		}
	}
}

// breaks says which programs deadlock: those in which locks are taken in two
// orders whatever the lock, and with V8's halt those in which the other vCPU
// holds mine when the interrupt comes, and releases the handler's lock before
// mine or after it.
func breaks(mine, other string, cured bool) bool {
	crossed := mine == "Bb" && other == "ABba"
	if cured {
		return crossed
	}
	return crossed || mine == "Aa" && (other == "AaBb" || other == "ABba") || mine == "Bb" && other == "BbAa"
}

// Three vCPUs, one of them interrupted.
func TestSweepThreeWithInterrupt(t *testing.T) {
	const safe = "ticket-pv-kvm-safe-halt"
	for _, lock := range []string{safe, "ticket-pv-xen --define PEND_AFTER_PICKUP=1"} {
		for _, do := range []string{"Aa,Aa,Aa", "Aa,Aa,Bb", "Aa,Bb,Bb", "Aa,Aa,ABba", "Aa,Bb,ABba"} {
			for _, off := range []string{" --irqs-off", ""} {
				if off == "" && lock != safe {
					continue // too large
				}
				words := lock + " --do " + do + " --irq 0:Bb" + off + slow1 + " --max-memory 12G"
				v := checked(t, words)
				want := "holds"
				if off == "" && do == "Aa,Aa,ABba" { // docs/findings.md, 8
					want = "violated"
				}
				assert.Equal(t, want, v.Verdict, "%s: %s", words, v.Message)
				t.Logf("%s: %s, %d states", words, v.Verdict, v.States)
			}
		}
	}
}

// The sizes at which the locks must hold.
func TestSweepSizes(t *testing.T) {
	for _, words := range []string{
		"ticket --vcpus 5 --iters 2", "ticket-pv-kvm --iters 2", "ticket-pv-kvm --vcpus 3", "ticket-pv-kvm --vcpus 3 --iters 2", "ticket-pv-kvm --vcpus 4",
		"ticket-pv-xen --iters 2", "ticket-pv-xen --vcpus 3", "byte-xen --iters 2", "byte-xen --vcpus 3",
		"ticket-batch --define TICKET_BATCH=2 --iters 2", "ticket-batch --define TICKET_BATCH=2 --vcpus 3",
		"ticket-batch --define TICKET_BATCH=4 --iters 2", "ticket-batch --define TICKET_BATCH=4 --vcpus 3",
		"ticket-pv-kvm-v4 --iters 2", "ticket-pv-kvm-v4 --vcpus 3",
		"qspinlock --vcpus 3 --iters 2", "qspinlock --vcpus 4", "qspinlock --vcpus 3 --iters forever",
		"qspinlock --do Aa,Aa,ABba --irq 0:Bb", "qspinlock --vcpus 3 --iters 2 --free-last",
	} {
		v := checked(t, words)
		assert.Equal(t, "holds", v.Verdict, "%s: %s", words, v.Message)
		t.Logf("%s: %s, %d states", words, v.Verdict, v.States)
	}
}
