	.file	"mcs.c"
	.intel_syntax noprefix
	.text
	.section	.tbss,"awT",@nobits
	.align 8
	.type	my_node, @object
	.size	my_node, 16
my_node:
	.zero	16
	.globl	nesting
	.align 4
	.type	nesting, @object
	.size	nesting, 4
nesting:
	.zero	4
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
	mov	QWORD PTR -32[rbp], rsi
	mov	rax, QWORD PTR -32[rbp]
	mov	QWORD PTR [rax], 0
	mov	rax, QWORD PTR -32[rbp]
	mov	DWORD PTR 8[rax], 0
	mov	rax, QWORD PTR -32[rbp]
	mov	rdx, QWORD PTR -24[rbp]
	xchg	rax, QWORD PTR [rdx]
	mov	QWORD PTR -8[rbp], rax
	cmp	QWORD PTR -8[rbp], 0
	je	.L6
	mov	rdx, QWORD PTR -32[rbp]
	mov	rax, QWORD PTR -8[rbp]
	mov	QWORD PTR [rax], rdx
	jmp	.L4
.L5:
	rep nop
.L4:
	mov	rax, QWORD PTR -32[rbp]
	add	rax, 8
	mov	eax, DWORD PTR [rax]
	test	eax, eax
	je	.L5
	jmp	.L1
.L6:
	nop
.L1:
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LFB1:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	QWORD PTR -24[rbp], rdi
	mov	QWORD PTR -32[rbp], rsi
	mov	rax, QWORD PTR -32[rbp]
	mov	rax, QWORD PTR [rax]
	mov	QWORD PTR -8[rbp], rax
	mov	rax, QWORD PTR -32[rbp]
	mov	QWORD PTR -16[rbp], rax
	cmp	QWORD PTR -8[rbp], 0
	jne	.L8
	mov	rsi, QWORD PTR -24[rbp]
	lea	rdx, -16[rbp]
	mov	rax, QWORD PTR [rdx]
	mov	ecx, 0
	lock cmpxchg	QWORD PTR [rsi], rcx
	mov	rcx, rax
	sete	al
	test	al, al
	jne	.L9
	mov	QWORD PTR [rdx], rcx
.L9:
	test	al, al
	jne	.L14
	jmp	.L12
.L13:
	rep nop
.L12:
	mov	rax, QWORD PTR -32[rbp]
	mov	rax, QWORD PTR [rax]
	mov	QWORD PTR -8[rbp], rax
	cmp	QWORD PTR -8[rbp], 0
	je	.L13
.L8:
	mov	rax, QWORD PTR -8[rbp]
	add	rax, 8
	mov	edx, 1
	mov	DWORD PTR [rax], edx
	jmp	.L7
.L14:
	nop
.L7:
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE1:
	.size	spin_unlock, .-spin_unlock
	.globl	lock_own
	.type	lock_own, @function
lock_own:
.LFB2:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	push	rbx
	sub	rsp, 24
	.cfi_offset 3, -24
	mov	QWORD PTR -24[rbp], rdi
	data16	lea	rdi, nesting@tlsgd[rip]
	.value	0x6666
	rex64
	call	__tls_get_addr@PLT
	mov	eax, DWORD PTR [rax]
	lea	ebx, 1[rax]
	data16	lea	rdi, nesting@tlsgd[rip]
	.value	0x6666
	rex64
	call	__tls_get_addr@PLT
	mov	DWORD PTR [rax], ebx
	data16	lea	rdi, my_node@tlsgd[rip]
	.value	0x6666
	rex64
	call	__tls_get_addr@PLT
	mov	rdx, rax
	mov	rax, QWORD PTR -24[rbp]
	mov	rsi, rdx
	mov	rdi, rax
	call	spin_lock@PLT
	nop
	mov	rbx, QWORD PTR -8[rbp]
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE2:
	.size	lock_own, .-lock_own
	.globl	unlock_own
	.type	unlock_own, @function
unlock_own:
.LFB3:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	push	rbx
	sub	rsp, 24
	.cfi_offset 3, -24
	mov	QWORD PTR -24[rbp], rdi
	data16	lea	rdi, my_node@tlsgd[rip]
	.value	0x6666
	rex64
	call	__tls_get_addr@PLT
	mov	rdx, rax
	mov	rax, QWORD PTR -24[rbp]
	mov	rsi, rdx
	mov	rdi, rax
	call	spin_unlock@PLT
	data16	lea	rdi, nesting@tlsgd[rip]
	.value	0x6666
	rex64
	call	__tls_get_addr@PLT
	mov	eax, DWORD PTR [rax]
	lea	ebx, -1[rax]
	data16	lea	rdi, nesting@tlsgd[rip]
	.value	0x6666
	rex64
	call	__tls_get_addr@PLT
	mov	DWORD PTR [rax], ebx
	nop
	mov	rbx, QWORD PTR -8[rbp]
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE3:
	.size	unlock_own, .-unlock_own
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
