package cpu

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"spinlab/asm"
	"spinlab/mem"
)

// Where a rig has its things. The second pages of code and data are mapped, the
// third are not.
const (
	rigCode     = 0x100000
	rigData     = 0x200000
	rigStack    = 0x302000 // top; one page below it
	rigIDT      = 0x400000
	rigGDT      = 0x401000
	rigHandlers = 0x500000 // 16 bytes each, all HLT
	nonCanon    = 0x800000000000
)

// rig is one core with memory, NOPs behind the code, an IDT whose gates lead to a HLT each, and a
// GDT. It starts at CPL 0 with IF clear.
type rig struct {
	t testing.TB
	c *Core
	p *mem.Port
	m *mem.Memory
}

// assemble gives the bytes of a source placed at base.
func assemble(t testing.TB, base uint64, src string) []byte {
	obj, err := asm.Assemble(asm.Options{Base: base}, asm.Source{Name: "test.s", Text: []byte(strings.ReplaceAll(src, ";", "\n") + "\n")})
	require.NoError(t, err, src)
	require.NotEmpty(t, obj.Sections, src)
	return obj.Sections[0].Data
}

func unhex(t testing.TB, s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(t, err)
	return b
}

// newRig runs code, bytes at rigCode.
func newRig(t testing.TB, code []byte, mode mem.CommitMode) *rig {
	m := mem.New()
	const rw = mem.Read | mem.Write
	require.NoError(t, m.Map(rigCode, 2*mem.PageSize, rw|mem.Exec))
	require.NoError(t, m.Map(rigData, 2*mem.PageSize, rw))
	require.NoError(t, m.Map(rigStack-mem.PageSize, mem.PageSize, rw))
	require.NoError(t, m.Map(rigIDT, 2*mem.PageSize, rw))
	require.NoError(t, m.Map(rigHandlers, mem.PageSize, mem.Read|mem.Exec))
	m.Fill(rigHandlers, mem.PageSize, 0xf4)
	m.Fill(rigCode, 2*mem.PageSize, 0x90)
	m.Poke(rigCode, code)
	c := NewCore(NewCode(nil))
	c.R[RSP], c.R[RDI] = rigStack, rigData
	c.IDT = Table{Base: rigIDT, Limit: 0xfff}
	c.Jump(rigCode)
	m.Poke(rigIDT, rigGates)
	return &rig{t, c, mem.NewPort(m, 0, nil, mode), m}
}

// rigGates is an IDT of interrupt gates.
var rigGates = func() (table []byte) {
	for v := range 256 {
		lo, hi := gateWords(14, handlerOf(uint8(v)))
		table = binary.LittleEndian.AppendUint64(table, lo)
		table = binary.LittleEndian.AppendUint64(table, hi)
	}
	return table
}()

// source is newRig with a text to assemble.
func rigOf(t testing.TB, src string) *rig {
	return newRig(t, assemble(t, rigCode, src), mem.Late)
}

func handlerOf(vec uint8) uint64 { return rigHandlers + uint64(vec)*16 }

// gate writes a gate of type kind (14 interrupt, 15 trap) for vec.
func (r *rig) gate(vec uint8, kind uint64, to uint64) {
	lo, hi := gateWords(kind, to)
	r.poke(rigIDT+uint64(vec)*16, lo)
	r.poke(rigIDT+uint64(vec)*16+8, hi)
}

func gateWords(kind, to uint64) (lo, hi uint64) {
	return to&0xffff | to>>16&0xffff<<48 | 0x10<<16 | kind<<40 | 1<<47, to >> 32
}

func (r *rig) poke(a, v uint64) {
	var b [8]byte
	for i := range b {
		b[i] = byte(v >> (i * 8))
	}
	require.Equal(r.t, 8, r.m.Poke(a, b[:]))
}

func (r *rig) peek(a uint64) uint64 { return r.m.PeekUint(a, 8) }

// run goes on for at most n instructions, draining when asked to.
func (r *rig) run(n uint64) Stop {
	end := r.c.Count.Instructions + n
	for r.c.Count.Instructions < end {
		switch st := r.c.Run(r.p, Budget{Retire: end - r.c.Count.Instructions}); st {
		case Drain:
			r.p.CommitAll()
		case Retired:
		default:
			return st
		}
	}
	return Retired
}

// handled checks that the core stands behind the HLT of vec's handler, which
// was its n-th retired instruction, and returns the frame: RIP, CS, RFLAGS, RSP, SS.
func (r *rig) handled(vec uint8, code int64) [5]uint64 {
	r.t.Helper()
	require.Equal(r.t, Exited, r.run(1000))
	require.Equal(r.t, ExitHLT, r.c.Exit.Kind)
	require.Equal(r.t, handlerOf(vec), r.c.Exit.RIP, "handler of %s", VectorName(vec))
	r.p.CommitAll()
	sp := r.c.R[RSP]
	if code >= 0 {
		require.Equal(r.t, uint64(code), r.peek(sp), "error code")
		sp += 8
	}
	var f [5]uint64
	for i := range f {
		f[i] = r.peek(sp + uint64(i)*8)
	}
	require.Zero(r.t, (sp+40)&15, "the frame hangs from a 16-byte boundary")
	return f
}

// faulted checks that the core stopped for an exception without a handler.
func (r *rig) faulted(vec uint8, code uint32) {
	r.t.Helper()
	require.Equal(r.t, Faulted, r.run(1000))
	require.Equal(r.t, VectorName(vec), VectorName(r.c.Fault.Vector))
	require.Equal(r.t, code, r.c.Fault.Error)
}
