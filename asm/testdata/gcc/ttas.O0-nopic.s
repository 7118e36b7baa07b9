	.file	"ttas.c"
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
	movl	$1, -4(%rbp)
.L7:
	movq	-24(%rbp), %rdx
	movl	$1, %eax
	xchgb	(%rdx), %al
	testb	%al, %al
	je	.L9
.L2:
	movl	$0, -8(%rbp)
	jmp	.L4
.L5:
	rep nop
	addl	$1, -8(%rbp)
.L4:
	movl	-8(%rbp), %eax
	cmpl	-4(%rbp), %eax
	jb	.L5
	cmpl	$1023, -4(%rbp)
	ja	.L6
	sall	-4(%rbp)
.L6:
	movq	-24(%rbp), %rax
	leaq	4(%rax), %rdx
	movl	-4(%rbp), %eax
	lock addl	%eax, (%rdx)
	movq	-24(%rbp), %rax
	movzbl	(%rax), %eax
	testb	%al, %al
	jne	.L2
	jmp	.L7
.L9:
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.globl	spin_trylock
	.type	spin_trylock, @function
spin_trylock:
.LFB1:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -24(%rbp)
	movb	$0, -1(%rbp)
	movq	-24(%rbp), %rsi
	leaq	-1(%rbp), %rdx
	movzbl	(%rdx), %eax
	movl	$1, %ecx
	lock cmpxchgb	%cl, (%rsi)
	movl	%eax, %ecx
	sete	%al
	testb	%al, %al
	jne	.L12
	movb	%cl, (%rdx)
.L12:
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE1:
	.size	spin_trylock, .-spin_trylock
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB2:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -8(%rbp)
	movq	-8(%rbp), %rax
	movl	$0, %edx
	movb	%dl, (%rax)
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE2:
	.size	spin_unlock, .-spin_unlock
	.globl	test_and_set_bit
	.type	test_and_set_bit, @function
test_and_set_bit:
.LFB3:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -8(%rbp)
	movq	%rsi, -16(%rbp)
	movq	-16(%rbp), %rax
	movl	$1, %edx
	movq	%rdx, %rsi
	movl	%eax, %ecx
	salq	%cl, %rsi
	movq	-8(%rbp), %rdx
	movq	(%rdx), %rax
.L15:
	movq	%rax, %rdi
	movq	%rax, %rcx
	orq	%rsi, %rcx
	lock cmpxchgq	%rcx, (%rdx)
	sete	%cl
	testb	%cl, %cl
	je	.L15
	movq	-16(%rbp), %rax
	movl	$1, %edx
	movl	%eax, %ecx
	salq	%cl, %rdx
	movq	%rdx, %rax
	andq	%rdi, %rax
	testq	%rax, %rax
	setne	%al
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE3:
	.size	test_and_set_bit, .-test_and_set_bit
	.globl	store_fence
	.type	store_fence, @function
store_fence:
.LFB4:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -8(%rbp)
	movl	%esi, -12(%rbp)
	movl	-12(%rbp), %edx
	movq	-8(%rbp), %rax
	xchgl	(%rax), %edx
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE4:
	.size	store_fence, .-store_fence
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
