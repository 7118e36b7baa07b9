	.text
	.intel_syntax noprefix
	.file	"rwlock.c"
	.globl	read_lock                       # -- Begin function read_lock
	.p2align	4, 0x90
	.type	read_lock,@function
read_lock:                              # @read_lock
	.cfi_startproc
# %bb.0:
	lock		dec	dword ptr [rdi]
	js	.LBB0_1
# %bb.2:
	ret
.LBB0_1:
	jmp	read_slow                       # TAILCALL
.Lfunc_end0:
	.size	read_lock, .Lfunc_end0-read_lock
	.cfi_endproc
                                        # -- End function
	.p2align	4, 0x90                         # -- Begin function read_slow
	.type	read_slow,@function
read_slow:                              # @read_slow
	.cfi_startproc
.LBB1_1:                                # =>This Loop Header: Depth=1
	lock		inc	dword ptr [rdi]
	.p2align	4, 0x90
.LBB1_2:                                #   Parent Loop BB1_1 Depth=1
	mov	eax, dword ptr [rdi]
	test	eax, eax
	jg	.LBB1_4
# %bb.3:                                #   in Loop: Header=BB1_2 Depth=2
	pause
	jmp	.LBB1_2
.LBB1_4:                                #   in Loop: Header=BB1_1 Depth=1
	lock		dec	dword ptr [rdi]
	js	.LBB1_1
# %bb.5:
	ret
.Lfunc_end1:
	.size	read_slow, .Lfunc_end1-read_slow
	.cfi_endproc
                                        # -- End function
	.globl	write_trylock                   # -- Begin function write_trylock
	.p2align	4, 0x90
	.type	write_trylock,@function
write_trylock:                          # @write_trylock
	.cfi_startproc
# %bb.0:
	xor	ecx, ecx
	mov	eax, 16777216
	lock		cmpxchg	dword ptr [rdi], ecx
	sete	cl
	mov	eax, ecx
	ret
.Lfunc_end2:
	.size	write_trylock, .Lfunc_end2-write_trylock
	.cfi_endproc
                                        # -- End function
	.globl	odds_and_ends
	.p2align	4, 0x90
	.type	odds_and_ends,@function
odds_and_ends:                          # @odds_and_ends
	.cfi_startproc
	push	rbp
	mov	rbp, rsp
	lea	rax, [rip + counters]
	lea	rcx, [rax + 8*rdi - 16]
	lea	r8, [rcx + rcx]
	lea	r9, [8*rsi]
	movsxd	rdi, edi
	movsxd	rdx, dword ptr [rax + 4*rdi]
	movsx	rdx, word ptr [rax + 2*rdi + 6]
	movzx	edx, byte ptr [rax + rdi]
	movzx	edx, word ptr [rcx]
	movzx	ecx, dl
	movabs	r10, -6148914691236517206
	mov	rax, qword ptr fs:[0]
	mov	eax, dword ptr fs:[16]
	mov	rax, qword ptr gs:[8*rdi + 24]
	mov	rax, qword ptr [rip + handler@GOTPCREL]
	call	qword ptr [rip + handler@GOTPCREL]
	call	handler@PLT
	jmp	qword ptr [8*rdi + .LJTI3_0]
	lock		xadd	word ptr [rdi], ax
	lock		cmpxchg16b	xmmword ptr [rdi]
	lock		or	dword ptr [rsp - 64], 0
	xchg	byte ptr [rdi], al
	shl	dword ptr [rdi], cl
	shld	rax, rcx, 5
	imul	rax, rcx, 1000
	imul	eax, dword ptr [rdi], 7
	rep		stosq
	rep movsb	byte ptr es:[rdi], byte ptr [rsi]
	movaps	xmm0, xmmword ptr [rip + .LCPI3_0]
	movups	xmmword ptr [rdi], xmm0
	movq	xmm0, rax
	movq	qword ptr [rdi], xmm0
	movd	eax, xmm0
	pshufd	xmm1, xmm0, 238                 # xmm1 = xmm0[2,3,2,3]
	bt	rax, 63
	setb	al
	cmovne	rax, qword ptr [rdi]
	mov	word ptr [rdi], 0x1234
	mov	byte ptr [rdi + r12], -1
	test	byte ptr [rdi], 1
	nop	word ptr cs:[rax + rax]
	mov	eax, offset counters
	mov	rdi, offset .L.str+1
	cmp	dword ptr [rip + counters+4], 3
	and	eax, not 7
	pop	rbp
	ret
.Lfunc_end3:
	.size	odds_and_ends, .Lfunc_end3-odds_and_ends
	.cfi_endproc
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4, 0x0
.LCPI3_0:
	.long	1                               # 0x1
	.long	2                               # 0x2
	.long	3                               # 0x3
	.long	4                               # 0x4
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
.LJTI3_0:
	.quad	.Lfunc_end0
	.quad	odds_and_ends
                                        # -- End function
	.globl	handler
handler:
	.quad	0
	.type	counters,@object                # @counters
	.data
	.p2align	4, 0x0
counters:
	.long	1
	.long	2
	.size	counters, 8
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.asciz	"intel"
	.ident	"clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
