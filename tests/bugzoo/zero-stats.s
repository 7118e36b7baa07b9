# check_zero() of the PV ticketlock series: two CPUs that both see zero_stats = 1
# both clear the statistics, and one wipes what the other has counted since.
#
#	spinlab check zero-stats.s --final '!(P0.ebx==1 && P1.ebx==1)'
#	spinlab check zero-stats.s --final '!(P0.ebx==1 && P1.ebx==1)' --define CMPXCHG=1
#	spinlab check zero-stats.s --final 'mem:0x200080:4==1 && mem:0x200084:4==1'
#
# With cmpxchg (as merged) only one of the two clears. What the other counts may
# still be wiped, because it does not wait for the first to finish: the third
# line is violated by both. %ebx = 1: this CPU has cleared.

	.set CMPXCHG, 0
	.set ZERO_STATS, 0x200000
	.set STATS, 0x200080		# a counter of each CPU

	.data
	.text
	.macro check_zero
	mov ZERO_STATS, %eax		# ret = ACCESS_ONCE(zero_stats)
	test %eax, %eax
	je 1f
	.if CMPXCHG
	xor %ecx, %ecx			# old = cmpxchg(&zero_stats, ret, 0)
	lock cmpxchg %ecx, ZERO_STATS
	jne 1f
	.endif
	movq $0, STATS			# memset(&spinlock_stats, 0, …)
	mov $1, %ebx
	.if CMPXCHG == 0
	movl $0, ZERO_STATS
	.endif
1:
	.endm

P0:	check_zero
	incl STATS
	hlt
P1:	check_zero
	incl STATS+4
	hlt
