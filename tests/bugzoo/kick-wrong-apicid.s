# The host of PV ticketlock V8 looks the kicked vCPU up by its APIC id. If none
# matches, the loop variable is left on the last vCPU, and that one is kicked.
#
#	spinlab check kick-wrong-apicid.s --vcpus 3 --host-bug kick-last
#
# vCPU 2 sleeps until a kick says that DATA is there. vCPU 0 kicks an APIC id that
# nobody has: nothing may come of it. vCPU 1 sets DATA and kicks vCPU 2.

	.set DATA, 0x200000
	.set KVM_HC_KICK_CPU, 5

	.globl vcpu_main
vcpu_main:
	cmp $1, %edi
	je 1f
	ja 2f
	mov $99, %ebx			# nobody's APIC id
	jmp 3f

1:	movl $1, DATA
	mov $5, %ebx			# vCPU 2 has APIC id 5
3:	mov $KVM_HC_KICK_CPU, %eax
	vmcall
	xor %eax, %eax
	out %al, $0xf4

2:	hlt
	xor %eax, %eax
	cmpl $1, DATA
	setne %al			# kicked without reason
	out %al, $0xf4
