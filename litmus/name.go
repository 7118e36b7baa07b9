package litmus

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"spinlab/explore"
)

// Reg is a general register or a part of one.
type Reg struct {
	Num   int // as the machine numbers them
	Shift int // bits to the right of the part: ah and the like
	Size  int // bytes
}

// parseReg reads a register's name in either case, without a per cent sign.
func parseReg(name string) (Reg, bool) {
	num, shift, size, ok := explore.ParseRegister(name)
	if !ok || num > 15 || strings.HasPrefix(name, "%") {
		return Reg{}, false
	}
	return Reg{num, shift, size}, true
}

// legacy are the names of the first eight registers without a size.
var legacy = [8]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"}

// resized is the part of the same register with another size.
func (r Reg) resized(size int) Reg { return Reg{r.Num, 0, size} }

func (r Reg) String() string {
	if r.Num >= 8 {
		return "r" + strconv.Itoa(r.Num) + map[int]string{8: "", 4: "d", 2: "w", 1: "b"}[r.Size]
	}
	short := legacy[r.Num]
	switch {
	case r.Size == 8:
		return "r" + short
	case r.Size == 4:
		return "e" + short
	case r.Size == 2:
		return short
	case r.Shift == 8:
		return short[:1] + "h"
	case r.Num < 4:
		return short[:1] + "l"
	}
	return short + "l"
}

// rank orders registers as herd7 does: ax, bx, cx, dx, si, di, bp, sp, r8 ….
func (r Reg) rank() int {
	if r.Num >= 8 {
		return r.Num
	}
	return [8]int{0, 2, 3, 1, 7, 6, 4, 5}[r.Num]
}

// Loc is what a condition can look at: a register of a process, a location,
// or one element of an array.
type Loc struct {
	Proc int // of a register; −1 for memory
	Reg  Reg
	Name string // of memory
	// Index is the element of an array, −1 for the whole location.
	Index int
}

func regLoc(proc int, r Reg) Loc { return Loc{Proc: proc, Reg: r, Index: -1} }
func memLoc(name string) Loc     { return Loc{Proc: -1, Name: name, Index: -1} }

// IsReg says whether l is a register.
func (l Loc) IsReg() bool { return l.Proc >= 0 }

// whole is the location that l is an element of, or l.
func (l Loc) whole() Loc {
	l.Index = -1
	return l
}

// text writes l as herd7 does. Arrays stand without brackets.
func (l Loc) text(t *Test) string {
	switch {
	case l.IsReg() && t.Dialect == X86:
		return fmt.Sprintf("%d:%s", l.Proc, strings.ToUpper(l.Reg.String()))
	case l.IsReg():
		return fmt.Sprintf("%d:%s", l.Proc, l.Reg)
	case l.Index >= 0:
		return fmt.Sprintf("%s[%d]", l.Name, l.Index)
	case t.typeOf(l).Len > 0:
		return l.Name
	}
	return "[" + l.Name + "]"
}

// compareLocs is herd7's order: registers by process, then locations by name,
// then elements of arrays.
func compareLocs(a, b Loc) int {
	group := func(l Loc) int {
		switch {
		case l.IsReg():
			return 0
		case l.Index < 0:
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(group(a), group(b)), cmp.Compare(a.Proc, b.Proc),
		cmp.Compare(a.Reg.rank(), b.Reg.rank()), cmp.Compare(b.Reg.Size, a.Reg.Size),
		cmp.Compare(a.Reg.Shift, b.Reg.Shift),
		cmp.Compare(a.Name, b.Name), cmp.Compare(a.Index, b.Index))
}

// Value is a number, or the address of a location.
type Value struct {
	Sym string // "" for a number
	Off int    // bytes from Sym's address
	Num int64
}

// text writes v as a value of a type: signed, unless it is an unsigned 64-bit
// one; shorter unsigned ones were extended with zeros when they were read.
func (v Value) text(ty Type) string {
	switch {
	case v.Sym != "" && v.Off != 0:
		return fmt.Sprintf("%s+%d", v.Sym, v.Off)
	case v.Sym != "":
		return v.Sym
	case ty.Unsigned && ty.Size == 8:
		return strconv.FormatUint(uint64(v.Num), 10)
	}
	return strconv.FormatInt(v.Num, 10)
}

// compareValues is herd7's order: numbers first.
func compareValues(a, b Value) int {
	return cmp.Or(cmp.Compare(a.Sym, b.Sym), cmp.Compare(a.Off, b.Off), cmp.Compare(a.Num, b.Num))
}

// as cuts a number to what the type can hold.
func (v Value) as(ty Type) Value {
	if v.Sym != "" {
		return v
	}
	n := 64 - 8*ty.Size
	if ty.Unsigned {
		v.Num = int64(uint64(v.Num) << n >> n)
	} else {
		v.Num = v.Num << n >> n
	}
	return v
}

// parseNumber reads a decimal or 0x number with or without a minus sign; it
// may use all 64 bits.
func parseNumber(s string) (int64, bool) {
	digits, negative := strings.CutPrefix(s, "-")
	base := 10
	if rest, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		digits, base = rest, 16
	}
	u, err := strconv.ParseUint(digits, base, 64)
	if err != nil || negative && u > 1<<63 {
		return 0, false
	}
	if negative {
		return -int64(u), true
	}
	return int64(u), true
}
