package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

// stackPage is the rig's page of stack.
type stackPage [mem.PageSize]byte

func (m *stackPage) at(a uint64) *byte { return &m[a&(mem.PageSize-1)] }

// enterModel is ENTER as the manual's pseudo-code has it, word by word on a
// plain array (SDM vol. 2A, ENTER).
func enterModel(m *stackPage, sp, bp uint64, size, level, w uint64) (newSP, newBP uint64) {
	push := func(v uint64) {
		sp -= w
		for i := range w {
			*m.at(sp + i) = byte(v >> (i * 8))
		}
	}
	push(bp)
	frame, from := sp, bp
	for i := uint64(1); i < level; i++ {
		from -= w
		v := uint64(0)
		for k := range w {
			v |= uint64(*m.at(from + k)) << (k * 8)
		}
		push(v)
	}
	if level > 0 {
		push(frame)
	}
	if w == 2 {
		return sp - size, bp&^0xffff | frame&0xffff
	}
	return sp - size, frame
}

// TestENTER holds all levels, in every commit mode, against the model; the old
// frame may lie above, below or within what is pushed, and need not be aligned.
func TestENTER(t *testing.T) {
	for _, mode := range allModes {
		for level := range uint64(32) {
			for _, bp := range []uint64{0, 0x100, 8, 13, ^uint64(0) - 19, ^uint64(0) - 0x80} {
				for _, pfx := range []string{"", "66"} {
					checkENTER(t, mode, level, rigStack-0x400+bp&3, rigStack-0x400+bp, pfx)
				}
			}
		}
	}
}

func checkENTER(t *testing.T, mode mem.CommitMode, level, sp, bp uint64, pfx string) {
	code := append(unhex(t, pfx+"c81000"), byte(level|0xe0)) // the level counts modulo 32
	r := newRig(t, code, mode)
	w := uint64(8)
	if pfx != "" {
		w = 2
	}
	var model, got stackPage
	for i := range model {
		model[i] = byte(i * 7)
	}
	r.m.Poke(rigStack-mem.PageSize, model[:])
	r.c.R[RSP], r.c.R[RBP] = sp, bp
	newSP, newBP := enterModel(&model, sp, bp, 16, level, w)
	require.Equal(t, Retired, r.run(1))
	r.p.CommitAll()
	require.Equal(t, []uint64{newSP, newBP}, []uint64{r.c.R[RSP], r.c.R[RBP]}, "level %d", level)
	r.m.Peek(rigStack-mem.PageSize, got[:])
	require.Equal(t, model, got, "level %d, rbp %#x, rsp %#x, %d bytes a word", level, bp, sp, w)
}

// TestENTERFaults: wherever it faults it has changed nothing.
func TestENTERFaults(t *testing.T) {
	const bottom = rigStack - mem.PageSize
	for name, tc := range map[string]struct{ sp, bp, cr2, code uint64 }{
		"first push":  {bottom, rigStack, bottom - 8, 2},
		"fifth push":  {bottom + 32, rigStack, bottom - 8, 2},
		"second copy": {rigStack, bottom + 8, bottom - 8, 0},
		"the new top": {bottom + 100, rigStack, bottom + 100 - 88 - 32, 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, unhex(t, "c820000a"), mem.Eager)
			r.c.IDT = Table{}
			r.c.R[RSP], r.c.R[RBP] = tc.sp, tc.bp
			before, image := r.c.State, r.m.Image(nil)
			r.faulted(vecPF, uint32(tc.code))
			require.Equal(t, tc.cr2, r.c.Fault.CR2)
			before.CR[2] = tc.cr2
			require.Equal(t, before, r.c.State)
			require.Empty(t, r.m.Changes(image))
		})
	}
}

// TestENTERVisible: copies from shared memory are stops of their own, as many
// as a port can replay; beyond that it says so.
func TestENTERVisible(t *testing.T) {
	for level, want := range map[byte]Stop{1: Retired, 3: Retired, 7: Retired, 20: Unsupported, 31: Unsupported} {
		r := newRig(t, []byte{0xc8, 0, 0, level}, mem.Manual)
		r.c.R[RBP] = rigStack - 0x200
		st := Visible
		for n := 0; st == Visible || st == Drain; n++ {
			require.Less(t, n, 100)
			if st == Drain {
				r.p.CommitAll()
			}
			st = r.c.Run(r.p, Budget{Visible: true, Retire: 1})
		}
		require.Equal(t, want, st, "level %d", level)
	}
}

// TestStackInstructions: RSP moves only with the whole instruction.
func TestStackInstructions(t *testing.T) {
	for _, tc := range []struct {
		src  string
		n    uint64
		rsp  int64
		want map[int]uint64
	}{
		{"push %rsp; pop %rax", 2, 0, map[int]uint64{RAX: rigStack}},
		{"push $5; pop %rsp", 2, 5 - rigStack, nil},
		{"pushw $0x1234; popw %ax", 2, 0, map[int]uint64{RAX: 0x1234}},
		{"push $-1; popq (%rsp)", 2, 0, nil},
		{"push $7; push $0; popq (%rsp); pop %rax", 4, 0, map[int]uint64{RAX: 0}},
		{"mov $0x302000,%ebp; push $1; push $2; mov %rsp,%rbp; leave", 5, -8, map[int]uint64{RBP: 2}},
		{"call 1f; 1: ret $16", 2, 16, nil},
		{"stc; pushf; clc; popf; setc %al", 5, 0, map[int]uint64{RAX: 1}},
	} {
		t.Run(tc.src, func(t *testing.T) {
			r := rigOf(t, tc.src)
			require.NoError(t, r.m.Map(rigStack, mem.PageSize, mem.Read|mem.Write))
			require.Equal(t, Retired, r.run(tc.n))
			require.EqualValues(t, rigStack+tc.rsp, int64(r.c.R[RSP]))
			for i, v := range tc.want {
				require.Equal(t, v, r.c.R[i], RegNames[i])
			}
		})
	}
}

// TestFlagsFromCPL3: POPF may not change IOPL, nor IF above it; PUSHF and LAHF
// read what is there.
func TestFlagsFromCPL3(t *testing.T) {
	all := ^uint64(0)
	for _, tc := range []struct {
		cpl        uint8
		start, end uint64
	}{
		{3, 0, arithFlags | TF | DF | NT | AC | ID},
		{3, IF, arithFlags | TF | DF | NT | AC | ID | IF},
		{3, 0x3000, arithFlags | TF | DF | NT | AC | ID | IF | 0x3000},
		{0, 0, arithFlags | TF | DF | NT | AC | ID | IF | 0x3000},
	} {
		r := rigOf(t, "push %rax; popf")
		r.c.R[RAX] = all
		r.c.SetCPL(tc.cpl)
		r.c.SetRFlags(tc.start)
		require.Equal(t, Retired, r.run(2))
		require.Equal(t, tc.end|2, r.c.RFlags(), "CPL %d from %#x", tc.cpl, tc.start)
	}
}
