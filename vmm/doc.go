// Package vmm is the hypervisor and the host under it: VMs with vCPUs, the
// pCPUs that they share, VM exits, hypercalls, halting and kicking, and a
// scheduler in virtual time.
//
// The story of a run. NewMachine maps each VM's image, gives every vCPU a core
// and every pCPU a memory port. Machine.Run lets vCPU 0 boot alone if the image
// asks for it, resets all that is not memory, and hands over to the Scheduler.
// The Scheduler picks whose turn it is (sched.go) and calls the Machine's single
// actions (action.go): step a vCPU up to a budget, commit the oldest store of a
// port, handle an exit, enter halt, go to sleep, wake. A different driver may
// call the same actions in any other order; nothing in them reads the time to
// decide what is allowed.
//
// Who goes next on a pCPU is the profile's policy: round robin (sched_host.go) or
// Linux's CFS (sched_fair.go, sched_fair_host.go) with directed yields
// (sched_yield.go). Guests of experiments think and sleep, and hogs burn time,
// without running code for it (sched_work.go). A vCPU whose loop only looks is left
// alone until something may end that (sched_spin.go): nobody can tell.
//
// The story of an exit. A core stops with an Exit; its vCPU is then in the
// host. When its turn comes, exits.go looks the reason up in one table, counts
// it, and runs its handler; the handler says how to go on: resume, halt, yield,
// finish, or stop the machine.
//
// The story of a halt (hypercall.go, action.go). HLT makes the vCPU HALTED
// unless a kick is pending: that is one host action. Going to sleep is another
// one, later, and it looks again. A kick sets pv_unhalted, which is sticky, and
// wakes a sleeper. pv_unhalted is reset where HALTED becomes RUNNABLE and
// nowhere else.
//
// The story of an interrupt (irq.go, irq_plan.go, xen.go). Raise makes it
// pending, at a count of instructions or at a time, and wakes a sleeper that
// would take it; at the next boundary where the core allows it, the vCPU leaves
// the guest and enters again at its handler. A Xen guest sleeps by polling an
// event channel: that is a halt too, and the event is its kick.
//
// The story of a pause (snapshot_run.go, snapshot.go). RunTo ends a run after an
// exact number of instructions; Save and Load carry the machine over to another
// process, where it goes on as if nothing had happened.
//
// Time is in cycles of one clock that all pCPUs share. Everything happens in
// order of its start time, ties go to the lower pCPU, and stores commit before
// instructions that start at the same cycle. Nothing here reads a wall clock,
// starts a goroutine or depends on the order of a map: equal configurations
// give equal reports.
package vmm
