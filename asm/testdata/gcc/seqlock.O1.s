	.file	"seqlock.c"
	.text
	.globl	write_begin
	.type	write_begin, @function
write_begin:
.LFB0:
	.cfi_startproc
	movl	$1, %edx
	jmp	.L2
.L3:
	rep nop
.L2:
	movl	%edx, %eax
	xchgl	4(%rdi), %eax
	testl	%eax, %eax
	jne	.L3
	addl	$1, (%rdi)
	lock orq	$0, (%rsp)
	ret
	.cfi_endproc
.LFE0:
	.size	write_begin, .-write_begin
	.type	begin_global, @function
begin_global:
.LFB3:
	.cfi_startproc
	leaq	global_lock(%rip), %rdi
	call	write_begin
	ret
	.cfi_endproc
.LFE3:
	.size	begin_global, .-begin_global
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
	.type	end_global, @function
end_global:
.LFB4:
	.cfi_startproc
	leaq	global_lock(%rip), %rdi
	call	write_end
	ret
	.cfi_endproc
.LFE4:
	.size	end_global, .-end_global
	.globl	read_sum
	.type	read_sum, @function
read_sum:
.LFB2:
	.cfi_startproc
	jmp	.L8
.L9:
	rep nop
.L8:
	movl	(%rdi), %edx
	testb	$1, %dl
	jne	.L9
	movl	$1, %eax
	movl	$0, %ecx
.L10:
	movq	%rax, %rsi
	imulq	(%rdi,%rax,8), %rsi
	addq	%rsi, %rcx
	addq	$1, %rax
	cmpq	$5, %rax
	jne	.L10
	cmpl	%edx, (%rdi)
	jne	.L15
.L7:
	movq	%rcx, %rax
	ret
.L15:
	lock addq	$1, retries(%rip)
	cmpl	%edx, (%rdi)
	jne	.L8
	jmp	.L7
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
	ja	.L25
	movl	%edi, %edi
	leaq	.L19(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	addq	%rdx, %rax
	jmp	*%rax
	.section	.rodata
	.align 4
	.align 4
.L19:
	.long	.L24-.L19
	.long	.L23-.L19
	.long	.L25-.L19
	.long	.L25-.L19
	.long	.L25-.L19
	.long	.L22-.L19
	.long	.L21-.L19
	.long	.L20-.L19
	.long	.L25-.L19
	.long	.L18-.L19
	.text
.L20:
	leaq	.LC2(%rip), %rax
	ret
.L24:
	addl	$1, counts(%rip)
	leaq	.LC0(%rip), %rax
	ret
.L23:
	addl	$2, 4+counts(%rip)
	leaq	.LC1(%rip), %rax
	ret
.L22:
	subl	$1, 8+counts(%rip)
	call	begin_global
	leaq	.LC3(%rip), %rax
	ret
.L21:
	call	end_global
	leaq	.LC3(%rip), %rax
	ret
.L18:
	leaq	global_lock(%rip), %rdi
	call	read_sum
	ret
.L25:
	leaq	.LC3(%rip), %rax
	ret
	.cfi_endproc
.LFE5:
	.size	count, .-count
	.globl	call_hook
	.type	call_hook, @function
call_hook:
.LFB6:
	.cfi_startproc
	cmpq	$0, hook@GOTPCREL(%rip)
	je	.L31
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	call	hook@PLT
	cmpq	$0, external_flag@GOTPCREL(%rip)
	je	.L29
	movq	external_flag@GOTPCREL(%rip), %rax
	movl	(%rax), %eax
.L26:
	addq	$8, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
.L29:
	.cfi_restore_state
	movl	$-1, %eax
	jmp	.L26
.L31:
	.cfi_def_cfa_offset 8
	cmpq	$0, external_flag@GOTPCREL(%rip)
	je	.L33
	movq	external_flag@GOTPCREL(%rip), %rax
	movl	(%rax), %eax
	ret
.L33:
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
