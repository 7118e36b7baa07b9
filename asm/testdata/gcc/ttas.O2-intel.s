	.file	"ttas.c"
	.intel_syntax noprefix
	.text
	.p2align 4
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB0:
	.cfi_startproc
	mov	rsi, rdi
	mov	edx, 1
	mov	edi, 1
	lea	rcx, 4[rsi]
	.p2align 4,,10
	.p2align 3
.L6:
	mov	eax, edi
	xchg	al, BYTE PTR [rsi]
	test	al, al
	je	.L10
	.p2align 4,,10
	.p2align 3
.L5:
	xor	eax, eax
	.p2align 4,,10
	.p2align 3
.L3:
	rep nop
	add	eax, 1
	cmp	edx, eax
	jne	.L3
	lea	eax, [rdx+rdx]
	cmp	edx, 1024
	cmovb	edx, eax
	lock add	DWORD PTR [rcx], edx
	movzx	eax, BYTE PTR [rsi]
	test	al, al
	jne	.L5
	jmp	.L6
.L10:
	ret
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.p2align 4
	.globl	spin_trylock
	.type	spin_trylock, @function
spin_trylock:
.LFB1:
	.cfi_startproc
	xor	eax, eax
	mov	edx, 1
	lock cmpxchg	BYTE PTR [rdi], dl
	sete	al
	ret
	.cfi_endproc
.LFE1:
	.size	spin_trylock, .-spin_trylock
	.p2align 4
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB2:
	.cfi_startproc
	mov	BYTE PTR [rdi], 0
	ret
	.cfi_endproc
.LFE2:
	.size	spin_unlock, .-spin_unlock
	.p2align 4
	.globl	test_and_set_bit
	.type	test_and_set_bit, @function
test_and_set_bit:
.LFB3:
	.cfi_startproc
	mov	esi, esi
	lock bts	QWORD PTR [rdi], rsi
	setc	al
	ret
	.cfi_endproc
.LFE3:
	.size	test_and_set_bit, .-test_and_set_bit
	.p2align 4
	.globl	store_fence
	.type	store_fence, @function
store_fence:
.LFB4:
	.cfi_startproc
	xchg	esi, DWORD PTR [rdi]
	ret
	.cfi_endproc
.LFE4:
	.size	store_fence, .-store_fence
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
