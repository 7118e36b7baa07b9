	.file	"seqlock.c"
	.text
	.globl	global_lock
	.data
	.align 32
	.type	global_lock, @object
	.size	global_lock, 40
global_lock:
	.zero	8
	.quad	1
	.quad	2
	.quad	3
	.quad	1234605616436508552
	.globl	retries
	.bss
	.align 8
	.type	retries, @object
	.size	retries, 8
retries:
	.zero	8
	.section	.rodata
.LC0:
	.string	"read"
.LC1:
	.string	"write"
.LC2:
	.string	"none"
	.align 16
	.type	names, @object
	.size	names, 24
names:
	.quad	.LC0
	.quad	.LC1
	.quad	.LC2
	.local	counts
	.comm	counts,12,64
	.text
	.globl	write_begin
	.type	write_begin, @function
write_begin:
.LFB0:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -8(%rbp)
	jmp	.L2
.L3:
	rep nop
.L2:
	movq	-8(%rbp), %rax
	leaq	4(%rax), %rdx
	movl	$1, %eax
	xchgl	(%rdx), %eax
	testl	%eax, %eax
	jne	.L3
	movq	-8(%rbp), %rax
	movl	(%rax), %eax
	leal	1(%rax), %edx
	movq	-8(%rbp), %rax
	movl	%edx, (%rax)
	lock orq	$0, (%rsp)
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE0:
	.size	write_begin, .-write_begin
	.globl	write_end
	.type	write_end, @function
write_end:
.LFB1:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -8(%rbp)
	movq	-8(%rbp), %rax
	movl	(%rax), %eax
	leal	1(%rax), %edx
	movq	-8(%rbp), %rax
	movl	%edx, (%rax)
	movq	-8(%rbp), %rax
	addq	$4, %rax
	movl	$0, %edx
	movl	%edx, (%rax)
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE1:
	.size	write_end, .-write_end
	.globl	read_sum
	.type	read_sum, @function
read_sum:
.LFB2:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -24(%rbp)
	jmp	.L6
.L7:
	rep nop
.L6:
	movq	-24(%rbp), %rax
	movl	(%rax), %eax
	movl	%eax, -16(%rbp)
	movl	-16(%rbp), %eax
	andl	$1, %eax
	testl	%eax, %eax
	jne	.L7
	movq	$0, -8(%rbp)
	movl	$0, -12(%rbp)
	jmp	.L8
.L9:
	movq	-24(%rbp), %rax
	movl	-12(%rbp), %edx
	movslq	%edx, %rdx
	movq	8(%rax,%rdx,8), %rdx
	movl	-12(%rbp), %eax
	addl	$1, %eax
	cltq
	imulq	%rdx, %rax
	addq	%rax, -8(%rbp)
	addl	$1, -12(%rbp)
.L8:
	cmpl	$3, -12(%rbp)
	jle	.L9
	movq	-24(%rbp), %rax
	movl	(%rax), %eax
	cmpl	%eax, -16(%rbp)
	je	.L10
	lock addq	$1, retries(%rip)
.L10:
	movq	-24(%rbp), %rax
	movl	(%rax), %eax
	cmpl	%eax, -16(%rbp)
	jne	.L6
	movq	-8(%rbp), %rax
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE2:
	.size	read_sum, .-read_sum
	.type	begin_global, @function
begin_global:
.LFB3:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movl	$global_lock, %edi
	call	write_begin
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE3:
	.size	begin_global, .-begin_global
	.type	end_global, @function
end_global:
.LFB4:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movl	$global_lock, %edi
	call	write_end
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE4:
	.size	end_global, .-end_global
	.globl	operations
	.section	.rodata
	.align 16
	.type	operations, @object
	.size	operations, 16
operations:
	.quad	begin_global
	.quad	end_global
.LC3:
	.string	"seven"
	.text
	.globl	count
	.type	count, @function
count:
.LFB5:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	subq	$16, %rsp
	movl	%edi, -4(%rbp)
	cmpl	$9, -4(%rbp)
	ja	.L16
	movl	-4(%rbp), %eax
	movq	.L18(,%rax,8), %rax
	jmp	*%rax
	.section	.rodata
	.align 8
	.align 4
.L18:
	.quad	.L23
	.quad	.L22
	.quad	.L16
	.quad	.L16
	.quad	.L16
	.quad	.L21
	.quad	.L20
	.quad	.L19
	.quad	.L16
	.quad	.L17
	.text
.L23:
	movl	counts(%rip), %eax
	addl	$1, %eax
	movl	%eax, counts(%rip)
	movl	$.LC0, %eax
	jmp	.L24
.L22:
	movl	counts+4(%rip), %eax
	addl	$2, %eax
	movl	%eax, counts+4(%rip)
	movl	$.LC1, %eax
	jmp	.L24
.L21:
	movl	counts+8(%rip), %eax
	subl	$1, %eax
	movl	%eax, counts+8(%rip)
	movl	$begin_global, %eax
	call	*%rax
	jmp	.L16
.L20:
	movl	$end_global, %eax
	call	*%rax
	jmp	.L16
.L19:
	movl	$.LC3, %eax
	jmp	.L24
.L17:
	movl	$global_lock, %edi
	call	read_sum
	jmp	.L24
.L16:
	movl	$.LC2, %eax
.L24:
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE5:
	.size	count, .-count
	.globl	call_hook
	.type	call_hook, @function
call_hook:
.LFB6:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	subq	$16, %rsp
	movl	%edi, -4(%rbp)
	movl	$hook, %eax
	testq	%rax, %rax
	je	.L26
	movl	-4(%rbp), %eax
	movl	%eax, %edi
	call	hook
.L26:
	movl	$external_flag, %eax
	testq	%rax, %rax
	je	.L27
	movl	external_flag(%rip), %eax
	jmp	.L29
.L27:
	movl	$-1, %eax
.L29:
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE6:
	.size	call_hook, .-call_hook
	.weak	external_flag
	.weak	hook
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
