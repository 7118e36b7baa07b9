	.file	"cas.c"
	.text
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB0:
	.cfi_startproc
	movl	$0, %eax
	movl	$1, %edx
	lock cmpxchgl	%edx, (%rdi)
	jne	.L5
.L1:
	ret
.L5:
	movl	$0, %ecx
.L2:
	rep nop
	movl	%ecx, %eax
	lock cmpxchgl	%edx, (%rdi)
	je	.L1
	jmp	.L2
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.globl	spin_trylock
	.type	spin_trylock, @function
spin_trylock:
.LFB1:
	.cfi_startproc
	movl	$0, %eax
	movl	$1, %edx
	lock cmpxchgl	%edx, (%rdi)
	sete	%al
	movzbl	%al, %eax
	ret
	.cfi_endproc
.LFE1:
	.size	spin_trylock, .-spin_trylock
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB2:
	.cfi_startproc
	movl	$0, (%rdi)
	ret
	.cfi_endproc
.LFE2:
	.size	spin_unlock, .-spin_unlock
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
