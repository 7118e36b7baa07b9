.set N, 4
.equ M, N*2+1
X = (M << 2) | 1
.macro acq lock, reg=%eax
	movl $1, \reg
.Lspin\@:
	xchgl \reg, \lock
	testl \reg, \reg
	jz .Ldone\@
	pause
	jmp .Lspin\@
.Ldone\@:
.endm
.macro rec n
 .if \n
	.byte \n
	rec (\n-1)
 .endif
.endm
.macro va a:req, rest:vararg
 .long \a, \rest
.endm
acq (%rdi)
acq "8(%rdi,%rax,2)", %ecx
rec 3
va 1,2,3
.rept 3
 nop; pause
.endr
.irp r, %rax, %rbx,%r9
 push \r
.endr
.irp r rax rbx
 pop %\r
.endr
.irpc c,123
 .byte \c
.endr
.ifdef N
 .byte 1
.else
 .byte 2
.endif
.ifndef ZZZ; .byte 3; .else; .byte 4; .endif
.if N == 5
 .byte 5
.elseif N == 4
 .byte 6
 .if 0
  .byte 7
 .else
  .byte 8
 .endif
.else
 .byte 9
.endif
/* block
 comment */ nop
.byte 'a, 'b', '\n', ';', '#', '"'
.ascii "a;b#c\n\x41\101\"", "z"
.asciz "q"
.string "r", "s"
.fill 3, 2, 0x1234
.fill 2
.fill 2,8,-1
.zero 3
.skip 2, 0x90
.space N
.word 1, -1, 0xffff
.long end - start, X, M
.quad start, end-start, 1+2*3
.2byte 5
.4byte .
.8byte .-start
start:
 jmp end
 .p2align 4
 jne end
 .p2align 5,,7
 .balign 8
 .skip 130
 je start
 jmp start
 call start
 .p2align 3,0xcc
end: nop
1: loop 1b
 jrcxz 1f
 jecxz 1b
 loopne 1b
 loopel 1b
1: ret
 .align 32
 mov $end-start,%eax
 mov $end,%eax
 movabs $end,%rax
 lea end(%rip),%rax
 lea end+4(%rip),%rax
 cmpl $5, val(%rip)
 movw $5, val+2(%rip)
 movl val, %eax
 movl val(,%rax,4), %eax
 movl val(%rdi), %eax
 movl %gs:val, %eax
 movl %gs:val(%rip), %eax
 movl %gs:N(%rdi), %eax
 mov $N, %eax
 add $later, %eax
 add later(%rdi), %eax
 addq $-1, later2(%rdi)
 addb $N+later, (%rdi)
 .set later, 7
 later2 = 9
 jmp *val(%rip)
 jmp *%rax
 jmp *(%rax)
 call *8(%rax,%rbx,8)
 xbegin end
 .org 0x400
 ret $8
 jz,pt end
 .org end+0x400
 nop
 .nops 9
 lock
 incl 4(%rdi)
 rep; nop
 rep
 movsb
 lock; xaddw %ax,(%rdi)
 rep stosb
 repne scasb
 pushq $end
 push $end
 movq $end, (%rdi)
 movq $end, %rax
 test $end, %eax
 .data
val: .long 5
 .p2align 4
 .quad val, end
 .balignw 4,0x1234
 .byte 1
 .byte 1,1,1
 .balignl 8,0x12345678
 .previous
 nop
 .pushsection .data
 .byte 7
 .popsection
 .section .data
 .byte 8
 .cfi_startproc
 .cfi_endproc
 .file "x.c"
 .ident "foo"
