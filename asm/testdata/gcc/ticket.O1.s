	.file	"ticket.c"
	.text
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB1:
	.cfi_startproc
	movl	$65536, %eax
#APP
# 27 "ticket.c" 1
	.pushsection .smp_locks,"a"
.balign 4
.long 671f - .
.popsection
671:
	lock; xaddl %eax, (%rdi)
# 0 "" 2
#NO_APP
	movl	%eax, %ecx
	shrl	$16, %ecx
	movl	%ecx, %edx
	cmpw	%ax, %cx
	je	.L2
.L3:
#APP
# 13 "ticket.c" 1
	rep; nop
# 0 "" 2
#NO_APP
	movzwl	(%rdi), %eax
	cmpw	%dx, %ax
	jne	.L3
.L2:
	ret
	.cfi_endproc
.LFE1:
	.size	spin_lock, .-spin_lock
	.globl	spin_trylock
	.type	spin_trylock, @function
spin_trylock:
.LFB2:
	.cfi_startproc
	movl	(%rdi), %eax
	movl	%eax, %esi
	shrl	$16, %esi
	movzwl	%ax, %ecx
	movl	$0, %edx
	cmpl	%ecx, %esi
	je	.L8
.L5:
	movl	%edx, %eax
	ret
.L8:
	leal	65536(%rax), %edx
	lock cmpxchgl	%edx, (%rdi)
	sete	%dl
	movzbl	%dl, %edx
	jmp	.L5
	.cfi_endproc
.LFE2:
	.size	spin_trylock, .-spin_trylock
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB3:
	.cfi_startproc
#APP
# 49 "ticket.c" 1
	.pushsection .smp_locks,"a"
.balign 4
.long 671f - .
.popsection
671:
	lock; incw (%rdi)
# 0 "" 2
#NO_APP
	ret
	.cfi_endproc
.LFE3:
	.size	spin_unlock, .-spin_unlock
	.globl	spin_is_locked
	.type	spin_is_locked, @function
spin_is_locked:
.LFB4:
	.cfi_startproc
	movl	(%rdi), %edx
	movl	%edx, %eax
	shrl	$16, %eax
	xorl	%edx, %eax
	testw	%ax, %ax
	setne	%al
	movzbl	%al, %eax
	ret
	.cfi_endproc
.LFE4:
	.size	spin_is_locked, .-spin_is_locked
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
