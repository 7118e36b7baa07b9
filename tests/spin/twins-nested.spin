# Twins that need a lock within a lock.

test want-lock-swapped

source ticket-pv-kvm-want-lock-swapped

# With one lock nothing is wrong: a stale ticket must match that of another lock.
check holds 2x1 --define SPIN_THRESHOLD=1
check violated deadlock --do BbAa,Aa,ABba --define SPIN_THRESHOLD=1 --long

source ticket-pv-kvm

check holds --do BbAa,Aa,ABba --define SPIN_THRESHOLD=1 --long

test bare-halt

source ticket-pv-kvm-bare-halt

check violated deadlock --do Aa,ABba --irq 0:Bb --define SPIN_THRESHOLD=1 --long

source ticket-pv-kvm-safe-halt

check holds --do Aa,ABba --irq 0:Bb --define SPIN_THRESHOLD=1 --long
