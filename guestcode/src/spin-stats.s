# spin-stats.s: what collecting statistics about a spinlock takes beside the
# counters: the histogram of times blocked and the reset. Only with STATS == 2.
#
# PV ticketlock V8, patch 16 (and 5 for Xen): check_zero, spin_time_start,
# __spin_time_accum, spin_time_accum_blocked. No update is locked, as there.
#
# Besides the counters spinlock_stats then has
#
#   u32 histo_spin_blocked[31]	waits of 2^i to 2^(i+1)-1 ns; the last one: longer
#   u64 time_blocked		their sum, at the next multiple of 8
#
# The file that this is linked with gives spinlock_stats and spinlock_stats_end.
# sched_clock() is RDTSC here, so ns are cycles.

	.set STATS, 1

	.if STATS < 0 || STATS > 2
	.error "STATS must be 0, 1 or 2"
	.endif

	.set HISTO_BUCKETS, 30
	.set TIME_BLOCKED, 31 * 4 + 7	# from histo_spin_blocked, rounded down to 8

	.if STATS == 2
	.text

# spin_time_start(): %r9 = sched_clock(). Changes %rax and %rdx.
	.globl spin_time_start
	.type spin_time_start, @function
spin_time_start:
	rdtsc
	shl $32, %rdx
	or %rdx, %rax
	mov %rax, %r9
	ret
	.size spin_time_start, . - spin_time_start

# spin_time_accum_blocked(start): %r9 = start, %rdi = histo_spin_blocked. Changes
# %rax, %rcx, %rdx and %rdi.
	.globl spin_time_accum_blocked
	.type spin_time_accum_blocked, @function
spin_time_accum_blocked:
	rdtsc
	shl $32, %rdx
	or %rdx, %rax
	sub %r9d, %eax			# u32 delta = sched_clock() - start
	mov $-1, %ecx			# ilog2(0) is -1: the last bucket
	bsr %rax, %rcx			# index = ilog2(delta)
	cmpb $0, zero_stats(%rip)	# check_zero()
	je 1f
	call reset_stats
1:	cmp $HISTO_BUCKETS, %ecx
	jb 2f
	mov $HISTO_BUCKETS, %ecx
2:	incl (%rdi,%rcx,4)		# array[index]++
	add $TIME_BLOCKED, %rdi
	and $-8, %rdi
	add %rax, (%rdi)		# time_blocked += delta
	ret
	.size spin_time_accum_blocked, . - spin_time_accum_blocked

# reset_stats: the unlikely part of check_zero(). The cmpxchg lets only one CPU
# clear; what others count meanwhile may still be lost. Saves all registers.
	.globl reset_stats
	.type reset_stats, @function
reset_stats:
	push %rax
	push %rcx
	push %rdi
	movzbl zero_stats(%rip), %eax	# old = ACCESS_ONCE(zero_stats)
	test %al, %al
	je 1f
	xor %ecx, %ecx
	lock cmpxchgb %cl, zero_stats(%rip)
	jne 1f				# ret != old: another one does it
	lea spinlock_stats(%rip), %rdi	# memset(&spinlock_stats, 0, sizeof)
	lea spinlock_stats_end(%rip), %rcx
	sub %rdi, %rcx
	xor %eax, %eax
	cld
	rep stosb
1:	pop %rdi
	pop %rcx
	pop %rax
	ret
	.size reset_stats, . - reset_stats

	.bss
	.globl zero_stats
zero_stats:
	.zero 1				# a user of debugfs writes 1 to reset
	.balign 64
	.endif
