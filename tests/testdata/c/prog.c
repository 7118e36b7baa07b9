/* A program that drives itself. Its lock is inlined; the by-value structure makes
   the compiler use SSE registers and an aligned stack. It counts at 0x200040. */
struct big {
	long a[8];
};

static int l;

static __attribute__((noinline)) void body(volatile struct big *p, struct big q)
{
	*(struct big *)p = q;
}

void vcpu_main(long index)
{
	struct big d = {{ 1, 2, 3, 4 }};

	for (int i = 0; i < 2; i++) {
		while (__atomic_exchange_n(&l, 1, __ATOMIC_ACQUIRE))
			__builtin_ia32_pause();
		++*(volatile long *)0x200040;
		__atomic_store_n(&l, 0, __ATOMIC_RELEASE);
		d.a[0] = i;
		body(&d, d);
	}
}

/* The same by way of an address in memory, which a position-independent program
   must relocate. */
static void (*const volatile table[])(long) = { 0, vcpu_main };

void through_table(long index)
{
	table[1](index);
}
