# A lock of two functions in machine code: test and test-and-set.

hex spin_lock:b001 8607 84c0 7501 c3  f390 803f00 75f9 ebee \
    spin_unlock:c60700 c3

dis
----
spin_lock:
  b001                 mov $0x1,%al
  8607                 xchg %al,(%rdi)
  84c0                 test %al,%al
  7501                 jne spin_lock+0x9
  c3                   ret
  f390                 pause
  803f00               cmpb $0x0,(%rdi)
  75f9                 jne spin_lock+0x9
  ebee                 jmp spin_lock
  cc                   int3
  cc                   int3
  cc                   int3
  cc                   int3
  cc                   int3
  cc                   int3
  cc                   int3
  cc                   int3
  cc                   int3
  cc                   int3
  cc                   int3
  cc                   int3
  cc                   int3
  cc                   int3
spin_unlock:
  c60700               movb $0x0,(%rdi)
  c3                   ret

count
----
lock: 5 instructions, 1 locked, 2 loads, 1 stores, 2 branches, 18 bytes
unlock: 2 instructions, 0 locked, 1 loads, 1 stores, 1 branches, 4 bytes
spin: 3 instructions a turn
slowpath: 0 bytes

budget
	lock instructions <= 5
	lock locked == 1
	lock bytes <= 20
	unlock instructions <= 2
	unlock locked == 0
	check holds 3x2
	run done 4x100
end
