package vmm

import (
	"fmt"

	"spinlab/mem"
)

// Limits of a machine.
const (
	// MaxVCPUs is how many vCPUs a VM may have.
	MaxVCPUs = 1024
	// MaxPCPUs is how many pCPUs a machine may have: the line directory keeps
	// one bit for each.
	MaxPCPUs = mem.MaxCores
	// MaxVMs is how many VMs a machine may have.
	MaxVMs = 64
	// MaxTotalVCPUs is how many vCPUs all VMs may have together.
	MaxTotalVCPUs = 4096
)

// DefaultMaxInstructions ends a run that does not end by itself, in
// instructions retired by all vCPUs together.
const DefaultMaxInstructions = 2_000_000_000

// DefaultCommitDelay bounds the delays of mem.Random, in cycles: a few line
// transfers, so that stores of different cores do overtake each other.
const DefaultCommitDelay = 500

// MaxSlice and MaxCommitDelay bound what a configuration may ask for, in
// cycles, so that times stay far below what a scheduler can hold.
const (
	MaxSlice       = 1 << 40
	MaxCommitDelay = 1 << 28
)

// maxCycles is half the time that a turnKey holds, and maxInstructions stays clear
// of neverPause. As loops that wait are skipped, a run may come that far.
const (
	maxCycles       = 1 << 57
	maxInstructions = 1 << 62
)

// Segment is a piece of a program image. The pages that hold [Addr, Addr+Size)
// are mapped with Perm and Data is copied to Addr; Size counts as len(Data) if
// it is smaller.
type Segment struct {
	Addr uint64
	Data []byte
	Size uint64 // bytes
	Perm mem.Perm
}

// Layout says where each vCPU's own memory is. Strides are in bytes.
type Layout struct {
	// StackTop is the initial RSP of vCPU 0; that of vCPU i is i strides up.
	// StackSize bytes below the top are mapped; 0 maps no stacks.
	StackTop, StackStride, StackSize uint64
	// PerCPUBase is the per-CPU area of vCPU 0 and the GS base; that of vCPU i
	// is i strides up. A stride of 0 means that there are no per-CPU areas.
	PerCPUBase, PerCPUStride uint64
}

// Offsets in a per-CPU area of the words that the host writes before boot.
const (
	perCPUIndex  = 0
	perCPUAPICID = 8
)

// Image is a guest program, ready to be loaded.
type Image struct {
	Segments []Segment
	// Boot is where vCPU 0 runs alone first, 0 if there is nothing to do; Main
	// is where every vCPU starts.
	Boot, Main uint64
	// Probes mark the phases of critical sections.
	Probes []Probe
	// OneLock says that the probes are about one lock. Otherwise RDI names the
	// lock where functions are called.
	OneLock bool
	// Counters are the addresses of 8-byte counters that critical sections
	// increment. Their sum is compared with Want at the end.
	Counters []uint64
	// Want is what the counters must add up to; 0 means: the acquisitions that
	// the probes saw. The numbers at the addresses Takes, 8 bytes each, which the
	// guest counts itself, are added to it.
	Want   uint64
	Takes  []uint64
	Layout Layout
	// Handlers go into an interrupt descriptor table that the host builds in
	// the page IDT and loads on every vCPU; without any there is none.
	Handlers []Handler
	IDT      uint64
	// Xen makes the host speak Xen to this guest, not KVM: see xen.go.
	Xen bool
}

// KickABI says how hypercall 5, KICK_CPU, names its target.
type KickABI uint8

// The versions of the kick.
const (
	KickV8       KickABI = iota // RBX is the APIC id: PV ticketlock series V8
	KickV3                      // RBX is the vCPU index: series V3
	KickMainline                // RBX is flags, RCX the APIC id: Linux 3.12 and later
)

// HostBug is a mistake that a host can be made to have, to show what the guest
// suffers from it.
type HostBug uint8

// The mistakes.
const (
	HostSound HostBug = iota
	// HostUnhaltAtHLT forgets a pending kick on HLT entry: one that came before
	// the halt is lost.
	HostUnhaltAtHLT
	// HostUnhaltAfterTest forgets it after it has looked whether the vCPU may
	// run: one that comes between the look and the sleep is lost. (V6 of the
	// patch series reset pv_unhalted in vcpu_block; V8 moved that out.)
	HostUnhaltAfterTest
	// HostKickLast kicks the last vCPU when none has the APIC id: V8's search
	// loop leaves its variable there.
	HostKickLast
)

// HostBugs are the names of the mistakes, by number; the sound host has "none".
var HostBugs = [...]string{HostSound: "none", HostUnhaltAtHLT: "unhalt-at-hlt", HostUnhaltAfterTest: "unhalt-after-test", HostKickLast: "kick-last"}

// NoPVUnhalt as Config.PVUnhaltBit takes the feature out of CPUID.
const NoPVUnhalt = -1

// VMConfig is one VM.
type VMConfig struct {
	VCPUs int // 1 to MaxVCPUs
	Image *Image
	Hog   bool // it only uses up time, and nobody waits for its end: see HogVM
}

// Config describes a machine. The zero value of every field but VMs and PCPUs
// is its default.
type Config struct {
	VMs   []VMConfig
	PCPUs int // 1 to MaxPCPUs

	Profile *Profile   // nil is the profile "default"
	Slice   mem.Cycles // 0 is the profile's
	PLE     bool       // pause-loop exiting, as the profile has it
	Pin     bool       // vCPU i stays on pCPU i mod P

	// Commit says when buffered stores commit; mem.Manual is not for runs. With
	// mem.Late the end of a slice drains, too.
	Commit      mem.CommitMode
	CommitDelay mem.Cycles // bound of the delays of mem.Random; 0 is DefaultCommitDelay
	Seed        uint64     // varies start skews (0: none) and random commits

	MaxInstructions uint64     // retired by all vCPUs; 0 is DefaultMaxInstructions
	MaxCycles       mem.Cycles // of virtual time; 0 is no limit but 2^57

	HostBug      HostBug
	KickABI      KickABI
	PVUnhaltBit  int  // of CPUID 0x40000001 EAX; 0 is 6, as in the patch series; or NoPVUnhalt
	RealtimeHint bool // KVM_HINTS_REALTIME: the guest need not expect preemption

	// Inject are the interrupts that the host raises.
	Inject []Injection
	// Tasks are what somebody outside the guest does at times of its own.
	Tasks []Task

	// NoSkip asks that every turn of a loop that only looks be executed, hogs'
	// loops among them. Reports are the same, but instructions of hogs then count
	// against MaxInstructions.
	NoSkip bool

	// Symbolize names a guest address, "" if it cannot; used in messages.
	Symbolize func(addr uint64) string
	// Line names the line of a compiler's source that an address comes from, ""
	// if there is none; used in messages, too.
	Line func(addr uint64) string
	// Observe is called for everything that happens, if set. The machine then
	// runs one instruction at a time.
	Observe func(*Event)
	// Events is called for what happens besides instructions and commits, and
	// for what vCPUs spent their time on, if set; not during boots. Unlike
	// Observe it does not slow the machine down.
	Events func(*Event)
}

// DefaultPVUnhaltBit is the bit of KVM_FEATURE_PV_UNHALT in the patch series;
// mainline uses 7, because PV_EOI had taken 6.
const DefaultPVUnhaltBit = 6

// check fills in the defaults and names what is out of range and which flag
// sets it.
func (c *Config) check() error {
	if len(c.VMs) < 1 || len(c.VMs) > MaxVMs {
		return fmt.Errorf("%d VMs: a machine has 1 to %d (--vms)", len(c.VMs), MaxVMs)
	}
	if c.PCPUs < 1 || c.PCPUs > MaxPCPUs {
		return fmt.Errorf("%d pCPUs: a machine has 1 to %d (--pcpus)", c.PCPUs, MaxPCPUs)
	}
	total := 0
	hogs := 0
	for _, vm := range c.VMs {
		if vm.Hog {
			hogs++
		}
		if vm.VCPUs < 1 || vm.VCPUs > MaxVCPUs {
			return fmt.Errorf("%d vCPUs: a VM has 1 to %d (--vcpus)", vm.VCPUs, MaxVCPUs)
		}
		if vm.Image == nil || vm.Image.Main == 0 {
			return fmt.Errorf("a VM needs an image with a main entry")
		}
		total += vm.VCPUs
	}
	if total > MaxTotalVCPUs {
		return fmt.Errorf("%d vCPUs in all VMs: at most %d (--vms times --vcpus)", total, MaxTotalVCPUs)
	}
	if hogs == len(c.VMs) {
		return fmt.Errorf("hogs alone never end (--hogs)")
	}
	if c.Commit > mem.Random {
		return fmt.Errorf("commit mode %d: a run needs timed, eager, late or random (--commit)", c.Commit)
	}
	if c.CommitDelay > MaxCommitDelay {
		return fmt.Errorf("commit delay %d: at most %d cycles (--commit-delay)", c.CommitDelay, MaxCommitDelay)
	}
	if c.MaxInstructions > maxInstructions {
		return fmt.Errorf("%d instructions: at most %d (--max-instructions)", c.MaxInstructions, uint64(maxInstructions))
	}
	if c.Slice > MaxSlice {
		return fmt.Errorf("slice %d: at most %d cycles (--slice)", c.Slice, uint64(MaxSlice))
	}
	if c.PVUnhaltBit < NoPVUnhalt || c.PVUnhaltBit > 31 {
		return fmt.Errorf("PV_UNHALT bit %d: 1 to 31, or %d for none (--pv-unhalt-bit)", c.PVUnhaltBit, NoPVUnhalt)
	}
	if int(c.HostBug) >= len(HostBugs) {
		return fmt.Errorf("host bug %d: there are %d", c.HostBug, len(HostBugs)-1)
	}
	if c.KickABI > KickMainline {
		return fmt.Errorf("kick ABI %d: there are V8, V3 and mainline", c.KickABI)
	}
	if err := c.checkInjections(); err != nil {
		return err
	}
	return c.checkProfile()
}

// checkProfile fills in the defaults and holds the rest against the profile.
func (c *Config) checkProfile() error {
	slice := c.Slice
	c.fill()
	p := c.Profile
	switch {
	case c.PLE && p.PLEKind == PLENone:
		return fmt.Errorf("profile %s: its machine has no pause-loop exiting (--ple)", p.Name)
	case p.Policy == CFS && slice != 0 && slice != p.Slice:
		return fmt.Errorf("slice %d: profile %s schedules by CFS, which sets its own (--slice)", slice, p.Name)
	case p.Policy == CFS && (p.MHz == 0 || p.Fair.HZ == 0 || p.cycles(1_000_000_000) < p.Fair.HZ):
		return fmt.Errorf("profile %s: CFS needs a clock and ticks", p.Name)
	case p.SocketCores < 0:
		return fmt.Errorf("profile %s: %d cores on a socket", p.Name, p.SocketCores)
	}
	return nil
}

func (c *Config) fill() {
	if c.Profile == nil {
		p, _ := FindProfile("default")
		c.Profile = &p
	}
	if c.Slice == 0 {
		c.Slice = c.Profile.Slice
	}
	if c.CommitDelay == 0 {
		c.CommitDelay = DefaultCommitDelay
	}
	if c.MaxInstructions == 0 {
		c.MaxInstructions = DefaultMaxInstructions
	}
	if c.MaxCycles == 0 {
		c.MaxCycles = maxCycles
	}
	c.MaxCycles = min(c.MaxCycles, maxCycles)
	if c.PVUnhaltBit == 0 {
		c.PVUnhaltBit = DefaultPVUnhaltBit
	}
}
