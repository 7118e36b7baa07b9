package hardware

import (
	"fmt"
	"strings"

	"spinlab/cpu"
)

// The guest's address space: a code page (r-x), a scratch page (rw-), nothing
// beside them. runner.c has the same numbers.
const (
	codePage    = 0x100000
	scratchPage = 0x200000
	pageSize    = 0x1000
	gsBase      = scratchPage
	fsBase      = scratchPage + 0x100
	maxCode     = 128 // bytes a question can carry
)

// arith are the six arithmetic flags.
const arith = cpu.CF | cpu.PF | cpu.AF | cpu.ZF | cpu.SF | cpu.OF

// patch is memory of the scratch page that a case needs to have a value.
type patch struct {
	Off   int
	Bytes []byte
}

// testCase is code to run and the state that it starts in.
type testCase struct {
	Fill   uint64 // what the rest of the state is drawn from: see fillPage
	Offset int    // of the code in its page
	Code   []byte
	Regs   [16]uint64
	Flags  uint64
	XMM    [16][2]uint64
	Patch  []patch

	// Undef has the flags that are undefined when the case stops at an offset
	// into Code: each start of an instruction and the end. Elsewhere is for
	// any other place.
	Undef     map[int]uint64
	Elsewhere uint64
	UndefRegs uint16 // bit n: register n is undefined at the end
	AnyFault  uint64 // flags that are undefined if the case faults anywhere
	AnyCR2    bool   // two operands may be what faults first
	AnyPage   bool   // if it faults, stores before the one that did may be done or not

	// Counts is set if the case runs straight through, so that the place where
	// it stops tells how many instructions it retired.
	Counts bool
	Single bool // one instruction
}

// undefined are the flags not to compare for a run that stopped at rip.
func (c *testCase) undefined(rip uint64, faulted bool) uint64 {
	u, ok := c.Undef[int(rip-codePage)-c.Offset]
	if !ok {
		u = c.Elsewhere
	}
	if faulted {
		u |= c.AnyFault
	}
	return u
}

// retired is the number of instructions before rip in a case that Counts.
func (c *testCase) retired(rip uint64) (n uint64, ok bool) {
	at := int(rip-codePage) - c.Offset
	_, ok = c.Undef[at]
	for start := range c.Undef {
		if start < at {
			n++
		}
	}
	return n, ok && c.Counts
}

// page is the scratch page at the start.
func (c *testCase) page() *[pageSize]byte {
	p := fillPage(c.Fill)
	for _, x := range c.Patch {
		copy(p[x.Off:], x.Bytes)
	}
	return p
}

// listing disassembles the case as the cpu package reads it.
func (c *testCase) listing() string {
	var b strings.Builder
	for at := 0; at < len(c.Code); {
		rip := uint64(codePage + c.Offset + at)
		buf := [15]byte{}
		for i := range buf {
			buf[i] = 0xf4
		}
		copy(buf[:], c.Code[at:])
		op := cpu.Decode(buf[:], rip)
		n := max(1, min(int(op.Len), len(c.Code)-at))
		fmt.Fprintf(&b, "  %#x: %-30s %s\n", rip, fmt.Sprintf("%x", c.Code[at:at+n]), op.Format(rip, nil))
		at += n
	}
	return b.String()
}

// outcome is what a case led to, on the host or in the engine.
type outcome struct {
	Regs   [16]uint64
	Flags  uint64
	RIP    uint64
	XMM    [16][2]uint64
	HLT    bool // stopped at a HLT; else by an exception:
	Vector uint8
	Error  uint32
	CR2    uint64
	Page   [pageSize]byte
}

// splitMix is Vigna's generator (https://prng.di.unimi.it/splitmix64.c): a
// sequence that stays the same in every version of Go, for what the floor does
// not store.
type splitMix uint64

func (s *splitMix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// fillPage makes the content of the scratch page: random words, every fourth
// one of a few bits only so that zeros and small numbers occur.
func fillPage(seed uint64) *[pageSize]byte {
	var p [pageSize]byte
	s := splitMix(seed)
	for i := 0; i < pageSize; i += 8 {
		v := s.next()
		if v>>62 == 0 {
			v = interesting(&s)
		}
		for k := range 8 {
			p[i+k] = byte(v >> (k * 8))
		}
	}
	return &p
}

// fillState gives registers, flags and XMM their values of no particular
// choice.
func fillState(c *testCase) {
	s := splitMix(^c.Fill)
	for i := range c.Regs {
		c.Regs[i] = interesting(&s)
	}
	c.Flags = 0x202 | s.next()&arith
	for i := range c.XMM {
		c.XMM[i] = [2]uint64{s.next(), interesting(&s)}
	}
}

// interesting draws a number in which carries, signs and sizes matter.
func interesting(s *splitMix) uint64 {
	v, how := s.next(), s.next()
	switch how % 8 {
	case 0:
		return v % 4
	case 1:
		return -(v % 4)
	case 2:
		return 1<<(v%64) - v>>8%3
	case 3: // a boundary of a narrower width, with any upper half
		edge := [...]uint64{0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff}[v%9]
		return edge + v>>16%3 - 1 + v&0xffff000000000000
	case 4:
		return v >> (how >> 8 % 64)
	}
	return v
}
