# spin-init-stub.s: the spin_init of a lock that needs none. It is added to a
# program whose sources define no spin_init of their own.
	.text
	.globl spin_init
	.type spin_init, @function
spin_init:
	ret
	.size spin_init, . - spin_init
