typedef struct {
	unsigned short served, next;
} lock_t;

void spin_lock(lock_t *l)
{
	unsigned short me = __atomic_load_n(&l->next, __ATOMIC_RELAXED);

	__atomic_store_n(&l->next, me + 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&l->served, __ATOMIC_ACQUIRE) != me)
		__builtin_ia32_pause();
}

void spin_unlock(lock_t *l)
{
	__atomic_store_n(&l->served, l->served + 1, __ATOMIC_RELEASE);
}
