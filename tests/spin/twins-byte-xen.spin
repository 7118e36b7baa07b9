# The byte lock without its atomic, and without its barrier.

test load-store

source byte-xen-broken-load-store

check 2x1 --define XEN_TIMEOUT=1
----
violated: exclusion

source byte-xen

check holds 2x1 --define XEN_TIMEOUT=1

test no-mfence

source byte-xen-no-mfence

check 2x1 --define XEN_TIMEOUT=1
----
violated: deadlock

source byte-xen

check holds 2x1 --define XEN_TIMEOUT=1
