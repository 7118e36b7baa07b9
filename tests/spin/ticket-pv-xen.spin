# The PV ticket lock on Xen: it polls an event channel.

source ticket-pv-xen

count
----
lock: 9 instructions, 1 locked, 3 loads, 2 stores, 2 branches, 23 bytes
unlock: 9 instructions, 1 locked, 5 loads, 2 stores, 3 branches, 14 bytes
spin: 6 instructions a turn
slowpath: 658 bytes

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
	unlock locked == 1
	check holds 3x1 --long
	run done 4x50 --commit late
end
