# Test and set.

source tas

count
----
lock: 8 instructions, 1 locked, 3 loads, 2 stores, 2 branches, 17 bytes
unlock: 5 instructions, 0 locked, 2 loads, 2 stores, 1 branches, 9 bytes
spin: 6 instructions a turn
slowpath: 4 bytes

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
	unlock locked == 0
	check holds 4x2
end
