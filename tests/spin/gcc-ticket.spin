# A ticket lock in C. Stored output of gcc 12.2 at four levels, so that it is the
# same code everywhere; cc-ticket.spin compiles it anew.

test O0

source testdata/ticket-O0.s

count
----
lock: 16 instructions, 1 locked, 7 loads, 5 stores, 2 branches, 67 bytes
unlock: 12 instructions, 0 locked, 5 loads, 3 stores, 1 branches, 30 bytes
spin: 5 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50

test O1

source testdata/ticket-O1.s

count
----
lock: 8 instructions, 1 locked, 2 loads, 1 stores, 2 branches, 33 bytes
unlock: 4 instructions, 0 locked, 2 loads, 1 stores, 1 branches, 9 bytes
spin: 4 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50

test O2

source testdata/ticket-O2.s

count
----
lock: 9 instructions, 1 locked, 2 loads, 1 stores, 3 branches, 49 bytes
unlock: 4 instructions, 0 locked, 2 loads, 1 stores, 1 branches, 9 bytes
spin: 4 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50

test Os

source testdata/ticket-Os.s

count
----
lock: 8 instructions, 1 locked, 2 loads, 1 stores, 2 branches, 34 bytes
unlock: 4 instructions, 0 locked, 2 loads, 1 stores, 1 branches, 7 bytes
spin: 5 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50
