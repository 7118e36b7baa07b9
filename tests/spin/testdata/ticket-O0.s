	.file	"ticket.c"
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
	movq	-24(%rbp), %rax
	movl	$256, %edx
	lock xaddw	%dx, (%rax)
	movw	%dx, -2(%rbp)
	movzwl	-2(%rbp), %eax
	shrw	$8, %ax
	movb	%al, -3(%rbp)
	movzwl	-2(%rbp), %eax
	cmpb	%al, -3(%rbp)
	je	.L6
	jmp	.L4
.L5:
	rep nop
.L4:
	movq	-24(%rbp), %rax
	movzbl	(%rax), %eax
	cmpb	%al, -3(%rbp)
	jne	.L5
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
	movq	%rdi, -8(%rbp)
	movq	-8(%rbp), %rax
	movzbl	(%rax), %eax
	addl	$1, %eax
	movzbl	%al, %edx
	movq	-8(%rbp), %rax
	movb	%dl, (%rax)
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE1:
	.size	spin_unlock, .-spin_unlock
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
