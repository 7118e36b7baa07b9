	.file	"kernel.c"
	.text
	.globl	pv_key
	.bss
	.align 4
	.type	pv_key, @object
	.size	pv_key, 4
pv_key:
	.zero	4
	.globl	cpu_number
	.section	.data..percpu,"aw"
	.align 4
	.type	cpu_number, @object
	.size	cpu_number, 4
cpu_number:
	.zero	4
	.text
	.type	this_cpu, @function
this_cpu:
.LFB1:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
#APP
# 29 "kernel.c" 1
	movl %gs:cpu_number(%rip), %eax
# 0 "" 2
#NO_APP
	movl	%eax, -4(%rbp)
	movl	-4(%rbp), %eax
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE1:
	.size	this_cpu, .-this_cpu
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB2:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	subq	$32, %rsp
	movq	%rdi, -24(%rbp)
.L9:
	movq	-24(%rbp), %rdx
	movq	-24(%rbp), %rax
#APP
# 50 "kernel.c" 1
	.pushsection .smp_locks,"a"
.balign 4
.long 671f - .
.popsection
671:
	lock; btsq $0, (%rdx)
	setc %al
# 0 "" 2
#NO_APP
	movb	%al, -1(%rbp)
	cmpb	$0, -1(%rbp)
	je	.L11
#APP
# 13 "kernel.c" 1
	1:
	.byte 0x0f,0x1f,0x44,0x00,0
	.pushsection __jump_table, "aw"
	.balign 8
	.long 1b - ., .L6 - .
	.quad pv_key + 1 - .
	.popsection
	
# 0 "" 2
#NO_APP
	movl	$0, %eax
	jmp	.L7
.L6:
	movl	$1, %eax
.L7:
	testl	%eax, %eax
	je	.L8
	movq	-24(%rbp), %rax
	movq	%rax, %rdi
	call	pv_wait
.L8:
#APP
# 58 "kernel.c" 1
	rep; nop
# 0 "" 2
#NO_APP
	jmp	.L9
.L11:
	nop
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE2:
	.size	spin_lock, .-spin_lock
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
# 64 "kernel.c" 1
	661:
	lock; btrq $0, (%rax)
662:
.skip -(((665f-664f)-(662b-661b)) > 0) * ((665f-664f)-(662b-661b)),0x90
663:
.pushsection .altinstructions,"a"
 .long 661b - .
 .long 664f - .
 .word 3*32+15
 .byte 663b-661b
 .byte 665f-664f
.popsection
.pushsection .altinstr_replacement, "ax"
664:
	movb $0, (%rax)
665:
.popsection

# 0 "" 2
#NO_APP
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE3:
	.size	spin_unlock, .-spin_unlock
	.globl	fence
	.type	fence, @function
fence:
.LFB4:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
#APP
# 69 "kernel.c" 1
	661:
	lock; addl $0,-4(%rsp)
662:
.skip -(((665f-664f)-(662b-661b)) > 0) * ((665f-664f)-(662b-661b)),0x90
663:
.pushsection .altinstructions,"a"
 .long 661b - .
 .long 664f - .
 .word (0*32+26)
 .byte 663b-661b
 .byte 665f-664f
.popsection
.pushsection .altinstr_replacement, "ax"
664:
	mfence
665:
.popsection

# 0 "" 2
#NO_APP
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE4:
	.size	fence, .-fence
	.globl	read_user
	.type	read_user, @function
read_user:
.LFB5:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -24(%rbp)
	movq	%rsi, -32(%rbp)
	movq	-32(%rbp), %rax
	movl	(%rax), %eax
	movq	-24(%rbp), %rdx
#APP
# 75 "kernel.c" 1
	1:	movl (%rdx), %edx
2:
.section .fixup,"ax"
3:	mov $-14, %eax
	xorl %edx, %edx
	jmp 2b
.previous
.section __ex_table,"a"
	.balign 4
	.long (1b) - ., (3b) - .
.previous

# 0 "" 2
#NO_APP
	movq	-32(%rbp), %rcx
	movl	%eax, (%rcx)
	movl	%edx, -4(%rbp)
	movl	-4(%rbp), %eax
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE5:
	.size	read_user, .-read_user
	.globl	slow_in_subsection
	.type	slow_in_subsection, @function
slow_in_subsection:
.LFB6:
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
# 84 "kernel.c" 1
	1:	lock; decb (%rax)
	jns 3f
.subsection 1
2:	rep; nop
	cmpb $0, (%rax)
	jle 2b
	jmp 1b
.previous
3:
# 0 "" 2
#NO_APP
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE6:
	.size	slow_in_subsection, .-slow_in_subsection
	.globl	att_in_between
	.type	att_in_between, @function
att_in_between:
.LFB7:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -8(%rbp)
	movq	-8(%rbp), %rax
	movq	%rax, %rdi
#APP
# 95 "kernel.c" 1
	.intel_syntax noprefix
	lock or DWORD PTR [rdi], 4
	.att_syntax prefix
# 0 "" 2
#NO_APP
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7:
	.size	att_in_between, .-att_in_between
	.globl	cpu_copy
	.type	cpu_copy, @function
cpu_copy:
.LFB8:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	subq	$24, %rsp
	movq	%rdi, -8(%rbp)
	movq	%rsi, -16(%rbp)
	movq	%rdx, -24(%rbp)
	movq	-8(%rbp), %rcx
	movq	-16(%rbp), %rdx
	movq	-24(%rbp), %rax
	movq	%rcx, %rdi
	movq	%rdx, %rsi
	movq	%rax, %rcx
#APP
# 101 "kernel.c" 1
	rep movsb
# 0 "" 2
#NO_APP
	movq	%rcx, %rax
	movq	%rsi, %rdx
	movq	%rdi, -8(%rbp)
	movq	%rdx, -16(%rbp)
	movq	%rax, -24(%rbp)
	call	this_cpu
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE8:
	.size	cpu_copy, .-cpu_copy
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
