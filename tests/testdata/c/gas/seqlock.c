/* A sequence lock with its data, statistics and a table of functions: data
 * sections, relocations in data, a jump table, calls through pointers. */
typedef struct { unsigned seq; unsigned lock; unsigned long data[4]; } seqlock_t;

seqlock_t global_lock = { .data = { 1, 2, 3, 0x1122334455667788 } };
unsigned long retries;
static const char *const names[] = { "read", "write", "none" };
static int counts[3] __attribute__((aligned(64)));

void write_begin(seqlock_t *s)
{
	while (__sync_lock_test_and_set(&s->lock, 1))
		__builtin_ia32_pause();
	s->seq++;
	__sync_synchronize();
}

void write_end(seqlock_t *s)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
	s->seq++;
	__sync_lock_release(&s->lock);
}

unsigned long read_sum(seqlock_t *s)
{
	unsigned start;
	unsigned long sum;

	do {
		while ((start = __atomic_load_n(&s->seq, __ATOMIC_ACQUIRE)) & 1)
			__builtin_ia32_pause();
		sum = 0;
		for (int i = 0; i < 4; i++)
			sum += s->data[i] * (i + 1);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (s->seq != start)
			__atomic_fetch_add(&retries, 1, __ATOMIC_RELAXED);
	} while (s->seq != start);
	return sum;
}

static void begin_global(void) { write_begin(&global_lock); }
static void end_global(void) { write_end(&global_lock); }
void (*const operations[])(void) = { begin_global, end_global };

const char *count(int op)
{
	switch (op) {
	case 0: counts[0]++; return names[0];
	case 1: counts[1] += 2; return names[1];
	case 5: counts[2]--; operations[0](); break;
	case 6: operations[1](); break;
	case 7: return "seven";
	case 9: return (const char *)read_sum(&global_lock);
	}
	return names[2];
}

extern void hook(int) __attribute__((weak));
extern int external_flag __attribute__((weak));

int call_hook(int x)
{
	if (hook)
		hook(x);
	return &external_flag ? external_flag : -1;
}
