# Twins that need a lock within a lock.

test want-lock-swapped

source ticket-pv-kvm-want-lock-swapped

# With one lock nothing is wrong: a stale ticket must match that of another lock.
check holds 2x1 --define SPIN_THRESHOLD=1

test bare-halt

source ticket-pv-kvm-bare-halt

# An interrupt on one vCPU alone finds lock B free. On both it is a search of
# millions of states.
check holds 2x1 --irq 0 --define SPIN_THRESHOLD=1
check violated deadlock 2x1 --irq 0 --irq 1 --define SPIN_THRESHOLD=1 --long

source ticket-pv-kvm-safe-halt

check holds 2x1 --irq 0 --define SPIN_THRESHOLD=1
