	.file	"ttas.c"
	.intel_syntax noprefix
	.text
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB0:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	QWORD PTR -24[rbp], rdi
	mov	DWORD PTR -4[rbp], 1
.L7:
	mov	rdx, QWORD PTR -24[rbp]
	mov	eax, 1
	xchg	al, BYTE PTR [rdx]
	test	al, al
	je	.L9
.L2:
	mov	DWORD PTR -8[rbp], 0
	jmp	.L4
.L5:
	rep nop
	add	DWORD PTR -8[rbp], 1
.L4:
	mov	eax, DWORD PTR -8[rbp]
	cmp	eax, DWORD PTR -4[rbp]
	jb	.L5
	cmp	DWORD PTR -4[rbp], 1023
	ja	.L6
	sal	DWORD PTR -4[rbp]
.L6:
	mov	rax, QWORD PTR -24[rbp]
	lea	rdx, 4[rax]
	mov	eax, DWORD PTR -4[rbp]
	lock add	DWORD PTR [rdx], eax
	mov	rax, QWORD PTR -24[rbp]
	movzx	eax, BYTE PTR [rax]
	test	al, al
	jne	.L2
	jmp	.L7
.L9:
	nop
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.globl	spin_trylock
	.type	spin_trylock, @function
spin_trylock:
.LFB1:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	QWORD PTR -24[rbp], rdi
	mov	BYTE PTR -1[rbp], 0
	mov	rsi, QWORD PTR -24[rbp]
	lea	rdx, -1[rbp]
	movzx	eax, BYTE PTR [rdx]
	mov	ecx, 1
	lock cmpxchg	BYTE PTR [rsi], cl
	mov	ecx, eax
	sete	al
	test	al, al
	jne	.L12
	mov	BYTE PTR [rdx], cl
.L12:
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE1:
	.size	spin_trylock, .-spin_trylock
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB2:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	QWORD PTR -8[rbp], rdi
	mov	rax, QWORD PTR -8[rbp]
	mov	edx, 0
	mov	BYTE PTR [rax], dl
	nop
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE2:
	.size	spin_unlock, .-spin_unlock
	.globl	test_and_set_bit
	.type	test_and_set_bit, @function
test_and_set_bit:
.LFB3:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	QWORD PTR -8[rbp], rdi
	mov	QWORD PTR -16[rbp], rsi
	mov	rax, QWORD PTR -16[rbp]
	mov	edx, 1
	mov	rsi, rdx
	mov	ecx, eax
	sal	rsi, cl
	mov	rdx, QWORD PTR -8[rbp]
	mov	rax, QWORD PTR [rdx]
.L15:
	mov	rdi, rax
	mov	rcx, rax
	or	rcx, rsi
	lock cmpxchg	QWORD PTR [rdx], rcx
	sete	cl
	test	cl, cl
	je	.L15
	mov	rax, QWORD PTR -16[rbp]
	mov	edx, 1
	mov	ecx, eax
	sal	rdx, cl
	mov	rax, rdx
	and	rax, rdi
	test	rax, rax
	setne	al
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE3:
	.size	test_and_set_bit, .-test_and_set_bit
	.globl	store_fence
	.type	store_fence, @function
store_fence:
.LFB4:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	QWORD PTR -8[rbp], rdi
	mov	DWORD PTR -12[rbp], esi
	mov	edx, DWORD PTR -12[rbp]
	mov	rax, QWORD PTR -8[rbp]
	xchg	edx, DWORD PTR [rax]
	nop
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE4:
	.size	store_fence, .-store_fence
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
