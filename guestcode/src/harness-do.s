# harness-do.s: lock programs. What each vCPU does, and each interrupt handler,
# is a sequence of takes and releases: lines of the macros below, which do.go
# appends to this file.
#
# A sequence keeps %rbx = the lock at hand and %r12 = the per-CPU area of its
# vCPU. Each vCPU has a queue node for every lock and each of the contexts in
# which it may want it: program, interrupt, NMI.

	.set DO_MAIN, 0			# 1: the vCPUs run sequences
	.set IRQS, 0			# 1: with the handlers of harness-irq.s
	.set COUNT, 1			# 0: no counters, for endless sequences
	.set HAVE_TRYLOCK, 0		# 1: the lock has spin_trylock
	.set HAVE_IS_LOCKED, 0		# 1: and spin_is_locked
	.set HAVE_UNLOCK_WAIT, 0	# 1: and spin_unlock_wait

# The address map (layout.go).
	.set LOCK, 0x200000		# lock A
	.set LOCK_SHIFT, 7		# from a lock to the next
	.set COUNTER, 0x40		# from the lock to its counter
	.set PERCPU_BASE, 0x800000
	.set PERCPU_SHIFT, 12
	.set PERCPU_INDEX, 0
	.set PERCPU_IRQ, 136		# bit 0, set by the host: takes interrupts
	.set PERCPU_TAKES, 152		# takes that no sequence says beforehand
	.set PERCPU_NODES, 2048		# queue nodes: a context has 8 of 64 bytes
	.set NODE_SHIFT, 6
	.set CONTEXT_SHIFT, 9
	.set PORT_EXIT, 0xf4

	.set context, 0			# of the sequence at hand

	.macro name_lock number
	mov $LOCK + (\number << LOCK_SHIFT), %ebx
	lea PERCPU_NODES + (context << CONTEXT_SHIFT) + (\number << NODE_SHIFT)(%r12), %rsi
	.endm

	.macro take number
	name_lock \number
	call harness_take
	.endm

	.macro give number
	name_lock \number
	call harness_give
	.endm

	.macro try number, otherwise
	name_lock \number
	call harness_try
	test %eax, %eax
	je \otherwise
	.endm

	.macro await number
	name_lock \number
	call harness_await
	.endm

	.text

	.type harness_take, @function
harness_take:
	sub $8, %rsp			# the lock is called with an aligned stack
	mov %rbx, %rdi
	.globl do_acquire
do_acquire:
	call spin_lock
	.globl do_acquired
do_acquired:
	add $8, %rsp
	.if COUNT
	incq COUNTER(%rbx)		# plain: an exclusion failure loses counts
	.endif
	ret
	.size harness_take, . - harness_take

	.type harness_give, @function
harness_give:
	sub $8, %rsp
	mov %rbx, %rdi
	.globl do_release
do_release:
	call spin_unlock
	.globl do_released
do_released:
	add $8, %rsp
	ret
	.size harness_give, . - harness_give

	.if HAVE_TRYLOCK
	.type harness_try, @function
harness_try:				# %eax = whether it was taken
	sub $8, %rsp
	mov %rbx, %rdi
	call spin_trylock
	test %eax, %eax
	je 1f
	.globl do_taken
do_taken:
	mov %rbx, %rdi
	.if COUNT
	incq COUNTER(%rbx)
	incq PERCPU_TAKES(%r12)
	.endif
1:	add $8, %rsp
	ret
	.size harness_try, . - harness_try
	.endif

	.if HAVE_IS_LOCKED
	.if HAVE_UNLOCK_WAIT == 0
# spin_unlock_wait(lock) as V8 leaves it (asm/spinlock.h): until a look finds
# the lock free.
	.type spin_unlock_wait, @function
spin_unlock_wait:
	push %rbp
	mov %rdi, %rbp
1:	mov %rbp, %rdi
	call spin_is_locked
	test %eax, %eax
	je 2f
	pause
	jmp 1b
2:	pop %rbp
	ret
	.size spin_unlock_wait, . - spin_unlock_wait
	.set HAVE_UNLOCK_WAIT, 1
	.endif
	.endif

	.if HAVE_UNLOCK_WAIT
	.type harness_await, @function
harness_await:
	sub $8, %rsp
	mov %rbx, %rdi
	.globl do_await
do_await:
	call spin_unlock_wait
	.globl do_awaited
do_awaited:
	add $8, %rsp
	.globl do_passed
do_passed:				# nobody waits here: the end of a wait and the
	ret				# beginning of the next are two moments
	.size harness_await, . - harness_await
	.endif

# The two ends of a handler: %r12 = the per-CPU area, and a stack that is aligned
# as the frame of an interrupt is (SDM vol. 3A, 6.14.2).
	.macro handler_begin
	push %rax; push %rcx; push %rdx; push %rsi; push %rdi
	push %r8; push %r9; push %r10; push %r11; push %rbx; push %r12
	mov %gs:PERCPU_INDEX, %r12d
	shl $PERCPU_SHIFT, %r12d
	add $PERCPU_BASE, %r12d
	.endm

	.macro handler_end takes
	.if COUNT
	.if \takes
	addq $\takes, PERCPU_TAKES(%r12)
	.endif
	.endif
	pop %r12; pop %rbx; pop %r11; pop %r10; pop %r9; pop %r8
	pop %rdi; pop %rsi; pop %rdx; pop %rcx; pop %rax
	iretq
	.endm

	.macro pass			# the end of a sequence
	xor %eax, %eax
	out %al, $PORT_EXIT
	.endm

	.if DO_MAIN
	.globl vcpu_main
	.type vcpu_main, @function
vcpu_main:				# (index); on to do_start, which do.go makes
	mov %edi, %r12d
	shl $PERCPU_SHIFT, %r12d
	add $PERCPU_BASE, %r12d
	.if IRQS
	lidt harness_idtr(%rip)
	testb $1, PERCPU_IRQ(%r12)	# a vCPU named by --irq runs with IF = 1
	je do_start
	sti
	.else
	jmp do_start
	.endif
	.endif

