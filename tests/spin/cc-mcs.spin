# The MCS queue lock in C. Compiled where a compiler is; budgets, because its code differs
# between versions.

test O0

cc -O0 testdata/mcs.c

budget
	lock locked == 1
	unlock locked == 1
	check holds 2x2
end

test O1

cc -O1 testdata/mcs.c

budget
	lock locked == 1
	unlock locked == 1
	check holds 2x2
end

test O2

cc -O2 testdata/mcs.c

budget
	lock locked == 1
	unlock locked == 1
	check holds 2x2
end

test Os

cc -Os testdata/mcs.c

budget
	lock locked == 1
	unlock locked == 1
	check holds 2x2
end
