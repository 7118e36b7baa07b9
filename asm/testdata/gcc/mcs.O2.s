	.file	"mcs.c"
	.text
	.p2align 4
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB0:
	.cfi_startproc
	movq	%rsi, %rax
	movq	$0, (%rsi)
	movl	$0, 8(%rsi)
	xchgq	(%rdi), %rax
	testq	%rax, %rax
	jne	.L7
	ret
	.p2align 4,,10
	.p2align 3
.L7:
	movq	%rsi, (%rax)
	addq	$8, %rsi
	jmp	.L3
	.p2align 4,,10
	.p2align 3
.L4:
	rep nop
.L3:
	movl	(%rsi), %eax
	testl	%eax, %eax
	je	.L4
	ret
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.p2align 4
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB1:
	.cfi_startproc
	movq	(%rsi), %rdx
	testq	%rdx, %rdx
	jne	.L10
	movq	%rsi, %rax
	lock cmpxchgq	%rdx, (%rdi)
	jne	.L12
	ret
.L13:
	rep nop
.L12:
	movq	(%rsi), %rdx
	testq	%rdx, %rdx
	je	.L13
.L10:
	movl	$1, 8(%rdx)
	ret
	.cfi_endproc
.LFE1:
	.size	spin_unlock, .-spin_unlock
	.p2align 4
	.globl	lock_own
	.type	lock_own, @function
lock_own:
.LFB2:
	.cfi_startproc
	addl	$1, %fs:nesting@tpoff
	movq	%fs:0, %rax
	leaq	my_node@tpoff(%rax), %rsi
	jmp	spin_lock
	.cfi_endproc
.LFE2:
	.size	lock_own, .-lock_own
	.p2align 4
	.globl	unlock_own
	.type	unlock_own, @function
unlock_own:
.LFB3:
	.cfi_startproc
	movq	%fs:my_node@tpoff, %rdx
	testq	%rdx, %rdx
	jne	.L17
	movq	%fs:0, %rax
	addq	$my_node@tpoff, %rax
	lock cmpxchgq	%rdx, (%rdi)
	jne	.L19
	subl	$1, %fs:nesting@tpoff
	ret
.L20:
	rep nop
.L19:
	movq	%fs:my_node@tpoff, %rdx
	testq	%rdx, %rdx
	je	.L20
.L17:
	movl	$1, 8(%rdx)
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
