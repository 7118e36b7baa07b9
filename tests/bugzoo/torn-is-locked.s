# Head and tail loaded apart can look like a free lock while it changes hands.
#
#	spinlab check ticket --vcpus 3 --main torn-is-locked.s
#
# vCPU 1 queues before vCPU 0 releases, and releases only when vCPU 2 has looked:
# while vCPU 2 looks, somebody holds the lock all the time.

	.set LOCK, 0x200000
	.set HELD, 0x200080		# vCPU 0 holds the lock
	.set LOOKED, 0x2000c0		# vCPU 2 has looked

	.globl vcpu_main
vcpu_main:
	cmp $1, %edi
	je 2f
	ja 4f

	mov $LOCK, %edi
	call spin_lock
	movb $1, HELD
1:	cmpb $2, LOCK+1			# until vCPU 1 has drawn its ticket
	je 8f
	pause
	jmp 1b

2:	cmpb $0, HELD			# after vCPU 0
	je 3f
	mov $LOCK, %edi
	call spin_lock
7:	cmpb $0, LOOKED
	jne 8f
	pause
	jmp 7b
3:	pause
	jmp 2b

4:	cmpb $0, HELD
	je 5f
	mov $LOCK, %edi
	call spin_is_locked
	movb $1, LOOKED
	xor $1, %al			# it is locked: a pass
	out %al, $0xf4
5:	pause
	jmp 4b

8:	mov $LOCK, %edi
	call spin_unlock
	xor %eax, %eax
	out %al, $0xf4
