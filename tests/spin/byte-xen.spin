# Xen's old byte lock: its unlock needs an MFENCE.

source byte-xen

count
----
lock: 11 instructions, 1 locked, 3 loads, 2 stores, 3 branches, 37 bytes
unlock: 8 instructions, 0 locked, 3 loads, 2 stores, 2 branches, 19 bytes
spin: 5 instructions a turn
slowpath: 497 bytes

run 4x50
----
done — counter 200 of 200

check 2x1
----
holds

check 2x2
----
holds

check holds 3x1 --long

dis spin_unlock
----
spin_unlock:
  +0    55                   push %rbp
  +1    4889e5               mov %rsp,%rbp
  +4    c60700               movb $0x0,(%rdi)
  +7    0faef0               mfence
  +a    66837f0200           cmpw $0x0,0x2(%rdi)
  +f    7502                 jne spin_unlock.slow
  +11   5d                   pop %rbp
  +12   c3                   ret
