package cpu

import (
	"runtime"
	"testing"

	"spinlab/mem"
	"spinlab/tests/native"
)

// The loops of the speed table, the same bytes as the host runs in
// tests/native.
var (
	ticketLoop = []byte{
		0xb8, 0x00, 0x01, 0x00, 0x00, // mov $0x100,%eax
		0xf0, 0x66, 0x0f, 0xc1, 0x07, // lock xadd %ax,(%rdi)
		0x0f, 0xb6, 0xd4, // movzbl %ah,%edx
		0x38, 0xc2, // cmp %al,%dl
		0x75, 0x0b, // jne out
		0x48, 0xff, 0x47, 0x40, // incq 0x40(%rdi)
		0xfe, 0x07, // incb (%rdi)
		0x48, 0xff, 0xc9, // dec %rcx
		0x75, 0xe4, // jne loop
		0xf4, // out: hlt
	}
	aluLoop = []byte{
		0x48, 0x01, 0xd8, // add %rbx,%rax
		0x48, 0x31, 0xc3, // xor %rax,%rbx
		0x48, 0x8b, 0x17, // mov (%rdi),%rdx
		0x48, 0x01, 0xd0, // add %rdx,%rax
		0x48, 0x81, 0xe3, 0xff, 0x0f, 0x00, 0x00, // and $0xfff,%rbx
		0x48, 0x89, 0x5f, 0x08, // mov %rbx,0x8(%rdi)
		0x48, 0xff, 0xc9, // dec %rcx
		0x75, 0xe4, // jne loop
		0xf4,
	}
)

// benchMachine gives cores sharing one memory, with a line directory.
func benchMachine(tb testing.TB, code []byte, mode mem.CommitMode, n int) ([]*Core, []*mem.Port) {
	m := mem.New()
	if m.Map(0x100000, 4096, mem.Read|mem.Exec) != nil || m.Map(0x200000, 4096, mem.Read|mem.Write) != nil {
		tb.Fatal("map")
	}
	m.Poke(0x100000, code)
	k := NewCode(nil)
	meter := &mem.Meter{}
	var cores []*Core
	var ports []*mem.Port
	for i := range n {
		c := NewCore(k)
		c.Jump(0x100000)
		c.R[RDI], c.R[RCX] = 0x200000, 1<<62
		cores, ports = append(cores, c), append(ports, mem.NewPort(m, i, meter, mode))
	}
	return cores, ports
}

// perSecond measures how many instructions run does per second of this
// thread's CPU time, which a busy machine disturbs less than the wall clock.
func perSecond(run func(n uint64) uint64, n uint64) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadTime()
	did := run(n)
	return float64(did) / (threadTime() - start).Seconds()
}

// nativePerSecond is perSecond of the same loop on the host, 0 where it cannot run.
func nativePerSecond(ticket bool) float64 {
	if !native.Available {
		return 0
	}
	return perSecond(func(n uint64) uint64 { return native.Loop(ticket, n/8) }, 20_000_000)
}

func benchLoop(b *testing.B, code []byte, ticket bool, mode mem.CommitMode, plain bool) {
	cores, ports := benchMachine(b, code, mode, 1)
	c, p := cores[0], ports[0]
	c.Plain = plain
	run := func(n uint64) uint64 {
		c.Run(p, Budget{Retire: n})
		return n
	}
	run(10000)
	var ours, host float64
	for b.Loop() {
		ours = max(ours, perSecond(run, 5_000_000))
		host = max(host, nativePerSecond(ticket))
	}
	b.ReportMetric(ours/1e6, "Minstr/s")
	if native.Available {
		b.ReportMetric(host/ours, "native/ours")
	}
	b.ReportMetric(0, "ns/op")
}

func BenchmarkW1Ticket(b *testing.B)         { benchLoop(b, ticketLoop, true, mem.Timed, false) }
func BenchmarkW1TicketBuffered(b *testing.B) { benchLoop(b, ticketLoop, true, mem.Late, false) }
func BenchmarkW1TicketPlain(b *testing.B)    { benchLoop(b, ticketLoop, true, mem.Timed, true) }
func BenchmarkW2ALU(b *testing.B)            { benchLoop(b, aluLoop, false, mem.Timed, false) }
func BenchmarkW2ALUBuffered(b *testing.B)    { benchLoop(b, aluLoop, false, mem.Late, false) }
func BenchmarkW2ALUPlain(b *testing.B)       { benchLoop(b, aluLoop, false, mem.Timed, true) }

// BenchmarkW4Switched runs four cores on one ticket lock, one instruction each
// in turn, and W1 and the native loop of W1 beside it.
func BenchmarkW4Switched(b *testing.B) {
	code := append([]byte{}, ticketLoop...)
	code[len(code)-1] = 0xf3 // out: pause; movzbl (%rdi),%eax; cmp %al,%dl; jne out; jmp body
	code = append(code, 0x90, 0x0f, 0xb6, 0x07, 0x38, 0xc2, 0x75, 0xf7, 0xeb, 0xec)
	cores, ports := benchMachine(b, code, mem.Timed, 4)
	run := func(n uint64) uint64 {
		for range n / 4 {
			for i, c := range cores {
				if c.Turn(ports[i]) == Stands && c.Run(ports[i], Budget{Retire: 1}) == Drain {
					ports[i].CommitAll()
				}
			}
		}
		return n
	}
	alone, port := benchMachine(b, ticketLoop, mem.Timed, 1)
	w1 := func(n uint64) uint64 {
		alone[0].Run(port[0], Budget{Retire: n})
		return n
	}
	run(10000)
	w1(10000)
	var ours, best, host float64
	for b.Loop() {
		ours = max(ours, perSecond(run, 2_000_000))
		best = max(best, perSecond(w1, 5_000_000))
		host = max(host, nativePerSecond(true))
	}
	b.ReportMetric(ours/1e6, "Minstr/s")
	if native.Available {
		b.ReportMetric(host/ours, "native/ours")
	}
	b.ReportMetric(best/ours, "W1/W4")
	b.ReportMetric(0, "ns/op")
}
