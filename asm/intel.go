package asm

import (
	"errors"
	"fmt"
	"strings"
)

// Intel syntax, as `gcc -masm=intel` prints it. A statement is read into the
// same operands as an AT&T one, in AT&T's order and under AT&T's mnemonic, and
// goes on from there. intel_expr.go reads the operands.

// syntax is .intel_syntax or .att_syntax, with prefix or noprefix.
func (u *unit) syntax(name, args string) {
	u.intel = name == ".intel_syntax"
	switch args {
	case "":
		u.prefixR = !u.intel // GNU as's default for each
	case "prefix":
		u.prefixR = true
	case "noprefix":
		u.prefixR = false
	default:
		u.errorf("%s: prefix or noprefix expected, not %q", name, args)
	}
	if !u.intel && !u.prefixR {
		u.errorf("%s: registers without %% are only read in Intel syntax", name)
	}
}

// intelHint guesses why an operand cannot be read as AT&T syntax.
func intelHint(text string) string {
	if strings.Contains(text, "[") || hasPtr(text) {
		return " (Intel syntax needs .intel_syntax noprefix first)"
	}
	return ""
}

// intelOperands reads the operands of an instruction in Intel syntax and turns
// it into its AT&T form.
func (u *unit) intelOperands(in *insn, text string) bool {
	ok := true
	for _, t := range splitArgs(text) {
		o, err := u.intelOperand(t)
		if err != nil {
			u.errorf("%s: %s", in.name, err)
			ok = false
		}
		in.ops = append(in.ops, o)
	}
	if len(in.ops) > 4 {
		u.errorf("%s: too many operands", in.name)
		ok = false
	}
	if !ok {
		return false
	}
	in.intel = true
	if in.name != "enter" { // whose immediates AT&T leaves in Intel's order
		for i, j := 0, len(in.ops)-1; i < j; i, j = i+1, j-1 {
			in.ops[i], in.ops[j] = in.ops[j], in.ops[i]
		}
	}
	in.intelPort()
	if err := in.intelName(); err != nil {
		u.errorf("%s: %s", in.name, err)
		return false
	}
	in.dropImplied()
	in.repeatTarget()
	return true
}

// intelPort marks the DX of in and out, which AT&T writes (%dx).
func (in *insn) intelPort() {
	if in.name != "in" && in.name != "out" {
		return
	}
	for i := range in.ops {
		if o := &in.ops[i]; o.kind == opReg && o.reg.name == "dx" {
			o.port = true
		}
	}
}

// intelNames are mnemonics that only Intel syntax has.
var intelNames = map[string]string{
	"retf": "lret", "retn": "ret", "stosd": "stosl", "lodsd": "lodsl", "scasd": "scasl",
	"insd": "insl", "outsd": "outsl", "pushfd": "pushf", "popfd": "popf",
}

// intelName gives the instruction its AT&T mnemonic. Where the size of the
// source picks the instruction, AT&T has it in the name.
func (in *insn) intelName() error {
	if n, ok := intelNames[in.name]; ok {
		in.name = n
	}
	switch in.name {
	case "movl":
		return errors.New("suffix l is AT&T's: write mov")
	case "movzx", "movsx", "movsxd":
		if len(in.ops) != 2 || !in.ops[0].mem() {
			return nil
		}
		s := in.ops[0].hint
		if s == 0 {
			return errors.New("nothing gives the source's size: write BYTE, WORD or DWORD PTR")
		}
		if s != 'q' {
			in.name = in.name[:4] + string(s)
		}
	case "jmp", "call":
		if len(in.ops) == 1 && in.ops[0].kind != opImm {
			in.ops[0].star = true
		}
	case "movs", "cmps", "stos", "lods", "scas", "ins", "outs":
		for i := range in.ops {
			if o := &in.ops[i]; o.mem() && o.hint != 0 {
				in.name += string(o.hint)
				return nil
			}
		}
	}
	return nil
}

// intelTarget reports whether the operand of a branch is a plain address, and
// returns it without the words that only say so.
func (u *unit) intelTarget(text string) (string, bool) {
	t := text
	for _, w := range []string{"short", "near", "ptr", "offset", "flat:"} {
		if len(t) > len(w) && strings.EqualFold(t[:len(w)], w) && (w == "flat:" || t[len(w)] == ' ') {
			t = strings.TrimSpace(t[len(w):])
		}
	}
	if strings.ContainsAny(t, "[%") || hasPtr(t) {
		return text, false
	}
	if w, rest := word(t); w != "" {
		if _, isReg := registers[strings.ToLower(w)]; isReg && !u.prefixR {
			return text, false
		}
		if strings.HasPrefix(rest, ":") {
			return text, false
		}
	}
	return t, true
}

func hasPtr(t string) bool {
	w, rest := word(t)
	p, _ := word(strings.TrimSpace(rest))
	return w != "" && strings.EqualFold(p, "ptr")
}

// intelSizes are the words before PTR, as suffixes; 0 for the sizes that no
// general register has.
var intelSizes = map[string]byte{
	"byte": 'b', "word": 'w', "dword": 'l', "qword": 'q',
	"xmmword": 0, "oword": 0, "tbyte": 0, "fword": 0, "mmword": 'q',
}

// intelOperand reads one operand: [SIZE PTR] [SEG:] EXPRESSION.
func (u *unit) intelOperand(text string) (operand, error) {
	o := operand{text: text, scale: 1}
	t, isMem := strings.TrimSpace(text), false
	t = u.sizePtr(&o, t, &isMem)
	if strings.HasPrefix(t, "[") && strings.HasSuffix(t, "]") && hasPtr(strings.TrimSpace(t[1:])) {
		// gcc's `jmp [QWORD PTR [rax]]`
		t = u.sizePtr(&o, strings.TrimSpace(t[1:len(t)-1]), &isMem)
	}
	p := intelParser{u: u, text: t}
	e, err := p.parse()
	if err != nil {
		return o, err
	}
	if e.seg.class != regNone {
		o.seg, isMem = e.seg, true
	}
	switch {
	case e.soleReg() && !e.brackets && !isMem:
		o.reg = e.base
		if o.reg.class == regIP {
			return o, fmt.Errorf("%s is only good as a base", o.reg.name)
		}
		return o, nil
	case e.offset, !isMem && !e.brackets && e.isNumber():
		if e.base.class != regNone || e.index.class != regNone {
			return o, fmt.Errorf("%s: an immediate has no registers", text)
		}
		o.kind, o.imm = opImm, u.use(e.node())
		return o, nil
	}
	return o, u.intelMemory(&o, e)
}

// sizePtr takes `DWORD PTR` off the front.
func (u *unit) sizePtr(o *operand, t string, isMem *bool) string {
	w, rest := word(t)
	size, known := intelSizes[strings.ToLower(w)]
	p, after := word(strings.TrimSpace(rest))
	if known && strings.EqualFold(p, "ptr") {
		o.hint, *isMem = size, true
		return strings.TrimSpace(after)
	}
	return t
}

func (u *unit) intelMemory(o *operand, e intelExpr) error {
	o.kind = opMem
	o.base, o.index, o.scale = e.base, e.index, max(e.scale, 1)
	o.paren = o.base.class != regNone || o.index.class != regNone
	if e.n != nil && !(e.n.op == "num" && e.n.n == 0 && o.paren) {
		o.disp = u.use(e.n)
	}
	if !o.paren && o.disp == nil {
		o.disp = num(0)
	}
	for _, r := range []reg{o.base, o.index} {
		if r.class != regNone && r.class != regQuad && r.class != regLong && r.class != regIP {
			return fmt.Errorf("%s cannot be part of an address", r.name)
		}
	}
	if s := o.scale; s != 1 && s != 2 && s != 4 && s != 8 {
		return fmt.Errorf("scale factor in %s must be 1, 2, 4 or 8", o.text)
	}
	return o.checkAddress()
}
