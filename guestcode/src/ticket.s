# ticket.s: the native ticket spinlock, CONFIG_PARAVIRT_SPINLOCKS=n.
#
# PV ticketlock V8, cover letter (second listing) and patches 8 and 10 with
# TICKET_LOCK_INC = 1 and TICKET_SLOWPATH_FLAG = 0.
#
# The lock is a pair of tickets: head (who may enter) in the low half, tail
# (the next ticket to draw) in the high half, so that a wide xadd on the pair
# never carries from tail into head.
#
#   u8:   byte 0 head, byte 1 tail          u16:  word 0 head, word 1 tail
#
# Uncontended: lock 9 instructions with one locked RMW (u16: 10, because a word
# has no %ah and tail takes a mov and a shr), unlock 5 with none. A spin turn
# is 4 instructions.

	.set TICKET_BITS, 8		# width of a ticket: 8 or 16
	.set TICKET_INC, 1		# from a ticket to the next; more leaves fewer
					# of them, for small searches
	.set UNLOCK_LOCK, 0		# 1: UNLOCK_LOCK_PREFIX is LOCK, for Pentium
					# Pros with errata 66 and 92
	.set HEAD_UNLOCK_WAIT, 0	# 1: spin_unlock_wait as in v4.0 (78bff1c8)
	.set TORN_IS_LOCKED, 0		# mutation: is_locked loads head and tail apart
	.set PLAIN_XADD, 0		# mutation: draw the ticket without LOCK

	.if TICKET_BITS != 8
	.if TICKET_BITS != 16
	.error "TICKET_BITS must be 8 or 16"
	.endif
	.endif

	.if TICKET_INC < 1 || TICKET_INC > 64 || TICKET_INC & (TICKET_INC - 1)
	.error "TICKET_INC must be a power of two from 1 to 64"
	.endif

	.set TAIL_INC, TICKET_INC << TICKET_BITS	# one ticket, in the tail half

	.text

# arch_spin_lock(lock): %rdi = lock.
	.globl spin_lock
	.type spin_lock, @function
spin_lock:
	push %rbp
	mov %rsp, %rbp

	mov $TAIL_INC, %eax		# inc = { .tail = TICKET_LOCK_INC }
	.if TICKET_BITS == 8
	.if PLAIN_XADD
	xadd %ax, (%rdi)
	.else
	lock xadd %ax, (%rdi)		# inc = xadd(&lock->tickets, inc)
	.endif
	movzbl %ah, %edx		# %dl = inc.tail, %al = inc.head
	cmp %al, %dl			# inc.head == inc.tail: ours
	.else
	.if PLAIN_XADD
	xadd %eax, (%rdi)
	.else
	lock xadd %eax, (%rdi)
	.endif
	mov %eax, %edx
	shr $16, %edx			# %dx = inc.tail, %ax = inc.head
	cmp %ax, %dx
	.endif
	jne spin_lock.slow

	pop %rbp
	ret
	.size spin_lock, . - spin_lock

# The spin loop, out of line. With the PV hook an empty function, the count of
# SPIN_THRESHOLD has no effect and the compiler drops it.
	.type spin_lock.slow, @function
spin_lock.slow:
1:	pause				# cpu_relax()
	.if TICKET_BITS == 8
	movzbl (%rdi), %eax		# ACCESS_ONCE(lock->tickets.head)
	cmp %dl, %al
	.else
	movzwl (%rdi), %eax
	cmp %dx, %ax
	.endif
	jne 1b

	pop %rbp
	ret
	.size spin_lock.slow, . - spin_lock.slow

# arch_spin_unlock(lock): a plain add. Only the owner writes head, and x86
# stores stay in order, so no LOCK is needed (UNLOCK_LOCK_PREFIX is empty on
# 64-bit).
	.globl spin_unlock
	.type spin_unlock, @function
spin_unlock:
	push %rbp
	mov %rsp, %rbp
	.if UNLOCK_LOCK
	lock
	.endif
	.if TICKET_BITS == 8
	addb $TICKET_INC, (%rdi)	# __add(&lock->tickets.head, 1)
	.else
	addw $TICKET_INC, (%rdi)
	.endif
	pop %rbp
	ret
	.size spin_unlock, . - spin_unlock

# arch_spin_trylock(lock): %eax = 1 if the lock was taken, else 0.
	.globl spin_trylock
	.type spin_trylock, @function
spin_trylock:
	push %rbp
	mov %rsp, %rbp
	xor %ecx, %ecx
	.if TICKET_BITS == 8
	movzwl (%rdi), %edx		# old = *lock, both halves in one load
	movzbl %dh, %eax
	cmp %dl, %al			# old.head != old.tail: held
	jne 1f
	lea TAIL_INC(%rdx), %ecx	# new = old + (1 << TICKET_SHIFT)
	mov %edx, %eax
	lock cmpxchg %cx, (%rdi)
	.else
	mov (%rdi), %edx
	mov %edx, %eax
	shr $16, %eax
	cmp %dx, %ax
	jne 1f
	lea TAIL_INC(%rdx), %ecx
	mov %edx, %eax
	lock cmpxchg %ecx, (%rdi)
	.endif
	mov $0, %ecx			# keeps the flags
	sete %cl
1:	mov %ecx, %eax
	pop %rbp
	ret
	.size spin_trylock, . - spin_trylock

# arch_spin_is_locked(lock): %eax = (tail != head), from one load of both.
	.globl spin_is_locked
	.type spin_is_locked, @function
spin_is_locked:
	push %rbp
	mov %rsp, %rbp
	.if TORN_IS_LOCKED
	.if TICKET_BITS == 8
	movzbl 1(%rdi), %edx
	movzbl (%rdi), %eax
	.else
	movzwl 2(%rdi), %edx
	movzwl (%rdi), %eax
	.endif
	cmp %eax, %edx
	.elseif TICKET_BITS == 8
	movzwl (%rdi), %eax
	cmp %al, %ah
	.else
	mov (%rdi), %eax
	mov %eax, %edx
	shr $16, %edx
	cmp %ax, %dx
	.endif
	setne %al
	movzbl %al, %eax
	pop %rbp
	ret
	.size spin_is_locked, . - spin_is_locked

	.if HEAD_UNLOCK_WAIT
# arch_spin_unlock_wait(lock) of v4.0: until the lock is free, or head has moved.
# Without the latter, those who keep taking the lock starve the waiter.
	.globl spin_unlock_wait
	.type spin_unlock_wait, @function
spin_unlock_wait:
	.if TICKET_BITS == 8
	movzbl (%rdi), %ecx		# head = READ_ONCE(lock->tickets.head)
1:	movzwl (%rdi), %eax		# tmp = READ_ONCE(lock->tickets)
	cmp %al, %ah			# tmp.head == tmp.tail
	je 2f
	cmp %cl, %al			# tmp.head != head
	jne 2f
	.else
	movzwl (%rdi), %ecx
1:	mov (%rdi), %eax
	mov %eax, %edx
	shr $16, %edx
	cmp %ax, %dx
	je 2f
	cmp %cx, %ax
	jne 2f
	.endif
	pause
	jmp 1b
2:	ret
	.size spin_unlock_wait, . - spin_unlock_wait
	.endif
