package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/guestcode"
)

// checkVerdict is what check -o json says.
type checkVerdict struct {
	Verdict    string
	Property   string
	States     int
	Message    string
	Overtaking *struct {
		Unbounded bool
		Max       int
	}
	Trace []struct {
		Number               int
		Action, Text, Symbol string
	}
}

// checked runs spinlab check with args in words and reads its verdict.
func checked(t *testing.T, words string) checkVerdict {
	t.Helper()
	args := append([]string{"check", "-o", "json"}, strings.Fields(words)...)
	out, stderr, code := spinlab(t, nil, args...)
	var v checkVerdict
	require.NoError(t, json.Unmarshal(out, &v), "%s: exit code %d, %s", words, code, stderr)
	want := map[string]int{"holds": 0, "violated": 1, "bounded": 3}
	assert.Equal(t, want[v.Verdict], code, "%s: the exit code of %s", words, v.Verdict)
	if v.Verdict == "violated" {
		assert.NotEmpty(t, v.Trace, "%s: a violation has a trace", words)
		return v
	}
	assert.Empty(t, v.Trace, words)
	return v
}

// Every row of the table of variants gives its verdict when it is checked as the
// row says.
func TestVariantTable(t *testing.T) {
	if testing.Short() {
		t.Skip("explore checks the variants, TestBugZoo the others")
	}
	for _, v := range guestcode.Variants() {
		t.Run(v.Name, func(t *testing.T) {
			got := checked(t, v.Name+" "+v.Check)
			if v.Verdict == guestcode.VerdictHolds {
				assert.Equal(t, "holds", got.Verdict, got.Message)
				return
			}
			assert.Equal(t, v.Verdict, got.Property, got.Message)
		})
	}
}

// How often others come first while one waits: in a ticket lock the waiters
// before it, in a batched one up to a batch, in one without order without bound.
func TestOvertaking(t *testing.T) {
	if testing.Short() {
		t.Skip("large searches")
	}
	for words, want := range map[string]int{
		"ticket --vcpus 2": 1, "ticket --vcpus 3": 2, "mcs --vcpus 3": 2,
		"ticket-pv-off --vcpus 2 --define TICKET_INC=64":              1,
		"ticket-batch --define TICKET_BATCH=4 --define TICKET_INC=32": 4,
		"tas --vcpus 2 --unfair":                                      -1, "ttas --vcpus 3 --unfair": -1,
	} {
		got := checked(t, words+" --iters forever")
		assert.Equal(t, "holds", got.Verdict, "%s: %s", words, got.Message)
		assert.Equal(t, want < 0, got.Overtaking.Unbounded, words)
		if want >= 0 {
			assert.Equal(t, want, got.Overtaking.Max, words)
		}
	}
}

// zooRow is a lock bug that machine code can show, and the cure that holds. The
// arguments are those of check; files are in tests/bugzoo.
type zooRow struct {
	name, kind, story string
	bug, property     string
	cure              string // "" if what cures it is no other code
}

const slow1 = " --define SPIN_THRESHOLD=1"

var zoo = []zooRow{
	{"unlocked-add", "historic: PV ticketlock V8, patch 10",
		"the release waits in the store buffer while the flag is read; the waiter sets it, reads the old head and halts",
		"ticket-pv-kvm-unlocked-add" + slow1, "deadlock", "ticket-pv-kvm" + slow1},
	{"flag-after-pickup", "historic: PV ticketlock V8, patch 10",
		"the waiter looks at head, then sets the flag: an unlock in between sees no flag",
		"ticket-pv-kvm-flag-after-pickup" + slow1, "deadlock", "ticket-pv-kvm" + slow1},
	{"xen-byte-barrier", "historic: Linux 2496afbf",
		"spinners is read while the release waits in the store buffer",
		"byte-xen-no-mfence --define XEN_TIMEOUT=1", "deadlock", "byte-xen --iters 2 --define XEN_TIMEOUT=1"},
	{"unlock-use-after-free", "historic: Linux d6abfdb2",
		"the next owner frees the object before the unlocker has read the flag",
		"ticket-pv-kvm --free-last" + slow1, "freed", "ticket-pv-kvm-v4 --free-last" + slow1},
	{"want-lock-swapped", "derived",
		"w->lock is set before w->want: the unlocker matches the new lock with a stale ticket and kicks the wrong waiter",
		"ticket-pv-kvm-want-lock-swapped --do BbAa,Aa,ABba" + slow1, "deadlock", "ticket-pv-kvm --do BbAa,Aa,ABba" + slow1},
	{"v8-bare-halt", "historic: Linux 92b75202",
		"an interrupt between irq restore and HLT takes a nested lock and leaves w->lock empty",
		"ticket-pv-kvm --do Aa,ABba --irq 0:Bb" + slow1, "deadlock", "ticket-pv-kvm-safe-halt --do Aa,ABba --irq 0:Bb" + slow1},
	{"xen-nested-pickup", "found: PV ticketlock V8, patches 5 and 11",
		"a nested lock clears the event of the lock that it interrupted, and is picked up without a poll",
		"ticket-pv-xen --do Aa,AaBb --irq 0:Bb" + slow1, "deadlock", "ticket-pv-xen --do Aa,AaBb --irq 0:Bb --define PEND_AFTER_PICKUP=1" + slow1},
	{"unhalt-reset-early", "historic family",
		"the host forgets a pending kick on HLT entry",
		"ticket-pv-kvm --host-bug unhalt-at-hlt" + slow1, "deadlock", "ticket-pv-kvm" + slow1},
	{"unhalt-reset-late", "historic family",
		"the host forgets a kick that comes between its look and the sleep",
		"ticket-pv-kvm --host-bug unhalt-after-test" + slow1, "deadlock", "ticket-pv-kvm" + slow1},
	{"kick-wrong-apicid", "derived: PV ticketlock V8, patch 13",
		"no vCPU has the APIC id, and the host kicks the last one",
		"bugzoo/kick-wrong-apicid.s --vcpus 3 --host-bug kick-last", "assertion", "bugzoo/kick-wrong-apicid.s --vcpus 3"},
	{"zero-stats", "historic: PV ticketlock V8, patches 6 and 16",
		"two CPUs see zero_stats = 1, and both clear what the other counts",
		"bugzoo/zero-stats.s --mem 0x200000=01 --final !(P0.ebx==1&&P1.ebx==1)", "final",
		"bugzoo/zero-stats.s --mem 0x200000=01 --final !(P0.ebx==1&&P1.ebx==1) --define CMPXCHG=1"},
	{"zero-stats-lost", "historic: the same with its cure",
		"cmpxchg stops the second memset, but the first still wipes what the other has counted",
		"bugzoo/zero-stats.s --mem 0x200000=01 --final mem:0x200080:4==1&&mem:0x200084:4==1 --define CMPXCHG=1", "final", ""},
	{"ticket-wrap", "derived",
		"the fifth of five CPUs draws the first of four tickets again and enters",
		"ticket-wrap --vcpus 5", "exclusion", "ticket --define TICKET_INC=64 --vcpus 3"},
	{"trylock-flag", "mutation",
		"a try compares head with a tail that still has the flag: it fails on a free lock",
		"ticket-pv-kvm --define UNMASKED_TRYLOCK=1 --main bugzoo/trylock-flag.s --final mem:0x200100:4==1" + slow1, "final",
		"ticket-pv-kvm --main bugzoo/trylock-flag.s --final mem:0x200100:4==1" + slow1},
	{"torn-is-locked", "mutation",
		"tail and head are loaded apart: a lock that changes hands looks free",
		"ticket --vcpus 3 --main bugzoo/torn-is-locked.s --define TORN_IS_LOCKED=1", "assertion",
		"ticket --vcpus 3 --main bugzoo/torn-is-locked.s"},
	{"unlock-wait-starvation", "historic: Linux 78bff1c8",
		"the lock is held whenever the waiter looks: it waits for ever, and nothing is deadlocked",
		"ticket --do Aa*,Aa*,WA --define TICKET_INC=64", "starvation", "ticket --do Aa*,Aa*,Aa* --define TICKET_INC=64"},
	{"ppro-unlock", "historic: Pentium Pro errata 66 and 92",
		"the release overtakes the stores of the critical section",
		"ticket --buffer ppro", "final", "ticket --buffer ppro --define UNLOCK_LOCK=1"},
	{"plain-xadd", "mutation",
		"two CPUs draw the same ticket",
		"ticket-broken-plain-xadd", "exclusion", "ticket"},
	{"qspinlock-pending-movb", "mutation: Linux 7aa54be2",
		"pending waits in the store buffer; the load of the word takes it from there, beside a lock that is free and another's at once",
		"qspinlock-pending-movb --iters 2", "exclusion", "qspinlock --iters 2 --define PENDING_XCHGB=1"},
	{"pending-starvation", "historic: Linux 6512276d",
		"whenever the waiter looks, a hand-over from pending to locked is going on: it neither queues nor is it pending",
		"qspinlock --do Aa*,Aa*,Aa --define UNBOUNDED_PENDING=1", "starvation", "qspinlock --do Aa*,Aa*,Aa"},
	{"pending-cmpxchg", "historic: Linux 7aa54be2",
		"the waiter sets pending in a loop of cmpxchg: the owner changes the word before each of them",
		"qspinlock --do Aa*,Aa --define PENDING_CMPXCHG=1", "starvation", "qspinlock --do Aa*,Aa"},
	{"qspinlock-fifth-context", "found: Linux v5.1",
		"a context that finds no free node sets pending and takes it back: the head cannot leave the queue, and waits for a successor",
		"qspinlock --do AaAa,Aa,Aa --mem 0x8000cc=04", "livelock", "qspinlock --do AaAa,Aa,Aa --mem 0x8000cc=04 --define NODE_FIRST=1"},
	{"tas-starvation", "textbook",
		"nobody is served in order: the others may always come first",
		"tas --iters forever", "starvation", "ticket --iters forever"},
}

// Every bug of the zoo is caught with the right property, and its cure holds.
func TestBugZoo(t *testing.T) {
	t.Parallel()
	for _, z := range zoo {
		t.Run(z.name, func(t *testing.T) {
			if testing.Short() && strings.Contains(z.bug, "--do") {
				t.Skip("large")
			}
			got := checked(t, z.bug)
			assert.Equal(t, z.property, got.Property, got.Message)
			if z.cure != "" && !testing.Short() {
				got = checked(t, z.cure)
				assert.Equal(t, "holds", got.Verdict, got.Message)
			}
		})
	}
}

// The README's table of bugs is this one.
func TestZooTable(t *testing.T) {
	if testing.Short() {
		t.Skip("TestBugZoo runs the rows")
	}
	var b strings.Builder
	b.WriteString("| bug | kind | what goes wrong | `check` of | finds | steps | the cure holds |\n|---|---|---|---|---|---|---|\n")
	for _, z := range zoo {
		cure := "–"
		if z.cure != "" {
			cure = "`" + strings.ReplaceAll(z.cure, "|", `\|`) + "`"
		}
		v := checked(t, z.bug)
		last := 0
		for _, l := range v.Trace {
			last = max(last, l.Number)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` | %s | %d | %s |\n", z.name, z.kind, z.story, z.bug, v.Property, last, cure)
	}
	page, err := os.ReadFile(zooPage)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(page), zooBegin)
	_, tail, ok2 := strings.Cut(rest, zooEnd)
	require.True(t, ok && ok2, "%s has the marks of the table", zooPage)
	want := head + zooBegin + b.String() + zooEnd + tail
	if *update {
		require.NoError(t, os.WriteFile(zooPage, []byte(want), 0o666))
		return
	}
	assert.Equal(t, want, string(page), "the table of bugs in %s is out of date (make update)", zooPage)
}

const (
	zooPage  = "../README.md"
	zooBegin = "<!-- the bug zoo, written by make update -->\n\n"
	zooEnd   = "\n<!-- end of the bug zoo -->\n"
)
