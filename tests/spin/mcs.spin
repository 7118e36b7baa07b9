# The queue lock of Mellor-Crummey and Scott.

source mcs

count
----
lock: 10 instructions, 1 locked, 3 loads, 4 stores, 2 branches, 31 bytes
unlock: 10 instructions, 1 locked, 4 loads, 2 stores, 3 branches, 33 bytes
spin: 3 instructions a turn
slowpath: 25 bytes

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
	unlock locked == 1
	check holds 3x1
end

# Somebody waits: the unlock hands over with a plain store.
regs spin_unlock rdi=0x200000 rsi=0x200100 0x200000=4002200000000000 0x200100=4002200000000000
----
end — 9 instructions, 0 locked, 3 loads, 2 stores, 3 branches
rdx 0x0 -> 0x200240
rsp 0x307ff8 -> 0x308000
[0x200248] 00 -> 01
