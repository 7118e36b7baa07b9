# byte-xen.s: Xen's old paravirtual byte lock, which PV ticketlock V8 removes.
#
# PV ticketlock V8, patch 5, removed lines (xen_spin_lock, xen_spin_lock_slow,
# xen_spin_unlock, struct xen_spinlock). xen-events.s has the event channels,
# spin-stats.s the slow parts of the statistics. Of those the lines that every
# lock and unlock passes (taken, released, the totals) are left out: they are not
# about sleeping, and the fast path stays as short as the others'.
#
#   byte 0: 0 free, 1 locked     word at 2: spinners, the CPUs that block

	.set XEN_TIMEOUT, 1 << 10	# turns before the slow path
	.set NR_CPUS, 1024		# CPUs that an unlocker looks at
	.set STATS, 1			# 0: none, 1: counters, 2: and times
	.set LOAD_STORE, 0		# mutation: test and set in two steps
	.set NO_MFENCE, 0		# mutation: no barrier before the test

	.if XEN_TIMEOUT < 1
	.error "XEN_TIMEOUT must be at least 1"
	.endif

	.set PERCPU_BASE, 0x800000	# the per-CPU area of CPU 0 (layout.go)
	.set PERCPU_SHIFT, 12
	.set LOCK_SPINNERS, 64		# in it: the lock that the CPU blocks for
	.set KICKER_PORT, 128		# lock_kicker_irq
	.set EVTCHN_PENDING, 0x7f0800	# shared_info.evtchn_pending

# struct xen_spinlock_stats: u32 each, then with STATS == 2 the times of
# spin-stats.s.
	.set TAKEN_SLOW, 0
	.set TAKEN_SLOW_PICKUP, 4
	.set TAKEN_SLOW_SPURIOUS, 8
	.set RELEASED_SLOW, 12
	.set RELEASED_SLOW_KICKED, 16
	.set HISTO_SPIN_BLOCKED, 20

	.macro check_zero
	.if STATS == 2
	cmpb $0, zero_stats(%rip)
	je .Lnonzero\@
	call reset_stats
.Lnonzero\@:
	.endif
	.endm

	.macro add_stats stat
	.if STATS
	check_zero
	incl spinlock_stats+\stat(%rip)
	.endif
	.endm

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

# xen_spin_lock_slow(lock, irq_enable): %rdi = lock; %eax = 1 with the lock taken,
# 0 to spin again. irq_enable is false for spin_lock, so interrupts stay as the
# caller has them. %r8 = the port, %r10 = prev.
	.type xen_spin_lock_slow, @function
xen_spin_lock_slow:
	push %rbp
	mov %rsp, %rbp
	xor %eax, %eax
	mov %gs:KICKER_PORT, %r8d	# irq = lock_kicker_irq
	test %r8d, %r8d			# not initialized yet: just spin
	je 5f
	.if STATS == 2
	call spin_time_start		# %r9 = start
	.endif

	# spinning_lock(xl): the lock of interest first, then the count. prev is
	# the lock that this CPU blocked for when an interrupt came.
	mov %gs:LOCK_SPINNERS, %r10
	mov %rdi, %gs:LOCK_SPINNERS
	lock incw SPINNERS(%rdi)
	add_stats TAKEN_SLOW

1:	lock btrq %r8, EVTCHN_PENDING	# xen_clear_irq_pending(irq)

	# It may have become free while we were not looking.
	mov $1, %eax
	xchgb %al, (%rdi)		# xen_spin_trylock(lock)
	test %al, %al
	jne 2f
	add_stats TAKEN_SLOW_PICKUP
	mov $1, %eax
	test %r10, %r10			# prev != NULL: the outer lock must be
	je 4f				# looked at again before it blocks
	lock btsq %r8, EVTCHN_PENDING	# xen_set_irq_pending(irq)
	jmp 4f

2:	call xen_poll_irq		# until pending
	.if STATS			# ADD_STATS(taken_slow_spurious,
	xor %eax, %eax			#   !xen_test_irq_pending(irq))
	btq %r8, EVTCHN_PENDING
	setnc %al
	check_zero
	add %eax, spinlock_stats+TAKEN_SLOW_SPURIOUS(%rip)
	.endif
	btq %r8, EVTCHN_PENDING		# while (!xen_test_irq_pending(irq))
	jnc 1b
	xor %eax, %eax

4:	lock decw SPINNERS(%rdi)	# unspinning_lock(xl, prev)
	mov %r10, %gs:LOCK_SPINNERS
	.if STATS == 2
	push %rax
	push %rdi
	lea spinlock_stats+HISTO_SPIN_BLOCKED(%rip), %rdi
	call spin_time_accum_blocked	# (start)
	pop %rdi
	pop %rax
	.endif
5:	pop %rbp
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

# xen_spin_unlock_slow(xl): notifies the first CPU that blocks for this lock.
	.type xen_spin_unlock_slow, @function
xen_spin_unlock_slow:
	push %rbp
	mov %rsp, %rbp
	add_stats RELEASED_SLOW
	xor %eax, %eax			# for_each_online_cpu(cpu)
1:	cmp %rdi, PERCPU_BASE+LOCK_SPINNERS(%rax)
	je 2f
	add $1 << PERCPU_SHIFT, %eax
	cmp $NR_CPUS << PERCPU_SHIFT, %eax
	jb 1b
	jmp 3f
2:	add_stats RELEASED_SLOW_KICKED
	call xen_send_IPI_one		# (cpu, XEN_SPIN_UNLOCK_VECTOR)
3:	pop %rbp
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

# spin_init: the channels; without them the slow path keeps spinning.
	.globl spin_init
	.type spin_init, @function
spin_init:
	push %rbp
	mov %rsp, %rbp
	call xen_init_events
	pop %rbp
	ret
	.size spin_init, . - spin_init

	.if STATS
	.bss
	.balign 64
	.globl spinlock_stats
spinlock_stats:
	.zero 20
	.if STATS == 2
	.zero 31 * 4 + 8		# histo_spin_blocked, time_blocked
	.endif
	.globl spinlock_stats_end
spinlock_stats_end:
	.balign 64
	.endif
