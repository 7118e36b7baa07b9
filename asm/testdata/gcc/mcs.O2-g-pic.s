	.file	"mcs.c"
	.text
.Ltext0:
	.file 0 "." "mcs.c"
	.p2align 4
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LVL0:
.LFB0:
	.file 1 "mcs.c"
	.loc 1 9 1 view -0
	.cfi_startproc
	.loc 1 10 2 view .LVU1
	.loc 1 12 2 view .LVU2
	.loc 1 14 9 is_stmt 0 view .LVU3
	movq	%rsi, %rax
	.loc 1 12 11 view .LVU4
	movq	$0, (%rsi)
	.loc 1 13 2 is_stmt 1 view .LVU5
	.loc 1 13 13 is_stmt 0 view .LVU6
	movl	$0, 8(%rsi)
	.loc 1 14 2 is_stmt 1 view .LVU7
	.loc 1 14 9 is_stmt 0 view .LVU8
	xchgq	(%rdi), %rax
.LVL1:
	.loc 1 15 2 is_stmt 1 view .LVU9
	.loc 1 15 5 is_stmt 0 view .LVU10
	testq	%rax, %rax
	jne	.L7
	.loc 1 20 1 view .LVU11
	ret
	.p2align 4,,10
	.p2align 3
.L7:
	.loc 1 17 2 is_stmt 1 view .LVU12
	movq	%rsi, (%rax)
	.loc 1 18 2 view .LVU13
.LVL2:
.LBB4:
.LBI4:
	.loc 1 8 6 view .LVU14
.LBB5:
	.loc 1 18 26 is_stmt 0 view .LVU15
	addq	$8, %rsi
.LVL3:
	.loc 1 18 26 view .LVU16
	jmp	.L3
.LVL4:
	.p2align 4,,10
	.p2align 3
.L4:
	.loc 1 19 3 is_stmt 1 view .LVU17
	rep nop
.L3:
	.loc 1 18 9 view .LVU18
	.loc 1 18 10 is_stmt 0 view .LVU19
	movl	(%rsi), %eax
	.loc 1 18 9 view .LVU20
	testl	%eax, %eax
	je	.L4
.LBE5:
.LBE4:
	.loc 1 20 1 view .LVU21
	ret
	.cfi_endproc
.LFE0:
	.size	spin_lock, .-spin_lock
	.p2align 4
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LVL5:
.LFB1:
	.loc 1 23 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 24 2 view .LVU23
	.loc 1 24 26 is_stmt 0 view .LVU24
	movq	(%rsi), %rdx
.LVL6:
	.loc 1 26 2 is_stmt 1 view .LVU25
	.loc 1 26 5 is_stmt 0 view .LVU26
	testq	%rdx, %rdx
	jne	.L10
	.loc 1 27 3 is_stmt 1 view .LVU27
	.loc 1 27 7 is_stmt 0 view .LVU28
	movq	%rsi, %rax
	lock cmpxchgq	%rdx, (%rdi)
.LVL7:
	.loc 1 27 6 view .LVU29
	jne	.L12
	.loc 1 33 1 view .LVU30
	ret
.L13:
	.loc 1 30 4 is_stmt 1 view .LVU31
	rep nop
.L12:
	.loc 1 29 10 view .LVU32
	.loc 1 29 19 is_stmt 0 view .LVU33
	movq	(%rsi), %rdx
.LVL8:
	.loc 1 29 19 view .LVU34
.LVL9:
	.loc 1 29 10 view .LVU35
	testq	%rdx, %rdx
	je	.L13
.LVL10:
.L10:
	.loc 1 32 2 is_stmt 1 view .LVU36
	movl	$1, 8(%rdx)
	.loc 1 33 1 is_stmt 0 view .LVU37
	ret
	.cfi_endproc
.LFE1:
	.size	spin_unlock, .-spin_unlock
	.p2align 4
	.globl	lock_own
	.type	lock_own, @function
lock_own:
.LVL11:
.LFB2:
	.loc 1 36 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 37 2 view .LVU39
	.loc 1 36 1 is_stmt 0 view .LVU40
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	.loc 1 36 1 view .LVU41
	movq	%rdi, %rbx
	.loc 1 37 9 view .LVU42
	data16	leaq	nesting@tlsgd(%rip), %rdi
	.value	0x6666
	rex64
	call	__tls_get_addr@PLT
.LVL12:
	.loc 1 37 9 view .LVU43
	addl	$1, (%rax)
	.loc 1 38 2 is_stmt 1 view .LVU44
	leaq	my_node@tlsld(%rip), %rdi
	call	__tls_get_addr@PLT
.LVL13:
	movq	%rbx, %rdi
	.loc 1 39 1 is_stmt 0 view .LVU45
	popq	%rbx
	.cfi_def_cfa_offset 8
.LVL14:
	.loc 1 38 2 view .LVU46
	leaq	my_node@dtpoff(%rax), %rsi
	jmp	spin_lock@PLT
.LVL15:
	.loc 1 38 2 view .LVU47
	.cfi_endproc
.LFE2:
	.size	lock_own, .-lock_own
	.p2align 4
	.globl	unlock_own
	.type	unlock_own, @function
unlock_own:
.LVL16:
.LFB3:
	.loc 1 42 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 43 2 view .LVU49
	.loc 1 42 1 is_stmt 0 view .LVU50
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	.loc 1 42 1 view .LVU51
	movq	%rdi, %rbx
	.loc 1 43 2 view .LVU52
	leaq	my_node@tlsld(%rip), %rdi
	call	__tls_get_addr@PLT
.LVL17:
	.loc 1 43 2 view .LVU53
	movq	%rbx, %rdi
	leaq	my_node@dtpoff(%rax), %rsi
	call	spin_unlock@PLT
.LVL18:
	.loc 1 44 2 is_stmt 1 view .LVU54
	.loc 1 44 9 is_stmt 0 view .LVU55
	data16	leaq	nesting@tlsgd(%rip), %rdi
	.value	0x6666
	rex64
	call	__tls_get_addr@PLT
.LVL19:
	subl	$1, (%rax)
	.loc 1 45 1 view .LVU56
	popq	%rbx
	.cfi_def_cfa_offset 8
.LVL20:
	.loc 1 45 1 view .LVU57
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
	.text
.Letext0:
	.section	.debug_info,"",@progbits
.Ldebug_info0:
	.long	0x238
	.value	0x5
	.byte	0x1
	.byte	0x8
	.long	.Ldebug_abbrev0
	.uleb128 0x9
	.long	.LASF9
	.byte	0x1d
	.long	.LASF0
	.long	.LASF1
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.long	.Ldebug_line0
	.uleb128 0xa
	.long	.LASF10
	.byte	0x10
	.byte	0x1
	.byte	0x2
	.byte	0x8
	.long	0x54
	.uleb128 0x1
	.long	.LASF2
	.byte	0x2
	.byte	0x24
	.long	0x54
	.byte	0
	.uleb128 0x1
	.long	.LASF3
	.byte	0x2
	.byte	0x2e
	.long	0x59
	.byte	0x8
	.byte	0
	.uleb128 0x3
	.long	0x2e
	.uleb128 0xb
	.byte	0x4
	.byte	0x5
	.string	"int"
	.uleb128 0xc
	.byte	0x8
	.byte	0x1
	.byte	0x3
	.byte	0x9
	.long	0x76
	.uleb128 0x1
	.long	.LASF4
	.byte	0x3
	.byte	0x23
	.long	0x54
	.byte	0
	.byte	0
	.uleb128 0xd
	.long	.LASF11
	.byte	0x1
	.byte	0x3
	.byte	0x2b
	.long	0x60
	.uleb128 0xe
	.long	.LASF12
	.byte	0x1
	.byte	0x5
	.byte	0x21
	.long	0x2e
	.uleb128 0xa
	.byte	0xe
	.long	my_node@dtpoff, 0
	.byte	0x9b
	.uleb128 0xf
	.long	.LASF8
	.byte	0x1
	.byte	0x6
	.byte	0xe
	.long	0x59
	.uleb128 0xa
	.byte	0xe
	.long	nesting@dtpoff, 0
	.byte	0x9b
	.uleb128 0x4
	.long	.LASF5
	.byte	0x29
	.quad	.LFB3
	.quad	.LFE3-.LFB3
	.uleb128 0x1
	.byte	0x9c
	.long	0xf2
	.uleb128 0x5
	.string	"l"
	.byte	0x29
	.byte	0x18
	.long	0xf2
	.long	.LLST7
	.long	.LVUS7
	.uleb128 0x10
	.quad	.LVL18
	.long	0x13a
	.uleb128 0x6
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.byte	0x73
	.sleb128 0
	.byte	0
	.byte	0
	.uleb128 0x3
	.long	0x76
	.uleb128 0x4
	.long	.LASF6
	.byte	0x23
	.quad	.LFB2
	.quad	.LFE2-.LFB2
	.uleb128 0x1
	.byte	0x9c
	.long	0x13a
	.uleb128 0x5
	.string	"l"
	.byte	0x23
	.byte	0x16
	.long	0xf2
	.long	.LLST6
	.long	.LVUS6
	.uleb128 0x11
	.quad	.LVL15
	.long	0x196
	.uleb128 0x6
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x3
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0
	.byte	0
	.uleb128 0x12
	.long	.LASF7
	.byte	0x1
	.byte	0x16
	.byte	0x6
	.quad	.LFB1
	.quad	.LFE1-.LFB1
	.uleb128 0x1
	.byte	0x9c
	.long	0x196
	.uleb128 0x7
	.string	"l"
	.byte	0x19
	.long	0xf2
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x7
	.string	"me"
	.byte	0x2d
	.long	0x54
	.uleb128 0x1
	.byte	0x54
	.uleb128 0x13
	.long	.LASF2
	.byte	0x1
	.byte	0x18
	.byte	0x13
	.long	0x54
	.long	.LLST4
	.long	.LVUS4
	.uleb128 0x14
	.string	"old"
	.byte	0x1
	.byte	0x18
	.byte	0x49
	.long	0x54
	.long	.LLST5
	.long	.LVUS5
	.byte	0
	.uleb128 0x15
	.long	.LASF13
	.byte	0x1
	.byte	0x8
	.byte	0x6
	.byte	0x1
	.long	0x1c1
	.uleb128 0x8
	.string	"l"
	.byte	0x17
	.long	0xf2
	.uleb128 0x8
	.string	"me"
	.byte	0x2b
	.long	0x54
	.uleb128 0x16
	.long	.LASF14
	.byte	0x1
	.byte	0xa
	.byte	0x13
	.long	0x54
	.byte	0
	.uleb128 0x17
	.long	0x196
	.quad	.LFB0
	.quad	.LFE0-.LFB0
	.uleb128 0x1
	.byte	0x9c
	.uleb128 0x18
	.long	0x1a3
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.long	0x1ab
	.long	.LLST0
	.long	.LVUS0
	.uleb128 0x19
	.long	0x1b4
	.long	.LLST1
	.long	.LVUS1
	.uleb128 0x1a
	.long	0x196
	.quad	.LBI4
	.byte	.LVU14
	.quad	.LBB4
	.quad	.LBE4-.LBB4
	.byte	0x1
	.byte	0x8
	.byte	0x6
	.uleb128 0x2
	.long	0x1a3
	.long	.LLST2
	.long	.LVUS2
	.uleb128 0x2
	.long	0x1ab
	.long	.LLST3
	.long	.LVUS3
	.uleb128 0x1b
	.long	0x1b4
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_abbrev,"",@progbits
.Ldebug_abbrev0:
	.uleb128 0x1
	.uleb128 0xd
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
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
	.uleb128 0x2
	.uleb128 0x5
	.byte	0
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x3
	.uleb128 0xf
	.byte	0
	.uleb128 0xb
	.uleb128 0x21
	.sleb128 8
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x4
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0x21
	.sleb128 6
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7c
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x5
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
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
	.uleb128 0x6
	.uleb128 0x49
	.byte	0
	.uleb128 0x2
	.uleb128 0x18
	.uleb128 0x7e
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x7
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0x21
	.sleb128 22
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x8
	.uleb128 0x5
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0x21
	.sleb128 8
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x9
	.uleb128 0x11
	.byte	0x1
	.uleb128 0x25
	.uleb128 0xe
	.uleb128 0x13
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0x1f
	.uleb128 0x1b
	.uleb128 0x1f
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x10
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0xa
	.uleb128 0x13
	.byte	0x1
	.uleb128 0x3
	.uleb128 0xe
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
	.uleb128 0xb
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
	.uleb128 0xc
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
	.uleb128 0xd
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
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0xf
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
	.uleb128 0x10
	.uleb128 0x48
	.byte	0x1
	.uleb128 0x7d
	.uleb128 0x1
	.uleb128 0x7f
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x11
	.uleb128 0x48
	.byte	0x1
	.uleb128 0x7d
	.uleb128 0x1
	.uleb128 0x82
	.uleb128 0x19
	.uleb128 0x7f
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x12
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
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x13
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
	.uleb128 0x14
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
	.uleb128 0x15
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
	.uleb128 0x20
	.uleb128 0xb
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x16
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
	.uleb128 0x17
	.uleb128 0x2e
	.byte	0x1
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	.byte	0
	.byte	0
	.uleb128 0x18
	.uleb128 0x5
	.byte	0
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x19
	.uleb128 0x34
	.byte	0
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x1a
	.uleb128 0x1d
	.byte	0x1
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x52
	.uleb128 0x1
	.uleb128 0x2138
	.uleb128 0xb
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x58
	.uleb128 0xb
	.uleb128 0x59
	.uleb128 0xb
	.uleb128 0x57
	.uleb128 0xb
	.byte	0
	.byte	0
	.uleb128 0x1b
	.uleb128 0x34
	.byte	0
	.uleb128 0x31
	.uleb128 0x13
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_loclists,"",@progbits
	.long	.Ldebug_loc3-.Ldebug_loc2
.Ldebug_loc2:
	.value	0x5
	.byte	0x8
	.byte	0
	.long	0
.Ldebug_loc0:
.LVUS7:
	.uleb128 0
	.uleb128 .LVU53
	.uleb128 .LVU53
	.uleb128 .LVU57
	.uleb128 .LVU57
	.uleb128 0
.LLST7:
	.byte	0x4
	.uleb128 .LVL16-.Ltext0
	.uleb128 .LVL17-1-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL17-1-.Ltext0
	.uleb128 .LVL20-.Ltext0
	.uleb128 0x1
	.byte	0x53
	.byte	0x4
	.uleb128 .LVL20-.Ltext0
	.uleb128 .LFE3-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0
.LVUS6:
	.uleb128 0
	.uleb128 .LVU43
	.uleb128 .LVU43
	.uleb128 .LVU46
	.uleb128 .LVU46
	.uleb128 .LVU47
	.uleb128 .LVU47
	.uleb128 0
.LLST6:
	.byte	0x4
	.uleb128 .LVL11-.Ltext0
	.uleb128 .LVL12-1-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL12-1-.Ltext0
	.uleb128 .LVL14-.Ltext0
	.uleb128 0x1
	.byte	0x53
	.byte	0x4
	.uleb128 .LVL14-.Ltext0
	.uleb128 .LVL15-1-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0x4
	.uleb128 .LVL15-1-.Ltext0
	.uleb128 .LFE2-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x55
	.byte	0x9f
	.byte	0
.LVUS4:
	.uleb128 .LVU25
	.uleb128 .LVU34
	.uleb128 .LVU35
	.uleb128 0
.LLST4:
	.byte	0x4
	.uleb128 .LVL6-.Ltext0
	.uleb128 .LVL8-.Ltext0
	.uleb128 0x1
	.byte	0x51
	.byte	0x4
	.uleb128 .LVL9-.Ltext0
	.uleb128 .LFE1-.Ltext0
	.uleb128 0x1
	.byte	0x51
	.byte	0
.LVUS5:
	.uleb128 .LVU25
	.uleb128 .LVU29
.LLST5:
	.byte	0x4
	.uleb128 .LVL6-.Ltext0
	.uleb128 .LVL7-.Ltext0
	.uleb128 0x1
	.byte	0x54
	.byte	0
.LVUS0:
	.uleb128 0
	.uleb128 .LVU16
	.uleb128 .LVU16
	.uleb128 0
.LLST0:
	.byte	0x4
	.uleb128 .LVL0-.Ltext0
	.uleb128 .LVL3-.Ltext0
	.uleb128 0x1
	.byte	0x54
	.byte	0x4
	.uleb128 .LVL3-.Ltext0
	.uleb128 .LFE0-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0
.LVUS1:
	.uleb128 .LVU9
	.uleb128 .LVU17
.LLST1:
	.byte	0x4
	.uleb128 .LVL1-.Ltext0
	.uleb128 .LVL4-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0
.LVUS2:
	.uleb128 .LVU15
	.uleb128 0
.LLST2:
	.byte	0x4
	.uleb128 .LVL2-.Ltext0
	.uleb128 .LFE0-.Ltext0
	.uleb128 0x1
	.byte	0x55
	.byte	0
.LVUS3:
	.uleb128 .LVU14
	.uleb128 .LVU16
	.uleb128 .LVU16
	.uleb128 .LVU17
	.uleb128 .LVU17
	.uleb128 0
.LLST3:
	.byte	0x4
	.uleb128 .LVL2-.Ltext0
	.uleb128 .LVL3-.Ltext0
	.uleb128 0x1
	.byte	0x54
	.byte	0x4
	.uleb128 .LVL3-.Ltext0
	.uleb128 .LVL4-.Ltext0
	.uleb128 0x3
	.byte	0x74
	.sleb128 -8
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL4-.Ltext0
	.uleb128 .LFE0-.Ltext0
	.uleb128 0x4
	.byte	0xa3
	.uleb128 0x1
	.byte	0x54
	.byte	0x9f
	.byte	0
.Ldebug_loc3:
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
	.section	.debug_line,"",@progbits
.Ldebug_line0:
	.section	.debug_str,"MS",@progbits,1
.LASF8:
	.string	"nesting"
.LASF6:
	.string	"lock_own"
.LASF14:
	.string	"prev"
.LASF3:
	.string	"locked"
.LASF11:
	.string	"mcs_t"
.LASF7:
	.string	"spin_unlock"
.LASF2:
	.string	"next"
.LASF9:
	.string	"GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -fPIC -fasynchronous-unwind-tables"
.LASF10:
	.string	"mcs_node"
.LASF5:
	.string	"unlock_own"
.LASF12:
	.string	"my_node"
.LASF4:
	.string	"tail"
.LASF13:
	.string	"spin_lock"
	.section	.debug_line_str,"MS",@progbits,1
.LASF0:
	.string	"mcs.c"
.LASF1:
	.string	"."
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
