 .text
 nop
 .p2align 6
 ret
 .p2align 4,,10
 .p2align 3
 jmp 1f
 .skip 120
 jmp 1f
 jmp 1f
1: nop
 jne 2f
 .p2align 6
 .skip 60
 jne 2f
 jmp 3f
 .skip 64
2: nop
 .skip 127
 jmp 2b
3: .skip 126
 jmp 3b
 .skip 3b-2b
 .skip 4f-5f
5: jmp 5f
 nop
4: .byte 4b-5b
5:
