# The same with the halt of mainline: no gap between irq restore and HLT.

source ticket-pv-kvm-safe-halt

count
----
lock: 9 instructions, 1 locked, 3 loads, 2 stores, 2 branches, 23 bytes
unlock: 9 instructions, 1 locked, 5 loads, 2 stores, 3 branches, 14 bytes
spin: 6 instructions a turn
slowpath: 350 bytes

run 4x50
----
done — counter 200 of 200

check 2x1
----
holds

check 2x2
----
holds

check holds 2x1 --irq 0 --define SPIN_THRESHOLD=1
