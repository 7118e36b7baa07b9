# What ends badly says so.

hex 0f0b
regs
----
fault #UD at 0x100000 — 0 instructions, 0 locked, 0 loads, 0 stores, 0 branches

hex f0 89 07
regs rdi=0x200000
----
fault #UD at 0x100000 — 0 instructions, 0 locked, 0 loads, 0 stores, 0 branches

hex 8b0425 00000090
regs
----
fault #PF, error 0x0, address 0xffffffff90000000 at 0x100000 — 0 instructions, 0 locked, 0 loads, 0 stores, 0 branches

hex ebfe
regs --max-instructions 100
----
limit at 0x100000 — 100 instructions, 0 locked, 0 loads, 0 stores, 100 branches
