package asm

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"github.com/twitchyliquid64/golang-asm/asm/arch"
	"github.com/twitchyliquid64/golang-asm/obj"
	"github.com/twitchyliquid64/golang-asm/obj/x86"
	"github.com/twitchyliquid64/golang-asm/objabi"
)

// goEncoder encodes single instructions with golang-asm. It is used through
// arch.Set and obj.Linknew; the package's own Builder prints errors to stdout
// and drops the instruction.
type goEncoder struct {
	arch  *arch.Arch
	ctxt  *obj.Link
	diags []string
	ripTo *obj.LSym // stands for whatever a RIP-relative operand names
}

// goArch is golang-asm's description of amd64. Making it once takes care of
// two things: its register maps cost more than assembling a lock, and its
// encoding tables are filled in by whoever comes first, which would be a data
// race between two callers.
var goArch = sync.OnceValue(func() *arch.Arch {
	a := arch.Set("amd64")
	ctxt := obj.Linknew(a.LinkArch)
	ctxt.Headtype = objabi.Hlinux
	a.Init(ctxt)
	return a
})

func newGoEncoder() *goEncoder {
	e := &goEncoder{arch: goArch(), ripTo: &obj.LSym{Name: "rip"}}
	e.ctxt = obj.Linknew(e.arch.LinkArch)
	e.ctxt.Headtype = objabi.Hlinux
	// Without IsAsm golang-asm pads jumps as for a Go program.
	e.ctxt.IsAsm = true
	e.ctxt.DiagFunc = func(format string, args ...any) {
		e.diags = append(e.diags, strings.TrimSpace(fmt.Sprintf(format, args...)))
	}
	e.ctxt.DiagFlush = func() {} // nil would be called after an error
	return e
}

// goOpcodes finds golang-asm's opcode by name.
var goOpcodes = sync.OnceValue(makeGoOpcodes)

func makeGoOpcodes() map[string]obj.As {
	m := map[string]obj.As{}
	for i, n := range x86.Anames {
		if n != "" && i >= int(obj.A_ARCHSPECIFIC) {
			m[n] = obj.ABaseAMD64 + obj.As(i)
		}
	}
	return m
}

// setGoAs resolves the row's golang-asm name for each of its sizes. Some names
// lack a size, which then takes the pattern; one that lacks all is a bug in
// the table.
func (f *form) setGoAs(name string) {
	if name == "" {
		return
	}
	sizes := f.sizes
	if sizes == "" {
		sizes = "b"
	}
	for i := range len(sizes) {
		n := strings.ReplaceAll(name, "%", strings.ToUpper(sizes[i:i+1]))
		f.goas[sizeIndex(sizes[i])] = goOpcodes()[n]
	}
	if f.goas == [4]obj.As{} {
		panic(fmt.Sprintf("asm: row %s: golang-asm has no %s", f.name, name))
	}
}

func sizeIndex(size byte) int { return max(0, strings.IndexByte("bwlq", size)) }

// goCan reports whether golang-asm can take the instruction: the row names an
// opcode and every operand is one that golang-asm encodes right.
func (in *insn) goCan() bool {
	if in.form.goas[sizeIndex(in.size)] == 0 {
		return false
	}
	for i := range in.ops {
		o := &in.ops[i]
		if !o.goCan() || o.kind == opImm && !in.goCanImm(in.form.args[i].class, o) {
			return false
		}
	}
	return true
}

// goCanImm leaves out the immediates that golang-asm reads in its own way.
// It takes some byte fields as signed (bt, shld, pslldq) and others as unsigned
// (shl), and refuses what does not fit; and it shortens 0xffffffff to the byte
// -1 where GNU as does not, because the operand size was only the default.
func (in *insn) goCanImm(class string, o *operand) bool {
	v, _ := o.imm.constant()
	if class == "ib" {
		return v >= 0 && v <= 127
	}
	short := normalize(v, in.size)
	return in.size == 'b' || short == v || short != int64(int8(short))
}

// goCan leaves out %spl, which golang-asm lacks; 32-bit addressing; and
// symbols as immediates or displacements, since golang-asm would choose the
// field's width from a value that is not known yet.
func (o *operand) goCan() bool {
	switch o.kind {
	case opReg:
		return o.reg.class != regByte || o.reg.num != 4
	case opImm:
		_, err := o.imm.constant()
		return err == nil
	}
	if o.addr32() {
		return false
	}
	v, known := o.dispValue()
	return v == int64(int32(v)) && (known || o.ripRelative())
}

// encodeGo encodes one instruction as a Prog of its own. The prefixes and a
// segment override are not part of it; legacyPrefixes adds them.
func (in *insn) encodeGo() (code machineCode, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("golang-asm: %v", r)
		}
	}()
	e := in.u.a.goasm
	e.diags = nil
	p := e.ctxt.NewProg()
	p.As = in.form.goas[sizeIndex(in.size)]
	e.setOperands(p, in)
	s := &obj.LSym{Func: &obj.FuncInfo{Text: p}}
	e.arch.Assemble(e.ctxt, s, e.ctxt.NewProg)
	if len(e.diags) > 0 {
		return code, fmt.Errorf("golang-asm: %s", e.diags[0])
	}
	code.bytes = s.P
	for i := range in.ops {
		o := &in.ops[i]
		if !o.ripRelative() {
			continue
		}
		if len(s.R) != 1 {
			return code, fmt.Errorf("golang-asm: %d relocations instead of one", len(s.R))
		}
		off := int(s.R[0].Off)
		if v, known := o.dispValue(); known {
			binary.LittleEndian.PutUint32(code.bytes[off:], uint32(v))
			continue
		}
		code.fixups = append(code.fixups, o.dispFixup(off, len(s.P)-off-4))
	}
	return code, nil
}

// setOperands spreads the operands over From, RestArgs and To. golang-asm
// keeps AT&T's order, except for CMP.
func (e *goEncoder) setOperands(p *obj.Prog, in *insn) {
	var addrs []obj.Addr
	for i := range in.ops {
		addrs = append(addrs, e.addr(&in.ops[i], in))
	}
	if in.form.goRev {
		addrs[0], addrs[1] = addrs[1], addrs[0]
	}
	switch n := len(addrs); {
	case n == 1 && in.form.goFrom:
		p.From = addrs[0]
	case n == 1:
		p.To = addrs[0]
	case n > 1:
		p.From, p.To = addrs[0], addrs[n-1]
	}
	if len(addrs) > 2 { // an empty RestArgs that is not nil crashes golang-asm
		p.RestArgs = addrs[1 : len(addrs)-1]
	}
}

func (e *goEncoder) addr(o *operand, in *insn) obj.Addr {
	switch {
	case o.kind == opReg:
		return obj.Addr{Type: obj.TYPE_REG, Reg: goReg(o.reg)}
	case o.kind == opImm:
		v, _ := o.imm.constant()
		return obj.Addr{Type: obj.TYPE_CONST, Offset: normalize(v, in.size)}
	case o.ripRelative():
		return obj.Addr{Type: obj.TYPE_MEM, Name: obj.NAME_STATIC, Sym: e.ripTo}
	}
	v, _ := o.dispValue()
	a := obj.Addr{Type: obj.TYPE_MEM, Offset: v}
	if o.base.class != regNone {
		a.Reg = goReg(o.base)
	}
	if o.index.class != regNone {
		a.Index, a.Scale = goReg(o.index), int16(o.scale)
	}
	return a
}

// goReg numbers a register as golang-asm does: one range for 16 to 64 bits,
// others for bytes and the special registers.
func goReg(r reg) int16 {
	n := int16(r.num)
	switch r.class {
	case regByte:
		return x86.REG_AL + n
	case regHigh:
		return x86.REG_AH + n - 4
	case regXMM:
		return x86.REG_X0 + n
	case regSeg:
		return [...]int16{x86.REG_ES, x86.REG_CS, x86.REG_SS, x86.REG_DS, x86.REG_FS, x86.REG_GS}[n]
	case regCtl:
		return x86.REG_CR + n
	case regDbg:
		return x86.REG_DR + n
	}
	return x86.REG_AX + n
}
