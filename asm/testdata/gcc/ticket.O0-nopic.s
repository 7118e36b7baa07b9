	.file	"ticket.c"
	.text
	.type	cpu_relax, @function
cpu_relax:
.LFB0:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
#APP
# 13 "ticket.c" 1
	rep; nop
# 0 "" 2
#NO_APP
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE0:
	.size	cpu_relax, .-cpu_relax
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB1:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	subq	$24, %rsp
	movq	%rdi, -24(%rbp)
	movl	$65536, -4(%rbp)
	movq	-24(%rbp), %rcx
	movl	-4(%rbp), %eax
	movq	-24(%rbp), %rdx
#APP
# 27 "ticket.c" 1
	.pushsection .smp_locks,"a"
.balign 4
.long 671f - .
.popsection
671:
	lock; xaddl %eax, (%rcx)
# 0 "" 2
#NO_APP
	movl	%eax, -4(%rbp)
	movl	-4(%rbp), %eax
	shrl	$16, %eax
	movw	%ax, -6(%rbp)
	jmp	.L3
.L4:
	call	cpu_relax
	movq	-24(%rbp), %rax
	movzwl	(%rax), %eax
	movzwl	%ax, %eax
	movl	%eax, -4(%rbp)
.L3:
	movl	-4(%rbp), %eax
	cmpw	%ax, -6(%rbp)
	jne	.L4
	nop
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE1:
	.size	spin_lock, .-spin_lock
	.globl	spin_trylock
	.type	spin_trylock, @function
spin_trylock:
.LFB2:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -24(%rbp)
	movq	-24(%rbp), %rax
	movl	(%rax), %eax
	movl	%eax, -4(%rbp)
	movl	-4(%rbp), %eax
	shrl	$16, %eax
	movl	%eax, %edx
	movl	-4(%rbp), %eax
	movzwl	%ax, %eax
	cmpl	%eax, %edx
	je	.L6
	movl	$0, %eax
	jmp	.L7
.L6:
	movl	-4(%rbp), %eax
	addl	$65536, %eax
	movl	%eax, -8(%rbp)
	movq	-24(%rbp), %rdx
	movl	-4(%rbp), %eax
	movl	-8(%rbp), %ecx
	lock cmpxchgl	%ecx, (%rdx)
	sete	%al
	movzbl	%al, %eax
.L7:
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE2:
	.size	spin_trylock, .-spin_trylock
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB3:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -8(%rbp)
	movq	-8(%rbp), %rax
	movq	-8(%rbp), %rdx
#APP
# 49 "ticket.c" 1
	.pushsection .smp_locks,"a"
.balign 4
.long 671f - .
.popsection
671:
	lock; incw (%rax)
# 0 "" 2
#NO_APP
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE3:
	.size	spin_unlock, .-spin_unlock
	.globl	spin_is_locked
	.type	spin_is_locked, @function
spin_is_locked:
.LFB4:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -24(%rbp)
	movq	-24(%rbp), %rax
	movl	(%rax), %eax
	movl	%eax, -4(%rbp)
	movl	-4(%rbp), %eax
	shrl	$16, %eax
	xorl	-4(%rbp), %eax
	movzwl	%ax, %eax
	testl	%eax, %eax
	setne	%al
	movzbl	%al, %eax
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE4:
	.size	spin_is_locked, .-spin_is_locked
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
