	.file	"rwlock.c"
	.text
	.type	read_slow, @function
read_slow:
	movq	%rdi, %rax
.L4:
	lock incl	(%rdi)
.L2:
	movl	(%rdi), %edx
	testl	%edx, %edx
	jle	.L3
	lock decl	(%rax)
	js	.L4
	ret
.L3:
	rep nop
	jmp	.L2
	.size	read_slow, .-read_slow
	.globl	read_lock
	.type	read_lock, @function
read_lock:
	lock subl	$1, (%rdi)
	js	.L8
.L6:
	ret
.L8:
	call	read_slow
	jmp	.L6
	.size	read_lock, .-read_lock
	.globl	read_unlock
	.type	read_unlock, @function
read_unlock:
	lock addl	$1, (%rdi)
	ret
	.size	read_unlock, .-read_unlock
	.globl	write_lock
	.type	write_lock, @function
write_lock:
#APP
# 25 "rwlock.c" 1
	lock; subl $16777216, (%rdi)
	jz .L11
1:	lock; addl $16777216, (%rdi)
2:	rep; nop
	cmpl $16777216, (%rdi)
	jne 2b
	lock; subl $16777216, (%rdi)
	jnz 1b
	
# 0 "" 2
#NO_APP
.L11:
	ret
.L12:
	.size	write_lock, .-write_lock
	.globl	write_trylock
	.type	write_trylock, @function
write_trylock:
	movl	$16777216, %eax
	movl	$0, %edx
	lock cmpxchgl	%edx, (%rdi)
	sete	%al
	movzbl	%al, %eax
	ret
	.size	write_trylock, .-write_trylock
	.globl	write_unlock
	.type	write_unlock, @function
write_unlock:
#APP
# 46 "rwlock.c" 1
	lock; addl $16777216, (%rdi)
# 0 "" 2
#NO_APP
	ret
	.size	write_unlock, .-write_unlock
	.globl	swap_pair
	.type	swap_pair, @function
swap_pair:
	pushq	%rbx
	movq	%rdx, %rbx
	movq	(%rsi), %rax
	movq	8(%rsi), %rdx
#APP
# 55 "rwlock.c" 1
	lock cmpxchg16b (%rdi)
	setz %bl
# 0 "" 2
#NO_APP
	movq	%rax, (%rsi)
	movq	%rdx, 8(%rsi)
	movzbl	%bl, %eax
	popq	%rbx
	ret
	.size	swap_pair, .-swap_pair
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
