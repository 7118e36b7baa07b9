# Lost wake-ups of the PV lock on Xen.

test unlocked-add

source ticket-pv-xen-unlocked-add

check 2x1 --define SPIN_THRESHOLD=1
----
violated: deadlock

source ticket-pv-xen

check holds 2x1 --define SPIN_THRESHOLD=1

test clear-after-recheck

source ticket-pv-xen-clear-after-recheck

check 2x1 --define SPIN_THRESHOLD=1
----
violated: deadlock

source ticket-pv-xen

check holds 2x1 --define SPIN_THRESHOLD=1
