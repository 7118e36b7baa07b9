# Machine code as a JIT compiler hands it over: one part, called at its first
# byte, and it returns to nobody.

hex f0 0f c1 07  c3

regs rax=2 rdi=0x200000 0x200000=05
----
end — 2 instructions, 1 locked, 2 loads, 1 stores, 1 branches
rax 0x2 -> 0x5
rsp 0x307ff8 -> 0x308000
[0x200000] 05 -> 07

count rdi=0x200000
----
code: 2 instructions, 1 locked, 2 loads, 1 stores, 1 branches, 5 bytes

dis
----
  f00fc107             lock xadd %eax,(%rdi)
  c3                   ret
