package guestcode

import "slices"

// Parameters that Go code here looks at by name.
const (
	paramTicketBits  = "TICKET_BITS"
	paramTicketBatch = "TICKET_BATCH"
	paramNRCPUs      = "NR_CPUS"
	paramTicketInc   = "TICKET_INC"
)

// The parameters, each named once; the rows below combine them.
var (
	ticketBits    = Param{Name: paramTicketBits, Default: 8, Doc: "width of a ticket: 8 or 16"}
	ticketInc     = Param{Name: paramTicketInc, Default: 1, Doc: "from a ticket to the next: a power of two to 64; more leaves fewer tickets, for small searches"}
	pvTicketInc   = Param{Name: paramTicketInc, Default: 2, Doc: "the same, from 2 on: bit 0 is the slowpath flag"}
	ticketBatch   = Param{Name: paramTicketBatch, Default: 4, Doc: "tickets in a batch: a power of two, two batches must fit the ticket"}
	spinThreshold = Param{Name: "SPIN_THRESHOLD", Default: 1 << 11, Doc: "turns of the spin loop before the hypervisor is asked to sleep"}
	xenTimeout    = Param{Name: "XEN_TIMEOUT", Default: 1 << 10, Doc: "turns of the spin loop before the slow path"}

	plainXadd       = Param{Name: "PLAIN_XADD", Mutation: true, Doc: "draw the ticket without LOCK"}
	unlockedAdd     = Param{Name: "UNLOCKED_ADD", Mutation: true, Doc: "PV unlock adds without LOCK"}
	incByOne        = Param{Name: "INC_BY_ONE", Mutation: true, Doc: "native unlock adds 1 where tickets step by 2"}
	unlockedCmpxchg = Param{Name: "UNLOCKED_CMPXCHG", Mutation: true, Doc: "cmpxchg without LOCK"}
	loadStore       = Param{Name: "LOAD_STORE", Mutation: true, Doc: "test and set in two steps"}
	noMfence        = Param{Name: "NO_MFENCE", Mutation: true, Doc: "no barrier between the release and the test of spinners"}

	nrCPUs = Param{Name: paramNRCPUs, Default: MaxVCPUs, Doc: "CPUs that a kick scans; the number of vCPUs unless given"}
	stats  = Param{Name: "STATS", Default: 1, Doc: "what spinlock_stats counts: 0 nothing, 1 slow paths, 2 and times blocked"}

	unlockLock   = Param{Name: "UNLOCK_LOCK", Doc: "1: a LOCK prefix on the release, for Pentium Pros with errata 66 and 92"}
	headWait     = Param{Name: "HEAD_UNLOCK_WAIT", Doc: "1: spin_unlock_wait also ends when head moves, as in Linux v4.0"}
	torn         = Param{Name: "TORN_IS_LOCKED", Mutation: true, Doc: "spin_is_locked loads head and tail apart"}
	unmasked     = Param{Name: "UNMASKED_TRYLOCK", Mutation: true, Doc: "spin_trylock does not mask the slowpath flag"}
	flagInHead   = Param{Name: "FLAG_IN_HEAD", Mutation: true, Doc: "1: the slowpath flag is in head"}
	unlockedXadd = Param{Name: "UNLOCKED_XADD", Mutation: true, Doc: "PV unlock with xadd without LOCK"}

	pendingLoops = Param{Name: "PENDING_LOOPS", Default: 1 << 9, Doc: "further looks at a hand-over before queueing"}

	qspinParams = []Param{
		pendingLoops,
		{Name: "PENDING_XCHGB", Doc: "1: pending is set by XCHG of its byte, not by LOCK BTS"},
		{Name: "NODE_FIRST", Doc: "1: a context that finds no free node never sets pending"},
		{Name: "PENDING_CMPXCHG", Mutation: true, Doc: "pending is set by a loop of CMPXCHG, as before 7aa54be2"},
		{Name: "PENDING_MOVB", Mutation: true, Doc: "pending is set by a plain store of its byte"},
		{Name: "UNBOUNDED_PENDING", Mutation: true, Doc: "wait for the end of a hand-over, however many follow"},
		{Name: "UNLOCKED_CLAIM", Mutation: true, Doc: "the last of the queue leaves without LOCK"},
		{Name: "SPLIT_CLAIM", Mutation: true, Doc: "pending is cleared, then locked set, by two stores"},
		{Name: "NO_UNDO", Mutation: true, Doc: "pending that was set in vain stays"},
		{Name: "HEAD_PASSES_PENDING", Mutation: true, Doc: "the head of the queue waits for the owner only"},
	}

	kvmParams = []Param{
		{Name: "KVM_FEATURE_PV_UNHALT", Default: 6, Doc: "bit of CPUID 0x40000001 EAX: 6 in V8, 7 in mainline"},
		nrCPUs, stats,
		{Name: "KICK_ALL", Doc: "1: kick every CPU that matches, not the first only"},
		{Name: "SAFE_HALT", Doc: "1: sti;hlt, or hlt with interrupts off, as mainline does"},
		{Name: "SAVE_OUTER", Mutation: true, Doc: "put w->lock and w->want back for an outer lock: no cure for the bare halt"},
		{Name: "FLAG_AFTER_PICKUP", Mutation: true, Doc: "set the slowpath flag after the pickup test"},
		{Name: "LOCK_BEFORE_WANT", Mutation: true, Doc: "publish w->lock before w->want"},
	}

	xenParams = []Param{
		nrCPUs, stats,
		{Name: "PEND_AFTER_PICKUP", Doc: "1: a lock that is picked up leaves the event pending, for a poll that it interrupted"},
		{Name: "XEN_NOPVSPIN", Doc: "1: the boot parameter xen_nopvspin: all stays native"},
		{Name: "CLEAR_AFTER_RECHECK", Mutation: true, Doc: "clear the pending event after the last look at the lock"},
	}
)

func params(p ...Param) []Param { return p }

func pvParams() []Param {
	return params(ticketBits, pvTicketInc, spinThreshold, plainXadd, unlockedAdd, incByOne, unmasked)
}

// holdsCheck is the smallest check in which every phase of a lock occurs.
const holdsCheck = "--vcpus 2 --iters 1"

// sleepCheck makes a waiter sleep after one turn, so that the slow path is
// reached without thousands of states of counting.
const sleepCheck = "--vcpus 2 --iters 1 --define SPIN_THRESHOLD=1"

// xenByteCheck is the same for the byte lock.
const xenByteCheck = holdsCheck + " --define XEN_TIMEOUT=1"

// queueCheck is the smallest check in which somebody queues behind a waiter that
// is pending, after one more look at it.
const queueCheck = "--vcpus 2 --iters 2 --define PENDING_LOOPS=1"

// soundVariants are the rows that a check must find correct.
func soundVariants() []Variant {
	return []Variant{
		{
			Alike: true,
			Name:  "ticket", File: "ticket.s", Backend: BackendNone,
			Title:      "native ticket lock, CONFIG_PARAVIRT_SPINLOCKS=n",
			Seed:       "PV ticketlock V8, cover letter (second listing), patches 8 and 10 of 17",
			TicketBits: 8, TicketStep: 1,
			Params:  params(ticketBits, ticketInc, unlockLock, headWait, plainXadd, torn),
			Verdict: VerdictHolds, Check: holdsCheck,
		},
		{
			Alike: true,
			Name:  "ticket-pv-off", File: "ticket-pv.s", Backend: BackendNone,
			Title:      "PV ticket lock with the static key off: nop5 and a plain add",
			Seed:       "PV ticketlock V8, cover letter (first and third listing), patches 7, 8 and 10 of 17",
			TicketBits: 8, TicketStep: 2,
			Params:  pvParams(),
			Verdict: VerdictHolds, Check: sleepCheck,
		},
		{
			Name: "ticket-pv-kvm", File: "ticket-pv.s", Backend: BackendKVM,
			Title:      "PV ticket lock on KVM: halt after SPIN_THRESHOLD, kick by hypercall",
			Seed:       "PV ticketlock V8, cover letter, patches 7, 8, 10, 13 and 16 of 17",
			TicketBits: 8, TicketStep: 2,
			Params:  slices.Concat(pvParams(), kvmParams),
			Verdict: VerdictHolds, Check: sleepCheck, Stats: true,
		},
		{
			Name: "ticket-pv-kvm-safe-halt", File: "ticket-pv.s", Backend: BackendKVM,
			Title:      "the same, halting as mainline does: no gap between irq restore and HLT",
			Seed:       "PV ticketlock V8, patch 16 of 17, with the halt of Linux v3.12 (92b75202)",
			TicketBits: 8, TicketStep: 2,
			Params:  slices.Concat(pvParams(), kvmParams),
			Defines: map[string]int64{"SAFE_HALT": 1},
			Verdict: VerdictHolds, Check: "--do Aa,ABba --irq 0:Bb --define SPIN_THRESHOLD=1", Stats: true,
		},
		{
			Name: "ticket-pv-kvm-v4", File: "ticket-v4.s", Backend: BackendKVM,
			Title:      "PV ticket lock of Linux v4.0 on KVM: the flag in head, nothing touched after the release",
			Seed:       "Linux d6abfdb2 and 78bff1c8 (v4.0) over PV ticketlock V8, patch 16 of 17",
			TicketBits: 8, TicketStep: 2,
			Params:  slices.Concat(params(ticketBits, pvTicketInc, spinThreshold, unlockedXadd), kvmParams, params(flagInHead)),
			Defines: map[string]int64{"SAFE_HALT": 1, "FLAG_IN_HEAD": 1},
			Verdict: VerdictHolds, Check: sleepCheck, Stats: true,
		},
		{
			Name: "ticket-pv-xen", File: "ticket-pv.s", Backend: BackendXen,
			Title:      "PV ticket lock on Xen: poll an event channel after SPIN_THRESHOLD, notify it",
			Seed:       "PV ticketlock V8, patches 5, 6, 7, 8, 10 and 11 of 17",
			TicketBits: 8, TicketStep: 2,
			Params:  slices.Concat(pvParams(), xenParams),
			Verdict: VerdictHolds, Check: sleepCheck, Stats: true,
		},
		{
			Name: "ticket-batch", File: "ticket-batch.s", Backend: BackendKVM,
			Title:      "batched ticket lock on KVM: FIFO between batches, any order within",
			Seed:       "Implement Batched (group) ticket lock, RFC of 2014-05-28, over PV ticketlock V8",
			TicketBits: 8, TicketStep: 2,
			Params:  slices.Concat(params(ticketBits, ticketBatch, pvTicketInc, spinThreshold, unlockedCmpxchg), kvmParams),
			Verdict: VerdictHolds, Check: sleepCheck + " --define TICKET_BATCH=1", Stats: true,
		},
		{
			Name: "byte-xen", File: "byte-xen.s", Backend: BackendXen,
			Title:   "Xen's old PV byte lock: block on an event channel after XEN_TIMEOUT",
			Seed:    "PV ticketlock V8, patch 5 of 17, removed lines",
			Params:  params(xenTimeout, nrCPUs, stats, loadStore, noMfence),
			Verdict: VerdictHolds, Check: xenByteCheck, Stats: true,
		},
		{
			Alike: true,
			Name:  "tas", File: "tas.s", Backend: BackendNone,
			Title:   "test-and-set: XCHG until it is free",
			Seed:    "textbook",
			Params:  params(loadStore),
			Verdict: VerdictHolds, Check: holdsCheck,
		},
		{
			Alike: true,
			Name:  "ttas", File: "ttas.s", Backend: BackendNone,
			Title:   "test-and-test-and-set: read until it looks free, then XCHG",
			Seed:    "textbook; virt_spin_lock of Linux since 2015",
			Params:  params(loadStore),
			Verdict: VerdictHolds, Check: holdsCheck,
		},
		{
			Name: "mcs", File: "mcs.s", Backend: BackendNone,
			Title:   "MCS queue lock: each waiter spins on its own node",
			Seed:    "Mellor-Crummey and Scott, TOCS 1991",
			Params:  params(unlockedCmpxchg),
			Verdict: VerdictHolds, Check: holdsCheck,
		},
		{
			Name: "qspinlock", File: "qspinlock.s", Backend: BackendNone,
			Title:   "Linux's queued spinlock: the first waits for the word, the others queue",
			Seed:    "Linux v4.20 to v5.x: 6512276d, 59fb586b, 7aa54be2; without CONFIG_PARAVIRT",
			Params:  qspinParams,
			Verdict: VerdictHolds, Check: queueCheck,
		},
	}
}

// twin makes a broken row out of a sound one.
func twin(parent, name, title, define string, value int64, verdict, check string) Variant {
	for _, v := range soundVariants() {
		if v.Name == parent {
			v.Name, v.Title, v.BrokenOf = name, title, parent
			v.Defines = map[string]int64{define: value}
			v.Verdict, v.Check = verdict, check
			return v
		}
	}
	panic("guestcode: twin of an unknown variant " + parent)
}

// unchecked is a row that may have more vCPUs than its tickets serve.
func unchecked(v Variant) Variant {
	v.Unchecked = true
	return v
}

// brokenVariants are the twins that a check must catch.
func brokenVariants() []Variant {
	return []Variant{
		twin("ticket", "ticket-broken-plain-xadd",
			"xadd without LOCK: two CPUs draw the same ticket",
			"PLAIN_XADD", 1, VerdictExclusion, holdsCheck),
		unchecked(twin("ticket", "ticket-wrap",
			"tickets of two bits for five CPUs: the last to draw finds tail equal to head",
			paramTicketInc, 64, VerdictExclusion, "--vcpus 5 --iters 1")),
		twin("ticket-pv-off", "ticket-pv-off-broken-inc-by-one",
			"unlock adds 1 where tickets step by 2: the next ticket never comes up",
			"INC_BY_ONE", 1, VerdictLivelock, sleepCheck),
		twin("ticket-pv-kvm", "ticket-pv-kvm-unlocked-add",
			"PV unlock without LOCK: the flag is read before the release is seen",
			"UNLOCKED_ADD", 1, VerdictDeadlock, sleepCheck),
		twin("ticket-pv-kvm", "ticket-pv-kvm-flag-after-pickup",
			"the slowpath flag is set after the pickup test: an unlock in between sees no flag",
			"FLAG_AFTER_PICKUP", 1, VerdictDeadlock, sleepCheck),
		twin("ticket-pv-kvm", "ticket-pv-kvm-want-lock-swapped",
			"w->lock is published before w->want: a stale ticket matches, the wrong CPU is kicked",
			"LOCK_BEFORE_WANT", 1, VerdictDeadlock, "--do BbAa,Aa,ABba --define SPIN_THRESHOLD=1"),
		twin("ticket-pv-kvm-safe-halt", "ticket-pv-kvm-bare-halt",
			"V8's bare halt: an interrupt before HLT takes a nested lock and leaves w->lock empty",
			"SAFE_HALT", 0, VerdictDeadlock, "--do Aa,ABba --irq 0:Bb --define SPIN_THRESHOLD=1"),
		twin("ticket-pv-kvm-v4", "ticket-pv-kvm-v4-unlocked-xadd",
			"the release without LOCK: it wipes a flag that was set since head was read",
			"UNLOCKED_XADD", 1, VerdictDeadlock, sleepCheck),
		twin("ticket-pv-xen", "ticket-pv-xen-unlocked-add",
			"PV unlock without LOCK: the flag is read before the release is seen",
			"UNLOCKED_ADD", 1, VerdictDeadlock, sleepCheck),
		twin("ticket-pv-xen", "ticket-pv-xen-clear-after-recheck",
			"pending is cleared after the last look at the lock: an event in between is wiped",
			"CLEAR_AFTER_RECHECK", 1, VerdictDeadlock, sleepCheck),
		twin("ticket-batch", "ticket-batch-broken-plain-cmpxchg",
			"the held bit is taken without LOCK: two of a batch take it",
			"UNLOCKED_CMPXCHG", 1, VerdictExclusion, sleepCheck),
		twin("byte-xen", "byte-xen-broken-load-store",
			"load and store in place of xchg: two CPUs find the lock free",
			"LOAD_STORE", 1, VerdictExclusion, xenByteCheck),
		twin("byte-xen", "byte-xen-no-mfence",
			"no barrier after the release: spinners is read before the release is seen",
			"NO_MFENCE", 1, VerdictDeadlock, xenByteCheck),
		twin("tas", "tas-broken-load-store",
			"load and store in place of xchg: two CPUs find the lock free",
			"LOAD_STORE", 1, VerdictExclusion, holdsCheck),
		twin("ttas", "ttas-broken-load-store",
			"load and store in place of xchg: two CPUs find the lock free",
			"LOAD_STORE", 1, VerdictExclusion, holdsCheck),
		twin("mcs", "mcs-broken-plain-cmpxchg",
			"the last owner leaves without LOCK: a successor that just queued is lost",
			"UNLOCKED_CMPXCHG", 1, VerdictLivelock, holdsCheck),
		twin("qspinlock", "qspinlock-pending-movb",
			"a plain store sets pending: the load behind it sees the own byte beside a lock that is another's by then",
			"PENDING_MOVB", 1, VerdictExclusion, queueCheck),
		twin("qspinlock", "qspinlock-split-claim",
			"pending is cleared before locked is set: in between the lock looks free",
			"SPLIT_CLAIM", 1, VerdictExclusion, queueCheck),
		twin("qspinlock", "qspinlock-head-passes-pending",
			"the head of the queue waits for the owner only: who is pending enters, too",
			"HEAD_PASSES_PENDING", 1, VerdictExclusion, queueCheck),
		twin("qspinlock", "qspinlock-no-undo",
			"pending that was set behind a queue stays: its head waits for nobody",
			"NO_UNDO", 1, VerdictLivelock, queueCheck),
		twin("qspinlock", "qspinlock-unlocked-claim",
			"the last of the queue leaves without LOCK: a successor that just queued is lost",
			"UNLOCKED_CLAIM", 1, VerdictLivelock, queueCheck),
	}
}
