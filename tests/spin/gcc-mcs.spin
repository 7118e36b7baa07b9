# The MCS queue lock in C. Stored output of gcc 12.2 at four levels, so that it is the
# same code everywhere; cc-mcs.spin compiles it anew.

test O0

source testdata/mcs-O0.s

count
----
lock: 17 instructions, 1 locked, 8 loads, 7 stores, 2 branches, 90 bytes
unlock: 25 instructions, 1 locked, 9 loads, 6 stores, 4 branches, 118 bytes
spin: 6 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50

test O1

source testdata/mcs-O1.s

count
----
lock: 7 instructions, 1 locked, 2 loads, 3 stores, 2 branches, 42 bytes
unlock: 8 instructions, 1 locked, 3 loads, 1 stores, 3 branches, 43 bytes
spin: 4 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50

test O2

source testdata/mcs-O2.s

count
----
lock: 7 instructions, 1 locked, 2 loads, 3 stores, 2 branches, 57 bytes
unlock: 7 instructions, 1 locked, 3 loads, 1 stores, 3 branches, 37 bytes
spin: 4 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50

test Os

source testdata/mcs-Os.s

count
----
lock: 9 instructions, 1 locked, 2 loads, 3 stores, 2 branches, 36 bytes
unlock: 7 instructions, 1 locked, 3 loads, 1 stores, 3 branches, 38 bytes
spin: 5 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50
