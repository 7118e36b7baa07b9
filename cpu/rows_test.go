package cpu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"spinlab/mem"
)

// rowBytes has an encoding of every row: with registers, with a memory operand
// where it is the destination or the only one, or both.
var rowBytes = map[Mn]string{
	ADD: "01c8 0107", OR: "09c8 0907", ADC: "11c8 1107", SBB: "19c8 1907", AND: "21c8 2107", SUB: "29c8 2907", XOR: "31c8 3107",
	CMP: "39c8 3907", TEST: "85c8 8507", INC: "ffc0 ff07", DEC: "ffc8 ff0f", NEG: "f7d8 f71f", NOT: "f7d0 f717",
	ADCX: "660f38f6c8 660f38f60f", ADOX: "f30f38f6c8 f30f38f60f",
	MOV: "89c8 8907", MOVSEG: "8cd8 8c1f", MOVCR: "0f20c0", MOVDR: "0f21f8", MOVZX: "0fb6c1 0fb607", MOVSX: "0fbec1 0fbe07", MOVSXD: "4863c1 486307",
	MOVBE: "0f38f007 0f38f107", MOVNTI: "0fc307", CMOV: "0f44c8 0f440f", SET: "0f94c0 0f9407", LEA: "8d07", XCHG: "87c8 8707", BSWAP: "0fc8",
	CBW: "98", CWD: "99", XLAT: "d7",
	MUL: "f7e1 f727", IMUL: "f7e9 f72f", IMUL2: "0fafc1 0faf07", MULX: "c4e2f3f6d0 c4e2f3f617", DIV: "f7f1 f737", IDIV: "f7f9 f73f",
	ROL: "d3c0 d307", ROR: "d3c8 d30f", RCL: "d3d0 d317", RCR: "d3d8 d31f", SHL: "d3e0 d327", SHR: "d3e8 d32f", SAR: "d3f8 d33f",
	SHLD: "0fa5c8 0fa50f", SHRD: "0fadc8 0fad0f", SHLX: "c4e279f7d1 c4e279f717", SHRX: "c4e27bf7d1 c4e27bf717", SARX: "c4e27af7d1 c4e27af717", RORX: "c4e37bf0c805 c4e37bf00f05",
	BT: "0fa3c8 0fa30f", BTS: "0fabc8 0fab0f", BTR: "0fb3c8 0fb30f", BTC: "0fbbc8 0fbb0f", BSF: "0fbcc8 0fbc0f", BSR: "0fbdc8 0fbd0f",
	TZCNT: "f30fbcc8 f30fbc0f", LZCNT: "f30fbdc8 f30fbd0f", POPCNT: "f30fb8c8 f30fb80f",
	ANDN: "c4e270f2d0 c4e270f217", BEXTR: "c4e278f7d1 c4e278f717", BLSI: "c4e270f3d8 c4e270f31f", BLSMSK: "c4e270f3d0 c4e270f317", BLSR: "c4e270f3c8 c4e270f30f",
	BZHI: "c4e278f5d1 c4e278f517", PDEP: "c4e273f5d1 c4e273f517", PEXT: "c4e272f5d1 c4e272f517",
	JMP: "ffe0 ff27", JCC: "7500 0f8500000000", JRCXZ: "e300", LOOP: "e200", LOOPE: "e100", LOOPNE: "e000", CALL: "e800000000 ff17", RET: "c3 c20800",
	LCALL: "ff1f", LJMP: "ff2f", LRET: "cb ca0800",
	PUSH: "50 ff37", POP: "58 8f07", PUSHF: "9c", POPF: "9d", ENTER: "c8100000", LEAVE: "c9", LAHF: "9f", SAHF: "9e",
	MOVS: "a4", CMPS: "a6", STOS: "aa", LODS: "ac", SCAS: "ae", INS: "6c", OUTS: "6e",
	XADD: "0fc1c8 0fc10f", CMPXCHG: "0fb1c8 0fb10f", CMPXCHG8B: "0fc70f", CMPXCHG16B: "480fc70f",
	NOP: "90 0f1f07", PAUSE: "f390", ENDBR64: "f30f1efa", MFENCE: "0faef0", LFENCE: "0faee8", SFENCE: "0faef8", SERIALIZE: "0f01e8",
	CLC: "f8", STC: "f9", CMC: "f5", CLD: "fc", STD: "fd", CLI: "fa", STI: "fb",
	HLT: "f4", VMCALL: "0f01c1", VMMCALL: "0f01d9", CPUID: "0fa2", RDTSC: "0f31", RDTSCP: "0f01f9", RDPMC: "0f33", IN: "e460 ed", OUT: "e660 ef",
	RDMSR: "0f32", WRMSR: "0f30", MONITOR: "0f01c8", MWAIT: "0f01c9", SYSCALL: "0f05", SYSRET: "480f07", SYSENTER: "0f34", SYSEXIT: "0f35",
	LLDT: "0f00d0 0f0017", LTR: "0f00d8 0f001f", LMSW: "0f01f0 0f0137", CLTS: "0f06", INVD: "0f08", WBINVD: "0f09", INVPCID: "660f388207", XSETBV: "0f01d1",
	INT: "cd80", INT3: "cc", INT1: "f1", IRET: "48cf", UD2: "0f0b", UD1: "0fb9c8 0fb90f", UD0: "0fffc8 0fff0f", UNMODELLED: "0f77 dbe3 d9c0 c5f877", BAD: "06 0f04 d6",
	RDRAND: "0fc7f0", RDSEED: "0fc7f8", RDFSBASE: "f30faec0", RDGSBASE: "f30faec8", WRFSBASE: "f30faed0", WRGSBASE: "f30faed8", SWAPGS: "0f01f8",
	LGDT: "0f0117", LIDT: "0f011f", SGDT: "0f0107", SIDT: "0f010f", INVLPG: "0f013f", CLFLUSH: "0fae3f", CLFLUSHOPT: "660fae3f", CLWB: "660fae37", PREFETCH: "0f180f 0f0d0f",
	XBEGIN: "c7f800000000", XEND: "0f01d5", XABORT: "c6f8ff", XTEST: "0f01d6",

	MOVAPS: "0f28c8 0f2907", MOVAPD: "660f28c8 660f2907", MOVDQA: "660f6fc8 660f7f07", MOVUPS: "0f10c8 0f1107", MOVUPD: "660f10c8 660f1107", MOVDQU: "f30f6fc8 f30f7f07",
	LDDQU: "f20ff007", MOVNTDQ: "660fe707", MOVNTPS: "0f2b07", MOVNTPD: "660f2b07", MOVD: "660f6ec0 660f7e07", MOVQ: "66480f6ec0 660fd607",
	MOVSS: "f30f10c8 f30f1107", MOVSD: "f20f10c8 f20f1107", MOVLPS: "0f1207 0f1307", MOVLPD: "660f1207 660f1307", MOVHPS: "0f1607 0f1707", MOVHPD: "660f1607 660f1707",
	MOVHLPS: "0f12c8", MOVLHPS: "0f16c8", PINSRW: "660fc4c002 660fc40702", PEXTRW: "660fc5c007", MOVMSKPS: "0f50c0", MOVMSKPD: "660f50c0", PMOVMSKB: "660fd7c0",
	PAND: "660fdbc8 660fdb0f", ANDPS: "0f54c8 0f540f", ANDPD: "660f54c8 660f540f", PANDN: "660fdfc8 660fdf0f", ANDNPS: "0f55c8 0f550f", ANDNPD: "660f55c8 660f550f",
	POR: "660febc8 660feb0f", ORPS: "0f56c8 0f560f", ORPD: "660f56c8 660f560f", PXOR: "660fefc8 660fef0f", XORPS: "0f57c8 0f570f", XORPD: "660f57c8 660f570f",
	PADDB: "660ffcc8 660ffc0f", PADDW: "660ffdc8", PADDD: "660ffec8", PADDQ: "660fd4c8", PSUBB: "660ff8c8", PSUBW: "660ff9c8", PSUBD: "660ffac8", PSUBQ: "660ffbc8",
	PCMPEQB: "660f74c8", PCMPEQW: "660f75c8", PCMPEQD: "660f76c8", PCMPGTB: "660f64c8", PCMPGTW: "660f65c8", PCMPGTD: "660f66c8",
	PMINUB: "660fdac8", PMAXUB: "660fdec8", PMINSW: "660feac8", PMAXSW: "660feec8",
	PUNPCKLBW: "660f60c8", PUNPCKLWD: "660f61c8", PUNPCKLDQ: "660f62c8", PUNPCKLQDQ: "660f6cc8", PUNPCKHBW: "660f68c8", PUNPCKHWD: "660f69c8", PUNPCKHDQ: "660f6ac8", PUNPCKHQDQ: "660f6dc8",
	UNPCKLPS: "0f14c8", UNPCKLPD: "660f14c8", UNPCKHPS: "0f15c8", UNPCKHPD: "660f15c8", PSHUFD: "660f70c8e0", PSHUFLW: "f20f70c800", PSHUFHW: "f30f70c800",
	SHUFPS: "0fc6c888", SHUFPD: "660fc6c801", PSLLW: "660f71f001 660ff1c8", PSLLD: "660f72f001 660ff2c8", PSLLQ: "660f73f001 660ff3c8",
	PSRLW: "660f71d001 660fd1c8", PSRLD: "660f72d001 660fd2c8", PSRLQ: "660f73d001 660fd3c8", PSRAW: "660f71e001 660fe1c8", PSRAD: "660f72e001 660fe2c8",
	PSLLDQ: "660f73f808", PSRLDQ: "660f73d808",
}

// lockable are the instructions that LOCK may precede, as the manual lists them
// (SDM vol. 2A, LOCK), with a memory destination only.
var lockable = map[Mn]bool{ADD: true, ADC: true, AND: true, BTC: true, BTR: true, BTS: true, CMPXCHG: true, CMPXCHG8B: true, CMPXCHG16B: true,
	DEC: true, INC: true, NEG: true, NOT: true, OR: true, SBB: true, SUB: true, XOR: true, XADD: true, XCHG: true}

// stopsOnly are the rows that name what is not modelled, and #UD.
func stopsOnly(mn Mn) bool {
	o := Op{Mn: mn}
	c := NewCore(NewCode(nil))
	return Rows[mn].Class != ClassString && Rows[mn].Dst == dstNone && Rows[mn].Flag == opEnd && Rows[mn].Fn(c, &o) == unsupported
}

// encodings calls visit for every encoding of every row.
func encodings(t *testing.T, visit func(mn Mn, code []byte, o Op)) {
	for mn := range NumMn {
		for _, digits := range strings.Fields(rowBytes[mn]) {
			code := unhex(t, digits)
			visit(mn, code, Decode(code, rigCode))
		}
	}
}

// TestEveryRow: every row has a name, a handler, and a case here that decodes
// to it in full length; what has no handler of its own says that it is not
// modelled.
func TestEveryRow(t *testing.T) {
	for mn := range NumMn {
		require.NotEmpty(t, Rows[mn].Name, "row %d", mn)
		require.NotNil(t, Rows[mn].Fn, Rows[mn].Name)
		require.NotEmpty(t, rowBytes[mn], Rows[mn].Name)
	}
	encodings(t, func(mn Mn, code []byte, o Op) {
		assert.Equal(t, Rows[mn].Name, Rows[o.Mn].Name, "% x", code)
		assert.Equal(t, mn, o.Mn, "% x", code)
		if mn != BAD {
			assert.Len(t, code, int(o.Len), "% x %s", code, Rows[mn].Name)
		}
	})
}

// TestEveryRowRuns: at CPL 0 each encoding does something that can be seen: it
// retires, exits, faults or names itself as not modelled.
func TestEveryRowRuns(t *testing.T) {
	encodings(t, func(mn Mn, code []byte, o Op) {
		r := newRig(t, code, mem.Late)
		for i := range 16 {
			r.c.R[i] = rigData
		}
		r.c.R[RSP], r.c.R[RDX], r.c.R[RCX] = rigStack-64, 0, 8
		r.c.IDT = Table{}
		st := r.run(1)
		text := o.Format(rigCode, nil)
		switch st {
		case Retired, Exited:
			require.False(t, stopsOnly(mn), text)
			require.EqualValues(t, 1, r.c.Count.Instructions, text)
			require.True(t, r.c.RIP != rigCode || mn == JMP, text)
		case Unsupported:
			require.NotEmpty(t, r.c.Why, text)
			require.Contains(t, r.c.Why, "not modelled", text)
			require.EqualValues(t, rigCode, r.c.RIP, text)
			require.True(t, stopsOnly(mn), text)
		case Faulted:
			require.Contains(t, []Mn{INT, INT3, INT1, UD0, UD1, UD2, BAD, XEND, DIV, IDIV, IRET, MOVSEG, RET, JMP, CALL}, mn, text)
		default:
			t.Fatalf("%s: %s", text, st)
		}
	})
}

// TestLockLegality: LOCK is #UD before every encoding of every row, but before
// the lockable ones with a memory destination, which it makes atomic.
func TestLockLegality(t *testing.T) {
	for mn := range NumMn {
		assert.Equal(t, lockable[mn], Rows[mn].Lock, Rows[mn].Name)
	}
	encodings(t, func(mn Mn, code []byte, bare Op) {
		locked := append([]byte{0xf0}, code...)
		o := Decode(locked, rigCode)
		legal := lockable[mn] && strings.Contains(bare.Format(rigCode, nil), "(%rdi)")
		if !legal {
			r := newRig(t, locked, mem.Late)
			r.c.IDT = Table{}
			r.faulted(vecUD, 0)
			require.Zero(t, r.c.Count.Locked)
			return
		}
		require.Equal(t, mn, o.Mn)
		r := newRig(t, locked, mem.Late)
		require.Equal(t, Retired, r.run(1), "% x", locked)
		require.EqualValues(t, 1, r.c.Count.Locked, "% x", locked)
		require.Zero(t, r.p.B.N, "a locked store is not buffered")
	})
}

// TestLockWrongWay: memory as the source, and XCHG without the prefix.
func TestLockWrongWay(t *testing.T) {
	for _, digits := range []string{"f00307", "f03307", "f03b07", "f00f0b", "f00fba2003", "f0660f6fc0", "f0a4", "f0f3a4", "f0c4e270f2d0", "f0e800000000", "f0dbe3"} {
		r := newRig(t, unhex(t, digits), mem.Late)
		r.c.IDT = Table{}
		r.faulted(vecUD, 0)
	}
	for _, digits := range []string{"8707", "8607", "f08707", "668707", "488707"} {
		r := newRig(t, unhex(t, digits), mem.Late)
		require.Equal(t, Retired, r.run(1))
		require.EqualValues(t, 1, r.c.Count.Locked, digits)
	}
}

// TestRepeatPrefixesIgnored: F2 and F3 change nothing before instructions for
// which they mean nothing: HLE hints, BND, `rep ret`. The prefixes of SSE and
// of F3 0F B8, BC and BD choose another instruction, and the string ones count.
func TestRepeatPrefixesIgnored(t *testing.T) {
	means := func(code []byte) bool {
		return code[0] == 0x0f || code[0] == 0x66 || code[0] == 0x90 || code[0] == 0xf3 || code[0] == 0xf2 || code[0] == 0xc4 || code[0] == 0xc5 ||
			code[0] >= 0xa4 && code[0] <= 0xaf || code[0] >= 0x6c && code[0] <= 0x6f || code[0] == 0x48
	}
	n := 0
	encodings(t, func(mn Mn, code []byte, o Op) {
		if means(code) || mn == UNMODELLED || mn == BAD {
			return
		}
		for _, pfx := range []byte{0xf2, 0xf3} {
			p := Decode(append([]byte{pfx}, code...), rigCode-1)
			p.Len--
			o.fn, p.fn = nil, nil
			require.Equal(t, o, p, "%02x % x", pfx, code)
			n++
		}
	})
	require.Greater(t, n, 150)
	for _, digits := range []string{"f2f00fc10f", "f3f00fc10f", "f3f00fb10f", "f2f00fb10f", "f20fc10f", "f3f00fc70f", "f2f0480fc70f", "f3f00fba2f05", "f3f0800701", "f20f94c0", "f30f44c8", "f20f8500000000", "f20fa2", "f30f31", "f20f1f07"} {
		code := unhex(t, digits)
		o, bare := Decode(code, rigCode), Decode(code[1:], rigCode+1)
		o.Len--
		o.fn, bare.fn = nil, nil
		require.Equal(t, bare, o, digits)
	}
}
