package asm

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// atKind is what NAME@SUFFIX asks for (System V ABI, AMD64 supplement,
// section 4.4).
type atKind uint8

const (
	atNone     atKind = iota
	atPLT             // the address, perhaps by way of a stub
	atGOTPCRel        // the distance to a slot that holds the address
	atTPOff           // the offset from the thread pointer
	atDTPOff          // the offset in the module's thread-local block
	atGOTTPOff        // the distance to a slot that holds the TPOFF
	atTLSGD           // general dynamic: an argument of __tls_get_addr
	atTLSLD           // local dynamic
	atSize            // the symbol's size
	atGOT             // the offset of the slot in the table: large code model
	atGOTOff          // the distance from the table
	atPLTOff          // that of the stub
)

var atKinds = map[string]atKind{
	"PLT": atPLT, "GOTPCREL": atGOTPCRel, "TPOFF": atTPOff, "DTPOFF": atDTPOff,
	"GOTTPOFF": atGOTTPOff, "TLSGD": atTLSGD, "TLSLD": atTLSLD, "SIZE": atSize,
	"GOT": atGOT, "GOTOFF": atGOTOff, "PLTOFF": atPLTOff,
}

// atOf finds the suffix in an expression, which may add a number to it.
func (n *node) atOf() atKind {
	if n == nil {
		return atNone
	}
	if n.op == "sym" {
		return n.at
	}
	return max(n.x.atOf(), n.y.atOf())
}

// lateAt is the value of a symbol with a suffix in an image at its final
// place. What only a dynamic linker could give is an error.
func (n *node) lateAt(steps *int) (int64, error) {
	v, err := n.sym.late(steps)
	if err != nil {
		return 0, err
	}
	start, end := n.a.tlsStart, n.a.tlsEnd
	switch n.at {
	case atGOTPCRel:
		return v, nil // patch makes it direct, or names the slot
	case atTPOff:
		return v - int64(end), nil
	case atDTPOff:
		return v - int64(start), nil
	case atSize:
		if n.sym.size == nil {
			return 0, nil
		}
		return n.sym.size.late(steps)
	}
	if n.at >= atGOT {
		return 0, errors.New("an image has no global offset table to count from: write an object with -o elf")
	}
	return 0, errors.New("this thread-local access needs a linker: compile with -ftls-model=local-exec, or write an object with -o elf")
}

// placeThreadBlock notes where the thread-local sections lie: .tdata, .tbss and
// the like, one behind the other. The thread pointer is the end of the block.
func (a *assembler) placeThreadBlock(secs []*outSection) {
	a.tlsStart, a.tlsEnd = 0, 0
	align := uint64(1)
	for _, o := range secs {
		if o.pieces[0].flags&shfTLS == 0 {
			continue
		}
		if a.tlsStart == 0 || o.addr < a.tlsStart {
			a.tlsStart = o.addr
		}
		a.tlsEnd = max(a.tlsEnd, o.addr+o.size)
		for _, p := range o.pieces { // o.align also keeps sections apart
			align = max(align, p.align)
		}
	}
	a.tlsEnd = a.tlsStart + alignUp(a.tlsEnd-a.tlsStart, align)
}

// slot returns the symbol of the word that holds the address of s. The words
// make a section .got, as a static link has it.
func (u *unit) slot(s *symbol) *symbol {
	if s.slot != nil {
		return s.slot
	}
	old, prev := u.sec, u.prev
	sec := u.section(".got", shfAlloc|shfWrite)
	sec.align = 8
	f, off := sec.emit(make([]byte, 8)...)
	f.fixups = append(f.fixups, fixup{off: off, size: 8, n: &node{op: "sym", sym: s}, at: u.now, kind: fixData, text: s.name})
	u.sec, u.prev = old, prev
	s.slot = &symbol{name: s.name + "@GOT", at: u.now, frag: f, off: off, hidden: true}
	return s.slot
}

// gotForm is how a static linker rewrites an instruction that loads from the
// global offset table, so that it needs no slot (AMD64 supplement, appendix B,
// "Optimize GOTPCRELX relocations").
type gotForm uint8

const (
	gotSlot  gotForm = iota // cannot be rewritten
	gotMov                  // mov foo@GOTPCREL(%rip), %reg
	gotCall                 // call *foo@GOTPCREL(%rip)
	gotJmp                  // jmp *foo@GOTPCREL(%rip)
	gotTest                 // test %reg, foo@GOTPCREL(%rip)
	gotBinop                // add, or, adc, sbb, and, sub, xor, cmp
	gotTPMov                // mov foo@GOTTPOFF(%rip), %reg: initial to local exec
	gotTPAdd                // add foo@GOTTPOFF(%rip), %reg
)

// gotFormOf looks at the bytes before the displacement at off; code is one
// instruction. An operand-size prefix or an addend keeps the slot.
func gotFormOf(code []byte, off, end int, n *node) gotForm {
	if off < 2 || end != 4 || n.op != "sym" || code[0] == 0x66 || off > 2 && code[off-3] == 0x0f {
		return gotSlot
	}
	op, modrm := code[off-2], code[off-1]
	switch {
	case op == 0x8b:
		return gotMov
	case op == 0xff && modrm == 0x15:
		return gotCall
	case op == 0xff && modrm == 0x25:
		return gotJmp
	case op == 0x85:
		return gotTest
	case op&^0x38 == 0x03:
		return gotBinop
	}
	return gotSlot
}

// markGOT notes, while the instruction is at hand, how its reference to the
// table can be rewritten. In an image what cannot be gets a slot.
func (u *unit) markGOT(code *machineCode) {
	for i := range code.fixups {
		x := &code.fixups[i]
		switch x.n.atOf() {
		case atGOTTPOff:
			u.markGOTTPOff(code.bytes, x)
			continue
		case atGOTPCRel:
		default:
			continue
		}
		x.kind = fixGOT
		x.got = gotFormOf(code.bytes, x.off, x.end, x.n)
		x.rex = x.off > 2 && code.bytes[x.off-3]&0xf0 == 0x40
		if x.got == gotSlot && !u.a.object {
			x.n, x.kind = x.n.withSlots(u), fixPCRel
		}
	}
}

// markGOTTPOff lets an image take the offset from the thread pointer as an
// immediate, where a slot would hold it (Drepper, "ELF Handling For
// Thread-Local Storage", section 5.5: initial exec to local exec).
func (u *unit) markGOTTPOff(code []byte, x *fixup) {
	if u.a.object || x.n.op != "sym" || x.off < 3 || x.end != 4 || code[x.off-3]&0xf8 != 0x48 {
		return
	}
	switch code[x.off-2] {
	case 0x8b:
		x.got = gotTPMov
	case 0x03:
		x.got = gotTPAdd
	default:
		return
	}
	n := *x.n
	n.at = atTPOff
	x.n, x.kind, x.rex = &n, fixGOT, true
}

// withSlots puts the slot in the place of every NAME@GOTPCREL.
func (n *node) withSlots(u *unit) *node {
	if n == nil || n.op == "sym" && n.at == atGOTPCRel {
		if n != nil {
			return &node{op: "sym", sym: u.slot(n.sym)}
		}
		return nil
	}
	c := *n
	c.x, c.y = n.x.withSlots(u), n.y.withSlots(u)
	return &c
}

// patchGOT rewrites the instruction whose displacement is at x.off; v is the
// symbol's address.
func (a *assembler) patchGOT(data []byte, f *frag, x *fixup, v int64) error {
	next := int64(f.addr) + int64(x.off) + 4
	op, modrm := &data[x.off-2], &data[x.off-1]
	put := func(at int, v int64) error {
		if v != int64(int32(v)) {
			return fmt.Errorf("%s = %#x does not fit into 32 bits", x.text, v)
		}
		binary.LittleEndian.PutUint32(data[at:], uint32(v))
		return nil
	}
	switch x.got {
	case gotCall:
		*op, *modrm = 0x67, 0xe8
		return put(x.off, v-next)
	case gotJmp:
		*op = 0xe9
		data[x.off+3] = 0x90
		return put(x.off-1, v-next+1)
	}
	reg := *modrm >> 3 & 7
	if x.got == gotTPAdd && reg != 4 { // RSP and R12 as a base would take a SIB byte
		data[x.off-3] |= data[x.off-3] >> 2 & 1
		*op, *modrm = 0x8d, 0x80|reg<<3|reg
		return put(x.off, v)
	}
	if x.rex { // the register moves from the reg field to rm
		r := &data[x.off-3]
		*r = *r&^4 | *r>>2&1
	}
	switch x.got {
	case gotMov, gotTPMov:
		*op, *modrm = 0xc7, 0xc0|reg
	case gotTest:
		*op, *modrm = 0xf7, 0xc0|reg
	default:
		*modrm = 0xc0 | *op&0x38 | reg
		*op = 0x81
	}
	return put(x.off, v)
}
