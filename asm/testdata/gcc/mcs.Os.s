	.file	"mcs.c"
	.text
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB0:
	.cfi_startproc
	xorl	%eax, %eax
	xorl	%edx, %edx
	movq	%rax, (%rsi)
	movq	%rsi, %rax
	movl	%edx, 8(%rsi)
	xchgq	(%rdi), %rax
	testq	%rax, %rax
	je	.L1
	movq	%rsi, (%rax)
.L3:
	movl	8(%rsi), %eax
	testl	%eax, %eax
	jne	.L1
	rep nop
	jmp	.L3
.L1:
	ret
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB1:
	.cfi_startproc
	movq	(%rsi), %rdx
	testq	%rdx, %rdx
	jne	.L9
	movq	%rsi, %rax
	lock cmpxchgq	%rdx, (%rdi)
	je	.L7
.L11:
	movq	(%rsi), %rdx
	testq	%rdx, %rdx
	jne	.L9
	rep nop
	jmp	.L11
.L9:
	movl	$1, 8(%rdx)
.L7:
	ret
	.cfi_endproc
.LFE1:
	.size	spin_unlock, .-spin_unlock
	.globl	lock_own
	.type	lock_own, @function
lock_own:
.LFB2:
	.cfi_startproc
	incl	%fs:nesting@tpoff
	movq	%fs:0, %rax
	leaq	my_node@tpoff(%rax), %rsi
	jmp	spin_lock
	.cfi_endproc
.LFE2:
	.size	lock_own, .-lock_own
	.globl	unlock_own
	.type	unlock_own, @function
unlock_own:
.LFB3:
	.cfi_startproc
	movq	%fs:0, %rax
	leaq	my_node@tpoff(%rax), %rsi
	call	spin_unlock
	decl	%fs:nesting@tpoff
	ret
	.cfi_endproc
.LFE3:
	.size	unlock_own, .-unlock_own
	.globl	nesting
	.section	.tbss,"awT",@nobits
	.align 4
	.type	nesting, @object
	.size	nesting, 4
nesting:
	.zero	4
	.align 8
	.type	my_node, @object
	.size	my_node, 16
my_node:
	.zero	16
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
