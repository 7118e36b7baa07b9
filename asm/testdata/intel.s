# Intel syntax as gcc prints it, as people write it, and mixed with AT&T.
	.intel_syntax noprefix
	.text
start:
	mov	eax, DWORD PTR [rdi+rax*4+8]
	lock xadd	WORD PTR [rdi], ax
	lock; cmpxchg DWORD PTR [rdi], ecx
	mov	edi, OFFSET FLAT:sym
	mov	edi, OFFSET FLAT:sym+4
	movabs	rdi, OFFSET FLAT:sym
	push	OFFSET FLAT:sym
	mov	al, BYTE PTR gs:16
	mov	rax, QWORD PTR fs:40
	mov	rax, fs:0
	mov	rax, QWORD PTR fs:[rax+8]
	rep stosq
	rep movsb
	repne scasb
	mov	eax, DWORD PTR sym[rip]
	mov	eax, DWORD PTR sym[rip+4]
	mov	eax, DWORD PTR sym+4[rip]
	mov	eax, DWORD PTR -20[rbp]
	mov	DWORD PTR [rbp-20], 5
	lea	rax, [rip+sym]
	lea	rax, sym[rip]
	lea	rax, 0[0+rax*8]
	lea	rax, [rax+rax*4]
	jmp	[QWORD PTR [rax]]
	jmp	[QWORD PTR table[0+rax*8]]
	jmp	QWORD PTR table[rax*8]
	jmp	[rax]
	call	rax
	call	[QWORD PTR [rdi+8]]
	call	QWORD PTR [rip+table]
	call	start
	jmp	SHORT start2
	jne	start2
start2:	cmp	BYTE PTR sym[rip+2], 0xff
	cmp	BYTE PTR [rdi], 'a'
	mov	ax, WORD PTR [rdi][rsi*2]
	mov	al, BYTE PTR [rdi-1+rsi]
	mov	al, [rdi]
	mov	[rdi], al
	mov	[rdi+rsp], al
	mov	[rsp+rdi], al
	mov	eax, [rsi+rdi]
	mov	eax, [4*rdi+rsi-(3+2)*2]
	mov	eax, [rsi+rdi*(1+1)]
	mov	eax, ds:1234
	mov	eax, DWORD PTR ds:sym
	mov	eax, sym
	mov	eax, [sym+8]
	mov	sym, eax
	mov	eax, SIZE_OF_IT
	and	eax, not 7
	mov	eax, 7 and 3 or 8
	mov	eax, 1 shl 4 + 1
	mov	eax, 17 mod 5
	shl	eax
	sal	DWORD PTR [rdi], 3
	shr	QWORD PTR [rdi], cl
	shld	rax, rbx, cl
	imul	eax, ebx, 5
	imul	eax, 5
	imul	rax, QWORD PTR [rdi]
	xchg	ax, ax
	xchg	QWORD PTR [rdi], rax
	enter	16, 1
	out	dx, al
	out	0x80, eax
	in	eax, dx
	int	3
	int	0x80
	ret	8
	cmpxchg8b QWORD PTR [rdi]
	lock cmpxchg16b XMMWORD PTR [rdi]
	movq	xmm0, QWORD PTR [rdi]
	movq	QWORD PTR [rdi], xmm0
	movq	rax, xmm0
	movd	xmm1, eax
	movaps	XMMWORD PTR [rsp], xmm1
	movss	xmm0, DWORD PTR [rdi]
	movsd	xmm0, QWORD PTR [rdi]
	movsd
	movsq
	movzx	eax, BYTE PTR [rdi]
	movzx	eax, al
	movzx	eax, WORD PTR [rdi+2]
	movsx	rax, WORD PTR [rdi]
	movsx	rdx, eax
	movsxd	rax, DWORD PTR [rdi]
	movsxd	rax, edi
	cdqe
	cqo
	cdq
	cwde
	bts	QWORD PTR [rdi], 3
	lock bts DWORD PTR [rdi], 0
	lock or	DWORD PTR [rsp-64], 0
	lock sub WORD PTR [rdi], 1
	xbegin	start2
	setne	BYTE PTR [rdi]
	cmovne	eax, DWORD PTR [rdi]
	nop	DWORD PTR [rax+rax*1+0x0]
	nop	WORD PTR cs:[rax+rax*1+0x0]
	mov	rax, cr3
	mov	cr8, rax
	mov	ds, eax
	mov	WORD PTR [rdi], ds
	prefetcht0 [rdi]
	prefetchw BYTE PTR [rdi]
	clflush [rdi]
	invlpg	BYTE PTR [rdi]
	lgdt	[rdi]
	stos	BYTE PTR es:[rdi], al
	movs	DWORD PTR es:[rdi], DWORD PTR [rsi]
	lods	al, BYTE PTR [rsi]
	rep movs QWORD PTR es:[rdi], QWORD PTR ds:[rsi]
	stosd
	pause
	mfence
	movabs	rax, 0x1122334455667788
	mov	r8b, sil
	mov	rax, -1
	mov	edx, 4294967295
	push	QWORD PTR [rax]
	pop	QWORD PTR 8[rax]
	push	-5
	test	DWORD PTR [rdi], 1
	bextr	eax, DWORD PTR [rdi], ecx
	andn	eax, ebx, DWORD PTR [rdi]
	mov	eax, DWORD PTR [edi]
	data16 lea rdi, sym[rip]
	.att_syntax prefix
	lock; xaddl %eax, (%rdi)
	mov $5, %eax
	.intel_syntax noprefix
	mov	eax, 5
	.intel_syntax prefix
	mov	%eax, DWORD PTR [%rdi+%rax*4]
	mov	%eax, 5
	lock xadd DWORD PTR %gs:[%rdi], %eax
	.att_syntax
	mov	%eax, %ebx
	.data
	.balign 8
sym:	.long 1, 2, 3
	.long OFFSET_LIKE
	.set OFFSET_LIKE, 12
	.set SIZE_OF_IT, 24
table:	.quad 0x1234
	.intel_syntax noprefix
	.quad sym - table
	.long 1 << 4
