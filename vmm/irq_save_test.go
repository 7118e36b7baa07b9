package vmm

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSaveWithInterrupts: planned, pending and periodic interrupts, a poll and
// the event channels go on in a machine that was saved and loaded.
func TestSaveWithInterrupts(t *testing.T) {
	load := func() *Machine {
		return handled(t, pollProgram("300", "900", "sti\n"), 2, 1, onXen, inject(
			Injection{VCPU: 0, Vector: VectorTimer, Timed: true, Cycle: 500, Every: 9000},
			Injection{VCPU: 0, Vector: VectorTimer, Retired: 700},
			Injection{VCPU: 1, Vector: VectorTimer, Retired: 5}, // stays pending: IF is clear
			Injection{VCPU: 1, Vector: VectorNMI, Timed: true, Cycle: 2000}),
			func(c *Config) { c.Slice = 3000 })
	}
	want := load()
	report := want.Run()
	require.Equal(t, VerdictDone, report.Verdict, report.Message)
	require.Greater(t, report.VMs[0].VCPUs[0].Interrupts, uint64(1))
	for n := uint64(0); n < want.Retired(); n += 7 {
		m := load()
		require.True(t, m.RunTo(n))
		var b bytes.Buffer
		require.NoError(t, m.Save(&b))
		again, err := Load(&b)
		require.NoError(t, err)
		got := again.Run()
		assert.Equal(t, report.VMs, got.VMs, "saved after %d instructions", n)
		assert.Equal(t, shared(want, 0x800), shared(again, 0x800))
	}
}
