package vmm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/cpu"
	"spinlab/mem"
)

// instructions is what all vCPUs of a report retired.
func instructions(r Report) (n uint64) {
	for _, vm := range r.VMs {
		for _, v := range vm.VCPUs {
			n += v.Instructions
		}
	}
	return n
}

func benchmark(b *testing.B, source string, vcpus, pcpus int, change ...func(*Config)) {
	change = append(change, func(c *Config) { c.MaxInstructions = DefaultMaxInstructions })
	var n uint64
	for b.Loop() {
		m := machine(b, source, vcpus, pcpus, change...)
		r := m.Run()
		require.Equal(b, VerdictDone, r.Verdict, r.Message)
		n += instructions(r)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Minstr/s")
}

// Four vCPUs on one ticket lock, a pCPU for each.
func BenchmarkTicketLock(b *testing.B) {
	benchmark(b, lockProgram(ticketLock, ticketUnlock, 20_000, 1, 1), 4, 4)
}

// The same with work that is long beside the lock.
func BenchmarkTicketLockWork(b *testing.B) {
	benchmark(b, lockProgram(ticketLock, ticketUnlock, 5_000, 100, 300), 4, 4)
}

// Twice as many vCPUs as pCPUs, with pause-loop exiting.
func BenchmarkOvercommit(b *testing.B) {
	benchmark(b, lockProgram(ticketLock, ticketUnlock, 1_000, 100, 300), 8, 4, func(c *Config) { c.PLE = true })
}

// Turns alone: cores that change places at every instruction, 1-cycle moves in
// lockstep. The metric is the time of a turn, execution included.
func BenchmarkTurns(b *testing.B) {
	for name, n := range map[string]int{"4": 4, "16": 16, "64": 64} {
		b.Run(name, func(b *testing.B) {
			m := machine(b, "vcpu_main: jmp vcpu_main", n, n, func(c *Config) { c.MaxInstructions = 1 << 60 })
			s := NewScheduler(m)
			for _, v := range m.VCPUs {
				s.Start(v, 0)
			}
			for range 10 * n {
				s.turn()
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				s.turn()
			}
		})
	}
}

// A Run of one instruction without a scheduler, to compare.
func BenchmarkRunOne(b *testing.B) {
	m := machine(b, "vcpu_main: jmp vcpu_main", 1, 1)
	v, p := m.VCPUs[0], m.Ports[0]
	for range b.N {
		v.Core.Run(p, cpu.Budget{Until: v.Core.Now + 1, Retire: 1 << 40})
	}
	require.NotEqual(b, mem.Never, v.Core.Now)
}
