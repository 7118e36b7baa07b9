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
// Time is in cycles of one clock that all pCPUs share. Everything happens in
// order of its start time, ties go to the lower pCPU, and stores commit before
// instructions that start at the same cycle. Nothing here reads a wall clock,
// starts a goroutine or depends on the order of a map: equal configurations
// give equal reports.
package vmm
