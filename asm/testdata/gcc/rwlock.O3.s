	.file	"rwlock.c"
	.text
	.section	.text.unlikely,"ax",@progbits
	.type	read_slow, @function
read_slow:
.LFB0:
	.cfi_startproc
.L4:
	lock incl	(%rdi)
.L2:
	movl	(%rdi), %eax
	testl	%eax, %eax
	jg	.L7
	rep nop
	jmp	.L2
.L7:
	lock decl	(%rdi)
	js	.L4
	ret
	.cfi_endproc
.LFE0:
	.size	read_slow, .-read_slow
.LCOLDB0:
	.text
.LHOTB0:
	.p2align 4
	.globl	read_lock
	.type	read_lock, @function
read_lock:
.LFB1:
	.cfi_startproc
	lock subl	$1, (%rdi)
	js	.L10
	ret
	.cfi_endproc
	.section	.text.unlikely
	.cfi_startproc
	.type	read_lock.cold, @function
read_lock.cold:
.LFSB1:
.L10:
	jmp	read_slow
	.cfi_endproc
.LFE1:
	.text
	.size	read_lock, .-read_lock
	.section	.text.unlikely
	.size	read_lock.cold, .-read_lock.cold
.LCOLDE0:
	.text
.LHOTE0:
	.p2align 4
	.globl	read_unlock
	.type	read_unlock, @function
read_unlock:
.LFB2:
	.cfi_startproc
	lock addl	$1, (%rdi)
	ret
	.cfi_endproc
.LFE2:
	.size	read_unlock, .-read_unlock
	.p2align 4
	.globl	write_lock
	.type	write_lock, @function
write_lock:
.LFB3:
	.cfi_startproc
#APP
# 25 "rwlock.c" 1
	lock; subl $16777216, (%rdi)
	jz .L13
1:	lock; addl $16777216, (%rdi)
2:	rep; nop
	cmpl $16777216, (%rdi)
	jne 2b
	lock; subl $16777216, (%rdi)
	jnz 1b
	
# 0 "" 2
#NO_APP
.L13:
	ret
.L14:
	.cfi_endproc
.LFE3:
	.size	write_lock, .-write_lock
	.p2align 4
	.globl	write_trylock
	.type	write_trylock, @function
write_trylock:
.LFB4:
	.cfi_startproc
	movl	$16777216, %eax
	xorl	%edx, %edx
	lock cmpxchgl	%edx, (%rdi)
	sete	%al
	movzbl	%al, %eax
	ret
	.cfi_endproc
.LFE4:
	.size	write_trylock, .-write_trylock
	.p2align 4
	.globl	write_unlock
	.type	write_unlock, @function
write_unlock:
.LFB5:
	.cfi_startproc
#APP
# 46 "rwlock.c" 1
	lock; addl $16777216, (%rdi)
# 0 "" 2
#NO_APP
	ret
	.cfi_endproc
.LFE5:
	.size	write_unlock, .-write_unlock
	.p2align 4
	.globl	swap_pair
	.type	swap_pair, @function
swap_pair:
.LFB6:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movq	(%rsi), %rax
	movq	%rdx, %rbx
	movq	8(%rsi), %rdx
#APP
# 55 "rwlock.c" 1
	lock cmpxchg16b (%rdi)
	setz %bl
# 0 "" 2
#NO_APP
	movq	%rax, (%rsi)
	movzbl	%bl, %eax
	popq	%rbx
	.cfi_def_cfa_offset 8
	movq	%rdx, 8(%rsi)
	ret
	.cfi_endproc
.LFE6:
	.size	swap_pair, .-swap_pair
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
