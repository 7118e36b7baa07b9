/* A ticket lock: head, who may enter, in the low byte; tail, the next ticket to
 * draw, in the high one. */
void spin_lock(unsigned short *lock)
{
	unsigned short old = __atomic_fetch_add(lock, 0x100, __ATOMIC_ACQUIRE);
	unsigned char mine = old >> 8;

	if (mine == (unsigned char)old)
		return;
	while (__atomic_load_n((unsigned char *)lock, __ATOMIC_ACQUIRE) != mine)
		__builtin_ia32_pause();
}

void spin_unlock(unsigned char *lock)
{
	__atomic_store_n(lock, *lock + 1, __ATOMIC_RELEASE);
}
