package experiment

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/cpu"
	"spinlab/guestcode"
	"spinlab/mem"
	"spinlab/vmm"
)

// byHand is a machine of two vCPUs whose boot is over and whose steps a test
// takes itself, one instruction at a time; stores stay buffered until it says.
type byHand struct {
	t *testing.T
	p *guestcode.Program
	m *vmm.Machine
}

func newByHand(t *testing.T, variant string, defines map[string]int64) *byHand {
	t.Helper()
	v, ok := guestcode.Lookup(variant)
	require.True(t, ok)
	p, err := guestcode.Build(v, guestcode.Config{VCPUs: 2, Iters: 1, Defines: defines})
	require.NoError(t, err)
	load := func() *vmm.Machine {
		m, err := vmm.NewMachine(vmm.Config{VMs: VMs(p, 1, 2), PCPUs: 2, Commit: mem.Late, Observe: func(*vmm.Event) {}})
		require.NoError(t, err)
		return m
	}
	whole := load()
	boot := uint64(0)
	for _, v := range whole.Run().VMs[0].VCPUs {
		boot -= v.Instructions
	}
	h := &byHand{t, p, load()}
	require.True(t, h.m.RunTo(boot+whole.Retired()))
	for i, v := range h.m.VCPUs {
		v.State = vmm.Runnable
		h.m.Ports[i].Attach(v.VM.Mem)
	}
	return h
}

// step runs vCPU i until it is at an address, has halted or is done.
func (h *byHand) step(i int, until uint64) {
	v, p := h.m.VCPUs[i], h.m.Ports[i]
	for n := 0; v.State == vmm.Runnable && v.Core.RIP != until; n++ {
		require.Less(h.t, n, 10_000)
		switch stop := h.m.Step(v, p, cpu.Budget{Until: mem.Never}); stop {
		case cpu.Retired:
		case cpu.Drain:
			h.commit(i)
		case cpu.Exited:
			if h.m.NeedsDrain(v) {
				h.commit(i)
			}
			if h.m.HandleExit(v, p) == vmm.Halt {
				h.commit(i)
				h.m.Sleep(v)
			}
		default:
			h.t.Fatalf("vCPU %d: %v", i, stop)
		}
	}
}

func (h *byHand) commit(i int) {
	for p := h.m.Ports[i]; p.B.N != 0; {
		h.m.Commit(p, 0)
	}
}

// TestByteXenNeedsItsBarrier: the last owner's release waits in its store buffer
// while it looks at spinners; a waiter then counts itself up, finds the lock
// held and blocks (2496afbf in Linux). With MFENCE the release is out before.
func TestByteXenNeedsItsBarrier(t *testing.T) {
	for name, waits := range map[string]bool{"byte-xen-no-mfence": true, "byte-xen": false} {
		h := newByHand(t, name, map[string]int64{"XEN_TIMEOUT": 1})
		unlock, ok := h.p.Object.Lookup("spin_unlock")
		require.True(t, ok)
		slow, ok := h.p.Object.Lookup("spin_unlock.slow")
		require.True(t, ok)
		const tail = 2 // pop, ret: what follows the look at spinners and the jump
		h.step(0, unlock.Addr)
		h.step(0, slow.Addr-tail)
		h.step(1, 0)
		w := h.m.VCPUs[1]
		if waits {
			assert.Equal(t, vmm.Asleep, w.State, name)
		} else {
			assert.Equal(t, vmm.Done, w.State, name)
		}
		h.commit(0)
		h.step(0, 0)
		assert.Equal(t, vmm.Done, h.m.VCPUs[0].State, name)
		assert.Equal(t, waits, w.State == vmm.Asleep && !w.PVUnhalted, "%s: the waiter sleeps for ever beside a free lock", name)
		assert.Zero(t, w.VM.Mem.PeekUint(h.p.Lock, 1))
	}
}
