package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

// TestDeliveryDrains: an exception waits for the store buffer with nothing
// changed, CR2 included, and is then taken.
func TestDeliveryDrains(t *testing.T) {
	for src, vec := range map[string]uint8{"mov %eax,(%rdi); ud2": vecUD, "mov %eax,(%rdi); mov 0x2000(%rdi),%ecx": vecPF, "mov %eax,(%rdi); int3": vecBP,
		"mov %eax,(%rdi); int $0x50": 0x50, "mov %eax,(%rdi); int1": vecDB, "mov %eax,(%rdi); jmp *%rdi": vecPF} {
		t.Run(src, func(t *testing.T) {
			r := newRig(t, assemble(t, rigCode, src), mem.Manual)
			require.Equal(t, Drain, r.c.Run(r.p, Budget{}))
			require.Zero(t, r.c.CR[2])
			before, count := r.c.State, r.c.Count
			for range 3 {
				require.Equal(t, Drain, r.c.Run(r.p, Budget{}))
				require.Equal(t, before, r.c.State)
				require.Equal(t, count, r.c.Count)
			}
			require.EqualValues(t, 1, r.p.B.N)
			r.p.CommitAll()
			require.Equal(t, Exited, r.c.Run(r.p, Budget{}))
			require.Equal(t, handlerOf(vec), r.c.Exit.RIP)
		})
	}
}

// TestDeliveryIsOneStep: with stops before shared accesses a delivery still
// happens at once, from a shared IDT to a shared stack.
func TestDeliveryIsOneStep(t *testing.T) {
	for _, src := range []string{"ud2", "int3", "mov 0x2000(%rdi),%eax", "mov $0x700000,%eax; jmp *%rax"} {
		r := newRig(t, assemble(t, rigCode, src), mem.Manual)
		require.Equal(t, Exited, r.c.Run(r.p, Budget{Visible: true}), "the handler's HLT is the first stop")
		require.EqualValues(t, rigHandlers, r.c.RIP&^0xfff)
		require.True(t, r.p.Stop)
	}
	r := newRig(t, assemble(t, rigCode, "mov $0x10,%eax; mov %eax,%ds; mov (%rdi),%eax; mov (%rdi),%eax"), mem.Manual)
	withGDT(r)
	require.Equal(t, Visible, r.c.Run(r.p, Budget{Visible: true}))
	require.EqualValues(t, 3, r.c.Count.Instructions, "the descriptor is no stop, the second load is")
}

// TestDriverRaises: a driver that refuses an exit makes it a fault.
func TestDriverRaises(t *testing.T) {
	refuse := func(r *rig) bool {
		require.Equal(t, Exited, r.run(1))
		r.c.Jump(r.c.Exit.RIP)
		r.c.Count.Instructions--
		return r.c.Raise(r.p, vecGP, 0)
	}
	r := rigOf(t, "wrmsr; nop")
	require.True(t, refuse(r))
	f := r.handled(vecGP, 0)
	require.EqualValues(t, rigCode, f[0])
	require.Equal(t, RF, f[2]&RF)
	r = rigOf(t, "wrmsr; nop")
	r.c.IDT = Table{}
	require.False(t, refuse(r))
	require.Equal(t, Fault{Vector: vecGP, HasError: true, RIP: rigCode}, r.c.Fault)
	require.EqualValues(t, rigCode, r.c.RIP)
}

// TestInterruptSeesPermissions: between runs the driver may change pages, which
// an interrupt must notice as a Run does.
func TestInterruptSeesPermissions(t *testing.T) {
	r := newRig(t, assemble(t, rigCode, "push %rax; nop"), mem.Eager)
	require.Equal(t, Retired, r.run(1))
	require.NoError(t, r.m.Map(rigStack-mem.PageSize, mem.PageSize, mem.Read))
	require.False(t, r.c.Interrupt(r.p, 0x30))
	require.True(t, r.c.Fault.Triple)
	require.EqualValues(t, rigStack-8, r.c.R[RSP])
}

// TestDeliveryTakesTime: what the drain and the lines of IDT and stack cost is
// on the core's clock.
func TestDeliveryTakesTime(t *testing.T) {
	r := rigOf(t, "ud2")
	r.p = mem.NewPort(r.m, 0, &mem.Meter{Costs: mem.LineCosts{Fill: 100}}, mem.Eager)
	require.Equal(t, Exited, r.run(1))
	require.GreaterOrEqual(t, r.c.Now, mem.Cycles(200))
	require.Equal(t, r.c.Now, r.c.Delay+2, "a cycle for the delivery and one for HLT")
}

// TestHostileSnippets end by their budgets, wherever they send the core.
func TestHostileSnippets(t *testing.T) {
	for name, src := range map[string]string{
		"endless jump":            "1: jmp 1b",
		"endless calls":           "1: call 1b",
		"endless interrupts":      "1: int $0x40; jmp 1b",
		"handler faults":          "ud2",
		"ENTER without end":       "1: enter $0xffff,$31; mov $0x301f00,%esp; mov %rsp,%rbp; jmp 1b",
		"REP over itself":         "lea 1f(%rip),%rdi; mov $-1,%rcx; mov $0x90,%al; 1: rep stosb; jmp 1b",
		"REP with DF":             "std; mov $-1,%rcx; rep movsq",
		"REP that wraps":          "mov $-1,%rcx; mov $-8,%rsi; rep lodsq",
		"stack in code":           "lea 1f(%rip),%rsp; 1: push %rax; call 1b",
		"IDT in the stack":        "lidt (%rsp); ud2",
		"the last page":           "mov $-1,%rax; jmp *%rax",
		"patches itself for ever": "1: incb 2f+1(%rip); 2: mov $1,%al; jmp 1b",
	} {
		for mname, mode := range allModes {
			t.Run(name+" "+mname, func(t *testing.T) {
				r := newRig(t, assemble(t, rigCode, src), mode)
				r.m.Poke(handlerOf(vecUD), []byte{0x0f, 0x0b})
				r.m.Poke(handlerOf(0x40), []byte{0x48, 0xcf})
				for range 4 * guestCycles {
					if _, more := r.step(false, 100); !more {
						return
					}
				}
				t.Fatal("no end")
			})
		}
	}
}
