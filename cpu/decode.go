package cpu

import "golang.org/x/arch/x86/x86asm"

// maxLen is the longest instruction that decodes; longer ones are #GP (SDM
// vol. 2A, 2.3.11).
const maxLen = 15

// prefixes is what stands before the opcode.
type prefixes struct {
	lock, opsize, addrsize bool
	rep                    byte // the last of F2 and F3
	seg                    uint8
	rex                    byte // only if it is the last prefix: hardware ignores others
	n                      int  // bytes
}

func scanPrefixes(code []byte) (p prefixes) {
	for p.n < len(code) {
		b := code[p.n]
		rex := byte(0)
		switch {
		case b == 0xf0:
			p.lock = true
		case b == 0xf2 || b == 0xf3:
			p.rep = b
		case b == 0x66:
			p.opsize = true
		case b == 0x67:
			p.addrsize = true
		case b == 0x64:
			p.seg = SegFS
		case b == 0x65:
			p.seg = SegGS
		case b == 0x26 || b == 0x2e || b == 0x36 || b == 0x3e: // no effect in 64-bit mode
		case b&0xf0 == 0x40:
			rex = b
		default:
			return p
		}
		p.rex = rex
		p.n++
	}
	return p
}

// Decode turns the instruction bytes at rip into an Op. Bytes that could not be
// fetched, up to the 15th, count as zeros; an Op longer than what was fetched
// means that the next byte faulted. What is no instruction
// becomes BAD, which raises #UD, or #GP if it is longer than 15 bytes.
func Decode(code []byte, rip uint64) Op {
	p := scanPrefixes(code[:min(len(code), maxLen)])
	if p.n >= maxLen {
		return tooLong()
	}
	var padded [2 * maxLen]byte // looking at bytes beyond the 15th is no error; needing them is
	copy(padded[:], code[:min(len(code), maxLen)])
	d := decoder{code: padded[:], rip: rip, p: p, body: padded[p.n:]}
	o := d.decode()
	if int(o.Len) > maxLen {
		return tooLong()
	}
	d.finish(&o)
	return o
}

func tooLong() Op {
	return Op{Mn: BAD, Len: maxLen, Imm: 1, fn: func(c *Core, _ *Op) outcome { return c.raise(vecGP, 0) }, Flag: opEnd}
}

// decoder is the state of one Decode.
type decoder struct {
	code []byte // from the first prefix on
	body []byte // from the opcode on
	rip  uint64
	p    prefixes
}

func (d *decoder) decode() Op {
	if o, ok := d.special(); ok {
		return o
	}
	in, ok := d.x86asm()
	if !ok {
		return d.bad(d.opcodeLen())
	}
	mn := mnOf(in.Op)
	if mn == 0 {
		return d.foreign(in)
	}
	o := Op{Mn: mn, Len: uint8(in.Len)}
	if !d.operands(&o, &in) {
		return d.foreign(in)
	}
	d.normalize(&o, &in)
	return o
}

// opcodeLen is how many bytes of opcode a core reads before it can tell.
func (d *decoder) opcodeLen() int {
	switch {
	case d.body[0] != 0x0f:
		return 1
	case d.body[1] == 0x38 || d.body[1] == 0x3a:
		return 3
	}
	return 2
}

// bad is an encoding that no core accepts; n opcode bytes were looked at.
func (d *decoder) bad(n int) Op { return Op{Mn: BAD, Len: uint8(d.p.n + n)} }

// foreign is an instruction that x86asm knows and that has no row, or has one
// but uses a register that is not modelled (MMX, x87, debug registers).
func (d *decoder) foreign(in x86asm.Inst) Op {
	rip := d.rip
	return Op{Mn: UNMODELLED, Len: uint8(in.Len), Imm: uint64(in.Op), fn: func(c *Core, _ *Op) outcome {
		c.Why = x86asm.GNUSyntax(in, rip, nil) + " is not modelled"
		return unsupported
	}}
}

// x86asm decodes a canonical copy: only the prefixes that mean something, in
// the order that x86asm accepts, so that ignored ones cannot mislead it. The
// length it returns counts the original bytes.
func (d *decoder) x86asm() (x86asm.Inst, bool) {
	var buf [maxLen + 4]byte
	n := 0
	put := func(b byte) { buf[n] = b; n++ }
	op := d.body[0]
	if d.p.opsize && !nearBranch(d.body) {
		put(0x66)
	}
	if d.p.addrsize {
		put(0x67)
	}
	if d.p.rep != 0 && (op == 0x0f || stringOpcode(op) || op == 0x90 && d.p.rex&1 == 0) {
		put(d.p.rep)
	}
	if d.p.rex != 0 {
		put(d.p.rex)
	}
	m := copy(buf[n:], d.body)
	in, err := x86asm.Decode(buf[:n+m], 64)
	if err != nil || in.Op == 0 || in.Len <= n {
		return in, false
	}
	in.Len += d.p.n - n
	return in, true
}

// nearBranch says whether an operand-size prefix is ignored, as Intel's cores
// do for near transfers in 64-bit mode. (AMD's take a 16-bit target.)
func nearBranch(b []byte) bool {
	op := b[0]
	switch {
	case op&0xf0 == 0x70, op >= 0xe0 && op <= 0xe3, op == 0xe8, op == 0xe9, op == 0xeb, op == 0xc2, op == 0xc3:
		return true
	case op == 0x0f:
		return b[1]&0xf0 == 0x80
	case op == 0xff:
		return b[1]>>3&7 == 2 || b[1]>>3&7 == 4
	}
	return false
}

func stringOpcode(op byte) bool {
	return op >= 0xa4 && op <= 0xa7 || op >= 0xaa && op <= 0xaf || op >= 0x6c && op <= 0x6f
}

// mnByX maps x86asm's numbers to rows.
var mnByX = func() []Mn {
	var t []Mn
	rows := buildRows()
	for mn := range rows {
		for _, x := range rows[mn].X {
			for int(x) >= len(t) {
				t = append(t, 0)
			}
			t[x] = Mn(mn)
		}
	}
	return t
}()

func mnOf(x x86asm.Op) Mn {
	if int(x) < len(mnByX) {
		return mnByX[x]
	}
	return 0
}

// operands converts x86asm's arguments.
func (d *decoder) operands(o *Op, in *x86asm.Inst) bool {
	if Rows[o.Mn].Class == ClassString {
		return true // implicit; x86asm's memory operands would get in the way
	}
	k := 0
	for _, a := range in.Args {
		if a == nil {
			break
		}
		if k == len(o.Args) {
			return false
		}
		switch a := a.(type) {
		case x86asm.Reg:
			arg, ok := regArg(a)
			if !ok {
				return false
			}
			o.Args[k] = arg
		case x86asm.Mem:
			if !d.memory(o, a, in.Len) {
				return false
			}
			o.Args[k] = Arg{Kind: ArgMem, W: uint8(in.MemBytes)}
		case x86asm.Imm:
			if o.Args[0].Kind == ArgImm { // ENTER
				o.Imm |= uint64(a) << 16
				continue
			}
			o.Imm = uint64(a)
			o.Args[k] = Arg{Kind: ArgImm, W: max(o.Args[0].W, 1)}
		case x86asm.Rel:
			o.Imm = d.rip + uint64(in.Len) + uint64(int64(a))
			o.Args[k] = Arg{Kind: ArgImm, W: 8}
		default:
			return false
		}
		k++
	}
	return true
}

// memory converts an address. RIP-relative ones become absolute: an Op stands
// at one place only.
func (d *decoder) memory(o *Op, m x86asm.Mem, length int) bool {
	o.Disp = uint64(m.Disp)
	o.Base, o.Index = regZero, regZero
	switch m.Base {
	case 0:
	case x86asm.RIP, x86asm.EIP:
		o.Disp += d.rip + uint64(length)
		o.Flag |= opRIP
	default:
		a, ok := regArg(m.Base)
		if !ok {
			return false
		}
		o.Base = a.Reg
	}
	if m.Index != 0 {
		a, ok := regArg(m.Index)
		if !ok {
			return false
		}
		o.Index = a.Reg
		o.Shift = [9]uint8{1: 0, 2: 1, 4: 2, 8: 3}[m.Scale&15%9]
	}
	if o.Base == RSP || o.Base == RBP {
		o.Flag |= opStack
	}
	return true
}

func regArg(r x86asm.Reg) (Arg, bool) {
	switch {
	case r >= x86asm.AL && r <= x86asm.BL:
		return Arg{Kind: ArgReg, Reg: uint8(r - x86asm.AL), W: 1}, true
	case r >= x86asm.AH && r <= x86asm.BH:
		return Arg{Kind: ArgReg, Reg: uint8(r - x86asm.AH), W: 1, Sh: 8}, true
	case r >= x86asm.SPB && r <= x86asm.R15B:
		return Arg{Kind: ArgReg, Reg: uint8(r-x86asm.SPB) + RSP, W: 1}, true
	case r >= x86asm.AX && r <= x86asm.R15W:
		return Arg{Kind: ArgReg, Reg: uint8(r - x86asm.AX), W: 2}, true
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return Arg{Kind: ArgReg, Reg: uint8(r - x86asm.EAX), W: 4}, true
	case r >= x86asm.RAX && r <= x86asm.R15:
		return Arg{Kind: ArgReg, Reg: uint8(r - x86asm.RAX), W: 8}, true
	case r >= x86asm.X0 && r <= x86asm.X15:
		return Arg{Kind: ArgXMM, Reg: uint8(r - x86asm.X0), W: 16}, true
	case r >= x86asm.ES && r <= x86asm.GS:
		return Arg{Kind: ArgSeg, Reg: uint8(r - x86asm.ES), W: 2}, true
	case r >= x86asm.CR0 && r <= x86asm.CR15:
		return Arg{Kind: ArgCR, Reg: uint8(r - x86asm.CR0), W: 8}, true
	case r >= x86asm.DR0 && r <= x86asm.DR15:
		return Arg{Kind: ArgDR, Reg: uint8(r - x86asm.DR0), W: 8}, true
	}
	return Arg{}, false
}
