	.file	"seqlock.c"
	.text
	.globl	write_begin
	.type	write_begin, @function
write_begin:
.LFB0:
	.cfi_startproc
	movl	$1, %edx
.L2:
	movl	%edx, %eax
	xchgl	4(%rdi), %eax
	testl	%eax, %eax
	je	.L5
	rep nop
	jmp	.L2
.L5:
	incl	(%rdi)
	mfence
	ret
	.cfi_endproc
.LFE0:
	.size	write_begin, .-write_begin
	.type	begin_global, @function
begin_global:
.LFB3:
	.cfi_startproc
	leaq	global_lock(%rip), %rdi
	jmp	write_begin
	.cfi_endproc
.LFE3:
	.size	begin_global, .-begin_global
	.globl	write_end
	.type	write_end, @function
write_end:
.LFB1:
	.cfi_startproc
	incl	(%rdi)
	movl	$0, 4(%rdi)
	ret
	.cfi_endproc
.LFE1:
	.size	write_end, .-write_end
	.type	end_global, @function
end_global:
.LFB4:
	.cfi_startproc
	leaq	global_lock(%rip), %rdi
	jmp	write_end
	.cfi_endproc
.LFE4:
	.size	end_global, .-end_global
	.globl	read_sum
	.type	read_sum, @function
read_sum:
.LFB2:
	.cfi_startproc
.L10:
	movl	(%rdi), %ecx
	testb	$1, %cl
	je	.L17
	rep nop
	jmp	.L10
.L17:
	movl	$1, %eax
	xorl	%edx, %edx
.L12:
	movq	(%rdi,%rax,8), %rsi
	imulq	%rax, %rsi
	incq	%rax
	addq	%rsi, %rdx
	cmpq	$5, %rax
	jne	.L12
	cmpl	%ecx, (%rdi)
	je	.L9
	lock incq	retries(%rip)
	cmpl	%ecx, (%rdi)
	jne	.L10
.L9:
	movq	%rdx, %rax
	ret
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
	.globl	count
	.type	count, @function
count:
.LFB5:
	.cfi_startproc
	cmpl	$9, %edi
	ja	.L19
	leaq	.L21(%rip), %rdx
	movl	%edi, %edi
	movslq	(%rdx,%rdi,4), %rax
	addq	%rdx, %rax
	jmp	*%rax
	.section	.rodata
	.align 4
	.align 4
.L21:
	.long	.L26-.L21
	.long	.L25-.L21
	.long	.L19-.L21
	.long	.L19-.L21
	.long	.L19-.L21
	.long	.L24-.L21
	.long	.L23-.L21
	.long	.L27-.L21
	.long	.L19-.L21
	.long	.L20-.L21
	.text
.L24:
	decl	8+counts(%rip)
	call	begin_global
.L19:
	leaq	.LC3(%rip), %rax
	ret
.L26:
	incl	counts(%rip)
	leaq	.LC0(%rip), %rax
	ret
.L25:
	addl	$2, 4+counts(%rip)
	leaq	.LC1(%rip), %rax
	ret
.L23:
	call	end_global
	jmp	.L19
.L20:
	leaq	global_lock(%rip), %rdi
	jmp	read_sum
.L27:
	leaq	.LC2(%rip), %rax
	ret
	.cfi_endproc
.LFE5:
	.size	count, .-count
	.globl	call_hook
	.type	call_hook, @function
call_hook:
.LFB6:
	.cfi_startproc
	pushq	%rcx
	.cfi_def_cfa_offset 16
	cmpq	$0, hook@GOTPCREL(%rip)
	je	.L29
	call	hook@PLT
.L29:
	movq	external_flag@GOTPCREL(%rip), %rdx
	orl	$-1, %eax
	testq	%rdx, %rdx
	je	.L28
	movl	(%rdx), %eax
.L28:
	popq	%rdx
	.cfi_def_cfa_offset 8
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
