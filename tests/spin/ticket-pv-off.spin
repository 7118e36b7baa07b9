# The PV ticket lock with its static key off.

source ticket-pv-off

count
----
lock: 9 instructions, 1 locked, 3 loads, 2 stores, 2 branches, 23 bytes
unlock: 6 instructions, 0 locked, 3 loads, 2 stores, 1 branches, 14 bytes
spin: 6 instructions a turn
slowpath: 95 bytes

run 4x50
----
done — counter 200 of 200

check 2x1
----
holds

check 2x2
----
holds

budget
	lock instructions == 9
	unlock instructions <= 6
	unlock locked == 0
	check holds 3x1
	run done 8x20
end

dis spin_unlock
----
spin_unlock:
  +0    55                   push %rbp
  +1    4889e5               mov %rsp,%rbp
  +4    0f1f440000           nopl (%rax,%rax,1)
  +9    800702               addb $0x2,(%rdi)
  +c    5d                   pop %rbp
  +d    c3                   ret
