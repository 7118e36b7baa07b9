package cpu

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateFormat = flag.Bool("update-format", false, "rewrite testdata/format.txt")

const formatFile = "testdata/format.txt"

// formatCase is a line of formatFile.
type formatCase struct {
	code []byte
	text string
}

func (c formatCase) op() Op {
	var b [maxLen]byte
	copy(b[:], c.code)
	return Decode(b[:], codeAt)
}

func formatCases(t *testing.T) (cases []formatCase) {
	file, err := os.ReadFile(formatFile)
	require.NoError(t, err)
	for line := range strings.Lines(string(file)) {
		digits, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if digits == "#" || digits == "" {
			continue
		}
		code, err := hex.DecodeString(digits)
		require.NoError(t, err, line)
		cases = append(cases, formatCase{code, strings.TrimSpace(text)})
	}
	return cases
}

func TestFormat(t *testing.T) {
	cases := formatCases(t)
	var out strings.Builder
	out.WriteString("# One instruction a line: its bytes, read at 0x100000, and its text.\n")
	for _, tc := range cases {
		o := tc.op()
		text := o.Format(codeAt, nil)
		fmt.Fprintf(&out, "%-31x %s\n", tc.code, text)
		if !*updateFormat {
			assert.Equal(t, tc.text, text, "% x", tc.code)
		}
		if o.Mn != BAD {
			assert.Len(t, tc.code, int(o.Len), text)
		}
	}
	if *updateFormat {
		require.NoError(t, os.WriteFile(formatFile, []byte(out.String()), 0o644))
	}
}

func TestFormatNames(t *testing.T) {
	sym := func(a uint64) string {
		if a >= codeAt && a < codeAt+0x1000 {
			return fmt.Sprintf("spin_lock+%#x", a-codeAt)
		}
		return ""
	}
	for _, tc := range []struct{ code, want string }{
		{"751e", "jne 0x100020 <spin_lock+0x20>"},
		{"e8fb0f0000", "call 0x101000"},
		{"488d0508010000", "lea 0x108(%rip),%rax  # 0x10010f <spin_lock+0x10f>"},
		{"f0ff05f9ffff0f", "lock incl 0xffffff9(%rip)  # 0x10100000"},
	} {
		code, err := hex.DecodeString(tc.code)
		require.NoError(t, err)
		o := formatCase{code: code}.op()
		assert.Equal(t, tc.want, o.Format(codeAt, sym))
	}
}

func TestEveryRowHasAName(t *testing.T) {
	for mn := range NumMn {
		assert.NotEmpty(t, mn.String(), "row %d", mn)
		assert.NotNil(t, Rows[mn].Fn, "handler of %v", mn)
	}
}

// meaning is what must survive Format and GNU as: everything but the length
// and what follows from it. Branch targets and RIP-relative addresses are
// distances.
func meaning(o Op, rip uint64) string {
	f := formatter{o: &o}
	if f.isBranch() && o.Args[0].Kind == ArgImm {
		o.Imm -= rip
	}
	if o.Flag&opRIP != 0 {
		o.Disp -= rip + uint64(o.Len)
	}
	if o.Flag&opAddr32 != 0 {
		o.Disp &= 0xffffffff
	}
	if f.memory() < 0 && !usesAddressSize(o.Mn) { // a prefix without effect
		o.Flag &^= opAddr32
		o.Seg = 0
	}
	if o.Index == regZero {
		o.Shift = 0
	}
	if o.Mn == XCHG && o.Args[0].Kind == ArgReg && o.Args[0].Reg > o.Args[1].Reg {
		o.Args[0], o.Args[1] = o.Args[1], o.Args[0]
	}
	return fmt.Sprintf("%v imm=%#x disp=%#x args=%v base=%d index=%d<<%d seg=%d w=%d cond=%d flags=%#x counts=%d,%d,%d,%d",
		o.Mn, o.Imm, o.Disp, o.Args, o.Base, o.Index, o.Shift, o.Seg, o.W, o.Cond, o.Flag, o.nl, o.ns, o.nk, o.np)
}

// usesAddressSize says whether a 67 prefix matters without a memory operand.
func usesAddressSize(mn Mn) bool {
	switch mn {
	case XLAT, JRCXZ, LOOP, LOOPE, LOOPNE:
		return true
	}
	return Rows[mn].Class == ClassString
}

// asText is the text of o with a branch target that as can resolve anywhere.
func asText(o Op, rip uint64) string {
	f := formatter{o: &o}
	text := o.Format(rip, nil)
	if f.isBranch() && o.Args[0].Kind == ArgImm {
		i := strings.LastIndexByte(text, ' ')
		return fmt.Sprintf("%s .+(%d)", text[:i], int64(o.Imm-rip))
	}
	return text
}

// GNU as must read every text back as the same instruction.
func TestFormatReadsBack(t *testing.T) {
	for _, tool := range []string{"as", "objcopy"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: needs GNU %s: %v", tool, err)
		}
	}
	var src strings.Builder
	var ops []Op
	for _, tc := range formatCases(t) {
		if o := tc.op(); o.Mn != BAD && o.Mn != UNMODELLED {
			ops = append(ops, o)
			src.WriteString(asText(o, codeAt) + "\n")
		}
	}
	readBack(t, src.String(), ops, func(int) uint64 { return codeAt })
}

// readBack assembles src, one line for each op, and compares what it decodes
// to. at gives the address that op i was decoded at.
func readBack(t *testing.T, src string, ops []Op, at func(i int) uint64) {
	dir := t.TempDir()
	obj, bin := filepath.Join(dir, "o"), filepath.Join(dir, "bin")
	cmd := exec.Command("as", "--64", "-o", obj, "-")
	cmd.Stdin = strings.NewReader(src)
	msg, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", msg)
	msg, err = exec.Command("objcopy", "-O", "binary", "-j", ".text", obj, bin).CombinedOutput()
	require.NoError(t, err, "%s", msg)
	code, err := os.ReadFile(bin)
	require.NoError(t, err)
	code = append(code, make([]byte, maxLen)...)
	lines := strings.Split(src, "\n")
	for i, pos := 0, 0; i < len(ops); i++ {
		o := Decode(code[pos:pos+maxLen], uint64(pos))
		assert.Equal(t, meaning(ops[i], at(i)), meaning(o, uint64(pos)), "%s: % x", lines[i], code[pos:pos+int(o.Len)])
		pos += int(o.Len)
	}
}
