package hardware

import "spinlab/cpu"

// effect is what an instruction does to the flags when it completes.
type effect struct {
	defines   uint64
	undefines uint64
}

// effects says which flags the manuals leave undefined: SDM vol. 2, section
// "Flags Affected" of each instruction; AMD's vol. 3 agrees or defines more.
// Instructions that are not listed leave the flags alone or are special.
var effects = map[cpu.Mn]effect{
	// "The OF, SF, ZF, AF, CF, and PF flags are set according to the result."
	cpu.ADD: {arith, 0}, cpu.ADC: {arith, 0}, cpu.SUB: {arith, 0}, cpu.SBB: {arith, 0}, cpu.CMP: {arith, 0},
	cpu.XADD: {arith, 0}, cpu.CMPXCHG: {arith, 0}, cpu.CMPS: {arith, 0}, cpu.SCAS: {arith, 0},
	cpu.NEG: {arith, 0}, cpu.POPF: {arith, 0},
	// "The OF and CF flags are cleared; the SF, ZF, and PF flags are set
	// according to the result. The state of the AF flag is undefined."
	cpu.AND: {arith &^ cpu.AF, cpu.AF}, cpu.OR: {arith &^ cpu.AF, cpu.AF},
	cpu.XOR: {arith &^ cpu.AF, cpu.AF}, cpu.TEST: {arith &^ cpu.AF, cpu.AF},
	// "The CF flag is not affected. The OF, SF, ZF, AF, and PF flags are set."
	cpu.INC: {arith &^ cpu.CF, 0}, cpu.DEC: {arith &^ cpu.CF, 0},
	// ADCX: "CF is updated [...] SF, OF, ZF, AF, PF are unmodified"; ADOX: OF.
	cpu.ADCX: {cpu.CF, 0}, cpu.ADOX: {cpu.OF, 0},
	// MUL, IMUL: "The SF, ZF, AF, and PF flags are undefined." (IMUL's vol. 2A
	// text gives SF for some forms; AMD leaves it undefined.)
	cpu.MUL:   {cpu.CF | cpu.OF, cpu.SF | cpu.ZF | cpu.AF | cpu.PF},
	cpu.IMUL:  {cpu.CF | cpu.OF, cpu.SF | cpu.ZF | cpu.AF | cpu.PF},
	cpu.IMUL2: {cpu.CF | cpu.OF, cpu.SF | cpu.ZF | cpu.AF | cpu.PF},
	// DIV, IDIV: "The CF, OF, SF, ZF, AF, and PF flags are undefined."
	cpu.DIV: {0, arith}, cpu.IDIV: {0, arith},
	// BT, BTS, BTR, BTC: "The CF flag contains the value of the selected bit
	// [...]. The ZF flag is unaffected. The OF, SF, AF, and PF flags are
	// undefined."
	cpu.BT: {cpu.CF, cpu.OF | cpu.SF | cpu.AF | cpu.PF}, cpu.BTS: {cpu.CF, cpu.OF | cpu.SF | cpu.AF | cpu.PF},
	cpu.BTR: {cpu.CF, cpu.OF | cpu.SF | cpu.AF | cpu.PF}, cpu.BTC: {cpu.CF, cpu.OF | cpu.SF | cpu.AF | cpu.PF},
	// BSF, BSR: "The ZF flag is set to 1 if the source operand is 0 [...]. The
	// CF, OF, SF, AF, and PF flags are undefined."
	cpu.BSF: {cpu.ZF, arith &^ cpu.ZF}, cpu.BSR: {cpu.ZF, arith &^ cpu.ZF},
	// TZCNT, LZCNT: "OF, SF, PF, and AF flags are undefined."
	cpu.TZCNT: {cpu.ZF | cpu.CF, arith &^ (cpu.ZF | cpu.CF)}, cpu.LZCNT: {cpu.ZF | cpu.CF, arith &^ (cpu.ZF | cpu.CF)},
	// POPCNT: "OF, SF, ZF, AF, CF, PF are all cleared. ZF is set if SRC = 0."
	cpu.POPCNT: {arith, 0},
	// ANDN: "SF and ZF are updated based on result. OF and CF flags are
	// cleared. AF and PF flags are undefined." BLSI, BLSMSK, BLSR, BZHI alike.
	cpu.ANDN: {arith &^ (cpu.AF | cpu.PF), cpu.AF | cpu.PF}, cpu.BLSI: {arith &^ (cpu.AF | cpu.PF), cpu.AF | cpu.PF},
	cpu.BLSMSK: {arith &^ (cpu.AF | cpu.PF), cpu.AF | cpu.PF}, cpu.BLSR: {arith &^ (cpu.AF | cpu.PF), cpu.AF | cpu.PF},
	cpu.BZHI: {arith &^ (cpu.AF | cpu.PF), cpu.AF | cpu.PF},
	// BEXTR: "ZF is updated based on the result. AF, SF, and PF are undefined.
	// All other flags are cleared."
	cpu.BEXTR: {cpu.ZF | cpu.CF | cpu.OF, cpu.AF | cpu.SF | cpu.PF},
	// SAHF: "SF, ZF, AF, PF, and CF are loaded with values from AH."
	cpu.SAHF: {arith &^ cpu.OF, 0},
	// CMPXCHG8B/16B: ZF; "The CF, PF, AF, SF, and OF flags are unaffected."
	cpu.CMPXCHG8B: {cpu.ZF, 0}, cpu.CMPXCHG16B: {cpu.ZF, 0},
	// RDRAND, RDSEED: "The CF flag is set according to the result [...]. The
	// OF, SF, ZF, AF, and PF flags are set to 0." No number may be ready.
	cpu.RDRAND: {arith &^ cpu.CF, cpu.CF}, cpu.RDSEED: {arith &^ cpu.CF, cpu.CF},
	cpu.CLC: {cpu.CF, 0}, cpu.STC: {cpu.CF, 0}, cpu.CMC: {cpu.CF, 0},
}

// unknown is a shift count that generation does not know.
const unknown = -1

// shiftEffect is effect for shifts and rotates of a count, which is masked to 5
// bits, 6 for quadwords (SDM vol. 2B, SAL/SAR/SHL/SHR, RCL/RCR/ROL/ROR, SHLD,
// SHRD; "Flags Affected" of each). keeps says that the count may be 0, which
// affects no flag.
func shiftEffect(mn cpu.Mn, width, count int) (e effect, keeps bool) {
	n := count & 31
	if width == 8 {
		n = count & 63
	}
	if count == unknown {
		n = width * 8 // any: the worst for every flag, see below
	}
	if n == 0 {
		return effect{}, true
	}
	switch mn {
	case cpu.ROL, cpu.ROR, cpu.RCL, cpu.RCR:
		// "The SF, ZF, AF, and PF flags are not affected."
		e.defines = cpu.CF | cpu.OF
	default:
		// "For a non-zero count, the AF flag is undefined."
		e = effect{arith &^ cpu.AF, cpu.AF}
	}
	if n > 1 { // "The OF flag is affected only for 1-bit shifts [...]. Otherwise, it is undefined."
		e.undefines |= cpu.OF
	}
	switch mn {
	case cpu.SHL, cpu.SHR:
		// The CF flag "is undefined for SHL and SHR instructions where the
		// count is greater than or equal to the size (in bits)". Six and five
		// bits do not reach the sizes of 64 and 32.
		if n >= width*8 && (count != unknown || width < 4) {
			e.undefines |= cpu.CF
		}
	case cpu.SHLD, cpu.SHRD:
		// "If the count operand is greater than the operand size, the flags
		// are undefined."
		if n > width*8 || count == unknown && width == 2 {
			e.undefines = arith
		}
	}
	e.defines &^= e.undefines
	return e, count == unknown
}

// isShift says whether shiftEffect is about mn.
func isShift(mn cpu.Mn) bool { return mn >= cpu.ROL && mn <= cpu.SHRD }

// completed notes the flags after an instruction. count matters for shifts.
func (g *gen) completed(mn cpu.Mn, width, count int) {
	e, keeps := effects[mn], false
	if isShift(mn) {
		e, keeps = shiftEffect(mn, width, count)
	}
	if !keeps {
		g.undef &^= e.defines
	}
	g.undef |= e.undefines
}

// condFlags are the flags that a condition code reads (SDM vol. 2, appendix
// B.1.4.7).
func condFlags(cond int) uint64 {
	return [8]uint64{cpu.OF, cpu.CF, cpu.ZF, cpu.CF | cpu.ZF, cpu.SF, cpu.PF, cpu.SF | cpu.OF, cpu.ZF | cpu.SF | cpu.OF}[cond>>1&7]
}

// reads are the flags whose value an instruction uses, conditions apart.
var reads = map[cpu.Mn]uint64{
	cpu.ADC: cpu.CF, cpu.SBB: cpu.CF, cpu.ADCX: cpu.CF, cpu.ADOX: cpu.OF, cpu.RCL: cpu.CF, cpu.RCR: cpu.CF, cpu.CMC: cpu.CF,
	cpu.LAHF: arith &^ cpu.OF, cpu.PUSHF: arith, cpu.LOOPE: cpu.ZF, cpu.LOOPNE: cpu.ZF,
}
