	.file	"broken-set.c"
	.text
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB0:
	.cfi_startproc
	movzbl	(%rdi), %eax
	testb	%al, %al
	je	.L2
.L3:
	rep nop
	movzbl	(%rdi), %eax
	testb	%al, %al
	jne	.L3
.L2:
	movb	$1, (%rdi)
	ret
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB1:
	.cfi_startproc
	movb	$0, (%rdi)
	ret
	.cfi_endproc
.LFE1:
	.size	spin_unlock, .-spin_unlock
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
