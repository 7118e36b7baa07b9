	.file	"ttas.c"
	.text
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB0:
	.cfi_startproc
	movq	%rdi, %rcx
	movl	$1, %edx
	movl	$1, %esi
.L6:
	movl	%esi, %eax
	xchgb	(%rcx), %al
	testb	%al, %al
	jne	.L2
	ret
.L3:
	addl	%edx, %edx
.L5:
	lock addl	%edx, 4(%rcx)
	movzbl	(%rcx), %eax
	testb	%al, %al
	je	.L6
.L2:
	testl	%edx, %edx
	je	.L3
	movl	$0, %eax
.L4:
	rep nop
	addl	$1, %eax
	cmpl	%eax, %edx
	jne	.L4
	cmpl	$1023, %edx
	jbe	.L3
	movl	%eax, %edx
	jmp	.L5
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.globl	spin_trylock
	.type	spin_trylock, @function
spin_trylock:
.LFB1:
	.cfi_startproc
	movl	$0, %eax
	movl	$1, %edx
	lock cmpxchgb	%dl, (%rdi)
	sete	%al
	ret
	.cfi_endproc
.LFE1:
	.size	spin_trylock, .-spin_trylock
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB2:
	.cfi_startproc
	movb	$0, (%rdi)
	ret
	.cfi_endproc
.LFE2:
	.size	spin_unlock, .-spin_unlock
	.globl	test_and_set_bit
	.type	test_and_set_bit, @function
test_and_set_bit:
.LFB3:
	.cfi_startproc
	movl	%esi, %esi
	lock btsq	%rsi, (%rdi)
	setc	%al
	ret
	.cfi_endproc
.LFE3:
	.size	test_and_set_bit, .-test_and_set_bit
	.globl	store_fence
	.type	store_fence, @function
store_fence:
.LFB4:
	.cfi_startproc
	xchgl	(%rdi), %esi
	ret
	.cfi_endproc
.LFE4:
	.size	store_fence, .-store_fence
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
