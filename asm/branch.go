package asm

import "strings"

// branchKind says how a direct branch is encoded.
type branchKind uint8

const (
	branchJump  branchKind = iota // short or long, the layout decides
	branchCall                    // always long
	branchShort                   // only short: loop, jrcxz
	branchXBegin
)

// branches are the direct branches by name: kind and opcode.
var branches = makeBranches()

type branchRow struct {
	kind branchKind
	op   byte
	a32  bool // takes 67: counts or tests ECX
}

func makeBranches() map[string]branchRow {
	m := map[string]branchRow{
		"jmp": {op: 0xe9}, "jmpq": {op: 0xe9},
		"call": {kind: branchCall, op: 0xe8}, "callq": {kind: branchCall, op: 0xe8},
		"jrcxz": {kind: branchShort, op: 0xe3}, "jecxz": {kind: branchShort, op: 0xe3, a32: true},
		"xbegin": {kind: branchXBegin, op: 0xf8},
	}
	for i, n := range []string{"loopne", "loope", "loop"} {
		op := 0xe0 + byte(i)
		m[n] = branchRow{kind: branchShort, op: op}
		m[n+"q"] = branchRow{kind: branchShort, op: op}
		m[n+"l"] = branchRow{kind: branchShort, op: op, a32: true}
	}
	m["loopnz"], m["loopz"] = m["loopne"], m["loope"]
	m["loopnzq"], m["loopzq"] = m["loopne"], m["loope"]
	for n, cc := range conditions {
		m["j"+n] = branchRow{op: 0x80 + cc}
	}
	return m
}

// branch assembles a direct branch and reports whether it was one. A target
// without * and $ is the address to go to, whatever it looks like.
func (u *unit) branch(in *insn, text string) bool {
	b, ok := branches[in.name]
	if !ok || strings.HasPrefix(text, "*") {
		return false
	}
	if u.intel {
		if text, ok = u.intelTarget(text); !ok {
			return false
		}
	}
	text = in.branchHint(text)
	for _, p := range in.prefixes {
		if p.name == "lock" || strings.HasPrefix(p.name, "rep") {
			u.errorf("%s prefix not allowed with %s", p.name, in.name)
			return true
		}
	}
	if strings.HasPrefix(text, "$") || strings.HasPrefix(text, "%") {
		u.errorf("%s: target %s must be an address, or * and a register", in.name, text)
		return true
	}
	if strings.HasSuffix(text, ")") && strings.Contains(text, "(%") {
		u.errorf("%s: an indirect target needs a *: *%s", in.name, text)
		return true
	}
	target, err := u.parseExpr(text)
	if err != nil {
		u.errorf("%s: %s", in.name, err)
		return true
	}
	u.use(target)
	in.form = &form{name: in.name}
	u.emit(in.legacyPrefixes(nil)...)
	u.emitBranch(b, target, text)
	return true
}

// branchHint takes the ,pt or ,pn off a conditional jump. They are the
// prefixes 3e and 2e, which CPUs since the Pentium 4 ignore.
func (in *insn) branchHint(text string) string {
	for i, h := range []string{",pt", ",pn"} {
		if rest, ok := strings.CutPrefix(text, h); ok && strings.HasPrefix(rest, " ") {
			in.prefixes = append([]pendingPrefix{{byte: [...]byte{0x3e, 0x2e}[i]}}, in.prefixes...)
			in.inline++
			return strings.TrimSpace(rest)
		}
	}
	return text
}

func (u *unit) emitBranch(b branchRow, target *node, text string) {
	var code []byte
	size := 4
	switch b.kind {
	case branchJump:
		u.noData()
		u.sec.add(&frag{kind: fragJump, at: u.now, expr: target, cond: b.op, text: text})
		return
	case branchCall:
		code = []byte{b.op}
	case branchXBegin:
		code = []byte{0xc7, b.op}
	case branchShort:
		size = 1
		if b.a32 {
			code = []byte{0x67}
		}
		code = append(code, b.op)
	}
	f, off := u.emit(append(code, make([]byte, size)...)...)
	f.fixups = append(f.fixups, fixup{
		off: off + len(code), size: size, n: target, at: u.now, kind: fixPCRel, end: size, text: text, branch: true,
	})
}

// noData refuses instructions in .bss.
func (u *unit) noData() {
	if u.sec.nobits() {
		u.errorf("%s takes no data but zeros", u.sec.name)
	}
}
