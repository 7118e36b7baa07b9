	.file	"ticket.c"
	.text
	.p2align 4
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB1:
	.cfi_startproc
	endbr64
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
	.p2align 4,,10
	.p2align 3
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
	.p2align 4
	.globl	spin_trylock
	.type	spin_trylock, @function
spin_trylock:
.LFB2:
	.cfi_startproc
	endbr64
	movl	(%rdi), %eax
	xorl	%edx, %edx
	movl	%eax, %esi
	movzwl	%ax, %ecx
	shrl	$16, %esi
	cmpl	%ecx, %esi
	je	.L9
	movl	%edx, %eax
	ret
	.p2align 4,,10
	.p2align 3
.L9:
	leal	65536(%rax), %edx
	lock cmpxchgl	%edx, (%rdi)
	sete	%dl
	movzbl	%dl, %edx
	movl	%edx, %eax
	ret
	.cfi_endproc
.LFE2:
	.size	spin_trylock, .-spin_trylock
	.p2align 4
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB3:
	.cfi_startproc
	endbr64
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
	.p2align 4
	.globl	spin_is_locked
	.type	spin_is_locked, @function
spin_is_locked:
.LFB4:
	.cfi_startproc
	endbr64
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
	.section	.note.gnu.property,"a"
	.align 8
	.long	1f - 0f
	.long	4f - 1f
	.long	5
0:
	.string	"GNU"
1:
	.align 8
	.long	0xc0000002
	.long	3f - 2f
2:
	.long	0x3
3:
	.align 8
4:
