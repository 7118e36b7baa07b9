package cpu

import "golang.org/x/arch/x86/x86asm"

// Instructions with a VEX or EVEX prefix (SDM vol. 2A, 2.3 and 2.7): BMI, and
// the lengths of all the others.

// vexPrefix is a decoded VEX prefix.
type vexPrefix struct {
	rex  byte // as a REX byte: W R X B
	vvvv uint8
	pp   byte
	mapn byte
	l    bool
	n    int // bytes
}

func (d *decoder) vexPrefix() vexPrefix {
	b := d.body
	if b[0] == 0xc5 {
		return vexPrefix{rex: ^b[1] >> 5 & 4, vvvv: ^b[1] >> 3 & 15, pp: b[1] & 3, l: b[1]&4 != 0, mapn: 1, n: 2}
	}
	return vexPrefix{rex: ^b[1]>>5&7 | b[2]>>4&8, vvvv: ^b[2] >> 3 & 15, pp: b[2] & 3, l: b[2]&4 != 0, mapn: b[1] & 31, n: 3}
}

// vex decodes the BMI instructions; everything else with a VEX prefix is not
// modelled. A VEX prefix behind LOCK, 66, F2, F3 or REX is #UD.
func (d *decoder) vex() Op {
	v := d.vexPrefix()
	if v.mapn == 0 || v.mapn > 3 || d.p.lock || d.p.opsize || d.p.rep != 0 || d.p.rex != 0 {
		return d.bad(v.n)
	}
	op := d.body[v.n]
	mn := vexMn(v, op, d.body[v.n+1])
	if mn == 0 {
		n := d.modRMLen(v.n + 1)
		if vectorImmediate(v.mapn, op) {
			n++
		}
		if v.mapn == 1 && op == 0x77 { // VZEROUPPER has no ModRM
			n = v.n + 1
		}
		return d.vector("an AVX instruction", n)
	}
	if v.l || mn == RORX && v.vvvv != 0 { // reserved bits (SDM vol. 2B, RORX)
		return d.bad(v.n + 1)
	}
	w := uint8(4)
	if v.rex&8 != 0 {
		w = 8
	}
	o := d.plain(mn, d.modRMLen(v.n+1))
	if mn == RORX {
		o.Len++
	}
	if int(o.Len) > maxLen {
		return o
	}
	r := Arg{Kind: ArgReg, Reg: d.body[v.n+1]>>3&7 | v.rex<<1&8, W: w}
	rm := d.rm(&o, v.n+1, w, v.rex)
	vv := Arg{Kind: ArgReg, Reg: v.vvvv, W: w}
	switch mn {
	case BLSR, BLSMSK, BLSI:
		o.Args = [3]Arg{vv, rm}
	case ANDN, PDEP, PEXT, MULX:
		o.Args = [3]Arg{r, vv, rm}
	case RORX:
		o.Args = [3]Arg{r, rm, {Kind: ArgImm, W: 1}}
		o.Imm = uint64(d.code[o.Len-1])
	default: // BEXTR, BZHI and the shifts: the control comes last
		o.Args = [3]Arg{r, rm, vv}
	}
	o.W = w
	return o
}

// vexMn finds the BMI instruction of a VEX opcode, 0 for others.
func vexMn(v vexPrefix, op, modrm byte) Mn {
	switch {
	case v.mapn == 3 && op == 0xf0 && v.pp == 3:
		return RORX
	case v.mapn != 2:
		return 0
	}
	switch op {
	case 0xf2:
		return [4]Mn{ANDN}[v.pp]
	case 0xf3:
		if v.pp == 0 {
			return [8]Mn{1: BLSR, 2: BLSMSK, 3: BLSI}[modrm>>3&7]
		}
	case 0xf5:
		return [4]Mn{BZHI, 0, PEXT, PDEP}[v.pp]
	case 0xf6:
		return [4]Mn{3: MULX}[v.pp]
	case 0xf7:
		return [4]Mn{BEXTR, SHLX, SARX, SHRX}[v.pp]
	}
	return 0
}

// evex is never modelled; its length is found for the listing. Reserved bits of
// the prefix (SDM vol. 2A, 2.7.11) make it #UD.
func (d *decoder) evex() Op {
	b := d.body
	if m := b[1] & 15; m == 0 || m == 4 || m > 6 || b[2]&4 == 0 || d.p.lock || d.p.opsize || d.p.rep != 0 || d.p.rex != 0 {
		return d.bad(4)
	}
	n := d.modRMLen(5)
	if vectorImmediate(b[1]&7, b[4]) {
		n++
	}
	return d.vector("an AVX-512 instruction", n)
}

// vectorImmediate says whether a VEX or EVEX instruction ends with a byte of
// immediate: all of map 3, and in map 1 the shuffles, shifts and compares.
func vectorImmediate(mapn, op byte) bool {
	return mapn == 3 || mapn == 1 && (op >= 0x70 && op <= 0x73 || op == 0xc2 || op == 0xc4 || op == 0xc5 || op == 0xc6)
}

// vector is an unmodelled instruction of n bytes behind the prefixes, named by
// x86asm if it knows one of just that length, else by kind.
func (d *decoder) vector(kind string, n int) Op {
	in, err := x86asm.Decode(d.code, 64)
	if err != nil || in.Op == 0 || in.Len != d.p.n+n {
		return d.named(kind, n)
	}
	return d.foreign(in)
}
