/* A ticket lock with the kernel's inline assembly: LOCK XADD as one string
 * of several statements, rep; nop, and an alternative's section. */
typedef unsigned short u16;
typedef unsigned int u32;

typedef struct {
	union {
		u32 head_tail;
		struct { u16 head, tail; };
	};
} ticket_t;

static inline void cpu_relax(void) { asm volatile("rep; nop" ::: "memory"); }

#define LOCK_PREFIX                                        \
	".pushsection .smp_locks,\"a\"\n"                  \
	".balign 4\n"                                      \
	".long 671f - .\n"                                 \
	".popsection\n"                                    \
	"671:\n\tlock; "

void spin_lock(ticket_t *lock)
{
	u32 inc = 1 << 16;
	u16 tail;

	asm volatile(LOCK_PREFIX "xadd{l %0, %1| %1, %0}"
		     : "+r"(inc), "+m"(lock->head_tail) : : "memory", "cc");
	tail = inc >> 16;
	while ((u16)inc != tail) {
		cpu_relax();
		inc = *(volatile u16 *)&lock->head;
	}
	asm volatile("" ::: "memory");
}

int spin_trylock(ticket_t *lock)
{
	u32 old = *(volatile u32 *)&lock->head_tail, want;

	if ((old >> 16) != (old & 0xffff))
		return 0;
	want = old + (1 << 16);
	return __sync_bool_compare_and_swap(&lock->head_tail, old, want);
}

void spin_unlock(ticket_t *lock)
{
	asm volatile(LOCK_PREFIX "inc{w} %0" : "+m"(lock->head) : : "memory", "cc");
}

int spin_is_locked(ticket_t *lock)
{
	u32 v = *(volatile u32 *)&lock->head_tail;
	return ((v >> 16) ^ v) & 0xffff ? 1 : 0;
}
