	.file	"ttas.c"
	.text
	.section	.text.spin_lock,"ax",@progbits
	.p2align 4
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB0:
	.cfi_startproc
	movq	%rdi, %rsi
	movl	$1, %edx
	movl	$1, %edi
	leaq	4(%rsi), %rcx
	.p2align 4,,10
	.p2align 3
.L6:
	movl	%edi, %eax
	xchgb	(%rsi), %al
	testb	%al, %al
	je	.L10
	.p2align 4,,10
	.p2align 3
.L5:
	xorl	%eax, %eax
	.p2align 4,,10
	.p2align 3
.L3:
	rep nop
	addl	$1, %eax
	cmpl	%eax, %edx
	jne	.L3
	leal	(%rdx,%rdx), %eax
	cmpl	$1024, %edx
	cmovb	%eax, %edx
	lock addl	%edx, (%rcx)
	movzbl	(%rsi), %eax
	testb	%al, %al
	jne	.L5
	jmp	.L6
.L10:
	ret
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.section	.text.spin_trylock,"ax",@progbits
	.p2align 4
	.globl	spin_trylock
	.type	spin_trylock, @function
spin_trylock:
.LFB1:
	.cfi_startproc
	xorl	%eax, %eax
	movl	$1, %edx
	lock cmpxchgb	%dl, (%rdi)
	sete	%al
	ret
	.cfi_endproc
.LFE1:
	.size	spin_trylock, .-spin_trylock
	.section	.text.spin_unlock,"ax",@progbits
	.p2align 4
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
	.section	.text.test_and_set_bit,"ax",@progbits
	.p2align 4
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
	.section	.text.store_fence,"ax",@progbits
	.p2align 4
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
