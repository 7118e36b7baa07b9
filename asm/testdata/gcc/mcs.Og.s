	.file	"mcs.c"
	.text
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB0:
	.cfi_startproc
	movq	$0, (%rsi)
	movl	$0, 8(%rsi)
	movq	%rsi, %rax
	xchgq	(%rdi), %rax
	testq	%rax, %rax
	jne	.L5
.L1:
	ret
.L5:
	movq	%rsi, (%rax)
	jmp	.L3
.L4:
	rep nop
.L3:
	movl	8(%rsi), %eax
	testl	%eax, %eax
	je	.L4
	jmp	.L1
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB1:
	.cfi_startproc
	movq	(%rsi), %rax
	testq	%rax, %rax
	jne	.L7
	movl	$0, %edx
	movq	%rsi, %rax
	lock cmpxchgq	%rdx, (%rdi)
	jne	.L9
.L6:
	ret
.L10:
	rep nop
.L9:
	movq	(%rsi), %rdx
	movq	%rdx, %rax
	testq	%rdx, %rdx
	je	.L10
.L7:
	movl	$1, 8(%rax)
	jmp	.L6
	.cfi_endproc
.LFE1:
	.size	spin_unlock, .-spin_unlock
	.globl	lock_own
	.type	lock_own, @function
lock_own:
.LFB2:
	.cfi_startproc
	addl	$1, %fs:nesting@tpoff
	movq	%fs:0, %rax
	leaq	my_node@tpoff(%rax), %rsi
	call	spin_lock
	ret
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
	subl	$1, %fs:nesting@tpoff
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
