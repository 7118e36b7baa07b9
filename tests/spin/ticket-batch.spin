# The batched ticket lock: first come first served between batches.

source ticket-batch

count
----
lock: 23 instructions, 2 locked, 5 loads, 3 stores, 4 branches, 66 bytes
unlock: 9 instructions, 1 locked, 5 loads, 2 stores, 3 branches, 14 bytes
spin: 5 instructions a turn
slowpath: 329 bytes

run 4x50
----
done — counter 200 of 200

check 2x1
----
holds

check 2x2
----
holds

check holds 2x2 --define TICKET_BATCH=1
check holds 3x1
