package tests

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/guestcode"
)

// callgrindTable is what callgrind counted.
const callgrindTable = "testdata/callgrind.golden"

// callCost is what a call executes through its RET. Loads are not compared:
// callgrind counts the load and the store of an ADD or a CMPXCHG as one access, a
// modification, among the writes; those of an XCHG as two.
type callCost struct{ Instructions, Locked, Stores uint64 }

func (c callCost) String() string {
	return fmt.Sprintf("%d instructions, %d locked, %d stores", c.Instructions, c.Locked, c.Stores)
}

// countedLock is a lock that runs in user mode when nobody contends.
type countedLock struct {
	name         string
	target       string           // for spinlab
	defines      map[string]int64 // of a variant
	lock, unlock string           // its symbols
}

// countedLocks are the prebuilt objects, and the sound variants that need no
// hypervisor, those with tickets in both widths. (Some twins get stuck alone.)
func countedLocks() (list []countedLock) {
	for _, l := range lockObjects {
		lock, unlock := "spin_lock", "spin_unlock"
		if len(l.flags) > 0 {
			lock, unlock = l.flags[1], l.flags[3]
		}
		for _, level := range levels {
			file := filepath.Join("testdata", "obj", l.name+level+".o")
			list = append(list, countedLock{l.name + level + ".o", file, nil, lock, unlock})
		}
	}
	for _, v := range guestcode.Variants() {
		if v.Backend != guestcode.BackendNone || v.BrokenOf != "" {
			continue
		}
		list = append(list, countedLock{v.Name, v.Name, nil, "spin_lock", "spin_unlock"})
		if v.TicketBits != 0 {
			wide := map[string]int64{"TICKET_BITS": 16}
			list = append(list, countedLock{v.Name + " TICKET_BITS=16", v.Name, wide, "spin_lock", "spin_unlock"})
		}
	}
	return list
}

// TestCallgrindGolden: of every lock, Spinlab counts what callgrind counts of the
// same bytes on a real processor, to the instruction. The table is callgrind's;
// with -update it is written anew where valgrind and gcc are, and everywhere
// Spinlab must agree with it.
func TestCallgrindGolden(t *testing.T) {
	t.Parallel()
	t.Run("valgrind", func(t *testing.T) {
		for _, tool := range []string{"valgrind", "gcc"} {
			if _, err := exec.LookPath(tool); err != nil {
				t.Skipf("SKIPPED: %s is not installed, so counts are only compared with the stored table", tool)
			}
		}
		if testing.Short() {
			t.Skip("callgrind runs some thirty programs")
		}
		got := costTable(t, callgrindCost)
		if *update {
			require.NoError(t, os.WriteFile(callgrindTable, []byte(got), 0o644))
		}
		want, err := os.ReadFile(callgrindTable)
		require.NoError(t, err)
		assert.Equal(t, string(want), got, "callgrind's counts, and those that are stored")
	})
	if testing.Short() {
		return // some thirty programs by ourselves
	}
	want, err := os.ReadFile(callgrindTable)
	require.NoError(t, err)
	assert.Equal(t, string(want), costTable(t, spinlabCost), "callgrind's counts, and Spinlab's")
}

func costTable(t *testing.T, of func(*testing.T, countedLock) [2]callCost) string {
	var b strings.Builder
	b.WriteString("# lock: a call of lock; a call of unlock, as callgrind counts them\n")
	for _, l := range countedLocks() {
		c := of(t, l)
		fmt.Fprintf(&b, "%s: %s; %s\n", l.name, c[0], c[1])
	}
	return b.String()
}

// spinlabCost is compare's count.
func spinlabCost(t *testing.T, l countedLock) [2]callCost {
	args := []string{"compare", l.target, "-o", "json", "--vcpus", "1", "--iters", "2"}
	if l.lock != "spin_lock" {
		args = append(args, "--lock", l.lock, "--unlock", l.unlock)
	}
	for name, value := range l.defines {
		args = append(args, "--define", fmt.Sprintf("%s=%d", name, value))
	}
	out, stderr, code := spinlab(t, nil, args...)
	require.Zero(t, code, "%s: %s", l.name, stderr)
	var rows []struct {
		Uncontended struct{ Lock, Unlock callCost }
	}
	require.NoError(t, json.Unmarshal(out, &rows))
	require.Len(t, rows, 1)
	return [2]callCost{rows[0].Uncontended.Lock, rows[0].Uncontended.Unlock}
}

// callgrindTurns is how often the driver takes the lock: often enough that 8-bit
// tickets wrap.
const callgrindTurns = 1000

// callgrindLimit ends a lock that gets stuck; a run takes a tenth of a second.
const callgrindLimit = time.Minute

// callgrindDriver needs no C library. The lock and the node of a queue lock lie as
// they do in Spinlab's harness, each on a line of its own. (Valgrind reads the
// symbols of files that have data only.)
const callgrindDriver = `
	.text
	.globl _start
_start:	mov $%d, %%ebx
1:	lea the_lock(%%rip), %%rdi
	lea the_node(%%rip), %%rsi
	call %s
	lea the_lock(%%rip), %%rdi
	lea the_node(%%rip), %%rsi
	call %s
	dec %%ebx
	jnz 1b
	mov $60, %%eax		# exit(0)
	xor %%edi, %%edi
	syscall
	.data
	.quad 1
	.bss
	.balign 64
the_lock: .skip 64
the_node: .skip 64
	.section .note.GNU-stack, "", @progbits
`

// callgrindCost links the lock to the driver, and runs it under callgrind.
func callgrindCost(t *testing.T, l countedLock) [2]callCost {
	dir := t.TempDir()
	driver := fmt.Sprintf(callgrindDriver, callgrindTurns, l.lock, l.unlock)
	args := []string{"-nostdlib", "-static", "-no-pie", "-Wl,--build-id=none", "-Wl,--no-warn-rwx-segments", "-o", filepath.Join(dir, "driver")}
	if filepath.Ext(l.target) == ".o" {
		args = append(args, l.target)
	} else {
		image, flags := variantImage(t, l, dir)
		driver, args = image+driver, append(args, flags...)
	}
	source := filepath.Join(dir, "driver.s")
	require.NoError(t, os.WriteFile(source, []byte(driver), 0o644))
	out, err := exec.Command("gcc", append(args, source)...).CombinedOutput()
	require.NoError(t, err, "%s: gcc %v: %s", l.name, args, out)

	profile := filepath.Join(dir, "profile")
	ctx, cancel := context.WithTimeout(t.Context(), callgrindLimit)
	defer cancel()
	out, err = exec.CommandContext(ctx, "valgrind", "--tool=callgrind", "--collect-bus=yes", "--cache-sim=yes",
		"--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64", // a cache of its own: the host's may be none that it knows
		"--dump-instr=no", "--compress-strings=no", "--compress-pos=no", "--callgrind-out-file="+profile,
		filepath.Join(dir, "driver")).CombinedOutput()
	require.NoError(t, err, "%s: %s", l.name, out)
	text, err := os.ReadFile(profile)
	require.NoError(t, err)
	return [2]callCost{callgrindCalls(t, string(text), l.lock), callgrindCalls(t, string(text), l.unlock)}
}

// variantImage is the image of a variant as Spinlab runs it, at the same
// addresses, as assembler text with the flags that put it there.
func variantImage(t *testing.T, l countedLock, dir string) (text string, flags []string) {
	v, ok := guestcode.Lookup(l.target)
	require.True(t, ok)
	p, err := guestcode.Build(v, guestcode.Config{VCPUs: 1, Defines: l.defines})
	require.NoError(t, err)
	var b strings.Builder
	for i, s := range p.Object.Sections {
		file := filepath.Join(dir, fmt.Sprintf("section%d", i))
		require.NoError(t, os.WriteFile(file, s.Data, 0o644))
		name, mode := ".text", "ax" // valgrind looks for functions in .text
		if i > 0 {
			name, mode = fmt.Sprintf(".image%d", i), "aw"
		}
		fmt.Fprintf(&b, "\t.section %s, %q, @progbits\nimage%d:\t.incbin %q\n", name, mode, i, file)
		flags = append(flags, fmt.Sprintf("-Wl,--section-start=%s=%#x", name, s.Addr))
	}
	for _, name := range []string{l.lock, l.unlock} {
		s, ok := p.Object.Lookup(name)
		require.True(t, ok)
		fmt.Fprintf(&b, "\t.globl %[1]s\n\t.type %[1]s, @function\n\t.set %[1]s, image0 + %#[2]x\n\t.size %[1]s, %[3]d\n",
			name, s.Addr-p.Object.Sections[0].Addr, s.Size)
	}
	return b.String(), flags
}

// callgrindCalls adds up the calls of a function in a profile, with all that they
// called. A call is three lines: cfn=NAME, calls=COUNT LINE, and LINE with the
// numbers in the order of the line events:. Zeros at their end are left out.
func callgrindCalls(t *testing.T, profile, function string) (c callCost) {
	lines := strings.Split(profile, "\n")
	var events []string
	var calls uint64
	for i, line := range lines {
		if list, ok := strings.CutPrefix(line, "events: "); ok {
			events = strings.Fields(list)
		}
		if line != "cfn="+function || i+2 >= len(lines) {
			continue
		}
		count, _, _ := strings.Cut(strings.TrimPrefix(lines[i+1], "calls="), " ")
		calls += decimal(t, count)
		for k, n := range strings.Fields(lines[i+2])[1:] {
			switch events[k] {
			case "Ir":
				c.Instructions += decimal(t, n)
			case "Ge": // global bus events: locked operations
				c.Locked += decimal(t, n)
			case "Dw":
				c.Stores += decimal(t, n)
			}
		}
	}
	require.EqualValues(t, callgrindTurns, calls, "calls of %s in the profile:\n%s", function, profile)
	for _, n := range []*uint64{&c.Instructions, &c.Locked, &c.Stores} {
		require.Zero(t, *n%calls, "%s: each call costs the same", function)
		*n /= calls
	}
	return c
}

func decimal(t *testing.T, s string) uint64 {
	n, err := strconv.ParseUint(s, 10, 64)
	require.NoError(t, err)
	return n
}
