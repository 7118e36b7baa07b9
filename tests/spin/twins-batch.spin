# The held bit is taken without LOCK.

test plain-cmpxchg

source ticket-batch-broken-plain-cmpxchg

check 2x1 --define SPIN_THRESHOLD=1 --define TICKET_BATCH=1
----
holds

source ticket-batch

check holds 2x1 --define SPIN_THRESHOLD=1 --define TICKET_BATCH=1
