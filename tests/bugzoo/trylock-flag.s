# The slowpath flag stays on a free lock between the release and the cmpxchg that
# clears it. A trylock has to mask it.
#
#	spinlab check ticket-pv-kvm --main trylock-flag.s --final 'mem:0x200100:4==1'
#
# Both vCPUs take the lock once. When both have had it and head equals tail, flag
# aside, the lock is free and nobody else wants it. One try of vCPU 0 may fail,
# because the flag is cleared under its cmpxchg; the next one has to succeed.

	.set LOCK, 0x200000
	.set HAD, 0x200080		# how many have had the lock
	.set TAKEN, 0x200100		# what the tries gave

	.globl vcpu_boot, vcpu_main
vcpu_boot:
	call spin_init
	xor %eax, %eax
	out %al, $0xf4

vcpu_main:
	mov %edi, %ebx
	mov $LOCK, %edi
	call spin_lock
	incl HAD
	mov $LOCK, %edi
	call spin_unlock
	test %ebx, %ebx
	jne 3f

1:	cmpl $2, HAD
	jne 2f
	movzwl LOCK, %eax
	and $-2, %ah
	cmp %al, %ah
	jne 2f
	mov $LOCK, %edi
	call spin_trylock
	test %eax, %eax
	jne 4f
	mov $LOCK, %edi
	call spin_trylock
4:	mov %eax, TAKEN
3:	xor %eax, %eax
	out %al, $0xf4
2:	pause
	jmp 1b
