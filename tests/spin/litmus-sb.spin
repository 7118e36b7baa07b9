# Store buffering, written in the script.

litmus
X86_64 SB
{ }
 P0            | P1            ;
 movl $1,(x)   | movl $1,(y)   ;
 movl (y),%eax | movl (x),%eax ;
exists (0:rax=0 /\ 1:rax=0)
----
Test SB Allowed
States 4
0:rax=0; 1:rax=0;
0:rax=0; 1:rax=1;
0:rax=1; 1:rax=0;
0:rax=1; 1:rax=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (0:rax=0 /\ 1:rax=0)
Observation SB Sometimes 1 3

litmus
X86_64 SB+mfences
{ }
 P0            | P1            ;
 movl $1,(x)   | movl $1,(y)   ;
 mfence        | mfence        ;
 movl (y),%eax | movl (x),%eax ;
exists (0:rax=0 /\ 1:rax=0)
----
Test SB+mfences Allowed
States 3
0:rax=0; 1:rax=1;
0:rax=1; 1:rax=0;
0:rax=1; 1:rax=1;
No
Witnesses
Positive: 0 Negative: 3
Condition exists (0:rax=0 /\ 1:rax=0)
Observation SB+mfences Never 0 3
