	.file	"kernel.c"
	.text
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB2:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movq	%rdi, %rbx
	jmp	.L5
.L3:
	movq	%rbx, %rdi
	call	pv_wait@PLT
.L4:
#APP
# 58 "kernel.c" 1
	rep; nop
# 0 "" 2
#NO_APP
.L5:
#APP
# 50 "kernel.c" 1
	.pushsection .smp_locks,"a"
.balign 4
.long 671f - .
.popsection
671:
	lock; btsq $0, (%rbx)
	setc %al
# 0 "" 2
#NO_APP
	testb	%al, %al
	je	.L6
#APP
# 13 "kernel.c" 1
	1:
	.byte 0x0f,0x1f,0x44,0x00,0
	.pushsection __jump_table, "aw"
	.balign 8
	.long 1b - ., .L3 - .
	.quad pv_key + 1 - .
	.popsection
	
# 0 "" 2
#NO_APP
	jmp	.L4
.L6:
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE2:
	.size	spin_lock, .-spin_lock
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB3:
	.cfi_startproc
#APP
# 64 "kernel.c" 1
	661:
	lock; btrq $0, (%rdi)
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
	movb $0, (%rdi)
665:
.popsection

# 0 "" 2
#NO_APP
	ret
	.cfi_endproc
.LFE3:
	.size	spin_unlock, .-spin_unlock
	.globl	fence
	.type	fence, @function
fence:
.LFB4:
	.cfi_startproc
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
	ret
	.cfi_endproc
.LFE4:
	.size	fence, .-fence
	.globl	read_user
	.type	read_user, @function
read_user:
.LFB5:
	.cfi_startproc
	movl	(%rsi), %eax
#APP
# 75 "kernel.c" 1
	1:	movl (%rdi), %edx
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
	movl	%eax, (%rsi)
	movl	%edx, %eax
	ret
	.cfi_endproc
.LFE5:
	.size	read_user, .-read_user
	.globl	slow_in_subsection
	.type	slow_in_subsection, @function
slow_in_subsection:
.LFB6:
	.cfi_startproc
#APP
# 84 "kernel.c" 1
	1:	lock; decb (%rdi)
	jns 3f
.subsection 1
2:	rep; nop
	cmpb $0, (%rdi)
	jle 2b
	jmp 1b
.previous
3:
# 0 "" 2
#NO_APP
	ret
	.cfi_endproc
.LFE6:
	.size	slow_in_subsection, .-slow_in_subsection
	.globl	att_in_between
	.type	att_in_between, @function
att_in_between:
.LFB7:
	.cfi_startproc
#APP
# 95 "kernel.c" 1
	.intel_syntax noprefix
	lock or DWORD PTR [rdi], 4
	.att_syntax prefix
# 0 "" 2
#NO_APP
	ret
	.cfi_endproc
.LFE7:
	.size	att_in_between, .-att_in_between
	.globl	cpu_copy
	.type	cpu_copy, @function
cpu_copy:
.LFB8:
	.cfi_startproc
	movq	%rdx, %rcx
#APP
# 101 "kernel.c" 1
	rep movsb
# 0 "" 2
# 29 "kernel.c" 1
	movl %gs:cpu_number(%rip), %eax
# 0 "" 2
#NO_APP
	ret
	.cfi_endproc
.LFE8:
	.size	cpu_copy, .-cpu_copy
	.globl	cpu_number
	.section	.data..percpu,"aw"
	.align 4
	.type	cpu_number, @object
	.size	cpu_number, 4
cpu_number:
	.zero	4
	.globl	pv_key
	.bss
	.align 4
	.type	pv_key, @object
	.size	pv_key, 4
pv_key:
	.zero	4
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
