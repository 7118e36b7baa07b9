# The same with MOV for XCHG: two enter.

hex
	spin_lock:8a07 c60701 84c0 7501 c3 f390 ebf2
	spin_unlock:c60700 c3
end

dis spin_lock
----
spin_lock:
  +0    8a07                 mov (%rdi),%al
  +2    c60701               movb $0x1,(%rdi)
  +5    84c0                 test %al,%al
  +7    7501                 jne spin_lock+0xa
  +9    c3                   ret
  +a    f390                 pause
  +c    ebf2                 jmp spin_lock

check 2x1
----
violated: exclusion

check violated exclusion 2x1
