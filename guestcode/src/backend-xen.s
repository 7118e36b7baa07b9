# backend-xen.s: the Xen side of the PV ticket lock: poll an event channel while
# waiting, notify it to wake.
#
# PV ticketlock V8, patch 5 (xen_lock_spinning, xen_unlock_kick, the statistics),
# patch 6 (xen_nopvspin), patch 7 (the callee-save thunk), patch 10
# (__ticket_enter_slowpath, the static key), patch 11 (interrupts stay allowed
# while blocked).
#
# The lock file that this is linked with gives pv_lock_ops and
# ticketlock_jump_entry; xen-events.s the channels; spin-stats.s the slow parts
# of the statistics. kstat_incr_irqs_this_cpu, an interrupt count for
# /proc/interrupts, is left out.

	.set TICKET_BITS, 8		# width of a ticket: 8 or 16
	.set NR_CPUS, 1024		# CPUs that a scan of the mask looks at
	.set PEND_AFTER_PICKUP, 0	# 1: the cure for nested locks (docs/findings.md)
	.set STATS, 1			# 0: none, 1: counters, 2: and times
	.set XEN_NOPVSPIN, 0		# 1: the boot parameter xen_nopvspin
	.set CLEAR_AFTER_RECHECK, 0	# mutation: clear pending after the test

	.set PERCPU_BASE, 0x800000	# the per-CPU area of CPU 0 (layout.go)
	.set PERCPU_SHIFT, 12
	.set PERCPU_INDEX, 0		# smp_processor_id()
	.set W_LOCK, 64			# struct xen_lock_waiting: lock
	.set W_WANT, 72			# and want
	.set KICKER_PORT, 128		# lock_kicker_irq
	.set EVTCHN_PENDING, 0x7f0800	# shared_info.evtchn_pending

# struct spinlock_stats: u32 each, then with STATS == 2 the times of spin-stats.s.
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

# add_stats(stat, 1): plain, as in the patch.
	.macro add_stats stat
	.if STATS
	check_zero
	incl spinlock_stats+\stat(%rip)
	.endif
	.endm

	.text

# PV_CALLEE_SAVE_REGS_THUNK(xen_lock_spinning)
	.type xen_lock_spinning.thunk, @function
xen_lock_spinning.thunk:
	push %rcx; push %rdx; push %rsi; push %rdi
	push %r8; push %r9; push %r10; push %r11
	call xen_lock_spinning
	pop %r11; pop %r10; pop %r9; pop %r8
	pop %rdi; pop %rsi; pop %rdx; pop %rcx
	ret
	.size xen_lock_spinning.thunk, . - xen_lock_spinning.thunk

# xen_lock_spinning(lock, want): %rdi = lock, %esi = want. %rcx = this CPU, %rdx =
# the caller's flags, %r8 = the port of its channel throughout.
	.globl xen_lock_spinning
	.type xen_lock_spinning, @function
xen_lock_spinning:
	push %rbp
	mov %rsp, %rbp
	mov %gs:KICKER_PORT, %r8d	# irq = lock_kicker_irq
	mov %gs:PERCPU_INDEX, %ecx	# cpu = smp_processor_id()
	test %r8d, %r8d			# not initialized yet: just spin
	je 4f
	.if STATS == 2
	call spin_time_start		# %r9 = start
	.endif

	pushfq				# local_irq_save(flags): a handler must
	pop %rdx			# not see w half set up
	cli

	# w->lock may be set only while w->want is right: clear, want, lock. The
	# smp_wmb()s between them are compiler barriers on x86. What an outer
	# lock left in w is overwritten: the interrupt has ended its poll.
	movq $0, %gs:W_LOCK		# w->lock = NULL
	.if TICKET_BITS == 8
	mov %sil, %gs:W_WANT		# w->want = want
	.else
	mov %si, %gs:W_WANT
	.endif
	mov %rdi, %gs:W_LOCK		# w->lock = lock

	lock btsq %rcx, waiting_cpus(%rip)	# cpumask_set_cpu(cpu, &waiting_cpus)
	add_stats TAKEN_SLOW

	# Clear pending, then look at the lock: an event that comes after the
	# look stays pending, and the poll returns at once.
	.if CLEAR_AFTER_RECHECK == 0
	lock btrq %r8, EVTCHN_PENDING	# xen_clear_irq_pending(irq)
	.endif

	# __ticket_enter_slowpath(lock), before the last-chance test
	lock orb $1, TICKET_BITS/8(%rdi)

	# if (ACCESS_ONCE(lock->tickets.head) == want) goto out
	.if TICKET_BITS == 8
	movzbl (%rdi), %eax
	cmp %sil, %al
	.else
	movzwl (%rdi), %eax
	cmp %si, %ax
	.endif
	je 2f

	.if CLEAR_AFTER_RECHECK
	lock btrq %r8, EVTCHN_PENDING
	.endif

	push %rdx			# local_irq_restore(flags)
	popfq
	call xen_poll_irq		# until pending, or a spurious wake-up
	.if STATS			# add_stats(TAKEN_SLOW_SPURIOUS,
	xor %eax, %eax			#   !xen_test_irq_pending(irq))
	btq %r8, EVTCHN_PENDING
	setnc %al
	check_zero
	add %eax, spinlock_stats+TAKEN_SLOW_SPURIOUS(%rip)
	.endif
	pushfq				# local_irq_save(flags)
	pop %rdx
	cli
	jmp 3f

2:	add_stats TAKEN_SLOW_PICKUP
	.if PEND_AFTER_PICKUP		# the event that was cleared above may have
	lock btsq %r8, EVTCHN_PENDING	# been for a poll that this interrupted
	.endif

3:	lock btrq %rcx, waiting_cpus(%rip)	# cpumask_clear_cpu(cpu, …)
	movq $0, %gs:W_LOCK		# w->lock = NULL
	push %rdx			# local_irq_restore(flags)
	popfq
	.if STATS == 2
	lea spinlock_stats+HISTO_SPIN_BLOCKED(%rip), %rdi
	call spin_time_accum_blocked	# (start)
	.endif
4:	pop %rbp
	ret
	.size xen_lock_spinning, . - xen_lock_spinning

# xen_unlock_kick(lock, next): %rdi = lock, %esi = next. An ordinary call: it may
# change the caller-saved registers. %ecx = cpu, %r8 = the mask.
	.globl xen_unlock_kick
	.type xen_unlock_kick, @function
xen_unlock_kick:
	push %rbp
	mov %rsp, %rbp
	add_stats RELEASED_SLOW

	# for_each_cpu(cpu, &waiting_cpus), as in backend-kvm.s
	lea waiting_cpus(%rip), %r8
	xor %ecx, %ecx
1:	mov %ecx, %eax
	shr $6, %eax
	mov (%r8,%rax,8), %rdx		# the word that holds bit cpu
	shr %cl, %rdx			# (count modulo 64) bit cpu comes to 0
	test %rdx, %rdx
	je 3f
	bsf %rdx, %rdx
	add %edx, %ecx			# the next CPU of the set

	mov %ecx, %eax			# w = &per_cpu(lock_waiting, cpu)
	shl $PERCPU_SHIFT, %eax
	cmp %rdi, PERCPU_BASE+W_LOCK(%rax)	# w->lock == lock, read first
	jne 2f
	.if TICKET_BITS == 8
	cmp %sil, PERCPU_BASE+W_WANT(%rax)	# w->want == next
	.else
	cmp %si, PERCPU_BASE+W_WANT(%rax)
	.endif
	je 4f

2:	inc %ecx			# no: the next CPU
	cmp $NR_CPUS, %ecx
	jb 1b
	jmp 5f
3:	or $63, %ecx			# no bit left in this word
	jmp 2b

4:	add_stats RELEASED_SLOW_KICKED
	call xen_send_IPI_one		# (cpu, XEN_SPIN_UNLOCK_VECTOR)
5:	pop %rbp
	ret
	.size xen_unlock_kick, . - xen_unlock_kick

# spin_init: xen_init_spinlocks, on the boot CPU before the others run.
	.globl spin_init
	.type spin_init, @function
spin_init:
	push %rbp
	mov %rsp, %rbp
	call xen_init_events
	test %eax, %eax
	je 1f
	.if XEN_NOPVSPIN == 0
	# static_key_slow_inc(&paravirt_ticketlocks_enabled): see backend-kvm.s
	mov ticketlock_jump_entry(%rip), %rax	# entry->code
	mov ticketlock_jump_entry+8(%rip), %rdx	# entry->target
	sub %rax, %rdx
	sub $5, %rdx			# relative to the end of the jmp
	movb $0xe9, (%rax)
	mov %edx, 1(%rax)

	lea xen_lock_spinning.thunk(%rip), %rax
	mov %rax, pv_lock_ops(%rip)	# .lock_spinning
	lea xen_unlock_kick(%rip), %rax
	mov %rax, pv_lock_ops+8(%rip)	# .unlock_kick
	.endif
1:	pop %rbp
	ret
	.size spin_init, . - spin_init

	.bss
	.balign 64
# waiting_cpus: a bit for each CPU that is in xen_lock_spinning.
	.globl waiting_cpus
waiting_cpus:
	.zero 128

	.if STATS
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
