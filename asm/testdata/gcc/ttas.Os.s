	.file	"ttas.c"
	.text
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB0:
	.cfi_startproc
	movl	$1, %eax
	movb	$1, %cl
.L5:
	movl	%ecx, %edx
	xchgb	(%rdi), %dl
	testb	%dl, %dl
	je	.L9
.L7:
	movl	%eax, %edx
	xorl	%eax, %eax
.L3:
	rep nop
	incl	%eax
	cmpl	%eax, %edx
	jne	.L3
	cmpl	$1023, %eax
	ja	.L4
	addl	%eax, %eax
.L4:
	lock addl	%eax, 4(%rdi)
	movb	(%rdi), %dl
	testb	%dl, %dl
	jne	.L7
	jmp	.L5
.L9:
	ret
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.globl	spin_trylock
	.type	spin_trylock, @function
spin_trylock:
.LFB1:
	.cfi_startproc
	xorl	%eax, %eax
	movb	$1, %dl
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
