package asm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func assemble(src string) (*Object, error) {
	return Assemble(Options{}, Source{Name: "t.s", Text: []byte(src)})
}

// TestErrors holds one row for each thing that a source can get wrong. The
// message has no file, and the line only where the source has several.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		// mnemonics and operands
		{"mnemonic", "xad %eax,(%rdi)", "1: unknown mnemonic xad (did you mean xadd?)"},
		{"swapped letters", "cmpxhcgl %eax,(%rdi)", "1: unknown mnemonic cmpxhcgl (did you mean cmpxchgl?)"},
		{"no neighbour", "frobnicate", "1: unknown mnemonic frobnicate"},
		{"suffix and register", "movl %ax,%eax", "1: movl: register %ax does not match the suffix l"},
		{"registers differ", "mov %ax,%ebx", "1: mov: operand sizes differ (%ebx)"},
		{"size the instruction lacks", "push %eax", "1: push: operand size 32 is not allowed"},
		{"too few operands", "xadd %eax", "1: xadd: wrong number of operands (1)"},
		{"memory to memory", "mov (%rsi),(%rdi)", "1: mov: operand (%rdi) does not fit"},
		{"immediate destination", "add %eax,$1", "1: add: operand $1 does not fit"},
		{"unknown register", "mov %rxx,%rax", "1: mov: unknown register %rxx"},
		{"register of the 32-bit FPU", "mov %st,%rax", "1: mov: unknown register %st"},
		{"rip as an operand", "mov %rip,%rax", "1: mov: %rip is only good as a base"},
		{"port outside in and out", "add (%dx),%eax", "1: add: operand (%dx) does not fit"},
		{"target in a register without a star", "jmp %rax", "1: jmp: target %rax must be an address, or * and a register"},
		{"target in memory without a star", "call 8(%rax)", "1: call: an indirect target needs a *: *8(%rax)"},
		{"immediate target", "call $5", "1: call: target $5 must be an address, or * and a register"},
		{"star where none belongs", "mov *%rax,%rbx", "1: mov: operand *%rax does not fit"},
		// registers and REX
		{"ah with sil", "mov %ah,%sil", "1: mov: cannot encode %ah in an instruction that needs a REX prefix"},
		{"ah with r8 as a base", "mov %ah,(%r8)", "1: mov: cannot encode %ah in an instruction that needs a REX prefix"},
		{"dh with an index", "addb $1,%dh; movb (%rax,%r9),%dh", "1: movb: cannot encode %dh in an instruction that needs a REX prefix"},
		{"bh to 64 bits", "movzbq %bh,%rax", "1: movzbq: cannot encode %bh in an instruction that needs a REX prefix"},
		// lock
		{"lock mov", "lock movl %eax,(%rdi)", "1: lock prefix not allowed with movl"},
		{"lock register", "lock add %eax,%ebx", "1: lock prefix not allowed with add: the destination is not memory"},
		{"lock load", "lock add (%rdi),%eax", "1: lock prefix not allowed with add: the destination is not memory"},
		{"lock cmp", "lock cmpl $1,(%rdi)", "1: lock prefix not allowed with cmpl"},
		{"lock bt", "lock btl $1,(%rdi)", "1: lock prefix not allowed with btl"},
		{"lock bts register", "lock bts %eax,%ebx", "1: lock prefix not allowed with bts: the destination is not memory"},
		{"lock xchg registers", "lock xchg %ecx,%ebx", "1: lock prefix not allowed with xchg: the destination is not memory"},
		{"lock alone, then mov", "lock\n\nmovl %eax,(%rdi)", "3: lock prefix not allowed with movl"},
		{"lock; jmp", "lock; jmp .", "1: lock prefix not allowed with jmp"},
		{"lock nop", "lock nop", "1: lock prefix not allowed with nop"},
		{"lock mfence", "lock mfence", "1: lock prefix not allowed with mfence"},
		{"lock twice", "lock lock incl (%rdi)", "1: lock prefix twice"},
		{"rep mov", "rep movl %eax,(%rdi)", "1: rep prefix not allowed with movl"},
		{"xacquire without lock", "xacquire incl (%rdi)", "1: xacquire prefix not allowed with incl: it needs lock or xchg"},
		{"xrelease load", "xrelease movl (%rdi),%eax", "1: xrelease prefix not allowed with movl: it needs lock, xchg or a store"},
		// ranges
		{"sign-extended 32 bits", "addq $0x80000000,%rax", "1: addq: immediate $0x80000000 is out of range"},
		{"the same for push", "push $0x80000000", "1: push: immediate $0x80000000 is out of range"},
		{"byte", "addb $256,%al", "1: addb: immediate $256 is out of range"},
		{"word", "movw $0x12345,%ax", "1: movw: immediate $0x12345 is out of range"},
		{"long", "movl $0x100000000,%eax", "1: movl: immediate $0x100000000 is out of range"},
		{"shift count", "shl $256,%eax", "1: shl: immediate $256 is out of range"},
		{"int", "int $256", "1: int: immediate $256 is out of range"},
		{"number", "mov $0x10000000000000000,%rax", "1: mov: number 0x10000000000000000 does not fit into 64 bits"},
		{"displacement", "mov 0x80000000(%rdi),%eax", "1: mov: displacement of 0x80000000(%rdi) does not fit into 32 bits"},
		{"negative displacement", "mov -0x80000001(%rdi),%eax", "1: mov: displacement of -0x80000001(%rdi) does not fit into 32 bits"},
		{"displacement of a later symbol", "mov a(%rdi),%eax\n.set a,0x80000000", "1: displacement or immediate a(%rdi) = 0x80000000 does not fit into 32 bits"},
		{"immediate of a later symbol", "addb $a,%al\na=300", "1: value $a = 0x12c does not fit into 8 bits"},
		{"far jrcxz", "jrcxz a\n.skip 128\na:", "1: short jump distance to a = 0x80 does not fit into 8 bits"},
		{"far loop", "a: .skip 127\nloop a", "2: short jump distance to a = -0x81 does not fit into 8 bits"},
		{"scale", "mov (%rax,%rbx,3),%eax", "1: mov: scale factor in (%rax,%rbx,3) must be 1, 2, 4 or 8"},
		{"rsp as an index", "mov (%rax,%rsp,2),%eax", "1: mov: %rsp cannot be an index"},
		{"16-bit base", "mov (%bx),%eax", "1: mov: %bx cannot be part of an address"},
		{"mixed base and index", "mov (%rax,%ebx),%eax", "1: mov: base and index of (%rax,%ebx) differ in size or kind"},
		// symbols
		{"undefined", "jmp nowhere", "1: undefined symbol nowhere"},
		{"undefined with a hint", "call memcpy; call __fentry__", "1: undefined symbol memcpy (compilers call it for what they do not write out, and there is no C library: define it, or add an object that does)\n1: undefined symbol __fentry__ (compile without -pg)"},
		{"undefined in data", ".quad 1+nowhere", "1: undefined symbol nowhere"},
		{"undefined immediate", "mov $nowhere,%eax", "1: undefined symbol nowhere"},
		{"undefined displacement", "nop\ncall *nowhere(%rip)", "2: undefined symbol nowhere"},
		{"twice", "a: nop\na: nop", "2: symbol a is already defined in line 1"},
		{"label over .set", ".set a,1\na:", "2: symbol a is already defined in line 1"},
		{".set over label", "a:\n.set a,1", "2: symbol a is already defined in line 1"},
		{".equiv twice", ".equiv a,1\n.equiv a,2", "2: symbol a is already defined in line 1"},
		{"itself", ".set a,a+1", "1: symbol a is defined by itself"},
		{"each other", ".set a,b\n.set b,a\n.quad a", "2: symbol b is defined by itself"},
		{"1b", "jmp 1b\n1:", "1: jmp: no label 1: before this line"},
		{"1f", "1: jmp 1f", "1: no label 1: after this line"},
		{"@NOSUCH", "mov x@NOSUCH(%rip),%rax", "1: mov: relocation @NOSUCH is not supported"},
		{"a dynamic thread-local access", ".globl x\nleaq x@tlsgd(%rip), %rdi\n.section .tbss,\"awT\",@nobits\nx: .zero 4", "2: this thread-local access needs a linker: compile with -ftls-model=local-exec, or write an object with -o elf"},
		// Intel syntax
		{"Intel without being asked", "mov eax, DWORD PTR [rdi]", "1: mov: junk \"PTR [rdi]\" after expression (Intel syntax needs .intel_syntax noprefix first)\n1: undefined symbol eax"},
		{"no size", ".intel_syntax noprefix\nmov [rdi], 5", "2: mov: nothing gives the operand size: write BYTE, WORD, DWORD or QWORD PTR"},
		{"no size of the source", ".intel_syntax noprefix\nmovzx eax, [rdi]", "2: movzx: nothing gives the source's size: write BYTE, WORD or DWORD PTR"},
		{"no size at all", ".intel_syntax noprefix\nstos", "2: stos: nothing gives the operand size: write BYTE, WORD, DWORD or QWORD PTR"},
		{"PTR and register", ".intel_syntax noprefix\nmov eax, WORD PTR [rdi]", "2: mov: operand sizes differ (eax)"},
		{"AT&T's suffix", ".intel_syntax noprefix\nmovl eax, 5", "2: movl: suffix l is AT&T's: write mov"},
		{"AT&T's dollar", ".intel_syntax noprefix\nmov eax, $5", "2: mov: bad expression \"$5\""},
		{"AT&T's address", ".intel_syntax noprefix\nmov eax, 8(rdi)", "2: mov: junk \"(rdi)\" after expression"},
		{"three registers", ".intel_syntax noprefix\nmov eax, [rdi+rsi+rbx]", "2: mov: more than two registers in an address"},
		{"a register subtracted", ".intel_syntax noprefix\nmov eax, [rdi-rsi]", "2: mov: a register can only be added"},
		{"Intel scale", ".intel_syntax noprefix\nmov eax, [rdi*3]", "2: mov: scale factor in [rdi*3] must be 1, 2, 4 or 8"},
		{"Intel scale of ten", ".intel_syntax noprefix\nmov eax, [rdi*10]", "2: mov: scale factor must be 1, 2, 4 or 8"},
		{"scaled rsp", ".intel_syntax noprefix\nmov eax, [rdi+rsp*1]", "2: mov: %rsp cannot be an index"},
		{"open bracket", ".intel_syntax noprefix\nmov eax, [rdi", "2: mov: missing ]"},
		{"Intel lock", ".intel_syntax noprefix\nlock mov DWORD PTR [rdi], eax", "2: lock prefix not allowed with mov"},
		{"Intel ah with r8", ".intel_syntax noprefix\nmov ah, r8b", "2: mov: cannot encode ah in an instruction that needs a REX prefix"},
		{"deep Intel", ".intel_syntax noprefix\nmov eax, " + strings.Repeat("[", 300), "2: mov: expression too deep"},
		{"AT&T without prefixes", ".att_syntax noprefix", "1: .att_syntax: registers without % are only read in Intel syntax"},
		// expressions
		{"division", ".long 1/0", "1: division by zero"},
		{"open parenthesis", ".long (1+2", "1: missing )"},
		{"nothing", ".long 1+", "1: missing expression"},
		{"junk", ".long 1 2", "1: junk \"2\" after expression"},
		{"character", ".byte '", "1: bad character constant '"},
		{"bad number", ".byte 09", "1: bad number 09"},
		{"deep", ".long " + strings.Repeat("(", 300) + "1", "1: expression too deep"},
		// directives
		{"directive", ".frobnicate", "1: unknown directive .frobnicate"},
		{"directive, nearly", ".globel x", "1: unknown directive .globel (did you mean .global?)"},
		{"byte value", ".byte 256", "1: .byte 256: value 0x100 does not fit into 8 bits"},
		{"word value of a label difference", "a: .skip 70000\n.word .-a", "2: .word .-a: value 0x11170 does not fit into 16 bits"},
		{"alignment", ".balign 3", "1: .balign: alignment 3 is not a power of two up to 16777216"},
		{"p2align", ".p2align 40", "1: .p2align: alignment 40 is not a power of two up to 16777216"},
		{"p2align fill", ".p2align x", "1: .p2align: expression is not constant here\n1: undefined symbol x"},
		{"skip", ".skip -1", "1: .skip: negative size -1"},
		{"huge skip", ".skip 1<<40", "1: .skip: 1099511627776 times 1 bytes are beyond 16777216"},
		{"huge fill", ".fill 3000000, 8", "1: .fill: 3000000 times 8 bytes are beyond 16777216"},
		{"backwards", "a: nop\nb: .skip a-b", "2: .skip: negative size -1"},
		{".org backwards", "nop\nnop\n.org 1", "3: size -1 is not 0 to 16777216: .skip and .org cannot move backwards"},
		{"string", ".ascii foo", "1: .ascii: string expected, not foo"},
		{"open string", ".ascii \"foo\nnop", "1: unterminated string\n1: .ascii: string expected, not \"foo"},
		{"open comment", "nop\n/* foo", "2: unterminated comment"},
		{"escape", `.ascii "\q"`, `1: .ascii: bad escape \q in string`},
		{"subsection", ".subsection 9000", "1: .subsection: subsection 9000 is not 0 to 8192"},
		{"merge without a size", ".section x,\"aMS\",@progbits", "1: entry size: missing expression\n1: .section: section x: flag M needs the size of an entry"},
		{"section type", ".section x,\"a\",@nonsense", "1: .section: unknown section type @nonsense"},
		{".include", ".include \"x.h\"", "1: .include: sources are single files: run them through cpp"},
		{".code32", ".code32", "1: .code32: only 64-bit code is assembled"},
		{".loc", ".loc 1", "1: .loc takes a file and a line"},
		{".loc option", ".loc 1 2 nonsense 5", "1: .loc: unknown option nonsense"},
		{"symbol type", ".type x, @nonsense", "1: .type: unknown type @nonsense"},
		{".octa", ".octa x", "1: .octa: number of 128 bits expected, not x"},
		{".double", ".double x", "1: .double: bad number x"},
		{"rex64", "rex64 movl %eax, (%rdi)", "1: rex64 prefix not allowed with movl: it is for calls"},
		{"data in .bss", ".bss\n.byte 1", "2: .bss takes no data but zeros"},
		{"section without a name", ".section", "1: .section: missing name"},
		{"section flags", ".section foo,\"zz\"", "1: .section: unknown flags \"zz\""},
		{".popsection", ".popsection", "1: .popsection without .pushsection"},
		{".globl", ".globl 5", "1: .globl: symbol expected, not \"5\""},
		{".set", ".set a", "1: .set takes a symbol and a value"},
		{".type", ".type", "1: .type takes a symbol and a type"},
		{".error", "nop\n.error \"threshold is not a power of two\"", "2: threshold is not a power of two"},
		{".err", ".err", "1: .err"},
		// conditionals and macros
		{".if", "nop\n.if 1\nnop", "2: .if without .endif"},
		{".else", ".else", "1: .else without .if"},
		{".endif", ".endif", "1: .endif without .if"},
		{".else twice", ".if 1\n.else\n.else\n.endif", "3: .else after .else"},
		{".if not constant", ".if a\n.endif\na:", "1: .if: expression is not constant here"},
		{".macro", ".macro foo\nnop", "1: .macro without .endm"},
		{".rept", ".rept 3\nnop", "1: .rept without .endr"},
		{".endm", ".endm", "1: .endm without its opening directive"},
		{"macro arguments", ".macro foo a\n.endm\nfoo 1,2", "3: macro foo: takes 1 arguments, not 2"},
		{"required argument", ".macro foo a:req\n.endm\nfoo", "3: macro foo: argument a is missing"},
		{"macro twice", ".macro foo\n.endm\n.macro foo\n.endm", "3: macro foo is already defined"},
		{"error in a macro", ".macro foo r\nmovl \\r,%ax\n.endm\nnop\nfoo %eax", "5: movl: register %ax does not match the suffix l"},
		{"endless macro", ".macro foo\nfoo\n.endm\nfoo", "4: macro foo: nesting deeper than 100"},
		{"wide macro", ".macro foo\nfoo\nfoo\n.endm\nfoo", "5: macro foo: nesting deeper than 100\n5: more than 262144 statements, those of macros and loops included: does one run away?"},
		{"doubling argument", ".macro foo x\nfoo \"\\x\\x\"\n.endm\nfoo ab", "4: statement is longer than 16384 bytes"},
		{"empty loops", ".rept 200000\n.rept 200000\n.endr\n.endr", "2: more than 262144 statements, those of macros and loops included: does one run away?"},
		{"what comes behind", "jmp later\n.rept 200000\n.rept 200000\n.endr\n.endr\nlater:", "3: more than 262144 statements, those of macros and loops included: does one run away?"},
		{"image", ".rept 5\n.skip 5000000\n.endr", "2: .skip: 5000000 times 1 bytes are beyond 16777216"},
		{"image of .skip to labels", "d: jmp d\n.skip 9000000\ne: .skip e-d", "3: the image grows beyond 16777216 bytes"},
		{"size of itself", "a: jmp a\n.skip b-a+1\nb:", "2: the layout does not settle: the size depends on itself"},
		{"huge .rept", ".rept 1000000000\nnop\n.endr", "1: .rept: bad count 1000000000"},
		{"junk", "(nop)", "1: statement expected, not \"(nop)\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := assemble(c.src)
			require.Error(t, err)
			require.Equal(t, "t.s:"+strings.ReplaceAll(c.want, "\n", "\nt.s:"), err.Error())
		})
	}
}

// A line of any length, or of no text at all, must not reach the terminal.
func TestErrorsAreReadable(t *testing.T) {
	for _, line := range []string{
		"\tmov $" + strings.Repeat("9", 100_000) + "x, %rax\n",
		"\t" + strings.Repeat("q", 100_000) + " %rax\n",
		"\t\x1b[31mred\x07 %rax\n",
	} {
		_, err := assemble(line)
		require.Error(t, err)
		require.Less(t, len(err.Error()), 1_100)
		require.NotContains(t, err.Error(), "\x1b")
		require.NotContains(t, err.Error(), "\x07")
	}
}
