package asm

import (
	"fmt"
	"testing"
)

// samples gives operands for each slot class of the table.
func samples(a arg, size byte) []string {
	regs := map[byte][]string{
		'b': {"%al", "%bl", "%dh", "%sil", "%r9b", "%spl"}, 'w': {"%ax", "%dx", "%r9w"},
		'l': {"%eax", "%ecx", "%r12d"}, 'q': {"%rax", "%rdx", "%r13"},
	}
	mems := []string{"(%rdi)", "8(%rbp)", "(%rbp)", "(%rsp)", "(%r12)", "(%r13)", "-128(%rax,%rbx,4)", "0x1234(%r8,%r9)", "(,%rcx,8)", "0x40", "sym(%rip)", "5(%rip)", "%gs:16", "%fs:(%rdi)", "(%eax)"}
	if a.fixed != 0 {
		size = a.fixed
	}
	class := a.class
	if a.fixed != 0 {
		class = class[:len(class)-1]
	}
	switch class {
	case "r", "g", "v":
		return regs[size]
	case "rm":
		return append(append([]string{}, regs[size]...), mems...)
	case "m":
		return mems
	case "abs", "far":
		return []string{"0x1122334455"}
	case "a":
		return regs[size][:1]
	case "i":
		return []string{"$0", "$1", "$-1", "$0x7f", "$-128", map[byte]string{'b': "$0xff", 'w': "$0x1234", 'l': "$0x80000000", 'q': "$0x12345678"}[size]}
	case "is":
		return []string{"$0", "$5", "$-128"}
	case "ib":
		return []string{"$0", "$5", "$0x7f", "$200"}
	case "iw":
		return []string{"$0x1234"}
	case "iq":
		return []string{"$0x1122334455667788"}
	case "1", "3":
		return []string{"$" + class}
	case "cl", "dx", "fs", "gs":
		return []string{"%" + class}
	case "x", "xr":
		return []string{"%xmm0", "%xmm11"}
	case "xm":
		return append([]string{"%xmm1", "%xmm9"}, mems...)
	case "seg":
		return []string{"%ds", "%gs"}
	case "cr":
		return []string{"%cr0", "%cr3", "%cr8"}
	case "db":
		return []string{"%db0", "%db7"}
	}
	panic(class)
}

// tableCases writes every row out with every kind of operand, each with the
// others at rest.
func tableCases() []string {
	var out []string
	for _, rows := range [][]row{intRows, systemRows, stringRows, bmiRows, sseRows} {
		for _, r := range rows {
			for _, x := range r.expand() {
				out = append(out, rowCases(x.compile())...)
			}
		}
	}
	return out
}

func rowCases(f *form) []string {
	sizes := f.sizes
	if sizes == "" {
		sizes = " "
	}
	var out []string
	for _, s := range []byte(sizes) {
		name := f.name
		if s != ' ' && !f.bare {
			name += string(s)
		}
		if len(f.args) == 0 {
			out = append(out, name)
		}
		for vary := range f.args {
			for _, o := range samples(f.args[vary], s) {
				line := name
				for i, a := range f.args {
					t := o
					if i != vary {
						l := samples(a, s)
						t = l[(vary+1)%len(l)]
					}
					if f.star {
						t = "*" + t
					}
					line += map[bool]string{true: " ", false: ", "}[i == 0] + t
				}
				out = append(out, line)
			}
		}
	}
	return out
}

func parseOne(u *unit, line string) (*insn, error) {
	name, rest := word(line)
	in := &insn{u: u, name: name}
	if !u.parseOperands(in, rest) {
		return nil, fmt.Errorf("operands")
	}
	if err := in.selectForm(); err != nil {
		return nil, err
	}
	return in, in.checkHighByte()
}

func newTestUnit() *unit {
	a := newAssembler(Options{})
	a.readSource(0, Source{Name: "t.s", Text: []byte(".globl sym\n")})
	return a.units[0]
}

func TestRoutesAgree(t *testing.T) {
	u := newTestUnit()
	bad := map[string]int{}
	for _, line := range tableCases() {
		in, err := parseOne(u, line)
		if err != nil || !in.goCan() {
			continue
		}
		want, _ := in.encodePattern()
		got, err := in.encodeGo()
		if err != nil || fmt.Sprintf("%x", want.bytes) != fmt.Sprintf("%x", got.bytes) {
			k := in.form.name + " " + fmt.Sprint(in.form.args)
			if bad[k]++; bad[k] <= 40 {
				t.Errorf("%-40s go %x pattern %x %v", line, got.bytes, want.bytes, err)
			}
		}
	}
}
