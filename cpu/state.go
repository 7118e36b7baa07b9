package cpu

import (
	"unsafe"

	"spinlab/mem"
)

// Register numbers as the encoding has them (SDM vol. 2A, 2.1.5).
const (
	RAX = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15

	// regZero always holds 0: the base or index of an address without one.
	regZero
	numRegs = 32 // a power of two, so that a mask keeps numbers below it
)

// RegNames are the 64-bit names, in encoding order.
var RegNames = [16]string{"RAX", "RCX", "RDX", "RBX", "RSP", "RBP", "RSI", "RDI",
	"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}

// Bits of RFLAGS (SDM vol. 1, 3.4.3).
const (
	CF  uint64 = 1 << 0
	one uint64 = 1 << 1 // reads as 1
	PF  uint64 = 1 << 2
	AF  uint64 = 1 << 4
	ZF  uint64 = 1 << 6
	SF  uint64 = 1 << 7
	TF  uint64 = 1 << 8
	IF  uint64 = 1 << 9
	DF  uint64 = 1 << 10
	OF  uint64 = 1 << 11
	NT  uint64 = 1 << 14
	RF  uint64 = 1 << 16
	VM  uint64 = 1 << 17
	AC  uint64 = 1 << 18
	VIF uint64 = 1 << 19
	VIP uint64 = 1 << 20
	ID  uint64 = 1 << 21

	iopl       uint64 = 3 << 12
	arithFlags        = CF | PF | AF | ZF | SF | OF
)

// Shadow says what the next instruction boundary must not do.
type Shadow uint8

// The interrupt shadows.
const (
	NoShadow  Shadow = iota
	STIShadow        // STI with IF clear: no interrupt before the next instruction ends
	SSShadow         // MOV or POP to SS: no interrupt, NMI or debug trap
)

// Seg is a segment register number in encoding order.
const (
	SegES = iota
	SegCS
	SegSS
	SegDS
	SegFS
	SegGS
)

// Table is a descriptor table register.
type Table struct {
	Base  uint64
	Limit uint16
}

// State is the architecture of a core: what an explorer hashes and a snapshot
// carries. Nothing in it depends on time.
type State struct {
	R      [numRegs]uint64 // R[0:16] are the general registers
	RIP    uint64
	Flags  uint64 // RFLAGS; arithmetic bits may be pending in lazy: read through RFlags
	FSBase uint64
	GSBase uint64
	KGS    uint64 // IA32_KERNEL_GS_BASE, for SWAPGS
	XMM    [16][2]uint64
	CR     [9]uint64 // CR0, 2, 3, 4 and 8 are used
	IDT    Table
	GDT    Table
	Sel    [6]uint16 // segment selectors
	CPL    uint8
	Shadow Shadow
	NMI    bool // an NMI handler runs: the next one waits for IRET
	Step   bool // a single-step trap is pending: it waits for the buffer, or for the end of an exit
}

// Counters count what retired.
type Counters struct {
	Instructions uint64
	Locked       uint64
	Loads        uint64
	Stores       uint64
	Pauses       uint64
	Turns        uint64 // turns of repeated string instructions but the last ones
	Branches     uint64
}

// turnShift: 1,024 turns of a repeated string instruction use up as much of a
// budget as one instruction, so that a huge RCX cannot run for ever.
const turnShift = 10

// Spent is what has been used of a budget: instructions that retired, and turns
// of repeated ones at 1,024 for one.
func (n *Counters) Spent() uint64 { return n.Instructions + n.Turns>>turnShift }

// Budget bounds a Run.
type Budget struct {
	Retire  uint64     // most instructions that retire, as Counters.Spent counts; 0 means no limit
	Until   mem.Cycles // no instruction starts at or after this time; 0 means no limit
	Visible bool       // stop before the second shared access: the first is performed
	Quiet   bool       // with Visible: stop before the first one already
}

// Stop says why a Run ended.
type Stop uint8

// The ends of a Run.
const (
	Retired     Stop = iota // the instruction budget is used up
	Time                    // the time budget is used up
	Visible                 // before a shared access, nothing of it done
	Drain                   // waits for its store buffer, nothing of the instruction done
	Exited                  // see Core.Exit
	Faulted                 // an exception without a handler: see Core.Fault
	Unsupported             // a real instruction that is not modelled: see Core.Why
)

func (s Stop) String() string {
	return [...]string{"retired", "time", "visible", "drain", "exit", "fault", "unsupported"}[s]
}

// ExitKind says what a core asks of its driver.
type ExitKind uint8

// The exits.
const (
	ExitNone ExitKind = iota
	ExitHLT
	ExitVMCall // VMCALL or VMMCALL
	ExitCPUID
	ExitIn
	ExitOut
	ExitRDMSR
	ExitWRMSR
	ExitCRRead
	ExitCRWrite
	ExitRDTSC
	ExitPause // a PAUSE loop beyond gap and window
	ExitMWAIT // MONITOR or MWAIT: not modelled further
	NumExits
)

// Exit describes the last exit. The instruction has retired and RIP is after
// it; a driver that must fault it instead sets RIP back to Exit.RIP and calls
// Core.Raise.
type Exit struct {
	Kind ExitKind
	Size uint8  // operand bytes of port I/O
	Reg  uint8  // register of a control register move
	CR   uint8  // control register number
	Port uint16 // I/O port
	Val  uint64 // value written by OUT, WRMSR and control register moves
	RIP  uint64 // of the exiting instruction
}

// Fault is an exception that nobody in the guest handles.
type Fault struct {
	Vector   uint8
	HasError bool
	Error    uint32
	CR2      uint64
	Freed    bool   // a page fault on memory that the guest gave back
	Triple   bool   // no handler for the exception of a double fault
	Trap     bool   // INT n, INT3, INT1, a single step or an interrupt: no fault of the instruction at RIP
	RIP      uint64 // of the faulting instruction; the next one for a trap
}

// Core is one core: its State plus what is never hashed.
type Core struct {
	State
	Exit  Exit
	Fault Fault
	Why   string // mnemonic or reason of an Unsupported stop
	Now   mem.Cycles
	Count Counters
	Code  *Code
	Delay mem.Cycles // cycles waited for lines and buffers so far, part of Now
	Feat  *Features
	Pause PauseLoop
	Plain bool // run the reference handlers only
	Skips bool // turns of loops that only look need not be executed: see spin.go; the port has a Meter
	// Empties says of the last Drain that the instruction waits for an empty buffer,
	// not only for room.
	Empties bool
	HLTAny  bool // HLT is an exit at every CPL: the exec verb's stop

	// OnProbe is called when the instruction at a probe's address has retired,
	// with the time at which it started.
	OnProbe func(id uint8, addr uint64, at mem.Cycles)

	p      *mem.Port
	turned bool   // a turn of a repeated string instruction was done
	next   uint64 // RIP of the next instruction while a handler runs
	from   uint64 // RIP of the instruction that caused the trap in Fault
	lz     lazy
	at     mem.Atomic
	cur    cursor
	slow   uint64 // instructions given to their handlers, PAUSE left out
	lap    *lap
}

// PauseLoop is the SDM's pause-loop exiting control (vol. 3C, 25.1.3): only
// PAUSE at CPL 0 counts. A gap of more than Gap cycles since the last PAUSE, or
// the first PAUSE after entry, starts a new loop; a PAUSE more than Window
// cycles after the loop's start exits.
type PauseLoop struct {
	On     bool
	Gap    mem.Cycles
	Window mem.Cycles
	First  mem.Cycles // when the present loop started
	Last   mem.Cycles // when the last PAUSE ran
	Fresh  bool       // the next PAUSE is the first after VM entry

	// Filter puts AMD's pause filter in place of gap and window (APM vol. 2,
	// 15.14.4). A VM entry loads Left from Count and every PAUSE takes one, at
	// any CPL; one that comes more than Threshold cycles after the last loads
	// Left anew; the one that finds it 0 exits. Threshold 0 never reloads.
	Filter    bool
	Count     uint32
	Left      uint32
	Threshold mem.Cycles
}

// Features is the set that CPUID reports and that instructions depend on.
type Features struct {
	Seed uint64 // RDRAND and RDSEED draw from it
}

// NewCore gives a core in the state of a fresh CPL 0 thread with IF clear,
// executing from code. Its memory port is given to each Run.
func NewCore(code *Code) *Core {
	c := code.home()
	c.lap = new(lap)
	c.Code = code
	c.Reset()
	return c
}

// The homes of a core: objects of the allocator's 8 KiB class, which it aligns to
// their size, so that the offset says where in a page of the host a core lies.
// Hosts take a load for dependent on an earlier store that agrees with it in the
// low 12 bits of the address, which costs 5 ns. Guests keep their locks in the
// first lines of a page and their stacks in the last: cores lie between. What two
// cores of four use at every instruction (R, RIP, Now, Count, cur) must not
// coincide either, or cores that take turns wait for each other's stores.
type (
	home0 struct {
		_    [0x15c0]byte
		core Core
	}
	home1 struct {
		_    [0x1640]byte
		core Core
	}
	home2 struct {
		_    [0x1a80]byte
		core Core
	}
	home3 struct {
		_    [0x1b00]byte
		core Core
	}
)

// A larger Core needs other homes: the allocator adds 8 bytes.
var _ [0x2000 - 8 - unsafe.Sizeof(home3{})]byte

// home gives the next core of a VM its place.
func (k *Code) home() *Core {
	k.cores++
	switch k.cores & 3 {
	case 1:
		return &new(home0).core
	case 2:
		return &new(home1).core
	case 3:
		return &new(home2).core
	}
	return &new(home3).core
}

// Reset puts the architecture into the state of NewCore; counters and time go
// on.
func (c *Core) Reset() {
	c.State = State{Flags: one}
	c.CR[0] = 0x80050033 // PE MP ET NE WP AM PG: long mode as Linux runs it
	c.CR[4] = 0x6a0      // PAE PGE OSFXSR OSXMMEXCPT
	c.Sel = [6]uint16{SegCS: 0x10, SegSS: 0x18}
	c.lz, c.cur, *c.lap = lazy{}, cursor{}, lap{}
	c.Exit, c.Fault, c.Why = Exit{}, Fault{}, ""
}

// RFlags returns RFLAGS with every pending arithmetic flag worked out.
func (c *Core) RFlags() uint64 {
	c.settle()
	return c.Flags
}

// SetRFlags sets RFLAGS; bit 1 reads as 1 and bits 3, 5, 15 and above 21 as 0.
// RF is not kept: see Core.enter.
func (c *Core) SetRFlags(v uint64) {
	const writable = arithFlags | TF | IF | DF | iopl | NT | AC | VIF | VIP | ID
	c.lz = lazy{}
	c.Flags = v&writable | one
	c.alert()
}

// SetCPL moves the core to a privilege level with flat segments to match.
func (c *Core) SetCPL(cpl uint8) {
	c.CPL = cpl
	if cpl == 3 {
		c.Sel[SegCS], c.Sel[SegSS] = 0x33, 0x2b
	} else {
		c.Sel[SegCS], c.Sel[SegSS] = 0x10, 0x18
	}
}

// Jump makes the core go on at rip.
func (c *Core) Jump(rip uint64) {
	c.RIP = rip
	c.Step = false
	c.cur = cursor{}
}
