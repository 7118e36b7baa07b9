# The PV ticket lock on KVM: it halts after SPIN_THRESHOLD turns.

source ticket-pv-kvm

count
----
lock: 9 instructions, 1 locked, 3 loads, 2 stores, 2 branches, 23 bytes
unlock: 9 instructions, 1 locked, 5 loads, 2 stores, 3 branches, 14 bytes
spin: 6 instructions a turn
slowpath: 342 bytes

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
	unlock instructions <= 9
	unlock locked == 1
	check holds 2x2 --define SPIN_THRESHOLD=1
	check holds 3x1 --long
	run done 4x50 --ple on
	run done 4x50 --commit late
end

# Under overcommit waiters sleep, and every sleeper is kicked.
budget
	run hlts > 0 4x200
	run kicks > 0 4x200
end
