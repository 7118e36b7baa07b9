package asm

import (
	"fmt"
	"strings"
)

type regClass uint8

const (
	regNone regClass = iota
	regByte          // al … r15b
	regHigh          // ah ch dh bh: numbers 4 to 7, unreachable under REX
	regWord
	regLong
	regQuad
	regSeg
	regCtl
	regDbg
	regXMM
	regIP // rip and eip, only as a base
)

// reg is a register as the instruction formats number it.
type reg struct {
	class regClass
	num   uint8
	name  string
}

// sizeOf is the operand size that a general register has, else 0.
func (r reg) size() byte {
	switch r.class {
	case regByte, regHigh:
		return 'b'
	case regWord:
		return 'w'
	case regLong:
		return 'l'
	case regQuad:
		return 'q'
	}
	return 0
}

// needsREX reports whether a byte register exists only under a REX prefix:
// spl, bpl, sil and dil share their numbers with ah to bh.
func (r reg) needsREX() bool {
	return r.num >= 8 || r.class == regByte && r.num >= 4
}

var registers = makeRegisters()

func makeRegisters() map[string]reg {
	m := map[string]reg{}
	add := func(c regClass, names ...string) {
		for i, n := range names {
			if n != "" {
				m[n] = reg{c, uint8(i), n}
			}
		}
	}
	add(regByte, "al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil")
	add(regHigh, "", "", "", "", "ah", "ch", "dh", "bh")
	add(regWord, "ax", "cx", "dx", "bx", "sp", "bp", "si", "di")
	add(regLong, "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi")
	add(regQuad, "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi")
	add(regSeg, "es", "cs", "ss", "ds", "fs", "gs")
	for i := range uint8(16) {
		for c, f := range map[regClass]string{regCtl: "cr%d", regDbg: "db%d", regXMM: "xmm%d"} {
			n := fmt.Sprintf(f, i)
			m[n] = reg{c, i, n}
		}
		m[fmt.Sprintf("dr%d", i)] = reg{regDbg, i, fmt.Sprintf("dr%d", i)}
		if i >= 8 {
			for c, f := range map[regClass]string{regByte: "r%db", regWord: "r%dw", regLong: "r%dd", regQuad: "r%d"} {
				n := fmt.Sprintf(f, i)
				m[n] = reg{c, i, n}
			}
		}
	}
	m["rip"], m["eip"] = reg{regIP, 0, "rip"}, reg{regIP, 1, "eip"}
	return m
}

type opKind uint8

const (
	opReg opKind = iota
	opImm
	opMem
)

// operand is one operand of an instruction.
type operand struct {
	kind opKind
	text string
	star bool // *: the target of an indirect jump or call

	reg  reg  // opReg
	port bool // written (%dx)

	imm *node // opImm

	seg         reg   // opMem; regNone without an override
	disp        *node // nil when there is none
	base, index reg
	scale       int
	paren       bool // has a (…): without one it is absolute, or a jump's target
	hint        byte // Intel's PTR: the size as a suffix, else 0
}

func (o *operand) mem() bool { return o.kind == opMem }

// addr32 reports whether the address is computed in 32 bits.
func (o *operand) addr32() bool {
	return o.mem() && (o.base.class == regLong || o.index.class == regLong || o.base.class == regIP && o.base.num == 1)
}

func (o *operand) ripRelative() bool { return o.mem() && o.base.class == regIP }

// operand parses one operand.
func (u *unit) operand(text string) (operand, error) {
	o := operand{text: text, scale: 1}
	t := text
	if strings.HasPrefix(t, "*") {
		o.star = true
		t = strings.TrimSpace(t[1:])
	}
	switch {
	case t == "":
		return o, fmt.Errorf("missing operand")
	case strings.ReplaceAll(t, " ", "") == "(%dx)":
		o.reg, o.port = registers["dx"], true // how AT&T writes the port of in and out
		return o, nil
	case t[0] == '$':
		n, err := u.parseExpr(t[1:])
		if err != nil {
			return o, err
		}
		o.kind, o.imm = opImm, u.use(n)
		return o, nil
	case t[0] == '%':
		r, rest, err := parseReg(t)
		if err != nil {
			return o, err
		}
		rest = strings.TrimSpace(rest)
		if rest == "" {
			if r.class == regIP {
				return o, fmt.Errorf("%%%s is only good as a base", r.name)
			}
			o.reg = r
			return o, nil
		}
		if r.class != regSeg || rest[0] != ':' {
			return o, fmt.Errorf("junk %q after register", rest)
		}
		o.seg = r
		t = strings.TrimSpace(rest[1:])
	}
	o.kind = opMem
	return o, u.address(&o, t)
}

func parseReg(t string) (reg, string, error) {
	i := 1
	for i < len(t) && isIdent(t[i]) {
		i++
	}
	r, ok := registers[strings.ToLower(t[1:i])]
	if !ok {
		return r, "", fmt.Errorf("unknown register %s", t[:i])
	}
	return r, t[i:], nil
}

// address parses disp(base,index,scale).
func (u *unit) address(o *operand, t string) error {
	disp, inner := t, ""
	if strings.HasSuffix(t, ")") {
		if i := openParen(t); i >= 0 && isAddressParen(t[i+1:len(t)-1]) {
			disp, inner, o.paren = strings.TrimSpace(t[:i]), t[i+1:len(t)-1], true
		}
	}
	if disp != "" {
		n, err := u.parseExpr(disp)
		if err != nil {
			return err
		}
		o.disp = u.use(n)
	}
	if !o.paren {
		if o.disp == nil {
			return fmt.Errorf("missing address")
		}
		return nil
	}
	return u.baseIndex(o, inner)
}

// openParen finds the parenthesis that the last one closes.
func openParen(t string) int {
	depth := 0
	for i := len(t) - 1; i >= 0; i-- {
		switch t[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// isAddressParen tells (%rax,…) from an expression in parentheses.
func isAddressParen(inner string) bool {
	inner = strings.TrimSpace(inner)
	return strings.HasPrefix(inner, "%") || strings.HasPrefix(inner, ",")
}

func (u *unit) baseIndex(o *operand, inner string) error {
	parts := strings.Split(inner, ",")
	if len(parts) > 3 {
		return fmt.Errorf("bad address (%s)", inner)
	}
	var err error
	if t := strings.TrimSpace(parts[0]); t != "" {
		if o.base, err = addressReg(t); err != nil {
			return err
		}
	}
	if len(parts) > 1 {
		if t := strings.TrimSpace(parts[1]); t != "" {
			if o.index, err = addressReg(t); err != nil {
				return err
			}
		}
	}
	if len(parts) > 2 && strings.TrimSpace(parts[2]) != "" {
		n, err := u.parseExpr(parts[2])
		if err != nil {
			return err
		}
		v, err := u.use(n).constant()
		if err != nil || v != 1 && v != 2 && v != 4 && v != 8 {
			return fmt.Errorf("scale factor in %s must be 1, 2, 4 or 8", o.text)
		}
		o.scale = int(v)
	}
	return o.checkAddress()
}

func addressReg(t string) (reg, error) {
	if t[0] != '%' {
		return reg{}, fmt.Errorf("register expected, not %q", t)
	}
	r, rest, err := parseReg(t)
	if err == nil && strings.TrimSpace(rest) != "" {
		err = fmt.Errorf("junk %q after register", rest)
	}
	if err == nil && r.class != regQuad && r.class != regLong && r.class != regIP {
		err = fmt.Errorf("%%%s cannot be part of an address", r.name)
	}
	return r, err
}

func (o *operand) checkAddress() error {
	if o.base.class != regNone && o.index.class != regNone && o.base.class != o.index.class {
		return fmt.Errorf("base and index of %s differ in size or kind", o.text)
	}
	// An index number of 4 in the SIB byte means no index, r12 excepted.
	if o.index.class != regNone && o.index.num == 4 {
		return fmt.Errorf("%%%s cannot be an index", o.index.name)
	}
	if o.index.class == regIP {
		return fmt.Errorf("%%%s cannot be an index", o.index.name)
	}
	return nil
}
