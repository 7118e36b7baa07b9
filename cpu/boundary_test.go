package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

// TestBranchOutOfCanonical: a direct branch to a non-canonical address
// faults at the branch (SDM vol. 2A, JMP), on the fast path as on handlers.
func TestBranchOutOfCanonical(t *testing.T) {
	for name, code := range map[string]string{"jmp": "eb7f", "jcc": "757f", "call": "e87f000000", "cmp and jcc": "85c9747f"} {
		for _, plain := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				r := rigOf(t, "nop")
				require.NoError(t, r.m.Map(nonCanon-mem.PageSize, mem.PageSize, mem.Read|mem.Exec))
				r.m.Poke(nonCanon-16, unhex(t, code))
				r.c.IDT = Table{}
				r.c.Plain = plain
				r.c.Jump(nonCanon - 16)
				r.faulted(vecGP, 0)
				require.Less(t, r.c.Fault.RIP, uint64(nonCanon))
			})
		}
	}
}

// TestStraddlingBuffered: of an instruction on two pages, whose second one
// has a store in this core's buffer, this core sees the new bytes at once and
// another core the old ones until the commit.
func TestStraddlingBuffered(t *testing.T) {
	at := uint64(rigCode + mem.PageSize - 2)
	for _, seen := range []bool{false, true} { // whether its block is decoded already
		r := newRig(t, []byte{0x90}, mem.Manual)
		r.m.Poke(at, assemble(t, at, "mov $0x01010101,%eax; movb $7,0x101002; jmp 0x100ffe"))
		c2, p2 := r.pair()
		r.c.Jump(at)
		if !seen {
			r.c.Jump(at + 5)
		}
		require.Equal(t, Retired, r.run(map[bool]uint64{true: 4, false: 3}[seen]))
		require.EqualValues(t, 0x07010101, r.c.R[RAX], "own store")
		c2.Jump(at)
		require.Equal(t, Retired, c2.Run(p2, Budget{Retire: 1}))
		require.EqualValues(t, 0x01010101, c2.R[RAX], "another core's store, not committed")
	}
}

// TestStepBehindMOVSS: a move to SS holds the single-step trap back too
// (SDM vol. 3A, 6.8.3).
func TestStepBehindMOVSS(t *testing.T) {
	r := rigOf(t, "mov $0x18,%eax; mov %eax,%ss; nop; hlt")
	withGDT(r)
	require.Equal(t, []uint64{5, 8}, stepped(r))
}

// TestStepREP: the single-step trap comes behind each turn of a repeated
// string instruction (SDM vol. 3B, 17.3.1.4).
func TestStepREP(t *testing.T) {
	r := rigOf(t, "rep stosb; hlt")
	r.c.R[RCX] = 3
	require.Equal(t, []uint64{0, 0, 2}, stepped(r))
}

// TestStepBehindExit: an instruction that exits to the driver has retired,
// so its single-step trap must come when the core goes on.
func TestStepBehindExit(t *testing.T) {
	r := rigOf(t, "out %al,$0x80; nop; nop")
	r.c.SetRFlags(TF)
	require.Equal(t, Exited, r.run(1))
	require.EqualValues(t, rigCode+2, r.handled(vecDB, -1)[0])
}

// TestStepDrain: a single-step trap that must wait for the store buffer is
// not lost.
func TestStepDrain(t *testing.T) {
	r := newRig(t, assemble(t, rigCode, "mov %eax,(%rdi); nop; nop"), mem.Manual)
	r.c.SetRFlags(TF)
	require.EqualValues(t, rigCode+2, r.handled(vecDB, -1)[0])
}

// TestAlignmentAfterCanonical: #GP for a non-canonical address comes before
// #AC (SDM vol. 3A, table 6-2).
func TestAlignmentAfterCanonical(t *testing.T) {
	r := rigOf(t, "movabs $0x800000000001,%rax; mov (%rax),%eax")
	r.c.SetCPL(3)
	r.c.SetRFlags(AC)
	r.faulted(vecGP, 0)
}

// TestHugeREP: a repeated string instruction counts against the
// instruction budget while it runs, or a small program could run for hours.
func TestHugeREP(t *testing.T) {
	r := newRig(t, assemble(t, rigCode, "rep lodsb"), mem.Eager)
	require.NoError(t, r.m.Map(0x10000000, 16<<20, mem.Read))
	r.c.R[RSI], r.c.R[RCX] = 0x10000000, 1<<40
	require.Equal(t, Retired, r.c.Run(r.p, Budget{Retire: 1000}))
	require.Greater(t, r.c.R[RCX], uint64(1)<<40-1001<<turnShift)
}

// TestBlockOfOneMoment: while a buffered store lies on the page of the code,
// blocks are decoded anew for each instruction, so they must be short: else a
// guest pays 20 microseconds an instruction.
func TestBlockOfOneMoment(t *testing.T) {
	r := newRig(t, assemble(t, rigCode, "movb $0x90,0x100800; nop; nop; nop; nop"), mem.Late)
	require.Equal(t, Retired, r.run(2))
	require.Len(t, r.c.cur.head.blk.Ops, 1)
}
