package guestcode

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/asm"
)

func object(t *testing.T, name string) asm.Source {
	t.Helper()
	data, err := os.ReadFile("../tests/testdata/obj/" + name)
	require.NoError(t, err)
	return asm.Source{Name: name, Text: data}
}

// What is bound is what the harness calls, and what the parts of the ABI are.
func TestBinding(t *testing.T) {
	b := Binding{Lock: "my_lock", Unlock: "my_unlock", Trylock: "my_trylock"}
	p, err := BuildSource(Config{Bind: b, Iters: 3}, object(t, "ticket-O2.o"))
	require.NoError(t, err)
	for part, name := range map[string]string{"spin_lock": "my_lock", "spin_unlock": "my_unlock", "spin_trylock": "my_trylock", "spin_init": "spin_init"} {
		s, ok := p.Object.Lookup(name)
		assert.True(t, ok)
		assert.Equal(t, s.Addr, p.Function(part), part)
	}
	assert.Contains(t, insns(p, p.Acquire, p.Acquired)[0], "my_lock")
	assert.Contains(t, insns(p, p.Release, p.Released)[0], "my_unlock")
	assert.Equal(t, int64(3), p.Iters)

	lock, unlock := p.Function("spin_lock"), p.Function("spin_unlock")
	b = Binding{Lock: hexNumber(lock), Unlock: hexNumber(unlock)}
	again, err := BuildSource(Config{Bind: b, Iters: 3}, object(t, "ticket-O2.o"))
	require.NoError(t, err)
	assert.Equal(t, p.Object.Sections, again.Object.Sections, "an address is as good as a name")
}

func hexNumber(v uint64) string { return fmt.Sprintf("%#x", v) }

// A lock may be called what the harness calls its labels.
func TestBindingOfHarnessLabels(t *testing.T) {
	src := asm.Source{Name: "x.s", Text: []byte("\t.globl acquire, release, vcpu_boot\nacquire: lock bts $0, (%rdi)\n\tjc acquire\nvcpu_boot: ret\nrelease: movb $0, (%rdi)\n\tret\n")}
	p, err := BuildSource(Config{Bind: Binding{Lock: "acquire", Unlock: "release"}}, src)
	require.NoError(t, err)
	assert.Contains(t, insns(p, p.Acquire, p.Acquired)[0], "acquire")
	assert.NotEqual(t, p.Function("spin_lock"), p.Acquire)
	assert.Contains(t, insns(p, p.Boot, p.Boot+1)[0], "spin_init")
}

// What makes files a lock, a program or threads.
func TestWhatFilesAre(t *testing.T) {
	lock := object(t, "ttas-O1.o")
	p, err := BuildSource(Config{}, lock)
	require.NoError(t, err)
	assert.True(t, p.Harness)

	prog := object(t, "prog-static")
	p, err = BuildSource(Config{}, prog)
	require.NoError(t, err)
	assert.False(t, p.Harness)
	assert.Contains(t, insns(p, p.Main, p.Main+1)[0], "vcpu_main", "compiled code is called")
	p, err = BuildSource(Config{Bind: Binding{Main: "through_table"}}, prog)
	require.NoError(t, err)
	assert.Contains(t, insns(p, p.Main, p.Main+1)[0], "through_table")

	own := asm.Source{Name: "own.s", Text: []byte("\t.globl vcpu_main\nvcpu_main: call spin_lock\n\tout %al, $0xf4\n")}
	p, err = BuildSource(Config{}, own, lock)
	require.NoError(t, err)
	s, _ := p.Object.Lookup("vcpu_main")
	assert.Equal(t, s.Addr, p.Main, "assembler code is its own")

	threads, err := BuildThreads(Config{}, lock)
	require.NoError(t, err)
	assert.Nil(t, threads)
	threads, err = BuildThreads(Config{}, asm.Source{Name: "t.s", Text: []byte("P0: call spin_lock\n\thlt\nP1: hlt\n")}, lock)
	require.NoError(t, err)
	assert.Len(t, threads.Threads, 2)
}

func TestBindingRefuses(t *testing.T) {
	ticket := object(t, "ticket-O2.o")
	for _, c := range []struct {
		c    Config
		want string
	}{
		{Config{Bind: Binding{Lock: "my_lock"}}, "no spin_unlock"},
		{Config{Bind: Binding{Lock: "yours", Unlock: "my_unlock"}}, "--lock yours: no such symbol; global symbols: my_lock, my_unlock, my_trylock"},
		{Config{Bind: Binding{Lock: "0x1", Unlock: "my_unlock"}}, "--lock 0x1: no code is there"},
		{Config{Bind: Binding{Main: "nowhere"}}, "--entry nowhere: no such symbol"},
		{Config{Bind: Binding{Main: "my_lock", Probes: []string{"acquired=my_lock"}}}, "acquired and release (or released) are wanted"},
		{Config{Bind: Binding{Main: "my_lock", Probes: []string{"acquired=my_lock", "release=my_lock+0x0"}}}, "acquired is there already"},
		{Config{Bind: Binding{Main: "my_lock", Probes: []string{"acquired=my_lock+x"}}}, `"x" is no offset`},
		{Config{Bind: Binding{Main: "my_lock", Probes: []string{"acquired=my_lock+0x10000"}}}, "no code is at 0x110000"},
		{Config{Bind: Binding{Main: "my_lock", Probes: []string{"inside=my_lock"}}}, "PHASE=PLACE is wanted"},
	} {
		_, err := BuildSource(c.c, ticket)
		assert.ErrorContains(t, err, c.want)
	}
}

// Files that say where they go may not go where the machine keeps something.
func TestRoom(t *testing.T) {
	code := make([]byte, 0x2000)
	for _, c := range []struct {
		load uint64
		want string
	}{
		{0x1000, ""}, {TextBase, ""}, {0x3fe000, ""}, {0x210000, ""}, {IDTBase - 0x2000, ""}, {StackTop(MaxVCPUs - 1), ""},
		{SharedBase - 0x1000, "into the locks at 0x200000: an image has 1024 KiB"},
		{IDTBase - 0x1000, "the host's descriptor table"}, {SharedInfo, "Xen's shared_info"},
		{PerCPUBase - 1, "the per-CPU areas"}, {StackTop(MaxVCPUs-1) - 1, "the stacks"},
	} {
		_, err := BuildSource(Config{Load: &c.load, Bind: Binding{Main: hexNumber(c.load)}}, asm.Source{Name: "x.bin", Text: code})
		if c.want == "" {
			assert.NoError(t, err, "%#x", c.load)
		} else {
			assert.ErrorContains(t, err, c.want, "%#x", c.load)
		}
	}
}
