# ticket-batch.s: the batched (group) ticket spinlock, on top of the PV lock.
#
# "Implement Batched (group) ticket lock" (RFC, 2014-05-28), over PV ticketlock
# V8 patches 7, 8 and 10.
#
# Tickets are served in batches of TICKET_BATCH: batches in FIFO order, the
# tickets within one in any order. tail steps by 2 for each locker; head steps
# by 1 twice for each turn: even to odd when somebody of the current batch takes
# the lock (bit 0 of head is the held bit), odd to even when he releases it.
# TICKET_BATCH turns move head by 2*TICKET_BATCH, which is the next batch.
#
# The mask. The patch writes ~(BATCH << 1) + TAIL_INC - 1. In C the ~ binds
# first: with S = BATCH << 1 it is (-S - 1) + 2 - 1 = -S, and the reviewers'
# ~(S - 1) is -S as well. They agree, but only because TAIL_INC is 2; and -S
# masks off the low bits only if S is a power of two. Batch 4: -8, that is ~7.
# (x & -S) == (y & -S) is what gcc turns into (x ^ y) < S, used below.
#
# How many CPUs fit: the tickets from the start of the current batch on must not
# reach round to that batch again. At most BATCH-1 of it are served out of order
# and N are outstanding, so BATCH-1 + N <= 2^bits/2. A u8 ticket with batches of
# 4 thus serves 125 CPUs, two fewer than the NR_CPUS test of the patch allows
# (derived): the 126th could draw the place of a slow member of the batch, who
# would then wait for head to come round.

	.set TICKET_BITS, 8		# width of a ticket: 8 or 16
	.set TICKET_INC, 2		# from a ticket to the next; more leaves fewer
					# of them, for small searches
	.set TICKET_BATCH, 4		# tickets in a batch: a power of two
	.set SPIN_THRESHOLD, 1 << 11	# turns before lock_spinning is called
	.set UNLOCKED_CMPXCHG, 0	# mutation: take the held bit without LOCK

	.if TICKET_BITS != 8
	.if TICKET_BITS != 16
	.error "TICKET_BITS must be 8 or 16"
	.endif
	.endif
	.if SPIN_THRESHOLD < 1
	.error "SPIN_THRESHOLD must be at least 1"
	.endif
	.if TICKET_BATCH < 1
	.error "TICKET_BATCH must be a power of two"
	.endif
	.if TICKET_BATCH & (TICKET_BATCH - 1)
	.error "TICKET_BATCH must be a power of two"
	.endif
	.if TICKET_INC < 2 || TICKET_INC > 64 || TICKET_INC & (TICKET_INC - 1)
	.error "TICKET_INC must be a power of two from 2 to 64"
	.endif
	.if TICKET_BATCH * TICKET_INC >= 1 << TICKET_BITS
	.error "TICKET_BATCH does not fit: TICKET_BITS must hold two batches"
	.endif

	.set TAIL, TICKET_BITS / 8	# offset of tail in the lock
	.set TAIL_INC, TICKET_INC << TICKET_BITS	# one ticket, in the tail half
	.set BATCH_SPAN, TICKET_BATCH * TICKET_INC	# what head moves by for a batch

	.text

# arch_spin_lock(lock): %rdi = lock. The patch drops the test for the free lock
# after the xadd: everybody passes the batch test and then takes the held bit.
	.globl spin_lock
	.type spin_lock, @function
spin_lock:
	push %rbp
	mov %rsp, %rbp

	mov $TAIL_INC, %eax		# inc = { .tail = TICKET_LOCK_TAIL_INC }
	.if TICKET_BITS == 8
	lock xadd %ax, (%rdi)		# inc = xadd(&lock->tickets, inc)
	movzbl %ah, %edx		# %edx = inc.tail
	movzbl %al, %ecx		# %ecx = inc.head
	and $-2, %edx			# inc.tail &= ~TICKET_SLOWPATH_FLAG
	movzbl %dl, %esi		# the hook's second argument
	.else
	lock xadd %eax, (%rdi)
	mov %eax, %edx
	shr $16, %edx
	movzwl %ax, %ecx
	and $-2, %edx
	movzwl %dx, %esi
	.endif

2:	mov $SPIN_THRESHOLD, %eax
3:	xor %edx, %ecx			# (head & MASK) == (tail & MASK)?
	.if TICKET_BITS == 8
	cmp $BATCH_SPAN - 1, %cl
	.else
	cmp $BATCH_SPAN - 1, %cx
	.endif
	ja spin_lock.slow		# another batch's turn

	# spin: our batch may enter; compete for the held bit.
4:
	.if TICKET_BITS == 8
	movzbl (%rdi), %eax		# inc.head = ACCESS_ONCE(head)
	.else
	movzwl (%rdi), %eax
	.endif
	test $1, %al			# inc.head & TICKET_LOCK_HEAD_INC: held
	jne 5f
	mov %eax, %edx
	mov %eax, %ecx
	or $1, %ecx			# new.head = inc.head | HEAD_INC
	.if TICKET_BITS == 8
	.if UNLOCKED_CMPXCHG
	cmpxchg %cl, (%rdi)
	.else
	lock cmpxchg %cl, (%rdi)
	.endif
	cmp %dl, %al
	.else
	.if UNLOCKED_CMPXCHG
	cmpxchg %cx, (%rdi)
	.else
	lock cmpxchg %cx, (%rdi)
	.endif
	cmp %dx, %ax
	.endif
	jne 5f

	pop %rbp
	ret

5:	pause				# cpu_relax(), without bound
	jmp 4b
	.size spin_lock, . - spin_lock

# Another batch is served: wait for ours, and sleep after SPIN_THRESHOLD turns.
# %ecx = the head seen last, %edx = %esi = our ticket; the hook keeps all three.
	.type spin_lock.slow, @function
spin_lock.slow:
	pause				# cpu_relax()
	.if TICKET_BITS == 8
	movzbl (%rdi), %ecx		# inc.head = ACCESS_ONCE(head)
	.else
	movzwl (%rdi), %ecx
	.endif
	sub $1, %eax			# while (--count)
	jne 3b
	call *pv_lock_ops		# __ticket_lock_spinning(lock, inc.tail)
	jmp 2b
	.size spin_lock.slow, . - spin_lock.slow

# arch_spin_unlock(lock): as in the PV lock, with HEAD_INC = 1 (odd to even).
	.globl spin_unlock
	.type spin_unlock, @function
spin_unlock:
	push %rbp
	mov %rsp, %rbp

	# static_key_false(&paravirt_ticketlocks_enabled)
.Lticketlock_key:
	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00	# nop5, or jmp spin_unlock.pv

	.if TICKET_BITS == 8
	addb $TICKET_INC - 1, (%rdi)			# __add(&head, TICKET_LOCK_HEAD_INC)
	.else
	addw $TICKET_INC - 1, (%rdi)
	.endif

1:	pop %rbp
	ret
	.size spin_unlock, . - spin_unlock

	.type spin_unlock.pv, @function
spin_unlock.pv:
	.if TICKET_BITS == 8
	movzwl (%rdi), %esi		# prev = *lock
	lock addb $TICKET_INC - 1, (%rdi)		# add_smp(&head, HEAD_INC), a full barrier
	.else
	mov (%rdi), %esi
	lock addw $TICKET_INC - 1, (%rdi)
	.endif
	testb $1, TAIL(%rdi)		# tail & TICKET_SLOWPATH_FLAG
	je 1b
	.size spin_unlock.pv, . - spin_unlock.pv

# __ticket_unlock_slowpath(lock, prev): %esi = prev.
	.type spin_unlock.slow, @function
spin_unlock.slow:
	.if TICKET_BITS == 8
	add $TICKET_INC - 1, %sil			# old.head += HEAD_INC
	mov %esi, %edx
	and $0xfe, %dh			# new = old without the flag
	movzbl %dh, %eax
	cmp %dl, %al			# new.head == new.tail: nobody queues
	.else
	add $TICKET_INC - 1, %si
	mov %esi, %edx
	and $0xfffeffff, %edx
	mov %edx, %eax
	shr $16, %eax
	cmp %dx, %ax
	.endif
	je 4f

3:
	.if TICKET_BITS == 8
	movzbl %sil, %esi
	.else
	movzwl %si, %esi
	.endif
	call *pv_lock_ops+8		# __ticket_unlock_kick(lock, old.head)

	pop %rbp
	ret

4:	mov %esi, %eax
	.if TICKET_BITS == 8
	lock cmpxchg %dx, (%rdi)	# cmpxchg: clear the flag
	cmp %si, %ax
	.else
	lock cmpxchg %edx, (%rdi)
	cmp %esi, %eax
	.endif
	jne 3b

	pop %rbp
	ret
	.size spin_unlock.slow, . - spin_unlock.slow

# arch_spin_trylock(lock): %eax = 1 if the lock was taken, else 0. It succeeds
# only on a free lock without waiters (head even and equal to tail); the new
# value draws a ticket and sets the held bit in one go.
	.globl spin_trylock
	.type spin_trylock, @function
spin_trylock:
	push %rbp
	mov %rsp, %rbp
	xor %ecx, %ecx
	.if TICKET_BITS == 8
	movzwl (%rdi), %edx		# old = *lock
	movzbl %dh, %eax
	and $-2, %eax
	cmp %dl, %al			# old.head != (old.tail & ~flag)
	jne 1f
	lea TAIL_INC(%rdx), %ecx	# new = old + (TAIL_INC << TICKET_SHIFT)
	mov %edx, %eax
	or $1, %ecx			# new |= TICKET_LOCK_HEAD_INC
	lock cmpxchg %cx, (%rdi)
	.else
	mov (%rdi), %edx
	mov %edx, %eax
	shr $16, %eax
	and $-2, %eax
	cmp %dx, %ax
	jne 1f
	lea TAIL_INC(%rdx), %ecx
	mov %edx, %eax
	or $1, %ecx
	lock cmpxchg %ecx, (%rdi)
	.endif
	mov $0, %ecx			# keeps the flags
	sete %cl
1:	mov %ecx, %eax
	pop %rbp
	ret
	.size spin_trylock, . - spin_trylock

# arch_spin_is_locked(lock): %eax = (tail != head), flag and all. A held lock
# has an odd head. The patch leaves this function alone.
	.globl spin_is_locked
	.type spin_is_locked, @function
spin_is_locked:
	push %rbp
	mov %rsp, %rbp
	.if TICKET_BITS == 8
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

# paravirt_nop: what both hooks are until a backend registers.
	.type paravirt_nop, @function
paravirt_nop:
	ret
	.size paravirt_nop, . - paravirt_nop

	.data
	.balign 64
# struct pv_lock_ops: +0 lock_spinning (callee-save), +8 unlock_kick.
	.globl pv_lock_ops
pv_lock_ops:
	.quad paravirt_nop
	.quad paravirt_nop

# The jump-label entry: the nop, and where the jmp that replaces it goes.
	.globl ticketlock_jump_entry
ticketlock_jump_entry:
	.quad .Lticketlock_key
	.quad spin_unlock.pv
