package guestcode

// The guest's address map. Everything is flat physical memory; the .s files
// repeat the numbers that they need, and a test holds both equal.
//
//	0x0100000  text            0x0800000  per-CPU areas, a page each
//	0x0180000  data and bss    0x1000000  stacks, 16 KiB each
//	0x0200000  locks and counters (shared)
//	0x07e0000  a descriptor table that the host builds
//	0x07f0000  Xen's shared_info, if the guest maps it
const (
	// TextBase is where the code of the image begins.
	TextBase = 0x100000
	// DataBase is where the data and bss of the image begin.
	DataBase = 0x180000

	// SharedBase is the memory that guest programs share: lock A comes first.
	SharedBase = 0x200000
	// SharedSize is its length.
	SharedSize = 0x10000
	// LockStride separates the locks; each has a cache line of its own and
	// one for its counter.
	LockStride = 0x80
	// CounterOffset leads from a lock to the 64-bit counter that it guards.
	CounterOffset = 0x40
	// MaxLocks is how many locks fit.
	MaxLocks = SharedSize / LockStride

	// IDTBase is the page of the interrupt descriptor table that the host builds
	// for a program with handlers and without a harness.
	IDTBase = 0x7e0000
	// SharedInfo is where a Xen guest maps its shared_info page.
	SharedInfo = 0x7f0000

	// PerCPUBase is the per-CPU area of vCPU 0; GS base of vCPU i is PerCPU(i).
	PerCPUBase = 0x800000
	// PerCPUSize separates the areas.
	PerCPUSize = 0x1000

	// StackBase is the stack slot of vCPU 0.
	StackBase = 0x1000000
	// StackSize is the length of a slot, guard included.
	StackSize = 0x4000
	// StackGuard is the unmapped part at the low end of a slot.
	StackGuard = 0x1000

	// MaxVCPUs is how many vCPUs the map has room for.
	MaxVCPUs = 1024
)

// Offsets in a per-CPU area. What is not listed is free for variants.
const (
	PerCPUIndex   = 0    // vCPU index, a 64-bit slot
	PerCPUAPICID  = 8    // APIC id, a 64-bit slot
	PerCPUNode    = 16   // queue node of MCS-like locks
	NodeSize      = 48   // its length
	PerCPULock    = 64   // struct kvm_lock_waiting: lock, 8 bytes
	PerCPUWant    = 72   // and want, an 8-byte slot
	PerCPUIRQNode = 80   // queue node of interrupt handlers, NodeSize bytes
	PerCPUKicker  = 128  // lock_kicker_irq: the port of the event channel, 4 bytes
	PerCPUIRQ     = 136  // bit 0: the host injects interrupts here
	PerCPUNMIs    = 144  // NMIs that the harness's handler took
	PerCPUTakes   = 152  // takes of lock programs that are not known beforehand
	PerCPUFree    = 192  // from here to PerCPUNodes a variant may keep what it wants
	PerCPUNodes   = 2048 // queue nodes of lock programs, to the end
)

// I/O ports of the guest ABI.
const (
	PortExit  = 0xf4 // OUT ends this vCPU; AL = 0 is a pass
	PortPrint = 0xe9 // OUT prints AL
)

// Lock returns the address of lock k (0 is A).
func Lock(k int) uint64 { return SharedBase + LockStride*uint64(k) }

// Counter returns the address of the counter that lock k guards.
func Counter(k int) uint64 { return Lock(k) + CounterOffset }

// PerCPU returns the per-CPU area of vCPU i, which is also its GS base.
func PerCPU(i int) uint64 { return PerCPUBase + PerCPUSize*uint64(i) }

// StackLow returns the lowest mapped address of the stack of vCPU i.
func StackLow(i int) uint64 { return StackBase + StackSize*uint64(i) + StackGuard }

// StackTop returns the initial %rsp of vCPU i, the end of its slot.
func StackTop(i int) uint64 { return StackBase + StackSize*uint64(i+1) }
