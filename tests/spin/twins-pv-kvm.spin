# Lost wake-ups of the PV lock on KVM.

test unlocked-add

source ticket-pv-kvm-unlocked-add

check 2x1 --define SPIN_THRESHOLD=1
----
violated: deadlock

source ticket-pv-kvm

check holds 2x1 --define SPIN_THRESHOLD=1

test flag-after-pickup

source ticket-pv-kvm-flag-after-pickup

check 2x1 --define SPIN_THRESHOLD=1
----
violated: deadlock

source ticket-pv-kvm

check holds 2x1 --define SPIN_THRESHOLD=1
