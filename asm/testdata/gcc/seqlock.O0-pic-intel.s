	.file	"seqlock.c"
	.intel_syntax noprefix
	.text
	.globl	global_lock
	.data
	.align 32
	.type	global_lock, @object
	.size	global_lock, 40
global_lock:
	.zero	8
	.quad	1
	.quad	2
	.quad	3
	.quad	1234605616436508552
	.globl	retries
	.bss
	.align 8
	.type	retries, @object
	.size	retries, 8
retries:
	.zero	8
	.section	.rodata
.LC0:
	.string	"read"
.LC1:
	.string	"write"
.LC2:
	.string	"none"
	.section	.data.rel.ro.local,"aw"
	.align 16
	.type	names, @object
	.size	names, 24
names:
	.quad	.LC0
	.quad	.LC1
	.quad	.LC2
	.local	counts
	.comm	counts,12,64
	.text
	.globl	write_begin
	.type	write_begin, @function
write_begin:
.LFB0:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	QWORD PTR -8[rbp], rdi
	jmp	.L2
.L3:
	rep nop
.L2:
	mov	rax, QWORD PTR -8[rbp]
	lea	rdx, 4[rax]
	mov	eax, 1
	xchg	eax, DWORD PTR [rdx]
	test	eax, eax
	jne	.L3
	mov	rax, QWORD PTR -8[rbp]
	mov	eax, DWORD PTR [rax]
	lea	edx, 1[rax]
	mov	rax, QWORD PTR -8[rbp]
	mov	DWORD PTR [rax], edx
	lock or	QWORD PTR [rsp], 0
	nop
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE0:
	.size	write_begin, .-write_begin
	.globl	write_end
	.type	write_end, @function
write_end:
.LFB1:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	QWORD PTR -8[rbp], rdi
	mov	rax, QWORD PTR -8[rbp]
	mov	eax, DWORD PTR [rax]
	lea	edx, 1[rax]
	mov	rax, QWORD PTR -8[rbp]
	mov	DWORD PTR [rax], edx
	mov	rax, QWORD PTR -8[rbp]
	add	rax, 4
	mov	edx, 0
	mov	DWORD PTR [rax], edx
	nop
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE1:
	.size	write_end, .-write_end
	.globl	read_sum
	.type	read_sum, @function
read_sum:
.LFB2:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	QWORD PTR -24[rbp], rdi
	jmp	.L6
.L7:
	rep nop
.L6:
	mov	rax, QWORD PTR -24[rbp]
	mov	eax, DWORD PTR [rax]
	mov	DWORD PTR -16[rbp], eax
	mov	eax, DWORD PTR -16[rbp]
	and	eax, 1
	test	eax, eax
	jne	.L7
	mov	QWORD PTR -8[rbp], 0
	mov	DWORD PTR -12[rbp], 0
	jmp	.L8
.L9:
	mov	rax, QWORD PTR -24[rbp]
	mov	edx, DWORD PTR -12[rbp]
	movsx	rdx, edx
	mov	rdx, QWORD PTR 8[rax+rdx*8]
	mov	eax, DWORD PTR -12[rbp]
	add	eax, 1
	cdqe
	imul	rax, rdx
	add	QWORD PTR -8[rbp], rax
	add	DWORD PTR -12[rbp], 1
.L8:
	cmp	DWORD PTR -12[rbp], 3
	jle	.L9
	mov	rax, QWORD PTR -24[rbp]
	mov	eax, DWORD PTR [rax]
	cmp	DWORD PTR -16[rbp], eax
	je	.L10
	mov	rax, QWORD PTR retries@GOTPCREL[rip]
	lock add	QWORD PTR [rax], 1
.L10:
	mov	rax, QWORD PTR -24[rbp]
	mov	eax, DWORD PTR [rax]
	cmp	DWORD PTR -16[rbp], eax
	jne	.L6
	mov	rax, QWORD PTR -8[rbp]
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE2:
	.size	read_sum, .-read_sum
	.type	begin_global, @function
begin_global:
.LFB3:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	rax, QWORD PTR global_lock@GOTPCREL[rip]
	mov	rdi, rax
	call	write_begin@PLT
	nop
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE3:
	.size	begin_global, .-begin_global
	.type	end_global, @function
end_global:
.LFB4:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	mov	rax, QWORD PTR global_lock@GOTPCREL[rip]
	mov	rdi, rax
	call	write_end@PLT
	nop
	pop	rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE4:
	.size	end_global, .-end_global
	.globl	operations
	.section	.data.rel.ro.local
	.align 16
	.type	operations, @object
	.size	operations, 16
operations:
	.quad	begin_global
	.quad	end_global
	.section	.rodata
.LC3:
	.string	"seven"
	.text
	.globl	count
	.type	count, @function
count:
.LFB5:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	sub	rsp, 16
	mov	DWORD PTR -4[rbp], edi
	cmp	DWORD PTR -4[rbp], 9
	ja	.L16
	mov	eax, DWORD PTR -4[rbp]
	lea	rdx, 0[0+rax*4]
	lea	rax, .L18[rip]
	mov	eax, DWORD PTR [rdx+rax]
	cdqe
	lea	rdx, .L18[rip]
	add	rax, rdx
	jmp	rax
	.section	.rodata
	.align 4
	.align 4
.L18:
	.long	.L23-.L18
	.long	.L22-.L18
	.long	.L16-.L18
	.long	.L16-.L18
	.long	.L16-.L18
	.long	.L21-.L18
	.long	.L20-.L18
	.long	.L19-.L18
	.long	.L16-.L18
	.long	.L17-.L18
	.text
.L23:
	mov	eax, DWORD PTR counts[rip]
	add	eax, 1
	mov	DWORD PTR counts[rip], eax
	lea	rax, .LC0[rip]
	jmp	.L24
.L22:
	mov	eax, DWORD PTR counts[rip+4]
	add	eax, 2
	mov	DWORD PTR counts[rip+4], eax
	lea	rax, .LC1[rip]
	jmp	.L24
.L21:
	mov	eax, DWORD PTR counts[rip+8]
	sub	eax, 1
	mov	DWORD PTR counts[rip+8], eax
	lea	rax, begin_global[rip]
	call	rax
	jmp	.L16
.L20:
	lea	rax, end_global[rip]
	call	rax
	jmp	.L16
.L19:
	lea	rax, .LC3[rip]
	jmp	.L24
.L17:
	mov	rax, QWORD PTR global_lock@GOTPCREL[rip]
	mov	rdi, rax
	call	read_sum@PLT
	jmp	.L24
.L16:
	lea	rax, .LC2[rip]
.L24:
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE5:
	.size	count, .-count
	.globl	call_hook
	.type	call_hook, @function
call_hook:
.LFB6:
	.cfi_startproc
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	rbp, rsp
	.cfi_def_cfa_register 6
	sub	rsp, 16
	mov	DWORD PTR -4[rbp], edi
	mov	rax, QWORD PTR hook@GOTPCREL[rip]
	test	rax, rax
	je	.L26
	mov	eax, DWORD PTR -4[rbp]
	mov	edi, eax
	call	hook@PLT
.L26:
	mov	rax, QWORD PTR external_flag@GOTPCREL[rip]
	test	rax, rax
	je	.L27
	mov	rax, QWORD PTR external_flag@GOTPCREL[rip]
	mov	eax, DWORD PTR [rax]
	jmp	.L29
.L27:
	mov	eax, -1
.L29:
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE6:
	.size	call_hook, .-call_hook
	.weak	external_flag
	.weak	hook
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
