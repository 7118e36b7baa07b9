# Test and test-and-set in C. Stored output of gcc 12.2 at four levels, so that it is the
# same code everywhere; cc-ttas.spin compiles it anew.

test O0

source testdata/ttas-O0.s

count
----
lock: 13 instructions, 1 locked, 4 loads, 3 stores, 3 branches, 42 bytes
unlock: 9 instructions, 0 locked, 3 loads, 3 stores, 1 branches, 22 bytes
spin: 5 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50

test O1

source testdata/ttas-O1.s

count
----
lock: 7 instructions, 1 locked, 2 loads, 1 stores, 3 branches, 25 bytes
unlock: 2 instructions, 0 locked, 1 loads, 1 stores, 1 branches, 4 bytes
spin: 4 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50

test O2

source testdata/ttas-O2.s

count
----
lock: 7 instructions, 1 locked, 2 loads, 1 stores, 2 branches, 33 bytes
unlock: 2 instructions, 0 locked, 1 loads, 1 stores, 1 branches, 4 bytes
spin: 5 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50

test Os

source testdata/ttas-Os.s

count
----
lock: 6 instructions, 1 locked, 2 loads, 1 stores, 2 branches, 21 bytes
unlock: 2 instructions, 0 locked, 1 loads, 1 stores, 1 branches, 4 bytes
spin: 5 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50
