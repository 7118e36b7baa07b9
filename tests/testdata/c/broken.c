/* A lock that does not exclude: it looks and then takes. A check must say so. */
void spin_lock(volatile int *l)
{
	while (*l)
		__builtin_ia32_pause();
	*l = 1;
}

void spin_unlock(volatile int *l)
{
	*l = 0;
}
