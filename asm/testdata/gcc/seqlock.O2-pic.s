	.file	"seqlock.c"
	.text
	.p2align 4
	.globl	write_begin
	.type	write_begin, @function
write_begin:
.LFB0:
	.cfi_startproc
	leaq	4(%rdi), %rax
	movl	$1, %ecx
	jmp	.L2
	.p2align 4,,10
	.p2align 3
.L3:
	rep nop
.L2:
	movl	%ecx, %edx
	xchgl	(%rax), %edx
	testl	%edx, %edx
	jne	.L3
	addl	$1, (%rdi)
	lock orq	$0, (%rsp)
	ret
	.cfi_endproc
.LFE0:
	.size	write_begin, .-write_begin
	.p2align 4
	.type	begin_global, @function
begin_global:
.LFB3:
	.cfi_startproc
	movq	global_lock@GOTPCREL(%rip), %rdi
	jmp	write_begin@PLT
	.cfi_endproc
.LFE3:
	.size	begin_global, .-begin_global
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
	.type	end_global, @function
end_global:
.LFB4:
	.cfi_startproc
	movq	global_lock@GOTPCREL(%rip), %rdi
	jmp	write_end@PLT
	.cfi_endproc
.LFE4:
	.size	end_global, .-end_global
	.p2align 4
	.globl	read_sum
	.type	read_sum, @function
read_sum:
.LFB2:
	.cfi_startproc
	jmp	.L9
	.p2align 4,,10
	.p2align 3
.L10:
	rep nop
.L9:
	movl	(%rdi), %edx
	testb	$1, %dl
	jne	.L10
	movl	$1, %eax
	xorl	%ecx, %ecx
.L11:
	movq	(%rdi,%rax,8), %rsi
	imulq	%rax, %rsi
	addq	$1, %rax
	addq	%rsi, %rcx
	cmpq	$5, %rax
	jne	.L11
	cmpl	%edx, (%rdi)
	jne	.L17
.L8:
	movq	%rcx, %rax
	ret
	.p2align 4,,10
	.p2align 3
.L17:
	movq	retries@GOTPCREL(%rip), %rax
	lock addq	$1, (%rax)
	cmpl	%edx, (%rdi)
	jne	.L9
	jmp	.L8
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
	ja	.L29
	leaq	.L21(%rip), %rdx
	movl	%edi, %edi
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
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
	.p2align 4,,10
	.p2align 3
.L23:
	movq	global_lock@GOTPCREL(%rip), %rdi
	call	write_end@PLT
.L19:
	leaq	.LC3(%rip), %rax
	addq	$8, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L20:
	.cfi_restore_state
	movq	global_lock@GOTPCREL(%rip), %rdi
	addq	$8, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	jmp	read_sum@PLT
	.p2align 4,,10
	.p2align 3
.L26:
	.cfi_restore_state
	addl	$1, counts(%rip)
	leaq	.LC0(%rip), %rax
	addq	$8, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L25:
	.cfi_restore_state
	addl	$2, 4+counts(%rip)
	leaq	.LC1(%rip), %rax
	addq	$8, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L24:
	.cfi_restore_state
	movq	global_lock@GOTPCREL(%rip), %rdi
	subl	$1, 8+counts(%rip)
	call	write_begin@PLT
	jmp	.L19
	.p2align 4,,10
	.p2align 3
.L27:
	leaq	.LC2(%rip), %rax
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L29:
	leaq	.LC3(%rip), %rax
	ret
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
	je	.L40
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	call	hook@PLT
	movq	external_flag@GOTPCREL(%rip), %rax
	testq	%rax, %rax
	je	.L35
	movl	(%rax), %eax
.L32:
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L40:
	movq	external_flag@GOTPCREL(%rip), %rax
	testq	%rax, %rax
	je	.L42
	movl	(%rax), %eax
	ret
.L35:
	.cfi_def_cfa_offset 16
	movl	$-1, %eax
	jmp	.L32
.L42:
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
