# mcs.s: the queue lock of Mellor-Crummey and Scott (1991). Each waiter spins on
# its own node, so a hand-over moves one line to one CPU.
#
#   lock, 8 bytes: the last node of the queue, 0 if free
#   node:  +0 next (8 bytes)   +8 locked (4 bytes): 1 once the lock is ours

	.set UNLOCKED_CMPXCHG, 0	# mutation: leave the queue without LOCK

	.set NEXT, 0
	.set LOCKED, 8

	.text

# spin_lock(lock, node): %rdi = lock, %rsi = our node.
	.globl spin_lock
	.type spin_lock, @function
spin_lock:
	push %rbp
	mov %rsp, %rbp
	movq $0, NEXT(%rsi)		# node->next = NULL
	movl $0, LOCKED(%rsi)		# node->locked = 0
	mov %rsi, %rax
	xchg %rax, (%rdi)		# prev = xchg(lock, node)
	test %rax, %rax
	jne spin_lock.slow
	pop %rbp
	ret
	.size spin_lock, . - spin_lock

	.type spin_lock.slow, @function
spin_lock.slow:
	mov %rsi, NEXT(%rax)		# prev->next = node
1:	pause
	cmpl $0, LOCKED(%rsi)		# until the owner before us hands over
	je 1b
	pop %rbp
	ret
	.size spin_lock.slow, . - spin_lock.slow

# spin_unlock(lock, node): the node that spin_lock was given.
	.globl spin_unlock
	.type spin_unlock, @function
spin_unlock:
	push %rbp
	mov %rsp, %rbp
	mov NEXT(%rsi), %rdx		# next = node->next
	test %rdx, %rdx
	jne 2f
	mov %rsi, %rax
	.if UNLOCKED_CMPXCHG
	cmpxchg %rdx, (%rdi)
	.else
	lock cmpxchg %rdx, (%rdi)	# cmpxchg(lock, node, NULL)
	.endif
	jne spin_unlock.slow		# somebody is behind us after all
1:	pop %rbp
	ret
2:	movl $1, LOCKED(%rdx)		# next->locked = 1
	jmp 1b
	.size spin_unlock, . - spin_unlock

# The successor has swapped itself in but not linked itself yet.
	.type spin_unlock.slow, @function
spin_unlock.slow:
	pause
	mov NEXT(%rsi), %rdx
	test %rdx, %rdx
	je spin_unlock.slow
	jmp 2b
	.size spin_unlock.slow, . - spin_unlock.slow

# spin_trylock(lock, node): %eax = 1 if the lock was taken, else 0.
	.globl spin_trylock
	.type spin_trylock, @function
spin_trylock:
	push %rbp
	mov %rsp, %rbp
	movq $0, NEXT(%rsi)
	xor %eax, %eax
	lock cmpxchg %rsi, (%rdi)	# cmpxchg(lock, NULL, node)
	sete %al
	movzbl %al, %eax
	pop %rbp
	ret
	.size spin_trylock, . - spin_trylock

	.globl spin_is_locked
	.type spin_is_locked, @function
spin_is_locked:
	push %rbp
	mov %rsp, %rbp
	xor %eax, %eax
	cmpq $0, (%rdi)
	setne %al
	pop %rbp
	ret
	.size spin_is_locked, . - spin_is_locked
