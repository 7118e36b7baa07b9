# The shortest way into two critical sections at once, step by step.

source ticket-broken-plain-xadd

check 2x1 --trace --states
----
violated: exclusion — 13 states, 17 transitions
  vcpu 1 at vcpu_main+0x1f is in the critical section of lock 0x200000 while vcpu 0 at vcpu_main+0x29 is
   1  v0  spin_lock+0x9                xadd %ax,(%rdi)                    buffer + [lock] 0001, rax 0x100 -> 0x0
   2  v1  spin_lock+0x9                xadd %ax,(%rdi)                    buffer + [lock] 0001, rax 0x100 -> 0x0
   3  v0  vcpu_main+0x1f               incq 0x40(%rbx)                    buffer + [counter] 0100000000000000
   4  v1  vcpu_main+0x1f               incq 0x40(%rbx)                    buffer + [counter] 0100000000000000

check violated exclusion 2x1 --reduce none

source ticket-pv-kvm-unlocked-add

check violated deadlock 2x1 --define SPIN_THRESHOLD=1

# A run shows it only if its schedule happens to.
run 2x2000 --commit late --pcpus 2 --work-out 400 --define SPIN_THRESHOLD=16
----
deadlock — counter 6 of 4000
  vcpu 0 asleep at kvm_lock_spinning+0x4d
  vcpu 1 asleep at kvm_lock_spinning+0x4d
