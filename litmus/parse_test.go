package litmus

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(t testing.TB, text string) *Test {
	t.Helper()
	test, err := Parse("t.litmus", []byte(text))
	require.NoError(t, err)
	return test
}

const everything = `X86_64 all+sorts
"Rfe Fre"
Cycle=Rfe Fre
Hash=0123abcd
(* a comment (* in a comment *)
   over two lines *)
{ x=1; int y=-0x10; uint64_t [z]=0xffffffffffffffff;
  int64_t t[2]={1,-1}; int32_t *p=&t; _Atomic int a;
  0:rax=x; uint64_t 1:rbx=3; P1:RCX=t[1] }
 P0               | P1                ;
 movq $1,(x)      | LC00: LC01:       ; # a remark; with | marks
 mfence           | lock; incl [y]    ;
 movq x(%rip),%rcx| jne LC00          ;
 xchg 8(%rax),%rdx| movl 4(%rbx,%rcx,8),%eax ;
 movq (z), rsi    | movq $t+8,%rdi    ;
locations [0:rax; x; t[1] ; q uint8_t;]
filter true
~exists ((not (0:rax=x) \/ x!=3 /\ 1:rbx=-1) => t={1,2} /\ [y]=[z])
`

func TestParseReadsEverything(t *testing.T) {
	test := parse(t, everything)
	assert.Equal(t, X8664, test.Dialect)
	assert.Equal(t, "all+sorts", test.Name)
	assert.Equal(t, "Rfe Fre", test.Doc)
	assert.Equal(t, []Info{{"Cycle", "Rfe Fre"}, {"Hash", "0123abcd"}}, test.Info)
	assert.Equal(t, "0123abcd", test.Hash())
	assert.Equal(t, []string{"x", "y", "z", "t", "p", "a", "q"}, test.names)
	assert.Equal(t, Type{Size: 8, Len: 2}, test.typeOf(memLoc("t")))
	assert.Equal(t, Type{Size: 1, Unsigned: true}, test.typeOf(memLoc("q")))
	assert.Equal(t, defaultType, test.typeOf(memLoc("x")))

	rcx, _ := parseReg("rcx")
	assert.Equal(t, Init{regLoc(1, rcx), []Value{{Sym: "t", Off: 8}}, 9}, test.Inits[len(test.Inits)-1])

	require.Len(t, test.Threads, 2)
	require.Len(t, test.Threads[0].Instrs, 5)
	in := test.Threads[1].Instrs[0]
	assert.Equal(t, []string{"LC00", "LC01"}, in.Labels)
	assert.Equal(t, []string{"lock"}, in.Prefixes)
	assert.Equal(t, "incl", in.Mnemonic)
	assert.Equal(t, 12, in.Line)

	assert.Equal(t, NotExists, test.Kind)
	assert.Equal(t, `~exists (((not (0:rax=x) \/ not ([x]=3) /\ 1:rbx=-1) => t={1,2}) /\ [y]=[z])`, test.Condition())
}

func TestSourceKeepsLines(t *testing.T) {
	test := parse(t, `X86 s
{ 0:ESI=y }
 P0 ;
 MOV [x],$-1 ;
 L1: MOVB [ESI],EAX ;
 LOCK CMPXCHG [y],EBX ;
 CMP EAX,[x] ;
 JE L1 ;
`)
	l, err := test.place()
	require.NoError(t, err)
	assert.Equal(t, `

litmus.start.0:;
mov $-1,2097216;
.L0: movb %al,(%rsi);
lock cmpxchg %ebx,2097152;
cmp 2097216,%eax;
je .L0;litmus.end.0: hlt
`, string(test.source(0, l).Text))
}

func TestOperands(t *testing.T) {
	for given, want := range map[string]string{
		"movq $1,(x)":              "movq $1,2097152",
		"MOVQ 1,[x]":               "movq $1,2097152",
		"movq x,rax":               "movq 2097152,%rax",
		"movl x+4(%rip), %EAX":     "movl 2097156,%eax",
		"movl 4(x),%eax":           "movl 2097156,%eax",
		"movl $0x10,-8[%rax]":      "movl $16,-8(%rax)",
		"movq (rax , %rbx,8),%r8":  "movq (%rax,%rbx,8),%r8",
		"movq 16(,%rbx,8),%r8":     "movq 16(,%rbx,8),%r8",
		"movb x(%rdi),%ah":         "movb 2097152(%rdi),%ah",
		"cmpxchg (x),%rcx":         "cmpxchg %rcx,2097152",
		"cmpxchg %rcx,(x)":         "cmpxchg %rcx,2097152",
		"movups XMM3,(x)":          "movups %xmm3,2097152",
		"lock xaddl %eax,(x)":      "lock xaddl %eax,2097152",
		"mfence":                   "mfence",
		"leaq $x-1 , %rax":         "leaq $2097151,%rax",
		"rep movsb":                "rep movsb",
		"incq 0x200040(%rax,%rcx)": "incq 2097216(%rax,%rcx,1)",
		"shldl $3, %eax,(%rbx)":    "shldl $3,%eax,(%rbx)",
		"LC: jlt LC":               ".L0: jl .L0",
	} {
		test := parse(t, "X86_64 o\n{x}\nP0;\n"+given+";\n")
		l, err := test.place()
		require.NoError(t, err)
		assert.Equal(t, "\n\nlitmus.start.0:;\n"+want+";litmus.end.0: hlt\n", string(test.source(0, l).Text), given)
	}
}

func TestConditions(t *testing.T) {
	for given, want := range map[string]string{
		"":                             "forall (true)",
		"exists x=1":                   "exists ([x]=1)",
		"locations [] (x=1)":           "exists ([x]=1)",
		"final x=1;":                   "exists ([x]=1)",
		"forall (0:rax=0x10)":          "forall (0:rax=16)",
		"~ exists (0:RAX=-1)":          "~exists (0:rax=-1)",
		`exists (x=1 /\ (y=2 /\ z=3))`: `exists ([x]=1 /\ [y]=2 /\ [z]=3)`,
		`exists ((x=1 \/ y=2) /\ z=3)`: `exists (([x]=1 \/ [y]=2) /\ [z]=3)`,
		`exists (x=1 \/ y=2 /\ z=3)`:   `exists ([x]=1 \/ [y]=2 /\ [z]=3)`,
		`exists ~x=1 /\ y=2`:           `exists (not ([x]=1) /\ [y]=2)`,
		`exists x=1 => y=2 => z=3`:     `exists ([x]=1 => [y]=2 => [z]=3)`,
		`exists true \/ false`:         `exists (true \/ false)`,
		`exists x<>y`:                  `exists (not ([x]=y))`,
		`exists x=*y`:                  `exists ([x]=[y])`,
		`exists 0:rax=P0:ebx`:          `exists (0:rax=0:ebx)`,
		`forall x==1 with tso: exists; sc: ~exists`: `forall ([x]=1)`,
	} {
		assert.Equal(t, want, parse(t, "X86_64 c\n{}\nP0;\nnop;\n"+given).Condition(), given)
	}
}

func TestParseErrors(t *testing.T) {
	wrap := func(instr string) string { return "X86_64 e\n{ int t[2]; }\nP0|P1;\n" + instr + "|;\n" }
	for text, want := range map[string]string{
		"":                                   "1: a first line",
		"AArch64 x\n{}\n":                    "1: architecture AArch64",
		"X86_64 x\nfoo\n{}\n":                "2: Key=Value",
		"X86_64 x\n(* \n{}\n":                "2: the comment is not closed",
		"X86_64 x\n{\nx=1;\n":                "2: the init block is not closed",
		"X86_64 x\n{\nx=;}\n":                "3: a number or a location",
		"X86_64 x\n{\nx=1\ny=2}\n":           `4: ";" is wanted`,
		"X86_64 x\n{word x;}\n":              "2: unknown type word",
		"X86_64 x\n{int x; char x;}\n":       "2: [x] has another type already",
		"X86_64 x\n{int t[2]={1};}\n":        "2: 1 values for an array of 2",
		"X86_64 x\n{t[2];}\n":                "2: an array needs a type",
		"X86_64 x\n{int t[0];}\n":            "2: an array of 0",
		"X86_64 x\n{0:foo=1;}\n":             "2: no register foo",
		"X86_64 x\n{0:%a0=1;}\n":             "2: no register %a0; symbolic",
		"X86_64 x\n{0:rax=P1:L0;}\n":         "2: P1: is neither",
		"X86_64 x\n{x:g=1;}\n":               "2: x:… is not a location",
		"X86_64 x\n{x=0x1ffffffffffffffff;}": "2: 0x1ffffffffffffffff does not fit",
		"X86_64 x\n{x=€;}\n":                 `2: unexpected character "€"`,
		"X86_64 x\n{2:rax=1;}\nP0;\nnop;\n":  "2: there is no process P2",
		"X86_64 x\n{}\n":                     "2: the processes",
		"X86_64 x\n{}\nQ0;\n":                `3: a process is called P0, P1, …, not "Q0"`,
		"X86_64 x\n{}\nP0|P0;\n":             "3: P0 is there twice",
		"X86_64 x\n{}\nP0|P1;\nnop;\n":       "4: 1 columns where there are 2",
		"X86_64 x\n{}\nP0;\nnop\nexists x=1": "4: a row of the table ends in ;",
		wrap(".byte 1"):                      `4: ".byte 1": an instruction`,
		wrap("movq %foo,(x)"):                "4: no register %foo",
		wrap("movq %fs:(x),%rax"):            "4: no register %fs:(x)",
		wrap("movq {x},%rax"):                `4: operand "{x}" is not understood`,
		wrap("movq $,%rax"):                  `4: "" is neither a number nor`,
		wrap("movq $%rax,%rax"):              `4: "%rax" is neither a number nor`,
		wrap("movq $rax,%rax"):               `4: "rax": a register`,
		wrap("movq [16],%rax"):               "4: [16]: numbers as addresses",
		wrap("movq 4(%rip),%rax"):            "4: 4(%rip): a location is wanted",
		wrap("movq (%rax,%rbx,3),%rax"):      "4: (%rax,%rbx,3): a scale",
		wrap("movq (x)(y),%rax"):             `4: operand "(x)(y)"`,
		wrap("jmp *%rax"):                    "4: jmp *%rax: a jump goes to a label",
		wrap("jmp L"):                        "4: no label L in P0",
		wrap("L: L: nop"):                    "4: label L is there twice",
		wrap("nop") + "exists (x=1":          `5: ")" is wanted, not the end`,
		wrap("nop") + "exists x":             "5: = is wanted",
		wrap("nop") + "exists x=1 y=2":       "5: the end, ",
		wrap("nop") + "exists 2:rax=1":       "5: there is no process P2",
		wrap("nop") + "exists x[0]=1":        "5: x is not an array",
		wrap("nop") + "exists t[2]=1":        "5: t[2]: the array has 2",
		wrap("nop") + "exists t=1":           "5: t is an array",
		wrap("nop") + "exists t={1}":         "5: t is not an array of 1",
		wrap("nop") + "exists fault(P0)":     "5: faults",
		wrap("nop") + "locations [x word;]":  "5: unknown type word",
		wrap("nop") + "locations [x y z]":    "5: unknown type y",
		wrap("nop") + "observed x=1":         "5: the end, ",
	} {
		_, err := Parse("e.litmus", []byte(text))
		var e *Error
		if assert.ErrorAs(t, err, &e, text) {
			assert.Contains(t, err.Error(), "e.litmus:"+want, text)
		}
	}
	_, err := Parse("big", make([]byte, MaxSize+1))
	assert.ErrorContains(t, err, "at most")
}

func TestNameFromFile(t *testing.T) {
	test, err := Parse("/some/where/SB+po.litmus", []byte("X86 --\n{}\nP0;\nNOP;\n"))
	require.NoError(t, err)
	assert.Equal(t, "SB+po", test.Name)
}

func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add("X86 SB\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [y],$1 | MOV [x],$1 ;\n MOV EAX,[x] | MOV EAX,[y] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n")
	if text, err := os.ReadFile(packDir + "/WRW+WR+poss.litmus"); err == nil {
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		test, err := Parse("fuzz", []byte(text))
		if err != nil {
			var e *Error
			require.ErrorAs(t, err, &e)
			return
		}
		_ = test.Condition()
		_, _, _ = test.build() // may find fault with the instructions, but not panic
	})
}
