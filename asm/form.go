package asm

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/twitchyliquid64/golang-asm/obj"
)

// A row is one line of the instruction table.
//
// args names the operands in AT&T order (source first):
//
//	r rm a v g   general register / register or memory / accumulator /
//	             VEX-encoded register / register in the rm field: of the
//	             operand size
//	rb rmw vq …  the same of a fixed size b, w, l or q
//	m            memory;  abs  a bare 64-bit address;  far  one that does not
//	             fit the 32 bits of a displacement
//	i is ib iw iq  immediate of the operand size (64 bits take a sign-extended
//	             32-bit one) / sign-extended byte / byte / word / 64 bits
//	1 3 cl dx    exactly that
//	x xm xr      SSE register in the reg field / register or memory / register in rm
//	seg fs gs cr db   the special registers
//	a leading *  an indirect jump or call
//
// code is the opcode pattern for the encoder of this package:
//
//	66 f2 f3     mandatory prefix when 0f follows
//	00w          low bit set unless the size is b
//	b8r          low three bits are a register
//	/r /0 … /7   ModRM with the reg field from an operand or fixed
//	ib iw id iq iz ix   immediate: fixed width, at most 32 bits, full width
//	d64          64 bits without REX.W
//	rexw         REX.W in any case
//	vex.PP.MAP   VEX prefix with L=0 and W from the size
//
// goas is the golang-asm opcode, % standing for the size letter; empty rows
// take the pattern. how says how golang-asm wants the operands, and holds
// the row's other properties:
//
//	lock         LOCK is allowed with a memory destination
//	rep          REP and REPNE are allowed
//	from         the one operand goes into From (To is the default)
//	rev          From and To are exchanged (CMP)
//	bare         GNU as takes no size suffix: a register gives the size
type row struct {
	name, sizes, args, code, goas, how string
}

// form is a row made ready for matching and encoding.
type form struct {
	name, sizes string
	args        []arg
	star        bool
	goas        [4]obj.As // by size b w l q; one without sizes sits in 0
	lockable    bool
	rep         bool
	goFrom      bool
	goRev       bool
	bare        bool

	opcode []opByte
	prefix byte // mandatory 66, f2 or f3
	modrm  int8 // -1 none, 0..7 fixed reg field, 8 from the operand
	imms   []string
	d64    bool
	rexw   bool
	vex    bool
	vexMap byte
	vexPP  byte
}

type opByte struct {
	b      byte
	w, reg bool
}

type role uint8

const (
	roleNone role = iota // implied by the opcode
	roleReg
	roleRM
	roleVEX
	roleOpcode
	roleImm
	roleAbs
)

// arg is one operand slot of a form.
type arg struct {
	class   string
	role    role
	sized   bool // its register decides or must match the operand size
	fixed   byte // size letter of a fixed-size register
	immFull bool // takes symbols, whose value is not known yet
}

// formsByName is the compiled table. It is made at the first use, since most
// commands of the program that imports this package never assemble.
var formsByName = sync.OnceValue(compileRows)

func compileRows() map[string][]*form {
	m := map[string][]*form{}
	for _, rows := range [][]row{intRows, systemRows, stringRows, bmiRows, sseRows} {
		for _, r := range rows {
			for _, f := range r.expand() {
				m[f.name] = append(m[f.name], f.compile())
			}
		}
	}
	return m
}

// expand writes a row with a condition code (set?, cmov?) out for each of them.
func (r row) expand() []row {
	if !strings.Contains(r.name, "?") {
		return []row{r}
	}
	var out []row
	for _, name := range slices.Sorted(maps.Keys(conditions)) {
		c, cc := r, conditions[name]
		c.name = strings.Replace(r.name, "?", name, 1)
		c.code = strings.Replace(r.code, "?", strconv.FormatUint(uint64(cc), 16), 1)
		c.goas = strings.Replace(r.goas, "?", goConditions[cc], 1)
		out = append(out, c)
	}
	return out
}

// conditions are all spellings of the sixteen condition codes (SDM vol. 1,
// appendix B).
var conditions = map[string]byte{
	"o": 0, "no": 1, "b": 2, "c": 2, "nae": 2, "ae": 3, "nb": 3, "nc": 3,
	"e": 4, "z": 4, "ne": 5, "nz": 5, "be": 6, "na": 6, "a": 7, "nbe": 7,
	"s": 8, "ns": 9, "p": 10, "pe": 10, "np": 11, "po": 11,
	"l": 12, "nge": 12, "ge": 13, "nl": 13, "le": 14, "ng": 14, "g": 15, "nle": 15,
}

// goConditions are golang-asm's names for the same, in order of their codes.
var goConditions = [16]string{"OS", "OC", "CS", "CC", "EQ", "NE", "LS", "HI", "MI", "PL", "PS", "PC", "LT", "GE", "LE", "GT"}

func (r row) compile() *form {
	f := &form{name: r.name, sizes: r.sizes, modrm: -1}
	for _, t := range strings.Fields(r.code) {
		f.token(t)
	}
	args := r.args
	if strings.HasPrefix(args, "*") {
		f.star, args = true, args[1:]
	}
	if args != "" {
		for _, class := range strings.Split(args, ",") {
			f.args = append(f.args, newArg(class, f))
		}
	}
	for _, h := range strings.Fields(r.how) {
		f.property(h)
	}
	f.setGoAs(r.goas)
	return f
}

func (f *form) property(h string) {
	switch h {
	case "lock":
		f.lockable = true
	case "rep":
		f.rep = true
	case "from":
		f.goFrom = true
	case "rev":
		f.goRev = true
	case "bare":
		f.bare = true
	default:
		panic(fmt.Sprintf("asm: row %s: property %q", f.name, h))
	}
}

// token compiles one token of an opcode pattern. A bad table is a bug of this
// package, found by any test, so it panics.
func (f *form) token(t string) {
	switch {
	case t == "d64":
		f.d64 = true
	case t == "rexw":
		f.rexw = true
	case t == "/r":
		f.modrm = 8
	case t[0] == '/':
		f.modrm = int8(t[1] - '0')
	case strings.HasPrefix(t, "vex."):
		p := strings.Split(t, ".")
		f.vex = true
		f.vexPP = map[string]byte{"np": 0, "66": 1, "f3": 2, "f2": 3}[p[1]]
		f.vexMap = map[string]byte{"0f": 1, "0f38": 2, "0f3a": 3}[p[2]]
	case t[0] == 'i':
		f.imms = append(f.imms, t)
	default:
		f.opcodeToken(t)
	}
}

func (f *form) opcodeToken(t string) {
	b, err := strconv.ParseUint(t[:2], 16, 8)
	if err != nil {
		panic(fmt.Sprintf("asm: row %s: token %q", f.name, t))
	}
	o := opByte{b: byte(b)}
	switch t[2:] {
	case "w":
		o.w = true
	case "r":
		o.reg = true
	}
	if o.b == 0x0f && len(f.opcode) == 1 && f.prefix == 0 {
		if p := f.opcode[0].b; p == 0x66 || p == 0xf2 || p == 0xf3 {
			f.prefix, f.opcode = p, nil
		}
	}
	f.opcode = append(f.opcode, o)
}

func newArg(class string, f *form) arg {
	a := arg{class: class}
	stem := class
	if n := len(class); n > 1 && strings.IndexByte("bwlq", class[n-1]) >= 0 && class[0] != 'i' && class != "seg" && class != "db" {
		stem, a.fixed = class[:n-1], class[n-1]
	}
	switch stem {
	case "r":
		a.role = roleReg
		for _, o := range f.opcode {
			if o.reg {
				a.role = roleOpcode
			}
		}
	case "rm", "g", "m", "xm", "xr":
		a.role = roleRM
	case "v":
		a.role = roleVEX
	case "x", "seg", "cr", "db":
		a.role = roleReg
	case "i", "is", "ib", "iw", "iq":
		a.role = roleImm
		a.immFull = stem != "is"
	case "abs", "far":
		a.role = roleAbs
	case "a", "1", "3", "c", "cl", "d", "dx", "fs", "gs":
		if class == "cl" || class == "dx" {
			a.fixed = 0
		}
	default:
		panic(fmt.Sprintf("asm: row %s: operand %q", f.name, class))
	}
	a.sized = a.fixed == 0 && (stem == "r" || stem == "rm" || stem == "g" || stem == "v" || class == "a")
	return a
}

// accepts reports whether an operand is of the slot's kind, sizes apart.
func (a *arg) accepts(o *operand) bool {
	if o.port && a.class != "dx" {
		return false
	}
	gp := o.kind == opReg && o.reg.size() != 0 && (a.fixed == 0 || o.reg.size() == a.fixed)
	name := ""
	if o.kind == opReg {
		name = o.reg.name
	}
	class := a.class
	if a.fixed != 0 {
		class = class[:len(class)-1]
	}
	switch class {
	case "r", "g", "v":
		return gp
	case "rm":
		return gp || o.mem() && (a.fixed == 0 || o.hint == 0 || o.hint == a.fixed)
	case "m":
		return o.mem()
	case "abs":
		return o.mem() && !o.paren
	case "far":
		return o.mem() && !o.paren && !o.reaches()
	case "a":
		return gp && o.reg.num == 0
	case "cl", "dx", "fs", "gs":
		return name == class
	case "x", "xr":
		return o.kind == opReg && o.reg.class == regXMM
	case "xm":
		return o.kind == opReg && o.reg.class == regXMM || o.mem()
	case "seg":
		return o.kind == opReg && o.reg.class == regSeg
	case "cr":
		return o.kind == opReg && o.reg.class == regCtl
	case "db":
		return o.kind == opReg && o.reg.class == regDbg
	}
	return o.kind == opImm
}

// immFits reports whether a known immediate fits the slot.
func (a *arg) immFits(v int64, size byte) bool {
	switch a.class {
	case "1":
		return v == 1
	case "3":
		return v == 3
	case "is":
		v = normalize(v, size)
		return v == int64(int8(v)) && immFitsSize(v, size)
	case "ib":
		return v >= -1<<7 && v < 1<<8
	case "iw":
		return v >= -1<<15 && v < 1<<16
	case "iq":
		return true
	}
	return immFitsSize(v, size)
}

// immFitsSize is the range of an operand-size immediate. With 64 bits the CPU
// sign-extends 32, so 0x80000000 does not fit; with fewer the sign is free.
func immFitsSize(v int64, size byte) bool {
	if size == 'q' {
		return v == int64(int32(v))
	}
	return fitsField(v, sizeBytes(size), false)
}

// normalize reads a value as signed in its size: 0xffffffff is -1 in 32 bits.
// One that does not fit stays, to be refused.
func normalize(v int64, size byte) int64 {
	if !immFitsSize(v, size) {
		return v
	}
	switch size {
	case 'b':
		return int64(int8(v))
	case 'w':
		return int64(int16(v))
	case 'l':
		return int64(int32(v))
	}
	return v
}

// defaultSize is the size when nothing gives one.
func (f *form) defaultSize() byte {
	if strings.IndexByte(f.sizes, 'l') >= 0 && !f.d64 {
		return 'l'
	}
	if f.d64 && strings.IndexByte(f.sizes, 'q') >= 0 {
		return 'q'
	}
	return f.sizes[0]
}

// sized66 reports whether a size of w puts a 66 before the instruction.
func (f *form) sized66(size byte) bool { return size == 'w' && !f.vex }
