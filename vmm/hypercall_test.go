package vmm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// KVM's features leaf: PV_UNHALT where the switch puts it, the hint in EDX.
func TestFeatureBits(t *testing.T) {
	source := `
vcpu_main:
	mov $0x40000001, %eax
	cpuid
	mov %eax, 0x200000
	mov %edx, 0x200004` + pass
	for _, c := range []struct {
		bit  int
		hint bool
		want uint64
	}{
		{0, false, 1 << 6}, {7, false, 1 << 7}, {NoPVUnhalt, false, 0},
		{7, true, 1<<32 | 1<<7}, {NoPVUnhalt, true, 1 << 32},
	} {
		m := machine(t, source, 1, 1, func(cfg *Config) { cfg.PVUnhaltBit, cfg.RealtimeHint = c.bit, c.hint })
		require.Equal(t, VerdictDone, m.Run().Verdict)
		assert.Equal(t, c.want, shared(m, 0), "%+v", c)
	}
}

// Mainline's kick of a vCPU that waits for a pCPU gives the own one away; the
// older ABIs' kicks do not, and nor does any under round robin.
func TestMainlineKickYields(t *testing.T) {
	source := `
vcpu_main:
	test %edi, %edi
	jne 1f
	mov $5, %eax
	mov $5, %ebx
	mov $5, %ecx
	vmcall
1:	mov $200, %eax
	out %eax, $0xe0` + pass
	for name, c := range map[string]struct {
		abi  KickABI
		set  func(*Config)
		want int
	}{
		"mainline, cfs":         {KickMainline, fairly(), 2},
		"v8, cfs":               {KickV8, fairly(), 1},
		"mainline, round robin": {KickMainline, func(*Config) {}, 1},
	} {
		var list []stay
		r := run(t, source, 3, 1, stays(&list), c.set, func(cfg *Config) { cfg.KickABI = c.abi })
		require.Equal(t, VerdictDone, r.Verdict, r.Message)
		assert.Equal(t, c.want, list[1].vcpu, name)
		assert.Equal(t, uint64(1), r.VMs[0].VCPUs[0].KicksSent)
	}
}

// Named profiles refuse what their machines do not have.
func TestProfileErrors(t *testing.T) {
	img, _ := guest(t, "vcpu_main: hlt")
	for want, c := range map[string]struct {
		profile string
		ple     bool
		slice   uint64
	}{
		"profile x5570: its machine has no pause-loop exiting (--ple)":          {"x5570", true, 0},
		"slice 5: profile x7560 schedules by CFS, which sets its own (--slice)": {"x7560", true, 5},
	} {
		p, ok := FindProfile(c.profile)
		require.True(t, ok)
		_, err := NewMachine(Config{VMs: []VMConfig{{VCPUs: 1, Image: img}}, PCPUs: 1, Profile: &p, PLE: c.ple, Slice: c.slice})
		assert.EqualError(t, err, want)
	}
	for _, name := range ProfileNames() {
		p, _ := FindProfile(name)
		assert.NotZero(t, p.MHz, name)
		assert.NotZero(t, p.Lines.Transfer, name)
		assert.Zero(t, p.Exit[ReasonRDTSC]+p.Exit[ReasonWorkload], name)
		assert.Equal(t, p.Policy == CFS, p.Slice == 0, name)
	}
}
