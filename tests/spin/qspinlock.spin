# Linux's queued spinlock: a fast path like test and set, one pending, the rest in
# a queue.

source qspinlock

count
----
lock: 8 instructions, 1 locked, 3 loads, 2 stores, 2 branches, 19 bytes
unlock: 5 instructions, 0 locked, 2 loads, 2 stores, 1 branches, 9 bytes
spin: 4 instructions a turn
slowpath: 326 bytes

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
	lock locked == 1
	unlock instructions <= 5
	unlock locked == 0
	spin instructions <= 4
	check holds 3x1
	check holds 4x1 --long
	check holds 3x2 --long
	run done 8x20
end

# Nobody starves.
check holds 2xforever

# Interrupts queue with nodes of their own.
check holds --do ABba,ABba --irq 0:Cc
check holds --do Aa,ABba --irq 0:Bb

test xchgb
source qspinlock PENDING_XCHGB=1

# On x86-TSO an XCHG of the byte is as good as a LOCK BTS of the word: both drain.
check holds 2x2
check holds 3x2 --long

test try
source qspinlock

regs spin_trylock rdi=0x200000
----
end — 12 instructions, 1 locked, 4 loads, 2 stores, 2 branches
rax 0x0 -> 0x1
rcx 0x0 -> 0x1
rdx 0x0 -> 0x1
rsp 0x307ff8 -> 0x308000
rflags 0x2 -> 0x46 (PF ZF)
[0x200000] 00 -> 01

# A queue behind a free lock: nobody steals.
regs spin_trylock rdi=0x200000 0x200000=00000400
----
end — 9 instructions, 0 locked, 3 loads, 1 stores, 2 branches
rsp 0x307ff8 -> 0x308000
rflags 0x2 -> 0x6 (PF)

# Pending, not locked: locked for all that ask.
regs spin_is_locked rdi=0x200000 0x200000=0001
----
end — 7 instructions, 0 locked, 3 loads, 1 stores, 1 branches
rax 0x0 -> 0x1
rsp 0x307ff8 -> 0x308000
rflags 0x2 -> 0x6 (PF)
