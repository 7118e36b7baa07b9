# The same lock as objects, linked as a linker would, with and without debug
# information.

test O0

cc -c -O0 testdata/ticket.c

budget
	lock locked == 1
	unlock locked == 0
	check holds 2x2
end

test O1

cc -c -O1 -g testdata/ticket.c

budget
	lock locked == 1
	unlock locked == 0
	check holds 2x2
end

test O2

cc -c -O2 testdata/ticket.c

budget
	lock locked == 1
	lock instructions <= 12
	unlock locked == 0
	check holds 3x1
	run done 4x20
end

test Os

cc -c -Os -g testdata/mcs.c

budget
	lock locked == 1
	unlock locked == 1
	check holds 2x2
end
