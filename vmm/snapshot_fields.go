package vmm

import (
	"reflect"

	"spinlab/cpu"
	"spinlab/mem"
)

// omitted are the fields that a snapshot leaves out, and why the machine is
// whole without them. A field that does not stand here is saved.
var omitted = map[string]string{
	"vmm.Config.Symbolize": "a function: Listen",
	"vmm.Config.Line":      "a function: Listen",
	"vmm.Config.Observe":   "a function: Listen",
	"vmm.Config.Events":    "a function: Listen",
	"vmm.Config.NoSkip":    "how a machine runs, not what comes of it: SetNoSkip",
	"vmm.Config.Tasks":     "functions: their turns come, and nothing happens",
	"vmm.Image.Segments":   "its bytes are in memory, which is saved",

	"vmm.Machine.VMs":      "follow one by one; how many and how large says the configuration",
	"vmm.Machine.VCPUs":    "follow with their VMs",
	"vmm.Machine.cfg":      "comes first",
	"vmm.Machine.lockstep": "for tests",
	"vmm.Scheduler.m":      "the machine itself",
	"vmm.Scheduler.actor":  "means something during a turn only",
	"vmm.Scheduler.quota":  "nobody spins unseen at a pause",

	"vmm.VM.Mem":       "follows the vCPUs, page by page",
	"vmm.VM.VCPUs":     "follow",
	"vmm.VM.image":     "is in the configuration",
	"vmm.VM.code":      "decoded again from memory",
	"vmm.VCPU.VM":      "the one it follows",
	"vmm.books.closed": "a function: Listen",
	"cpu.Core.Code":    "decoded again from memory",
	"cpu.Core.Feat":    "the configuration's seed",
	"cpu.Core.Plain":   "follows from the hooks: Listen",
	"cpu.Core.OnProbe": "a function that the machine sets",
	"cpu.Core.p":       "given to each Run",
	"cpu.Core.turned":  "false between instructions",
	"cpu.Core.next":    "means something during an instruction only",
	"cpu.Core.from":    "means something during a trap only",
	"cpu.Core.lz":      "worked out before saving: all flags are in State",
	"cpu.Core.at":      "closed between instructions",
	"cpu.Core.cur":     "a cache: found again from RIP",
	"cpu.Core.slow":    "of lap",
	"cpu.Core.lap":     "a cache: found again after two turns of a loop",
	"cpu.Core.Skips":   "set by each RunTo",
	"mem.Port.Exact":   "set by each turn in the guest",
	"mem.Port.Waited":  "means something during an instruction only",
	"mem.Port.Lost":    "tells what remembers lines that they are stale; they start empty",
	"mem.Port.Meter":   "the machine's",
	"mem.Port.Stop":    "set by each Run",
	"mem.Port.Allow":   "set by each Run",
	"mem.Port.Replay":  "empty: a scheduler stops before no accesses",
	"mem.Port.self":    "follows from Core",
	"mem.Port.bit":     "follows from Core",
	"mem.Port.epoch":   "of a cache",

	"mem.Port.rt":         "a cache of translations",
	"mem.Port.wt":         "a cache of translations",
	"mem.Port.hot":        "a cache of lines, equal to the directory",
	"mem.Meter.split":     "of the profile",
	"mem.Meter.ports":     "the machine's",
	"mem.Page.Version":    "tells decoded code that it is stale; it is decoded again",
	"mem.Page.Code":       "set when code is decoded again",
	"mem.Memory.freed":    "follows from its pages",
	"mem.Memory.trespass": "for the explorer",
	"mem.Memory.surprise": "for the explorer",
	"mem.Page.Varies":     "for the explorer",
	"mem.Port.Idle":       "for the explorer",

	"mem.Memory.hideConstants": "for the explorer",
	"mem.Memory.version":       "of Page.Version",
	"mem.Memory.epoch":         "tells caches that they are stale; they start empty",
	"mem.Memory.free":          "for Reset, which no machine calls",
	"mem.Memory.limit":         "the same for all VMs",
	"mem.Memory.pokes":         "tells what remembers bytes that they are stale; they start empty",
	"mem.Memory.BeforeCode":    "a function: set by each RunTo",
	"mem.Meter.Watched":        "nobody spins unseen at a pause",
	"mem.Meter.OnLoss":         "a function: set by each RunTo",
	"mem.Memory.logging":       "for rolling back, which no scheduler does",
	"mem.Memory.log":           "for rolling back, which no scheduler does",
}

// parts are what the skeleton of a machine has already: their fields are read
// in place.
var parts = map[reflect.Type]bool{
	reflect.TypeFor[cpu.Core]():  true,
	reflect.TypeFor[mem.Port]():  true,
	reflect.TypeFor[mem.Meter](): true,
}

// owned are made anew when they are loaded.
var owned = map[reflect.Type]bool{
	reflect.TypeFor[Scheduler](): true,
	reflect.TypeFor[fair]():      true,
	reflect.TypeFor[Profile]():   true,
	reflect.TypeFor[Image]():     true,
}

// limits are the largest values of enumerations and the like; a test holds that
// every named integer type of a snapshot has a row.
var limits = map[reflect.Type]uint64{
	reflect.TypeFor[phase]():          uint64(polling),
	reflect.TypeFor[cycleKind]():      uint64(numCycleKinds) - 1,
	reflect.TypeFor[MPState]():        uint64(Done),
	reflect.TypeFor[Reason]():         uint64(NumReasons) - 1,
	reflect.TypeFor[KickABI]():        uint64(KickMainline),
	reflect.TypeFor[ProbeKind]():      uint64(probeEnd) - 1,
	reflect.TypeFor[HostBug]():        uint64(HostKickLast),
	reflect.TypeFor[Policy]():         uint64(CFS),
	reflect.TypeFor[PLEKind]():        uint64(PLESVM),
	reflect.TypeFor[turnKey]():        1<<64 - 1,
	reflect.TypeFor[EventPort]():      uint64(AnyPort),
	reflect.TypeFor[cpu.Shadow]():     uint64(cpu.SSShadow),
	reflect.TypeFor[cpu.ExitKind]():   uint64(cpu.NumExits) - 1,
	reflect.TypeFor[mem.CommitMode](): uint64(mem.Random),
	reflect.TypeFor[mem.Perm]():       uint64(mem.Read | mem.Write | mem.Exec | mem.Freed),
}
