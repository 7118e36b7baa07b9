/* What the kernel's headers put into inline assembly: per-CPU data behind %gs,
 * jump labels, alternatives, exception tables, subsections, string moves. */
typedef unsigned long ulong;
typedef unsigned char u8;

struct key { int enabled; };
struct key pv_key;
extern void pv_wait(ulong *lock);
int cpu_number __attribute__((section(".data..percpu")));

static inline __attribute__((always_inline)) int branch(struct key *const key)
{
	asm goto("1:\n\t"
		 ".byte 0x0f,0x1f,0x44,0x00,0\n\t"
		 ".pushsection __jump_table, \"aw\"\n\t"
		 ".balign 8\n\t"
		 ".long 1b - ., %l[yes] - .\n\t"
		 ".quad %c0 + %c1 - .\n\t"
		 ".popsection\n\t"
		 : : "i"(key), "i"(1) : : yes);
	return 0;
yes:
	return 1;
}

static inline int this_cpu(void)
{
	int cpu;
	asm volatile("movl %%gs:%1, %0" : "=r"(cpu) : "m"(cpu_number));
	return cpu;
}

#define ALTERNATIVE(old, new, feature)                                   \
	"661:\n\t" old "\n662:\n"                                        \
	".skip -(((665f-664f)-(662b-661b)) > 0) * "                      \
	"((665f-664f)-(662b-661b)),0x90\n663:\n"                         \
	".pushsection .altinstructions,\"a\"\n"                          \
	" .long 661b - .\n .long 664f - .\n .word " #feature "\n"        \
	" .byte 663b-661b\n .byte 665f-664f\n"                           \
	".popsection\n"                                                  \
	".pushsection .altinstr_replacement, \"ax\"\n"                   \
	"664:\n\t" new "\n665:\n"                                        \
	".popsection\n"

void spin_lock(ulong *lock)
{
	u8 carry;

	for (;;) {
		asm volatile(".pushsection .smp_locks,\"a\"\n.balign 4\n"
			     ".long 671f - .\n.popsection\n671:\n\t"
			     "lock; btsq $0, %1\n\tsetc %0"
			     : "=qm"(carry), "+m"(*lock) : : "memory", "cc");
		if (!carry)
			return;
		if (branch(&pv_key))
			pv_wait(lock);
		asm volatile("rep; nop");
	}
}

void spin_unlock(ulong *lock)
{
	asm volatile(ALTERNATIVE("lock; btrq $0, %0", "movb $0, %b0", 3*32+15) : "+m"(*lock) : : "memory");
}

void fence(void)
{
	asm volatile(ALTERNATIVE("lock; addl $0,-4(%%rsp)", "mfence", (0*32+26)) ::: "memory", "cc");
}

int read_user(const int *p, int *err)
{
	int v;
	asm volatile("1:\tmovl %2, %1\n2:\n"
		     ".section .fixup,\"ax\"\n3:\tmov %3, %0\n\txorl %1, %1\n\tjmp 2b\n.previous\n"
		     ".section __ex_table,\"a\"\n\t.balign 4\n\t.long (1b) - ., (3b) - .\n.previous\n"
		     : "+r"(*err), "=r"(v) : "m"(*p), "i"(-14));
	return v;
}

void slow_in_subsection(ulong *lock)
{
	asm volatile("1:\tlock; decb %0\n\tjns 3f\n"
		     ".subsection 1\n2:\trep; nop\n\tcmpb $0, %0\n\tjle 2b\n\tjmp 1b\n.previous\n3:"
		     : "+m"(*(u8 *)lock) : : "memory", "cc");
}

/* Switches the syntax itself, whichever the compiler prints. */
void att_in_between(int *p)
{
#ifdef INTEL
	asm volatile(".att_syntax prefix\n\tlock; orl $4, (%%rdi)\n\t.intel_syntax noprefix" : : "D"(p) : "memory", "cc");
#else
	asm volatile(".intel_syntax noprefix\n\tlock or DWORD PTR [rdi], 4\n\t.att_syntax prefix" : : "D"(p) : "memory", "cc");
#endif
}

int cpu_copy(char *to, const char *from, ulong n)
{
	asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
	return this_cpu();
}
