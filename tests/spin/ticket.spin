# The native ticket lock: the counts are those of the patch series' listing.

source ticket

count
----
lock: 9 instructions, 1 locked, 3 loads, 2 stores, 2 branches, 23 bytes
unlock: 5 instructions, 0 locked, 3 loads, 2 stores, 1 branches, 9 bytes
spin: 4 instructions a turn
slowpath: 11 bytes

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
	lock instructions <= 9
	lock locked == 1
	unlock instructions <= 5
	unlock locked == 0
	spin instructions <= 4
	check holds 3x1
	check holds 4x2 --long
	run done 8x20
end

test u16
source ticket TICKET_BITS=16

count
----
lock: 10 instructions, 1 locked, 3 loads, 2 stores, 2 branches, 25 bytes
unlock: 5 instructions, 0 locked, 3 loads, 2 stores, 1 branches, 10 bytes
spin: 4 instructions a turn
slowpath: 12 bytes

check holds 2x2

test try
source ticket

# A free lock is taken; a held one is left alone, and nothing is written.
regs spin_trylock rdi=0x200000
----
end — 15 instructions, 1 locked, 4 loads, 2 stores, 2 branches
rax 0x0 -> 0x1
rcx 0x0 -> 0x1
rsp 0x307ff8 -> 0x308000
rflags 0x2 -> 0x46 (PF ZF)
[0x200001] 00 -> 01

regs spin_trylock rdi=0x200000 0x200000=0001
----
end — 10 instructions, 0 locked, 3 loads, 1 stores, 2 branches
rdx 0x0 -> 0x100
rsp 0x307ff8 -> 0x308000

count spin_trylock locked == 0 rdi=0x200000 0x200000=0001
