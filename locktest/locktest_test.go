package locktest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorder is a test that keeps what it is told instead of failing.
type recorder struct {
	testing.TB
	said  []string
	fatal bool
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	r.fatal = true
	runtime.Goexit()
}

// record runs f with a recorder, in a goroutine that Fatalf may end.
func record(f func(t testing.TB)) *recorder {
	r := &recorder{}
	done := make(chan bool)
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

// ttas is a lock in machine code: two functions as a JIT compiler emits them.
func ttas(unlock ...byte) Code {
	return Functions(map[string][]byte{
		"spin_lock":   {0xb0, 1, 0x86, 0x07, 0x84, 0xc0, 0x75, 1, 0xc3, 0xf3, 0x90, 0x80, 0x3f, 0, 0x75, 0xf9, 0xeb, 0xee},
		"spin_unlock": unlock,
	})
}

var release = []byte{0xc6, 0x07, 0x00, 0xc3} // movb $0,(%rdi); ret

func TestJITLock(t *testing.T) {
	code := ttas(release...)
	Holds(t, code, 2, 2)
	Budget(t, code, "lock instructions == 5", "lock bytes == 18", "unlock locked == 0", "unlock bytes == 4", "run done 4x20")
	cost := Count(t, code)
	assert.Equal(t, Counts{Instructions: 5, Locked: 1, Loads: 2, Stores: 1, Branches: 2, Bytes: 18}, cost.Lock)
	// An unlock that does nothing: the second taker waits for ever.
	Violates(t, ttas(0xc3), "livelock", 2, 1)
}

func TestRunInputs(t *testing.T) {
	code := Asm("sum: mov (%rdi), %rax\n add %rsi, %rax\n mov %rax, 8(%rdi)\n ret\nother: hlt\n")
	r := Run(t, code, Entry("sum"), Reg("rdi", Scratch), Reg("rsi", 5), Mem(Scratch, 0x10, 1))
	assert.Equal(t, "end", r.End)
	assert.EqualValues(t, 0x115, r.Reg("rax"))
	assert.Equal(t, []byte{0x15, 1}, r.Mem(Scratch+8, 2))
	assert.Equal(t, Counts{Instructions: 4, Loads: 2, Stores: 1, Branches: 1, Bytes: 12}, r.Counts)
	assert.Contains(t, r.Changes, Change{"rax", "0x0", "0x115"})
	assert.Contains(t, r.Changes, Change{"0x200008", "0000", "1501"})
	assert.Equal(t, "hlt", Run(t, code, Entry("other")).End)
	// A page that is not there otherwise.
	Run(t, code, Entry("sum"), Reg("rdi", 0x9000000), Mem(0x9000000, 1))
}

func TestCallEnds(t *testing.T) {
	for _, c := range []struct {
		code []byte
		end  string
	}{
		{[]byte{0x90}, "end"},
		{[]byte{0x0f, 0x0b}, "fault #UD"},
		{[]byte{0xeb, 0xfe}, "limit"},
		{[]byte{0x0f, 0x01, 0xc1}, "unsupported (a hypercall has no hypervisor to answer it on a bare core)"},
	} {
		r, err := Call(Bytes(c.code), MaxInstructions(50))
		require.NoError(t, err)
		assert.Equal(t, c.end, r.End)
	}
	// Privileged at CPL 3.
	r, err := Call(Bytes([]byte{0xfa}), User())
	require.NoError(t, err)
	assert.Equal(t, "fault #GP, error 0x0", r.End)
}

// Each helper fails its test for the right reason, and says where.
func TestHelpersFail(t *testing.T) {
	broken := Asm("\t.globl spin_lock, spin_unlock\nspin_lock:\n btsl $0, (%rdi)\n jc spin_lock\n ret\nspin_unlock:\n movl $0, (%rdi)\n ret\n")
	for _, c := range []struct {
		name  string
		f     func(t testing.TB)
		fatal bool
		want  []string
	}{
		{"limit", func(t testing.TB) { Run(t, Bytes([]byte{0xeb, 0xfe}), MaxInstructions(9)) }, false, []string{"limit", "0x100000", "9 instructions"}},
		{"no entry", func(t testing.TB) { Run(t, Asm("f: ret"), Entry("g")) }, true, []string{"no such symbol g", "f"}},
		{"register", func(t testing.TB) { Run(t, Asm("f: ret"), Reg("eax", 1)) }, true, []string{"no register eax"}},
		{"source", func(t testing.TB) { Run(t, Asm("\n bogus %eax")) }, true, []string{"asm:2: ", "bogus"}},
		{"no bytes", func(t testing.TB) { Run(t, Bytes(nil)) }, true, []string{"no bytes"}},
		{"symbol", func(t testing.TB) { Count(t, Functions(map[string][]byte{"a b": {0x90}})) }, true, []string{`"a b" is no symbol`}},
		{"variant", func(t testing.TB) { Holds(t, Variant("tiket"), 2, 1) }, true, []string{"tiket", "ticket"}},
		{"file", func(t testing.TB) { Holds(t, File("nosuch.s"), 2, 1) }, true, []string{"nosuch.s"}},
		{"no lock", func(t testing.TB) { Holds(t, Asm("f: ret"), 2, 1) }, true, []string{"spin_lock"}},
		{"holds", func(t testing.TB) { Holds(t, broken, 2, 1) }, false, []string{"violated: exclusion", "btsl $0x0,(%rdi)", "asm:3"}},
		{"violates", func(t testing.TB) { Violates(t, Variant("ticket"), "exclusion", 2, 1) }, false, []string{"holds, wanted violated: exclusion"}},
		{"other", func(t testing.TB) { Violates(t, broken, "deadlock", 2, 1) }, false, []string{"violated: exclusion, wanted violated: deadlock"}},
		{"budget", func(t testing.TB) { Budget(t, broken, "lock locked == 1", "check holds 2x1", "lock loads >= 0") }, false,
			[]string{"lock locked: measured 0, wanted == 1 (spin_lock asm:3)", "check: got violated: exclusion, wanted holds"}},
		{"words", func(t testing.TB) { Budget(t, broken, "lock cycles < 3") }, true, []string{"budget:1:6", "lock has no cycles"}},
		{"golden", func(t testing.TB) { Budget(t, broken, "check 2x1") }, true, []string{"check holds 2x2"}},
	} {
		r := record(c.f)
		text := strings.Join(r.said, "\n")
		assert.NotEmpty(t, r.said, c.name)
		assert.Equal(t, c.fatal, r.fatal, "%s: %s", c.name, text)
		for _, w := range c.want {
			assert.Contains(t, text, w, c.name)
		}
	}
}

func TestCheckLimits(t *testing.T) {
	v, err := Check(Variant("mcs"), 3, 2, Limits{States: 100})
	require.NoError(t, err)
	assert.True(t, v.Bounded)
	assert.False(t, v.Holds)
	assert.Equal(t, "bounded", v.String())
	assert.Contains(t, v.Message, "100")
	_, err = Check(Variant("mcs"), 0, 1, Limits{})
	assert.ErrorContains(t, err, "at least 1")
}

func TestDefine(t *testing.T) {
	narrow := Variant("ticket")
	wide := narrow.Define("TICKET_BITS", 16)
	assert.EqualValues(t, 9, Count(t, narrow).Lock.Instructions, "Define must not change what it is called on")
	assert.EqualValues(t, 10, Count(t, wide).Lock.Instructions)
	_, err := Measure(narrow.Define("NOSUCH", 1))
	assert.ErrorContains(t, err, "NOSUCH")
}

func TestScript(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tas.s"), []byte("spin_lock:\n ret\n"), 0o644))
	name := filepath.Join(dir, "x.spin")
	require.NoError(t, os.WriteFile(name, []byte("source tas.s\ncount spin_lock\n----\nspin_lock: 1 instructions, 0 locked, 1 loads, 0 stores, 1 branches, 1 bytes\n"), 0o644))
	Script(t, name)
}

// objects are what gcc made of locks in C.
const objects = "../tests/testdata/obj/"

// TestObject: an object of a compiler is code as any other, and its traces name
// lines of C.
func TestObject(t *testing.T) {
	code := File(objects + "mcs-O2.o")
	Holds(t, code, 2, 2)
	Budget(t, code, "lock instructions == 7", "lock locked == 1", "unlock locked == 1", "check holds 3x1", "run done 4x20")
	assert.Equal(t, Counts{Instructions: 7, Locked: 1, Loads: 2, Stores: 3, Branches: 2, Bytes: Count(t, code).Lock.Bytes}, Count(t, code).Lock)

	broken := File(objects + "broken-O2.o")
	Violates(t, broken, "exclusion", 2, 1)
	v, err := Check(broken, 2, 1, Limits{})
	require.NoError(t, err)
	assert.Contains(t, strings.Join(v.Trace, "\n"), "broken.c:6")

	// Its functions, one by one: a try of a free lock, and of a held one.
	try := File(objects + "ttas-O2.o")
	for held, want := range []uint64{1, 0} {
		r := Run(t, try, Entry("spin_trylock"), Reg("rdi", Scratch), Mem(Scratch, byte(held)))
		assert.Equal(t, want, r.Reg("rax"), "held %d", held)
		assert.Equal(t, []byte{1}, r.Mem(Scratch, 1))
		assert.EqualValues(t, 1, r.Locked)
	}
}

// TestObjectMistakes: what does not link, or is no lock, fails and says why.
func TestObjectMistakes(t *testing.T) {
	_, err := Measure(File(objects + "ticket-O2.o"))
	assert.ErrorContains(t, err, "spin_lock")
	_, err = Call(File(objects+"ticket-O2.o"), Entry("nosuch"))
	assert.ErrorContains(t, err, "no such symbol nosuch")
	text, err := os.ReadFile(objects + "ttas-O2.o")
	require.NoError(t, err)
	short := filepath.Join(t.TempDir(), "short.o")
	require.NoError(t, os.WriteFile(short, text[:100], 0o644))
	_, err = Measure(File(short))
	assert.ErrorContains(t, err, "short.o")
}

// TestObjectScript: a script names an object beside it.
func TestObjectScript(t *testing.T) { Script(t, "../tests/spin/gcc-object.spin") }
