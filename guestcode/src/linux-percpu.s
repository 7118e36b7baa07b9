# linux-percpu.s: the per-CPU variables of Linux that spinlocks read. Their
# symbols are offsets from GS base (include/linux/percpu-defs.h); layout.go has
# the slots, and the host fills them in.
	.globl cpu_number
	.set cpu_number, 0		# the index of this CPU
	.globl this_cpu_off
	.set this_cpu_off, 152		# GS base itself
	.globl __preempt_count
	.set __preempt_count, 160	# PREEMPT_ENABLED at the start
