# Registers and flags after single instructions.

asm
carry:	add $1, %eax
	ret
borrow:	sub $1, %eax
	ret
swap:	xchg %eax, %ebx
	ret
cas:	lock cmpxchg %ecx, (%rdi)
	ret
end

regs carry rax=0xffffffff
----
end — 2 instructions, 0 locked, 1 loads, 0 stores, 1 branches
rax 0xffffffff -> 0x0
rsp 0x307ff8 -> 0x308000
rflags 0x2 -> 0x57 (CF PF AF ZF)

regs carry rax=0x7fffffff
----
end — 2 instructions, 0 locked, 1 loads, 0 stores, 1 branches
rax 0x7fffffff -> 0x80000000
rsp 0x307ff8 -> 0x308000
rflags 0x2 -> 0x896 (PF AF SF OF)

regs borrow
----
end — 2 instructions, 0 locked, 1 loads, 0 stores, 1 branches
rax 0x0 -> 0xffffffff
rsp 0x307ff8 -> 0x308000
rflags 0x2 -> 0x97 (CF PF AF SF)

regs swap rax=1 rbx=2
----
end — 2 instructions, 0 locked, 1 loads, 0 stores, 1 branches
rax 0x1 -> 0x2
rbx 0x2 -> 0x1
rsp 0x307ff8 -> 0x308000

# It succeeds, and it fails.
regs cas rax=5 rcx=7 rdi=0x200000 0x200000=05
----
end — 2 instructions, 1 locked, 2 loads, 1 stores, 1 branches
rsp 0x307ff8 -> 0x308000
rflags 0x2 -> 0x46 (PF ZF)
[0x200000] 05 -> 07

regs cas rax=6 rcx=7 rdi=0x200000 0x200000=05
----
end — 2 instructions, 1 locked, 2 loads, 1 stores, 1 branches
rax 0x6 -> 0x5
rsp 0x307ff8 -> 0x308000

count carry instructions == 2 rax=1
count cas locked == 1 rdi=0x200000
