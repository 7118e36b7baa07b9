# Test and test-and-set in C. Compiled where a compiler is; budgets, because its code differs
# between versions.

test O0

cc -O0 testdata/ttas.c

budget
	lock locked == 1
	unlock locked == 0
	check holds 3x1
	run done 4x20
end

test O1

cc -O1 testdata/ttas.c

budget
	lock locked == 1
	unlock locked == 0
	check holds 3x1
	run done 4x20
end

test O2

cc -O2 testdata/ttas.c

budget
	lock locked == 1
	unlock locked == 0
	check holds 3x1
	run done 4x20
end

test Os

cc -Os testdata/ttas.c

budget
	lock locked == 1
	unlock locked == 0
	check holds 3x1
	run done 4x20
end
