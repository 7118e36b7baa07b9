package guestcode

import (
	"fmt"
	"slices"
	"strings"

	"spinlab/asm"
	"spinlab/asm/elfobj"
)

// A user's files are assembler sources, objects, archives, executables and flat
// binaries; asm/elfobj makes one image of them. What makes it a lock, a program
// or threads is decided by the symbols of that image and by Binding alone:
//
//	P0, P1, …              threads               threads.go
//	vcpu_main              a program             build.go
//	spin_lock, spin_unlock a lock for the harness

// ExecBase is where a position-independent executable goes: where linkers put
// the others.
const ExecBase = 0x400000

// reserved are the parts of the address map that no image may reach into.
var reserved = []struct {
	what     string
	from, to uint64
}{
	{"the locks", SharedBase, SharedBase + SharedSize},
	{"the host's descriptor table", IDTBase, IDTBase + 0x1000},
	{"Xen's shared_info", SharedInfo, SharedInfo + 0x1000},
	{"the per-CPU areas", PerCPUBase, PerCPUBase + MaxVCPUs*PerCPUSize},
	{"the stacks", StackBase, StackBase + MaxVCPUs*StackSize},
}

// checkRoom refuses an image that reaches into the memory of somebody else.
func checkRoom(obj *asm.Object) error {
	for _, s := range obj.Sections {
		end := s.Addr + uint64(len(s.Data))
		for _, r := range reserved {
			if end <= r.from || s.Addr >= r.to || len(s.Data) == 0 {
				continue
			}
			room := ""
			if s.Addr < SharedBase {
				room = fmt.Sprintf(": an image has %d KiB", (SharedBase-TextBase)>>10)
			}
			return fmt.Errorf("section %s reaches from %#x to %#x, into %s at %#x%s", s.Name, s.Addr, end, r.what, r.from, room)
		}
	}
	return nil
}

// LinkOptions are how files are linked for the guest's address map. Bare cores
// and listings use them, too.
func LinkOptions(c Config) elfobj.Options {
	return elfobj.Options{
		Text: TextBase, Data: DataBase, PIE: ExecBase, PerCPU: PerCPUFree, PerCPUEnd: PerCPUSize,
		Load: c.Load, Defines: c.Defines, Roots: c.Bind.roots(), Library: linuxSource,
	}
}

// link makes an image of files with the given defines.
func (c Config) link(defines map[string]int64, files []asm.Source) (*elfobj.Image, error) {
	c.Defines = defines
	img, err := elfobj.Link(LinkOptions(c), files...)
	if err != nil {
		return nil, err
	}
	return img, checkRoom(img.Object)
}

// linuxSources are the embedded sources that define what objects of a Linux
// build refer to.
var linuxSources = map[string]string{
	"cpu_number": "linux-percpu.s", "this_cpu_off": "linux-percpu.s", "__preempt_count": "linux-percpu.s",
	"__per_cpu_offset": "linux-percpu-offset.s",
}

func linuxSource(name string) (asm.Source, bool) {
	file, ok := linuxSources[name]
	if !ok {
		return asm.Source{}, false
	}
	return embedded(file), true
}

// OwnSource reports whether a symbol's source is one that this package has added
// to a user's.
func OwnSource(name string) bool {
	return strings.HasPrefix(name, "harness") || strings.HasPrefix(name, "linux-percpu") || slices.Contains([]string{
		"spin-init-stub.s", "init-args.s", "start.s", "start-boot.s", threadSource}, name)
}

// perCPU is what every per-CPU area holds at the start besides index and APIC
// id, as offsets and bytes; nil if nothing of the image is there.
func perCPU(img *elfobj.Image) []byte {
	_, linux := img.Lookup("this_cpu_off")
	if img.PerCPU == nil && !linux {
		return nil
	}
	area := make([]byte, PerCPUFree+len(img.PerCPU))
	copy(area[PerCPUFree:], img.PerCPU)
	if linux {
		copy(area[PerCPUPreempt:], []byte{0, 0, 0, 0x80}) // PREEMPT_ENABLED: arch/x86/include/asm/preempt.h
	}
	return area
}
