package explore

import (
	"fmt"
	"strconv"
	"strings"

	"spinlab/cpu"
	"spinlab/vmm"
)

// Observable is a value that can be read in a final state: a register of a
// vCPU, or up to eight bytes of memory as a little-endian integer.
type Observable struct {
	Name  string // as it was given
	Mem   bool
	VCPU  int
	Reg   int // of a register: its number
	Shift int // of ah and the like: bits to the right
	Size  int // bytes, 1 to 8
	Addr  uint64
}

// ParseObservable reads P0.eax, P1.flags or mem:0x200040:4.
func ParseObservable(s string) (Observable, error) {
	o := Observable{Name: s}
	if rest, ok := strings.CutPrefix(s, "mem:"); ok {
		at, size, ok := strings.Cut(rest, ":")
		n, err := strconv.Atoi(size)
		if !ok {
			n, err = 8, nil
		}
		a, err2 := strconv.ParseUint(at, 0, 64)
		if err != nil || err2 != nil || n < 1 || n > 8 {
			return o, fmt.Errorf("%s: mem:ADDRESS:BYTES is wanted, with 1 to 8 bytes", s)
		}
		o.Mem, o.Addr, o.Size = true, a, n
		return o, nil
	}
	who, reg, ok := strings.Cut(s, ".")
	n, err := strconv.Atoi(strings.TrimPrefix(who, "P"))
	if !ok || err != nil || n < 0 || n >= vmm.MaxWalkers || !strings.HasPrefix(who, "P") {
		return o, fmt.Errorf("%s: P0.eax or mem:ADDRESS:BYTES is wanted", s)
	}
	o.VCPU = n
	if o.Reg, o.Shift, o.Size, ok = ParseRegister(reg); !ok {
		return o, fmt.Errorf("%s: no register %s", s, reg)
	}
	return o, nil
}

// regFlags and regIP stand for RFLAGS and RIP where register numbers go.
const (
	regFlags = 16
	regIP    = 17
)

// ParseRegister gives the number, the shift in bits and the size in bytes of a
// register that is named as in assembler, with or without a per cent sign.
func ParseRegister(name string) (reg, shift, size int, ok bool) {
	name = strings.ToLower(strings.TrimPrefix(name, "%"))
	switch name {
	case "rflags", "flags", "eflags":
		return regFlags, 0, 8, true
	case "rip":
		return regIP, 0, 8, true
	}
	for i, long := range cpu.RegNames {
		long = strings.ToLower(long)
		for _, f := range forms(i, long) {
			if f.name == name {
				return i, f.shift, f.size, true
			}
		}
	}
	return 0, 0, 0, false
}

type form struct {
	name        string
	shift, size int
}

// forms are the names of the parts of a register.
func forms(i int, long string) []form {
	if i >= 8 {
		return []form{{long, 0, 8}, {long + "d", 0, 4}, {long + "w", 0, 2}, {long + "b", 0, 1}, {long + "l", 0, 1}}
	}
	short := long[1:] // ax, sp, …
	list := []form{{long, 0, 8}, {"e" + short, 0, 4}, {short, 0, 2}}
	if i < 4 {
		return append(list, form{short[:1] + "l", 0, 1}, form{short[:1] + "h", 8, 1})
	}
	return append(list, form{short + "l", 0, 1})
}

// value reads o in the present state of a walk.
func (o *Observable) value(w *vmm.Walk) uint64 {
	if o.Mem {
		return w.Memory().PeekUint(o.Addr, o.Size)
	}
	v, _ := w.VCPU(o.VCPU)
	var x uint64
	switch o.Reg {
	case regFlags:
		x = v.Core.RFlags()
	case regIP:
		x = v.Core.RIP
	default:
		x = v.Core.R[o.Reg]
	}
	return x >> o.Shift & (1<<(8*o.Size) - 1)
}

// check says what is wrong with o on a machine of n vCPUs.
func (o *Observable) check(n int) error {
	if !o.Mem && o.VCPU >= n {
		return fmt.Errorf("%s: there are %d vCPUs", o.Name, n)
	}
	return nil
}

// looksAtRegisters says whether registers are read after the end.
func (t *Target) looksAtRegisters() bool {
	for i := range t.Observe {
		if !t.Observe[i].Mem {
			return true
		}
	}
	return t.Final != nil && t.Final.registers
}
