/* The queue lock of Mellor-Crummey and Scott. The harness gives every caller a
   node of its own. */
typedef struct node {
	struct node *next;
	int locked;
} node_t;

typedef struct {
	node_t *tail;
} lock_t;

void spin_lock(lock_t *l, node_t *me)
{
	node_t *prev;

	me->next = 0;
	me->locked = 0;
	prev = __atomic_exchange_n(&l->tail, me, __ATOMIC_ACQ_REL);
	if (!prev)
		return;
	__atomic_store_n(&prev->next, me, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&me->locked, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

void spin_unlock(lock_t *l, node_t *me)
{
	node_t *next = __atomic_load_n(&me->next, __ATOMIC_ACQUIRE);

	if (!next) {
		node_t *self = me;

		if (__atomic_compare_exchange_n(&l->tail, &self, (node_t *)0, 0,
						__ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return;
		while (!(next = __atomic_load_n(&me->next, __ATOMIC_ACQUIRE)))
			__builtin_ia32_pause();
	}
	__atomic_store_n(&next->locked, 1, __ATOMIC_RELEASE);
}
