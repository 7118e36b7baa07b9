# Broken twins of the simple locks, each beside its sound parent under the same flags.

test plain-xadd

source ticket-broken-plain-xadd

check 2x1
----
violated: exclusion

source ticket

check holds 2x1

test tas

source tas-broken-load-store

check 2x1
----
violated: exclusion

source tas

check holds 2x1

test ttas

source ttas-broken-load-store

check 2x1
----
violated: exclusion

source ttas

check holds 2x1

test mcs

source mcs-broken-plain-cmpxchg

check 2x1
----
violated: livelock

source mcs

check holds 2x1
