# A compare-and-swap lock in C. Stored output of gcc 12.2 at four levels, so that it is the
# same code everywhere; cc-cas.spin compiles it anew.

test O0

source testdata/cas-O0.s

count
----
lock: 18 instructions, 1 locked, 5 loads, 4 stores, 3 branches, 56 bytes
unlock: 9 instructions, 0 locked, 3 loads, 3 stores, 1 branches, 22 bytes
spin: 15 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50

count spin_trylock rdi=0x200000
----
spin_trylock: 16 instructions, 1 locked, 5 loads, 4 stores, 2 branches, 50 bytes

test O1

source testdata/cas-O1.s

count
----
lock: 5 instructions, 1 locked, 2 loads, 1 stores, 2 branches, 34 bytes
unlock: 2 instructions, 0 locked, 1 loads, 1 stores, 1 branches, 7 bytes
spin: 5 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50

count spin_trylock rdi=0x200000
----
spin_trylock: 6 instructions, 1 locked, 2 loads, 1 stores, 1 branches, 21 bytes

test O2

source testdata/cas-O2.s

count
----
lock: 5 instructions, 1 locked, 2 loads, 1 stores, 2 branches, 27 bytes
unlock: 2 instructions, 0 locked, 1 loads, 1 stores, 1 branches, 7 bytes
spin: 4 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50

count spin_trylock rdi=0x200000
----
spin_trylock: 6 instructions, 1 locked, 2 loads, 1 stores, 1 branches, 18 bytes

test Os

source testdata/cas-Os.s

count
----
lock: 6 instructions, 1 locked, 2 loads, 1 stores, 2 branches, 20 bytes
unlock: 2 instructions, 0 locked, 1 loads, 1 stores, 1 branches, 7 bytes
spin: 5 instructions a turn
slowpath: 0 bytes

check holds 2x2
run done 4x50

count spin_trylock rdi=0x200000
----
spin_trylock: 6 instructions, 1 locked, 2 loads, 1 stores, 1 branches, 18 bytes
