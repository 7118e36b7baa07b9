package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

// stepped runs with TF set from the start and returns the offset of the saved
// RIP of every #DB until the code's own HLT.
func stepped(r *rig) (at []uint64) {
	r.c.SetRFlags(r.c.RFlags() | TF)
	r.gate(vecDB, 14, rigHandlers+0xf00)
	iretq := []byte{0x48, 0xcf}
	r.m.Poke(rigHandlers+0xf00, append([]byte{0x90}, iretq...))
	for range 200 {
		switch st := r.run(1); {
		case st == Exited:
			if r.c.Exit.Kind == ExitHLT {
				return at
			}
		case st != Retired:
			r.t.Fatalf("stop %s at %#x", st, r.c.RIP)
		}
		if r.c.RIP == rigHandlers+0xf01 { // the handler's NOP
			r.p.CommitAll()
			at = append(at, r.peek(r.c.R[RSP])-rigCode)
		}
	}
	r.t.Fatal("no end")
	return nil
}

// TestSingleStep: with TF set there is a trap behind every instruction (SDM
// vol. 3B, 17.3.1.4), but not behind one that a trap or fault of its own ended.
func TestSingleStep(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		want      []uint64
	}{
		{"moves", "mov %eax,%ecx; nop; add $1,%ecx; hlt", []uint64{2, 3, 6}},
		{"jump", "jmp 1f; nop; 1: nop; hlt", []uint64{3, 4}},
		{"call and ret", "call 1f; hlt; 1: ret", []uint64{6, 5}},
		{"store to its own block", "movb $0x90,1f(%rip); 1: hlt; hlt", []uint64{7, 8}},
		{"PUSHF shows TF, POPF clears it behind itself", "pushf; pop %rax; push $2; popf; nop; hlt", []uint64{1, 2, 4, 5}},
		{"STI does not hold it back", "sti; nop; hlt", []uint64{1, 2}},
		{"locked", "lock incl (%rdi); mfence; hlt", []uint64{3, 6}},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, stepped(rigOf(t, tc.src))) })
	}
	t.Run("a fault has no trap", func(t *testing.T) {
		r := rigOf(t, "ud2")
		r.c.SetRFlags(TF)
		f := r.handled(vecUD, -1)
		require.EqualValues(t, TF|RF|2, f[2])
	})
	t.Run("INT n clears TF", func(t *testing.T) {
		r := rigOf(t, "int $0x40")
		r.c.SetRFlags(TF)
		require.EqualValues(t, TF|2, r.handled(0x40, -1)[2])
	})
	t.Run("without a handler", func(t *testing.T) {
		r := rigOf(t, "nop; nop")
		r.c.SetCPL(3)
		r.c.SetRFlags(TF)
		r.faulted(vecDB, 0)
		require.EqualValues(t, rigCode+1, r.c.Fault.RIP)
		require.EqualValues(t, 1, r.c.Count.Instructions)
	})
	t.Run("POPF sets it for the next instruction", func(t *testing.T) {
		r := rigOf(t, "push $0x102; popf; nop; nop")
		require.EqualValues(t, rigCode+7, r.handled(vecDB, -1)[0])
	})
	t.Run("IRET sets it for the next instruction", func(t *testing.T) {
		r := rigOf(t, "push $0x18; push $0x301800; push $0x102; push $0x10; push $0x100100; iretq")
		r.m.Poke(rigCode+0x100, []byte{0x90, 0x90})
		require.EqualValues(t, rigCode+0x101, r.handled(vecDB, -1)[0])
	})
}

// TestShadows: STI with IF clear keeps interrupts out for one instruction, a
// move to SS interrupts and NMIs (SDM vol. 3A, 6.8.3).
func TestShadows(t *testing.T) {
	load := "mov $0x18,%eax; mov %eax,%ss; "
	for _, tc := range []struct {
		name, src string
		flags     uint64
		before    uint64 // instructions before the first look
		irq, nmi  []bool
	}{
		{"STI", "sti; nop; nop", 0, 1, []bool{false, true, true}, []bool{true, true, true}},
		{"STI with IF set", "sti; nop", IF, 1, []bool{true, true}, []bool{true, true}},
		{"STI twice", "sti; sti; nop", 0, 1, []bool{false, true, true}, []bool{true, true, true}},
		{"STI and CLI", "sti; cli; nop", 0, 1, []bool{false, false, false}, []bool{true, true, true}},
		{"MOV SS", load + "nop; nop", IF, 2, []bool{false, true}, []bool{false, true}},
		{"MOV SS twice", load + "mov %eax,%ss; nop", IF, 2, []bool{false, true}, []bool{false, true}},
		{"STI then MOV SS", "mov $0x18,%eax; sti; mov %eax,%ss; nop; nop", 0, 2, []bool{false, false, true}, []bool{true, false, true}},
		{"MOV DS", "mov $0x18,%eax; mov %eax,%ds; nop", IF, 2, []bool{true, true}, []bool{true, true}},
		{"POPF has none", "push $0x202; popf; nop", 0, 2, []bool{true, true}, []bool{true, true}},
	} {
		for _, plain := range []bool{false, true} {
			t.Run(tc.name, func(t *testing.T) {
				r := rigOf(t, tc.src)
				withGDT(r)
				r.c.Plain = plain
				r.c.SetRFlags(tc.flags)
				require.Equal(t, Retired, r.run(tc.before))
				for i := range tc.irq {
					require.Equal(t, tc.irq[i], r.c.CanInterrupt(), "interrupt, look %d", i)
					require.Equal(t, tc.nmi[i], r.c.CanNMI(), "NMI, look %d", i)
					require.Equal(t, Retired, r.run(1))
				}
			})
		}
	}
}

// TestInterrupt: an interrupt at an instruction boundary and the way back.
func TestInterrupt(t *testing.T) {
	r := rigOf(t, "nop; nop; nop")
	r.c.SetRFlags(IF | CF)
	require.Equal(t, Retired, r.run(1))
	require.True(t, r.c.Interrupt(r.p, 0x30))
	require.EqualValues(t, 1, r.c.Count.Instructions)
	require.False(t, r.c.CanInterrupt(), "the gate cleared IF")
	f := r.handled(0x30, -1)
	require.Equal(t, [5]uint64{rigCode + 1, 0x10, IF | CF | 2, rigStack, 0x18}, f)
}

func TestInterruptWithoutHandler(t *testing.T) {
	for name, spoil := range map[string]func(r *rig){
		"no IDT": func(r *rig) { r.c.IDT = Table{} },
		"CPL 3":  func(r *rig) { r.c.SetCPL(3) },
	} {
		t.Run(name, func(t *testing.T) {
			r := rigOf(t, "nop")
			spoil(r)
			before := r.c.State
			require.False(t, r.c.Interrupt(r.p, 0x30))
			require.Equal(t, Fault{Vector: 0x30, RIP: rigCode, Trap: true}, r.c.Fault)
			require.Equal(t, before, r.c.State)
		})
	}
	r := rigOf(t, "nop")
	r.poke(rigIDT+0x300, 0)
	require.True(t, r.c.Interrupt(r.p, 0x30), "its #GP has a handler")
	r.handled(vecGP, 0x30<<3|3)
	r.c.IDT.Limit = 15
	require.False(t, r.c.Interrupt(r.p, 0x30))
	require.True(t, r.c.Fault.Triple)
}

// TestNMI: a second NMI waits for IRET, also for one that is not the handler's.
func TestNMI(t *testing.T) {
	r := rigOf(t, "nop")
	r.m.Poke(handlerOf(2), []byte{0x90, 0x48, 0xcf})
	require.True(t, r.c.CanNMI())
	require.True(t, r.c.Interrupt(r.p, 2))
	require.False(t, r.c.CanNMI())
	require.Equal(t, Retired, r.run(1))
	require.False(t, r.c.CanNMI())
	require.Equal(t, Retired, r.run(1))
	require.True(t, r.c.CanNMI())
	require.EqualValues(t, rigCode, r.c.RIP)
}

// TestInterruptBetweenTurns: a repeated string instruction can be interrupted
// behind each turn, with the registers of that moment and RIP at the
// instruction; coming back goes on (SDM vol. 2B, REP).
func TestInterruptBetweenTurns(t *testing.T) {
	for _, tc := range []struct {
		src       string
		turns     uint64
		rsi, step int64
	}{
		{"rep movsb", 5, 1, 1}, {"rep movsq", 5, 1, 8}, {"rep stosl", 5, 0, 4}, {"rep lodsw", 5, 1, 2}, {"repe cmpsb", 5, 1, 1}, {"repne scasb", 5, 0, 1},
	} {
		t.Run(tc.src, func(t *testing.T) {
			r := rigOf(t, tc.src+"; hlt")
			r.c.R[RCX], r.c.R[RSI], r.c.R[RAX] = tc.turns, rigData+0x100, 1
			r.m.Poke(handlerOf(0x30), []byte{0x48, 0xcf})
			for done := uint64(1); done < tc.turns; done++ {
				require.Equal(t, Time, r.c.Run(r.p, Budget{Until: r.c.Now + 1}), "one turn costs a cycle")
				require.Equal(t, tc.turns-done, r.c.R[RCX])
				require.EqualValues(t, rigData+int64(done)*tc.step, r.c.R[RDI]+uint64(b2i(tc.src == "rep lodsw")*int64(done)*tc.step))
				require.EqualValues(t, rigData+0x100+tc.rsi*tc.step*int64(done), r.c.R[RSI])
				require.EqualValues(t, rigCode, r.c.RIP)
				require.Equal(t, done-1, r.c.Count.Instructions, "only the handlers' IRETs")
				r.p.CommitAll()
				require.True(t, r.c.Interrupt(r.p, 0x30))
				r.p.CommitAll()
				require.Equal(t, uint64(rigCode), r.peek(r.c.R[RSP]))
				require.Equal(t, Retired, r.run(1))
			}
			require.Equal(t, Exited, r.run(2))
			require.EqualValues(t, 0, r.c.R[RCX])
			require.EqualValues(t, tc.turns+1, r.c.Count.Instructions)
		})
	}
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// TestFaultInsideREP leaves the turns before the fault done.
func TestFaultInsideREP(t *testing.T) {
	r := rigOf(t, "rep stosb")
	r.c.R[RCX], r.c.R[RDI] = 16, rigData+2*mem.PageSize-4
	f := r.handled(vecPF, 2)
	require.EqualValues(t, rigCode, f[0])
	require.EqualValues(t, 12, r.c.R[RCX])
	require.EqualValues(t, rigData+2*mem.PageSize, r.c.R[RDI])
	require.EqualValues(t, 4, r.c.Count.Stores)
	require.EqualValues(t, 1, r.c.Count.Instructions, "the handler's HLT")
}
