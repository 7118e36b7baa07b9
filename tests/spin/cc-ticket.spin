# A ticket lock in C. Compiled where a compiler is; budgets, because its code differs
# between versions.

test O0

cc -O0 testdata/ticket.c

budget
	lock locked == 1
	unlock locked == 0
	lock instructions <= 30
	unlock instructions <= 20
	check holds 2x2
	run done 4x20
end

test O1

cc -O1 testdata/ticket.c

budget
	lock locked == 1
	unlock locked == 0
	lock instructions <= 30
	unlock instructions <= 20
	check holds 2x2
	run done 4x20
end

test O2

cc -O2 testdata/ticket.c

budget
	lock locked == 1
	unlock locked == 0
	lock instructions <= 30
	unlock instructions <= 20
	check holds 2x2
	run done 4x20
end

test Os

cc -Os testdata/ticket.c

budget
	lock locked == 1
	unlock locked == 0
	lock instructions <= 30
	unlock instructions <= 20
	check holds 2x2
	run done 4x20
end
