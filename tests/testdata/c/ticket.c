/* A ticket lock with 16-bit tickets: the head and the tail of the queue lie in
   one word, as in Linux before 3.12. */
typedef struct {
	unsigned short head, tail;
} lock_t;

void my_lock(lock_t *l)
{
	unsigned short me = __atomic_fetch_add(&l->tail, 1, __ATOMIC_RELAXED);

	while (__atomic_load_n(&l->head, __ATOMIC_ACQUIRE) != me)
		__builtin_ia32_pause();
}

void my_unlock(lock_t *l)
{
	__atomic_store_n(&l->head, (unsigned short)(l->head + 1), __ATOMIC_RELEASE);
}

int my_trylock(lock_t *l)
{
	unsigned short head = __atomic_load_n(&l->head, __ATOMIC_RELAXED);
	lock_t free = { head, head }, taken = { head, (unsigned short)(head + 1) };

	return __atomic_compare_exchange((unsigned *)l, (unsigned *)&free, (unsigned *)&taken,
					 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
