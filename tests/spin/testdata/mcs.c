/* The queue lock of Mellor-Crummey and Scott; the harness brings the node. */
struct node {
	struct node *next;
	int owner;
};

void spin_lock(struct node **lock, struct node *me)
{
	struct node *before;

	me->next = 0;
	me->owner = 0;
	before = __atomic_exchange_n(lock, me, __ATOMIC_ACQ_REL);
	if (!before)
		return;
	__atomic_store_n(&before->next, me, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&me->owner, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

void spin_unlock(struct node **lock, struct node *me)
{
	struct node *next = __atomic_load_n(&me->next, __ATOMIC_ACQUIRE);
	struct node *last = me;

	if (!next) {
		if (__atomic_compare_exchange_n(lock, &last, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return;
		while (!(next = __atomic_load_n(&me->next, __ATOMIC_ACQUIRE)))
			__builtin_ia32_pause();
	}
	__atomic_store_n(&next->owner, 1, __ATOMIC_RELEASE);
}
