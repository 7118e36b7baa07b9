# The byte lock without its atomic, and without its barrier.

test load-store

source byte-xen-broken-load-store

check 2x1 --define XEN_TIMEOUT=1
----
violated: exclusion
  vcpu 1 at vcpu_main+0x1f is in the critical section of lock 0x200000 while vcpu 0 at vcpu_main+0x29 is

source byte-xen

check holds 2x1 --define XEN_TIMEOUT=1

test no-mfence

source byte-xen-no-mfence

check 2x1 --define XEN_TIMEOUT=1
----
violated: deadlock
  vcpu 1 at xen_poll_irq+0x35 is asleep and waits for a kick, none is pending, IF=0

source byte-xen

check holds 2x1 --define XEN_TIMEOUT=1
