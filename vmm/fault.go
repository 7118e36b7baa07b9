package vmm

import (
	"bytes"
	"fmt"
	"strings"

	"spinlab/cpu"
)

// place names v and where it is.
func (m *Machine) place(v *VCPU) string { return m.placeAt(v, v.Core.RIP) }

// placeAt names v at an address: "vcpu 1 rip 0x1010 (spin_lock+0x10)".
func (m *Machine) placeAt(v *VCPU, rip uint64) string {
	s := fmt.Sprintf("%s rip %#x", m.name(v), rip)
	if sym := m.symbol(rip); sym != "" {
		s += " (" + sym + ")"
	}
	return s
}

func (m *Machine) name(v *VCPU) string {
	if len(m.VMs) == 1 {
		return fmt.Sprintf("vcpu %d", v.Index)
	}
	return fmt.Sprintf("vm %d vcpu %d", v.VM.Index, v.Index)
}

func (m *Machine) symbol(addr uint64) string {
	if m.cfg.Symbolize == nil {
		return ""
	}
	return m.cfg.Symbolize(addr)
}

// bytesAt gives the bytes of the instruction at rip, each after a space.
func (m *Machine) bytesAt(v *VCPU, rip uint64) string {
	code, o := instruction(v, rip)
	var b strings.Builder
	for _, x := range code[:min(int(o.Len), len(code))] {
		fmt.Fprintf(&b, " %02x", x)
	}
	return b.String()
}

// instruction decodes what committed memory holds at rip, as far as mapped.
func instruction(v *VCPU, rip uint64) ([]byte, cpu.Op) {
	code := make([]byte, 15)
	n := v.VM.Mem.Peek(rip, code)
	return code[:n], cpu.Decode(code, rip)
}

// guestFault ends the machine for an exception that the guest does not handle.
func (m *Machine) guestFault(v *VCPU) {
	f := &v.Core.Fault
	what := cpu.VectorName(f.Vector)
	if what == "" {
		what = fmt.Sprintf("exception %d", f.Vector)
	}
	if why := m.faultReason(v, f); why != "" {
		what += " (" + why + ")"
	}
	if f.Triple {
		what += ": triple fault"
	}
	at := m.placeAt(v, f.RIP) + m.bytesAt(v, f.RIP)
	if f.Trap { // the instruction has retired: what stands at RIP is the next one
		at = m.placeAt(v, f.RIP) + ", behind the trap"
	}
	m.stop(VerdictFault, "%s: %s", at, what)
}

const (
	vecUD = 6
	vecPF = 14

	pfPresent = 1 << 0 // page-fault error code (SDM vol. 3A, 4.7)
	pfWrite   = 1 << 1
	pfFetch   = 1 << 4
)

func (m *Machine) faultReason(v *VCPU, f *cpu.Fault) string {
	switch {
	case f.Vector == vecPF:
		return pageFaultReason(f)
	case f.Vector == vecUD:
		code, _ := instruction(v, f.RIP)
		return lockReason(code)
	case f.HasError && f.Error != 0:
		return fmt.Sprintf("error %#x", f.Error)
	}
	return ""
}

// freedMemory is what is wrong with an access to what the guest gave back.
const freedMemory = "freed memory"

func pageFaultReason(f *cpu.Fault) string {
	verb := "read of"
	switch {
	case f.Error&pfFetch != 0:
		verb = "fetch from"
	case f.Error&pfWrite != 0:
		verb = "write to"
	}
	state := "not mapped"
	switch {
	case f.Freed:
		state = freedMemory
	case f.Error&pfPresent != 0:
		state = "no permission"
	}
	return fmt.Sprintf("%s %#x: %s", verb, f.CR2, state)
}

// prefixes is how many legacy prefix bytes code begins with.
func prefixes(code []byte) int {
	for i, b := range code {
		switch b {
		case 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3:
		default:
			return i
		}
	}
	return len(code)
}

// lockReason says what is wrong with a LOCK prefix, "" if there is none: it
// looks at what the instruction would be without it.
func lockReason(code []byte) string {
	n := prefixes(code)
	if bytes.IndexByte(code[:n], 0xf0) < 0 {
		return ""
	}
	plain := bytes.ReplaceAll(code[:n], []byte{0xf0}, nil)
	plain = append(plain, code[n:]...)
	o := cpu.Decode(append(plain, make([]byte, 15)...)[:15], 0)
	row := &cpu.Rows[o.Mn]
	switch {
	case o.Mn == cpu.BAD:
		return ""
	case row.Lock && o.Args[0].Kind != cpu.ArgMem:
		return "LOCK on a register destination"
	}
	return "LOCK is not allowed with " + row.Name
}
