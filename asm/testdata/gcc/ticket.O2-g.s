	.file	"ticket.c"
	.text
.Ltext0:
	.file 0 "." "ticket.c"
	.p2align 4
	.globl	spin_lock
	.type	spin_lock, @function
spin_lock:
.LVL0:
.LFB1:
	.file 1 "ticket.c"
	.loc 1 23 1 view -0
	.cfi_startproc
	.loc 1 24 2 view .LVU1
	.loc 1 25 2 view .LVU2
	.loc 1 27 2 view .LVU3
	movl	$65536, %eax
#APP
# 27 "ticket.c" 1
	.pushsection .smp_locks,"a"
.balign 4
.long 671f - .
.popsection
671:
	lock; xaddl %eax, (%rdi)
# 0 "" 2
.LVL1:
	.loc 1 29 2 view .LVU4
	.loc 1 29 13 is_stmt 0 view .LVU5
#NO_APP
	movl	%eax, %ecx
	shrl	$16, %ecx
	.loc 1 29 7 view .LVU6
	movl	%ecx, %edx
.LVL2:
	.loc 1 30 2 is_stmt 1 view .LVU7
	.loc 1 30 18 view .LVU8
	cmpw	%ax, %cx
	je	.L2
.LVL3:
	.p2align 4,,10
	.p2align 3
.L3:
	.loc 1 31 3 view .LVU9
.LBB4:
.LBI4:
	.loc 1 13 20 view .LVU10
.LBB5:
	.loc 1 13 38 view .LVU11
#APP
# 13 "ticket.c" 1
	rep; nop
# 0 "" 2
#NO_APP
.LBE5:
.LBE4:
	.loc 1 32 3 view .LVU12
	.loc 1 32 9 is_stmt 0 view .LVU13
	movzwl	(%rdi), %eax
.LVL4:
	.loc 1 30 18 is_stmt 1 view .LVU14
	cmpw	%dx, %ax
	jne	.L3
.LVL5:
.L2:
	.loc 1 34 2 view .LVU15
	.loc 1 35 1 is_stmt 0 view .LVU16
	ret
	.cfi_endproc
.LFE1:
	.size	spin_lock, .-spin_lock
	.p2align 4
	.globl	spin_trylock
	.type	spin_trylock, @function
spin_trylock:
.LVL6:
.LFB2:
	.loc 1 38 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 39 2 view .LVU18
	.loc 1 39 6 is_stmt 0 view .LVU19
	movl	(%rdi), %eax
.LVL7:
	.loc 1 41 2 is_stmt 1 view .LVU20
	.loc 1 42 10 is_stmt 0 view .LVU21
	xorl	%edx, %edx
	.loc 1 41 11 view .LVU22
	movl	%eax, %esi
	.loc 1 41 26 view .LVU23
	movzwl	%ax, %ecx
	.loc 1 41 11 view .LVU24
	shrl	$16, %esi
	.loc 1 41 5 view .LVU25
	cmpl	%ecx, %esi
	je	.L9
	.loc 1 45 1 view .LVU26
	movl	%edx, %eax
.LVL8:
	.loc 1 45 1 view .LVU27
	ret
.LVL9:
	.p2align 4,,10
	.p2align 3
.L9:
	.loc 1 43 2 is_stmt 1 view .LVU28
	.loc 1 44 2 view .LVU29
	.loc 1 43 7 is_stmt 0 view .LVU30
	leal	65536(%rax), %edx
.LVL10:
	.loc 1 44 9 view .LVU31
	lock cmpxchgl	%edx, (%rdi)
.LVL11:
	.loc 1 44 9 view .LVU32
	sete	%dl
.LVL12:
	.loc 1 44 9 view .LVU33
	movzbl	%dl, %edx
	.loc 1 45 1 view .LVU34
	movl	%edx, %eax
	ret
	.cfi_endproc
.LFE2:
	.size	spin_trylock, .-spin_trylock
	.p2align 4
	.globl	spin_unlock
	.type	spin_unlock, @function
spin_unlock:
.LVL13:
.LFB3:
	.loc 1 48 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 49 2 view .LVU36
#APP
# 49 "ticket.c" 1
	.pushsection .smp_locks,"a"
.balign 4
.long 671f - .
.popsection
671:
	lock; incw (%rdi)
# 0 "" 2
	.loc 1 50 1 is_stmt 0 view .LVU37
#NO_APP
	ret
	.cfi_endproc
.LFE3:
	.size	spin_unlock, .-spin_unlock
	.p2align 4
	.globl	spin_is_locked
	.type	spin_is_locked, @function
spin_is_locked:
.LVL14:
.LFB4:
	.loc 1 53 1 is_stmt 1 view -0
	.cfi_startproc
	.loc 1 54 2 view .LVU39
	.loc 1 54 6 is_stmt 0 view .LVU40
	movl	(%rdi), %edx
.LVL15:
	.loc 1 55 2 is_stmt 1 view .LVU41
	.loc 1 55 13 is_stmt 0 view .LVU42
	movl	%edx, %eax
	shrl	$16, %eax
	.loc 1 55 20 view .LVU43
	xorl	%edx, %eax
	.loc 1 55 38 view .LVU44
	testw	%ax, %ax
	setne	%al
	movzbl	%al, %eax
	.loc 1 56 1 view .LVU45
	ret
	.cfi_endproc
.LFE4:
	.size	spin_is_locked, .-spin_is_locked
.Letext0:
	.section	.debug_info,"",@progbits
.Ldebug_info0:
	.long	0x1e1
	.value	0x5
	.byte	0x1
	.byte	0x8
	.long	.Ldebug_abbrev0
	.uleb128 0xa
	.long	.LASF13
	.byte	0x1d
	.long	.LASF0
	.long	.LASF1
	.quad	.Ltext0
	.quad	.Letext0-.Ltext0
	.long	.Ldebug_line0
	.uleb128 0x3
	.string	"u16"
	.byte	0x3
	.byte	0x18
	.long	0x39
	.uleb128 0x4
	.byte	0x2
	.long	.LASF2
	.uleb128 0x3
	.string	"u32"
	.byte	0x4
	.byte	0x16
	.long	0x4a
	.uleb128 0x4
	.byte	0x4
	.long	.LASF3
	.uleb128 0x5
	.byte	0x9
	.byte	0x3
	.long	0x6e
	.uleb128 0x6
	.long	.LASF4
	.byte	0x10
	.long	0x2e
	.byte	0
	.uleb128 0x6
	.long	.LASF5
	.byte	0x16
	.long	0x2e
	.byte	0x2
	.byte	0
	.uleb128 0xb
	.byte	0x4
	.byte	0x1
	.byte	0x7
	.byte	0x2
	.long	0x89
	.uleb128 0xc
	.long	.LASF14
	.byte	0x1
	.byte	0x8
	.byte	0x7
	.long	0x3f
	.uleb128 0xd
	.long	0x50
	.byte	0
	.uleb128 0x5
	.byte	0x6
	.byte	0x9
	.long	0x97
	.uleb128 0xe
	.long	0x6e
	.byte	0
	.byte	0
	.uleb128 0xf
	.long	.LASF6
	.byte	0x1
	.byte	0xb
	.byte	0x3
	.long	0x89
	.uleb128 0x7
	.long	.LASF8
	.byte	0x34
	.long	0xe1
	.quad	.LFB4
	.quad	.LFE4-.LFB4
	.uleb128 0x1
	.byte	0x9c
	.long	0xe1
	.uleb128 0x1
	.long	.LASF7
	.byte	0x34
	.byte	0x1e
	.long	0xe8
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.string	"v"
	.byte	0x36
	.long	0x3f
	.long	.LLST4
	.long	.LVUS4
	.byte	0
	.uleb128 0x10
	.byte	0x4
	.byte	0x5
	.string	"int"
	.uleb128 0x11
	.byte	0x8
	.long	0x97
	.uleb128 0x8
	.long	.LASF11
	.byte	0x2f
	.quad	.LFB3
	.quad	.LFE3-.LFB3
	.uleb128 0x1
	.byte	0x9c
	.long	0x118
	.uleb128 0x1
	.long	.LASF7
	.byte	0x2f
	.byte	0x1c
	.long	0xe8
	.uleb128 0x1
	.byte	0x55
	.byte	0
	.uleb128 0x7
	.long	.LASF9
	.byte	0x25
	.long	0xe1
	.quad	.LFB2
	.quad	.LFE2-.LFB2
	.uleb128 0x1
	.byte	0x9c
	.long	0x16b
	.uleb128 0x1
	.long	.LASF7
	.byte	0x25
	.byte	0x1c
	.long	0xe8
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.string	"old"
	.byte	0x27
	.long	0x3f
	.long	.LLST2
	.long	.LVUS2
	.uleb128 0x9
	.long	.LASF10
	.byte	0x27
	.byte	0x2f
	.long	0x3f
	.long	.LLST3
	.long	.LVUS3
	.byte	0
	.uleb128 0x8
	.long	.LASF12
	.byte	0x16
	.quad	.LFB1
	.quad	.LFE1-.LFB1
	.uleb128 0x1
	.byte	0x9c
	.long	0x1db
	.uleb128 0x1
	.long	.LASF7
	.byte	0x16
	.byte	0x1a
	.long	0xe8
	.uleb128 0x1
	.byte	0x55
	.uleb128 0x2
	.string	"inc"
	.byte	0x18
	.long	0x3f
	.long	.LLST0
	.long	.LVUS0
	.uleb128 0x9
	.long	.LASF5
	.byte	0x19
	.byte	0x6
	.long	0x2e
	.long	.LLST1
	.long	.LVUS1
	.uleb128 0x12
	.long	0x1db
	.quad	.LBI4
	.byte	.LVU10
	.quad	.LBB4
	.quad	.LBE4-.LBB4
	.byte	0x1
	.byte	0x1f
	.byte	0x3
	.byte	0
	.uleb128 0x13
	.long	.LASF15
	.byte	0x1
	.byte	0xd
	.byte	0x14
	.byte	0x3
	.byte	0
	.section	.debug_abbrev,"",@progbits
.Ldebug_abbrev0:
	.uleb128 0x1
	.uleb128 0x5
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
	.uleb128 0x2
	.uleb128 0x18
	.byte	0
	.byte	0
	.uleb128 0x2
	.uleb128 0x34
	.byte	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0x21
	.sleb128 6
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0x3
	.uleb128 0x16
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
	.byte	0
	.byte	0
	.uleb128 0x4
	.uleb128 0x24
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3e
	.uleb128 0x21
	.sleb128 7
	.uleb128 0x3
	.uleb128 0xe
	.byte	0
	.byte	0
	.uleb128 0x5
	.uleb128 0x13
	.byte	0x1
	.uleb128 0xb
	.uleb128 0x21
	.sleb128 4
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x6
	.uleb128 0xd
	.byte	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0x21
	.sleb128 9
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x38
	.uleb128 0xb
	.byte	0
	.byte	0
	.uleb128 0x7
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
	.sleb128 5
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
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x8
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
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x9
	.uleb128 0x34
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
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	.byte	0
	.byte	0
	.uleb128 0xa
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
	.uleb128 0xb
	.uleb128 0x17
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
	.uleb128 0xc
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
	.byte	0
	.byte	0
	.uleb128 0xd
	.uleb128 0xd
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0xe
	.uleb128 0xd
	.byte	0
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x38
	.uleb128 0xb
	.byte	0
	.byte	0
	.uleb128 0xf
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
	.uleb128 0x10
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
	.uleb128 0x11
	.uleb128 0xf
	.byte	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.byte	0
	.byte	0
	.uleb128 0x12
	.uleb128 0x1d
	.byte	0
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
	.uleb128 0x13
	.uleb128 0x2e
	.byte	0
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
.LVUS4:
	.uleb128 .LVU41
	.uleb128 0
.LLST4:
	.byte	0x4
	.uleb128 .LVL15-.Ltext0
	.uleb128 .LFE4-.Ltext0
	.uleb128 0x1
	.byte	0x51
	.byte	0
.LVUS2:
	.uleb128 .LVU20
	.uleb128 .LVU27
	.uleb128 .LVU28
	.uleb128 .LVU32
	.uleb128 .LVU32
	.uleb128 .LVU33
.LLST2:
	.byte	0x4
	.uleb128 .LVL7-.Ltext0
	.uleb128 .LVL8-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0x4
	.uleb128 .LVL9-.Ltext0
	.uleb128 .LVL11-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0x4
	.uleb128 .LVL11-.Ltext0
	.uleb128 .LVL12-.Ltext0
	.uleb128 0x5
	.byte	0x71
	.sleb128 -65536
	.byte	0x9f
	.byte	0
.LVUS3:
	.uleb128 .LVU29
	.uleb128 .LVU31
	.uleb128 .LVU31
	.uleb128 .LVU33
.LLST3:
	.byte	0x4
	.uleb128 .LVL9-.Ltext0
	.uleb128 .LVL10-.Ltext0
	.uleb128 0x5
	.byte	0x70
	.sleb128 65536
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL10-.Ltext0
	.uleb128 .LVL12-.Ltext0
	.uleb128 0x1
	.byte	0x51
	.byte	0
.LVUS0:
	.uleb128 .LVU2
	.uleb128 .LVU4
	.uleb128 .LVU4
	.uleb128 .LVU9
	.uleb128 .LVU14
	.uleb128 .LVU15
.LLST0:
	.byte	0x4
	.uleb128 .LVL0-.Ltext0
	.uleb128 .LVL1-.Ltext0
	.uleb128 0x4
	.byte	0x40
	.byte	0x3c
	.byte	0x24
	.byte	0x9f
	.byte	0x4
	.uleb128 .LVL1-.Ltext0
	.uleb128 .LVL3-.Ltext0
	.uleb128 0x1
	.byte	0x50
	.byte	0x4
	.uleb128 .LVL4-.Ltext0
	.uleb128 .LVL5-.Ltext0
	.uleb128 0x7
	.byte	0x70
	.sleb128 0
	.byte	0xa
	.value	0xffff
	.byte	0x1a
	.byte	0x9f
	.byte	0
.LVUS1:
	.uleb128 .LVU7
	.uleb128 0
.LLST1:
	.byte	0x4
	.uleb128 .LVL2-.Ltext0
	.uleb128 .LFE1-.Ltext0
	.uleb128 0x1
	.byte	0x51
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
.LASF3:
	.string	"unsigned int"
.LASF9:
	.string	"spin_trylock"
.LASF4:
	.string	"head"
.LASF2:
	.string	"short unsigned int"
.LASF6:
	.string	"ticket_t"
.LASF10:
	.string	"want"
.LASF13:
	.string	"GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -fasynchronous-unwind-tables"
.LASF11:
	.string	"spin_unlock"
.LASF5:
	.string	"tail"
.LASF8:
	.string	"spin_is_locked"
.LASF14:
	.string	"head_tail"
.LASF7:
	.string	"lock"
.LASF12:
	.string	"spin_lock"
.LASF15:
	.string	"cpu_relax"
	.section	.debug_line_str,"MS",@progbits,1
.LASF1:
	.string	"."
.LASF0:
	.string	"ticket.c"
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
