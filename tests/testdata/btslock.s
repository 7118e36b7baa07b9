	.globl spin_lock, spin_unlock
spin_lock:
	lock btsl $0, (%rdi)
	jnc 2f
1:	pause
	testb $1, (%rdi)
	jne 1b
	jmp spin_lock
2:	ret
spin_unlock:
	movl $0, (%rdi)
	ret
