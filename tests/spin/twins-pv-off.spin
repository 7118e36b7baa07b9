# Unlock adds 1 where tickets step by 2.

test inc-by-one

source ticket-pv-off-broken-inc-by-one

check 2x1 --define SPIN_THRESHOLD=1
----
violated: livelock
  the end is out of reach: vcpu 0 at spin_lock+0x9 is runnable and has not ended, none is pending, IF=0
  vcpu 1 at spin_lock+0x9 is runnable and has not ended, none is pending, IF=0

source ticket-pv-off

check holds 2x1 --define SPIN_THRESHOLD=1
