package engine

import (
	"fmt"

	"spinlab/asm"
	"spinlab/cpu"
	"spinlab/experiment"
)

// Instruction is one line of a disassembly.
type Instruction struct {
	Addr  uint64
	Bytes []byte
	Text  string
}

// Disassemble sweeps the executable sections from their first byte to their
// last.
func Disassemble(obj *asm.Object) (list []Instruction) {
	for _, s := range obj.Sections {
		if s.Exec {
			list = append(list, Sweep(obj, s)...)
		}
	}
	return list
}

// Sweep disassembles one section. Bytes that are no instruction show as (bad).
func Sweep(obj *asm.Object, s asm.Section) (list []Instruction) {
	names := func(addr uint64) string { return experiment.Symbol(obj, addr) }
	for i := 0; i < len(s.Data); {
		at := s.Addr + uint64(i)
		op := DecodeAt(s.Data[i:], at)
		n := max(1, min(int(op.Len), len(s.Data)-i))
		text := op.Format(at, names)
		if n < int(op.Len) {
			text = "(bad)" // the instruction would go on after the last byte
		}
		list = append(list, Instruction{at, s.Data[i : i+n], text})
		i += n
	}
	return list
}

// DecodeAt decodes the first instruction of b, which lies at addr.
func DecodeAt(b []byte, addr uint64) cpu.Op {
	var buf [16]byte
	copy(buf[:], b[:min(len(b), len(buf))])
	return cpu.Decode(buf[:15], addr)
}

// Begins reports whether an instruction begins at addr, counted from the start
// of its section, as dis shows it, or from the label before it.
func Begins(obj *asm.Object, addr uint64) bool {
	for _, s := range obj.Sections {
		if !s.Exec || addr < s.Addr || addr-s.Addr >= uint64(len(s.Data)) {
			continue
		}
		_, off, _ := obj.SymbolAt(addr)
		for _, at := range []uint64{s.Addr, addr - off} {
			for at < addr {
				at += max(1, uint64(DecodeAt(s.Data[at-s.Addr:], at).Len))
			}
			if at == addr {
				return true
			}
		}
	}
	return false
}

// Function finds a function and its size in bytes.
func Function(obj *asm.Object, name string) (addr, size uint64, err error) {
	s, ok := obj.Lookup(name)
	if !ok || s.Absolute {
		return 0, 0, &SymbolError{name, labels(obj)}
	}
	return s.Addr, experiment.CodeSize(obj, s), nil
}

// SymbolError says that code has no such label.
type SymbolError struct {
	Name string
	Have []string
}

func (e *SymbolError) Error() string {
	have := e.Have
	more := ""
	if len(have) > mostNamed {
		have, more = have[:mostNamed], " …"
	}
	if len(have) == 0 {
		return fmt.Sprintf("no such symbol %s; the code has none", e.Name)
	}
	return fmt.Sprintf("no such symbol %s; the code has %s%s", e.Name, join(have), more)
}

// mostNamed is how many symbols an error lists.
const mostNamed = 12
