# A lock on bit 0 by BTS, written in the script. Line numbers in messages are the
# script's.

asm
	.globl spin_lock, spin_unlock
spin_lock:
	lock btsl $0, (%rdi)
	jnc 2f
1:	pause
	testb $1, (%rdi)
	jne 1b
	jmp spin_lock
2:	ret
spin_unlock:
	movl $0, (%rdi)
	ret
end

count
----
lock: 3 instructions, 1 locked, 2 loads, 1 stores, 2 branches, 17 bytes
unlock: 2 instructions, 0 locked, 1 loads, 1 stores, 1 branches, 15 bytes
spin: 3 instructions a turn
slowpath: 0 bytes

budget
	lock instructions <= 3
	lock locked == 1
	unlock locked == 0
	check holds 3x1
	run done 4x100
end

test plain

# BTS without LOCK is no atomic operation.
asm
	.globl spin_lock, spin_unlock
spin_lock:
	btsl $0, (%rdi)
	jc spin_lock
	ret
spin_unlock:
	movl $0, (%rdi)
	ret
end

check 2x1 --trace
----
violated: exclusion
  vcpu 1 at vcpu_main+0x1f is in the critical section of lock 0x200000 while vcpu 0 at vcpu_main+0x29 is
   1  v0  spin_lock                    btsl $0x0,(%rdi)                   buffer + [lock] 01000000
   2  v0  vcpu_main+0x1f               incq 0x40(%rbx)                    buffer + [counter] 0100000000000000
   3  v1  spin_lock                    btsl $0x0,(%rdi)                   buffer + [lock] 01000000
   4  v1  vcpu_main+0x1f               incq 0x40(%rbx)                    buffer + [counter] 0100000000000000
