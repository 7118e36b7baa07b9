package asm

import "strings"

// aliases are second names of whole rows.
var aliases = map[string]string{
	"sal": "shl", "movabsq": "movabs",
	"cdqe": "cltq", "cwde": "cwtl", "cbw": "cbtw", "cwd": "cwtd", "cdq": "cltd", "cqo": "cqto",
	"ud2a": "ud2", "xlatb": "xlat",
	"sgdtq": "sgdt", "sidtq": "sidt", "lgdtq": "lgdt", "lidtq": "lidt",
}

// implied lists operands that some instructions may spell out although the
// opcode implies them, as disassemblers do: `stos %al,%es:(%rdi)`. In a
// pattern, A is the accumulator, S (%rsi), D (%rdi), B (%rbx), and the others
// are register names.
var implied = map[string][]string{
	"movs": {"S D"}, "cmps": {"D S"}, "stos": {"A D", "D"}, "lods": {"S A", "S"}, "scas": {"D A", "D"},
	"ins": {"dx D"}, "outs": {"S dx"}, "xlat": {"B"}, "xlatb": {"B"},
	"monitor": {"rax ecx edx", "rax rcx rdx"}, "mwait": {"eax ecx", "rax rcx"},
}

// dropImplied takes such operands away. What they say beyond the opcode stays:
// the accumulator's size as a suffix, the source's segment as a prefix.
func (in *insn) dropImplied() {
	stem, suffix := in.name, byte(0)
	patterns, ok := implied[stem]
	if !ok && len(stem) > 1 {
		stem, suffix = in.name[:len(in.name)-1], in.name[len(in.name)-1]
		patterns = implied[stem]
	}
	for _, p := range patterns {
		if size, ok := in.matchesImplied(p, suffix); ok {
			if suffix == 0 && size != 0 {
				in.name += string(size)
			}
			in.keepSegment()
			in.ops = nil
			return
		}
	}
}

func (in *insn) matchesImplied(pattern string, suffix byte) (size byte, ok bool) {
	size = suffix
	want := strings.Fields(pattern)
	if len(want) != len(in.ops) {
		return 0, false
	}
	for i, w := range want {
		o := &in.ops[i]
		seg := o.seg.name
		ok := o.kind == opReg && o.reg.name == w
		switch w {
		case "A":
			ok = o.kind == opReg && o.reg.num == 0 && o.reg.size() != 0 && (size == 0 || size == o.reg.size())
			size = o.reg.size()
		case "S":
			ok = o.justBase("rsi")
		case "D":
			ok = o.justBase("rdi") && (seg == "" || seg == "es")
		case "B":
			ok = o.justBase("rbx")
		}
		if !ok || o.star {
			return 0, false
		}
	}
	return size, true
}

// justBase reports whether an operand is (%base) and nothing more.
func (o *operand) justBase(base string) bool {
	return o.mem() && o.base.name == base && o.index.class == regNone && o.disp == nil
}

// keepSegment turns an override on the source, which the CPU honours, into a
// prefix. %es belongs to the destination and %ds is the default.
func (in *insn) keepSegment() {
	for i := range in.ops {
		o := &in.ops[i]
		if o.mem() && o.seg.class == regSeg && o.base.name != "rdi" && o.seg.name != "ds" {
			in.prefixes = append([]pendingPrefix{{byte: segPrefix[o.seg.num], name: o.seg.name}}, in.prefixes...)
			in.inline++
		}
	}
}

// repeatTarget writes `imul $3, %eax` out as `imul $3, %eax, %eax`, the only
// form that the CPU has.
func (in *insn) repeatTarget() {
	switch in.name {
	case "imul", "imulw", "imull", "imulq":
		if len(in.ops) == 2 && in.ops[0].kind == opImm {
			in.ops = append(in.ops, in.ops[1])
		}
	}
}
