package cpu

import (
	"fmt"
	"strings"
)

// The disassembly: one normal form of our own in AT&T syntax. Where GNU as
// accepts several spellings this one is near to what objdump prints, and as
// reads it back as the same instruction (sometimes with a shorter encoding).
// format_att.go writes the operands.

// String is the mnemonic in AT&T syntax without a size suffix.
func (m Mn) String() string {
	if m < NumMn {
		return Rows[m].Name
	}
	return fmt.Sprintf("Mn(%d)", uint16(m))
}

// Format writes o, which stands at rip, as assembler text. sym, which may be
// nil, names an address ("spin_lock+0x20") or returns ""; names appear behind
// branch targets and, as a comment, behind RIP-relative operands.
//
// A size suffix is written where no register tells the operand size, and
// always with movz and movs. Prefixes without effect are not written, nor is
// the LOCK that XCHG implies.
func (o *Op) Format(rip uint64, sym func(addr uint64) string) string {
	f := formatter{o: o, rip: rip, sym: sym}
	switch {
	case o.Mn == UNMODELLED:
		return f.foreign()
	case Rows[o.Mn].Class == ClassString:
		return f.stringOp()
	}
	text := f.prefix() + f.mnemonic()
	if args := f.operands(); args != "" {
		text += " " + args
	}
	return text + f.comment()
}

// formatter is the state of one Format.
type formatter struct {
	o   *Op
	rip uint64
	sym func(addr uint64) string
}

// foreign is an instruction without a row: all that is known is what its
// handler, which changes nothing, says.
func (f *formatter) foreign() string {
	var c Core
	f.o.fn(&c, f.o)
	text := strings.TrimSuffix(c.Why, " is not modelled")
	if f.o.Imm != 0 { // x86asm knew it
		return text
	}
	return "(" + text + ")"
}

// prefix is LOCK, and the address size of an address that no register shows.
func (f *formatter) prefix() string {
	o, p := f.o, ""
	if o.Flag&opLock != 0 && o.Mn != XCHG {
		p = "lock "
	}
	if o.Flag&opAddr32 == 0 {
		return p
	}
	switch o.Mn {
	case LOOP, LOOPE, LOOPNE: // counts in ECX
		p += "addr32 "
	case XLAT:
	default:
		if f.memory() >= 0 && o.Base == regZero && o.Index == regZero && o.Flag&opRIP == 0 {
			p += "addr32 "
		}
	}
	return p
}

// suffix is the letter of an operand width.
func suffix(w uint8) string {
	return [9]string{1: "b", 2: "w", 4: "l", 8: "q"}[w%9]
}

var condNames = [16]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}

// mnemonic is the name with condition and size suffix.
func (f *formatter) mnemonic() string {
	o := f.o
	name := Rows[o.Mn].Name
	switch o.Mn {
	case JCC, SET, CMOV:
		return name + condNames[o.Cond&15]
	case MOVZX, MOVSX:
		return name + suffix(o.Args[1].W) + suffix(o.Args[0].W)
	case MOVSXD:
		if o.Args[0].W != 8 {
			return "movsxd"
		}
		return "movslq"
	case MOV:
		if f.wide() {
			return "movabs"
		}
	case CBW:
		return map[uint8]string{2: "cbtw", 4: "cwtl", 8: "cltq"}[o.W]
	case CWD:
		return map[uint8]string{2: "cwtd", 4: "cltd", 8: "cqto"}[o.W]
	case MOVDR: // its row's name says more
		return "mov"
	case JRCXZ:
		if o.Flag&opAddr32 != 0 {
			return "jecxz"
		}
	case PREFETCH:
		return [16]string{"prefetchnta", "prefetcht0", "prefetcht1", "prefetcht2",
			8: "prefetch", 9: "prefetchw", 10: "prefetchwt1"}[o.Cond&15]
	case IRET:
		return name + map[uint8]string{2: "w", 8: "q"}[o.W]
	case PUSHF, POPF, ENTER, LEAVE:
		if o.W == 2 {
			return name + "w"
		}
	}
	return name + f.sizeSuffix()
}

// wide says whether a MOV needs its 64-bit immediate or address.
func (f *formatter) wide() bool {
	o := f.o
	fits := func(v uint64) bool { return v == signExtend(v, 4) }
	if o.Args[1].Kind == ArgImm {
		return o.Args[0].Kind == ArgReg && o.W == 8 && !fits(o.Imm)
	}
	return f.memory() >= 0 && o.Base == regZero && o.Index == regZero &&
		o.Flag&(opRIP|opAddr32) == 0 && !fits(o.Disp)
}

// memory is the number of the memory operand, -1 if there is none.
func (f *formatter) memory() int {
	for i, a := range f.o.Args {
		if a.Kind == ArgMem {
			return i
		}
	}
	return -1
}

// sizeSuffix is the suffix for a memory or immediate operand whose size no
// register tells.
func (f *formatter) sizeSuffix() string {
	o := f.o
	switch o.Mn {
	case PUSH, POP:
		if (o.Args[0].Kind == ArgImm || o.Args[0].Kind == ArgSeg) && o.W == 2 {
			return "w"
		}
	case MOVSEG, LEA, SET, CALL, JMP, LCALL, LJMP, CMPXCHG8B, CMPXCHG16B, INVLPG, CLFLUSH, CLFLUSHOPT, CLWB,
		LGDT, LIDT, SGDT, SIDT, LLDT, LTR, LMSW, INS, OUTS, IN, OUT, BAD, UD0, UD1:
		return ""
	}
	i := f.memory()
	if i < 0 || o.Mn >= firstSSE {
		return ""
	}
	for k, a := range o.Args {
		if a.Kind == ArgReg && !f.isCount(k) {
			return ""
		}
	}
	return suffix(o.Args[i].W)
}

// isCount says whether operand i is the CL of a shift, which tells no size.
func (f *formatter) isCount(i int) bool {
	switch f.o.Mn {
	case ROL, ROR, RCL, RCR, SHL, SHR, SAR:
		return i == 1
	case SHLD, SHRD:
		return i == 2
	}
	return false
}
