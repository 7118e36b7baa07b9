package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/guestcode"
	"spinlab/mem"
)

func TestWords(t *testing.T) {
	var s Start
	for _, w := range []string{"rdi=0x10", "%R15=-1", "rflags=0x246", "0x200000=0201", "7=0xff"} {
		require.NoError(t, s.AddInput(w), w)
	}
	assert.Equal(t, map[int]uint64{7: 0x10, 15: ^uint64(0)}, s.Regs)
	assert.EqualValues(t, 0x246, *s.Flags)
	assert.Equal(t, []mem.Run{{Addr: 0x200000, Bytes: []byte{2, 1}}, {Addr: 7, Bytes: []byte{0xff}}}, s.Mem)
	for _, bad := range []string{"", "=1", "rdi", "edi=1", "rdi=", "rdi=x", "0x200000=1", "0x=11"} {
		assert.Error(t, s.AddInput(bad), bad)
	}
	for text, want := range map[string]uint64{"4G": 4 << 30, "10K": 10 << 10, "7": 7, "0x10M": 16 << 20} {
		got, err := ParseSize(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, bad := range []string{"", "K", "1T", "99999999999G", "-1"} {
		_, err := ParseSize(bad)
		assert.Error(t, err, bad)
	}
	r, err := ParseThreadReg("P1.edx=-1")
	require.NoError(t, err)
	assert.Equal(t, ThreadReg{1, 2, 0xffffffff}, r)
	for _, bad := range []string{"P.rdi=1", "0.rdi=1", "P0.di=1", "P-1.rdi=1", "P0.rdi", "P0.rip=1"} {
		_, err := ParseThreadReg(bad)
		assert.Error(t, err, bad)
	}
}

// Bytes that take the way of a source come out as they went in, each part at a
// multiple of 16.
func TestBytesKeepTheirBytes(t *testing.T) {
	a, b := make([]byte, 40), []byte{0xc3}
	for i := range a {
		a[i] = byte(i)
	}
	src, err := Bytes("x", Part{"f", a}, Part{"g", b})
	require.NoError(t, err)
	obj, err := src.Object(nil)
	require.NoError(t, err)
	at, size, err := Function(obj, "g")
	require.NoError(t, err)
	assert.EqualValues(t, 1, size)
	assert.Zero(t, at%16)
	text := obj.Sections[0]
	assert.Equal(t, a, text.Data[:40])
	assert.Equal(t, b, text.Data[at-text.Addr:])
}

// Checked builds have no counters that only grow, but what is given wins, and
// a variant gets only parameters that it has.
func TestCheckDefines(t *testing.T) {
	kvm, _ := guestcode.Lookup("ticket-pv-kvm")
	assert.Equal(t, map[string]int64{"STATS": 0, "SPIN_THRESHOLD": 7}, CheckDefines(&kvm, map[string]int64{"SPIN_THRESHOLD": 7}))
	mcs, _ := guestcode.Lookup("mcs")
	assert.Empty(t, CheckDefines(&mcs, nil))
}
