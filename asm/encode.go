package asm

import "fmt"

// machineCode is an encoded instruction with the fields that wait for
// addresses.
type machineCode struct {
	bytes  []byte
	fixups []fixup
}

// encode takes the row's route: golang-asm where the row names an opcode and
// the operands are within its reach, else the row's pattern.
func (in *insn) encode() (machineCode, error) {
	var code machineCode
	var err error
	if in.goCan() {
		code, err = in.encodeGo()
	} else {
		code, err = in.encodePattern()
	}
	if err != nil {
		return code, err
	}
	n := len(code.bytes)
	code.bytes = in.legacyPrefixes(code.bytes)
	for i := range code.fixups {
		code.fixups[i].off += len(code.bytes) - n
	}
	return code, nil
}

// pattern is the state of encoding one instruction from its row.
type pattern struct {
	in            *insn
	rex           byte // 0100WRXB without the 4
	needREX       bool
	reg, vvvv, op byte
	rm            *operand
	code          machineCode
}

func (in *insn) encodePattern() (machineCode, error) {
	p := pattern{in: in}
	f := in.form
	if f.rexw || in.size == 'q' && !f.d64 {
		p.rex |= 8
	}
	if f.modrm >= 0 && f.modrm < 8 {
		p.reg = byte(f.modrm)
	}
	for i := range f.args {
		p.assign(f.args[i], &in.ops[i])
	}
	p.prefixes()
	p.opcode()
	if f.modrm >= 0 {
		if err := p.modRM(); err != nil {
			return p.code, err
		}
	}
	p.immediates()
	return p.code, nil
}

// assign puts an operand's register number into its field.
func (p *pattern) assign(a arg, o *operand) {
	if o.kind == opReg && o.reg.class == regByte && o.reg.needsREX() {
		p.needREX = true
	}
	high := func(bit byte) {
		if o.reg.num >= 8 {
			p.rex |= bit
		}
	}
	switch a.role {
	case roleReg:
		p.reg = o.reg.num & 7
		high(4)
	case roleVEX:
		p.vvvv = o.reg.num
	case roleOpcode:
		p.op = o.reg.num & 7
		high(1)
	case roleRM:
		p.rm = o
		if o.kind == opReg {
			high(1)
			return
		}
		if o.base.num >= 8 {
			p.rex |= 1
		}
		if o.index.num >= 8 {
			p.rex |= 2
		}
	}
}

func (p *pattern) prefixes() {
	f := p.in.form
	if f.vex {
		p.vexPrefix()
		return
	}
	if f.sized66(p.in.size) {
		p.put(0x66)
	}
	if f.prefix != 0 {
		p.put(f.prefix)
	}
	if p.rex != 0 || p.needREX {
		p.put(0x40 | p.rex)
	}
}

// vexPrefix emits the two-byte form where W, X, B and the map allow it, as
// GNU as does.
func (p *pattern) vexPrefix() {
	f := p.in.form
	r := ^p.rex >> 2 & 1 << 7
	last := ^p.vvvv & 15 << 3
	if f.vexMap == 1 && p.rex&0xb == 0 {
		p.put(0xc5, r|last|f.vexPP)
		return
	}
	xb := ^p.rex & 3 << 5
	p.put(0xc4, r|xb|f.vexMap, p.rex>>3&1<<7|last|f.vexPP)
}

func (p *pattern) put(b ...byte) { p.code.bytes = append(p.code.bytes, b...) }

func (p *pattern) opcode() {
	for _, o := range p.in.form.opcode {
		b := o.b
		if o.w && p.in.size != 'b' {
			b |= 1
		}
		if o.reg {
			b |= p.op
		}
		p.put(b)
	}
}

// modRM emits ModRM, SIB and displacement (SDM vol. 2, section 2.1.5).
func (p *pattern) modRM() error {
	o := p.rm
	switch {
	case o == nil:
		return fmt.Errorf("row without an rm operand")
	case o.kind == opReg:
		p.put(0xc0 | p.reg<<3 | o.reg.num&7)
		return nil
	case o.ripRelative():
		p.put(p.reg<<3 | 5)
		return p.disp(o, 4)
	}
	size := o.dispSize()
	mod := byte(0)
	switch {
	case size == 1:
		mod = 0x40
	case size == 4 && o.base.class != regNone:
		mod = 0x80
	}
	if o.index.class == regNone && o.base.class != regNone && o.base.num&7 != 4 {
		p.put(mod | p.reg<<3 | o.base.num&7)
		return p.disp(o, size)
	}
	// No base at all is a SIB too: without one the CPU reads RIP-relative.
	p.put(mod|p.reg<<3|4, o.sib())
	return p.disp(o, size)
}

func (o *operand) sib() byte {
	index, base := byte(4), byte(5)
	if o.index.class != regNone {
		index = o.index.num & 7
	}
	if o.base.class != regNone {
		base = o.base.num & 7
	}
	scale := map[int]byte{1: 0, 2: 1, 4: 2, 8: 3}[o.scale]
	return scale<<6 | index<<3 | base
}

// dispSize is the width of the displacement: none, 8 or 32 bits. A symbol
// whose value is not known yet takes 32, as in GNU as.
func (o *operand) dispSize() int {
	if o.base.class == regNone {
		return 4
	}
	v, known := o.dispValue()
	switch {
	case known && v == 0 && o.base.num&7 != 5:
		return 0
	case known && v == int64(int8(v)):
		return 1
	}
	return 4
}

// dispValue returns the displacement if it is known.
func (o *operand) dispValue() (int64, bool) {
	if o.disp == nil {
		return 0, true
	}
	v, err := o.disp.constant()
	return v, err == nil
}

// reaches reports whether a bare address can be a sign-extended displacement.
func (o *operand) reaches() bool {
	v, known := o.dispValue()
	return !known || v == int64(int32(v))
}

// disp emits the displacement, or a hole and a fixup.
func (p *pattern) disp(o *operand, size int) error {
	v, known := o.dispValue()
	if known {
		if !dispFits(v, o) {
			return fmt.Errorf("displacement of %s does not fit into 32 bits", o.text)
		}
	} else {
		p.code.fixups = append(p.code.fixups, o.dispFixup(len(p.code.bytes), p.in.immBytes()))
	}
	for i := range size {
		p.put(byte(v >> (8 * i)))
	}
	return nil
}

// dispFits: 32 bits, sign-extended; with 32-bit addressing the sign is free.
func dispFits(v int64, o *operand) bool { return fitsField(v, 4, !o.addr32()) }

// dispFixup makes the fixup of a 32-bit displacement at off, with imm bytes of
// immediates behind it. After (%rip) a symbol means its distance, while a
// plain number means itself.
func (o *operand) dispFixup(off, imm int) fixup {
	x := fixup{off: off, size: 4, n: o.disp, kind: fixSigned, text: o.text, addr32: o.addr32() && !o.ripRelative()}
	if o.ripRelative() {
		x.kind, x.end = fixPCRel, 4+imm
	}
	return x
}

// immBytes is how many bytes of immediates end the instruction.
func (in *insn) immBytes() int {
	n := 0
	for _, t := range in.form.imms {
		n += immWidth(t, in.size)
	}
	return n
}

func immWidth(token string, size byte) int {
	switch token {
	case "ib":
		return 1
	case "iw":
		return 2
	case "id":
		return 4
	case "iq":
		return 8
	case "iz":
		return min(sizeBytes(size), 4)
	}
	return sizeBytes(size)
}

// immediates emits the immediate fields in AT&T order. ENTER, the only one
// with two, keeps Intel's order in AT&T syntax too.
func (p *pattern) immediates() {
	k := 0
	for i, a := range p.in.form.args {
		o := &p.in.ops[i]
		if a.role != roleImm && a.role != roleAbs {
			continue
		}
		n := o.imm
		if a.role == roleAbs {
			n = o.disp
		}
		token := p.in.form.imms[k]
		k++
		w := immWidth(token, p.in.size)
		v, err := n.constant()
		if err != nil {
			kind := fixData
			if p.in.size == 'q' && w == 4 {
				kind = fixSigned
			}
			p.code.fixups = append(p.code.fixups, fixup{off: len(p.code.bytes), size: w, n: n, kind: kind, text: o.text})
		}
		for b := range w {
			p.put(byte(v >> (8 * b)))
		}
	}
}
