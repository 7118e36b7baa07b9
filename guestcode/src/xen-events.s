# xen-events.s: what a Xen guest's spinlock needs of event channels: one channel
# for each CPU that its waiter polls and an unlocker notifies.
#
# Linux drivers/xen/events.c and arch/x86/xen as they are around PV ticketlock V8
# (patch 5): xen_init_lock_cpu, xen_poll_irq, xen_send_IPI_one. The interrupt
# number in between is left out: lock_kicker_irq holds the port.
#
# Hypercalls: number in %rax, arguments in %rdi and %rsi, result in %rax; all
# other registers keep their values (Xen, public/arch-x86/xen-x86_64.h).

	.set NR_CPUS, 1024		# CPUs that may get a channel

	.if NR_CPUS < 1 || NR_CPUS > 1024
	.error "NR_CPUS must be 1 to 1024"
	.endif

	.set __HYPERVISOR_memory_op, 12
	.set __HYPERVISOR_sched_op, 29
	.set __HYPERVISOR_event_channel_op, 32
	.set XENMEM_add_to_physmap, 7
	.set DOMID_SELF, 0x7ff0
	.set SCHEDOP_poll, 3
	.set EVTCHNOP_send, 4
	.set EVTCHNOP_bind_ipi, 7

	.set SHARED_INFO, 0x7f0000	# where shared_info goes (layout.go)
	.set EVTCHN_MASK, 0xa00		# in it: a bit for each port
	.set PERCPU_BASE, 0x800000
	.set PERCPU_SHIFT, 12
	.set KICKER_PORT, 128		# lock_kicker_irq; 0, not -1, is "none yet"

	.text

# xen_init_events: %eax = 1 if this is Xen and every CPU has its channel. Runs on
# the boot CPU before the others.
	.globl xen_init_events
	.type xen_init_events, @function
xen_init_events:
	push %rbp
	mov %rsp, %rbp
	push %rbx
	sub $24, %rsp

	# xen_cpuid_base(): the signature "XenVMMXenVMM"
	mov $0x40000000, %eax
	cpuid
	cmp $0x566e6558, %ebx
	jne 8f
	cmp $0x65584d4d, %ecx
	jne 8f
	cmp $0x4d4d566e, %edx
	jne 8f

	# xen_hvm_init_shared_info(): struct xen_add_to_physmap
	movl $DOMID_SELF, (%rsp)
	movl $0, 4(%rsp)		# space = XENMAPSPACE_shared_info
	movq $0, 8(%rsp)		# idx
	movq $SHARED_INFO >> 12, 16(%rsp)	# gpfn
	mov $__HYPERVISOR_memory_op, %eax
	mov $XENMEM_add_to_physmap, %edi
	mov %rsp, %rsi
	vmcall
	test %rax, %rax
	jne 9f				# BUG()

	# xen_init_lock_cpu(cpu) for each CPU that there is
	xor %ebx, %ebx
1:	mov %ebx, (%rsp)		# struct evtchn_bind_ipi: vcpu, port
	mov $__HYPERVISOR_event_channel_op, %eax
	mov $EVTCHNOP_bind_ipi, %edi
	mov %rsp, %rsi
	vmcall
	test %rax, %rax
	jne 2f				# no such CPU: that was the last
	mov 4(%rsp), %eax
	lock btsq %rax, SHARED_INFO+EVTCHN_MASK	# disable_irq(): never delivered
	mov %ebx, %edx
	shl $PERCPU_SHIFT, %edx
	mov %eax, PERCPU_BASE+KICKER_PORT(%rdx)	# per_cpu(lock_kicker_irq, cpu)
	inc %ebx
	cmp $NR_CPUS, %ebx
	jb 1b

2:	mov $1, %eax
	jmp 3f
8:	xor %eax, %eax			# not Xen: all stays native
3:	add $24, %rsp
	pop %rbx
	pop %rbp
	ret
9:	ud2
	.size xen_init_events, . - xen_init_events

# xen_poll_irq(irq): %r8d = port. Blocks until the port is pending, or until an
# interrupt comes. Saves all registers but %rax.
	.globl xen_poll_irq
	.type xen_poll_irq, @function
xen_poll_irq:
	push %rdi
	push %rsi
	sub $32, %rsp
	mov %r8d, 24(%rsp)		# the port
	lea 24(%rsp), %rax
	mov %rax, (%rsp)		# struct sched_poll: ports,
	movl $1, 8(%rsp)		# nr_ports,
	movq $0, 16(%rsp)		# timeout
	mov $__HYPERVISOR_sched_op, %eax
	mov $SCHEDOP_poll, %edi
	mov %rsp, %rsi
	vmcall
	test %rax, %rax
	jne 1f				# BUG()
	add $32, %rsp
	pop %rsi
	pop %rdi
	ret
1:	ud2
	.size xen_poll_irq, . - xen_poll_irq

# xen_send_IPI_one(cpu, XEN_SPIN_UNLOCK_VECTOR): %rax = offset of the CPU's
# per-CPU area. Changes %rax, %rdi and %rsi.
	.globl xen_send_IPI_one
	.type xen_send_IPI_one, @function
xen_send_IPI_one:
	mov PERCPU_BASE+KICKER_PORT(%rax), %eax
	sub $8, %rsp
	mov %eax, (%rsp)		# struct evtchn_send
	mov $__HYPERVISOR_event_channel_op, %eax
	mov $EVTCHNOP_send, %edi
	mov %rsp, %rsi
	vmcall
	add $8, %rsp
	ret
	.size xen_send_IPI_one, . - xen_send_IPI_one
