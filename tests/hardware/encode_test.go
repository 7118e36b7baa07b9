package hardware

import "encoding/binary"

// none is the number of a register that an address does not have.
const none = -1

// insn is an instruction being put together. Its bytes come in the order of
// SDM vol. 2A, 2.1: prefixes, REX or VEX, opcode, ModRM, SIB, displacement,
// immediate.
type insn struct {
	legacy []byte // prefixes in front, mandatory ones included
	rex    byte   // the W, R, X and B bits
	useREX bool   // even if rex has no bit: byte registers SPL to DIL
	noREX  bool   // a high byte register is used
	vex    *vexFields
	op     []byte
	modrm  bool
	mod    byte // of ModRM, with reg and rm below
	reg    byte
	rm     byte
	sib    []byte
	disp   []byte
	rip    bool   // the displacement leads to target
	target uint64 // linear address, segment base taken off
	addr32 bool
	imm    []byte
}

// vexFields are what a VEX prefix says beside W, R, X and B.
type vexFields struct {
	mapn, pp byte
	vvvv     int
}

// bytes encodes the instruction for address at.
func (in *insn) bytes(at uint64) []byte {
	b := append([]byte(nil), in.legacy...)
	switch {
	case in.vex != nil:
		v := in.vex
		b = append(b, 0xc4, ^in.rex<<5|v.mapn, in.rex>>3<<7|byte(^v.vvvv&15)<<3|v.pp)
	case in.rex != 0 || in.useREX:
		b = append(b, 0x40|in.rex)
	}
	b = append(b, in.op...)
	if in.modrm {
		b = append(b, in.mod<<6|in.reg<<3|in.rm)
		b = append(b, in.sib...)
	}
	if in.rip { // relative to the end, so the length must be known
		end := at + uint64(len(b)) + 4 + uint64(len(in.imm))
		in.disp = le32(in.target - end)
	}
	b = append(b, in.disp...)
	return append(b, in.imm...)
}

// setReg puts register r, of width w, into the reg field.
func (in *insn) setReg(r, w int) {
	in.modrm = true
	in.reg = byte(r & 7)
	in.rex |= byte(r >> 3 << 2)
	in.byteReg(r, w)
}

// setRM puts register r, of width w, into the r/m field.
func (in *insn) setRM(r, w int) {
	in.modrm = true
	in.mod, in.rm = 3, byte(r&7)
	in.rex |= byte(r >> 3)
	in.byteReg(r, w)
}

// byteReg asks for a REX prefix where 4 to 7 are to mean SPL to DIL.
func (in *insn) byteReg(r, w int) {
	if w == 1 && r >= 4 && !in.noREX {
		in.useREX = true
	}
}

// address is base + index<<scale + disp, any part of which may be missing.
type address struct {
	base, index, scale int
	disp               uint64
}

// setMem puts an address into the r/m field. wide asks for a displacement of
// four bytes, sib for a SIB byte, even where none is needed.
func (in *insn) setMem(a address, wide, sib bool) {
	in.modrm = true
	size := dispSize(a, wide)
	in.mod = map[int]byte{0: 0, 1: 1, 4: 2}[size]
	switch {
	case a.base == none:
		in.mod, size = 0, 4
		in.rm, in.sib = 4, []byte{byte(a.scale<<6 | index3(a)<<3 | 5)}
	case sib || a.index != none || a.base&7 == 4:
		in.rm, in.sib = 4, []byte{byte(a.scale<<6 | index3(a)<<3 | a.base&7)}
	default:
		in.rm = byte(a.base & 7)
	}
	if a.base >= 8 {
		in.rex |= 1
	}
	if a.index >= 8 {
		in.rex |= 2
	}
	in.disp = le32(a.disp)[:size]
}

// dispSize is how many bytes of displacement an address with a base takes. RBP
// and R13 cannot do without.
func dispSize(a address, wide bool) int {
	switch {
	case wide || !fits8(a.disp):
		return 4
	case a.disp != 0 || a.base&7 == 5:
		return 1
	}
	return 0
}

// index3 is the index field: 4 stands for none.
func index3(a address) int {
	if a.index == none {
		return 4
	}
	return a.index & 7
}

func fits8(v uint64) bool  { return v == uint64(int8(v)) }
func fits32(v uint64) bool { return v == uint64(int32(v)) }

func le16(v uint64) []byte { return binary.LittleEndian.AppendUint16(nil, uint16(v)) }
func le32(v uint64) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }
func le64(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

// immediate gives the low n bytes of v.
func immediate(v uint64, n int) []byte { return le64(v)[:n] }
