/* A test-and-set lock in inline assembler with the slow path out of line, as the
   kernel has them, and a table that the compiler reads through: calls between
   sections, read-only data and a static counter. */
static const int backoff[4] = { 1, 2, 4, 8 };
int slow_paths;

static inline int try_once(volatile int *l)
{
	int old = 1;

	asm volatile("xchgl %0, %1" : "+r"(old), "+m"(*l) : : "memory");
	return old == 0;
}

__attribute__((noinline, section(".text.slow"))) static void slow(volatile int *l)
{
	for (int turn = 0;; turn = (turn + 1) & 3) {
		for (int i = 0; i < backoff[turn]; i++)
			asm volatile("pause");
		if (*l == 0 && try_once(l))
			return;
	}
}

void spin_lock(volatile int *l)
{
	if (!try_once(l)) {
		slow(l);
		slow_paths++;
	}
}

void spin_unlock(volatile int *l)
{
	asm volatile("movl $0, %0" : "=m"(*l) : : "memory");
}
