# harness.s: the guest program around a lock. The machine starts vCPU 0 at
# vcpu_boot; when that has ended, every vCPU at vcpu_main.
#
# On entry %rdi = index of this vCPU (vcpu_main), %rsp = the top of its own
# stack, %gs base = its per-CPU area, IF = 0, other registers 0. The end is
# `out %al, $0xf4` with %al = 0.

	.set ITERS, 1000		# acquisitions of each vCPU
	.set WORK_IN, 0			# turns of work inside the critical section
	.set WORK_OUT, 0		# and outside, before each acquisition
	.set ITERS_FOREVER, 0		# 1: no end and no counter, so that the
					# states of an endless run are finite
	.set FREE_LAST, 0		# after that many acquisitions in all, the
					# last owner gives the memory of the lock back
	.set IRQS, 0			# 1: with the handlers of harness-irq.s
	.set DO_MAIN, 0			# 1: vcpu_main is that of harness-do.s

	.if ITERS < 1
	.error "ITERS must be 1 to 0x7fffffff"
	.endif
	.if ITERS > 0x7fffffff
	.error "ITERS must be 1 to 0x7fffffff"
	.endif
	.if WORK_IN < 0
	.error "WORK_IN must be 0 to 0x7fffffff"
	.endif
	.if WORK_IN > 0x7fffffff
	.error "WORK_IN must be 0 to 0x7fffffff"
	.endif
	.if WORK_OUT < 0
	.error "WORK_OUT must be 0 to 0x7fffffff"
	.endif
	.if WORK_OUT > 0x7fffffff
	.error "WORK_OUT must be 0 to 0x7fffffff"
	.endif

# The address map (layout.go).
	.set LOCK, 0x200000		# lock A
	.set COUNTER, 0x40		# from the lock to its counter
	.set PERCPU_BASE, 0x800000
	.set PERCPU_SHIFT, 12
	.set PERCPU_NODE, 16		# the queue node in the per-CPU area
	.set PERCPU_IRQ, 136		# bit 0, set by the host: takes interrupts
	.set PORT_EXIT, 0xf4
	.set PORT_FREE, 0xf5

	.text

	.globl vcpu_boot
	.type vcpu_boot, @function
vcpu_boot:
	.if IRQS
	call harness_idt_init
	.endif
	call spin_init
	xor %eax, %eax
	out %al, $PORT_EXIT
	.size vcpu_boot, . - vcpu_boot

	.if DO_MAIN == 0
# vcpu_main(index). %rbx = lock, %r12 = own node, %ebp = acquisitions left: all
# callee-saved, so that the loop outside the lock functions is 9 instructions.
	.globl vcpu_main
	.type vcpu_main, @function
vcpu_main:
	shl $PERCPU_SHIFT, %edi
	lea PERCPU_BASE+PERCPU_NODE(%rdi), %r12
	mov $LOCK, %ebx
	.if ITERS_FOREVER == 0
	mov $ITERS, %ebp
	.endif
	.if IRQS
	lidt harness_idtr(%rip)
	testb $1, %gs:PERCPU_IRQ	# a vCPU named by --irq runs with IF = 1
	je 1f
	sti
	.endif

1:
	.if WORK_OUT
	mov $WORK_OUT, %eax
2:	dec %eax
	jne 2b
	.endif

	mov %rbx, %rdi
	mov %r12, %rsi
	.globl acquire
acquire:
	call spin_lock
	.globl acquired
acquired:
	.if ITERS_FOREVER == 0
	incq COUNTER(%rbx)		# plain: an exclusion failure loses counts
	.if FREE_LAST
	mov COUNTER(%rbx), %r13
	.endif
	.endif

	.if WORK_IN
	mov $WORK_IN, %eax
3:	dec %eax
	jne 3b
	.endif

	mov %rbx, %rdi
	mov %r12, %rsi
	.globl release
release:
	call spin_unlock
	.globl released
released:
	.if FREE_LAST
	cmp $FREE_LAST, %r13		# kfree(object), as whoever drops the last
	jne 4f				# reference does
	mov %rbx, %rdi
	mov $COUNTER, %esi
	out %al, $PORT_FREE
4:
	.endif
	.if ITERS_FOREVER
	jmp 1b
	.else
	dec %ebp
	jne 1b

	xor %eax, %eax
	out %al, $PORT_EXIT		# a pass
	.endif
	.size vcpu_main, . - vcpu_main
	.endif
