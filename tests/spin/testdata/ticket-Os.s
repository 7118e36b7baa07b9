	.file	"ticket.c"
	.text
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB0:
	.cfi_startproc
	movl	$256, %eax
	lock xaddw	%ax, (%rdi)
	movl	%eax, %edx
	shrw	$8, %dx
	movl	%edx, %ecx
	cmpb	%al, %dl
	jne	.L2
	ret
.L2:
	movb	(%rdi), %al
	cmpb	%cl, %al
	je	.L7
	rep nop
	jmp	.L2
.L7:
	ret
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB1:
	.cfi_startproc
	movb	(%rdi), %al
	incl	%eax
	movb	%al, (%rdi)
	ret
	.cfi_endproc
.LFE1:
	.size	spin_unlock, .-spin_unlock
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
