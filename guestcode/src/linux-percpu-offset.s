# linux-percpu-offset.s: __per_cpu_offset[cpu], by which Linux finds another
# CPU's per-CPU variables (arch/x86/kernel/setup_percpu.c).
	.set PERCPU_BASE, 0x800000	# (layout.go)
	.set PERCPU_SIZE, 0x1000
	.set MAX_VCPUS, 1024

	.section .rodata
	.balign 8
	.globl __per_cpu_offset
	.type __per_cpu_offset, @object
__per_cpu_offset:
	.set cpu, 0
	.rept MAX_VCPUS
	.quad PERCPU_BASE + cpu * PERCPU_SIZE
	.set cpu, cpu + 1
	.endr
	.size __per_cpu_offset, . - __per_cpu_offset
