# Twins that need a lock within a lock: interrupts on both vCPUs, whose handler
# takes lock B. Millions of states, so these are long.

test want-lock-swapped

source ticket-pv-kvm-want-lock-swapped

# Without an interrupt nothing is wrong.
check holds 2x1 --define SPIN_THRESHOLD=1
check violated deadlock 2x1 --irq 0 --irq 1 --define SPIN_THRESHOLD=1 --long

test bare-halt

source ticket-pv-kvm-bare-halt

check holds 2x1 --irq 0 --define SPIN_THRESHOLD=1
check violated deadlock 2x1 --irq 0 --irq 1 --define SPIN_THRESHOLD=1 --long
