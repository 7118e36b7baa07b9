# start.s: what calls a vcpu_main that a compiler has made. A function is entered
# with a return address on the stack, and a return is a pass.
	.set PORT_EXIT, 0xf4

	.text
	.globl start_main
	.type start_main, @function
start_main:
	call vcpu_main
	xor %eax, %eax
	out %al, $PORT_EXIT
	.size start_main, . - start_main
