	.file	"rwlock.c"
	.text
	.type	read_slow, @function
read_slow:
.LFB0:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -8(%rbp)
.L4:
	movq	-8(%rbp), %rax
	lock addl	$1, (%rax)
	jmp	.L2
.L3:
	rep nop
.L2:
	movq	-8(%rbp), %rax
	movl	(%rax), %eax
	testl	%eax, %eax
	jle	.L3
	movq	-8(%rbp), %rdx
	movl	$1, %eax
	negl	%eax
	movl	%eax, %ecx
	movl	%ecx, %eax
	lock xaddl	%eax, (%rdx)
	addl	%ecx, %eax
	testl	%eax, %eax
	js	.L4
	nop
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE0:
	.size	read_slow, .-read_slow
	.globl	read_lock
	.type	read_lock, @function
read_lock:
.LFB1:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	subq	$8, %rsp
	movq	%rdi, -8(%rbp)
	movq	-8(%rbp), %rdx
	movl	$1, %eax
	negl	%eax
	movl	%eax, %ecx
	movl	%ecx, %eax
	lock xaddl	%eax, (%rdx)
	addl	%ecx, %eax
	shrl	$31, %eax
	movzbl	%al, %eax
	testq	%rax, %rax
	je	.L7
	movq	-8(%rbp), %rax
	movq	%rax, %rdi
	call	read_slow
.L7:
	nop
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE1:
	.size	read_lock, .-read_lock
	.globl	read_unlock
	.type	read_unlock, @function
read_unlock:
.LFB2:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -8(%rbp)
	movq	-8(%rbp), %rax
	lock addl	$1, (%rax)
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE2:
	.size	read_unlock, .-read_unlock
	.globl	write_lock
	.type	write_lock, @function
write_lock:
.LFB3:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -8(%rbp)
	movq	-8(%rbp), %rax
#APP
# 25 "rwlock.c" 1
	lock; subl $16777216, (%rax)
	jz .L10
1:	lock; addl $16777216, (%rax)
2:	rep; nop
	cmpl $16777216, (%rax)
	jne 2b
	lock; subl $16777216, (%rax)
	jnz 1b
	
# 0 "" 2
#NO_APP
.L10:
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
.L11:
	.cfi_endproc
.LFE3:
	.size	write_lock, .-write_lock
	.globl	write_trylock
	.type	write_trylock, @function
write_trylock:
.LFB4:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -24(%rbp)
	movl	$16777216, -4(%rbp)
	movq	-24(%rbp), %rsi
	leaq	-4(%rbp), %rdx
	movl	(%rdx), %eax
	movl	$0, %ecx
	lock cmpxchgl	%ecx, (%rsi)
	movl	%eax, %ecx
	sete	%al
	testb	%al, %al
	jne	.L14
	movl	%ecx, (%rdx)
.L14:
	movzbl	%al, %eax
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE4:
	.size	write_trylock, .-write_trylock
	.globl	write_unlock
	.type	write_unlock, @function
write_unlock:
.LFB5:
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
# 46 "rwlock.c" 1
	lock; addl $16777216, (%rax)
# 0 "" 2
#NO_APP
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE5:
	.size	write_unlock, .-write_unlock
	.globl	swap_pair
	.type	swap_pair, @function
swap_pair:
.LFB6:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
	movq	%rdi, -40(%rbp)
	movq	%rsi, -48(%rbp)
	movq	%rdx, -64(%rbp)
	movq	%rcx, -56(%rbp)
	movq	-64(%rbp), %rsi
	movq	-56(%rbp), %rcx
	movq	-48(%rbp), %rax
	movq	(%rax), %r9
	movq	-48(%rbp), %rax
	movq	8(%rax), %rdx
	movq	-40(%rbp), %r8
	movq	-40(%rbp), %rdi
	movq	%r9, %rax
	movq	%rsi, %rbx
#APP
# 55 "rwlock.c" 1
	lock cmpxchg16b (%r8)
	setz %cl
# 0 "" 2
#NO_APP
	movb	%cl, -17(%rbp)
	movq	-48(%rbp), %rcx
	movq	%rax, (%rcx)
	movq	-48(%rbp), %rax
	movq	%rdx, 8(%rax)
	movzbl	-17(%rbp), %eax
	movq	-8(%rbp), %rbx
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE6:
	.size	swap_pair, .-swap_pair
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
