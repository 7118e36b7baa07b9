# Threads: a label for each vCPU, and every final state.

asm
P0:	movl $1, 0x200000
	movl 0x200040, %eax
	hlt
P1:	movl $1, 0x200040
	movl 0x200000, %eax
	hlt
end

check --observe P0.eax,P1.eax
----
holds
  final: P0.eax=0x0 P1.eax=0x0
  final: P0.eax=0x0 P1.eax=0x1
  final: P0.eax=0x1 P1.eax=0x0
  final: P0.eax=0x1 P1.eax=0x1

# Both read 0: the stores wait in their buffers.
check violated final --final 'P0.eax==1 || P1.eax==1'

test fenced

asm
P0:	movl $1, 0x200000
	mfence
	movl 0x200040, %eax
	hlt
P1:	movl $1, 0x200040
	mfence
	movl 0x200000, %eax
	hlt
end

check --observe P0.eax,P1.eax
----
holds
  final: P0.eax=0x0 P1.eax=0x1
  final: P0.eax=0x1 P1.eax=0x0
  final: P0.eax=0x1 P1.eax=0x1

check holds --final 'P0.eax==1 || P1.eax==1'

test inputs

asm
P0:	lock xadd %eax, (%rdi)
	hlt
P1:	lock xadd %eax, (%rdi)
	hlt
end

check P0.rdi=0x200000 P1.rdi=0x200000 P0.rax=1 P1.rax=2 0x200000=10 --observe P0.eax,P1.eax,mem:0x200000:4
----
holds
  final: P0.eax=0x10 P1.eax=0x11 mem:0x200000:4=0x13
  final: P0.eax=0x12 P1.eax=0x10 mem:0x200000:4=0x13
