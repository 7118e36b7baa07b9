// Package explore searches every interleaving of a small machine: all orders in
// which its vCPUs can step, its store buffers can commit, and the host can act.
//
// It has no model of its own. A vmm.Walk is the machine that `run` drives, with
// the scheduler taken away; this package only decides which of the possible
// actions come next (all of them), remembers where it has been, and judges.
//
// The story of one search: Explore sets up the machine of a Target and visits
// its states breadth first, so that the first violation found is a shortest
// one. A state is what the guest can tell: registers, buffers, memory, halt
// and kick bits. Its blocks (one a vCPU, one for shared memory) are interned,
// a state is a tuple of block numbers, and equality of tuples decides; a hash
// only picks the place to look. When the graph is complete the questions about
// its whole are asked: is there a state from which the end cannot be reached?
//
//	config.go        Target, Config, Result: what goes in and what comes out
//	explore.go       Explore: search, learn what was wrong to assume, search again
//	search.go        the breadth-first search
//	parallel.go      several workers, and the same result
//	random.go        schedules at random, in place of a search
//	random_run.go    one of them
//	random_walk.go   its walk: to the start, an action, an end
//	random_short.go  a shorter way to what it found
//	memo.go          what an action has done to the same blocks before
//	route.go         the way to a state
//	intern.go        blocks and states as numbers
//	judge.go         final states, deadlock, livelock
//	fair.go          starvation: fair cycles of the graph
//	overtake.go      how often others come first
//	observe.go       P0.eax, mem:0x200000:4: what is asked of a final state
//	predicate.go     --final
//	trace.go         a path, told instruction by instruction
//	blame.go         which kick a sleeper missed, and why
package explore
