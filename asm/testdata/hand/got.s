	.file "got.s"
# References by way of the global offset table, as -fPIC makes them: a static
# link turns all but the last two into direct ones.
	.globl	f
	.type	f,@function
f:	ret
start:
	mov	data@GOTPCREL(%rip), %rax
	mov	data@GOTPCREL(%rip), %r9
	mov	data@GOTPCREL(%rip), %ecx
	mov	data@GOTPCREL(%rip), %r10d
	call	*f@GOTPCREL(%rip)
	jmp	*f@GOTPCREL(%rip)
	test	%rax, data@GOTPCREL(%rip)
	test	%r11, data@GOTPCREL(%rip)
	test	%edx, data@GOTPCREL(%rip)
	add	data@GOTPCREL(%rip), %r9
	or	data@GOTPCREL(%rip), %rbx
	adc	data@GOTPCREL(%rip), %rcx
	sbb	data@GOTPCREL(%rip), %rdx
	and	data@GOTPCREL(%rip), %rsi
	sub	data@GOTPCREL(%rip), %edi
	xor	data@GOTPCREL(%rip), %r15d
	cmp	data@GOTPCREL(%rip), %rbp
	mov	nothing@GOTPCREL(%rip), %rax
	cmp	nothing@GOTPCREL(%rip), %r8
	call	*pv_wait@GOTPCREL(%rip)
	push	data@GOTPCREL(%rip)
	cmpq	$0, data@GOTPCREL(%rip)
	.weak	nothing
	.data
data:	.quad	data
	.section .tdata,"awT",@progbits
t1:	.long	7
t2:	.quad	9
	.section .tbss,"awT",@nobits
	.balign 16
t3:	.zero	20
	.text
	mov	%fs:t1@tpoff, %eax
	lea	t2@tpoff(%rax), %rcx
	add	$t3@tpoff+8, %rdx
	mov	t1@gottpoff(%rip), %rax
	mov	t2@gottpoff(%rip), %r13
	add	t2@gottpoff(%rip), %rcx
	add	t2@gottpoff(%rip), %r9
	add	t3@gottpoff(%rip), %rsp
	add	t3@gottpoff(%rip), %r12
	mov	%fs:(%rax), %eax
	.section .note.GNU-stack,"",@progbits
