# A program that drives itself: two vCPUs add without a lock, and one of the
# updates may get lost.

asm
	.globl vcpu_main
vcpu_main:
	mov $0x200000, %edi
	incl (%rdi)
	xor %eax, %eax
	out %al, $0xf4
end

check --observe mem:0x200000:4
----
holds
  final: mem:0x200000:4=0x1
  final: mem:0x200000:4=0x2

test atomic

asm
	.globl vcpu_main
vcpu_main:
	mov $0x200000, %edi
	lock incl (%rdi)
	xor %eax, %eax
	out %al, $0xf4
end

check holds --final 'mem:0x200000:4==2'
run done 4x1
