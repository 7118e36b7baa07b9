package asm

import (
	"fmt"

	"strings"
)

// prefixBytes are the prefixes that may stand before an instruction or alone.
var prefixBytes = map[string]byte{
	"lock": 0xf0,
	"rep":  0xf3, "repe": 0xf3, "repz": 0xf3, "xrelease": 0xf3,
	"repne": 0xf2, "repnz": 0xf2, "xacquire": 0xf2, "bnd": 0xf2,
	"data16": 0x66, "addr32": 0x67,
	"cs": 0x2e, "ss": 0x36, "ds": 0x3e, "es": 0x26, "fs": 0x64, "gs": 0x65, "notrack": 0x3e,
	"rex64": rexW, "rex.w": rexW, // the padding of a thread-local call sequence
}

const rexW = 0x48

// insn is one instruction on its way to bytes.
type insn struct {
	name     string // as written
	ops      []operand
	form     *form
	size     byte            // operand size b w l q, 0 where the row has none
	prefixes []pendingPrefix // inline ones, then those of earlier statements
	inline   int             // how many of prefixes are inline
	intel    bool            // was written in Intel syntax
	u        *unit
}

// instruction assembles a statement that is a prefix or an instruction.
func (u *unit) instruction(text string) {
	in := insn{u: u}
	rest := text
	for {
		name, r := word(rest)
		lower := strings.ToLower(name)
		r = strings.TrimSpace(r)
		b, isPrefix := prefixBytes[lower]
		if !isPrefix {
			in.name, rest = lower, r
			break
		}
		in.prefixes = append(in.prefixes, pendingPrefix{byte: b, name: lower, text: text})
		if r == "" {
			u.holdPrefixes(in.prefixes)
			return
		}
		rest = r
	}
	if in.name == "" {
		u.errorf("instruction expected, not %q", rest)
		return
	}
	in.inline = len(in.prefixes)
	in.prefixes = append(in.prefixes, u.prefixes...)
	u.joinPrefixes(text)
	if u.branch(&in, rest) {
		return
	}
	parse := u.parseOperands
	if u.intel {
		parse = u.intelOperands
	}
	if !parse(&in, rest) {
		return
	}
	u.assembleInsn(&in)
}

// holdPrefixes emits prefixes that are a statement of their own and keeps
// them, so that LOCK is checked against the instruction that follows.
func (u *unit) holdPrefixes(ps []pendingPrefix) {
	for _, p := range ps {
		p.frag, p.off = u.emit(p.byte)
		u.prefixes = append(u.prefixes, p)
	}
}

// joinPrefixes makes one line-table entry of earlier prefixes and this
// instruction: a CPU sees one instruction, and so does a reader of a trace.
func (u *unit) joinPrefixes(text string) {
	if len(u.prefixes) == 0 {
		return
	}
	first := u.prefixes[0]
	for len(u.marks) > 0 && u.marks[len(u.marks)-1].from == first.frag && u.marks[len(u.marks)-1].fOff >= first.off {
		u.marks = u.marks[:len(u.marks)-1]
	}
	t := ""
	for _, p := range u.prefixes {
		t += p.text + "; "
	}
	u.joined = &joined{first.frag, first.off, t + text}
	u.prefixes = nil
}

// joined is the start of an instruction whose prefixes were statements.
type joined struct {
	frag *frag
	off  int
	text string
}

// flushPrefixes forgets prefixes that nothing followed; their bytes stay.
func (u *unit) flushPrefixes() { u.prefixes = nil }

func (u *unit) parseOperands(in *insn, text string) bool {
	ok := true
	for _, t := range splitArgs(text) {
		o, err := u.operand(t)
		if err != nil {
			u.errorf("%s: %s%s", in.name, err, intelHint(t))
			ok = false
		}
		in.ops = append(in.ops, o)
	}
	if len(in.ops) > 4 {
		u.errorf("%s: too many operands", in.name)
		ok = false
	}
	if ok {
		in.dropImplied()
		in.repeatTarget()
	}
	return ok
}

// assembleInsn finds the table row, checks the prefixes and emits the bytes.
func (u *unit) assembleInsn(in *insn) {
	if err := in.selectForm(); err != nil {
		u.errorf("%s", err)
		return
	}
	if err := in.checkPrefixes(); err != nil {
		u.errorf("%s", err)
		return
	}
	if err := in.checkHighByte(); err != nil {
		u.errorf("%s", err)
		return
	}
	code, err := in.encode()
	if err != nil {
		u.errorf("%s: %s", in.name, err)
		return
	}
	u.markGOT(&code)
	f, off := u.emit(code.bytes...)
	for _, x := range code.fixups {
		x.off += off
		x.at = u.now
		f.fixups = append(f.fixups, x)
	}
}

// candidate is a row with the size that the suffix gave, 0 without a suffix.
type candidate struct {
	form *form
	size byte
}

// candidates lists the rows that a mnemonic may mean: those of exactly this
// name, then those of the name without its size suffix.
func candidates(name string) []candidate {
	var out []candidate
	if alias, ok := aliases[name]; ok {
		name = alias
	}
	for _, f := range formsByName()[name] {
		out = append(out, candidate{f, 0})
	}
	if n := len(name) - 1; n > 0 && strings.IndexByte("bwlq", name[n]) >= 0 {
		stem := name[:n]
		if alias, ok := aliases[stem]; ok {
			stem = alias
		}
		for _, f := range formsByName()[stem] {
			if !f.bare && strings.IndexByte(f.sizes, name[n]) >= 0 {
				out = append(out, candidate{f, name[n]})
			}
		}
	}
	return out
}

// selectForm sets form and size, or says what is wrong with the operands. Of
// all reasons why rows do not fit, the most specific is reported.
func (in *insn) selectForm() error {
	cands := candidates(in.name)
	if len(cands) == 0 {
		return fmt.Errorf("unknown mnemonic %s%s", in.name, nearest(in.name))
	}
	var worst mismatch
	for _, c := range cands {
		size, m := in.match(c.form, c.size)
		if m.rank == 0 {
			in.form, in.size = c.form, size
			return nil
		}
		if m.rank > worst.rank {
			worst = m
		}
		if m.final {
			break
		}
	}
	return fmt.Errorf("%s", worst.msg)
}

// mismatch says why a row does not fit; a higher rank is closer to fitting.
type mismatch struct {
	rank  int
	msg   string
	final bool // no other row may be tried
}

const (
	rankCount = 1
	rankKind  = 2 // plus the number of operands that did fit
	rankSize  = 8
	rankRange = 9
)

func (in *insn) match(f *form, suffix byte) (byte, mismatch) {
	if len(f.args) != len(in.ops) {
		return 0, mismatch{rank: rankCount, msg: fmt.Sprintf("%s: wrong number of operands (%d)", in.name, len(in.ops))}
	}
	for i := range f.args {
		o := &in.ops[i]
		if o.star != f.star || !f.args[i].accepts(o) {
			return 0, mismatch{rank: rankKind + i, msg: fmt.Sprintf("%s: operand %s does not fit", in.name, o.text)}
		}
	}
	size, m := in.operandSize(f, suffix)
	if m.rank != 0 {
		return 0, m
	}
	sure := suffix != 0 || in.hasSizedReg(f)
	for i := range f.args {
		if m := in.matchImm(f.args[i], &in.ops[i], size, sure); m.rank != 0 {
			return 0, m
		}
	}
	return size, mismatch{}
}

func (in *insn) hasSizedReg(f *form) bool {
	for i, a := range f.args {
		if o := &in.ops[i]; a.sized && (o.kind == opReg || o.hint != 0) {
			return true
		}
	}
	return false
}

// operandSize takes the size from the suffix or else from the registers, and
// checks that all of them agree. Without either it is the row's default:
// 32 bits where the row has them, as in GNU as.
func (in *insn) operandSize(f *form, suffix byte) (byte, mismatch) {
	size := suffix
	for i, a := range f.args {
		o := &in.ops[i]
		s := o.hint
		if o.kind == opReg {
			s = o.reg.size()
		}
		if !a.sized || s == 0 {
			continue
		}
		switch {
		case size == 0:
			size = s
		case size != s && suffix != 0:
			return 0, mismatch{rank: rankSize, msg: fmt.Sprintf("%s: register %s does not match the suffix %c", in.name, o.text, suffix)}
		case size != s:
			return 0, mismatch{rank: rankSize, msg: fmt.Sprintf("%s: operand sizes differ (%s)", in.name, o.text)}
		}
	}
	switch {
	case f.sizes == "":
		return 0, mismatch{}
	case size == 0 && in.ambiguous(f):
		return 0, mismatch{rank: rankSize, msg: fmt.Sprintf("%s: nothing gives the operand size: write BYTE, WORD, DWORD or QWORD PTR", in.name), final: true}
	case size == 0:
		return f.defaultSize(), mismatch{}
	case strings.IndexByte(f.sizes, size) < 0:
		return 0, mismatch{rank: rankSize, msg: fmt.Sprintf("%s: operand size %d is not allowed", in.name, 8*sizeBytes(size))}
	}
	return size, mismatch{}
}

// ambiguous reports an instruction in Intel syntax whose size nothing gives:
// one with a memory operand, or with operands that are all implied. AT&T syntax
// has a default for it.
func (in *insn) ambiguous(f *form) bool {
	if !in.intel || f.d64 || len(f.sizes) < 2 {
		return false
	}
	if _, ok := implied[f.name]; ok || f.name == "in" || f.name == "out" || f.name == "sysret" {
		return true
	}
	for i, a := range f.args {
		if a.sized && in.ops[i].mem() {
			return true
		}
	}
	return false
}

func sizeBytes(size byte) int {
	switch size {
	case 'b':
		return 1
	case 'w':
		return 2
	case 'q':
		return 8
	}
	return 4
}

// matchImm checks an immediate's range. One whose value is not known yet fits
// the full-width fields only, since the field's width must be known now. Where
// the size is only the default, GNU as does not take 0xffffffff for the byte -1.
func (in *insn) matchImm(a arg, o *operand, size byte, sure bool) mismatch {
	if o.kind != opImm {
		return mismatch{}
	}
	v, err := o.imm.constant()
	if err != nil {
		if a.immFull {
			return mismatch{}
		}
		return mismatch{rank: rankKind, msg: fmt.Sprintf("%s: immediate %s must be a known value", in.name, o.text)}
	}
	if !a.immFits(v, size) || a.class == "is" && !sure && v != int64(int8(v)) {
		return mismatch{rank: rankRange, msg: fmt.Sprintf("%s: immediate %s is out of range", in.name, o.text)}
	}
	return mismatch{}
}

// checkHighByte refuses AH, CH, DH and BH where a REX prefix is needed: with
// REX their numbers mean SPL, BPL, SIL and DIL.
func (in *insn) checkHighByte() error {
	high, rex := "", in.size == 'q' && !in.form.d64
	for i := range in.ops {
		o := &in.ops[i]
		switch {
		case o.kind == opReg && o.reg.class == regHigh:
			high = o.text
		case o.kind == opReg && o.reg.class <= regQuad && o.reg.needsREX():
			rex = true
		case o.mem() && (o.base.num >= 8 || o.index.num >= 8):
			rex = true
		}
	}
	if high != "" && rex {
		return fmt.Errorf("%s: cannot encode %s in an instruction that needs a REX prefix", in.name, high)
	}
	return nil
}
