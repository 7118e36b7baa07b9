# harness-irq.s: the harness's interrupt descriptor table and handlers, for runs
# in which the host injects interrupts.
#
# vcpu_boot calls harness_idt_init, every vCPU then loads the table (harness.s).
# The handlers run with IF = 0 on the interrupted stack. The default irq_handler
# takes lock B, increments its counter and releases it: a nested lock is what
# makes interrupts interesting to a lock. The default nmi_handler only counts,
# because an NMI may come while irq_handler holds B.

	.set OWN_IRQ, 0			# 1: the program has an irq_handler
	.set OWN_NMI, 0			# 1: and an nmi_handler
	.set DO_HANDLERS, 0		# how many vectors from 32 on have handlers of
					# their own (harness-do.s)

	.set LOCK_B, 0x200080		# (layout.go)
	.set COUNTER, 0x40		# from the lock to its counter
	.set PERCPU_BASE, 0x800000
	.set PERCPU_SHIFT, 12
	.set PERCPU_INDEX, 0
	.set PERCPU_IRQNODE, 80		# the queue node of handlers
	.set PERCPU_NMIS, 144		# NMIs that this CPU took

	.set NMI_VECTOR, 2
	.set FIRST_VECTOR, 32		# external interrupts: 32 to 255

	.text

# set_gate: %edi = vector, %rax = handler: a present 64-bit interrupt gate of the
# code segment 0x10 (SDM vol. 3A, 6.14.1). Changes %rax, %rdx and %rdi.
	.type set_gate, @function
set_gate:
	shl $4, %edi
	add $harness_idt, %edi
	mov %ax, (%rdi)			# offset 15:0
	movw $0x10, 2(%rdi)		# selector
	movw $0x8e00, 4(%rdi)		# present, DPL 0, interrupt gate, no IST
	shr $16, %rax
	mov %ax, 6(%rdi)		# offset 31:16
	shr $16, %rax
	mov %eax, 8(%rdi)		# offset 63:32
	ret
	.size set_gate, . - set_gate

	.globl harness_idt_init
	.type harness_idt_init, @function
harness_idt_init:
	mov $NMI_VECTOR, %edi
	lea nmi_handler(%rip), %rax
	call set_gate
	mov $FIRST_VECTOR, %ecx
1:	mov %ecx, %edi
	lea irq_handler(%rip), %rax
	call set_gate
	inc %ecx
	cmp $256, %ecx
	jb 1b
	.if DO_HANDLERS
	mov $FIRST_VECTOR, %ecx
2:	mov %ecx, %edi
	mov do_handlers - FIRST_VECTOR * 8(,%rcx,8), %rax
	call set_gate
	inc %ecx
	cmp $FIRST_VECTOR + DO_HANDLERS, %ecx
	jb 2b
	.endif
	ret
	.size harness_idt_init, . - harness_idt_init

	.if OWN_IRQ == 0
	.globl irq_handler
	.type irq_handler, @function
irq_handler:
	push %rax; push %rcx; push %rdx; push %rsi; push %rdi
	push %r8; push %r9; push %r10; push %r11
	call 1f
	call spin_lock
	incq LOCK_B+COUNTER		# plain, as in the harness
	call 1f
	call spin_unlock
	pop %r11; pop %r10; pop %r9; pop %r8
	pop %rdi; pop %rsi; pop %rdx; pop %rcx; pop %rax
	iretq
1:	mov $LOCK_B, %edi		# the arguments: the lock and a node that
	mov %gs:PERCPU_INDEX, %esi	# the interrupted lock does not use
	shl $PERCPU_SHIFT, %esi
	add $PERCPU_BASE + PERCPU_IRQNODE, %esi
	ret
	.size irq_handler, . - irq_handler
	.endif

	.if OWN_NMI == 0
	.globl nmi_handler
	.type nmi_handler, @function
nmi_handler:
	incq %gs:PERCPU_NMIS
	iretq
	.size nmi_handler, . - nmi_handler
	.endif

	.data
# The operand of LIDT: limit and base.
	.balign 16
	.globl harness_idtr
harness_idtr:
	.word 256 * 16 - 1
	.quad harness_idt

	.bss
	.balign 64
harness_idt:
	.zero 256 * 16
