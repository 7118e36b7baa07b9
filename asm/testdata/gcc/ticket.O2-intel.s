	.file	"ticket.c"
	.intel_syntax noprefix
	.text
	.p2align 4
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB1:
	.cfi_startproc
	mov	eax, 65536
#APP
# 27 "ticket.c" 1
	.pushsection .smp_locks,"a"
.balign 4
.long 671f - .
.popsection
671:
	lock; xadd DWORD PTR [rdi], eax
# 0 "" 2
#NO_APP
	mov	ecx, eax
	shr	ecx, 16
	mov	edx, ecx
	cmp	cx, ax
	je	.L2
	.p2align 4,,10
	.p2align 3
.L3:
#APP
# 13 "ticket.c" 1
	rep; nop
# 0 "" 2
#NO_APP
	movzx	eax, WORD PTR [rdi]
	cmp	ax, dx
	jne	.L3
.L2:
	ret
	.cfi_endproc
.LFE1:
	.size	spin_lock, .-spin_lock
	.p2align 4
	.globl	spin_trylock
	.type	spin_trylock, @function
spin_trylock:
.LFB2:
	.cfi_startproc
	mov	eax, DWORD PTR [rdi]
	xor	edx, edx
	mov	esi, eax
	movzx	ecx, ax
	shr	esi, 16
	cmp	esi, ecx
	je	.L9
	mov	eax, edx
	ret
	.p2align 4,,10
	.p2align 3
.L9:
	lea	edx, 65536[rax]
	lock cmpxchg	DWORD PTR [rdi], edx
	sete	dl
	movzx	edx, dl
	mov	eax, edx
	ret
	.cfi_endproc
.LFE2:
	.size	spin_trylock, .-spin_trylock
	.p2align 4
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB3:
	.cfi_startproc
#APP
# 49 "ticket.c" 1
	.pushsection .smp_locks,"a"
.balign 4
.long 671f - .
.popsection
671:
	lock; inc WORD PTR [rdi]
# 0 "" 2
#NO_APP
	ret
	.cfi_endproc
.LFE3:
	.size	spin_unlock, .-spin_unlock
	.p2align 4
	.globl	spin_is_locked
	.type	spin_is_locked, @function
spin_is_locked:
.LFB4:
	.cfi_startproc
	mov	edx, DWORD PTR [rdi]
	mov	eax, edx
	shr	eax, 16
	xor	eax, edx
	test	ax, ax
	setne	al
	movzx	eax, al
	ret
	.cfi_endproc
.LFE4:
	.size	spin_is_locked, .-spin_is_locked
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
