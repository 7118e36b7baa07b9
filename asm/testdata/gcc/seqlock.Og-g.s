	.file	"seqlock.c"
	.text
.Ltext0:
	.file 1 "seqlock.c"
	.globl	write_begin
	.type	write_begin, @function
write_begin:
.LVL0:
.LFB0:
	.loc 1 11 1 view -0
	.cfi_startproc
	.loc 1 12 2 view .LVU1
	.loc 1 12 8 is_stmt 0 view .LVU2
	jmp	.L2
.L3:
	.loc 1 13 3 is_stmt 1 view .LVU3
	rep nop
.L2:
	.loc 1 12 9 view .LVU4
	.loc 1 12 34 is_stmt 0 view .LVU5
	leaq	4(%rdi), %rdx
	.loc 1 12 9 view .LVU6
	movl	$1, %eax
	xchgl	(%rdx), %eax
	testl	%eax, %eax
	jne	.L3
	.loc 1 14 2 is_stmt 1 view .LVU7
	.loc 1 14 8 is_stmt 0 view .LVU8
	movl	(%rdi), %eax
	addl	$1, %eax
	movl	%eax, (%rdi)
	.loc 1 15 2 is_stmt 1 view .LVU9
	lock orq	$0, (%rsp)
	.loc 1 16 1 is_stmt 0 view .LVU10
	ret
	.cfi_endproc
.LFE0:
	.size	write_begin, .-write_begin
	.type	begin_global, @function
begin_global:
.LFB3:
	.loc 1 43 32 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 43 34 view .LVU12
	leaq	global_lock(%rip), %rdi
	call	write_begin
.LVL1:
	.loc 1 43 61 is_stmt 0 view .LVU13
	ret
	.cfi_endproc
.LFE3:
	.size	begin_global, .-begin_global
	.globl	write_end
	.type	write_end, @function
write_end:
.LVL2:
.LFB1:
	.loc 1 19 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 20 2 view .LVU15
	.loc 1 21 2 view .LVU16
	.loc 1 21 8 is_stmt 0 view .LVU17
	movl	(%rdi), %eax
	addl	$1, %eax
	movl	%eax, (%rdi)
	.loc 1 22 2 is_stmt 1 view .LVU18
	movl	$0, 4(%rdi)
	.loc 1 23 1 is_stmt 0 view .LVU19
	ret
	.cfi_endproc
.LFE1:
	.size	write_end, .-write_end
	.type	end_global, @function
end_global:
.LFB4:
	.loc 1 44 30 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 44 32 view .LVU21
	leaq	global_lock(%rip), %rdi
	call	write_end
.LVL3:
	.loc 1 44 57 is_stmt 0 view .LVU22
	ret
	.cfi_endproc
.LFE4:
	.size	end_global, .-end_global
	.globl	read_sum
	.type	read_sum, @function
read_sum:
.LVL4:
.LFB2:
	.loc 1 26 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 26 1 is_stmt 0 view .LVU24
	jmp	.L8
.LVL5:
.L9:
	.loc 1 32 4 is_stmt 1 view .LVU25
	rep nop
.LVL6:
.L8:
	.loc 1 31 10 view .LVU26
	.loc 1 31 19 is_stmt 0 view .LVU27
	movl	(%rdi), %edx
.LVL7:
	.loc 1 31 10 view .LVU28
	testb	$1, %dl
	jne	.L9
.LBB2:
	.loc 1 34 12 view .LVU29
	movl	$0, %eax
.LBE2:
	.loc 1 33 7 view .LVU30
	movl	$0, %esi
.L10:
.LVL8:
.LBB3:
	.loc 1 34 21 is_stmt 1 discriminator 1 view .LVU31
	cmpl	$3, %eax
	jg	.L14
	.loc 1 35 4 discriminator 3 view .LVU32
	.loc 1 35 18 is_stmt 0 discriminator 3 view .LVU33
	movslq	%eax, %r8
	.loc 1 35 27 discriminator 3 view .LVU34
	addl	$1, %eax
.LVL9:
	.loc 1 35 27 discriminator 3 view .LVU35
	movslq	%eax, %rcx
	.loc 1 35 22 discriminator 3 view .LVU36
	imulq	8(%rdi,%r8,8), %rcx
	.loc 1 35 8 discriminator 3 view .LVU37
	addq	%rcx, %rsi
.LVL10:
	.loc 1 34 27 is_stmt 1 discriminator 3 view .LVU38
	.loc 1 34 27 is_stmt 0 discriminator 3 view .LVU39
	jmp	.L10
.L14:
	.loc 1 34 27 discriminator 3 view .LVU40
.LBE3:
	.loc 1 36 3 is_stmt 1 view .LVU41
	.loc 1 37 3 view .LVU42
	.loc 1 37 6 is_stmt 0 view .LVU43
	cmpl	%edx, (%rdi)
	jne	.L15
.L12:
	.loc 1 39 18 is_stmt 1 view .LVU44
	cmpl	%edx, (%rdi)
	jne	.L8
	.loc 1 40 2 view .LVU45
	.loc 1 41 1 is_stmt 0 view .LVU46
	movq	%rsi, %rax
.LVL11:
	.loc 1 41 1 view .LVU47
	ret
.LVL12:
.L15:
	.loc 1 38 4 is_stmt 1 view .LVU48
	lock addq	$1, retries(%rip)
	jmp	.L12
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
	.globl	count
	.type	count, @function
count:
.LVL13:
.LFB5:
	.loc 1 48 1 view -0
	.cfi_startproc
	.loc 1 49 2 view .LVU50
	cmpl	$9, %edi
	ja	.L25
	movl	%edi, %edi
	.loc 1 49 2 is_stmt 0 view .LVU51
	leaq	.L19(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	addq	%rdx, %rax
	jmp	*%rax
	.section	.rodata
	.align 4
	.align 4
.L19:
	.long	.L24-.L19
	.long	.L23-.L19
	.long	.L25-.L19
	.long	.L25-.L19
	.long	.L25-.L19
	.long	.L22-.L19
	.long	.L21-.L19
	.long	.L20-.L19
	.long	.L25-.L19
	.long	.L18-.L19
	.text
.L20:
	leaq	.LC2(%rip), %rax
	ret
.L24:
	.loc 1 50 10 is_stmt 1 view .LVU52
	.loc 1 50 19 is_stmt 0 view .LVU53
	movl	counts(%rip), %eax
	addl	$1, %eax
	movl	%eax, counts(%rip)
	.loc 1 50 23 is_stmt 1 view .LVU54
	.loc 1 50 35 is_stmt 0 view .LVU55
	leaq	.LC0(%rip), %rax
	ret
.L23:
	.loc 1 51 10 is_stmt 1 view .LVU56
	.loc 1 51 20 is_stmt 0 view .LVU57
	movl	4+counts(%rip), %eax
	addl	$2, %eax
	movl	%eax, 4+counts(%rip)
	.loc 1 51 26 is_stmt 1 view .LVU58
	.loc 1 51 38 is_stmt 0 view .LVU59
	leaq	.LC1(%rip), %rax
	ret
.L22:
	.loc 1 52 10 is_stmt 1 view .LVU60
	.loc 1 52 19 is_stmt 0 view .LVU61
	movl	8+counts(%rip), %eax
	subl	$1, %eax
	movl	%eax, 8+counts(%rip)
	.loc 1 52 23 is_stmt 1 view .LVU62
	call	begin_global
.LVL14:
	.loc 1 52 40 view .LVU63
	.loc 1 57 14 is_stmt 0 view .LVU64
	leaq	.LC3(%rip), %rax
	.loc 1 52 40 view .LVU65
	ret
.L21:
	.loc 1 53 10 is_stmt 1 view .LVU66
	call	end_global
.LVL15:
	.loc 1 53 27 view .LVU67
	.loc 1 57 14 is_stmt 0 view .LVU68
	leaq	.LC3(%rip), %rax
	.loc 1 53 27 view .LVU69
	ret
.L18:
	.loc 1 55 10 is_stmt 1 view .LVU70
	.loc 1 55 31 is_stmt 0 view .LVU71
	leaq	global_lock(%rip), %rdi
	call	read_sum
.LVL16:
	.loc 1 55 17 view .LVU72
	ret
.L25:
	.loc 1 57 14 view .LVU73
	leaq	.LC3(%rip), %rax
	.loc 1 58 1 view .LVU74
	ret
	.cfi_endproc
.LFE5:
	.size	count, .-count
	.globl	call_hook
	.type	call_hook, @function
call_hook:
.LVL17:
.LFB6:
	.loc 1 64 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 65 2 view .LVU76
	.loc 1 65 5 is_stmt 0 view .LVU77
	cmpq	$0, hook@GOTPCREL(%rip)
	je	.L31
	.loc 1 64 1 view .LVU78
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	.loc 1 66 3 is_stmt 1 view .LVU79
	call	hook@PLT
.LVL18:
	.loc 1 67 2 view .LVU80
	.loc 1 67 40 is_stmt 0 view .LVU81
	cmpq	$0, external_flag@GOTPCREL(%rip)
	je	.L29
	.loc 1 67 40 discriminator 1 view .LVU82
	movq	external_flag@GOTPCREL(%rip), %rax
	movl	(%rax), %eax
.L26:
	.loc 1 68 1 view .LVU83
	addq	$8, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
.L29:
	.cfi_restore_state
	.loc 1 67 40 view .LVU84
	movl	$-1, %eax
	jmp	.L26
.LVL19:
.L31:
	.cfi_def_cfa_offset 8
	.loc 1 67 2 is_stmt 1 view .LVU85
	.loc 1 67 40 is_stmt 0 view .LVU86
	cmpq	$0, external_flag@GOTPCREL(%rip)
	je	.L33
	movq	external_flag@GOTPCREL(%rip), %rax
	movl	(%rax), %eax
	ret
.L33:
	movl	$-1, %eax
	.loc 1 68 1 view .LVU87
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
	.text
.Letext0:
	.section	.debug_info,"",@progbits
.Ldebug_info0:
	.long	0x35a
	.value	0x4
	.long	.Ldebug_abbrev0
	.byte	0x8
	.uleb128 0x1
	.long	.LASF16
	.byte	0xc
	.long	.LASF17
	.string	"."
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.long	.Ldebug_line0
	.uleb128 0x2
	.byte	0x28
	.byte	0x1
	.byte	0x3
	.byte	0x9
	.long	0x5c
	.uleb128 0x3
	.string	"seq"
	.byte	0x1
	.byte	0x3
	.byte	0x1b
	.long	0x5c
	.byte	0
	.uleb128 0x4
	.long	.LASF0
	.byte	0x1
	.byte	0x3
	.byte	0x29
	.long	0x5c
	.byte	0x4
	.uleb128 0x4
	.long	.LASF1
	.byte	0x1
	.byte	0x3
	.byte	0x3d
	.long	0x63
	.byte	0x8
	.byte	0
	.uleb128 0x5
	.byte	0x4
	.byte	0x7
	.long	.LASF2
	.uleb128 0x6
	.long	0x73
	.long	0x73
	.uleb128 0x7
	.long	0x73
	.byte	0x3
	.byte	0
	.uleb128 0x5
	.byte	0x8
	.byte	0x7
	.long	.LASF3
	.uleb128 0x8
	.long	.LASF18
	.byte	0x1
	.byte	0x3
	.byte	0x48
	.long	0x2b
	.uleb128 0x9
	.long	.LASF4
	.byte	0x1
	.byte	0x5
	.byte	0xb
	.long	0x7a
	.uleb128 0x9
	.byte	0x3
	.quad	global_lock
	.uleb128 0x9
	.long	.LASF5
	.byte	0x1
	.byte	0x6
	.byte	0xf
	.long	0x73
	.uleb128 0x9
	.byte	0x3
	.quad	retries
	.uleb128 0x6
	.long	0xcd
	.long	0xc2
	.uleb128 0x7
	.long	0x73
	.byte	0x2
	.byte	0
	.uleb128 0xa
	.long	0xb2
	.uleb128 0xb
	.byte	0x8
	.long	0xd9
	.uleb128 0xa
	.long	0xc7
	.uleb128 0x5
	.byte	0x1
	.byte	0x6
	.long	.LASF6
	.uleb128 0xa
	.long	0xd2
	.uleb128 0xc
	.long	.LASF19
	.byte	0x1
	.byte	0x7
	.byte	0x1a
	.long	0xc2
	.uleb128 0x6
	.long	0xfa
	.long	0xfa
	.uleb128 0x7
	.long	0x73
	.byte	0x2
	.byte	0
	.uleb128 0xd
	.byte	0x4
	.byte	0x5
	.string	"int"
	.uleb128 0xe
	.long	.LASF7
	.byte	0x1
	.byte	0x8
	.byte	0xc
	.long	0xea
	.byte	0x40
	.uleb128 0x9
	.byte	0x3
	.quad	counts
	.uleb128 0x6
	.long	0x133
	.long	0x128
	.uleb128 0x7
	.long	0x73
	.byte	0x1
	.byte	0
	.uleb128 0xa
	.long	0x118
	.uleb128 0xb
	.byte	0x8
	.long	0x138
	.uleb128 0xa
	.long	0x12d
	.uleb128 0xf
	.uleb128 0x9
	.long	.LASF8
	.byte	0x1
	.byte	0x2d
	.byte	0xe
	.long	0x128
	.uleb128 0x9
	.byte	0x3
	.quad	operations
	.uleb128 0x10
	.long	.LASF9
	.byte	0x1
	.byte	0x3d
	.byte	0xc
	.long	0xfa
	.uleb128 0x11
	.long	.LASF20
	.byte	0x1
	.byte	0x3c
	.byte	0xd
	.long	0x16d
	.uleb128 0x12
	.long	0xfa
	.byte	0
	.uleb128 0x13
	.long	.LASF10
	.byte	0x1
	.byte	0x3f
	.byte	0x5
	.long	0xfa
	.quad	.LFB6
	.quad	.LFE6-.LFB6
	.uleb128 0x1
	.byte	0x9c
	.long	0x1b7
	.uleb128 0x14
	.string	"x"
	.byte	0x1
	.byte	0x3f
	.byte	0x13
	.long	0xfa
	.long	.LLST4
	.long	.LVUS4
	.uleb128 0x15
	.quad	.LVL18
	.long	0x15b
	.uleb128 0x16
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x3
	.byte	0xf3
	.uleb128 0x1
	.byte	0x55
	.byte	0
	.byte	0
	.uleb128 0x13
	.long	.LASF11
	.byte	0x1
	.byte	0x2f
	.byte	0xd
	.long	0xc7
	.quad	.LFB5
	.quad	.LFE5-.LFB5
	.uleb128 0x1
	.byte	0x9c
	.long	0x222
	.uleb128 0x14
	.string	"op"
	.byte	0x1
	.byte	0x2f
	.byte	0x17
	.long	0xfa
	.long	.LLST3
	.long	.LVUS3
	.uleb128 0x17
	.quad	.LVL14
	.long	0x25c
	.uleb128 0x17
	.quad	.LVL15
	.long	0x222
	.uleb128 0x15
	.quad	.LVL16
	.long	0x296
	.uleb128 0x16
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x9
	.byte	0x3
	.quad	global_lock
	.byte	0
	.byte	0
	.uleb128 0x18
	.long	.LASF12
	.byte	0x1
	.byte	0x2c
	.byte	0xd
	.quad	.LFB4
	.quad	.LFE4-.LFB4
	.uleb128 0x1
	.byte	0x9c
	.long	0x25c
	.uleb128 0x15
	.quad	.LVL3
	.long	0x30b
	.uleb128 0x16
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x9
	.byte	0x3
	.quad	global_lock
	.byte	0
	.byte	0
	.uleb128 0x18
	.long	.LASF13
	.byte	0x1
	.byte	0x2b
	.byte	0xd
	.quad	.LFB3
	.quad	.LFE3-.LFB3
	.uleb128 0x1
	.byte	0x9c
	.long	0x296
	.uleb128 0x15
	.quad	.LVL1
	.long	0x336
	.uleb128 0x16
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x9
	.byte	0x3
	.quad	global_lock
	.byte	0
	.byte	0
	.uleb128 0x13
	.long	.LASF14
	.byte	0x1
	.byte	0x19
	.byte	0xf
	.long	0x73
	.quad	.LFB2
	.quad	.LFE2-.LFB2
	.uleb128 0x1
	.byte	0x9c
	.long	0x305
	.uleb128 0x19
	.string	"s"
	.byte	0x1
	.byte	0x19
	.byte	0x23
	.long	0x305
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x1a
	.long	.LASF15
	.byte	0x1
	.byte	0x1b
	.byte	0xb
	.long	0x5c
	.long	.LLST0
	.long	.LVUS0
	.uleb128 0x1b
	.string	"sum"
	.byte	0x1
	.byte	0x1c
	.byte	0x10
	.long	0x73
	.long	.LLST1
	.long	.LVUS1
	.uleb128 0x1c
	.long	.Ldebug_ranges0+0
	.uleb128 0x1b
	.string	"i"
	.byte	0x1
	.byte	0x22
	.byte	0xc
	.long	0xfa
	.long	.LLST2
	.long	.LVUS2
	.byte	0
	.byte	0
	.uleb128 0xb
	.byte	0x8
	.long	0x7a
	.uleb128 0x1d
	.long	.LASF21
	.byte	0x1
	.byte	0x12
	.byte	0x6
	.quad	.LFB1
	.quad	.LFE1-.LFB1
	.uleb128 0x1
	.byte	0x9c
	.long	0x336
	.uleb128 0x19
	.string	"s"
	.byte	0x1
	.byte	0x12
	.byte	0x1b
	.long	0x305
	.uleb128 0x1
	.byte	0x55
	.byte	0
	.uleb128 0x1e
	.long	.LASF22
	.byte	0x1
	.byte	0xa
	.byte	0x6
	.quad	.LFB0
	.quad	.LFE0-.LFB0
	.uleb128 0x1
	.byte	0x9c
	.uleb128 0x19
	.string	"s"
	.byte	0x1
	.byte	0xa
	.byte	0x1d
	.long	0x305
	.uleb128 0x1
	.byte	0x55
	.byte	0
	.byte	0
	.section	.debug_abbrev,"",@progbits
.Ldebug_abbrev0:
	.uleb128 0x1
	.uleb128 0x11
	.byte	0x1
	.uleb128 0x25
	.uleb128 0xe
	.uleb128 0x13
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x1b
	.uleb128 0x8
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x10
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x2
	.uleb128 0x13
	.byte	0x1
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x3
	.uleb128 0xd
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x38
	.uleb128 0xb
	.byte	0
	.byte	0
	.uleb128 0x4
	.uleb128 0xd
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x38
	.uleb128 0xb
	.byte	0
	.byte	0
	.uleb128 0x5
	.uleb128 0x24
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3e
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0xe
	.byte	0
	.byte	0
	.uleb128 0x6
	.uleb128 0x1
	.byte	0x1
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x7
	.uleb128 0x21
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2f
	.uleb128 0xb
	.byte	0
	.byte	0
	.uleb128 0x8
	.uleb128 0x16
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x9
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0xa
	.uleb128 0x26
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xb
	.uleb128 0xf
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xc
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xd
	.uleb128 0x24
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3e
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0x8
	.byte	0
	.byte	0
	.uleb128 0xe
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x88
	.uleb128 0xb
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0xf
	.uleb128 0x15
	.byte	0
	.uleb128 0x27
	.uleb128 0x19
	.byte	0
	.byte	0
	.uleb128 0x10
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3c
	.uleb128 0x19
	.byte	0
	.byte	0
	.uleb128 0x11
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x3c
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x12
	.uleb128 0x5
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x13
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x2117
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x14
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x15
	.uleb128 0x4109
	.byte	0x1
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x31
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x16
	.uleb128 0x410a
	.byte	0
	.uleb128 0x2
	.uleb128 0x18
	.uleb128 0x2111
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x17
	.uleb128 0x4109
	.byte	0
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x31
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x18
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x2117
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x19
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x1a
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x1b
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x1c
	.uleb128 0xb
	.byte	0x1
	.uleb128 0x55
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x1d
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x2117
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x1e
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x2117
	.uleb128 0x19
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_loc,"",@progbits
.Ldebug_loc0:
.LVUS4:
	.uleb128 0
	.uleb128 .LVU80
	.uleb128 .LVU80
	.uleb128 .LVU85
	.uleb128 .LVU85
	.uleb128 0
.LLST4:
	.quad	.LVL17-.Ltext0
	.quad	.LVL18-1-.Ltext0
	.value	0x1
	.byte	0x55
	.quad	.LVL18-1-.Ltext0
	.quad	.LVL19-.Ltext0
	.value	0x4
	.byte	0xf3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.quad	.LVL19-.Ltext0
	.quad	.LFE6-.Ltext0
	.value	0x1
	.byte	0x55
	.quad	0
	.quad	0
.LVUS3:
	.uleb128 0
	.uleb128 .LVU63
	.uleb128 .LVU63
	.uleb128 0
.LLST3:
	.quad	.LVL13-.Ltext0
	.quad	.LVL14-1-.Ltext0
	.value	0x1
	.byte	0x55
	.quad	.LVL14-1-.Ltext0
	.quad	.LFE5-.Ltext0
	.value	0x4
	.byte	0xf3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.quad	0
	.quad	0
.LVUS0:
	.uleb128 .LVU25
	.uleb128 .LVU26
	.uleb128 .LVU28
	.uleb128 0
.LLST0:
	.quad	.LVL5-.Ltext0
	.quad	.LVL6-.Ltext0
	.value	0x1
	.byte	0x51
	.quad	.LVL7-.Ltext0
	.quad	.LFE2-.Ltext0
	.value	0x1
	.byte	0x51
	.quad	0
	.quad	0
.LVUS1:
	.uleb128 .LVU31
	.uleb128 0
.LLST1:
	.quad	.LVL8-.Ltext0
	.quad	.LFE2-.Ltext0
	.value	0x1
	.byte	0x54
	.quad	0
	.quad	0
.LVUS2:
	.uleb128 .LVU31
	.uleb128 .LVU35
	.uleb128 .LVU35
	.uleb128 .LVU39
	.uleb128 .LVU39
	.uleb128 .LVU47
	.uleb128 .LVU48
	.uleb128 0
.LLST2:
	.quad	.LVL8-.Ltext0
	.quad	.LVL9-.Ltext0
	.value	0x1
	.byte	0x50
	.quad	.LVL9-.Ltext0
	.quad	.LVL10-.Ltext0
	.value	0x3
	.byte	0x70
	.sleb128 -1
	.byte	0x9f
	.quad	.LVL10-.Ltext0
	.quad	.LVL11-.Ltext0
	.value	0x1
	.byte	0x50
	.quad	.LVL12-.Ltext0
	.quad	.LFE2-.Ltext0
	.value	0x1
	.byte	0x50
	.quad	0
	.quad	0
	.section	.debug_aranges,"",@progbits
	.long	0x2c
	.value	0x2
	.long	.Ldebug_info0
	.byte	0x8
	.byte	0
	.value	0
	.value	0
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.quad	0
	.quad	0
	.section	.debug_ranges,"",@progbits
.Ldebug_ranges0:
	.quad	.LBB2-.Ltext0
	.quad	.LBE2-.Ltext0
	.quad	.LBB3-.Ltext0
	.quad	.LBE3-.Ltext0
	.quad	0
	.quad	0
	.section	.debug_line,"",@progbits
.Ldebug_line0:
	.section	.debug_str,"MS",@progbits,1
.LASF9:
	.string	"external_flag"
.LASF19:
	.string	"names"
.LASF2:
	.string	"unsigned int"
.LASF18:
	.string	"seqlock_t"
.LASF10:
	.string	"call_hook"
.LASF22:
	.string	"write_begin"
.LASF7:
	.string	"counts"
.LASF3:
	.string	"long unsigned int"
.LASF12:
	.string	"end_global"
.LASF13:
	.string	"begin_global"
.LASF16:
	.string	"GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -gdwarf-4 -Og -fasynchronous-unwind-tables"
.LASF21:
	.string	"write_end"
.LASF14:
	.string	"read_sum"
.LASF1:
	.string	"data"
.LASF11:
	.string	"count"
.LASF0:
	.string	"lock"
.LASF20:
	.string	"hook"
.LASF4:
	.string	"global_lock"
.LASF5:
	.string	"retries"
.LASF8:
	.string	"operations"
.LASF15:
	.string	"start"
.LASF6:
	.string	"char"
.LASF17:
	.string	"seqlock.c"
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
