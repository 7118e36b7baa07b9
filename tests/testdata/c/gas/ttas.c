/* Test and test-and-set with back-off, through __atomic built-ins. */
#include <stdbool.h>

typedef struct { unsigned char locked; unsigned spins; } ttas_t;

void spin_lock(ttas_t *l)
{
	unsigned wait = 1;

	for (;;) {
		if (!__atomic_exchange_n(&l->locked, 1, __ATOMIC_ACQUIRE))
			return;
		do {
			for (unsigned i = 0; i < wait; i++)
				__builtin_ia32_pause();
			if (wait < 1024)
				wait *= 2;
			__atomic_fetch_add(&l->spins, wait, __ATOMIC_RELAXED);
		} while (__atomic_load_n(&l->locked, __ATOMIC_RELAXED));
	}
}

bool spin_trylock(ttas_t *l)
{
	unsigned char zero = 0;
	return __atomic_compare_exchange_n(&l->locked, &zero, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void spin_unlock(ttas_t *l) { __atomic_store_n(&l->locked, 0, __ATOMIC_RELEASE); }

bool test_and_set_bit(unsigned long *word, long bit)
{
	return __atomic_fetch_or(word, 1ul << bit, __ATOMIC_SEQ_CST) & (1ul << bit);
}

void store_fence(int *p, int v) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }
