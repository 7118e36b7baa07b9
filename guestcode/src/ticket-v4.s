# ticket-v4.s: the paravirtualized ticket spinlock of Linux v4.0.
#
# x86/spinlocks/paravirt: Fix memory corruption on unlock (d6abfdb2, v4.0) and
# x86/ticketlock: Fix spin_unlock_wait() livelock (78bff1c8). V8's unlocker looks
# at the flag in tail, and may write it, after it has released the lock: by then
# the next owner may have freed the object that the lock is part of. Here the
# flag is bit 0 of head, the xadd that releases head brings its old value along,
# and nothing of the lock is touched afterwards. The flag outlives the unlock;
# the next owner who had to wait clears it if nobody else waits.
#
#   u8:   byte 0 head|flag, byte 1 tail     u16:  word 0 head|flag, word 1 tail
#
# Written after the C of that commit; the layout of the code is that of
# ticket-pv.s, which the backend shares.

	.set TICKET_BITS, 8		# width of a ticket: 8 or 16
	.set TICKET_INC, 2		# from a ticket to the next; more leaves fewer
					# of them, for small searches
	.set SPIN_THRESHOLD, 1 << 11	# turns before lock_spinning is called
	.set UNLOCKED_XADD, 0		# mutation: PV unlock with xadd without LOCK

	.if TICKET_BITS != 8
	.if TICKET_BITS != 16
	.error "TICKET_BITS must be 8 or 16"
	.endif
	.endif
	.if SPIN_THRESHOLD < 1
	.error "SPIN_THRESHOLD must be at least 1"
	.endif
	.if TICKET_INC < 2 || TICKET_INC > 64 || TICKET_INC & (TICKET_INC - 1)
	.error "TICKET_INC must be a power of two from 2 to 64"
	.endif

	.set TAIL, TICKET_BITS / 8	# offset of tail in the lock
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
	lock xadd %ax, (%rdi)		# inc = xadd(&lock->tickets, inc)
	movzbl %ah, %edx		# %dl = inc.tail, %al = inc.head
	cmp %al, %dl			# equal, so free and without flag: ours
	.else
	lock xadd %eax, (%rdi)
	mov %eax, %edx
	shr $16, %edx
	cmp %ax, %dx
	.endif
	jne spin_lock.slow

	pop %rbp
	ret
	.size spin_lock, . - spin_lock

# %edx = our ticket, %esi = the same for the hook.
	.type spin_lock.slow, @function
spin_lock.slow:
	mov %edx, %esi

2:	mov $SPIN_THRESHOLD, %eax
	jmp 4f

3:	pause				# cpu_relax()
	sub $1, %eax			# while (--count)
	je 5f

4:
	.if TICKET_BITS == 8
	movzbl (%rdi), %ecx		# inc.head = READ_ONCE(lock->tickets.head)
	.else
	movzwl (%rdi), %ecx
	.endif
	mov %ecx, %r8d			# __tickets_equal(inc.head, inc.tail):
	xor %edx, %r8d			# the flag does not count
	test $-2, %r8d
	jne 3b

	test $1, %cl			# __ticket_check_and_clear_slowpath
	jne 7f
6:	pop %rbp
	ret

5:	call *pv_lock_ops		# __ticket_lock_spinning(lock, inc.tail)
	jmp 2b

7:	mov %ecx, %eax			# old = { head, head without flag + INC }
	and $-2, %ecx			# new = the same without the flag
	lea TICKET_INC(%rcx), %r8d
	.if TICKET_BITS == 8
	shl $8, %r8d
	or %r8d, %eax
	or %r8d, %ecx
	lock cmpxchg %cx, (%rdi)	# fails if others wait: they need the flag
	.else
	shl $16, %r8d
	or %r8d, %eax
	or %r8d, %ecx
	lock cmpxchg %ecx, (%rdi)
	.endif
	jmp 6b
	.size spin_lock.slow, . - spin_lock.slow

# arch_spin_unlock(lock): %rdi = lock.
	.globl spin_unlock
	.type spin_unlock, @function
spin_unlock:
	push %rbp
	mov %rsp, %rbp

	# static_key_false(&paravirt_ticketlocks_enabled)
.Lticketlock_key:
	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00	# nop5, or jmp spin_unlock.pv

	.if TICKET_BITS == 8
	addb $TICKET_INC, (%rdi)	# __add(&lock->tickets.head, INC)
	.else
	addw $TICKET_INC, (%rdi)
	.endif

1:	pop %rbp
	ret
	.size spin_unlock, . - spin_unlock

	.type spin_unlock.pv, @function
spin_unlock.pv:
	mov $TICKET_INC, %eax
	.if TICKET_BITS == 8
	.if UNLOCKED_XADD
	xadd %al, (%rdi)
	.else
	lock xadd %al, (%rdi)		# head = xadd(&lock->tickets.head, INC)
	.endif
	.else
	.if UNLOCKED_XADD
	xadd %ax, (%rdi)
	.else
	lock xadd %ax, (%rdi)
	.endif
	.endif
	test $1, %al			# head & TICKET_SLOWPATH_FLAG
	je 1b

	and $-2, %eax			# head &= ~TICKET_SLOWPATH_FLAG
	add $TICKET_INC, %eax
	.if TICKET_BITS == 8
	movzbl %al, %esi
	.else
	movzwl %ax, %esi
	.endif
	call *pv_lock_ops+8		# __ticket_unlock_kick(lock, head + INC)

	pop %rbp
	ret
	.size spin_unlock.pv, . - spin_unlock.pv

# arch_spin_trylock(lock): %eax = 1 if the lock was taken, else 0.
	.globl spin_trylock
	.type spin_trylock, @function
spin_trylock:
	push %rbp
	mov %rsp, %rbp
	xor %ecx, %ecx
	.if TICKET_BITS == 8
	movzwl (%rdi), %edx		# old = READ_ONCE(lock->tickets)
	mov %edx, %eax
	xor %dh, %al
	test $-2, %al			# !__tickets_equal(old.head, old.tail)
	jne 1f
	lea TAIL_INC(%rdx), %ecx	# new = old + (INC << TICKET_SHIFT)
	and $-2, %ecx			# new &= ~TICKET_SLOWPATH_FLAG
	mov %edx, %eax
	lock cmpxchg %cx, (%rdi)
	.else
	mov (%rdi), %edx
	mov %edx, %eax
	shr $16, %eax
	xor %edx, %eax
	test $0xfffe, %eax
	jne 1f
	lea TAIL_INC(%rdx), %ecx
	and $-2, %ecx
	mov %edx, %eax
	lock cmpxchg %ecx, (%rdi)
	.endif
	mov $0, %ecx			# keeps the flags
	sete %cl
1:	mov %ecx, %eax
	pop %rbp
	ret
	.size spin_trylock, . - spin_trylock

# arch_spin_is_locked(lock): %eax = !__tickets_equal(tail, head).
	.globl spin_is_locked
	.type spin_is_locked, @function
spin_is_locked:
	push %rbp
	mov %rsp, %rbp
	.if TICKET_BITS == 8
	movzwl (%rdi), %edx
	mov %edx, %eax
	xor %dh, %al
	test $-2, %al
	.else
	mov (%rdi), %edx
	mov %edx, %eax
	shr $16, %eax
	xor %edx, %eax
	test $0xfffe, %eax
	.endif
	setne %al
	movzbl %al, %eax
	pop %rbp
	ret
	.size spin_is_locked, . - spin_is_locked

# arch_spin_unlock_wait(lock): until the lock is free or head has moved.
	.globl spin_unlock_wait
	.type spin_unlock_wait, @function
spin_unlock_wait:
	.if TICKET_BITS == 8
	movzbl (%rdi), %ecx		# head = READ_ONCE(lock->tickets.head)
1:	movzwl (%rdi), %edx		# tmp = READ_ONCE(lock->tickets)
	mov %edx, %eax
	xor %dh, %al
	.else
	movzwl (%rdi), %ecx
1:	mov (%rdi), %edx
	mov %edx, %eax
	shr $16, %eax
	xor %dx, %ax
	.endif
	.if TICKET_BITS == 8
	test $-2, %al			# tmp.head equals tmp.tail: free
	.else
	test $-2, %ax
	.endif
	je 2f
	mov %edx, %eax
	xor %ecx, %eax
	.if TICKET_BITS == 8
	test $0xfe, %al			# tmp.head is not head: others had it
	.else
	test $0xfffe, %eax
	.endif
	jne 2f
	pause
	jmp 1b
2:	ret
	.size spin_unlock_wait, . - spin_unlock_wait

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

	.globl ticketlock_jump_entry
ticketlock_jump_entry:
	.quad .Lticketlock_key
	.quad spin_unlock.pv
