/* Broken: test and set in two steps. */
void spin_lock(volatile unsigned char *lock)
{
	while (*lock)
		__builtin_ia32_pause();
	*lock = 1;
}

void spin_unlock(volatile unsigned char *lock)
{
	*lock = 0;
}
