/* The kernel's reader-writer lock of old: a biased counter, sub and add under
 * LOCK, slow paths out of line in a section of their own. */
typedef struct { int lock; } rwlock_t;
#define BIAS 0x01000000

static __attribute__((noinline, cold)) void read_slow(rwlock_t *rw)
{
	do {
		__atomic_fetch_add(&rw->lock, 1, __ATOMIC_RELAXED);
		while (__atomic_load_n(&rw->lock, __ATOMIC_RELAXED) <= 0)
			__builtin_ia32_pause();
	} while (__atomic_sub_fetch(&rw->lock, 1, __ATOMIC_ACQUIRE) < 0);
}

void read_lock(rwlock_t *rw)
{
	if (__builtin_expect(__atomic_sub_fetch(&rw->lock, 1, __ATOMIC_ACQUIRE) < 0, 0))
		read_slow(rw);
}

void read_unlock(rwlock_t *rw) { __atomic_fetch_add(&rw->lock, 1, __ATOMIC_RELEASE); }

void write_lock(rwlock_t *rw)
{
	asm goto("lock; sub{l %1, (%0)| DWORD PTR [%0], %1}\n\t"
		 "jz %l[done]\n"
		 "1:\tlock; add{l %1, (%0)| DWORD PTR [%0], %1}\n"
		 "2:\trep; nop\n\t"
		 "cmp{l %1, (%0)| DWORD PTR [%0], %1}\n\t"
		 "jne 2b\n\t"
		 "lock; sub{l %1, (%0)| DWORD PTR [%0], %1}\n\t"
		 "jnz 1b\n\t"
		 : : "r"(rw), "i"(BIAS) : "memory", "cc" : done);
done:
	return;
}

int write_trylock(rwlock_t *rw)
{
	int old = BIAS;
	return __atomic_compare_exchange_n(&rw->lock, &old, 0, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void write_unlock(rwlock_t *rw)
{
	asm volatile("lock; add{l %1, %0| %0, %1}" : "+m"(rw->lock) : "i"(BIAS) : "memory", "cc");
}

struct pair { unsigned long lo, hi; };

/* cmpxchg16b through inline assembly: the built-in calls libatomic. */
int swap_pair(struct pair *p, struct pair *old, struct pair new)
{
	unsigned char ok;
	asm volatile("lock cmpxchg16b %1\n\tsetz %0"
		     : "=q"(ok), "+m"(*p), "+a"(old->lo), "+d"(old->hi)
		     : "b"(new.lo), "c"(new.hi) : "memory", "cc");
	return ok;
}
