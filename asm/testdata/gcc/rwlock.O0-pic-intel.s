	.file	"rwlock.c"
	.intel_syntax noprefix
	.text
	.type	read_slow, @function
read_slow:
.LFB0:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	QWORD PTR -8[rbp], rdi
.L4:
	mov	rax, QWORD PTR -8[rbp]
	lock add	DWORD PTR [rax], 1
	jmp	.L2
.L3:
	rep nop
.L2:
	mov	rax, QWORD PTR -8[rbp]
	mov	eax, DWORD PTR [rax]
	test	eax, eax
	jle	.L3
	mov	rdx, QWORD PTR -8[rbp]
	mov	eax, 1
	neg	eax
	mov	ecx, eax
	mov	eax, ecx
	lock xadd	DWORD PTR [rdx], eax
	add	eax, ecx
	test	eax, eax
	js	.L4
	nop
	nop
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE0:
	.size	read_slow, .-read_slow
	.globl	read_lock
	.type	read_lock, @function
read_lock:
.LFB1:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	sub	rsp, 8
	mov	QWORD PTR -8[rbp], rdi
	mov	rdx, QWORD PTR -8[rbp]
	mov	eax, 1
	neg	eax
	mov	ecx, eax
	mov	eax, ecx
	lock xadd	DWORD PTR [rdx], eax
	add	eax, ecx
	shr	eax, 31
	movzx	eax, al
	test	rax, rax
	je	.L7
	mov	rax, QWORD PTR -8[rbp]
	mov	rdi, rax
	call	read_slow
.L7:
	nop
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE1:
	.size	read_lock, .-read_lock
	.globl	read_unlock
	.type	read_unlock, @function
read_unlock:
.LFB2:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	QWORD PTR -8[rbp], rdi
	mov	rax, QWORD PTR -8[rbp]
	lock add	DWORD PTR [rax], 1
	nop
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE2:
	.size	read_unlock, .-read_unlock
	.globl	write_lock
	.type	write_lock, @function
write_lock:
.LFB3:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	QWORD PTR -8[rbp], rdi
	mov	rax, QWORD PTR -8[rbp]
#APP
# 25 "rwlock.c" 1
	lock; sub DWORD PTR [rax], 16777216
	jz .L10
1:	lock; add DWORD PTR [rax], 16777216
2:	rep; nop
	cmp DWORD PTR [rax], 16777216
	jne 2b
	lock; sub DWORD PTR [rax], 16777216
	jnz 1b
	
# 0 "" 2
#NO_APP
.L10:
	nop
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
.L11:
	.cfi_endproc
.LFE3:
	.size	write_lock, .-write_lock
	.globl	write_trylock
	.type	write_trylock, @function
write_trylock:
.LFB4:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	QWORD PTR -24[rbp], rdi
	mov	DWORD PTR -4[rbp], 16777216
	mov	rsi, QWORD PTR -24[rbp]
	lea	rdx, -4[rbp]
	mov	eax, DWORD PTR [rdx]
	mov	ecx, 0
	lock cmpxchg	DWORD PTR [rsi], ecx
	mov	ecx, eax
	sete	al
	test	al, al
	jne	.L14
	mov	DWORD PTR [rdx], ecx
.L14:
	movzx	eax, al
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE4:
	.size	write_trylock, .-write_trylock
	.globl	write_unlock
	.type	write_unlock, @function
write_unlock:
.LFB5:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	QWORD PTR -8[rbp], rdi
	mov	rax, QWORD PTR -8[rbp]
	mov	rdx, QWORD PTR -8[rbp]
#APP
# 46 "rwlock.c" 1
	lock; add DWORD PTR [rax], 16777216
# 0 "" 2
#NO_APP
	nop
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE5:
	.size	write_unlock, .-write_unlock
	.globl	swap_pair
	.type	swap_pair, @function
swap_pair:
.LFB6:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	push	rbx
	.cfi_offset 3, -24
	mov	QWORD PTR -40[rbp], rdi
	mov	QWORD PTR -48[rbp], rsi
	mov	QWORD PTR -64[rbp], rdx
	mov	QWORD PTR -56[rbp], rcx
	mov	rsi, QWORD PTR -64[rbp]
	mov	rcx, QWORD PTR -56[rbp]
	mov	rax, QWORD PTR -48[rbp]
	mov	r9, QWORD PTR [rax]
	mov	rax, QWORD PTR -48[rbp]
	mov	rdx, QWORD PTR 8[rax]
	mov	r8, QWORD PTR -40[rbp]
	mov	rdi, QWORD PTR -40[rbp]
	mov	rax, r9
	mov	rbx, rsi
#APP
# 55 "rwlock.c" 1
	lock cmpxchg16b XMMWORD PTR [r8]
	setz cl
# 0 "" 2
#NO_APP
	mov	BYTE PTR -17[rbp], cl
	mov	rcx, QWORD PTR -48[rbp]
	mov	QWORD PTR [rcx], rax
	mov	rax, QWORD PTR -48[rbp]
	mov	QWORD PTR 8[rax], rdx
	movzx	eax, BYTE PTR -17[rbp]
	mov	rbx, QWORD PTR -8[rbp]
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE6:
	.size	swap_pair, .-swap_pair
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
