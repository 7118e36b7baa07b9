	.globl spin_lock, spin_unlock
	.type spin_lock,@function
spin_lock:
	push   %rbp
	mov    %rsp,%rbp

	mov    $0x200,%eax
	lock xadd %ax,(%rdi)
	movzbl %ah,%edx
	cmp    %al,%dl
	jne    1f	# Slowpath if lock in contention

	pop    %rbp
	retq   

	### SLOWPATH START
1:	and    $-2,%edx
	movzbl %dl,%esi

2:	mov    $0x800,%eax
	jmp    4f

3:	pause  
	sub    $0x1,%eax
	je     5f

4:	movzbl (%rdi),%ecx
	cmp    %cl,%dl
	jne    3b

	pop    %rbp
	retq   

5:	callq  *__ticket_lock_spinning
	jmp    2b
	.size spin_lock, .-spin_lock
	### SLOWPATH END
	.p2align 4
spin_unlock:
	push   %rbp
	mov    %rsp,%rbp

	.byte 0x0f,0x1f,0x44,0,0

	# non-PV unlock
	addb   $0x2,(%rdi)

1:	pop    %rbp
	retq   

### PV unlock ###
2:	movzwl (%rdi),%esi	# Fetch prev

	lock addb $0x2,(%rdi)	# Do unlock

	testb  $0x1,0x1(%rdi)	# Test flag
	je     1b		# Finished if not set

### Slow path ###
	add    $2,%sil		# Add "head" in old lock state
	mov    %esi,%edx
	and    $0xfe,%dh	# clear slowflag for comparison
	movzbl %dh,%eax
	cmp    %dl,%al		# If head == tail (uncontended)
	je     4f		# clear slowpath flag
3:	movzbl %sil,%esi
	callq *pv_lock_ops.kick
	pop %rbp
	retq
4:	mov    %esi,%eax
1:	lock cmpxchg %dx,(%rdi)	# cmpxchg to clear flag
	jne    3b		# If clear failed, then kick
	pop %rbp
	retq
	.data
__ticket_lock_spinning: .quad slow
pv_lock_ops.kick: .quad 0x55
	.section .text
slow: ret
	.byte slow - spin_unlock
