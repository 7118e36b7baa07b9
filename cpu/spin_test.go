package cpu

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

// spinLoops are loops that only look, and others that nearly do. RDI points to a
// word that holds 5.
var spinLoops = []string{
	"1: pause; cmpl $4, (%rdi); jne 1b",
	"1: mov (%rdi), %eax; cmp $4, %eax; je 2f; pause; jmp 1b; 2:",
	"mov $300, %ecx; 1: pause; dec %ecx; jne 1b",
	"mov $300, %ecx; 1: pause; pause; sub $7, %ecx; jg 1b",
	"mov $300, %ecx; 1: cmpl $4, (%rdi); je 2f; pause; dec %ecx; jne 1b; 2:",
	"mov $10, %ecx; 1: pause; add $3, %ecx; jp 2f; jmp 1b; 2:", // PF follows the counter, here for seven turns of one kind
	"mov $300, %ecx; 1: pause; cmpl $4, (%rdi); je 2f; dec %rcx; js 2f; jmp 1b; 2:",
	"mov $0x7fffffd0, %ecx; 1: pause; inc %ecx; jno 1b",
	"mov $-300, %rcx; 1: pause; add $3, %rcx; jnc 1b",
	"mov $300, %ecx; 1: pause; js 2f; cmpl $4, (%rdi); je 2f; dec %ecx; jmp 1b; 2:", // looks at flags of the turn before
	"mov $300, %ecx; stc; 1: pause; dec %ecx; jne 1b; adc $0, %eax",
	"mov $300, %ecx; xor %edx, %edx; 1: pause; add %ecx, %edx; dec %ecx; jne 1b",
	"mov $300, %ecx; 1: pause; lea (%rdi,%rcx), %rdx; dec %ecx; jne 1b",
	"mov $1, %eax; 1: pause; add %eax, %eax; jne 1b",
	"mov $300, %ecx; 1: mov (%rdi), %eax; cmp $4, %eax; ja 3f; jmp 2f; 3: pause; dec %ecx; jne 1b; 2:", // in two blocks
	"mov $300, %ecx; 1: dec %ecx; jne 3f; jmp 2f; 3: pause; jmp 4f; nop; 4: cmpl $4, (%rdi); jne 1b; 2:",
}

// A core that skips turns stops, wherever it is made to stop, as one that
// executes each of them, the flags that follow a counter included.
func TestSkippedTurnsLeaveNoTrace(t *testing.T) {
	for _, src := range spinLoops {
		for _, pause := range []PauseLoop{{}, {On: true, Gap: 30, Window: 500}, {On: true, Gap: 2, Window: 500},
			{On: true, Filter: true, Count: 77, Threshold: 30}, {On: true, Filter: true, Count: 9, Threshold: 1}} {
			t.Run(fmt.Sprint(src, pause.On, pause.Filter, pause.Gap), func(t *testing.T) {
				for _, far := range []mem.Cycles{30, 450, 2500} { // at once, and then cycle by cycle
					skips, plain := spinRig(t, src, pause, true), spinRig(t, src, pause, false)
					for until := far; until < far+50; until++ {
						for bothRun(t, skips, plain, until) && skips.c.Exit.Kind != ExitHLT { // PAUSE exits: go on behind them
							skips.c.Pause.Fresh, plain.c.Pause.Fresh = true, true
							skips.c.Exit, plain.c.Exit = Exit{}, Exit{}
						}
					}
				}
			})
		}
	}
}

// bothRun runs both up to a time, holds them equal, and says whether they are to go
// on.
func bothRun(t *testing.T, a, b *rig, until mem.Cycles) bool {
	sa, sb := a.c.Run(a.p, Budget{Until: until}), b.c.Run(b.p, Budget{Until: until})
	fa, fb := a.c.RFlags(), b.c.RFlags()
	if sa == sb && fa == fb && a.c.State == b.c.State && a.c.Count == b.c.Count && a.c.Now == b.c.Now && a.c.Pause == b.c.Pause {
		return sa == Exited // by far cheaper than what names the difference
	}
	require.Equal(t, sb, sa, "until %d", until)
	require.Equal(t, fb, fa, "flags at %d", a.c.Now)
	require.Equal(t, b.c.State, a.c.State, "at %d", a.c.Now)
	require.Equal(t, b.c.Count, a.c.Count, "at %d", a.c.Now)
	require.Equal(t, b.c.Now, a.c.Now)
	require.Equal(t, b.c.Pause, a.c.Pause)
	return false
}

func spinRig(t *testing.T, src string, pause PauseLoop, skips bool) *rig {
	r := newRig(t, assemble(t, rigCode, src+"; hlt"), mem.Timed)
	r.p = mem.NewPort(r.m, 0, &mem.Meter{}, mem.Timed)
	r.m.Poke(rigData, []byte{5})
	pause.Fresh = true
	r.c.Pause, r.c.Skips = pause, skips
	return r
}

// What a loop comes to is known without executing it.
func TestSpinningTakesNoTime(t *testing.T) {
	r := spinRig(t, spinLoops[1], PauseLoop{}, true)
	turns := testing.AllocsPerRun(3, func() { r.c.Run(r.p, Budget{Retire: 1 << 40}) })
	require.Zero(t, turns)
	require.EqualValues(t, 4<<40, r.c.Count.Instructions, "four runs")
	require.InDelta(t, r.c.Count.Instructions/5, r.c.Count.Pauses, 1)
}
