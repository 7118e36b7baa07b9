	.file	"mcs.c"
	.intel_syntax noprefix
	.text
	.p2align 4
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LFB0:
	.cfi_startproc
	mov	rax, rsi
	mov	QWORD PTR [rsi], 0
	mov	DWORD PTR 8[rsi], 0
	xchg	rax, QWORD PTR [rdi]
	test	rax, rax
	jne	.L7
	ret
	.p2align 4,,10
	.p2align 3
.L7:
	mov	QWORD PTR [rax], rsi
	add	rsi, 8
	jmp	.L3
	.p2align 4,,10
	.p2align 3
.L4:
	rep nop
.L3:
	mov	eax, DWORD PTR [rsi]
	test	eax, eax
	je	.L4
	ret
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.p2align 4
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB1:
	.cfi_startproc
	mov	rdx, QWORD PTR [rsi]
	test	rdx, rdx
	jne	.L10
	mov	rax, rsi
	lock cmpxchg	QWORD PTR [rdi], rdx
	jne	.L12
	ret
.L13:
	rep nop
.L12:
	mov	rdx, QWORD PTR [rsi]
	test	rdx, rdx
	je	.L13
.L10:
	mov	DWORD PTR 8[rdx], 1
	ret
	.cfi_endproc
.LFE1:
	.size	spin_unlock, .-spin_unlock
	.p2align 4
	.globl	lock_own
	.type	lock_own, @function
lock_own:
.LFB2:
	.cfi_startproc
	add	DWORD PTR fs:nesting@tpoff, 1
	mov	rax, QWORD PTR fs:0
	lea	rsi, my_node@tpoff[rax]
	jmp	spin_lock
	.cfi_endproc
.LFE2:
	.size	lock_own, .-lock_own
	.p2align 4
	.globl	unlock_own
	.type	unlock_own, @function
unlock_own:
.LFB3:
	.cfi_startproc
	mov	rdx, QWORD PTR fs:my_node@tpoff
	test	rdx, rdx
	jne	.L17
	mov	rax, QWORD PTR fs:0
	add	rax, OFFSET FLAT:my_node@tpoff
	lock cmpxchg	QWORD PTR [rdi], rdx
	jne	.L19
	sub	DWORD PTR fs:nesting@tpoff, 1
	ret
.L20:
	rep nop
.L19:
	mov	rdx, QWORD PTR fs:my_node@tpoff
	test	rdx, rdx
	je	.L20
.L17:
	mov	DWORD PTR 8[rdx], 1
	sub	DWORD PTR fs:nesting@tpoff, 1
	ret
	.cfi_endproc
.LFE3:
	.size	unlock_own, .-unlock_own
	.globl	nesting
	.section	.tbss,"awT",@nobits
	.align 4
	.type	nesting, @object
	.size	nesting, 4
nesting:
	.zero	4
	.align 8
	.type	my_node, @object
	.size	my_node, 16
my_node:
	.zero	16
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
