package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lockObjects are the locks of testdata/c, what check must say of them and what
// it needs to know.
var lockObjects = []struct {
	name, verdict string
	flags         []string
}{
	{"ticket", "holds", []string{"--lock", "my_lock", "--unlock", "my_unlock"}},
	{"ttas", "holds", nil},
	{"mcs", "holds", nil},
	{"inline", "holds", nil},
	{"broken", "violated", nil},
}

// levels are gcc's, each with what the Makefile of testdata/c adds.
var levels = []string{"-O0", "-O1", "-O2", "-O3", "-Os"}

// TestLockObjects checks and runs every prebuilt object.
func TestLockObjects(t *testing.T) {
	t.Parallel()
	for _, l := range lockObjects {
		for _, level := range levels {
			object := filepath.Join("testdata", "obj", l.name+level+".o")
			assert.Equal(t, l.verdict, verdict(t, object, l.flags), object)
			if l.verdict == "holds" {
				out, stderr, code := spinlab(t, nil, append([]string{"run", object, "--iters", "20", "--commit=late", "--seed", "3"}, l.flags...)...)
				assert.Zero(t, code, "%s: %s", object, stderr)
				assert.Contains(t, string(out), "counter 80 of 80", object)
			}
		}
	}
}

// TestFreshLockObjects compiles them again, in more ways, and asks for the same
// verdicts.
func TestFreshLockObjects(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles everything")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("SKIPPED: gcc is not installed, so only the prebuilt objects are checked")
	}
	dir := t.TempDir()
	ways := append([]string{"-O2 -fPIC -g", "-O2 -mcmodel=large -fno-pic", "-O1 -ffunction-sections -fdata-sections -fcf-protection", "-O3 -march=x86-64-v2 -g -gdwarf-4", "-Og -fno-omit-frame-pointer"}, levels...)
	for _, l := range lockObjects {
		for _, way := range ways {
			object := filepath.Join(dir, l.name+".o")
			args := append(strings.Fields(way), "-c", filepath.Join("testdata", "c", l.name+".c"), "-o", object)
			out, err := exec.Command(gcc, args...).CombinedOutput()
			require.NoError(t, err, "%v: %s", args, out)
			assert.Equal(t, l.verdict, verdict(t, object, l.flags), "%s %s", l.name, way)
		}
	}
}

// verdict is what check says of two vCPUs that take the lock twice.
func verdict(t *testing.T, object string, flags []string) string {
	t.Helper()
	out, stderr, _ := spinlab(t, nil, append([]string{"check", object, "--iters", "2", "-o", "json"}, flags...)...)
	var j struct{ Verdict string }
	require.NoError(t, json.Unmarshal(out, &j), "%s: %s", object, stderr)
	return j.Verdict
}

// TestCountsOfObjects: an object costs what the same instructions cost as a
// source. The prebuilt ticket lock of -O2 is disassembled by eye here.
func TestCountsOfObjects(t *testing.T) {
	t.Parallel()
	source := `	.globl my_lock, my_unlock
my_lock:
	mov $1, %edx
	lock xadd %dx, 2(%rdi)
	jmp 2f
	nopl (%rax)
1:	pause
2:	movzwl (%rdi), %eax
	cmp %dx, %ax
	jne 1b
	ret
	.size my_lock, . - my_lock
	nopl 0(%rax,%rax)
my_unlock:
	movzwl (%rdi), %eax
	add $1, %eax
	mov %ax, (%rdi)
	ret
	.size my_unlock, . - my_unlock
`
	name := filepath.Join(t.TempDir(), "ticket.s")
	require.NoError(t, os.WriteFile(name, []byte(source), 0o666))
	var rows [2][]map[string]any
	for i, args := range [][]string{{name}, {filepath.Join("testdata", "obj", "ticket-O2.o"), "--trylock", "my_trylock"}} {
		args = append([]string{"compare", "--lock", "my_lock", "--unlock", "my_unlock", "--vcpus", "2,3", "-o", "json"}, args...)
		out, stderr, code := spinlab(t, nil, args...)
		require.Zero(t, code, stderr)
		require.NoError(t, json.Unmarshal(out, &rows[i]))
		delete(rows[i][0], "variant")
	}
	assert.Equal(t, rows[0], rows[1])
}
