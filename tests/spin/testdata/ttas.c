/* Test and test-and-set on a byte. */
void spin_lock(unsigned char *lock)
{
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		while (__atomic_load_n(lock, __ATOMIC_RELAXED))
			__builtin_ia32_pause();
}

void spin_unlock(unsigned char *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}
