	.text
	.file	"mcs.c"
	.file	0 "/src" "mcs.c" md5 0x0123456789abcdef0123456789abcdef
	.globl	spin_lock                       # -- Begin function spin_lock
	.p2align	4, 0x90
	.type	spin_lock,@function
spin_lock:                              # @spin_lock
.Lfunc_begin0:
	.loc	0 10 0                          # mcs.c:10:0
	.cfi_sections .debug_frame
	.cfi_startproc
# %bb.0:                                # %entry
	#DEBUG_VALUE: spin_lock:l <- $rdi
	#DEBUG_VALUE: spin_lock:me <- $rsi
	.loc	0 12 11 prologue_end            # mcs.c:12:11
	movq	$0, (%rsi)
.Ltmp0:
	.loc	0 13 13                         # mcs.c:13:13
	movl	$0, 8(%rsi)
	movq	%rsi, %rax
	.loc	0 14 9                          # mcs.c:14:9
	xchgq	%rax, (%rdi)
.Ltmp1:
	#DEBUG_VALUE: spin_lock:prev <- $rax
	.loc	0 15 6                          # mcs.c:15:6
	testq	%rax, %rax
.Ltmp2:
	.loc	0 15 6 is_stmt 0                # mcs.c:15:6
	je	.LBB0_4
.Ltmp3:
# %bb.1:                                # %if.end
	.loc	0 17 2 is_stmt 1                # mcs.c:17:2
	movq	%rsi, (%rax)
	.p2align	4, 0x90
.LBB0_2:                                # %while.cond
                                        # =>This Inner Loop Header: Depth=1
	.loc	0 18 10 discriminator 1         # mcs.c:18:10
	movl	8(%rsi), %eax
	testl	%eax, %eax
	jne	.LBB0_4
# %bb.3:                                # %while.body
	pause
	jmp	.LBB0_2
.LBB0_4:                                # %cleanup
	.loc	0 20 1                          # mcs.c:20:1
	retq
.Ltmp4:
.Lfunc_end0:
	.size	spin_lock, .Lfunc_end0-spin_lock
	.cfi_endproc
                                        # -- End function
	.globl	lock_own
	.p2align	4, 0x90
	.type	lock_own,@function
lock_own:                               # @lock_own
.Lfunc_begin1:
	.cfi_startproc
# %bb.0:
	pushq	%rbx
	.cfi_def_cfa_offset 16
	movq	%rdi, %rbx
	movq	handler@GOTPCREL(%rip), %rax
	movq	nesting@GOTPCREL(%rip), %rcx
	incl	(%rcx)
	cmpq	$0, weak_hook@GOTPCREL(%rip)
	je	.LBB1_2
	callq	*weak_hook@GOTPCREL(%rip)
.LBB1_2:
	movl	%fs:own_cpu@TPOFF, %ecx
	leaq	own_cpu@TPOFF+4(%rcx), %rcx
	movq	%rbx, %rdi
	popq	%rbx
	.cfi_def_cfa_offset 8
	jmp	spin_lock@PLT                   # TAILCALL
.Lfunc_end1:
	.size	lock_own, .Lfunc_end1-lock_own
	.cfi_endproc
	.weak	weak_hook
	.hidden	handler
	.globl	handler
	.type	handler,@function
handler:
	ret
	.type	nesting,@object
	.bss
	.globl	nesting
	.p2align	2, 0x0
nesting:
	.long	0
	.size	nesting, 4

	.type	own_cpu,@object
	.section	.tbss,"awT",@nobits
	.p2align	2, 0x0
own_cpu:
	.long	0
	.size	own_cpu, 4

	.section	.debug_loclists,"",@progbits
	.long	.Ldebug_list_header_end0-.Ldebug_list_header_start0 # Length
.Ldebug_list_header_start0:
	.short	5                               # Version
	.byte	8                               # Address size
	.byte	0                               # Segment selector size
	.long	1                               # Offset entry count
.Lloclists_table_base0:
	.long	.Ldebug_loc0-.Lloclists_table_base0
.Ldebug_loc0:
	.byte	4                               # DW_LLE_offset_pair
	.uleb128 .Ltmp1-.Lfunc_begin0           #   starting offset
	.uleb128 .Ltmp3-.Lfunc_begin0           #   ending offset
	.byte	1                               # Loc expr size
	.byte	80                              # DW_OP_reg0
	.byte	0                               # DW_LLE_end_of_list
.Ldebug_list_header_end0:
	.section	.debug_abbrev,"",@progbits
	.byte	1                               # Abbreviation Code
	.byte	17                              # DW_TAG_compile_unit
	.byte	1                               # DW_CHILDREN_yes
	.byte	37                              # DW_AT_producer
	.byte	14                              # DW_FORM_strp
	.byte	19                              # DW_AT_language
	.byte	5                               # DW_FORM_data2
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.byte	16                              # DW_AT_stmt_list
	.byte	23                              # DW_FORM_sec_offset
	.byte	17                              # DW_AT_low_pc
	.byte	1                               # DW_FORM_addr
	.byte	18                              # DW_AT_high_pc
	.byte	6                               # DW_FORM_data4
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	2                               # Abbreviation Code
	.byte	46                              # DW_TAG_subprogram
	.byte	0                               # DW_CHILDREN_no
	.byte	3                               # DW_AT_name
	.byte	14                              # DW_FORM_strp
	.ascii	"\264B"                         # DW_AT_GNU_pubnames
	.byte	25                              # DW_FORM_flag_present
	.byte	0                               # EOM(1)
	.byte	0                               # EOM(2)
	.byte	0                               # EOM(3)
	.section	.debug_info,"",@progbits
.Lcu_begin0:
	.long	.Ldebug_info_end0-.Ldebug_info_start0 # Length of Unit
.Ldebug_info_start0:
	.short	5                               # DWARF version number
	.byte	1                               # DWARF Unit Type
	.byte	8                               # Address Size (in bytes)
	.long	.debug_abbrev                   # Offset Into Abbrev. Section
	.byte	1                               # Abbrev [1] 0xc:0x2a DW_TAG_compile_unit
	.long	.Linfo_string0                  # DW_AT_producer
	.short	29                              # DW_AT_language
	.long	.Linfo_string1                  # DW_AT_name
	.long	.Lline_table_start0             # DW_AT_stmt_list
	.quad	.Lfunc_begin0                   # DW_AT_low_pc
	.long	.Lfunc_end1-.Lfunc_begin0       # DW_AT_high_pc
	.byte	2                               # Abbrev [2]
	.long	.Linfo_string2                  # DW_AT_name
	.byte	0                               # End Of Children Mark
.Ldebug_info_end0:
	.section	.debug_str,"MS",@progbits,1
.Linfo_string0:
	.asciz	"clang version 14.0.6"          # string offset=0
.Linfo_string1:
	.asciz	"mcs.c"                         # string offset=21
.Linfo_string2:
	.asciz	"spin_lock"                     # string offset=27
	.ident	"clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.section	.debug_line,"",@progbits
.Lline_table_start0:
