	.file	"mcs.c"
	.text
	.section	.tbss,"awT",@nobits
	.align 8
	.type	my_node, @object
	.size	my_node, 16
my_node:
	.zero	16
	.globl	nesting
	.align 4
	.type	nesting, @object
	.size	nesting, 4
nesting:
	.zero	4
	.text
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB0:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -24(%rbp)
	movq	%rsi, -32(%rbp)
	movq	-32(%rbp), %rax
	movq	$0, (%rax)
	movq	-32(%rbp), %rax
	movl	$0, 8(%rax)
	movq	-32(%rbp), %rax
	movq	-24(%rbp), %rdx
	xchgq	(%rdx), %rax
	movq	%rax, -8(%rbp)
	cmpq	$0, -8(%rbp)
	je	.L6
	movq	-32(%rbp), %rdx
	movq	-8(%rbp), %rax
	movq	%rdx, (%rax)
	jmp	.L4
.L5:
	rep nop
.L4:
	movq	-32(%rbp), %rax
	addq	$8, %rax
	movl	(%rax), %eax
	testl	%eax, %eax
	je	.L5
	jmp	.L1
.L6:
	nop
.L1:
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB1:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -24(%rbp)
	movq	%rsi, -32(%rbp)
	movq	-32(%rbp), %rax
	movq	(%rax), %rax
	movq	%rax, -8(%rbp)
	movq	-32(%rbp), %rax
	movq	%rax, -16(%rbp)
	cmpq	$0, -8(%rbp)
	jne	.L8
	movq	-24(%rbp), %rsi
	leaq	-16(%rbp), %rdx
	movq	(%rdx), %rax
	movl	$0, %ecx
	lock cmpxchgq	%rcx, (%rsi)
	movq	%rax, %rcx
	sete	%al
	testb	%al, %al
	jne	.L9
	movq	%rcx, (%rdx)
.L9:
	testb	%al, %al
	jne	.L14
	jmp	.L12
.L13:
	rep nop
.L12:
	movq	-32(%rbp), %rax
	movq	(%rax), %rax
	movq	%rax, -8(%rbp)
	cmpq	$0, -8(%rbp)
	je	.L13
.L8:
	movq	-8(%rbp), %rax
	addq	$8, %rax
	movl	$1, %edx
	movl	%edx, (%rax)
	jmp	.L7
.L14:
	nop
.L7:
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE1:
	.size	spin_unlock, .-spin_unlock
	.globl	lock_own
	.type	lock_own, @function
lock_own:
.LFB2:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	subq	$8, %rsp
	movq	%rdi, -8(%rbp)
	movl	%fs:nesting@tpoff, %eax
	addl	$1, %eax
	movl	%eax, %fs:nesting@tpoff
	movq	%fs:0, %rax
	leaq	my_node@tpoff(%rax), %rdx
	movq	-8(%rbp), %rax
	movq	%rdx, %rsi
	movq	%rax, %rdi
	call	spin_lock
	nop
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE2:
	.size	lock_own, .-lock_own
	.globl	unlock_own
	.type	unlock_own, @function
unlock_own:
.LFB3:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	subq	$8, %rsp
	movq	%rdi, -8(%rbp)
	movq	%fs:0, %rax
	leaq	my_node@tpoff(%rax), %rdx
	movq	-8(%rbp), %rax
	movq	%rdx, %rsi
	movq	%rax, %rdi
	call	spin_unlock
	movl	%fs:nesting@tpoff, %eax
	subl	$1, %eax
	movl	%eax, %fs:nesting@tpoff
	nop
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE3:
	.size	unlock_own, .-unlock_own
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
