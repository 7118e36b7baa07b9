# byte-xen.s: Xen's old paravirtual byte lock, which PV ticketlock V8 removes.
#
# PV ticketlock V8, patch 5, removed lines (xen_spin_lock, xen_spin_unlock,
# struct xen_spinlock).
#
#   byte 0: 0 free, 1 locked     word at 2: spinners, the CPUs that block

	.set XEN_TIMEOUT, 1 << 10	# turns before the slow path
	.set LOAD_STORE, 0		# mutation: test and set in two steps
	.set NO_MFENCE, 0		# mutation: no barrier before the test

	.if XEN_TIMEOUT < 1
	.error "XEN_TIMEOUT must be at least 1"
	.endif

	.set SPINNERS, 2

	.text

# __xen_spin_lock(lock): %rdi = lock. %al = oldval, %edx = timeout.
	.globl spin_lock
	.type spin_lock, @function
spin_lock:
	push %rbp
	mov %rsp, %rbp
4:	mov $XEN_TIMEOUT, %edx		# timeout = TIMEOUT
	mov $1, %eax
1:
	.if LOAD_STORE
	movzbl (%rdi), %eax
	movb $1, (%rdi)
	.else
	xchgb %al, (%rdi)		# locked by itself
	.endif
	testb %al, %al
	jz 3f				# it was free: ours
2:	pause				# rep;nop
	cmpb $0, (%rdi)
	je 1b				# free again: try (%al is still 1)
	dec %edx
	jnz 2b
3:	testb %al, %al			# oldval != 0 && !xen_spin_lock_slow()
	jne spin_lock.slow
	pop %rbp
	ret
	.size spin_lock, . - spin_lock

	.type spin_lock.slow, @function
spin_lock.slow:
	call xen_spin_lock_slow
	test %eax, %eax
	je 4b				# 0: not taken, spin again
	pop %rbp
	ret
	.size spin_lock.slow, . - spin_lock.slow

# SEAM: xen_spin_lock_slow(lock) returns 1 with the lock taken, 0 to spin again.
# The event-channel backend belongs here: lock_spinners = lock, count up
# spinners, clear pending, try, poll. Until then this is the path that the
# original takes while its kicker interrupt is not set up (irq == -1): 0.
	.type xen_spin_lock_slow, @function
xen_spin_lock_slow:
	xor %eax, %eax
	ret
	.size xen_spin_lock_slow, . - xen_spin_lock_slow

# xen_spin_unlock(lock).
	.globl spin_unlock
	.type spin_unlock, @function
spin_unlock:
	push %rbp
	mov %rsp, %rbp
	movb $0, (%rdi)			# xl->lock = 0 (smp_wmb is free on x86)
	.if NO_MFENCE == 0
	mfence				# mb(): the release is seen before
	.endif				# spinners is read
	cmpw $0, SPINNERS(%rdi)		# unlikely(xl->spinners)
	jne spin_unlock.slow
	pop %rbp
	ret
	.size spin_unlock, . - spin_unlock

	.type spin_unlock.slow, @function
spin_unlock.slow:
	call xen_spin_unlock_slow
	pop %rbp
	ret
	.size spin_unlock.slow, . - spin_unlock.slow

# SEAM: xen_spin_unlock_slow(lock) scans the CPUs for one whose lock_spinners is
# this lock and notifies it. Not reached while nobody counts spinners up.
	.type xen_spin_unlock_slow, @function
xen_spin_unlock_slow:
	ret
	.size xen_spin_unlock_slow, . - xen_spin_unlock_slow

# xen_spin_trylock(lock): %eax = 1 if the lock was taken, else 0.
	.globl spin_trylock
	.type spin_trylock, @function
spin_trylock:
	push %rbp
	mov %rsp, %rbp
	mov $1, %eax
	xchgb %al, (%rdi)
	test %al, %al
	sete %al			# old == 0
	movzbl %al, %eax
	pop %rbp
	ret
	.size spin_trylock, . - spin_trylock

# xen_spin_is_locked(lock): %eax = (xl->lock != 0).
	.globl spin_is_locked
	.type spin_is_locked, @function
spin_is_locked:
	push %rbp
	mov %rsp, %rbp
	xor %eax, %eax
	cmpb $0, (%rdi)
	setne %al
	pop %rbp
	ret
	.size spin_is_locked, . - spin_is_locked
