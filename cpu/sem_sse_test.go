package cpu

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

var sseCases = flag.String("sse-cases", "testdata/sse.jsonl", "instructions with the results of a real x86-64 processor")

// hexNum is a number written as a hexadecimal string.
type hexNum uint64

func (n *hexNum) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseUint(string(b[1:len(b)-1]), 0, 64)
	*n = hexNum(v)
	return err
}

// hexBytes is bytes written as hexadecimal digits.
type hexBytes []byte

func (h *hexBytes) UnmarshalJSON(b []byte) (err error) {
	*h, err = hex.DecodeString(string(b[1 : len(b)-1]))
	return err
}

type memoryRun struct {
	Off int      `json:"off"`
	Hex hexBytes `json:"hex"`
}

// nativeCase is one run of a real processor at CPL 3: code from codeAt up to
// the first HLT, one page of data at dataAt that GS points to as well.
type nativeCase struct {
	ID       int               `json:"id"`
	Asm      string            `json:"asm"`
	Bytes    hexBytes          `json:"bytes"`
	Regs     map[string]hexNum `json:"regs"`
	Flags    hexNum            `json:"flags"`
	Mem      []memoryRun       `json:"mem"`
	XMM      []hexBytes        `json:"xmm"`
	WantRegs map[string]hexNum `json:"exp_regs"`
	WantRIP  hexNum            `json:"exp_rip"`
	WantFl   hexNum            `json:"exp_flags"`
	WantMem  []memoryRun       `json:"exp_mem"`
	WantXMM  []hexBytes        `json:"exp_xmm"`
	Fault    *struct {
		Vector int    `json:"vector"`
		Error  uint32 `json:"error"`
	} `json:"fault"`
}

const (
	codeAt = 0x100000
	dataAt = 0x200000
)

// newNative makes a core and its memory in the state of the case.
func newNative(t *testing.T, n *nativeCase) (*Core, *mem.Port) {
	m := mem.New()
	require.NoError(t, m.Map(codeAt, mem.PageSize, mem.Read|mem.Exec))
	require.NoError(t, m.Map(dataAt, mem.PageSize, mem.Read|mem.Write))
	m.Poke(codeAt, append(append([]byte(nil), n.Bytes...), 0xf4))
	for _, r := range n.Mem {
		m.Poke(dataAt+uint64(r.Off), r.Hex)
	}
	c := NewCore(NewCode(nil))
	c.SetCPL(3)
	c.HLTAny, c.GSBase = true, dataAt
	for i, name := range RegNames {
		c.R[i] = uint64(n.Regs[name])
	}
	for i, x := range n.XMM {
		c.XMM[i] = xmmOf(x)
	}
	c.SetRFlags(uint64(n.Flags))
	c.Jump(codeAt)
	return c, mem.NewPort(m, 0, nil, mem.Eager)
}

func xmmOf(b []byte) (v [2]uint64) {
	for i, x := range b {
		v[i>>3] |= uint64(x) << (i & 7 * 8)
	}
	return v
}

func TestSSEAgainstNative(t *testing.T) {
	f, err := os.Open(*sseCases)
	require.NoError(t, err)
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	cases := 0
	for in.Scan() {
		var n nativeCase
		require.NoError(t, json.Unmarshal(in.Bytes(), &n))
		cases++
		for _, plain := range []bool{true, false} {
			if !checkNative(t, &n, plain) {
				t.Logf("case %d: %s (% x), reference handlers only: %v", n.ID, n.Asm, []byte(n.Bytes), plain)
			}
		}
	}
	require.NoError(t, in.Err())
	assert.NotZero(t, cases)
}

// checkNative runs one case and says whether all came out as on the processor.
func checkNative(t *testing.T, n *nativeCase, plain bool) bool {
	c, p := newNative(t, n)
	c.Plain = plain
	stop := c.Run(p, Budget{Retire: 100})
	ok := true
	rip := c.RIP
	if n.Fault == nil {
		ok = assert.Equal(t, Exited, stop, "stop; %s", c.Why)
		rip-- // HLT retired here
	} else {
		ok = assert.Equal(t, Faulted, stop) && assert.EqualValues(t, n.Fault.Vector, c.Fault.Vector) &&
			assert.Equal(t, n.Fault.Error, c.Fault.Error)
	}
	ok = assert.Equal(t, uint64(n.WantRIP), rip, "RIP") && ok
	ok = assert.Equal(t, uint64(n.WantFl)&0xcd5, c.RFlags()&0xcd5, "flags") && ok
	for i, name := range RegNames {
		want, changed := n.WantRegs[name]
		if !changed {
			want = n.Regs[name]
		}
		ok = assert.Equal(t, uint64(want), c.R[i], name) && ok
	}
	for i, x := range n.WantXMM {
		ok = assert.Equal(t, xmmOf(x), c.XMM[i], "XMM%d", i) && ok
	}
	want := make([]byte, mem.PageSize)
	for _, r := range append(n.Mem, n.WantMem...) {
		copy(want[r.Off:], r.Hex)
	}
	got := make([]byte, mem.PageSize)
	p.M.Peek(dataAt, got)
	return assert.Equal(t, want, got, "memory") && ok
}

func TestSSETurnedOff(t *testing.T) {
	movups := []byte{0x0f, 0x10, 0x07}
	for _, tc := range []struct {
		name     string
		cr0, cr4 uint64
		vec      uint8
	}{
		{"TS", cr0TS, cr4OSFXSR, vecNM},
		{"EM", cr0EM, cr4OSFXSR, vecUD},
		{"EM and TS", cr0EM | cr0TS, cr4OSFXSR, vecUD},
		{"no OSFXSR", 0, 0, vecUD},
		{"no OSFXSR, TS", cr0TS, 0, vecUD},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, p := newNative(t, &nativeCase{Bytes: movups, Regs: map[string]hexNum{"RDI": 0xdead0000}})
			c.CR[0], c.CR[4] = c.CR[0]|tc.cr0, c.CR[4]&^cr4OSFXSR|tc.cr4
			require.Equal(t, Faulted, c.Run(p, Budget{Retire: 1}))
			assert.Equal(t, tc.vec, c.Fault.Vector, "before the page fault")
		})
	}
}

// A 16-byte store that reaches an unmapped page leaves its first half undone.
func TestSSEStoreFaultsWhole(t *testing.T) {
	const last = dataAt + mem.PageSize - 8
	n := &nativeCase{Bytes: []byte{0x0f, 0x11, 0x07}, Regs: map[string]hexNum{"RDI": last}, XMM: []hexBytes{{1, 2, 3}}}
	c, p := newNative(t, n)
	require.Equal(t, Faulted, c.Run(p, Budget{Retire: 1}))
	assert.EqualValues(t, vecPF, c.Fault.Vector)
	assert.EqualValues(t, last+8, c.Fault.CR2)
	assert.Zero(t, p.M.PeekUint(last, 8))
}

func TestWhatSSEDoesNotModel(t *testing.T) {
	for _, tc := range []struct{ name, code, why string }{
		{"MMX logic", "0fefca", "pxor %mm2,%mm1"},
		{"MMX load", "0f6f07", "movq (%rdi),%mm0"},
		{"MMX from general", "0f6ec0", "movd %eax,%mm0"},
		{"MMX shuffle", "0f70ca05", "pshufw $0x5,%mm2,%mm1"},
		{"MMX store", "0fe707", "movntq %mm0,(%rdi)"},
		{"from MMX", "f30fd6c1", "movq2dq %mm1,%xmm0"},
		{"arithmetic", "0f58c1", "addps %xmm1,%xmm0"},
		{"conversion", "f20f2ac0", "cvtsi2sd %eax,%xmm0"},
		{"SSSE3", "660f3800c1", "pshufb %xmm1,%xmm0"},
		{"SSE4.1 store", "660f3a150701", "the SSE4.1 form of pextrw"},
		{"AVX", "c5f9efc0", "vpxor %xmm0,%xmm0,%xmm0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, err := hex.DecodeString(tc.code)
			require.NoError(t, err)
			c, p := newNative(t, &nativeCase{Bytes: code, Regs: map[string]hexNum{"RDI": dataAt}})
			before := c.State
			require.Equal(t, Unsupported, c.Run(p, Budget{Retire: 1}))
			assert.Equal(t, tc.why+" is not modelled", c.Why)
			assert.Equal(t, before, c.State, "nothing happened")
		})
	}
}
