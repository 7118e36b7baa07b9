# ticket-pv.s: the paravirtualized ticket spinlock.
#
# PV ticketlock V8, cover letter (first and third listing), patch 7 (callee-save
# hook), patch 8 (tickets step by 2), patch 10 (slowpath flag, static key).
#
# Bit 0 of tail is the slowpath flag: somebody sleeps, the unlocker must look.
# So tickets step by 2 and half as many CPUs fit.
#
#   u8:   byte 0 head, byte 1 tail|flag     u16:  word 0 head, word 1 tail|flag
#
# Two builds share this file: alone it is the lock with the static key off
# (the 5-byte nop stays); with backend-kvm.s linked in, spin_init may turn the
# key on by making that nop a jmp.
#
# Uncontended (u8): lock 9 instructions, one locked RMW; unlock 6 with the key
# off, none locked; 9 with the key on, one locked. A spin turn is 6. The u16
# forms are what gcc makes of the same C: tail costs a mov and a shr.

	.set TICKET_BITS, 8		# width of a ticket: 8 or 16
	.set TICKET_INC, 2		# from a ticket to the next; more leaves fewer
					# of them, for small searches
	.set SPIN_THRESHOLD, 1 << 11	# turns before lock_spinning is called
	.set PLAIN_XADD, 0		# mutation: draw the ticket without LOCK
	.set UNLOCKED_ADD, 0		# mutation: PV unlock adds without LOCK
	.set UNMASKED_TRYLOCK, 0	# mutation: trylock does not mask the flag
	.set INC_BY_ONE, 0		# mutation: the native unlock adds 1, not INC

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
	.if INC_BY_ONE
	.set HEAD_INC, 1
	.else
	.set HEAD_INC, TICKET_INC	# TICKET_LOCK_INC
	.endif

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
	cmp %al, %dl			# equal, so free and without flag: ours
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

# Contended, or the flag is set. %edx = our ticket, %esi = the same as the
# hook's second argument: both survive the hook, which saves all it uses.
	.type spin_lock.slow, @function
spin_lock.slow:
	and $-2, %edx			# inc.tail &= ~TICKET_SLOWPATH_FLAG
	.if TICKET_BITS == 8
	movzbl %dl, %esi
	.else
	movzwl %dx, %esi
	.endif

2:	mov $SPIN_THRESHOLD, %eax	# the count starts anew after each hook
	jmp 4f				# and head is read before the first pause

3:	pause				# cpu_relax()
	sub $1, %eax			# while (--count)
	je 5f

4:
	.if TICKET_BITS == 8
	movzbl (%rdi), %ecx		# ACCESS_ONCE(lock->tickets.head)
	cmp %cl, %dl
	.else
	movzwl (%rdi), %ecx
	cmp %cx, %dx
	.endif
	jne 3b

	pop %rbp
	ret

5:	call *pv_lock_ops		# __ticket_lock_spinning(lock, inc.tail)
	jmp 2b
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
	addb $HEAD_INC, (%rdi)		# __add(&lock->tickets.head, INC)
	.else
	addw $HEAD_INC, (%rdi)
	.endif

1:	pop %rbp
	ret
	.size spin_unlock, . - spin_unlock

# The unlock with the key on. The LOCK is a full barrier between the release of
# head and the read of the flag; a plain add could still wait in the store
# buffer while the flag is read, and a waiter that goes to sleep in between
# would never be kicked.
	.type spin_unlock.pv, @function
spin_unlock.pv:
	.if TICKET_BITS == 8
	movzwl (%rdi), %esi		# prev = *lock
	.if UNLOCKED_ADD
	addb $TICKET_INC, (%rdi)
	.else
	lock addb $TICKET_INC, (%rdi)	# add_smp(&lock->tickets.head, INC)
	.endif
	.else
	mov (%rdi), %esi
	.if UNLOCKED_ADD
	addw $TICKET_INC, (%rdi)
	.else
	lock addw $TICKET_INC, (%rdi)
	.endif
	.endif

	testb $1, TAIL(%rdi)		# lock->tickets.tail & TICKET_SLOWPATH_FLAG
	je 1b
	.size spin_unlock.pv, . - spin_unlock.pv

# __ticket_unlock_slowpath(lock, prev): %esi = prev.
	.type spin_unlock.slow, @function
spin_unlock.slow:
	.if TICKET_BITS == 8
	add $TICKET_INC, %sil		# old.head += INC
	mov %esi, %edx
	and $0xfe, %dh			# new = old without the flag
	movzbl %dh, %eax
	cmp %dl, %al			# new.head == new.tail: nobody queues
	.else
	add $TICKET_INC, %si
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

4:	mov %esi, %eax			# cmpxchg: clear the flag, unless the
	.if TICKET_BITS == 8
	lock cmpxchg %dx, (%rdi)	# lock has changed since
	cmp %si, %ax
	.else
	lock cmpxchg %edx, (%rdi)
	cmp %esi, %eax
	.endif
	jne 3b				# it has: somebody queues after all

	pop %rbp
	ret
	.size spin_unlock.slow, . - spin_unlock.slow

# arch_spin_trylock(lock): %eax = 1 if the lock was taken, else 0. The flag is
# masked for the test and carried over into the new value.
	.globl spin_trylock
	.type spin_trylock, @function
spin_trylock:
	push %rbp
	mov %rsp, %rbp
	xor %ecx, %ecx
	.if TICKET_BITS == 8
	movzwl (%rdi), %edx		# old = *lock, both halves in one load
	movzbl %dh, %eax
	.if UNMASKED_TRYLOCK == 0
	and $-2, %eax
	.endif
	cmp %dl, %al			# old.head != (old.tail & ~flag): held
	jne 1f
	lea TAIL_INC(%rdx), %ecx	# new = old + (INC << TICKET_SHIFT)
	mov %edx, %eax
	lock cmpxchg %cx, (%rdi)
	.else
	mov (%rdi), %edx
	mov %edx, %eax
	shr $16, %eax
	.if UNMASKED_TRYLOCK == 0
	and $-2, %eax
	.endif
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

# arch_spin_is_locked(lock): %eax = (tail != head). V8 leaves the flag in, so a
# free lock whose flag is stale looks held; kept as the series has it.
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

# paravirt_nop: what both hooks are until a backend registers (patch 7).
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

# The jump-label entry of paravirt_ticketlocks_enabled: the nop, and where the
# jmp that replaces it goes.
	.globl ticketlock_jump_entry
ticketlock_jump_entry:
	.quad .Lticketlock_key
	.quad spin_unlock.pv
