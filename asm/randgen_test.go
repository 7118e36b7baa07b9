package asm

import (
	"fmt"
	"math/rand"
	"sort"
	"strings"
)

// randomGen writes instructions from the table: any row, any operand size, any
// kind of operand, and now and then something that no row takes.
type randomGen struct {
	*rand.Rand
	names []string
	intel bool
}

func newRandomGen(seed int64, intel bool) *randomGen {
	g := &randomGen{Rand: rand.New(rand.NewSource(seed)), intel: intel}
	for n := range formsByName() {
		g.names = append(g.names, n)
	}
	sort.Strings(g.names)
	return g
}

// Update is the -update flag, for the tests outside the package.
var Update = update

// RandomLines returns n different instructions in AT&T syntax.
func RandomLines(seed int64, n int) []string { return newRandomGen(seed, false).lines(n) }

// RandomIntelLines returns n different instructions in Intel syntax.
func RandomIntelLines(seed int64, n int) []string { return newRandomGen(seed, true).lines(n) }

func (g *randomGen) lines(n int) []string {
	seen := map[string]bool{}
	var out []string
	for len(out) < n {
		if l := g.line(); !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	return out
}

func (g *randomGen) pick(s ...string) string { return s[g.Intn(len(s))] }

// in says yes once in n times.
func (g *randomGen) in(n int) bool { return g.Intn(n) == 0 }

func (g *randomGen) line() string {
	name := g.names[g.Intn(len(g.names))]
	forms := formsByName()[name]
	f := forms[g.Intn(len(forms))]
	size := byte('l')
	if f.sizes != "" {
		size = f.sizes[g.Intn(len(f.sizes))]
	}
	var ops []string
	for _, a := range f.args {
		ops = append(ops, g.operand(a, size))
	}
	text := g.prefix(f, ops)
	if f.sizes != "" && !f.bare && !g.intel && !g.in(3) {
		name += string(g.suffix(size))
	}
	if g.intel {
		if name != "enter" {
			for i, j := 0, len(ops)-1; i < j; i, j = i+1, j-1 {
				ops[i], ops[j] = ops[j], ops[i]
			}
		}
	} else if f.star {
		ops[0] = "*" + ops[0]
	}
	return strings.TrimSpace(text + name + " " + strings.Join(ops, ", "))
}

func (g *randomGen) suffix(size byte) byte {
	if g.in(25) {
		return "bwlq"[g.Intn(4)]
	}
	return size
}

// prefix is LOCK where it makes sense, and REP.
func (g *randomGen) prefix(f *form, ops []string) string {
	switch {
	case f.lockable && len(ops) > 0 && strings.ContainsAny(ops[len(ops)-1], "([") && g.in(3):
		return g.pick("lock ", "lock ", "lock; ", "xacquire lock ", "xrelease lock ")
	case f.rep && len(f.args) == 0 && g.in(2):
		return g.pick("rep ", "repe ", "repne ")
	}
	return ""
}

func (g *randomGen) operand(a arg, size byte) string {
	if g.in(60) { // something else
		return g.pick(g.register("bwlq"[g.Intn(4)]), g.memory(size), g.immediate(size), g.reg("xmm", 16))
	}
	class := a.class
	if a.fixed != 0 {
		size, class = a.fixed, class[:len(class)-1]
	}
	switch class {
	case "r", "g", "v":
		return g.register(size)
	case "rm":
		if g.in(2) {
			return g.register(size)
		}
		return g.memory(size)
	case "m":
		return g.memory(0)
	case "abs", "far":
		if g.intel {
			return "ds:" + g.pick("0x1122334455", "0x7fffffffffffffff")
		}
		return g.pick("0x1122334455", "0x7fffffffffffffff", "-5000000000")
	case "a":
		return g.name(map[byte]string{'b': "al", 'w': "ax", 'l': "eax", 'q': "rax"}[size])
	case "1", "3":
		return g.dollar() + class
	case "cl", "dx", "fs", "gs":
		return g.name(class)
	case "x", "xr":
		return g.reg("xmm", 16)
	case "xm":
		if g.in(2) {
			return g.reg("xmm", 16)
		}
		return g.memory(0)
	case "seg":
		return g.name(g.pick("es", "ds", "fs", "gs", "ss"))
	case "cr":
		return g.name(g.pick("cr0", "cr2", "cr3", "cr4", "cr8"))
	case "db":
		return g.name(g.pick("db0", "db6", "db7"))
	case "is", "ib":
		return g.immediate('b')
	case "iw":
		return g.immediate('w')
	case "iq":
		return g.dollar() + g.pick("0x1122334455667788", "-0x1122334455667788", "0x80000000", "0xffffffff", "-1", "0x7fffffffffffffff")
	}
	return g.immediate(size)
}

func (g *randomGen) dollar() string {
	if g.intel {
		return ""
	}
	return "$"
}

func (g *randomGen) name(n string) string {
	if g.intel {
		return n
	}
	return "%" + n
}

func (g *randomGen) reg(stem string, n int) string {
	return g.name(fmt.Sprintf("%s%d", stem, g.Intn(n)))
}

func (g *randomGen) register(size byte) string {
	var names []string
	for n, r := range registers {
		if r.size() == size {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	return g.name(names[g.Intn(len(names))])
}

func (g *randomGen) immediate(size byte) string {
	if g.in(12) && size != 'b' && size != 'w' {
		if g.intel {
			return "offset sym"
		}
		return "$sym+" + g.pick("0", "16")
	}
	bits := 8 * min(sizeBytes(size), 4)
	edge := int64(1) << (bits - 1)
	v := []int64{0, 1, -1, 5, 127, 128, -128, -129, 255, edge - 1, -edge, int64(g.Uint32()) & (edge - 1)}[g.Intn(12)]
	if g.in(20) {
		v = []int64{edge, 2*edge - 1, 2 * edge, -edge - 1}[g.Intn(4)]
	}
	return g.dollar() + g.pick(fmt.Sprint(v), fmt.Sprintf("%#x", v))
}

func (g *randomGen) displacement() string {
	return g.pick("", "", "", "8", "-8", "127", "128", "-128", "-129", "0", "0x12345678", "-0x7654321", "sym", "sym+4", "abssym")
}

// memory writes an address; size gives Intel's PTR.
func (g *randomGen) memory(size byte) string {
	seg, disp := "", g.displacement()
	if g.in(8) {
		seg = g.name(g.pick("gs", "fs", "ds", "ss", "es", "cs")) + ":"
	}
	width := byte('q')
	if g.in(10) {
		width = 'l'
	}
	base, index, scale := "", "", g.pick("1", "2", "4", "8")
	switch k := g.Intn(10); {
	case k == 0:
		base = g.name(map[byte]string{'q': "rip", 'l': "eip"}[width])
		if disp == "" {
			disp = "0x40"
		}
	case k == 1: // absolute
		if disp == "" {
			disp = "0x12345"
		}
	case k < 6:
		base = g.register(width)
	case k < 9:
		base, index = g.register(width), g.register(width)
	default:
		index = g.register(width)
	}
	if g.intel {
		return g.intelMemory(size, seg, disp, base, index, scale)
	}
	if base == "" && index == "" {
		return seg + disp
	}
	inner := base
	if index != "" {
		inner += "," + index + g.pick("", ","+scale)
	}
	return seg + disp + "(" + inner + ")"
}

func (g *randomGen) intelMemory(size byte, seg, disp, base, index, scale string) string {
	var parts []string
	if base != "" {
		parts = append(parts, base)
	}
	if index != "" {
		parts = append(parts, g.pick(index+"*"+scale, scale+"*"+index))
	}
	if disp != "" {
		parts = append(parts, disp)
	}
	text := "[" + strings.ReplaceAll(strings.Join(parts, "+"), "+-", "-") + "]"
	if disp != "" && len(parts) > 1 && g.in(2) {
		text = disp + "[" + strings.Join(parts[:len(parts)-1], "+") + "]"
	}
	ptr := map[byte]string{'b': "BYTE PTR ", 'w': "WORD PTR ", 'l': "DWORD PTR ", 'q': "qword ptr "}[size]
	if g.in(20) {
		ptr = ""
	}
	return ptr + seg + text
}
