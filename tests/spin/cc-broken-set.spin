# A lock that tests and sets in two steps. Compiled where a compiler is; budgets, because its code differs
# between versions.

test O0

cc -O0 testdata/broken-set.c

budget
	check violated exclusion 2x1
end

test O1

cc -O1 testdata/broken-set.c

budget
	check violated exclusion 2x1
end

test O2

cc -O2 testdata/broken-set.c

budget
	check violated exclusion 2x1
end

test Os

cc -Os testdata/broken-set.c

budget
	check violated exclusion 2x1
end
