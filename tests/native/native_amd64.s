#include "textflag.h"

// func ticketLoop(mem *[16]uint64, n uint64)
// W1: the uncontended ticket lock, a plain counter on the next line, and the
// unlock: nine instructions an iteration.
TEXT ·ticketLoop(SB), NOSPLIT, $0-16
	MOVQ mem+0(FP), DI
	MOVQ n+8(FP), CX
w1:
	MOVL $0x100, AX
	LOCK
	XADDW AX, (DI)
	BYTE $0x0f; BYTE $0xb6; BYTE $0xd4 // movzbl %ah,%edx
	CMPB AX, DX
	JNE  w1spin
	INCQ 64(DI)
	INCB (DI)
	DECQ CX
	JNE  w1
w1spin:
	RET

// func aluLoop(mem *[16]uint64, n uint64)
// W2: eight instructions with a load and a store.
TEXT ·aluLoop(SB), NOSPLIT, $0-16
	MOVQ mem+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ $1, AX
	MOVQ $3, BX
w2:
	ADDQ BX, AX
	XORQ AX, BX
	MOVQ (DI), DX
	ADDQ DX, AX
	ANDQ $0xfff, BX
	MOVQ BX, 8(DI)
	DECQ CX
	JNE  w2
	RET
