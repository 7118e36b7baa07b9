# A compare-and-swap lock in C. Compiled where a compiler is; budgets, because its code differs
# between versions.

test O0

cc -O0 testdata/cas.c

budget
	lock locked == 1
	unlock locked == 0
	count spin_trylock locked == 1 rdi=0x200000
	check holds 3x1
end

test O1

cc -O1 testdata/cas.c

budget
	lock locked == 1
	unlock locked == 0
	count spin_trylock locked == 1 rdi=0x200000
	check holds 3x1
end

test O2

cc -O2 testdata/cas.c

budget
	lock locked == 1
	unlock locked == 0
	count spin_trylock locked == 1 rdi=0x200000
	check holds 3x1
end

test Os

cc -Os testdata/cas.c

budget
	lock locked == 1
	unlock locked == 0
	count spin_trylock locked == 1 rdi=0x200000
	check holds 3x1
end
