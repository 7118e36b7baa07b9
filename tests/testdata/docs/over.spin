source mcs

count lock
----
lock: 9 instructions, 1 locked, 3 loads, 3 stores, 2 branches, 29 bytes

budget
	lock locked == 1
	unlock locked == 0
	check holds 2x1
end
