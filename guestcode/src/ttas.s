# ttas.s: test-and-test-and-set. As tas.s, but a waiter only reads until the
# byte is 0: the line stays shared while the lock is held.
#
# This is what virt_spin_lock does since 2015 where no PV lock is to be had.

	.set LOAD_STORE, 0		# mutation: test and set in two steps

	.text

	.globl spin_lock
	.type spin_lock, @function
spin_lock:
	push %rbp
	mov %rsp, %rbp
1:	mov $1, %eax
	.if LOAD_STORE
	movzbl (%rdi), %eax
	movb $1, (%rdi)
	.else
	xchgb %al, (%rdi)		# locked by itself
	.endif
	test %al, %al
	jne spin_lock.slow
	pop %rbp
	ret
	.size spin_lock, . - spin_lock

	.type spin_lock.slow, @function
spin_lock.slow:
	pause
	cmpb $0, (%rdi)			# a plain read
	jne spin_lock.slow
	jmp 1b
	.size spin_lock.slow, . - spin_lock.slow

	.globl spin_unlock
	.type spin_unlock, @function
spin_unlock:
	push %rbp
	mov %rsp, %rbp
	movb $0, (%rdi)			# x86 stores are releases
	pop %rbp
	ret
	.size spin_unlock, . - spin_unlock

# %eax = 1 if the lock was taken, else 0. Reads first: a try on a held lock
# costs no ownership of the line.
	.globl spin_trylock
	.type spin_trylock, @function
spin_trylock:
	push %rbp
	mov %rsp, %rbp
	xor %eax, %eax
	cmpb $0, (%rdi)
	jne 1f
	mov $1, %eax
	xchgb %al, (%rdi)
	xor $1, %eax			# the old byte is 0 or 1
1:	pop %rbp
	ret
	.size spin_trylock, . - spin_trylock

	.globl spin_is_locked
	.type spin_is_locked, @function
spin_is_locked:
	push %rbp
	mov %rsp, %rbp
	movzbl (%rdi), %eax
	pop %rbp
	ret
	.size spin_is_locked, . - spin_is_locked
