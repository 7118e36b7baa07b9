# Broken twins of the queued spinlock, each beside its parent under the same flags.

test pending-movb

source qspinlock-pending-movb

# With one acquisition each nobody takes the lock that pending should keep.
check holds 2x1
check violated exclusion 2x2
check violated exclusion 3x1

test split-claim

source qspinlock-split-claim

check violated exclusion 2x2

test head-passes-pending

source qspinlock-head-passes-pending

check violated exclusion 2x2

test no-undo

source qspinlock-no-undo

check violated livelock 2x2

test unlocked-claim

source qspinlock-unlocked-claim

check violated livelock 2x2

test parent

source qspinlock

check holds 2x2
check holds 3x1

# What starves before 6512276d and 7aa54be2.
test liveness

source qspinlock UNBOUNDED_PENDING=1

# Two are too few: a third must come while the second hands over to itself.
check holds --do Aa*,Aa*
check violated starvation --do Aa*,Aa*,Aa --long

source qspinlock PENDING_CMPXCHG=1

check violated starvation --do Aa*,Aa

source qspinlock

check holds --do Aa*,Aa
check holds --do Aa*,Aa*,Aa --long
