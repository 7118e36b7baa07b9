# init-args.s: gives the spin_init of a compiled lock its arguments. The harness
# calls init_with_lock in its place.
	.set LOCK, 0x200000		# (layout.go)
	.set PERCPU_BASE, 0x800000
	.set PERCPU_NODE, 16

	.text
	.globl init_with_lock
	.type init_with_lock, @function
init_with_lock:
	mov $LOCK, %edi
	mov $PERCPU_BASE+PERCPU_NODE, %esi	# vCPU 0 runs it
	jmp spin_init
	.size init_with_lock, . - init_with_lock
