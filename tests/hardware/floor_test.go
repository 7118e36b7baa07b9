package hardware

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/cpu"
)

var update = flag.Bool("update", false, "make a new floor from this host's results")

const (
	floorFile  = "testdata/floor.jsonl.gz"
	floorSeed  = 64
	floorCases = 4000
	floorLimit = 600 << 10 // bytes of the file
)

// stored is a case of the floor with its result. What follows from Fill is not
// stored; the end has only what is not as it was at the start.
type stored struct {
	Fill   uint64         `json:"s"`
	Offset int            `json:"o"`
	Code   []byte         `json:"c"`
	Regs   map[int]uint64 `json:"r,omitempty"`
	Flags  uint64         `json:"f"`
	Patch  []patch        `json:"p,omitempty"`
	Undef  uint64         `json:"u,omitempty"` // flags, where it stopped
	URegs  uint16         `json:"ur,omitempty"`
	Loose  int            `json:"l,omitempty"` // 1: AnyCR2, 2: AnyPage
	Count  *uint64        `json:"n,omitempty"` // instructions retired, if known

	RIP    uint64            `json:"ip"` // from the start of the code page
	HLT    bool              `json:"h,omitempty"`
	Vector uint8             `json:"v,omitempty"`
	Error  uint32            `json:"e,omitempty"`
	CR2    uint64            `json:"a,omitempty"`
	ERegs  map[int]uint64    `json:"er,omitempty"`
	EFlags uint64            `json:"ef"`
	EXMM   map[int][2]uint64 `json:"ex,omitempty"`
	EPage  []patch           `json:"em,omitempty"`
}

// base is a case of which nothing was chosen.
func base(fill uint64) *testCase {
	c := &testCase{Fill: fill, Undef: map[int]uint64{}}
	fillState(c)
	return c
}

// store packs a case with the processor's outcome.
func store(c *testCase, o *outcome) *stored {
	b := base(c.Fill)
	s := &stored{Fill: c.Fill, Offset: c.Offset, Code: c.Code, Flags: c.Flags, Patch: c.Patch, Undef: c.undefined(o.RIP, !o.HLT),
		URegs: c.UndefRegs, RIP: o.RIP - codePage, HLT: o.HLT, Vector: o.Vector, Error: o.Error, CR2: o.CR2,
		Regs: map[int]uint64{}, ERegs: map[int]uint64{}, EXMM: map[int][2]uint64{}}
	if o.HLT {
		s.Vector = 0
	}
	if c.AnyCR2 {
		s.Loose |= 1
	}
	if c.AnyPage {
		s.Loose |= 2
	}
	s.EFlags = o.Flags &^ s.Undef
	if n, ok := c.retired(o.RIP); ok {
		s.Count = &n
	}
	for i := range c.Regs {
		if c.Regs[i] != b.Regs[i] {
			s.Regs[i] = c.Regs[i]
		}
		if o.Regs[i] != c.Regs[i] && c.UndefRegs>>i&1 == 0 {
			s.ERegs[i] = o.Regs[i]
		}
		if o.XMM[i] != c.XMM[i] {
			s.EXMM[i] = o.XMM[i]
		}
	}
	s.EPage = pageRuns(c.page(), &o.Page)
	return s
}

// pageRuns are the bytes that changed.
func pageRuns(before, after *[pageSize]byte) (list []patch) {
	for i := 0; i < pageSize; i++ {
		from := i
		for i < pageSize && before[i] != after[i] {
			i++
		}
		if i > from {
			list = append(list, patch{from, after[from:i]})
		}
	}
	return list
}

// load unpacks a case and its outcome.
func (s *stored) load() (*testCase, *outcome) {
	c := base(s.Fill)
	c.Offset, c.Code, c.Flags, c.Patch = s.Offset, s.Code, s.Flags, s.Patch
	c.UndefRegs, c.AnyCR2, c.AnyPage = s.URegs, s.Loose&1 != 0, s.Loose&2 != 0
	c.Elsewhere = s.Undef
	for i, v := range s.Regs {
		c.Regs[i] = v
	}
	o := &outcome{Regs: c.Regs, Flags: s.EFlags, RIP: codePage + s.RIP, XMM: c.XMM, HLT: s.HLT, Vector: s.Vector, Error: s.Error, CR2: s.CR2, Page: *c.page()}
	for i, v := range s.ERegs {
		o.Regs[i] = v
	}
	for i, v := range s.EXMM {
		o.XMM[i] = v
	}
	for _, p := range s.EPage {
		copy(o.Page[p.Off:], p.Bytes)
	}
	return c, o
}

// TestFloor runs the stored cases, on every host; with -update it makes them.
func TestFloor(t *testing.T) {
	if *update {
		updateFloor(t)
	}
	list := engines()
	bad := 0
	for i, s := range readFloor(t) {
		if testing.Short() && i%4 != 0 {
			continue
		}
		c, want := s.load()
		why := checkEngines(list, c, want)
		if _, count, err := list[0].run(c); why == "" && err == nil && s.Count != nil && count != *s.Count {
			why = "retired another number of instructions"
		}
		if why == "" {
			continue
		}
		if bad++; bad <= 20 {
			t.Errorf("case %d: %s\nbytes %x\n%s  start: %s\n  processor: %s", i, why, c.Code, c.listing(), stateText(&c.Regs, c.Flags), want.text())
		}
	}
	if bad > 0 {
		t.Errorf("%d cases differ from the processor", bad)
	}
}

func readFloor(t testing.TB) (list []*stored) {
	f, err := os.Open(floorFile)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	in := json.NewDecoder(bufio.NewReader(z))
	for in.More() {
		var s stored
		require.NoError(t, in.Decode(&s))
		list = append(list, &s)
	}
	require.Len(t, list, floorCases)
	return list
}

// updateFloor asks the host.
func updateFloor(t *testing.T) {
	h := startHost(t)
	var cases []*testCase
	for i := range uint64(floorCases) {
		cases = append(cases, generate(floorSeed, i, h.features))
	}
	replies, err := h.ask(cases)
	require.NoError(t, err)
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	require.NoError(t, err)
	out := json.NewEncoder(z)
	for i, c := range cases {
		o, err := replies[i].outcome()
		require.NoError(t, err, c.listing())
		require.False(t, skip(c, &o), "this host's kernel traps split locks")
		require.NoError(t, out.Encode(store(c, &o)))
	}
	require.NoError(t, z.Close())
	require.Less(t, buf.Len(), floorLimit)
	require.NoError(t, os.WriteFile(floorFile, buf.Bytes(), 0o644))
	t.Logf("%s: %d cases, %d bytes", h.vendor, len(cases), buf.Len())
}

// notOnFloor are the rows that no case of the floor can have, and why. All of
// them need CPL 0, a driver to answer, or a host that differs from others.
var notOnFloor = map[cpu.Mn]string{
	cpu.LCALL: unmodelled, cpu.LJMP: unmodelled, cpu.LRET: unmodelled, cpu.INS: unmodelled, cpu.OUTS: unmodelled,
	cpu.SYSCALL: unmodelled + "; on the host a system call", cpu.SYSENTER: unmodelled, cpu.RDPMC: unmodelled,
	cpu.UNMODELLED: unmodelled,

	cpu.SYSEXIT: "#GP at CPL 3 on Intel's processors, #UD on AMD's",
	cpu.INT1:    "hypervisors differ about the saved RIP (this floor's host was a guest)",
	cpu.VMCALL:  "asks the hypervisor: vmm's tests of hypercalls",
	cpu.VMMCALL: "asks the hypervisor: vmm's tests of hypercalls",
	cpu.SGDT:    "Linux answers it for programs where UMIP is on (arch/x86/kernel/umip.c)",
	cpu.SIDT:    "Linux answers it for programs where UMIP is on (arch/x86/kernel/umip.c)",

	cpu.SERIALIZE: "the floor's host has no SERIALIZE; TestAgainstHost runs it where CPUID does",
	cpu.XBEGIN:    "aborts or is #UD, as the host's TSX goes",
	cpu.XEND:      "aborts or is #UD, as the host's TSX goes",
	cpu.XABORT:    "aborts or is #UD, as the host's TSX goes",
	cpu.XTEST:     "aborts or is #UD, as the host's TSX goes",
}

const unmodelled = "not modelled: the engine stops and names it"

// TestCoverage asks for a case of every row, and that none of the exceptions
// is out of date.
func TestCoverage(t *testing.T) {
	seen := map[cpu.Mn]int{}
	for _, s := range readFloor(t) {
		c, _ := s.load()
		for mn := range rowsOf(c) {
			seen[mn]++
		}
	}
	for mn := range cpu.NumMn {
		if cpu.Rows[mn].Name == "" {
			continue // a number between the groups
		}
		if why := notOnFloor[mn]; why != "" {
			assert.Zero(t, seen[mn], "%v (%d) has cases, but: %s", mn, mn, why)
		} else {
			assert.NotZero(t, seen[mn], "%v (row %d) has no case", mn, mn)
		}
	}
	t.Logf("%d rows have cases, %d cannot", len(seen), len(notOnFloor))
}

// rowsOf decodes the case from its start.
func rowsOf(c *testCase) map[cpu.Mn]bool {
	list := map[cpu.Mn]bool{}
	for at := 0; at < len(c.Code); {
		buf := [15]byte{}
		copy(buf[:], c.Code[at:])
		op := cpu.Decode(buf[:], uint64(codePage+c.Offset+at))
		list[op.Mn] = true
		at += max(1, int(op.Len))
	}
	return list
}

// TestGeneratorMeansIt checks the generator against the decoder: every row with
// recipes comes out as that row, so that a wrong encoding cannot hide.
func TestGeneratorMeansIt(t *testing.T) {
	made := map[cpu.Mn]int{}
	for mn, list := range recipes {
		for _, r := range list {
			for i := range uint64(20) {
				c := generateOne(r, i)
				if rowsOf(c)[mn] {
					made[mn]++
				}
			}
		}
	}
	for mn := range maps.Keys(recipes) {
		assert.NotZero(t, made[mn], "%v", mn)
	}
}
