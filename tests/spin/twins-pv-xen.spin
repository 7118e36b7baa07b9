# Lost wake-ups of the PV lock on Xen.

test unlocked-add

source ticket-pv-xen-unlocked-add

check 2x1 --define SPIN_THRESHOLD=1
----
violated: deadlock
  vcpu 1 at xen_poll_irq+0x35 is asleep and waits for a kick, none is pending, IF=0

source ticket-pv-xen

check holds 2x1 --define SPIN_THRESHOLD=1

test clear-after-recheck

source ticket-pv-xen-clear-after-recheck

check 2x1 --define SPIN_THRESHOLD=1
----
violated: deadlock
  vcpu 1 at xen_poll_irq+0x35 is asleep and waits for a kick, none is pending, IF=0

source ticket-pv-xen

check holds 2x1 --define SPIN_THRESHOLD=1
