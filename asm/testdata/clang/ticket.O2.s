	.text
	.file	"ticket.c"
	.globl	spin_lock                       # -- Begin function spin_lock
	.p2align	4, 0x90
	.type	spin_lock,@function
spin_lock:                              # @spin_lock
	.cfi_startproc
# %bb.0:
	movl	$65536, %ecx                    # imm = 0x10000
	#APP
	.pushsection	.smp_locks,"a",@progbits
	.p2align	2, 0x0
	.long	.Ltmp0-(.)
	.popsection

.Ltmp0:
	lock		xaddl	%ecx, (%rdi)
	#NO_APP
	movl	%ecx, %eax
	shrl	$16, %eax
	cmpw	%cx, %ax
	je	.LBB0_2
	.p2align	4, 0x90
.LBB0_1:                                # =>This Inner Loop Header: Depth=1
	#APP
	rep		nop
	#NO_APP
	movzwl	(%rdi), %ecx
	cmpw	%cx, %ax
	jne	.LBB0_1
.LBB0_2:
	#APP
	#NO_APP
	retq
.Lfunc_end0:
	.size	spin_lock, .Lfunc_end0-spin_lock
	.cfi_endproc
                                        # -- End function
	.globl	spin_trylock                    # -- Begin function spin_trylock
	.p2align	4, 0x90
	.type	spin_trylock,@function
spin_trylock:                           # @spin_trylock
	.cfi_startproc
# %bb.0:
	movl	(%rdi), %eax
	movl	%eax, %ecx
	shrl	$16, %ecx
	xorl	%edx, %edx
	cmpw	%cx, %ax
	jne	.LBB1_2
# %bb.1:
	leal	65536(%rax), %ecx
	xorl	%edx, %edx
                                        # kill: def $eax killed $eax killed $rax
	lock		cmpxchgl	%ecx, (%rdi)
	sete	%dl
.LBB1_2:
	movl	%edx, %eax
	retq
.Lfunc_end1:
	.size	spin_trylock, .Lfunc_end1-spin_trylock
	.cfi_endproc
                                        # -- End function
	.globl	spin_unlock                     # -- Begin function spin_unlock
	.p2align	4, 0x90
	.type	spin_unlock,@function
spin_unlock:                            # @spin_unlock
	.cfi_startproc
# %bb.0:
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	#APP
	lock		incw	(%rdi)
	#NO_APP
	xchgw	%ax, %ax
	data16
	leaq	.L.str(%rip), %rsi
	testb	$1, .L__profile(%rip)
	jne	.LBB2_1
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
.LBB2_1:
	ud2
.Lfunc_end2:
	.size	spin_unlock, .Lfunc_end2-spin_unlock
	.cfi_endproc
                                        # -- End function
	.type	.L.str,@object                  # @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.asciz	"ticket \"lock\"\t\001\377"
	.size	.L.str, 16

	.type	.L__profile,@object
	.local	.L__profile
	.comm	.L__profile,1,1
	.type	switch_table,@object            # @switch_table
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
switch_table:
	.quad	spin_lock
	.quad	spin_unlock
	.size	switch_table, 16

	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym spin_unlock
