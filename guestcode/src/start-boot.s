# start-boot.s: the same for a vcpu_boot (start.s).
	.set PORT_EXIT, 0xf4

	.text
	.globl start_boot
	.type start_boot, @function
start_boot:
	call vcpu_boot
	xor %eax, %eax
	out %al, $PORT_EXIT
	.size start_boot, . - start_boot
