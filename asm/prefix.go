package asm

import "fmt"

// checkPrefixes refuses what the CPU would answer with #UD: LOCK on an
// instruction that is not lockable, or whose destination is a register
// (Intel SDM vol. 2, "LOCK"). REP, XACQUIRE and XRELEASE are checked when they
// stand in the same statement; alone, GNU as lets them before anything.
func (in *insn) checkPrefixes() error {
	locked := false
	for _, p := range in.prefixes {
		locked = locked || p.name == "lock"
	}
	for i, p := range in.prefixes {
		switch {
		case p.name == "lock" && !in.form.lockable:
			return fmt.Errorf("lock prefix not allowed with %s", in.name)
		case p.name == "lock" && !in.writesMem():
			return fmt.Errorf("lock prefix not allowed with %s: the destination is not memory", in.name)
		case i >= in.inline:
		case p.byte == rexW && in.form.opcode != nil:
			return fmt.Errorf("%s prefix not allowed with %s: it is for calls", p.name, in.name)
		case in.repeats(i):
			return fmt.Errorf("%s prefix twice", p.name)
		case p.name == "xacquire" && !in.hle(locked):
			return fmt.Errorf("xacquire prefix not allowed with %s: it needs lock or xchg", in.name)
		case p.name == "xrelease" && !in.hle(locked) && !in.storesPlain():
			return fmt.Errorf("xrelease prefix not allowed with %s: it needs lock, xchg or a store", in.name)
		case (p.name == "rep" || p.name == "repe" || p.name == "repz" || p.name == "repne" || p.name == "repnz") && !in.form.rep:
			return fmt.Errorf("%s prefix not allowed with %s", p.name, in.name)
		}
	}
	return nil
}

// repeats reports whether the same prefix stands in the statement before i.
func (in *insn) repeats(i int) bool {
	for _, p := range in.prefixes[:i] {
		if p.byte == in.prefixes[i].byte {
			return true
		}
	}
	return false
}

// writesMem reports whether the destination is memory: the last operand, or
// either one of XCHG.
func (in *insn) writesMem() bool {
	n := len(in.ops)
	return n > 0 && (in.ops[n-1].mem() || in.form.name == "xchg" && in.ops[0].mem())
}

// hle reports whether hardware lock elision may begin or end here. CMPXCHG16B
// is not in its list (SDM vol. 2, "XACQUIRE/XRELEASE").
func (in *insn) hle(locked bool) bool {
	return in.writesMem() && (locked || in.form.name == "xchg") && in.form.name != "cmpxchg16b"
}

func (in *insn) storesPlain() bool { return in.form.name == "mov" && in.writesMem() }

// legacyPrefixes puts the prefixes of one statement in the order in which
// GNU as emits them: segment, address size, operand size, REP, LOCK.
// They all precede what encode returned, whose leading 66 (the operand size)
// has to stand between them.
func (in *insn) legacyPrefixes(code []byte) []byte {
	var seg, a32, rep, lock, rex []byte
	data16 := []byte{}
	for _, p := range in.prefixes[:in.inline] {
		switch p.byte {
		case 0xf0:
			lock = append(lock, p.byte)
		case 0xf2, 0xf3:
			rep = append(rep, p.byte)
		case 0x66:
			data16 = append(data16, p.byte)
		case 0x67:
			a32 = append(a32, p.byte)
		case rexW:
			rex = append(rex, p.byte)
		default:
			seg = append(seg, p.byte)
		}
	}
	for i := range in.ops {
		o := &in.ops[i]
		if o.mem() && o.seg.class == regSeg && !redundantSeg(o) {
			seg = append(seg, segPrefix[o.seg.num])
		}
		if o.addr32() && len(a32) == 0 {
			a32 = append(a32, 0x67)
		}
	}
	out := append(seg, a32...)
	out = append(out, data16...)
	if in.form.sized66(in.size) && len(code) > 0 && code[0] == 0x66 {
		out, code = append(out, 0x66), code[1:]
	}
	out = append(out, rep...)
	out = append(out, lock...)
	out = append(out, rex...) // always last
	return append(out, code...)
}

var segPrefix = [...]byte{0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65}

// redundantSeg reports an override that names the segment which is used
// anyway; GNU as drops those: %ds in general, %ss with a stack base.
func redundantSeg(o *operand) bool {
	stack := o.base.class != regNone && (o.base.num == 4 || o.base.num == 5)
	return o.seg.name == "ds" && !stack || o.seg.name == "ss" && stack
}
