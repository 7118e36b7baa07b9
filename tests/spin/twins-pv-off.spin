# Unlock adds 1 where tickets step by 2.

test inc-by-one

source ticket-pv-off-broken-inc-by-one

check 2x1 --define SPIN_THRESHOLD=1
----
violated: livelock

source ticket-pv-off

check holds 2x1 --define SPIN_THRESHOLD=1
