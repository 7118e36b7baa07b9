package elfobj

import (
	"debug/elf"
	"strings"
)

// fate is what becomes of a section.
type fate uint8

const (
	fateUnloaded  fate = iota // no part of a program: symbols, debug information
	fateLoaded                // mapped
	fatePerCPU                // copied into every per-CPU area
	fateIgnored               // part of a program, but of no use here: see ignored
	fateDiscarded             // a twin of a COMDAT group that another object brought
)

// ignored are sections that a program has for a loader or a kernel that is not
// here. A name that ends in * is a prefix. Sections without a note are what
// every compiler emits.
//
// Linux's are those of include/asm-generic/vmlinux.lds.h (v6.12): tables beside
// the code, from which the kernel patches instructions or looks up exceptions.
// Nobody patches here, so the instructions run as the compiler has left them.
var ignored = []struct{ name, note string }{
	{".eh_frame*", ""}, {".note*", ""}, {".comment", ""}, {".gnu.*", ""},
	{".init_array*", "nobody calls constructors"}, {".preinit_array*", "nobody calls constructors"},
	{".ctors*", "nobody calls constructors"}, {".fini_array*", "nobody calls destructors"}, {".dtors*", "nobody calls destructors"},
	{".altinstructions", asIs}, {".altinstr_replacement", asIs}, {".smp_locks", asIs}, {".parainstructions", asIs},
	{"__jump_table", asIs}, {".static_call_sites", asIs}, {".static_call_tramp_key", asIs}, {".retpoline_sites", asIs},
	{".return_sites", asIs}, {".call_sites", asIs}, {".cfi_sites", asIs}, {".ibt_endbr_seal", asIs}, {"__mcount_loc", asIs},
	{"__patchable_function_entries", asIs}, {".kcfi_traps", asIs}, {"runtime_ptr_*", asIs}, {"runtime_shift_*", asIs},
	{".orc_*", ""}, {".discard.*", ""}, {".modinfo", ""}, {".export_symbol", ""}, {"__ksymtab*", ""}, {"___ksymtab*", ""},
	{"__kcrctab*", ""}, {"___kcrctab*", ""}, {"__versions", ""}, {".gnu.linkonce.this_module", ""}, {".printk_index", ""},
	{"__bug_table", "nobody handles UD2 of a BUG or WARN"}, {"__ex_table", "a fault is reported, not fixed up"},
	{"__tracepoints*", "trace points stay off"}, {"__bpf_raw_tp_map", "trace points stay off"}, {"_ftrace_*", "trace points stay off"},
	{"__param", "module parameters keep their defaults"},
}

const asIs = "the original instructions run"

// perCPUPrefix begins the names of Linux's sections of per-CPU variables
// (include/linux/percpu-defs.h). Their symbols are offsets from GS base.
const perCPUPrefix = ".data..percpu"

// ignoredBecause finds a section's row of ignored.
func ignoredBecause(name string) (note string, ok bool) {
	for _, r := range ignored {
		prefix, isPrefix := strings.CutSuffix(r.name, "*")
		if name == r.name || isPrefix && strings.HasPrefix(name, prefix) {
			return r.note, true
		}
	}
	return "", false
}

// decide settles the fate of a section of an object.
func (s *section) decide() {
	switch _, ignore := ignoredBecause(s.name); {
	case s.fate == fateDiscarded:
	case s.flags&elf.SHF_ALLOC == 0:
		s.fate = fateUnloaded
	case ignore:
		s.fate = fateIgnored
	case strings.HasPrefix(s.name, perCPUPrefix):
		s.fate = fatePerCPU
	default:
		s.fate = fateLoaded
	}
}

// check refuses what cannot be loaded.
func (l *linker) check(s *section) {
	errs := &l.errs
	if s.fate != fateLoaded && s.fate != fatePerCPU {
		return
	}
	switch {
	case s.flags&elf.SHF_TLS != 0 && s.size > 0:
		l.forbid(s.obj.name+":"+s.name, "thread-local storage (%d bytes): there are no threads; keep it in the per-CPU area at %%gs", s.size)
	case s.align&(s.align-1) != 0:
		errs.add(s.obj.name+":"+s.name, "alignment %#x is no power of two", s.align)
	case s.align > maxAlign:
		errs.add(s.obj.name+":"+s.name, "alignment %#x: at most %#x", s.align, maxAlign)
	case s.size > maxImage:
		errs.add(s.obj.name+":"+s.name, "%#x bytes: an image has at most %#x", s.size, maxImage)
	case s.flags&elf.SHF_COMPRESSED != 0:
		errs.add(s.obj.name+":"+s.name, "a loaded section is compressed")
	}
}

// Groups of sections, in the order of their addresses.
const (
	groupCode = iota
	groupConst
	groupData
	numGroups
)

func (s *section) group() int {
	switch {
	case s.flags&elf.SHF_EXECINSTR != 0:
		return groupCode
	case s.flags&elf.SHF_WRITE != 0:
		return groupData
	}
	return groupConst
}

// grpCOMDAT is GRP_COMDAT of the gABI: keep one group of that signature.
const grpCOMDAT = 1

// groups discards the COMDAT groups of o that an object before it has brought.
// kept maps signatures to the name of the object that has them.
func (o *object) groups(kept map[string]string, work *int, errs *ErrorList) {
	for i := range o.sections {
		s := &o.sections[i]
		if s.typ != elf.SHT_GROUP || len(s.data) < 4 || u32(s.data)&grpCOMDAT == 0 {
			continue
		}
		if uint64(s.info) >= uint64(len(o.symbols)) {
			errs.add(o.name, "group in section %d: no symbol %d for its signature", i, s.info)
			continue
		}
		sig := o.symbols[s.info].name
		owner, twin := kept[sig]
		if !twin {
			kept[sig] = o.name
		}
		for b := s.data[4:]; len(b) >= 4; b = b[4:] {
			k := u32(b)
			if *work++; k == 0 || uint64(k) >= uint64(len(o.sections)) || *work > maxRelocs {
				errs.add(o.name, "group %s: bad section number %d", sig, k)
				break
			}
			if twin && owner != "" {
				o.sections[k].fate = fateDiscarded
			}
		}
	}
}
