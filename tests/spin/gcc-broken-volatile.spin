# A plain load in the waiting loop: right as long as nobody optimises. From
# -O1 on the load is done once, and the waiter never sees the release.

test O0

source testdata/broken-volatile-O0.s

check 2x1
----
holds

test O1

source testdata/broken-volatile-O1.s

check 2x1
----
violated: livelock

dis spin_lock
----
spin_lock:
  +0    ba01000000           mov $0x1,%edx
  +5    eb06                 jmp spin_lock+0xd
  +7    8b07                 mov (%rdi),%eax
  +9    85c0                 test %eax,%eax
  +b    75fc                 jne spin_lock+0x9
  +d    89d0                 mov %edx,%eax
  +f    8707                 xchg %eax,(%rdi)
  +11   85c0                 test %eax,%eax
  +13   75f2                 jne spin_lock+0x7
  +15   c3                   ret

test O2

source testdata/broken-volatile-O2.s

check 2x1
----
violated: livelock

dis spin_lock
----
spin_lock:
  +0    ba01000000           mov $0x1,%edx
  +5    0f1f00               nopl (%rax)
  +8    89d0                 mov %edx,%eax
  +a    8707                 xchg %eax,(%rdi)
  +c    85c0                 test %eax,%eax
  +e    7410                 je spin_lock+0x20
  +10   8b07                 mov (%rdi),%eax
  +12   660f1f440000         nopw (%rax,%rax,1)
  +18   85c0                 test %eax,%eax
  +1a   75fc                 jne spin_lock+0x18
  +1c   ebea                 jmp spin_lock+0x8
  +1e   6690                 nop
  +20   c3                   ret

test Os

source testdata/broken-volatile-Os.s

check 2x1
----
violated: livelock

dis spin_lock
----
spin_lock:
  +0    ba01000000           mov $0x1,%edx
  +5    89d0                 mov %edx,%eax
  +7    8707                 xchg %eax,(%rdi)
  +9    85c0                 test %eax,%eax
  +b    7408                 je spin_lock+0x15
  +d    8b07                 mov (%rdi),%eax
  +f    85c0                 test %eax,%eax
  +11   75fc                 jne spin_lock+0xf
  +13   ebf0                 jmp spin_lock+0x5
  +15   c3                   ret
