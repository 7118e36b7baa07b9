package cpu

import (
	"fmt"
	"strings"
)

// Operands in AT&T syntax, and the string instructions, whose operands are
// implied.

var regNames = func() (t [9][16]string) {
	old := [8]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"}
	for i := range 16 {
		if i >= 8 {
			n := fmt.Sprintf("%%r%d", i)
			t[8][i], t[4][i], t[2][i], t[1][i] = n, n+"d", n+"w", n+"b"
			continue
		}
		t[8][i], t[4][i], t[2][i] = "%r"+old[i], "%e"+old[i], "%"+old[i]
		t[1][i] = "%" + old[i] + "l"
		if i < 4 {
			t[1][i] = "%" + old[i][:1] + "l"
		}
	}
	return t
}()

var segNames = [8]string{"%es", "%cs", "%ss", "%ds", "%fs", "%gs", "(bad)", "(bad)"}

func regText(a Arg) string {
	if a.Sh != 0 {
		return "%" + "acdb"[a.Reg&3:][:1] + "h"
	}
	return regNames[a.W%9][a.Reg&15]
}

// operands lists the operands, the destination last. ENTER alone has its two
// immediates in the manual's order.
func (f *formatter) operands() string {
	o := f.o
	switch o.Mn {
	case ENTER:
		return fmt.Sprintf("$%#x,$%#x", o.Imm&0xffff, o.Imm>>16&0xff)
	case XLAT:
		if o.Seg != 0 || o.Flag&opAddr32 != 0 {
			return f.implied(RBX, o.Seg)
		}
		return ""
	case BAD, INT3:
		return ""
	}
	var list []string
	for i := len(o.Args) - 1; i >= 0; i-- {
		if o.Args[i].Kind != ArgNone {
			list = append(list, f.operand(i))
		}
	}
	return strings.Join(list, ",")
}

func (f *formatter) operand(i int) string {
	o := f.o
	a := o.Args[i]
	star := ""
	switch o.Mn {
	case CALL, JMP, LCALL, LJMP:
		star = "*"
	}
	switch a.Kind {
	case ArgReg:
		if (o.Mn == IN || o.Mn == OUT) && a.W == 2 && a.Reg == RDX {
			return "(%dx)"
		}
		return star + regText(a)
	case ArgMem:
		return star + f.address()
	case ArgXMM:
		return fmt.Sprintf("%%xmm%d", a.Reg)
	case ArgSeg:
		return segNames[a.Reg&7]
	case ArgCR:
		return fmt.Sprintf("%%cr%d", a.Reg)
	case ArgDR:
		return fmt.Sprintf("%%db%d", a.Reg)
	}
	if f.isBranch() {
		return f.target(o.Imm)
	}
	return f.immediate(a.W)
}

// isBranch says whether an immediate operand is an address to go to.
func (f *formatter) isBranch() bool {
	switch f.o.Mn {
	case CALL, JMP, JCC, JRCXZ, LOOP, LOOPE, LOOPNE, XBEGIN:
		return true
	}
	return false
}

// target is an address, with its name if it has one.
func (f *formatter) target(a uint64) string {
	if f.sym != nil {
		if name := f.sym(a); name != "" {
			return fmt.Sprintf("%#x <%s>", a, name)
		}
	}
	return fmt.Sprintf("%#x", a)
}

// immediate writes wide small negative numbers with a sign, others as the bits
// of the operand width.
func (f *formatter) immediate(w uint8) string {
	v := f.o.Imm
	switch {
	case f.o.Mn >= firstSSE: // a control byte
		w = 1
	case f.o.Mn == RET, f.o.Mn == LRET:
		w = 2
	}
	if s := int64(signExtend(v, w)); w >= 4 && s < 0 && s >= -0x8000 {
		return fmt.Sprintf("$-%#x", -s)
	}
	return fmt.Sprintf("$%#x", v&widthMask[w&15])
}

// address writes the memory operand: seg:disp(base,index,scale).
func (f *formatter) address() string {
	o := f.o
	var b strings.Builder
	if o.Seg != 0 {
		b.WriteString(segNames[o.Seg&7] + ":")
	}
	w := uint8(8)
	if o.Flag&opAddr32 != 0 {
		w = 4
	}
	if o.Flag&opRIP != 0 {
		b.WriteString(signedHex(signExtend(o.Disp-f.rip-uint64(o.Len), w)))
		return b.String() + map[uint8]string{4: "(%eip)", 8: "(%rip)"}[w]
	}
	base, index := o.Base != regZero, o.Index != regZero
	if !base && !index {
		fmt.Fprintf(&b, "%#x", o.Disp&widthMask[w])
		return b.String()
	}
	if d := signExtend(o.Disp, w); d != 0 || !base {
		b.WriteString(signedHex(d))
	}
	b.WriteByte('(')
	if base {
		b.WriteString(regNames[w][o.Base&15])
	}
	if index {
		fmt.Fprintf(&b, ",%s,%d", regNames[w][o.Index&15], 1<<(o.Shift&3))
	}
	b.WriteByte(')')
	return b.String()
}

func signedHex(v uint64) string {
	if int64(v) < 0 {
		return fmt.Sprintf("-%#x", -v)
	}
	return fmt.Sprintf("%#x", v)
}

// comment gives the address that a RIP-relative operand means.
func (f *formatter) comment() string {
	if f.o.Flag&opRIP == 0 {
		return ""
	}
	a := f.o.Disp
	if f.o.Flag&opAddr32 != 0 {
		a &= 0xffffffff
	}
	return "  # " + f.target(a)
}

// stringOp writes a string instruction. The operands appear only when a
// segment or the address size makes them other than usual.
func (f *formatter) stringOp() string {
	o := f.o
	text := f.repeat() + Rows[o.Mn].Name + suffix(o.W)
	if o.Seg == 0 && o.Flag&opAddr32 == 0 {
		return text
	}
	src, dst := f.implied(RSI, o.Seg), "%es:"+f.implied(RDI, 0) // no override for RDI
	acc := regNames[o.W%9][RAX]
	switch o.Mn {
	case MOVS:
		return text + " " + src + "," + dst
	case CMPS:
		return text + " " + dst + "," + src
	case STOS:
		return text + " " + acc + "," + dst
	case LODS:
		return text + " " + src + "," + acc
	}
	return text + " " + dst + "," + acc // SCAS
}

// repeat is the repeat prefix: F3 means "while equal" where flags are compared.
func (f *formatter) repeat() string {
	compares := f.o.Mn == CMPS || f.o.Mn == SCAS
	switch {
	case f.o.Flag&opRepNE != 0:
		return "repne "
	case f.o.Flag&opRep != 0 && compares:
		return "repe "
	case f.o.Flag&opRep != 0:
		return "rep "
	}
	return ""
}

// implied is the address in register r.
func (f *formatter) implied(r int, seg uint8) string {
	w := uint8(8)
	if f.o.Flag&opAddr32 != 0 {
		w = 4
	}
	text := "(" + regNames[w][r] + ")"
	if seg != 0 {
		text = segNames[seg&7] + ":" + text
	}
	return text
}
