package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

var allModes = map[string]mem.CommitMode{"timed": mem.Timed, "eager": mem.Eager, "late": mem.Late, "random": mem.Random, "manual": mem.Manual}

// TestSelfModifyingCode: a core sees its own stores to code at once, buffered
// or not, in the very next instruction too.
func TestSelfModifyingCode(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		n         uint64
		want      uint64 // RAX
	}{
		{"next instruction", "movb $7,1f+1(%rip); 1: mov $1,%eax", 2, 7},
		{"later in the block", "movb $7,1f+1(%rip); nop; nop; add %ecx,%edx; 1: mov $1,%eax", 5, 7},
		{"an opcode", "movb $0x40,1f(%rip); 1: .byte 0x90; inc %al", 2, 1},
		{"a loop patches itself once", "1: mov $1,%eax; add %eax,%ecx; movb $9,1b+1(%rip); cmp $10,%ecx; jb 1b", 10, 9},
		{"behind", "1: mov $1,%eax; movb $7,1b+1(%rip); inc %ecx; cmp $2,%ecx; jb 1b", 7, 7},
		{"one byte of many stores", "movb $1,1f+1(%rip); movb $2,1f+2(%rip); movb $3,1f+3(%rip); movb $4,1f+4(%rip); 1: mov $0,%eax", 5, 0x04030201},
		{"locked", "lock addl $6,1f+1(%rip); 1: mov $1,%eax", 2, 7},
		{"exchange", "mov $7,%edx; xchg %dl,1f+1(%rip); 1: mov $1,%eax", 3, 7},
		{"rep stosb", "mov $4,%ecx; lea 1f+1(%rip),%rdi; mov $5,%al; rep stosb; 1: mov $0,%eax", 5, 0x05050505},
		{"push onto code", "lea 1f+5(%rip),%rsp; movabs $0x00000007b8909090,%rdx; push %rdx; 1: mov $1,%eax", 4, 7},
	} {
		for name, mode := range allModes {
			for _, plain := range []bool{false, true} {
				t.Run(tc.name+" "+name, func(t *testing.T) {
					r := newRig(t, assemble(t, rigCode, tc.src), mode)
					r.c.Plain = plain
					if name == "random" {
						r.p.Draws = mem.RandomDelay{Seed: 1, Max: 50}
					}
					require.Equal(t, Retired, r.run(tc.n))
					require.Equal(t, tc.want, r.c.R[RAX])
				})
			}
		}
	}
}

// pair adds a second core with a buffer of its own and the same decoded code.
func (r *rig) pair() (*Core, *mem.Port) {
	c := NewCore(r.c.Code)
	c.R[RSP] = rigStack - 0x800
	c.Jump(rigCode + 0x800)
	return c, mem.NewPort(r.m, 1, nil, r.p.Mode)
}

// TestCrossModifyingCode: another core sees a store to code once it commits,
// the storing core at once.
func TestCrossModifyingCode(t *testing.T) {
	r := newRig(t, assemble(t, rigCode, "movb $7,0x100801; jmp 0x100800"), mem.Manual)
	r.m.Poke(rigCode+0x800, assemble(t, rigCode+0x800, "1: mov $1,%eax; jmp 1b"))
	c2, p2 := r.pair()
	look := func(want uint64) {
		t.Helper()
		require.Equal(t, Retired, c2.Run(p2, Budget{Retire: 2}))
		require.Equal(t, want, c2.R[RAX])
	}
	look(1)
	require.Equal(t, Retired, r.run(3))
	require.EqualValues(t, 7, r.c.R[RAX], "the own store is seen at once")
	look(1)
	require.Equal(t, Retired, r.run(2))
	require.EqualValues(t, 7, r.c.R[RAX])
	look(1)
	r.p.CommitAll()
	look(7)
}

// TestStraddlingInstruction: an instruction on two pages, modified in the
// second, by committed stores.
func TestStraddlingInstruction(t *testing.T) {
	at := uint64(rigCode + mem.PageSize - 2) // mov $imm32,%eax: three bytes of it on the second page
	r := newRig(t, []byte{0x90}, mem.Eager)
	r.m.Poke(at, assemble(t, at, "mov $0x01010101,%eax; movb $7,0x101002; jmp 0x100ffe"))
	c2, p2 := r.pair()
	r.c.Jump(at)
	c2.Jump(at)
	require.Equal(t, Retired, c2.Run(p2, Budget{Retire: 1}))
	require.EqualValues(t, 0x01010101, c2.R[RAX])
	require.Equal(t, Retired, r.run(4))
	require.EqualValues(t, 0x07010101, r.c.R[RAX])
	c2.Jump(at)
	require.Equal(t, Retired, c2.Run(p2, Budget{Retire: 1}))
	require.EqualValues(t, 0x07010101, c2.R[RAX])
}
