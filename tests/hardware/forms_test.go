package hardware

import (
	"encoding/hex"
	"fmt"
	"strings"

	"spinlab/cpu"
)

// form is one encoding of an instruction with a ModRM byte, an accumulator, or
// nothing.
type form struct {
	mn     cpu.Mn
	vex    bool
	prefix byte // mandatory: 66, F2 or F3; of a VEX form pp
	op     []byte
	ext    int    // /digit in the reg field, -1: a register
	enc    string // see parseForm
	widths []int
	imm    string
	memory int // bytes of a memory operand, 0: the operand width
	noMem  bool
	noReg  bool
	xreg   bool // the reg field names an XMM register
	xrm    bool // r/m names an XMM register
	lock   bool
	need   feature
}

var featureNames = map[string]feature{"sse3": featSSE3, "cx16": featCX16, "movbe": featMOVBE, "popcnt": featPOPCNT,
	"rdrand": featRDRAND, "bmi1": featBMI1, "bmi2": featBMI2, "rdseed": featRDSEED, "adx": featADX, "clflushopt": featFlushOpt,
	"clwb": featCLWB, "lahf": featLAHF, "lzcnt": featLZCNT, "serialize": featSERIALIZE, "fsgsbase": featFSGSBase, "prefetchw": featPrefetchW, "invpcid": featINVPCID}

// parseForm reads a form: the opcode as the SDM writes it, then words.
//
//	MR RM          register and r/m, in the order that assembly lists them
//	M, /0 to /7    r/m alone
//	O              the register is in the opcode
//	A              the accumulator is implied
//	Z              no operands
//	RVM RMV VM     VEX forms; V is the register in the prefix
//	b w l q        operand widths; the byte form's opcode is one below
//	ib iw iz iv    immediates: a byte, two, up to four, up to eight
//	xx xg gx       classes of reg and r/m: XMM or general
//	m1 to m16      bytes of the memory operand if not the operand width
//	mem reg lock   restrictions, and the permission to LOCK
func parseForm(mn cpu.Mn, text string) form {
	f := form{mn: mn, ext: -1}
	for i, w := range strings.Fields(text) {
		switch {
		case f.op == nil:
			f.opcode(w)
		case w == "MR" || w == "RM" || w == "M" || w == "O" || w == "A" || w == "Z" || w == "RVM" || w == "RMV" || w == "VM":
			f.enc = w
		case w[0] == '/':
			f.ext = int(w[1] - '0')
			if f.enc == "" {
				f.enc = "M"
			}
		case strings.Trim(w, "bwlq") == "":
			for _, c := range w {
				f.widths = append(f.widths, map[rune]int{'b': 1, 'w': 2, 'l': 4, 'q': 8}[c])
			}
		case len(w) == 2 && w[0] == 'i':
			f.imm = w
		case w == "xx" || w == "xg" || w == "gx":
			f.xreg, f.xrm = w[0] == 'x', w[1] == 'x'
		case w == "mem" || w == "reg" || w == "lock":
			f.noReg, f.noMem, f.lock = f.noReg || w == "mem", f.noMem || w == "reg", f.lock || w == "lock"
		case featureNames[w] != 0:
			f.need |= featureNames[w]
		default:
			if _, err := fmt.Sscanf(w, "m%d", &f.memory); err != nil {
				panic(fmt.Sprintf("%v: word %d of %q", mn, i, text))
			}
		}
	}
	if f.widths == nil {
		f.widths = []int{4}
	}
	return f
}

// opcode reads "F3", "VEX3" or the opcode itself; a prefix leaves op nil.
func (f *form) opcode(w string) {
	switch {
	case strings.HasPrefix(w, "VEX"):
		f.vex, f.prefix = true, w[3]-'0'
	case (w == "66" || w == "F2" || w == "F3") && f.prefix == 0:
		b, _ := hex.DecodeString(w)
		f.prefix = b[0]
	default:
		b, err := hex.DecodeString(w)
		if err != nil {
			panic(w)
		}
		f.op = b
	}
}

// forms are the encodings by instruction. What needs more than operands at
// random, the stack, strings and jumps, is in special_test.go and after.
var forms = parseForms(`
add 01 MR bwlq lock; add 03 RM bwlq; add 81 /0 bwlq iz lock; add 83 /0 wlq ib lock; add 05 A bwlq iz
or 09 MR bwlq lock; or 0B RM bwlq; or 81 /1 bwlq iz lock; or 83 /1 wlq ib lock; or 0D A bwlq iz
adc 11 MR bwlq lock; adc 13 RM bwlq; adc 81 /2 bwlq iz lock; adc 83 /2 wlq ib lock; adc 15 A bwlq iz
sbb 19 MR bwlq lock; sbb 1B RM bwlq; sbb 81 /3 bwlq iz lock; sbb 83 /3 wlq ib lock; sbb 1D A bwlq iz
and 21 MR bwlq lock; and 23 RM bwlq; and 81 /4 bwlq iz lock; and 83 /4 wlq ib lock; and 25 A bwlq iz
sub 29 MR bwlq lock; sub 2B RM bwlq; sub 81 /5 bwlq iz lock; sub 83 /5 wlq ib lock; sub 2D A bwlq iz
xor 31 MR bwlq lock; xor 33 RM bwlq; xor 81 /6 bwlq iz lock; xor 83 /6 wlq ib lock; xor 35 A bwlq iz
cmp 39 MR bwlq; cmp 3B RM bwlq; cmp 81 /7 bwlq iz; cmp 83 /7 wlq ib; cmp 3D A bwlq iz
test 85 MR bwlq; test F7 /0 bwlq iz; test F7 /1 bwlq iz; test A9 A bwlq iz
inc FF /0 bwlq lock; dec FF /1 bwlq lock; not F7 /2 bwlq lock; neg F7 /3 bwlq lock
adcx 66 0F38F6 RM lq adx; adox F3 0F38F6 RM lq adx
mov 89 MR bwlq; mov 8B RM bwlq; mov C7 /0 bwlq iz; mov B8 O wlq iv; mov B0 O b ib
movz 0FB6 RM wlq m1; movz 0FB7 RM lq m2; movs 0FBE RM wlq m1; movs 0FBF RM lq m2; movsl 63 RM wlq m4
movbe 0F38F0 RM wlq mem movbe; movbe 0F38F1 MR wlq mem movbe; movnti 0FC3 MR lq mem
cmov 0F40 RM wlq; set 0F90 M b; lea 8D RM wlq mem
xchg 87 MR bwlq lock; xchg 90 O wlq; bswap 0FC8 O lq
cbw 98 Z wlq; cwd 99 Z wlq
mul F7 /4 bwlq; imul F7 /5 bwlq; imul2 0FAF RM wlq; imul2 69 RM wlq iz; imul2 6B RM wlq ib; mulx VEX3 0F38F6 RVM lq bmi2
div F7 /6 bwlq; idiv F7 /7 bwlq
rol C1 /0 bwlq ib; rol D1 /0 bwlq; rol D3 /0 bwlq; ror C1 /1 bwlq ib; ror D1 /1 bwlq; ror D3 /1 bwlq
rcl C1 /2 bwlq ib; rcl D1 /2 bwlq; rcl D3 /2 bwlq; rcr C1 /3 bwlq ib; rcr D1 /3 bwlq; rcr D3 /3 bwlq
shl C1 /4 bwlq ib; shl D1 /4 bwlq; shl D3 /4 bwlq; shl C1 /6 bwlq ib; shl D3 /6 bwlq
shr C1 /5 bwlq ib; shr D1 /5 bwlq; shr D3 /5 bwlq; sar C1 /7 bwlq ib; sar D1 /7 bwlq; sar D3 /7 bwlq
shld 0FA4 MR wlq ib; shld 0FA5 MR wlq; shrd 0FAC MR wlq ib; shrd 0FAD MR wlq
shlx VEX1 0F38F7 RMV lq bmi2; sarx VEX2 0F38F7 RMV lq bmi2; shrx VEX3 0F38F7 RMV lq bmi2; rorx VEX3 0F3AF0 RM lq ib bmi2
bt 0FA3 MR wlq; bts 0FAB MR wlq lock; btr 0FB3 MR wlq lock; btc 0FBB MR wlq lock
bt 0FBA /4 wlq ib; bts 0FBA /5 wlq ib lock; btr 0FBA /6 wlq ib lock; btc 0FBA /7 wlq ib lock
bsf 0FBC RM wlq; bsr 0FBD RM wlq; tzcnt F3 0FBC RM wlq bmi1; lzcnt F3 0FBD RM wlq lzcnt; popcnt F3 0FB8 RM wlq popcnt
andn VEX0 0F38F2 RVM lq bmi1; bextr VEX0 0F38F7 RMV lq bmi1; bzhi VEX0 0F38F5 RMV lq bmi2
blsr VEX0 0F38F3 VM /1 lq bmi1; blsmsk VEX0 0F38F3 VM /2 lq bmi1; blsi VEX0 0F38F3 VM /3 lq bmi1
pdep VEX3 0F38F5 RVM lq bmi2; pext VEX2 0F38F5 RVM lq bmi2
lahf 9F Z lahf; sahf 9E Z lahf
xadd 0FC1 MR bwlq lock; cmpxchg 0FB1 MR bwlq lock; cmpxchg8b 0FC7 /1 l mem lock m8; cmpxchg16b 0FC7 /1 q mem lock m16 cx16
nop 0F1F /0 wlq; nop 90 Z; nop 66 90 Z; pause F3 90 Z; endbr64 F3 0F1EFA Z
mfence 0FAEF0 Z; lfence 0FAEE8 Z; sfence 0FAEF8 Z; serialize 0F01E8 Z serialize
clc F8 Z; stc F9 Z; cmc F5 Z; cld FC Z; std FD Z
invpcid 66 0F3882 RM q mem m16 invpcid; clflush 0FAE /7 mem m1; clflushopt 66 0FAE /7 mem m1 clflushopt; clwb 66 0FAE /6 mem m1 clwb
prefetch 0F18 /0 mem m1; prefetch 0F18 /1 mem m1; prefetch 0F18 /2 mem m1; prefetch 0F18 /3 mem m1; prefetch 0F0D /1 mem m1 prefetchw
movaps 0F28 RM xx m16; movaps 0F29 MR xx m16; movapd 66 0F28 RM xx m16; movapd 66 0F29 MR xx m16
movdqa 66 0F6F RM xx m16; movdqa 66 0F7F MR xx m16; movups 0F10 RM xx m16; movups 0F11 MR xx m16
movupd 66 0F10 RM xx m16; movupd 66 0F11 MR xx m16; movdqu F3 0F6F RM xx m16; movdqu F3 0F7F MR xx m16; lddqu F2 0FF0 RM xx m16 mem sse3
movntdq 66 0FE7 MR xx m16 mem; movntps 0F2B MR xx m16 mem; movntpd 66 0F2B MR xx m16 mem
movd 66 0F6E RM xg l; movd 66 0F7E MR xg l; movq 66 0F6E RM xg q; movq 66 0F7E MR xg q; movq F3 0F7E RM xx m8; movq 66 0FD6 MR xx m8
movss F3 0F10 RM xx m4; movss F3 0F11 MR xx m4; movsd F2 0F10 RM xx m8; movsd F2 0F11 MR xx m8
movlps 0F12 RM xx m8 mem; movlps 0F13 MR xx m8 mem; movlpd 66 0F12 RM xx m8 mem; movlpd 66 0F13 MR xx m8 mem
movhps 0F16 RM xx m8 mem; movhps 0F17 MR xx m8 mem; movhpd 66 0F16 RM xx m8 mem; movhpd 66 0F17 MR xx m8 mem
movhlps 0F12 RM xx reg; movlhps 0F16 RM xx reg; pinsrw 66 0FC4 RM xg m2 ib; pextrw 66 0FC5 RM gx reg ib
movmskps 0F50 RM gx reg; movmskpd 66 0F50 RM gx reg; pmovmskb 66 0FD7 RM gx reg
andps 0F54 RM xx m16; andpd 66 0F54 RM xx m16; andnps 0F55 RM xx m16; andnpd 66 0F55 RM xx m16
orps 0F56 RM xx m16; orpd 66 0F56 RM xx m16; xorps 0F57 RM xx m16; xorpd 66 0F57 RM xx m16
pand 66 0FDB RM xx m16; pandn 66 0FDF RM xx m16; por 66 0FEB RM xx m16; pxor 66 0FEF RM xx m16
paddb 66 0FFC RM xx m16; paddw 66 0FFD RM xx m16; paddd 66 0FFE RM xx m16; paddq 66 0FD4 RM xx m16
psubb 66 0FF8 RM xx m16; psubw 66 0FF9 RM xx m16; psubd 66 0FFA RM xx m16; psubq 66 0FFB RM xx m16
pcmpeqb 66 0F74 RM xx m16; pcmpeqw 66 0F75 RM xx m16; pcmpeqd 66 0F76 RM xx m16
pcmpgtb 66 0F64 RM xx m16; pcmpgtw 66 0F65 RM xx m16; pcmpgtd 66 0F66 RM xx m16
pminub 66 0FDA RM xx m16; pmaxub 66 0FDE RM xx m16; pminsw 66 0FEA RM xx m16; pmaxsw 66 0FEE RM xx m16
punpcklbw 66 0F60 RM xx m16; punpcklwd 66 0F61 RM xx m16; punpckldq 66 0F62 RM xx m16; punpcklqdq 66 0F6C RM xx m16
punpckhbw 66 0F68 RM xx m16; punpckhwd 66 0F69 RM xx m16; punpckhdq 66 0F6A RM xx m16; punpckhqdq 66 0F6D RM xx m16
unpcklps 0F14 RM xx m16; unpcklpd 66 0F14 RM xx m16; unpckhps 0F15 RM xx m16; unpckhpd 66 0F15 RM xx m16
pshufd 66 0F70 RM xx m16 ib; pshuflw F2 0F70 RM xx m16 ib; pshufhw F3 0F70 RM xx m16 ib
shufps 0FC6 RM xx m16 ib; shufpd 66 0FC6 RM xx m16 ib
psllw 66 0FF1 RM xx m16; pslld 66 0FF2 RM xx m16; psllq 66 0FF3 RM xx m16; psrlw 66 0FD1 RM xx m16; psrld 66 0FD2 RM xx m16
psrlq 66 0FD3 RM xx m16; psraw 66 0FE1 RM xx m16; psrad 66 0FE2 RM xx m16
psllw 66 0F71 /6 xx reg ib; pslld 66 0F72 /6 xx reg ib; psllq 66 0F73 /6 xx reg ib; psrlw 66 0F71 /2 xx reg ib
psrld 66 0F72 /2 xx reg ib; psrlq 66 0F73 /2 xx reg ib; psraw 66 0F71 /4 xx reg ib; psrad 66 0F72 /4 xx reg ib
pslldq 66 0F73 /7 xx reg ib; psrldq 66 0F73 /3 xx reg ib`)

// ambiguous names stand for several rows; these are meant here.
var ambiguous = map[string]cpu.Mn{"mov": cpu.MOV, "movs": cpu.MOVSX, "movsl": cpu.MOVSXD, "movz": cpu.MOVZX,
	"imul": cpu.IMUL, "imul2": cpu.IMUL2, "movsd": cpu.MOVSD, "movq": cpu.MOVQ}

func parseForms(text string) map[cpu.Mn][]form {
	byName := map[string]cpu.Mn{}
	for mn := range cpu.Rows {
		byName[cpu.Rows[mn].Name] = cpu.Mn(mn)
	}
	list := map[cpu.Mn][]form{}
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' }) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		mn, ok := ambiguous[name]
		if !ok {
			mn, ok = byName[name]
		}
		if !ok {
			panic("no row is called " + name)
		}
		list[mn] = append(list[mn], parseForm(mn, rest))
	}
	return list
}
