package asm

import (
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func mustAssemble(t *testing.T, opt Options, texts ...string) *Object {
	t.Helper()
	var src []Source
	for i, text := range texts {
		src = append(src, Source{Name: string(rune('a'+i)) + ".s", Text: []byte(text)})
	}
	obj, err := Assemble(opt, src...)
	require.NoError(t, err)
	return obj
}

func TestSections(t *testing.T) {
	obj := mustAssemble(t, Options{},
		".data\nd1: .quad 1\n.text\nnop\n.section .rodata\n.byte 7\n.bss\n.skip 3\n.section .init,\"ax\"\nhlt",
		".text\nret\n.data\nd2: .byte 2")
	type brief struct {
		Name        string
		Addr        uint64
		Hex         string
		Exec, Write bool
	}
	var got []brief
	for _, s := range obj.Sections {
		got = append(got, brief{s.Name, s.Addr, hex.EncodeToString(s.Data), s.Exec, s.Write})
	}
	pad := "66662e0f1f840000000000" + "0f1f4000" // 11 and 4 bytes of no-op
	require.Equal(t, []brief{
		{".text", 0x100000, "90" + pad + "c3", true, false},
		{".init", 0x100020, "f4", true, false},
		{".rodata", 0x101000, "07", false, false},
		{".data", 0x102000, "0100000000000000" + strings.Repeat("00", 8) + "02", false, true},
		{".bss", 0x102020, "000000", false, true},
	}, got)
}

func TestBases(t *testing.T) {
	obj := mustAssemble(t, Options{Base: 0x7000, DataBase: 0x200000}, "nop\n.data\nx: .quad x")
	require.Equal(t, uint64(0x7000), obj.Sections[0].Addr)
	require.Equal(t, uint64(0x200000), obj.Sections[1].Addr)
	require.Equal(t, "0000200000000000", hex.EncodeToString(obj.Sections[1].Data))

	_, err := Assemble(Options{Base: 0x7000, DataBase: 0x7000}, Source{Name: "a.s", Text: []byte("nop\n.data\n.byte 1")})
	require.ErrorContains(t, err, "executable sections end at 0x8000, behind the data base 0x7000")
}

// TestScopes: local and numeric labels belong to their source, .globl ones
// to all.
func TestScopes(t *testing.T) {
	obj := mustAssemble(t, Options{},
		".globl f\nf: jmp local\nlocal: call g\n1: jmp 1b",
		".globl g\ng: jmp local\nlocal: call f\n1: jmp 1b")
	require.Equal(t, "eb00e809000000ebfe"+"0f1f8000000000"+"eb00e8e9ffffffebfe", hex.EncodeToString(obj.Sections[0].Data))

	_, err := Assemble(Options{},
		Source{Name: "a.s", Text: []byte("nop\nf: ret\n")},
		Source{Name: "b.s", Text: []byte("call f\n")})
	require.EqualError(t, err, "b.s:1: undefined symbol f")

	_, err = Assemble(Options{},
		Source{Name: "a.s", Text: []byte(".globl f\nf: ret\n")},
		Source{Name: "b.s", Text: []byte(".globl f\n\nf: ret\n")})
	require.EqualError(t, err, "b.s:3: symbol f is already defined at a.s:2")
}

func TestWeak(t *testing.T) {
	obj := mustAssemble(t, Options{}, ".weak f\nf: ret\n.weak none\nmov $none,%eax", ".globl f\nf: hlt\n", "call f")
	s, ok := obj.Lookup("f")
	require.True(t, ok)
	require.True(t, s.Global)
	call := obj.Sections[0].Data[0x20:]
	require.Equal(t, "e8ebffffff", hex.EncodeToString(call), "the strong f at 0x10 wins")
	require.Equal(t, "b800000000", hex.EncodeToString(obj.Sections[0].Data[1:6]))
}

// TestAllErrors: every complaint of every source at once, in order.
func TestAllErrors(t *testing.T) {
	_, err := Assemble(Options{Defines: map[string]int64{"UNUSED": 1, "ALSO": 2}},
		Source{Name: "x.s", Text: []byte("lock movl %eax,(%rdi)\njmp nowhere\nfoo\n")},
		Source{Name: "a.s", Text: []byte("nop\nmovl %ax,%eax\n.if 1\n")})
	var list ErrorList
	require.ErrorAs(t, err, &list)
	require.Len(t, list, 7)
	require.Equal(t, strings.Join([]string{
		"--define ALSO: no source uses it",
		"--define UNUSED: no source uses it",
		"x.s:1: lock prefix not allowed with movl",
		"x.s:2: undefined symbol nowhere",
		"x.s:3: unknown mnemonic foo",
		"a.s:2: movl: register %ax does not match the suffix l",
		"a.s:3: .if without .endif",
	}, "\n"), err.Error())
	require.Equal(t, Error{File: "x.s", Line: 1, Msg: "lock prefix not allowed with movl"}, list[2])
}

// As GNU as has it: a label before a conditional counts where code is assembled;
// where it is not, a directive behind a label is not looked for.
func TestLabelBeforeConditional(t *testing.T) {
	for src, want := range map[string]string{
		".if 1\njne 2f\n2: .endif\nret":            "7500c3",
		".if 1\nnop\nx: .else\nret\n.endif\njmp x": "90ebfe",
		"x: .if 0\nnop\n.endif\njmp x":             "ebfe",
		".if 0\nnop\ny: .endif\nnop\n.endif\nret":  "c3",
		".if 0\nnop\ny: .if 1\nnop\n.endif\nret":   "c3",
	} {
		obj := mustAssemble(t, Options{}, src)
		require.Equal(t, want, hex.EncodeToString(obj.Sections[0].Data), src)
	}
}

func TestDefines(t *testing.T) {
	const src = ".set T, 0x800\nmov $T, %eax\n.ifdef PV\nhlt\n.endif\n"
	for _, c := range []struct {
		name    string
		defines map[string]int64
		want    string
	}{
		{"defaults", nil, "b800080000"},
		{"override", map[string]int64{"T": 2}, "b802000000"},
		{"ifdef", map[string]int64{"PV": 0}, "b800080000f4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			obj := mustAssemble(t, Options{Defines: c.defines}, src)
			require.Equal(t, c.want, hex.EncodeToString(obj.Sections[0].Data))
		})
	}
	_, err := Assemble(Options{Defines: map[string]int64{"x": 1}}, Source{Name: "a.s", Text: []byte("x: nop")})
	require.EqualError(t, err, "a.s:1: symbol x is already defined by a define")
}

func TestSymbols(t *testing.T) {
	obj := mustAssemble(t, Options{}, `
	.globl spin_lock
	.set THRESHOLD, 7
	.type spin_lock,@function
spin_lock:
	nop
.Lagain:
	pause
inner:	jmp .Lagain
	.size spin_lock, .-spin_lock
after:	ret
	hlt
	.data
lock:	.quad 0
`)
	s, ok := obj.Lookup("spin_lock")
	require.True(t, ok)
	require.Equal(t, Symbol{Name: "spin_lock", Addr: 0x100000, Size: 5, Section: ".text", Global: true, Source: "a.s"}, s)
	s, ok = obj.Lookup("THRESHOLD")
	require.True(t, ok)
	require.Equal(t, Symbol{Name: "THRESHOLD", Addr: 7, Absolute: true, Source: "a.s"}, s)
	_, ok = obj.Lookup("nowhere")
	require.False(t, ok)

	for addr, want := range map[uint64]string{
		0x100000: "spin_lock+0", 0x100002: "spin_lock+2", 0x100004: "spin_lock+4",
		0x100005: "after+0", 0x100006: "after+1", 0x101000: "lock+0", 0x101003: "lock+3",
		0x100007: "", 0xfffff: "", 7: "",
	} {
		name, off, ok := obj.SymbolAt(addr)
		if want == "" {
			require.False(t, ok, "%#x", addr)
			continue
		}
		require.Equal(t, want, name+"+"+string(rune('0'+off)), "%#x", addr)
	}
}

// TestSymbolAtPrefers: without sizes the nearest label wins, a .L one only
// where there is no other, a global one over a local one at the same place.
func TestSymbolAtPrefers(t *testing.T) {
	obj := mustAssemble(t, Options{}, ".Lfirst: nop\nlocal:\n.globl global\nglobal: nop\n.Lin: nop\nnext: nop")
	for addr, want := range map[uint64]string{0x100000: ".Lfirst", 0x100001: "global", 0x100002: "global", 0x100003: "next"} {
		name, _, ok := obj.SymbolAt(addr)
		require.True(t, ok)
		require.Equal(t, want, name, "%#x", addr)
	}
}

// symbolAtByHand is the rule of SymbolAt, label by label.
func symbolAtByHand(o *Object, addr uint64) string {
	best := -1
	for i, s := range o.labels {
		if s.Addr <= addr && (best < 0 || betterLabel(s, o.labels[best], addr)) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	return o.labels[best].Name
}

// TestSymbolAtLooksFarEnough: what SymbolAt leaves out would not have won.
func TestSymbolAtLooksFarEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := Section{Name: ".text", Addr: 0x1000, Data: make([]byte, 40), Exec: true}
		var symbols []Symbol
		for i := range rapid.IntRange(0, 12).Draw(t, "n") {
			name := rapid.SampledFrom([]string{"s", ".L"}).Draw(t, "name") + strconv.Itoa(i)
			symbols = append(symbols, Symbol{Name: name, Section: text.Name, Addr: text.Addr + rapid.Uint64Range(0, 40).Draw(t, "addr"),
				Size: rapid.SampledFrom([]uint64{0, 0, 1, 7, 30, ^uint64(0)}).Draw(t, "size"), Global: rapid.Bool().Draw(t, "global")})
		}
		o := NewObject([]Section{text}, symbols, nil)
		for addr := text.Addr; addr < text.Addr+40; addr++ {
			name, _, _ := o.SymbolAt(addr)
			require.Equal(t, symbolAtByHand(o, addr), name, "%#x", addr)
			for _, s := range o.LabelsAt(addr) {
				require.Equal(t, addr, s.Addr)
			}
		}
	})
}

// TestManyLabels: a listing asks for the name of every instruction, so a
// question may not look at all labels.
func TestManyLabels(t *testing.T) {
	const n = 20_000
	text := Section{Name: ".text", Addr: 0x1000, Data: make([]byte, 10*n), Exec: true}
	symbols := make([]Symbol, n)
	for i := range symbols {
		symbols[i] = Symbol{Name: "f", Section: text.Name, Addr: text.Addr + uint64(10*i), Size: 10}
	}
	o := NewObject([]Section{text}, symbols, nil)
	looked := 0
	for i := range o.labels {
		addr := o.labels[i].Addr + 9
		looked += o.labelFrom(addr+1) - o.firstCandidate(&o.Sections[0], addr)
	}
	require.Equal(t, n, looked)
}

func TestLines(t *testing.T) {
	obj := mustAssemble(t, Options{}, `# a comment
a:	push %rbp ; mov %rsp,%rbp
	.macro twice insn
	\insn
	\insn
	.endm
/* three
   lines */	lock; xaddw %ax,(%rdi)
	twice "rep; nop"
	lock
	incl (%rdi)
	.p2align 5
	jmp a
	.data
	.long 1, 2
`)
	var got []Line
	for _, l := range obj.Lines {
		require.Equal(t, "a.s", l.File)
		l.File = ""
		got = append(got, l)
	}
	require.Equal(t, []Line{
		{0x100000, 1, "", 2, "push %rbp"}, {0x100001, 3, "", 2, "mov %rsp,%rbp"},
		{0x100004, 5, "", 8, "lock; xaddw %ax,(%rdi)"},
		{0x100009, 2, "", 9, "rep; nop"}, {0x10000b, 2, "", 9, "rep; nop"},
		{0x10000d, 3, "", 11, "lock; incl (%rdi)"},
		{0x100010, 16, "", 12, ".p2align 5"},
		{0x100020, 2, "", 13, "jmp a"},
		{0x101000, 8, "", 15, ".long 1, 2"},
	}, got)

	l, ok := obj.LineAt(0x100006)
	require.True(t, ok)
	require.Equal(t, 8, l.Line)
	_, ok = obj.LineAt(0x100022)
	require.False(t, ok)
	_, ok = obj.LineAt(0)
	require.False(t, ok)
}

// TestDeterministic: the same input gives the same object, maps or not.
func TestDeterministic(t *testing.T) {
	text, err := os.ReadFile("testdata/directives.s")
	require.NoError(t, err)
	first := mustAssemble(t, Options{}, string(text))
	for range 20 {
		require.Equal(t, first, mustAssemble(t, Options{}, string(text)))
	}
}

// TestConcurrent: two calls may run at once; golang-asm's own tables are
// initialised lazily and would race.
func TestConcurrent(t *testing.T) {
	done := make(chan error)
	for range 4 {
		go func() {
			_, err := assemble("lock xaddl %eax,(%rdi)\nandn %eax,%ebx,%ecx")
			done <- err
		}()
	}
	for range 4 {
		require.NoError(t, <-done)
	}
}
