package cpu

import "golang.org/x/arch/x86/x86asm"

// From the operands as encoded to the one form that a handler expects, and what
// follows from the row and the prefixes.

// normalize gives each instruction the one form that its handler expects.
func (d *decoder) normalize(o *Op, in *x86asm.Inst) {
	op := d.body[0]
	if op == 0x0f {
		op = 0
	}
	switch o.Mn {
	case XCHG:
		if o.Args[1].Kind == ArgMem {
			o.Args[0], o.Args[1] = o.Args[1], o.Args[0]
		}
	case MOV:
		d.normalizeMOV(o)
	case IMUL:
		if o.Args[1].Kind != ArgNone {
			o.Mn = IMUL2
		}
	case INT:
		if op == 0xcc {
			o.Mn = INT3
		}
	case JCC, SET, CMOV:
		o.Cond = d.body[0] & 15
		if op == 0 {
			o.Cond = d.body[1] & 15
		}
	case ROL, ROR, RCL, RCR, SHL, SHR, SAR, BT, BTS, BTR, BTC:
		if o.Args[1].Kind == ArgImm {
			o.Args[1].W = 1
			o.Imm &= 0xff
		}
	case SHLD, SHRD:
		o.Args[2].W = 1
	case IN, OUT:
		i := 1
		if o.Mn == OUT {
			i = 0
		}
		if o.Args[i].Kind == ArgImm { // a port number, whatever x86asm made of its sign
			o.Imm &= 0xff
			o.Args[i].W = 2
		}
	}
	o.W = o.Args[0].W
	d.implicitWidth(o, in)
}

// normalizeMOV sends moves of segment, control and debug registers to their
// own rows.
func (d *decoder) normalizeMOV(o *Op) {
	for i := range 2 {
		switch o.Args[i].Kind {
		case ArgSeg:
			o.Mn = MOVSEG
			if o.Args[1-i].Kind == ArgMem {
				o.Args[1-i].W = 2
			}
			if i == 0 {
				o.Args[1].W = 2
			}
		case ArgCR:
			o.Mn = MOVCR
		case ArgDR:
			o.Mn = MOVDR
		}
	}
}

// implicitWidth sets the operand width where operand 0 does not tell it.
func (d *decoder) implicitWidth(o *Op, in *x86asm.Inst) {
	wide := d.p.rex&8 != 0
	stack := uint8(8)
	if d.p.opsize && !wide {
		stack = 2
	}
	switch o.Mn {
	case PUSH, POP, PUSHF, POPF, ENTER, LEAVE:
		o.W = stack
		if o.Args[0].Kind != ArgSeg && o.Args[0].Kind != ArgNone && o.Mn != ENTER {
			o.Args[0].W = stack
		}
	case CALL, JMP:
		o.W, o.Args[0].W = 8, 8
	case CBW, CWD, MOVS, CMPS, STOS, LODS, SCAS:
		o.W = 4
		if o.Mn != CBW && o.Mn != CWD && d.body[0]&1 == 0 {
			o.W = 1
		} else if wide {
			o.W = 8
		} else if d.p.opsize {
			o.W = 2
		}
	case IRET:
		o.W = 4
		if wide {
			o.W = 8
		}
	}
}

// finish fills in what follows from the row and the prefixes.
func (d *decoder) finish(o *Op) {
	row := &Rows[o.Mn]
	if o.fn == nil {
		o.fn = row.Fn
	}
	o.Flag |= row.Flag
	if d.p.addrsize {
		o.Flag |= opAddr32
	}
	o.Seg = d.p.seg
	if o.Seg != 0 {
		o.Flag &^= opStack
	}
	if row.Class == ClassString {
		switch d.p.rep {
		case 0xf3:
			o.Flag |= opRep
		case 0xf2:
			o.Flag |= opRepNE
		}
	}
	mem0 := o.Args[0].Kind == ArgMem
	switch {
	case d.p.lock && !(row.Lock && mem0) && o.Mn != BAD:
		n := o.Len
		*o = Op{Mn: BAD, Len: n, fn: execUD, Flag: opEnd}
		return
	case d.p.lock && row.Lock, o.Mn == XCHG && mem0:
		o.Flag |= opLock
	}
	d.count(o, row)
}

// count notes what the instruction counts as: an RMW is a load and a store.
func (d *decoder) count(o *Op, row *Row) {
	o.nl, o.ns = row.Loads, row.Stores
	if o.Flag&(opRep|opRepNE) != 0 {
		o.nl, o.ns = 0, 0 // counted turn by turn
	}
	for i, a := range o.Args {
		if a.Kind != ArgMem {
			continue
		}
		use := row.Dst
		if i > 0 && use != dstNone {
			use = dstRead
		}
		switch use {
		case dstRead:
			o.nl++
		case dstWrite:
			o.ns++
			o.Flag |= opWrites
		case dstModify:
			o.nl++
			o.ns++
			o.Flag |= opWrites
		}
	}
	if o.Flag&opLock != 0 {
		o.nk = 1
	}
	if o.Mn == PAUSE {
		o.np = 1
	}
}
