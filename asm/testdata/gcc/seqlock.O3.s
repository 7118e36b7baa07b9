	.file	"seqlock.c"
	.text
	.p2align 4
	.type	end_global, @function
end_global:
.LFB4:
	.cfi_startproc
	addl	$1, global_lock(%rip)
	movl	$0, 4+global_lock(%rip)
	ret
	.cfi_endproc
.LFE4:
	.size	end_global, .-end_global
	.p2align 4
	.type	begin_global, @function
begin_global:
.LFB3:
	.cfi_startproc
	movl	$1, %edx
	jmp	.L4
	.p2align 4,,10
	.p2align 3
.L5:
	rep nop
.L4:
	movl	%edx, %eax
	xchgl	4+global_lock(%rip), %eax
	testl	%eax, %eax
	jne	.L5
	addl	$1, global_lock(%rip)
	lock orq	$0, (%rsp)
	ret
	.cfi_endproc
.LFE3:
	.size	begin_global, .-begin_global
	.p2align 4
	.globl	write_begin
	.type	write_begin, @function
write_begin:
.LFB0:
	.cfi_startproc
	leaq	4(%rdi), %rax
	movl	$1, %ecx
	jmp	.L7
	.p2align 4,,10
	.p2align 3
.L8:
	rep nop
.L7:
	movl	%ecx, %edx
	xchgl	(%rax), %edx
	testl	%edx, %edx
	jne	.L8
	addl	$1, (%rdi)
	lock orq	$0, (%rsp)
	ret
	.cfi_endproc
.LFE0:
	.size	write_begin, .-write_begin
	.p2align 4
	.globl	write_end
	.type	write_end, @function
write_end:
.LFB1:
	.cfi_startproc
	addl	$1, (%rdi)
	movl	$0, 4(%rdi)
	ret
	.cfi_endproc
.LFE1:
	.size	write_end, .-write_end
	.p2align 4
	.globl	read_sum
	.type	read_sum, @function
read_sum:
.LFB2:
	.cfi_startproc
	jmp	.L11
	.p2align 4,,10
	.p2align 3
.L12:
	rep nop
.L11:
	movl	(%rdi), %eax
	testb	$1, %al
	jne	.L12
	movq	8(%rdi), %rcx
	movq	16(%rdi), %rsi
	movq	24(%rdi), %rdx
	movq	32(%rdi), %r8
	cmpl	%eax, (%rdi)
	jne	.L18
.L15:
	leaq	(%rdx,%rdx,2), %rax
	leaq	(%rax,%r8,4), %rax
	addq	%rcx, %rax
	leaq	(%rax,%rsi,2), %rax
	ret
	.p2align 4,,10
	.p2align 3
.L18:
	lock addq	$1, retries(%rip)
	cmpl	%eax, (%rdi)
	jne	.L11
	jmp	.L15
	.cfi_endproc
.LFE2:
	.size	read_sum, .-read_sum
	.section	.rodata.str1.1,"aMS",@progbits,1
.LC0:
	.string	"read"
.LC1:
	.string	"write"
.LC2:
	.string	"seven"
.LC3:
	.string	"none"
	.text
	.p2align 4
	.globl	count
	.type	count, @function
count:
.LFB5:
	.cfi_startproc
	cmpl	$9, %edi
	ja	.L20
	leaq	.L22(%rip), %rdx
	movl	%edi, %edi
	movslq	(%rdx,%rdi,4), %rax
	addq	%rdx, %rax
	jmp	*%rax
	.section	.rodata
	.align 4
	.align 4
.L22:
	.long	.L27-.L22
	.long	.L26-.L22
	.long	.L20-.L22
	.long	.L20-.L22
	.long	.L20-.L22
	.long	.L25-.L22
	.long	.L24-.L22
	.long	.L33-.L22
	.long	.L20-.L22
	.long	.L34-.L22
	.text
.L25:
	subl	$1, 8+counts(%rip)
	movl	$1, %edx
	jmp	.L28
	.p2align 4,,10
	.p2align 3
.L29:
	rep nop
.L28:
	movl	%edx, %eax
	xchgl	4+global_lock(%rip), %eax
	testl	%eax, %eax
	jne	.L29
	addl	$1, global_lock(%rip)
	lock orq	$0, (%rsp)
.L20:
	leaq	.LC3(%rip), %rax
	ret
	.p2align 4,,10
	.p2align 3
.L27:
	addl	$1, counts(%rip)
	leaq	.LC0(%rip), %rax
	ret
.L26:
	addl	$2, 4+counts(%rip)
	leaq	.LC1(%rip), %rax
	ret
.L24:
	leaq	.LC3(%rip), %rax
	addl	$1, global_lock(%rip)
	movl	$0, 4+global_lock(%rip)
	ret
.L33:
	leaq	.LC2(%rip), %rax
	ret
.L34:
	leaq	global_lock(%rip), %rcx
	jmp	.L30
	.p2align 4,,10
	.p2align 3
.L31:
	rep nop
.L30:
	movl	global_lock(%rip), %eax
	testb	$1, %al
	jne	.L31
	movq	8+global_lock(%rip), %rdi
	movq	16+global_lock(%rip), %rsi
	movq	24+global_lock(%rip), %rdx
	movq	32+global_lock(%rip), %r8
	cmpl	(%rcx), %eax
	jne	.L36
.L32:
	leaq	(%rdx,%rdx,2), %rax
	leaq	(%rax,%r8,4), %rax
	addq	%rdi, %rax
	leaq	(%rax,%rsi,2), %rax
	ret
	.p2align 4,,10
	.p2align 3
.L36:
	lock addq	$1, retries(%rip)
	cmpl	(%rcx), %eax
	jne	.L30
	jmp	.L32
	.cfi_endproc
.LFE5:
	.size	count, .-count
	.p2align 4
	.globl	call_hook
	.type	call_hook, @function
call_hook:
.LFB6:
	.cfi_startproc
	cmpq	$0, hook@GOTPCREL(%rip)
	je	.L45
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	call	hook@PLT
	movq	external_flag@GOTPCREL(%rip), %rax
	testq	%rax, %rax
	je	.L40
	movl	(%rax), %eax
.L37:
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L45:
	movq	external_flag@GOTPCREL(%rip), %rax
	testq	%rax, %rax
	je	.L47
	movl	(%rax), %eax
	ret
.L40:
	.cfi_def_cfa_offset 16
	movl	$-1, %eax
	jmp	.L37
.L47:
	.cfi_def_cfa_offset 8
	movl	$-1, %eax
	ret
	.cfi_endproc
.LFE6:
	.size	call_hook, .-call_hook
	.globl	operations
	.section	.data.rel.ro.local,"aw"
	.align 16
	.type	operations, @object
	.size	operations, 16
operations:
	.quad	begin_global
	.quad	end_global
	.local	counts
	.comm	counts,12,64
	.globl	retries
	.bss
	.align 8
	.type	retries, @object
	.size	retries, 8
retries:
	.zero	8
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
	.weak	external_flag
	.weak	hook
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
