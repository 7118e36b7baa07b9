package guestcode

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func source(t *testing.T, name string) string {
	t.Helper()
	text, err := files.ReadFile(sourceDir + name)
	require.NoError(t, err)
	return string(text)
}

func TestTableIsComplete(t *testing.T) {
	verdicts := []string{VerdictHolds, VerdictExclusion, VerdictDeadlock, VerdictLivelock}
	seen := map[string]bool{}
	brokenBegan := false
	for _, v := range Variants() {
		t.Run(v.Name, func(t *testing.T) {
			assert.False(t, seen[v.Name], "the name occurs twice")
			seen[v.Name] = true
			for _, f := range v.Files() {
				assert.NotEmpty(t, source(t, f))
			}
			assert.NotEmpty(t, v.Title)
			assert.NotEmpty(t, v.Seed)
			assert.NotEmpty(t, v.Check)
			assert.Contains(t, verdicts, v.Verdict)
			assert.Contains(t, []Backend{BackendNone, BackendKVM, BackendXen}, v.Backend)
			assert.Equal(t, v.BrokenOf == "", v.Verdict == VerdictHolds)
			assert.Equal(t, v.TicketBits == 0, v.TicketStep == 0)
			for name := range v.Defines {
				_, ok := v.Param(name)
				assert.True(t, ok, "%s is fixed but no parameter", name)
			}
			assert.False(t, brokenBegan && v.BrokenOf == "", "sound variants come first")
			brokenBegan = brokenBegan || v.BrokenOf != ""
		})
	}
}

func TestEverySoundVariantHasATwin(t *testing.T) {
	twins := map[string]int{}
	for _, v := range Variants() {
		if v.BrokenOf == "" {
			continue
		}
		parent, ok := Lookup(v.BrokenOf)
		require.True(t, ok, "%s: no parent %s", v.Name, v.BrokenOf)
		assert.Empty(t, parent.BrokenOf)
		assert.Equal(t, parent.Files(), v.Files())
		assert.NotEqual(t, parent.Defines, v.Defines)
		twins[v.BrokenOf]++
	}
	for _, v := range soundVariants() {
		assert.NotZero(t, twins[v.Name], "%s has no broken twin", v.Name)
	}
}

// The default in the table is the default in the file, so that a file that is
// assembled by itself is the same lock.
func TestParamDefaultsMatchSources(t *testing.T) {
	for _, v := range Variants() {
		text := ""
		for _, f := range v.Files() {
			text += source(t, f)
		}
		for _, p := range v.Params {
			re := regexp.MustCompile(`(?m)^\t\.set ` + p.Name + `, (\d+)(?: << (\d+))?\t`)
			m := re.FindStringSubmatch(text)
			require.NotNil(t, m, "%s: no .set %s", v.Name, p.Name)
			x, err := strconv.ParseInt(m[1], 10, 64)
			require.NoError(t, err)
			if m[2] != "" {
				n, err := strconv.Atoi(m[2])
				require.NoError(t, err)
				x <<= n
			}
			assert.Equal(t, p.Default, x, "%s %s", v.Name, p.Name)
			assert.NotEmpty(t, p.Doc)
		}
	}
}

// The numbers of the address map that the .s files repeat.
func TestSourcesAgreeWithLayout(t *testing.T) {
	want := map[string]uint64{
		"LOCK": SharedBase, "COUNTER": CounterOffset,
		"PERCPU_BASE": PerCPUBase, "PERCPU_INDEX": PerCPUIndex, "PERCPU_APICID": PerCPUAPICID,
		"PERCPU_NODE": PerCPUNode, "W_LOCK": PerCPULock, "W_WANT": PerCPUWant, "LOCK_SPINNERS": PerCPULock,
		"PERCPU_IRQNODE": PerCPUIRQNode, "KICKER_PORT": PerCPUKicker, "PERCPU_IRQ": PerCPUIRQ, "PERCPU_NMIS": PerCPUNMIs,
		"LOCK_B": Lock(1), "SHARED_INFO": SharedInfo, "EVTCHN_PENDING": SharedInfo + 0x800,
		"PORT_EXIT": PortExit, "cpu_number": PerCPUIndex, "this_cpu_off": PerCPUSelf, "__preempt_count": PerCPUPreempt,
		"PERCPU_SIZE": PerCPUSize, "MAX_VCPUS": MaxVCPUs, "QNODES": PerCPUFree,
	}
	re := regexp.MustCompile(`(?m)^\t\.set (\w+), (0x[0-9a-f]+|\d+)\b`)
	for _, f := range []string{"harness.s", "harness-irq.s", "backend-kvm.s", "backend-xen.s", "xen-events.s", "byte-xen.s", "qspinlock.s",
		"init-args.s", "start.s", "start-boot.s", "linux-percpu.s", "linux-percpu-offset.s"} {
		for _, m := range re.FindAllStringSubmatch(source(t, f), -1) {
			x, err := strconv.ParseUint(m[2], 0, 64)
			require.NoError(t, err)
			if m[1] == "PERCPU_SHIFT" {
				assert.Equal(t, uint64(PerCPUSize), uint64(1)<<x, f)
			} else if w, ok := want[m[1]]; ok {
				assert.Equal(t, w, x, "%s %s", f, m[1])
			}
		}
	}
}

func TestLayoutDoesNotOverlap(t *testing.T) {
	last := MaxVCPUs - 1
	assert.Less(t, uint64(TextBase), uint64(DataBase))
	assert.LessOrEqual(t, uint64(SharedBase+SharedSize), PerCPU(0))
	assert.LessOrEqual(t, PerCPU(last)+PerCPUSize, uint64(StackBase))
	assert.Equal(t, StackTop(0), StackBase+uint64(StackSize))
	assert.Equal(t, StackLow(1), StackTop(0)+StackGuard)
	assert.Equal(t, uint64(0x2000000), StackTop(last))
	assert.LessOrEqual(t, Counter(MaxLocks-1)+8, uint64(SharedBase+SharedSize))
	assert.LessOrEqual(t, PerCPUNode+NodeSize, PerCPULock)
	assert.LessOrEqual(t, PerCPUWant+8, PerCPUIRQNode)
	assert.LessOrEqual(t, PerCPUIRQNode+NodeSize, PerCPUKicker)
	assert.LessOrEqual(t, SharedInfo+0x1000, PerCPUBase)
	assert.LessOrEqual(t, PerCPUNMIs+8, PerCPUSelf)
	assert.LessOrEqual(t, PerCPUSelf+8, PerCPUPreempt)
	assert.LessOrEqual(t, PerCPUPreempt+4, PerCPUFree)
	assert.Less(t, uint64(SharedBase+SharedSize), uint64(ExecBase))
	for i := 1; i < len(reserved); i++ {
		assert.LessOrEqual(t, reserved[i-1].to, reserved[i].from)
	}
}

func TestMaxCPUs(t *testing.T) {
	for _, c := range []struct {
		variant     string
		bits, batch int64
		want        int
	}{
		{"ticket", 8, 0, 255}, {"ticket", 16, 0, 65535},
		{"ticket-pv-off", 8, 0, 127}, {"ticket-pv-kvm", 8, 0, 127}, {"ticket-pv-kvm", 16, 0, 32767},
		{"ticket-batch", 8, 1, 127}, {"ticket-batch", 8, 2, 127}, {"ticket-batch", 8, 4, 125},
		{"ticket-batch", 8, 64, 65}, {"ticket-batch", 16, 4, 32765},
		{"mcs", 0, 0, 0}, {"byte-xen", 0, 0, 0},
	} {
		v, ok := Lookup(c.variant)
		require.True(t, ok)
		defines := map[string]int64{}
		if c.bits > 0 {
			defines[paramTicketBits] = c.bits
		}
		if c.batch > 0 {
			defines[paramTicketBatch] = c.batch
		}
		assert.Equal(t, c.want, v.MaxCPUs(defines), fmt.Sprint(c))
	}
}

func TestNearest(t *testing.T) {
	for name, want := range map[string]string{
		"tickets": "ticket", "ticket-pv-kmv": "ticket-pv-kvm", "msc": "mcs", "ttass": "ttas",
	} {
		near := Nearest(name)
		assert.Len(t, near, 3)
		assert.Contains(t, near, want, name)
	}
	_, ok := Lookup("nonsense")
	assert.False(t, ok)
	assert.Equal(t, 3, editDistance("kitten", "sitting"))
	assert.Equal(t, 4, editDistance("", "four"))
}

// A caller that changes what it got must not change the table.
func TestVariantsAreCopies(t *testing.T) {
	v, _ := Lookup("ticket-pv-kvm")
	v.Params[0].Default = 99
	v, _ = Lookup("ticket-pv-kvm-safe-halt")
	v.Defines["SAFE_HALT"] = 7
	again, _ := Lookup("ticket-pv-kvm-safe-halt")
	assert.Equal(t, int64(1), again.Defines["SAFE_HALT"])
	again, _ = Lookup("ticket-pv-kvm")
	assert.Equal(t, int64(8), again.Params[0].Default)
}

func TestSourcesSayWhatTheyAre(t *testing.T) {
	entries, err := files.ReadDir("src")
	require.NoError(t, err)
	for _, e := range entries {
		text := source(t, e.Name())
		assert.True(t, strings.HasPrefix(text, "# "+e.Name()+": "), "%s begins with what it is", e.Name())
	}
}
