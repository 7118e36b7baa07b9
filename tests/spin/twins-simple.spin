# Broken twins of the simple locks, each beside its sound parent under the same flags.

test plain-xadd

source ticket-broken-plain-xadd

check 2x1
----
violated: exclusion
  vcpu 1 at vcpu_main+0x1f is in the critical section of lock 0x200000 while vcpu 0 at vcpu_main+0x29 is

source ticket

check holds 2x1

test tas

source tas-broken-load-store

check 2x1
----
violated: exclusion
  vcpu 1 at vcpu_main+0x1f is in the critical section of lock 0x200000 while vcpu 0 at vcpu_main+0x29 is

source tas

check holds 2x1

test ttas

source ttas-broken-load-store

check 2x1
----
violated: exclusion
  vcpu 1 at vcpu_main+0x1f is in the critical section of lock 0x200000 while vcpu 0 at vcpu_main+0x29 is

source ttas

check holds 2x1

test mcs

source mcs-broken-plain-cmpxchg

check 2x1
----
violated: livelock
  the end is out of reach: vcpu 0 at vcpu_main+0x34 is runnable and has not ended, none is pending, IF=0
  vcpu 1 at spin_lock.slow+0x5 is runnable and has not ended, none is pending, IF=0

source mcs

check holds 2x1
