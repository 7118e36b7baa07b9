# backend-kvm.s: the KVM side of the PV ticket lock: halt while waiting, kick by
# hypercall.
#
# PV ticketlock V8, patch 16 (kvm_lock_spinning, kvm_unlock_kick,
# kvm_spinlock_init, the statistics), patch 10 (__ticket_enter_slowpath), patch 7
# (the callee-save thunk), patch 13 (KVM_HC_KICK_CPU, KVM_FEATURE_PV_UNHALT).
#
# The lock file that this is linked with gives pv_lock_ops and
# ticketlock_jump_entry; spin-stats.s has the slow parts of the statistics.

	.set TICKET_BITS, 8		# width of a ticket: 8 or 16
	.set TICKET_INC, 2		# from a ticket to the next
	.set TICKET_BATCH, 0		# 0: exact tickets; else compare batches
	.set KVM_FEATURE_PV_UNHALT, 6	# bit of CPUID 0x40000001 %eax: 6 in V8,
					# 7 in mainline, where PV_EOI took 6
	.set NR_CPUS, 1024		# CPUs that a scan of the mask looks at
	.set STATS, 1			# 0: none, 1: counters, 2: and times
	.set FLAG_IN_HEAD, 0		# 1: the slowpath flag is in head (v4.0)
	.set SAFE_HALT, 0		# 1: halt as mainline does, without a gap
					# between irq restore and HLT
	.set FLAG_AFTER_PICKUP, 0	# mutation: set the flag after the test
	.set KICK_ALL, 0		# 1: the cure for a match that mixes two locks
					# (docs/findings.md): no break after a kick
	.set SAVE_OUTER, 0		# 1: w is put back for an outer lock; no cure
					# for the bare halt (docs/findings.md)
	.set LOCK_BEFORE_WANT, 0	# mutation: publish w->lock before w->want

	.if NR_CPUS < 1 || NR_CPUS > 1024
	.error "NR_CPUS must be 1 to 1024"
	.endif

	.set KVM_HC_KICK_CPU, 5

# The per-CPU area that %gs points to (layout.go).
	.set PERCPU_BASE, 0x800000	# of CPU 0
	.set PERCPU_SHIFT, 12		# a page for each CPU
	.set PERCPU_INDEX, 0		# smp_processor_id()
	.set PERCPU_APICID, 8		# x86_cpu_to_apicid
	.set W_LOCK, 64			# struct kvm_lock_waiting: lock
	.set W_WANT, 72			# and want

# struct spinlock_stats: u32 each, then with STATS == 2 the times of spin-stats.s.
	.set TAKEN_SLOW, 0
	.set TAKEN_SLOW_PICKUP, 4
	.set RELEASED_SLOW, 8
	.set RELEASED_SLOW_KICKED, 12
	.set HISTO_SPIN_BLOCKED, 16

# add_stats(stat, 1): plain, as in the patch, so CPUs that count at once may lose
# one of the two.
	.macro add_stats stat
	.if STATS
	.if STATS == 2
	cmpb $0, zero_stats(%rip)	# check_zero()
	je .Lnonzero\@
	call reset_stats
.Lnonzero\@:
	.endif
	incl spinlock_stats+\stat(%rip)
	.endif
	.endm

	.text

# PV_CALLEE_SAVE_REGS_THUNK(kvm_lock_spinning): saves every caller-saved
# register but the result, so that the fast path of spin_lock need not.
	.type kvm_lock_spinning.thunk, @function
kvm_lock_spinning.thunk:
	push %rcx; push %rdx; push %rsi; push %rdi
	push %r8; push %r9; push %r10; push %r11
	call kvm_lock_spinning
	pop %r11; pop %r10; pop %r9; pop %r8
	pop %rdi; pop %rsi; pop %rdx; pop %rcx
	ret
	.size kvm_lock_spinning.thunk, . - kvm_lock_spinning.thunk

# kvm_lock_spinning(lock, want): %rdi = lock, %esi = want.
# %rcx = this CPU, %rdx = the caller's flags throughout.
	.globl kvm_lock_spinning
	.type kvm_lock_spinning, @function
kvm_lock_spinning:
	push %rbp
	mov %rsp, %rbp
	mov %gs:PERCPU_INDEX, %ecx	# cpu = smp_processor_id()
	.if STATS == 2
	call spin_time_start		# %r9 = start
	.endif

	pushfq				# local_irq_save(flags): a handler that
	pop %rdx			# took a lock here would overwrite w
	cli

	.if SAVE_OUTER
	push %gs:W_WANT
	push %gs:W_LOCK
	.endif

	# w->lock may be set only while w->want is right: clear, want, lock. The
	# smp_wmb()s between them are compiler barriers on x86.
	.if LOCK_BEFORE_WANT
	mov %rdi, %gs:W_LOCK
	.else
	movq $0, %gs:W_LOCK		# w->lock = NULL
	.endif
	.if TICKET_BITS == 8
	mov %sil, %gs:W_WANT		# w->want = want
	.else
	mov %si, %gs:W_WANT
	.endif
	.if LOCK_BEFORE_WANT == 0
	mov %rdi, %gs:W_LOCK		# w->lock = lock
	.endif

	add_stats TAKEN_SLOW

	lock btsq %rcx, waiting_cpus(%rip)	# cpumask_set_cpu(cpu, &waiting_cpus)

	# __ticket_enter_slowpath(lock), before the last-chance test: an
	# unlocker then either is seen by the test or sees the flag.
	.if FLAG_IN_HEAD
	lock orb $1, (%rdi)
	.elseif FLAG_AFTER_PICKUP == 0
	lock orb $1, TICKET_BITS/8(%rdi)
	.endif

	# if (ACCESS_ONCE(lock->tickets.head) == want) goto out
	.if TICKET_BITS == 8
	movzbl (%rdi), %eax
	.else
	movzwl (%rdi), %eax
	.endif
	.if FLAG_IN_HEAD
	and $-2, %eax			# __tickets_equal(head, want)
	.endif
	.if TICKET_BATCH
	xor %esi, %eax			# or of the same batch (ticket-batch.s)
	.if TICKET_BITS == 8
	cmp $TICKET_BATCH * TICKET_INC - 1, %al
	.else
	cmp $TICKET_BATCH * TICKET_INC - 1, %ax
	.endif
	jbe 2f
	.else
	.if TICKET_BITS == 8
	cmp %sil, %al
	.else
	cmp %si, %ax
	.endif
	je 2f
	.endif

	.if FLAG_AFTER_PICKUP
	lock orb $1, TICKET_BITS/8(%rdi)
	.endif

	.if SAFE_HALT
	test $0x200, %edx		# arch_irqs_disabled_flags(flags)
	jne 1f
	hlt				# halt(): the caller had them off
	jmp 3f
1:	sti				# safe_halt(): the shadow of STI leaves
	hlt				# no gap for an interrupt before HLT
	cli
	.else
	push %rdx			# local_irq_restore(flags)
	popfq
	hlt				# halt(), until kicked
	pushfq				# local_irq_save(flags)
	pop %rdx
	cli
	.endif
	jmp 3f

2:
	add_stats TAKEN_SLOW_PICKUP

3:
	.if SAVE_OUTER
	movq $0, %gs:W_LOCK
	pop %rax
	pop %gs:W_WANT
	mov %rax, %gs:W_LOCK
	test %rax, %rax			# an outer lock still waits for a kick
	jne 4f
	.endif
	lock btrq %rcx, waiting_cpus(%rip)	# cpumask_clear_cpu(cpu, …)
	.if SAVE_OUTER == 0
	movq $0, %gs:W_LOCK		# w->lock = NULL
	.endif
4:
	push %rdx			# local_irq_restore(flags)
	popfq
	.if STATS == 2
	lea spinlock_stats+HISTO_SPIN_BLOCKED(%rip), %rdi
	call spin_time_accum_blocked	# (start)
	.endif
	pop %rbp
	ret
	.size kvm_lock_spinning, . - kvm_lock_spinning

# kvm_unlock_kick(lock, ticket): %rdi = lock, %esi = ticket. An ordinary call:
# it may change the caller-saved registers. %ecx = cpu, %r8 = the mask.
	.globl kvm_unlock_kick
	.type kvm_unlock_kick, @function
kvm_unlock_kick:
	push %rbp
	mov %rsp, %rbp
	push %rbx

	add_stats RELEASED_SLOW

	# for_each_cpu(cpu, &waiting_cpus): find_next_bit reads the word anew for
	# each CPU, so a bit that appears during the scan can still be found.
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
	.if TICKET_BATCH
	.if TICKET_BITS == 8
	movzbl PERCPU_BASE+W_WANT(%rax), %edx
	xor %esi, %edx
	cmp $TICKET_BATCH * TICKET_INC - 1, %dl	# w->want and ticket in one batch
	.else
	movzwl PERCPU_BASE+W_WANT(%rax), %edx
	xor %esi, %edx
	cmp $TICKET_BATCH * TICKET_INC - 1, %dx
	.endif
	jbe 4f
	.else
	.if TICKET_BITS == 8
	cmp %sil, PERCPU_BASE+W_WANT(%rax)	# w->want == ticket
	.else
	cmp %si, PERCPU_BASE+W_WANT(%rax)
	.endif
	je 4f
	.endif

2:	inc %ecx			# no: the next CPU
	cmp $NR_CPUS, %ecx
	jb 1b
	jmp 5f
3:	or $63, %ecx			# no bit left in this word
	jmp 2b

4:
	add_stats RELEASED_SLOW_KICKED
	# kvm_kick_cpu(cpu): kvm_hypercall1(KVM_HC_KICK_CPU, apicid)
	mov PERCPU_BASE+PERCPU_APICID(%rax), %ebx
	mov $KVM_HC_KICK_CPU, %eax
	vmcall
	.if KICK_ALL
	jmp 2b				# another CPU may match, too
	.endif

5:	pop %rbx
	pop %rbp
	ret
	.size kvm_unlock_kick, . - kvm_unlock_kick

# spin_init: kvm_spinlock_init, on the boot CPU before the others run.
	.globl spin_init
	.type spin_init, @function
spin_init:
	push %rbp
	mov %rsp, %rbp
	push %rbx

	# kvm_para_available(): the signature "KVMKVMKVM\0\0\0". %eax, the
	# highest leaf, is 0 on old hosts and not looked at.
	mov $0x40000000, %eax
	cpuid
	cmp $0x4b4d564b, %ebx
	jne 1f
	cmp $0x564b4d56, %ecx
	jne 1f
	cmp $0x4d, %edx
	jne 1f

	# kvm_para_has_feature(KVM_FEATURE_PV_UNHALT), else all stays native
	mov $0x40000001, %eax
	cpuid
	bt $KVM_FEATURE_PV_UNHALT, %eax
	jnc 1f

	# static_key_slow_inc(&paravirt_ticketlocks_enabled): the nop in
	# spin_unlock becomes jmp rel32. No other CPU runs yet and this one is
	# not in spin_unlock, so two plain stores do; a live patch would need an
	# int3 in between. Reaching the other CPUs is safe too: the OUT that
	# ends the boot CPU's part drains its store buffer before they start.
	mov ticketlock_jump_entry(%rip), %rax	# entry->code
	mov ticketlock_jump_entry+8(%rip), %rdx	# entry->target
	sub %rax, %rdx
	sub $5, %rdx			# relative to the end of the jmp
	movb $0xe9, (%rax)
	mov %edx, 1(%rax)

	# pv_lock_ops.lock_spinning = PV_CALLEE_SAVE(kvm_lock_spinning)
	lea kvm_lock_spinning.thunk(%rip), %rax
	mov %rax, pv_lock_ops(%rip)
	# pv_lock_ops.unlock_kick = kvm_unlock_kick
	lea kvm_unlock_kick(%rip), %rax
	mov %rax, pv_lock_ops+8(%rip)

1:	pop %rbx
	pop %rbp
	ret
	.size spin_init, . - spin_init

	.bss
	.balign 64
# waiting_cpus: a bit for each CPU that is in kvm_lock_spinning.
	.globl waiting_cpus
waiting_cpus:
	.zero 128

	.if STATS
	.balign 64
	.globl spinlock_stats
spinlock_stats:
	.zero 16
	.if STATS == 2
	.zero 31 * 4 + 4 + 8		# histo_spin_blocked, time_blocked
	.endif
	.globl spinlock_stats_end
spinlock_stats_end:
	.balign 64
	.endif
