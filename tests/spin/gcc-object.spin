# A stored object of gcc 12.2: calls between its sections, a table that is read
# through relocations, a static counter. cc-object.spin compiles anew.
source testdata/inline-O2.o

count
----
lock: 5 instructions, 1 locked, 2 loads, 1 stores, 2 branches, 29 bytes
unlock: 2 instructions, 0 locked, 1 loads, 1 stores, 1 branches, 7 bytes
spin: 4 instructions a turn
slowpath: 82 bytes

count spin_lock rdi=0x200000
----
spin_lock: 5 instructions, 1 locked, 2 loads, 1 stores, 2 branches, 29 bytes

dis spin_unlock
----
spin_unlock:
  +0    c70700000000         movl $0x0,(%rdi)
  +6    c3                   ret

check 2x2
----
holds

run 4x50
----
done — counter 200 of 200

budget
	lock locked == 1
	unlock locked == 0
	check holds 3x1
end
