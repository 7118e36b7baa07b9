# Message passing needs no fence on x86.

litmus
X86_64 MP
{ }
 P0          | P1            ;
 movl $1,(x) | movl (y),%eax ;
 movl $1,(y) | movl (x),%ebx ;
exists (1:rax=1 /\ 1:rbx=0)
----
Test MP Allowed
States 3
1:rax=0; 1:rbx=0;
1:rax=0; 1:rbx=1;
1:rax=1; 1:rbx=1;
No
Witnesses
Positive: 0 Negative: 3
Condition exists (1:rax=1 /\ 1:rbx=0)
Observation MP Never 0 3
