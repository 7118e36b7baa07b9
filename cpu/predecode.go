package cpu

// The pre-decoder: encodings that x86asm v0.33 rejects or takes for another
// instruction. Each line of the tables is one of its gaps; everything else
// goes to x86asm.

// special decodes what x86asm must not see.
func (d *decoder) special() (Op, bool) {
	b := d.body
	switch b[0] {
	case 0xc4, 0xc5:
		return d.vex(), true
	case 0x62:
		return d.evex(), true
	case 0x0f:
		return d.special0F()
	case 0xc0, 0xc1, 0xd0, 0xd1, 0xd2, 0xd3: // /6 is an alias of SHL
		if b[1]>>3&7 == 6 {
			d.rewriteReg(4)
		}
	case 0xf6, 0xf7: // /1 is an alias of TEST
		if b[1]>>3&7 == 1 {
			d.rewriteReg(0)
		}
	case 0x8f: // only /0 is POP; the rest was AMD's XOP
		if b[1]>>3&7 != 0 {
			return d.bad(2), true
		}
	case 0xd6, 0x82, 0x9a, 0xea: // not in 64-bit mode
		return d.bad(1), true
	}
	return Op{}, false
}

// rewriteReg replaces the reg field of the ModRM byte, on a copy.
func (d *decoder) rewriteReg(reg byte) {
	c := append([]byte(nil), d.body...)
	c[1] = c[1]&^0x38 | reg<<3
	d.body = c
}

func (d *decoder) special0F() (Op, bool) {
	b := d.body
	modrm := b[2]
	reg, isReg := modrm>>3&7, modrm >= 0xc0
	switch op := b[1]; {
	case op == 0x01 && isReg:
		return d.group7(modrm)
	case op == 0x0b:
		return d.plain(UD2, 2), true
	case op >= 0x12 && op <= 0x17 && op&3 >= 2 && isReg && d.p.opsize && d.p.rep == 0: // MOVLPD and MOVHPD
		return d.bad(3), true // know only memory; their PS twins are MOVHLPS and MOVLHPS
	case op == 0x3a && b[2] == 0x15: // x86asm calls it by the name of the SSE2 form
		return d.named("the SSE4.1 form of pextrw", d.modRMLen(3)+1), true
	case op == 0x24 || op == 0x26: // moves of test registers are gone
		return d.bad(2), true
	case op == 0xc3 && d.mandatory(): // MOVNTI
		return d.bad(2), true
	case op == 0x09: // WBINVD and, with F3, WBNOINVD
		return d.plain(WBINVD, 2), true
	case op == 0x0d || op >= 0x18 && op <= 0x1f:
		return d.hint(op, modrm), true
	case op == 0xae:
		return d.group15(reg, isReg)
	case op == 0xc7:
		return d.group9(reg, isReg)
	case op == 0x38 && b[2] == 0xf6 && (d.p.opsize || d.p.rep == 0xf3):
		mn := ADCX
		if d.p.rep == 0xf3 {
			mn = ADOX
		}
		return d.modRM(mn, 3, d.width32(), d.width32(), false), true
	case op == 0x38 && (b[2] == 0xf8 || b[2] == 0xf9): // MOVDIR64B, ENQCMD, MOVDIRI
		return d.named("direct store", d.modRMLen(3)), true
	}
	return Op{}, false
}

// mandatory says whether there is a prefix that makes an opcode of group 15 and
// its like another instruction: "NP" in the manual forbids them.
func (d *decoder) mandatory() bool { return d.p.rep != 0 || d.p.opsize }

// width32 is the operand width of instructions that know 32 and 64 bits.
func (d *decoder) width32() uint8 {
	if d.p.rex&8 != 0 {
		return 8
	}
	return 4
}

// width16 is the operand width of instructions that know 16, 32 and 64 bits.
func (d *decoder) width16() uint8 {
	if d.p.rex&8 == 0 && d.p.opsize {
		return 2
	}
	return d.width32()
}

func (d *decoder) plain(mn Mn, n int) Op { return Op{Mn: mn, Len: uint8(d.p.n + n)} }

// named is a real instruction without a row.
func (d *decoder) named(name string, n int) Op {
	return Op{Mn: UNMODELLED, Len: uint8(d.p.n + n), fn: func(c *Core, _ *Op) outcome {
		c.Why = name + " is not modelled"
		return unsupported
	}}
}

// group7 is 0F 01 with a register ModRM: system instructions without operands.
func (d *decoder) group7(modrm byte) (Op, bool) {
	switch modrm {
	case 0xc1, 0xd0, 0xd1, 0xd5, 0xd6, 0xe8:
		if d.mandatory() {
			return d.bad(3), true
		}
	}
	switch modrm {
	case 0xc1:
		return d.plain(VMCALL, 3), true
	case 0xd9:
		return d.plain(VMMCALL, 3), true
	case 0xe8:
		return d.plain(SERIALIZE, 3), true
	case 0xc8, 0xc9, 0xd0, 0xd1, 0xd5, 0xd6, 0xf8, 0xf9:
		return Op{}, false // x86asm knows MONITOR to RDTSCP
	case 0xee, 0xef:
		return d.named("rdpkru/wrpkru", 3), true
	case 0xca, 0xcb:
		return d.named("clac/stac", 3), true
	case 0xc2, 0xc3, 0xc4, 0xd4, 0xd8, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xdf, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff:
		return d.named("virtualization and monitor extensions", 3), true
	}
	if modrm>>3&7 == 4 || modrm>>3&7 == 6 {
		return Op{}, false // SMSW, LMSW
	}
	return d.bad(3), true
}

// hint is 0F 0D and 0F 18 to 0F 1F: prefetches and reserved NOPs.
func (d *decoder) hint(op, modrm byte) Op {
	switch {
	case op == 0x1e && d.p.rep == 0xf3 && modrm == 0xfa:
		return d.plain(ENDBR64, 3)
	case (op == 0x0d || op == 0x18 && modrm>>3&7 < 4) && modrm < 0xc0:
		o := d.modRM(PREFETCH, 2, 1, 0, true)
		if o.Cond = modrm >> 3 & 7; op == 0x0d {
			o.Cond |= 8
		}
		return o
	} // MPX and CLDEMOTE run as NOPs where they are off
	return d.modRM(NOP, 2, d.width16(), 0, true)
}

// group9 is 0F C7.
func (d *decoder) group9(reg byte, isReg bool) (Op, bool) {
	switch {
	case !isReg && reg == 1:
		return Op{}, false // CMPXCHG8B and CMPXCHG16B
	case isReg && reg == 7 && d.p.rep == 0xf3:
		return d.named("rdpid", 3), true
	case isReg && reg == 6 && d.p.rep == 0xf3:
		return d.named("senduipi", 3), true
	case isReg && (reg == 6 || reg == 7) && d.p.rep == 0:
		mn := RDRAND
		if reg == 7 {
			mn = RDSEED
		}
		o := d.plain(mn, 3)
		o.Args[0] = Arg{Kind: ArgReg, Reg: d.body[2]&7 | d.p.rex<<3&8, W: d.width16()}
		o.W = o.Args[0].W
		return o, true
	case !isReg && reg >= 3:
		return d.named("xrstors/xsavec/vmptrld group", d.modRMLen(2)), true
	}
	return d.bad(3), true
}

// group15 is 0F AE: fences, segment bases, cache lines, and the wait
// instructions that x86asm takes for fences.
func (d *decoder) group15(reg byte, isReg bool) (Op, bool) {
	switch {
	case isReg && d.p.rep == 0xf3 && reg <= 3:
		return Op{}, false // RDFSBASE to WRGSBASE
	case isReg && d.p.rep == 0 && !d.p.opsize && reg >= 5:
		return d.plain([...]Mn{LFENCE, MFENCE, SFENCE}[reg-5], 3), true
	case isReg && reg == 6 || isReg && d.p.rep == 0xf3 && reg == 5:
		return d.named("umonitor/umwait/tpause/incssp", 3), true
	case isReg:
		return d.bad(3), true
	case reg == 7 && d.p.rep == 0 && d.p.opsize:
		return d.modRM(CLFLUSHOPT, 2, 1, 0, true), true
	case reg == 6 && d.p.rep == 0 && d.p.opsize:
		return d.modRM(CLWB, 2, 1, 0, true), true
	case reg == 7 && d.p.rep == 0:
		return d.modRM(CLFLUSH, 2, 1, 0, true), true
	}
	if d.mandatory() && !(reg == 4 && d.p.rep == 0xf3) { // F3 /4 is PTWRITE
		return d.bad(3), true
	}
	return d.named([...]string{"fxsave", "fxrstor", "ldmxcsr", "stmxcsr", "xsave", "xrstor", "xsaveopt", "clflush"}[reg], d.modRMLen(2)), true
}

// modRMLen is the length of opcode (n bytes), ModRM, SIB and displacement.
func (d *decoder) modRMLen(n int) int {
	b := d.body
	if n >= len(b) {
		return maxLen + 1
	}
	m := b[n]
	mod, rm := m>>6, m&7
	length := n + 1
	if mod == 3 {
		return length
	}
	base := rm
	if rm == 4 {
		if length >= len(b) {
			return maxLen + 1
		}
		base = b[length] & 7
		length++
	}
	switch {
	case mod == 1:
		length++
	case mod == 2 || mod == 0 && (rm == 5 || rm == 4 && base == 5):
		length += 4
	}
	return length
}

// modRM decodes reg, r/m (or r/m alone when only is set) behind n opcode
// bytes; rw and mw are the widths of the r/m operand and the register.
func (d *decoder) modRM(mn Mn, n int, mw, rw uint8, only bool) Op {
	o := d.plain(mn, d.modRMLen(n))
	if int(o.Len) > maxLen || n >= len(d.body) {
		return o
	}
	m := d.body[n]
	rm := d.rm(&o, n, mw, d.p.rex)
	if only {
		o.Args[0] = rm
	} else {
		o.Args[0] = Arg{Kind: ArgReg, Reg: m>>3&7 | d.p.rex<<1&8, W: rw}
		o.Args[1] = rm
	}
	o.W = o.Args[0].W
	return o
}

// rm decodes the r/m operand of the ModRM byte at body[n] into o's address;
// rex gives the X and B bits. o.Len must be complete.
func (d *decoder) rm(o *Op, n int, w uint8, rex byte) Arg {
	m := d.body[n]
	mod, rm := m>>6, m&7
	if mod == 3 {
		return Arg{Kind: ArgReg, Reg: rm | rex<<3&8, W: w}
	}
	o.Base, o.Index = rm|rex<<3&8, regZero
	disp := d.body[n+1:]
	noBase := mod == 0 && rm == 5
	if rm == 4 {
		sib := d.body[n+1]
		disp = d.body[n+2:]
		o.Base, o.Shift = sib&7|rex<<3&8, sib>>6
		if x := sib>>3&7 | rex<<2&8; x != RSP {
			o.Index = x
		}
		noBase = mod == 0 && sib&7 == 5
	}
	switch {
	case mod == 1:
		o.Disp = uint64(int8(disp[0]))
	case mod == 2 || noBase:
		o.Disp = uint64(int32(uint32(disp[0]) | uint32(disp[1])<<8 | uint32(disp[2])<<16 | uint32(disp[3])<<24))
	}
	switch {
	case noBase && rm == 5:
		o.Base = regZero
		o.Disp += d.rip + uint64(o.Len)
		o.Flag |= opRIP
	case noBase:
		o.Base = regZero
	case o.Base == RSP || o.Base == RBP:
		o.Flag |= opStack
	}
	return Arg{Kind: ArgMem, W: w}
}
