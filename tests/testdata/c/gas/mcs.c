/* The MCS queue lock, and a node per thread in thread-local storage. */
struct mcs_node { struct mcs_node *next; int locked; };
typedef struct { struct mcs_node *tail; } mcs_t;

static __thread struct mcs_node my_node;
__thread int nesting;

void spin_lock(mcs_t *l, struct mcs_node *me)
{
	struct mcs_node *prev;

	me->next = 0;
	me->locked = 0;
	prev = __atomic_exchange_n(&l->tail, me, __ATOMIC_ACQ_REL);
	if (!prev)
		return;
	__atomic_store_n(&prev->next, me, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&me->locked, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

void spin_unlock(mcs_t *l, struct mcs_node *me)
{
	struct mcs_node *next = __atomic_load_n(&me->next, __ATOMIC_RELAXED), *old = me;

	if (!next) {
		if (__atomic_compare_exchange_n(&l->tail, &old, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return;
		while (!(next = __atomic_load_n(&me->next, __ATOMIC_ACQUIRE)))
			__builtin_ia32_pause();
	}
	__atomic_store_n(&next->locked, 1, __ATOMIC_RELEASE);
}

void lock_own(mcs_t *l)
{
	nesting++;
	spin_lock(l, &my_node);
}

void unlock_own(mcs_t *l)
{
	spin_unlock(l, &my_node);
	nesting--;
}
