	.file	"seqlock.c"
	.intel_syntax noprefix
	.text
	.p2align 4
	.type	end_global, @function
end_global:
.LFB4:
	.cfi_startproc
	add	DWORD PTR global_lock[rip], 1
	mov	DWORD PTR global_lock[rip+4], 0
	ret
	.cfi_endproc
.LFE4:
	.size	end_global, .-end_global
	.p2align 4
	.type	begin_global, @function
begin_global:
.LFB3:
	.cfi_startproc
	mov	edx, 1
	jmp	.L4
	.p2align 4,,10
	.p2align 3
.L5:
	rep nop
.L4:
	mov	eax, edx
	xchg	eax, DWORD PTR global_lock[rip+4]
	test	eax, eax
	jne	.L5
	add	DWORD PTR global_lock[rip], 1
	lock or	QWORD PTR [rsp], 0
	ret
	.cfi_endproc
.LFE3:
	.size	begin_global, .-begin_global
	.p2align 4
	.globl	write_begin
	.type	write_begin, @function
write_begin:
.LFB0:
	.cfi_startproc
	lea	rax, 4[rdi]
	mov	ecx, 1
	jmp	.L7
	.p2align 4,,10
	.p2align 3
.L8:
	rep nop
.L7:
	mov	edx, ecx
	xchg	edx, DWORD PTR [rax]
	test	edx, edx
	jne	.L8
	add	DWORD PTR [rdi], 1
	lock or	QWORD PTR [rsp], 0
	ret
	.cfi_endproc
.LFE0:
	.size	write_begin, .-write_begin
	.p2align 4
	.globl	write_end
	.type	write_end, @function
write_end:
.LFB1:
	.cfi_startproc
	add	DWORD PTR [rdi], 1
	mov	DWORD PTR 4[rdi], 0
	ret
	.cfi_endproc
.LFE1:
	.size	write_end, .-write_end
	.p2align 4
	.globl	read_sum
	.type	read_sum, @function
read_sum:
.LFB2:
	.cfi_startproc
	jmp	.L11
	.p2align 4,,10
	.p2align 3
.L12:
	rep nop
.L11:
	mov	edx, DWORD PTR [rdi]
	test	dl, 1
	jne	.L12
	mov	eax, 1
	xor	ecx, ecx
.L13:
	mov	rsi, QWORD PTR [rdi+rax*8]
	imul	rsi, rax
	add	rax, 1
	add	rcx, rsi
	cmp	rax, 5
	jne	.L13
	cmp	DWORD PTR [rdi], edx
	jne	.L19
.L10:
	mov	rax, rcx
	ret
	.p2align 4,,10
	.p2align 3
.L19:
	lock add	QWORD PTR retries[rip], 1
	cmp	DWORD PTR [rdi], edx
	jne	.L11
	jmp	.L10
	.cfi_endproc
.LFE2:
	.size	read_sum, .-read_sum
	.section	.rodata.str1.1,"aMS",@progbits,1
.LC0:
	.string	"read"
.LC1:
	.string	"write"
.LC2:
	.string	"seven"
.LC3:
	.string	"none"
	.text
	.p2align 4
	.globl	count
	.type	count, @function
count:
.LFB5:
	.cfi_startproc
	cmp	edi, 9
	ja	.L21
	lea	rdx, .L23[rip]
	mov	edi, edi
	movsx	rax, DWORD PTR [rdx+rdi*4]
	add	rax, rdx
	jmp	rax
	.section	.rodata
	.align 4
	.align 4
.L23:
	.long	.L28-.L23
	.long	.L27-.L23
	.long	.L21-.L23
	.long	.L21-.L23
	.long	.L21-.L23
	.long	.L26-.L23
	.long	.L25-.L23
	.long	.L31-.L23
	.long	.L21-.L23
	.long	.L22-.L23
	.text
	.p2align 4,,10
	.p2align 3
.L26:
	sub	DWORD PTR counts[rip+8], 1
	mov	edx, 1
	jmp	.L29
	.p2align 4,,10
	.p2align 3
.L30:
	rep nop
.L29:
	mov	eax, edx
	xchg	eax, DWORD PTR global_lock[rip+4]
	test	eax, eax
	jne	.L30
	add	DWORD PTR global_lock[rip], 1
	lock or	QWORD PTR [rsp], 0
.L21:
	lea	rax, .LC3[rip]
	ret
	.p2align 4,,10
	.p2align 3
.L28:
	add	DWORD PTR counts[rip], 1
	lea	rax, .LC0[rip]
	ret
	.p2align 4,,10
	.p2align 3
.L27:
	add	DWORD PTR counts[rip+4], 2
	lea	rax, .LC1[rip]
	ret
	.p2align 4,,10
	.p2align 3
.L25:
	lea	rax, .LC3[rip]
	add	DWORD PTR global_lock[rip], 1
	mov	DWORD PTR global_lock[rip+4], 0
	ret
	.p2align 4,,10
	.p2align 3
.L22:
	lea	rdi, global_lock[rip]
	jmp	read_sum
	.p2align 4,,10
	.p2align 3
.L31:
	lea	rax, .LC2[rip]
	ret
	.cfi_endproc
.LFE5:
	.size	count, .-count
	.p2align 4
	.globl	call_hook
	.type	call_hook, @function
call_hook:
.LFB6:
	.cfi_startproc
	cmp	QWORD PTR hook@GOTPCREL[rip], 0
	je	.L40
	sub	rsp, 8
	.cfi_def_cfa_offset 16
	call	hook@PLT
	mov	rax, QWORD PTR external_flag@GOTPCREL[rip]
	test	rax, rax
	je	.L35
	mov	eax, DWORD PTR [rax]
.L32:
	add	rsp, 8
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L40:
	mov	rax, QWORD PTR external_flag@GOTPCREL[rip]
	test	rax, rax
	je	.L42
	mov	eax, DWORD PTR [rax]
	ret
.L35:
	.cfi_def_cfa_offset 16
	mov	eax, -1
	jmp	.L32
.L42:
	.cfi_def_cfa_offset 8
	mov	eax, -1
	ret
	.cfi_endproc
.LFE6:
	.size	call_hook, .-call_hook
	.globl	operations
	.section	.data.rel.ro.local,"aw"
	.align 16
	.type	operations, @object
	.size	operations, 16
operations:
	.quad	begin_global
	.quad	end_global
	.local	counts
	.comm	counts,12,64
	.globl	retries
	.bss
	.align 8
	.type	retries, @object
	.size	retries, 8
retries:
	.zero	8
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
	.weak	external_flag
	.weak	hook
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
