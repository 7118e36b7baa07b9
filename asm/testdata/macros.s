.irp r,c,d
mov %e\r\()x, %eax
.endr
.p2align 4,0x90
ret
.p2align 5, 0x90, 20
ret
.balign 32,0x90
ret
.byte 1,2,3;.balignl 4,0x90
.align 16,0x90
661: nop
662:
.skip -(((6651f-6641f)-(662b-661b)) > 0) * ((6651f-6641f)-(662b-661b)),0x90
663:
.pushsection .discard,"a"
6641: .byte 1,2,3
6651:
.popsection
.long 661b - .
.byte 662b-661b
.if 662b-661b == 1
.byte 0xaa
.endif
.macro m2 x, y=7, z
.byte \x, \y
.ifnb \z
.byte \z
.endif
.endm
m2 1
m2 1,2
m2 1,,3
m2 y=5,x=6
m2 x=1 z=4
.macro lbl
.L\@_x: jmp .L\@_x
.endm
lbl
lbl
.ifc a,a
.byte 1
.endif
.macro opt insn:req ops:vararg
\insn \ops
.endm
opt mov %eax, %ebx
opt nop
opt addl $1, 4(%rdi,%rsi,2)
foo = . - 661b
.byte foo
.set i, 0
.rept 4
.byte i
.set i, i+1
.endr
.byte i
.long bar
.set bar, 5
.set bar, 6
.long bar
mov $(5+3)*2, %eax
mov (5+3)*2(%rdi), %eax
mov -8+4(%rdi), %eax
movl $'A', %eax
movb $'\n, %al
mov %eax , 4 ( %rdi , %rsi , 2 )
mov $ 5, %eax
lea 1f-661b(%rip), %rax
1: nop
jmp 1b+1
jmp .+200
