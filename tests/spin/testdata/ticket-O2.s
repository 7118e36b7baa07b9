	.file	"ticket.c"
	.text
	.p2align 4
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB0:
	.cfi_startproc
	movl	$256, %eax
	lock xaddw	%ax, (%rdi)
	movl	%eax, %ecx
	shrw	$8, %cx
	movl	%ecx, %edx
	cmpb	%al, %cl
	jne	.L2
	jmp	.L7
	.p2align 4,,10
	.p2align 3
.L3:
	rep nop
.L2:
	movzbl	(%rdi), %eax
	cmpb	%dl, %al
	jne	.L3
	ret
	.p2align 4,,10
	.p2align 3
.L7:
	ret
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.p2align 4
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB1:
	.cfi_startproc
	movzbl	(%rdi), %eax
	addl	$1, %eax
	movb	%al, (%rdi)
	ret
	.cfi_endproc
.LFE1:
	.size	spin_unlock, .-spin_unlock
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
