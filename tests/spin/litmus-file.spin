# Tests in files.

litmus ../../litmus/testdata/x86/LB+mfence+po-po-po.litmus
----
Test LB+mfence+po-po-po Allowed
States 3
0:rax=0; 1:rax=0;
0:rax=0; 1:rax=1;
0:rax=1; 1:rax=0;
No
Witnesses
Positive: 0 Negative: 3
Condition exists (0:rax=1 /\ 1:rax=1)
Observation LB+mfence+po-po-po Never 0 3

litmus ../../litmus/testdata/x86/SB+mfence+mfence-po-po.litmus
----
Test SB+mfence+mfence-po-po Allowed
States 3
0:rax=0; 1:rax=1;
0:rax=1; 1:rax=0;
0:rax=1; 1:rax=1;
No
Witnesses
Positive: 0 Negative: 3
Condition exists (0:rax=0 /\ 1:rax=0)
Observation SB+mfence+mfence-po-po Never 0 3

litmus ../../litmus/testdata/x86/2+2W+po+po-mfence-po.litmus
----
Test 2+2W+po+po-mfence-po Allowed
States 3
[x]=1; [y]=1;
[x]=1; [y]=2;
[x]=2; [y]=1;
No
Witnesses
Positive: 0 Negative: 3
Condition exists ([x]=2 /\ [y]=2)
Observation 2+2W+po+po-mfence-po Never 0 3
