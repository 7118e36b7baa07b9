package engine

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/asm"
	"spinlab/cpu"
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

// A call keeps the data around the code, whatever pages they share, and comes
// back.
func TestBareKeepsData(t *testing.T) {
	// mov (%rdi),%eax; incl (%rdi); ret
	call := []byte{0x8b, 0x07, 0xff, 0x07, 0xc3}
	page := append(bytes.Repeat([]byte{0x90}, mem.PageSize-len(call)), call...)
	data := []byte{5, 0, 0, 0}
	text := func(addr uint64, code []byte) asm.Section {
		return asm.Section{Name: ".text", Addr: addr, Data: code, Exec: true}
	}
	for _, c := range []struct {
		name     string
		sections []asm.Section
		end      uint64
	}{
		{"on a page of its own", []asm.Section{text(0x100000, call), {Name: ".data", Addr: 0x101000, Data: data, Write: true}}, 0x100005},
		{"behind a full page", []asm.Section{text(0x100000, page), {Name: ".data", Addr: 0x101000, Data: data, Write: true}}, bareTop},
		{"in the middle of the page behind a full one", []asm.Section{text(0x100000, page), {Name: ".data", Addr: 0x101800, Data: data, Write: true}}, bareTop},
		{"at the end of the code", []asm.Section{text(0x100000, call), {Name: ".data", Addr: 0x100005, Data: data, Write: true}}, bareTop},
		{"on the code's page", []asm.Section{text(0x100000, call), {Name: ".data", Addr: 0x100010, Data: data, Write: true}}, 0x100005},
		{"before it, on its page", []asm.Section{{Name: ".data", Addr: 0x100000, Data: data, Write: true}, text(0x100010, call)}, 0x100015},
		{"between two pieces of code", []asm.Section{text(0x100000, call), {Name: ".data", Addr: 0x100010, Data: data, Write: true}, text(0x100020, call)}, 0x100005},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, entry := uint64(0), uint64(0)
			for _, s := range c.sections {
				if s.Exec && entry == 0 {
					entry = s.Addr + uint64(len(s.Data)-len(call))
				} else if s.Write {
					at = s.Addr
				}
			}
			b, err := NewBare("t", asm.NewObject(c.sections, nil, nil), BareConfig{Begin: entry, MaxInstructions: 10,
				Start: Start{Regs: map[int]uint64{cpu.RDI: at}}})
			require.NoError(t, err)
			assert.Equal(t, c.end, b.End)
			r, err := b.Run()
			require.NoError(t, err)
			assert.True(t, r.AtEnd, "%s %+v", r.Stop, r.Fault)
			assert.Contains(t, r.Registers, Change{"rax", "0x0", "0x5"})
			assert.Equal(t, []Change{{fmt.Sprintf("%#x", at), "05", "06"}}, r.Memory)
		})
	}
}

// Code up to the memory to play with does not end in it.
func TestBareEndIsNotInTheMemoryToPlayWith(t *testing.T) {
	code := asm.Section{Name: ".text", Addr: BareShared - 1, Data: []byte{0xc3}, Exec: true}
	b, err := NewBare("t", asm.NewObject([]asm.Section{code}, nil, nil), BareConfig{MaxInstructions: 10})
	require.NoError(t, err)
	r, err := b.Run()
	require.NoError(t, err)
	assert.True(t, r.AtEnd)
	assert.Zero(t, b.Engine.Mem.Page(BareShared).W[0])
}
