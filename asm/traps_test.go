package asm

import (
	"encoding/hex"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTraps holds what golang-asm v0.15.1 gets wrong, cannot do or does in its
// own way, with the bytes that must come out all the same. want is an error
// where it has a colon.
func TestTraps(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"lock stands behind 66", "lock xaddw %ax,(%rdi)", "66f00fc107"},
		{"vmcall is unknown", "vmcall; vmmcall; endbr64; serialize", "0f01c10f01d9f30f1efa0f01e8"},
		{"ret with an immediate", "ret $8", "c20800"},
		{"enter", "enter $16,$1", "c8100001"},
		{"64-bit moffs", "movabs 0x1122334455667788,%rax", "48a18877665544332211"},
		{"segment with a base", "mov %gs:(%rdi),%eax", "658b07"},
		{"segment with base, index and 66", "incw %gs:4(%rdi,%rsi,2)", "6566ff447704"},
		{"%ss override", "mov %ss:(%rax),%eax", "368b00"},
		{"32-bit addresses", "mov (%eax),%eax", "678b00"},
		{"bt beyond 127", "bt $200,%eax", "0fbae0c8"},
		{"one-byte int3", "int3; int $3; int $4", "cccccd04"},
		{"sysretq", "sysretq", "480f07"},
		{"the five-byte nop", "nop5", "0f1f440000"},
		{"ah needs an encoding without REX", "mov %ah,%sil", "t.s:1: mov: cannot encode %ah in an instruction that needs a REX prefix"},
		{"spl is refused", "mov %spl,%al; addb $1,%spl", "4088e04080c401"},
		{"xchg eax,eax clears the upper half", "xchg %eax,%eax", "87c0"},
		{"imm32 is sign-extended", "addq $0x80000000,%rax", "t.s:1: addq: immediate $0x80000000 is out of range"},
		{"backward jecxz", "1: nop; jecxz 1b", "9067e3fc"},
		{"forward jecxz", "jecxz 1f; nop; 1:", "67e30190"},
		{"an unresolved target is not eb fe", "jmp nowhere", "t.s:1: undefined symbol nowhere"},
		{"call without a symbol", "call 0x100005", "e800000000"},
		{"mov of an unsigned 32-bit immediate", "mov $0x80000000,%rax", "48b80000008000000000"},
		{"mov of zero is not xor", "mov $0,%eax", "b800000000"},
		{"no padding before jumps", ".skip 30; jmp .", strings.Repeat("00", 30) + "ebfe"},
		{"cmp has its operands reversed", "cmp %eax,(%rdi); cmp (%rdi),%eax", "39073b07"},
		{"byte registers have numbers of their own", "mov %r9b,%dil", "4488cf"},
		{"zero displacement of rbp and r13", "mov (%rbp),%eax; mov (%r13),%eax", "8b4500418b4500"},
		{"no base at all", "mov 0x10,%eax; mov (,%rax,2),%eax", "8b0425100000008b044500000000"},
		{"relocation before an immediate", "cmpl $5,x(%rip); x:", "833d0000000005"},
	} {
		t.Run(c.name, func(t *testing.T) {
			obj, err := assemble(c.src)
			if strings.Contains(c.want, ":") {
				require.EqualError(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, hex.EncodeToString(obj.Sections[0].Data))
		})
	}
}

// TestGolangAsmIsTheRoute: golang-asm encodes six lines in seven of all that
// the table can write. The others are the instructions that it lacks, the
// traps above, and operands that it cannot express.
func TestGolangAsmIsTheRoute(t *testing.T) {
	u := newTestUnit()
	viaGo, all := 0, 0
	for _, l := range tableCases() {
		in, err := parseOne(u, l)
		if err != nil {
			continue
		}
		all++
		if in.goCan() {
			viaGo++
		}
	}
	require.Greater(t, float64(viaGo)/float64(all), 0.8, "%d of %d", viaGo, all)
}

// TestGolangAsmFailure: what golang-asm refuses or trips over is an error.
func TestGolangAsmFailure(t *testing.T) {
	u := newTestUnit()
	in, err := parseOne(u, "addl %eax,%ebx")
	require.NoError(t, err)
	f := *in.form
	f.goas[sizeIndex('l')] = goOpcodes()["ANDNL"] // takes three operands
	in.form = &f
	_, err = in.encodeGo()
	require.ErrorContains(t, err, "golang-asm: ")
}

// TestGNURelaxation compares the lengths of jumps and paddings in random
// programs. GNU as guesses while it relaxes; so do we, in the same way.
func TestGNURelaxation(t *testing.T) {
	if !haveGNU() {
		t.Skip("SKIPPED: GNU as and ld are not installed")
	}
	for seed := range int64(25) {
		file := filepath.Join(t.TempDir(), "r.s")
		text := randomJumps(rand.New(rand.NewSource(seed)))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		obj, err := Assemble(Options{}, Source{Name: file, Text: []byte(text)})
		require.NoError(t, err)
		require.Equal(t, gnuDump(t, file), ".text\n"+hex.Dump(obj.Sections[0].Data), "seed %d\n%s", seed, text)
	}
}

func randomJumps(r *rand.Rand) string {
	n := 20 + r.Intn(100)
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "L%d:", i)
		switch to := r.Intn(n); r.Intn(7) {
		case 0, 1, 2:
			fmt.Fprintf(&b, " %s L%d\n", []string{"jmp", "je", "ja"}[r.Intn(3)], to)
		case 3:
			fmt.Fprintf(&b, " .skip %d\n", []int{1, 20, 60, 100, 125, 126, 127, 128}[r.Intn(8)])
		case 4:
			fmt.Fprintf(&b, " .p2align %d%s\n", 1+r.Intn(6), []string{"", ",,5", ",0x90", ",0xcc"}[r.Intn(4)])
		case 5:
			fmt.Fprintf(&b, " lea L%d(%%rip),%%rax\n", to)
		case 6:
			fmt.Fprintf(&b, " .long L%d-L%d\n", to, r.Intn(n))
		}
	}
	return b.String()
}
