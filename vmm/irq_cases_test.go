package vmm

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/asm"
	"spinlab/cpu"
	"spinlab/mem"
)

// caseRow is a line of testdata/irq_cases.jsonl: a bug report about some other
// machine, as a program and a schedule.
type caseRow struct {
	ID, Title string
	Input     string `json:"input_att"`
	Bytes     string `json:"bytes_hex"`
	Setup     struct {
		VCPUs []struct{ Entry string }
		PCPUs int
		IRQ   []struct {
			VCPU    int
			Retired uint64 `json:"at_instret"`
		}
		Periodic *struct {
			VCPU  int
			Every mem.Cycles // in thousands of cycles: the rows leave the unit open, and an exit takes 2,000
		} `json:"irq_periodic"`
	}
	Expect struct {
		VCPU0 struct {
			RAX, RCX, State string
			Exits           struct{ HLT *uint64 }
		}
	}
}

// caseRows reads the lines; each test names those that it plays.
func caseRows(t *testing.T) map[string]caseRow {
	f, err := os.Open("testdata/irq_cases.jsonl")
	require.NoError(t, err)
	defer f.Close()
	rows := map[string]caseRow{}
	for in := bufio.NewScanner(f); in.Scan(); {
		var r caseRow
		require.NoError(t, json.Unmarshal(in.Bytes(), &r))
		rows[r.ID] = r
	}
	return rows
}

// caseHandlers follow every program: they count in memory, so that the
// registers stay what the case makes of them.
const caseHandlers = `
	.balign 64
irq_handler:
	incq 0x200800
	iretq
nmi_handler:
	incq 0x200808
	iretq
bp_handler:
	incq 0x200810
	cli
	hlt
`

// caseMachine loads a row: each vCPU starts at its own label with registers 0.
func caseMachine(t *testing.T, r caseRow, change ...func(*Config)) *Machine {
	t.Helper()
	obj, err := asm.Assemble(asm.Options{Base: testText}, asm.Source{Name: r.ID, Text: []byte(r.Input + "\n" + caseHandlers)})
	require.NoError(t, err)
	want, err := hex.DecodeString(r.Bytes)
	require.NoError(t, err)
	require.Equal(t, want, obj.Sections[0].Data[:len(want)], "%s is other code", r.ID)
	at := func(name string) uint64 {
		s, ok := obj.Lookup(name)
		require.True(t, ok, name)
		return s.Addr
	}
	img := &Image{Main: at("P0"), IDT: 0x1f0000, Layout: Layout{StackTop: 0x1004000, StackStride: 0x4000, StackSize: 0x1000},
		Handlers: []Handler{{VectorTimer, at("irq_handler")}, {VectorNMI, at("nmi_handler")}, {3, at("bp_handler")}},
		Segments: []Segment{{Addr: testText, Data: obj.Sections[0].Data, Perm: mem.Read | mem.Write | mem.Exec},
			{Addr: testShared, Size: 0x10000, Perm: mem.Read | mem.Write}}}
	cfg := Config{VMs: []VMConfig{{VCPUs: len(r.Setup.VCPUs), Image: img}}, PCPUs: r.Setup.PCPUs, MaxInstructions: 100_000}
	for _, q := range r.Setup.IRQ {
		cfg.Inject = append(cfg.Inject, Injection{VCPU: q.VCPU, Vector: VectorTimer, Retired: q.Retired})
	}
	if q := r.Setup.Periodic; q != nil {
		cfg.Inject = append(cfg.Inject, Injection{VCPU: q.VCPU, Vector: VectorTimer, Timed: true, Cycle: 1000 * q.Every, Every: 1000 * q.Every})
	}
	for _, f := range change {
		f(&cfg)
	}
	m, err := NewMachine(cfg)
	require.NoError(t, err)
	for i, v := range r.Setup.VCPUs {
		m.VCPUs[i].Core.Jump(at(v.Entry))
	}
	return m
}

// judgeCase holds vCPU 0 against what the row expects of it. Each program ends
// in a halt that nothing ends, which for a machine is a deadlock.
func judgeCase(t *testing.T, row caseRow, m *Machine, r Report) {
	t.Helper()
	balanced(t, r)
	require.Equal(t, VerdictDeadlock, r.Verdict, r.Message)
	want, v := row.Expect.VCPU0, m.VCPUs[0]
	assert.Equal(t, Asleep, v.State)
	for name, reg := range map[string]int{want.RAX: cpu.RAX, want.RCX: cpu.RCX} {
		if name != "" {
			x, err := strconv.ParseUint(name, 0, 64)
			require.NoError(t, err)
			assert.Equal(t, x, v.Core.R[reg], cpu.RegNames[reg])
		}
	}
	if want.Exits.HLT != nil {
		assert.Equal(t, *want.Exits.HLT, r.VMs[0].VCPUs[0].Exits.HLT, "HLT exits")
	}
	if want.State == "halted_forever" {
		assert.Zero(t, v.Core.RFlags()&cpu.IF, "nothing can end the halt")
		assert.False(t, r.Waiting[0].IF)
	}
}

// TestInterruptCases: where an interrupt comes in around STI and HLT.
func TestInterruptCases(t *testing.T) {
	rows := caseRows(t)
	for id, takenAt := range map[string]uint64{ // RIP in the frame, from the start; 0: none is taken
		"vm-01": 2, "vm-02": 2, "vm-03": 0, "vm-04": 2, "vm-16": 7,
	} {
		t.Run(id, func(t *testing.T) {
			row := rows[id]
			var frames []uint64
			observed := caseMachine(t, row, func(c *Config) {
				c.Observe = func(e *Event) {
					if e.Kind == EventExit && e.Reason == ReasonInterrupt {
						frames = append(frames, e.RIP-testText)
					}
				}
			})
			r := observed.Run()
			judgeCase(t, row, observed, r)
			if takenAt == 0 {
				assert.Empty(t, frames)
			} else {
				require.NotEmpty(t, frames)
				assert.Equal(t, takenAt, frames[0], "saved RIP")
			}
			assert.EqualValues(t, len(frames), r.VMs[0].VCPUs[0].Interrupts)
			assert.EqualValues(t, len(frames), shared(observed, 0x800), "runs of the handler")
			fast := caseMachine(t, row)
			again := fast.Run()
			judgeCase(t, row, fast, again)
			assert.Equal(t, r, again, "running ahead changes nothing")
		})
	}
}

// TestKickBeforeHalt is vm-07: whenever the kick comes, it ends the halt.
func TestKickBeforeHalt(t *testing.T) {
	row := caseRows(t)["vm-07"]
	for delay := range 200 {
		m := caseMachine(t, row)
		c := m.VCPUs[1].Core
		c.R[cpu.RAX], c.R[cpu.RBX] = hcKickCPU, uint64(APICID(0))
		s := NewScheduler(m)
		s.Start(m.VCPUs[1], 100)
		s.Start(m.VCPUs[0], mem.Cycles(delay*20))
		s.Run()
		assert.Equal(t, uint64(1), m.VCPUs[0].Core.R[cpu.RAX], "vCPU 0 starts %d cycles later", delay*20-100)
	}
}

// TestCrossModification is vm-13: while another core patches a 5-byte nop by
// the int3 protocol, a core runs the old nop, takes #BP, or takes the new jmp,
// never a mixture. (The jmp of the row leads into the middle of an immediate;
// what that does is no matter here.)
func TestCrossModification(t *testing.T) {
	row := caseRows(t)["vm-13"]
	seen := map[string]int{}
	step := mem.Cycles(3)
	if testing.Short() {
		step = 17
	}
	for start := mem.Cycles(0); start < 1000; start += step {
		for mode := range mem.Manual {
			var first string
			play := func(observe func(*Event)) *Machine {
				m := caseMachine(t, row, func(c *Config) { c.Commit, c.Seed, c.Observe = mode, 7, observe })
				m.VCPUs[0].Core.R[cpu.RDI] = m.VCPUs[1].Core.RIP
				s := NewScheduler(m)
				s.Start(m.VCPUs[0], 100)
				s.Start(m.VCPUs[1], start)
				s.Run()
				return m
			}
			observed := play(func(e *Event) {
				if e.Kind == EventInstruction && e.VCPU == 1 && first == "" {
					first = hex.EncodeToString(e.Code)
				}
			})
			seen[first]++
			fast := play(nil)
			assert.Equal(t, observed.VCPUs[1].Core.State, fast.VCPUs[1].Core.State, "start %d, mode %d", start, mode)
		}
	}
	for code := range seen {
		assert.Contains(t, []string{"0f1f440000", "cc", "e902000000"}, code)
	}
	assert.Len(t, seen, 3, "all three were met: %v", seen)
}
