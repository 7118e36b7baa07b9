# qspinlock.s: Linux's queued spinlock, native, as of v4.20 to v5.x.
#
# kernel/locking/qspinlock.c and arch/x86/include/asm/qspinlock.h, the layout for
# NR_CPUS < 16K, without CONFIG_PARAVIRT. The slow path is that of 6512276d97b1
# (a bound on the wait for a hand-over that is going on), 59fb586b4a07 (no
# unbounded cmpxchg loop) and 7aa54be29765 (on x86 pending is set by LOCK BTS, so
# that a waiter gets on whatever the others do). What only the compiler sees,
# statistics and prefetches are left out.
#
#   bits 0-7 locked   8-15 pending   16-17 index of the node   18-31 CPU + 1
#
# The owner has locked. The first who waits has pending and spins on the word.
# All others queue: tail names the last node, each spins on its own node until it
# is the head of the queue, and the head on the word. A CPU has four nodes, for
# task, softirq, interrupt and NMI; node 0 counts those in use. They are in the
# per-CPU area, so the node that the caller passes is not needed.
#
#   node, 16 bytes:  +0 next   +8 locked, 4 bytes: 1 at the head   +12 count
#
# Uncontended: lock 8 instructions with one locked RMW, unlock 5 with none. A
# turn of either spin loop is 4.

	.set PENDING_LOOPS, 1 << 9	# _Q_PENDING_LOOPS: further looks at a hand-over
					# before queueing
	.set PENDING_XCHGB, 0		# 1: XCHG of the byte in place of LOCK BTS
	.set NODE_FIRST, 0		# 1: a context without a node never sets
					# pending (see spin_lock.no_node)
	.set PENDING_CMPXCHG, 0		# mutation: a loop of CMPXCHG, as before
					# 7aa54be29765
	.set PENDING_MOVB, 0		# mutation: a load and a store of the byte
	.set UNBOUNDED_PENDING, 0	# mutation: wait for the end of a hand-over
	.set UNLOCKED_CLAIM, 0		# mutation: the last of the queue leaves
					# without LOCK
	.set SPLIT_CLAIM, 0		# mutation: pending is cleared, then locked set
	.set NO_UNDO, 0			# mutation: pending that is set in vain stays
	.set HEAD_PASSES_PENDING, 0	# mutation: the head waits for the owner only

	.if PENDING_LOOPS < 0 || PENDING_LOOPS > 0x7fffffff
	.error "PENDING_LOOPS must be 0 to 0x7fffffff"
	.endif

	.set LOCKED_VAL, 1		# _Q_LOCKED_VAL
	.set PENDING_BIT, 8		# _Q_PENDING_OFFSET
	.set PENDING_VAL, 1 << PENDING_BIT
	.set PENDING, 1			# offset of the pending byte
	.set TAIL, 2			# offset of the tail word
	.set IDX_BITS, 2		# of it: _Q_TAIL_IDX_BITS

	.set QNODES, 192		# offset of the nodes in the per-CPU area
	.set NEXT, 0
	.set LOCKED, 8
	.set QCOUNT, 12			# not COUNT, which is a parameter of the harness
	.set QNODE_SHIFT, 4		# from a node to the next
	.set MAX_NODES, 4

# The address map (layout.go).
	.set PERCPU_BASE, 0x800000
	.set PERCPU_SHIFT, 12
	.set PERCPU_INDEX, 0

	.text

# queued_spin_lock(lock): %rdi = lock.
	.globl spin_lock
	.type spin_lock, @function
spin_lock:
	push %rbp
	mov %rsp, %rbp
	xor %eax, %eax
	mov $LOCKED_VAL, %edx
	lock cmpxchg %edx, (%rdi)	# val = cmpxchg(lock, 0, LOCKED)
	jne spin_lock.slow
	pop %rbp
	ret
	.size spin_lock, . - spin_lock

# queued_spin_lock_slowpath(lock, val): %eax = val, in the frame of spin_lock.
	.type spin_lock.slow, @function
spin_lock.slow:
	cmp $PENDING_VAL, %eax		# a hand-over: pending, not locked yet
	jne 3f
	mov $PENDING_LOOPS, %ecx	# cnt
	jmp 2f
1:	pause
2:	mov (%rdi), %eax		# until it is over, or !cnt--
	cmp $PENDING_VAL, %eax
	jne 3f
	.if UNBOUNDED_PENDING
	jmp 1b
	.else
	sub $1, %ecx
	jae 1b
	.endif

3:	test $~0xff, %eax		# somebody waits already
	jne spin_lock.queue
	.if NODE_FIRST
	cmpl $MAX_NODES, %gs:QNODES + QCOUNT
	jae spin_lock.queue
	.endif

# queued_fetch_set_pending_acquire. The old pending is what the RMW says, the rest
# of val comes from a load behind it. The RMW has drained the buffer, so whoever
# is not in val sees our pending.
	.if PENDING_CMPXCHG
	mov (%rdi), %eax
8:	mov %eax, %edx
	or $PENDING_VAL, %edx
	lock cmpxchg %edx, (%rdi)	# others may change the word for ever
	jne 8b
	.else
	.if PENDING_MOVB
	movzbl PENDING(%rdi), %ecx
	movb $1, PENDING(%rdi)
	.elseif PENDING_XCHGB
	mov $1, %ecx
	xchgb %cl, PENDING(%rdi)
	.else
	lock btsl $PENDING_BIT, (%rdi)
	setc %cl
	movzbl %cl, %ecx
	.endif
	shl $PENDING_BIT, %ecx
	mov (%rdi), %eax
	and $0xffff00ff, %eax
	or %ecx, %eax
	.endif
	test $~0xff, %eax
	jne 7f				# somebody came first

	test %al, %al			# ours is the next turn
	je 6f
	jmp 5f
4:	pause
5:	mov (%rdi), %eax		# until the owner goes away
	test %al, %al
	jne 4b
6:
	.if SPLIT_CLAIM
	movb $0, PENDING(%rdi)
	movb $LOCKED_VAL, (%rdi)
	.else
	movw $LOCKED_VAL, (%rdi)	# clear_pending_set_locked: one store
	.endif
	pop %rbp
	ret

7:	test %ah, %ah			# who came first is pending: not our bit
	jne spin_lock.queue
	.if NO_UNDO == 0
	movb $0, PENDING(%rdi)		# they queue: clear_pending
	.endif
	.size spin_lock.slow, . - spin_lock.slow

# The queue. %rsi = node, %r8d = its tail word, %r9 = next.
	.type spin_lock.queue, @function
spin_lock.queue:
	mov %gs:PERCPU_INDEX, %r8d	# smp_processor_id()
	mov %r8d, %esi
	shl $PERCPU_SHIFT, %esi
	add $PERCPU_BASE + QNODES, %esi	# node = this_cpu_ptr(&qnodes[0])
	mov QCOUNT(%rsi), %edx		# idx = node->count++
	lea 1(%rdx), %ecx
	mov %ecx, QCOUNT(%rsi)
	cmp $MAX_NODES, %edx
	jae spin_lock.no_node

	inc %r8d			# encode_tail(cpu, idx)
	shl $IDX_BITS, %r8d
	or %edx, %r8d
	shl $QNODE_SHIFT, %edx
	add %rdx, %rsi			# grab_mcs_node(node, idx)
	movl $0, LOCKED(%rsi)
	movq $0, NEXT(%rsi)

	mov (%rdi), %eax		# queued_spin_trylock: the line of the node
	test %eax, %eax			# may have taken its time
	jne 1f
	mov $LOCKED_VAL, %ecx
	lock cmpxchg %ecx, (%rdi)
	je 8f

1:	mov %r8d, %ecx
	xchgw %cx, TAIL(%rdi)		# old = xchg_tail(lock, tail)
	xor %r9d, %r9d			# next = NULL
	movzwl %cx, %ecx
	test %ecx, %ecx
	je 4f				# nobody before us in the queue

	mov %ecx, %edx			# prev = decode_tail(old)
	and $MAX_NODES - 1, %edx
	shl $QNODE_SHIFT, %edx
	shr $IDX_BITS, %ecx
	shl $PERCPU_SHIFT, %ecx
	mov %rsi, PERCPU_BASE - (1 << PERCPU_SHIFT) + QNODES + NEXT(%rcx,%rdx)
	jmp 3f
2:	pause
3:	mov LOCKED(%rsi), %eax		# until prev has the lock
	test %eax, %eax
	je 2b
	mov NEXT(%rsi), %r9		# next = node->next, if it is there already
	jmp 4f

5:	pause
4:	mov (%rdi), %eax		# the head: until nobody owns or is pending
	.if HEAD_PASSES_PENDING
	test %al, %al
	.else
	test %ax, %ax
	.endif
	jne 5b

	mov %eax, %ecx
	shr $16, %ecx
	cmp %r8d, %ecx			# the tail is ours: we are the last
	jne 6f
	mov $LOCKED_VAL, %ecx
	.if UNLOCKED_CLAIM
	cmpxchg %ecx, (%rdi)
	.else
	lock cmpxchg %ecx, (%rdi)	# n,0,0 -> 0,0,1
	.endif
	je 8f
6:	movb $LOCKED_VAL, (%rdi)	# set_locked: *,*,0 -> *,*,1
	test %r9, %r9
	jne 7f
	jmp 10f
9:	pause
10:	mov NEXT(%rsi), %r9		# it is in the tail and will be here soon
	test %r9, %r9
	je 9b
7:	movl $1, LOCKED(%r9)		# next is the head

8:	decl %gs:QNODES + QCOUNT		# give the node back
	pop %rbp
	ret
	.size spin_lock.queue, . - spin_lock.queue

# A fifth context, if NMIs nest: it tries until it gets the lock (v5.1). Who fails
# to leave the queue because of its pending waits for a next that never comes,
# and owns the lock meanwhile; NODE_FIRST is a cure.
	.type spin_lock.no_node, @function
spin_lock.no_node:
	mov (%rdi), %eax
	test %eax, %eax
	jne 1f
	mov $LOCKED_VAL, %ecx
	lock cmpxchg %ecx, (%rdi)
	je 8b
1:	pause
	jmp spin_lock.no_node
	.size spin_lock.no_node, . - spin_lock.no_node

# queued_spin_unlock(lock): a plain store; x86 stores are releases.
	.globl spin_unlock
	.type spin_unlock, @function
spin_unlock:
	push %rbp
	mov %rsp, %rbp
	movb $0, (%rdi)
	pop %rbp
	ret
	.size spin_unlock, . - spin_unlock

# queued_spin_trylock(lock): %eax = 1 if the lock was taken, else 0.
	.globl spin_trylock
	.type spin_trylock, @function
spin_trylock:
	push %rbp
	mov %rsp, %rbp
	xor %ecx, %ecx
	mov (%rdi), %eax		# owned, or waited for
	test %eax, %eax
	jne 1f
	mov $LOCKED_VAL, %edx
	lock cmpxchg %edx, (%rdi)
	sete %cl
1:	mov %ecx, %eax
	pop %rbp
	ret
	.size spin_trylock, . - spin_trylock

# queued_spin_is_locked(lock): %eax = 1 for anything but 0, so a lock that is being
# handed over is locked, too.
	.globl spin_is_locked
	.type spin_is_locked, @function
spin_is_locked:
	push %rbp
	mov %rsp, %rbp
	xor %eax, %eax
	cmpl $0, (%rdi)
	setne %al
	pop %rbp
	ret
	.size spin_is_locked, . - spin_is_locked
