package asm

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGNURandomObjects lets ld link random sources that refer across sections,
// to local, global, weak and undefined symbols, once by way of GNU as and once
// by ours.
func TestGNURandomObjects(t *testing.T) {
	if !haveGNU() {
		t.Skip("SKIPPED: GNU as and ld are not installed; TestRelocations has stored results")
	}
	for seed := range randomSources() {
		text := randomReferences(rand.New(rand.NewSource(seed)), true)
		obj, err := AssembleObject(Options{}, Source{Name: "t.s", Text: []byte(text)})
		require.NoError(t, err, text)
		checkObject(t, obj)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { compareLinked(t, []byte(text), obj) })
	}
}

// TestGNURandomImages compares the images of such sources with what ld puts at
// the same addresses.
func TestGNURandomImages(t *testing.T) {
	if !haveGNU() {
		t.Skip("SKIPPED: GNU as and ld are not installed; TestCompilers has stored results")
	}
	for seed := range randomSources() {
		text := randomReferences(rand.New(rand.NewSource(seed)), false)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { compareImage(t, []byte(text), "") })
	}
}

// randomSources is how many random sources are compared.
func randomSources() int64 {
	if testing.Short() {
		return 8
	}
	return 30
}

// randomReferences writes a random source. What only a linker decides is left
// out unless one is wanted: merged strings, and the order of the slots of a
// global offset table.
func randomReferences(r *rand.Rand, linker bool) string {
	n := 20 + r.Intn(60)
	var b strings.Builder
	label := func() string {
		if r.Intn(12) == 0 {
			return "pv_wait" // of another object
		}
		return fmt.Sprintf("L%d%s", r.Intn(n), []string{"", "", "", "+1", "-3"}[r.Intn(5)])
	}
	plain := func() string { return fmt.Sprintf("L%d", r.Intn(n)) }
	for i := range n {
		switch r.Intn(12) {
		case 0:
			fmt.Fprintf(&b, "\t.globl L%d\n", i)
		case 1:
			fmt.Fprintf(&b, "\t.weak L%d\n", i)
		case 2:
			sections := 6
			if !linker {
				sections--
			}
			fmt.Fprintf(&b, "\t%s\n", []string{".text", ".section .text.b,\"ax\"", ".data", ".section .rodata,\"a\"", ".text 1", ".section .rodata.str1.1,\"aMS\",@progbits,1"}[r.Intn(sections)])
		}
		fmt.Fprintf(&b, "L%d:\t.string \"%c\"\n", i, 'a'+i%26)
		switch r.Intn(16) {
		case 0, 1:
			fmt.Fprintf(&b, "\tjmp %s\n\tjne %s\n", label(), label())
		case 2:
			fmt.Fprintf(&b, "\tcall %s\n\tcall %s@PLT\n\tjmp %s@PLT\n", label(), plain(), plain())
		case 3:
			fmt.Fprintf(&b, "\tlea %s(%%rip), %%rax\n\tcmpl $7, %s(%%rip)\n", label(), label())
		case 4:
			fmt.Fprintf(&b, "\tmov $%s, %%eax\n\tmov $%s, %%rax\n\tmovabs $%s, %%rax\n", label(), label(), label())
		case 5:
			fmt.Fprintf(&b, "\tmov %s(,%%rax,8), %%rax\n\tmov %s, %%al\n\tmov %s(%%ebx), %%al\n", label(), label(), label())
		case 6:
			fmt.Fprintf(&b, "\tmov %s@GOTPCREL(%%rip), %%rax\n\tcall *%s@GOTPCREL(%%rip)\n", plain(), plain())
			if linker {
				fmt.Fprintf(&b, "\tpush %s@GOTPCREL(%%rip)\n", plain())
			}
		case 7:
			fmt.Fprintf(&b, "\t.quad %s\n\t.long %s\n\t.long %s - .\n\t.quad %s - .\n", label(), label(), label(), label())
		case 8:
			fmt.Fprintf(&b, "\t.p2align %d\n", 1+r.Intn(5))
		case 9:
			fmt.Fprintf(&b, "\t.skip %d\n", r.Intn(140))
		case 10:
			fmt.Fprintf(&b, "\t.type L%d, @function\n\t.size L%d, . - L%d\n", i, i, i)
		case 11:
			fmt.Fprintf(&b, "\t.set A%d, %s\n\t.quad A%d + 2\n", i, label(), i)
		case 12:
			fmt.Fprintf(&b, "\t.uleb128 . - L%d\n", i)
		}
	}
	return "\t.file \"random.c\"\n" + b.String() + "\t.section .note.GNU-stack,\"\",@progbits\n"
}
