# What the kernel's headers and hand-written .S files add to it.
# 1 "arch/x86/lib/lock.S"
# 1 "<built-in>" 1 3
#define is a comment here
	.code64
	.text
	.noaltmacro
	.globl	__lock_start
	.set	CONFIG_SMP, 1
	.set	X86_FEATURE_PV, (3*32+15)
	.equiv	ONCE, 2
.macro LOCK_PREFIX
.if CONFIG_SMP
672:	lock
	.pushsection .smp_locks,"a"
	.balign 4
	.long 672b - .
	.popsection
.endif
.endm
.macro FRAME reg:req offset=0 rest:vararg
	mov \reg, \offset(%rsp)
  .ifnb \rest
	FRAME \rest
  .endif
.endm
.macro SYM_START name:req, linkage=.globl
	\linkage \name
	.type \name STT_FUNC
	.p2align 4, 0x90
\name:
.endm
.macro SYM_END name:req
	.size \name, .-\name
.endm
.macro ALTERNATIVE oldinstr, newinstr, feature
140:
	\oldinstr
141:
	.skip -(((144f-143f)-(141b-140b)) > 0) * ((144f-143f)-(141b-140b)),0x90
142:
	.pushsection .altinstructions,"a"
	.long 140b - .
	.long 143f - .
	.word \feature
	.byte 142b-140b
	.byte 144f-143f
	.popsection
	.pushsection .altinstr_replacement,"ax"
143:
	\newinstr
144:
	.popsection
.endm
__lock_start:
SYM_START _raw_lock
	LOCK_PREFIX
	incl (%rdi)
	LOCK_PREFIX ; decl (%rdi)
	FRAME %rax, 8, %rbx 16 %rcx
	ALTERNATIVE "lock; addl $0,-4(%rsp)", "mfence", X86_FEATURE_PV
	ALTERNATIVE "", "pause; pause", 1
	rep; nop
	rep;nop
	rep
	nop
	lock; xaddl %eax, (%rdi); jmp 1f # and one more
1:	.byte 0x66; lock; incw (%rdi)
	data16 rep nop
	ds nop
	cs nopw 0x0(%rax,%rax,1)
	notrack jmp *%rax
	bnd jmp 1b
	bnd ret
SYM_END _raw_lock
SYM_START local_one .local
	ret
SYM_END local_one
	.subsection 2
2:	jmp 1b
	.subsection 1
3:	jmp 2b
	.previous
	jmp 3b
	.text 1
	nop
	.text 0
	.section .text
	ret
	.pushsection .spinlock.text,"ax",@progbits
	jmp 1b
	.popsection
	.pushsection .data, 1
	.long 77
	.popsection
	.data
	.ascii "one" " two" "\n"
	.asciz "a" "b", "c"
	.string8 "x"
	.octa 0x0123456789abcdef0011223344556677, 5, -1
	.float 1.5, -2
	.single 0.1
	.double 3.14159, -1e10
	.dc.b 1
	.dc.w 2
	.dc.l 3
	.dc.a 4
	.uleb128 0, 127, 128, 300000, 2f-1f
	.sleb128 0, -1, 63, 64, -64, -65, 300000
1:	.zero 200
2:
	.quad 2b-1b, _raw_lock
	.balign 8, 0xff
	.p2alignw 3, 0x1234
	.space 3, 7
	.org . + 5, 0xee
	.fill 2, 4, 0x11223344
	.ifdef CONFIG_SMP
	.byte 1
	.elseif 1
	.byte 2
	.endif
	.ifndef NOT_DEFINED
	.byte 3
	.else
	.byte 4
	.endif
	.ifeqs "a", "a"
	.byte 5
	.endif
	.ifb
	.byte 6
	.endif
	.irp x, 1, 2, 3
	.irpc y, 45
	.byte \x\y
	.endr
	.endr
	.rept 2
	.byte 0b101, 017, 'z, '\\, 1 << 3, ~0, !0, 7 % 4, 5 > 3, 5 == 5, 1 && 2, 0 || 0
	.endr
	.equ here, . - 4
	.long here - ., __lock_start - 4
	.word (1 + 2) * 3, 10 / 3, 0xff ^ 0x0f, 6 | 1, 6 & 3, -5
	.set ., . + 2
	.byte 9
	.macro count n
	.byte \n
	.if \n > 0
	count "(\n-1)"
	.else
	.exitm
	.endif
	.byte 0xcc
	.endm
	count 3
	.purgem count
	.comm common_sym, 8, 8
	.lcomm local_common, 4
# Exception tables that name a register, as of 5.17.
.macro extable_type_reg type:req reg:req
.set .Lfound, 0
.set .Lregnr, 0
.irp rs,rax,rcx,rdx,rbx,rsp,rbp,rsi,rdi,r8,r9,r10,r11,r12,r13,r14,r15
.ifc \reg, %\rs
.set .Lfound, .Lfound+1
.long \type + (.Lregnr << 8)
.endif
.set .Lregnr, .Lregnr+1
.endr
.set .Lregnr, 0
.irp rs,eax,ecx,edx,ebx,esp,ebp,esi,edi,r8d,r9d,r10d,r11d,r12d,r13d,r14d,r15d
.ifc \reg, %\rs
.set .Lfound, .Lfound+1
.long \type + (.Lregnr << 8)
.endif
.set .Lregnr, .Lregnr+1
.endr
.if (.Lfound != 1)
.error "extable_type_reg: bad register argument"
.endif
.endm
	.text
1:	mov (%rdi), %ecx
2:
	.balign 4
	.long (1b) - .
	.long (2b) - .
	extable_type_reg reg=%ecx, type=((1) | ((0) << 16))
	extable_type_reg type=17 reg=%r11
	.text
# A bug table, with its length said by .org.
1:	.byte 0x0f, 0x0b
2:	.long 1b - .
	.long 0
	.word 12
	.word (1 << 0)|((1 << 1) | ((9) << 8))
	.org 2b + 12
# A static call and its key; the rewritable jump of a jump label.
	.text
	.pushsection .static_call.text, "ax"
	.align 4
	.globl __SCT__key
__SCT__key:
	.byte 0xe9
	.long _raw_lock - (. + 4)
	.byte 0x0f, 0xb9, 0xcc
	.popsection
1:	jmp 2f
	.pushsection __jump_table, "aw"
	.balign 8
	.long 1b - ., 2f - .
	.quad __SCT__key - . + 2
	.popsection
2:	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00
# Two replacements of one instruction: the longer one makes the room.
.macro ALTERNATIVE_2 oldinstr, newinstr1, newinstr2
140:
	\oldinstr
141:
	.skip -((((((144f-143f) ^ (((144f-143f) ^ (145f-144f)) & -(-((144f-143f) < (145f-144f)))))) - (141b-140b)) > 0) * ((((144f-143f) ^ (((144f-143f) ^ (145f-144f)) & -(-((144f-143f) < (145f-144f)))))) - (141b-140b))),0x90
142:
	.pushsection .altinstr_replacement,"ax"
143:
	\newinstr1
144:
	\newinstr2
145:
	.popsection
.endm
	ALTERNATIVE_2 "call *%rax", "lfence; call *%rax", "nop; nop; nop; nop; nop; nop; nop"
	ALTERNATIVE_2 "", "clac", ""
	movl %gs:cpu_var(%rip), %eax
	addq $1, %gs:cpu_var(%rax)
	cmpxchg16b %gs:(%rsi)
	lock; cmpxchg16b %gs:8(%rsi)
	incl %gs:cpu_var
.rept 3
771:	call 772f
	int3
772:
	.nops 1
.endr
	add $(8*3), %rsp
.slowpath:	push %rsi; movzbl %al,%esi; jne .slowpath
	.set cpu_var, 0x40
	.section .init.text,"ax"
	ret
	.section .note.Linux, "a", @note
	.long 1, 2, 3
	.section __ksymtab_strings,"aMS",@progbits,1
	.asciz "_raw_lock"
	.section ___ksymtab+_raw_lock,"a"
	.long _raw_lock - .
	.section .modinfo,"a"
	.asciz "license=GPL"
	.text
	.nops 9
	.ident "nobody"
	.end
	this is never read
