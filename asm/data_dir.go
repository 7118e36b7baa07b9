package asm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// data returns the directive that emits expressions of size bytes.
func data(size int) directiveFunc {
	return func(u *unit, name, args string) {
		for _, arg := range splitArgs(args) {
			u.startFrag, u.startOff = u.sec.end() // "." moves on with every value
			n, ok := u.expr(arg)
			if ok {
				u.emitField(n, size, fixData, name+" "+arg)
			}
		}
	}
}

// emitField emits a data field now if its value is known, else with a fixup.
func (u *unit) emitField(n *node, size int, kind fixKind, text string) {
	v, err := n.constant()
	if err != nil {
		f, off := u.emit(make([]byte, size)...)
		f.fixups = append(f.fixups, fixup{off: off, size: size, n: n, at: u.now, kind: kind, text: text})
		return
	}
	if !fitsField(v, size, kind != fixData) {
		u.errorf("%s: value %#x does not fit into %d bits", text, v, 8*size)
	}
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
	u.emit(b...)
}

// emit adds bytes to the current section. .bss takes only zeros.
func (u *unit) emit(b ...byte) (*frag, int) {
	if u.sec.nobits() {
		for _, c := range b {
			if c != 0 {
				u.errorf("%s takes no data but zeros", u.sec.name)
				break
			}
		}
	}
	if u.a.emitted += len(b); u.a.emitted > maxImage {
		if u.expanded <= maxStatements {
			u.errorf("the image grows beyond %d bytes", maxImage)
		}
		u.expanded, u.a.cut = maxStatements+1, true // read no further
		return &frag{}, 0
	}
	return u.sec.emit(b...)
}

func (u *unit) str(name, args string) {
	for _, arg := range splitArgs(args) {
		b, err := joinedStrings(arg)
		if err != nil {
			u.errorf("%s: %s", name, err)
			continue
		}
		if name != ".ascii" {
			b = append(b, 0)
		}
		u.emit(b...)
	}
}

// joinedStrings reads one string, or several with nothing between them, which
// make one.
func joinedStrings(text string) ([]byte, error) {
	var out []byte
	for rest := text; ; {
		n := stringLen(rest)
		if !strings.HasPrefix(rest, "\"") || n < 0 {
			return nil, fmt.Errorf("string expected, not %s", text)
		}
		b, err := unescape(rest[1 : n-1])
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
		if rest = strings.TrimLeft(rest[n:], " \t"); rest == "" {
			return out, nil
		}
	}
}

// octa emits numbers of 128 bits.
func (u *unit) octa(name, args string) {
	for _, arg := range splitArgs(args) {
		v, ok := new(big.Int).SetString(arg, 0)
		if !ok || v.BitLen() > 128 {
			u.errorf("%s: number of 128 bits expected, not %s", name, arg)
			continue
		}
		v.And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1)))
		b := v.FillBytes(make([]byte, 16))
		slices.Reverse(b)
		u.emit(b...)
	}
}

// floats returns the directive that emits floating-point numbers.
func floats(size int) directiveFunc {
	return func(u *unit, name, args string) {
		for _, arg := range splitArgs(args) {
			v, err := strconv.ParseFloat(arg, 8*size)
			if err != nil {
				u.errorf("%s: bad number %s", name, arg)
				continue
			}
			if size == 4 {
				u.emit(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)))...)
			} else {
				u.emit(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))...)
			}
		}
	}
}

// skip is .skip N[, FILL], .zero and .space.
func (u *unit) skip(name, args string) {
	l := splitArgs(args)
	if len(l) < 1 || len(l) > 2 {
		u.errorf("%s takes a size and perhaps a fill byte", name)
		return
	}
	var fill int64
	if len(l) == 2 {
		fill, _ = u.constant(l[1], name)
	}
	if n, ok := u.expr(l[0]); ok {
		u.addFill(name, n, []byte{byte(fill)})
	}
}

// addFill emits a pattern n times; n may depend on the layout.
func (u *unit) addFill(name string, n *node, pattern []byte) {
	v, err := n.constant()
	switch {
	case err != nil:
		u.sec.add(&frag{kind: fragFill, at: u.now, expr: n, data: pattern})
	case v < 0:
		u.errorf("%s: negative size %d", name, v)
	case v > maxImage || int(v)*len(pattern) > maxImage-u.a.emitted:
		u.errorf("%s: %d times %d bytes are beyond %d", name, v, len(pattern), maxImage)
	default:
		b := make([]byte, 0, int(v)*len(pattern))
		for range v {
			b = append(b, pattern...)
		}
		u.emit(b...)
	}
}

// fill is .fill REPEAT[, SIZE[, VALUE]].
func (u *unit) fill(name, args string) {
	l := splitArgs(args)
	if len(l) < 1 || len(l) > 3 {
		u.errorf("%s takes a count, a size and a value", name)
		return
	}
	size, value := int64(1), int64(0)
	ok := true
	if len(l) > 1 {
		size, ok = u.constant(l[1], name)
	}
	if len(l) > 2 && ok {
		value, ok = u.constant(l[2], name)
	}
	if ok && (size < 0 || size > 8) {
		u.errorf("%s: size %d is not 0 to 8", name, size)
		return
	}
	n, nOK := u.expr(l[0])
	if !ok || !nOK {
		return
	}
	// Only the low four bytes of the value count (Using as, ".fill").
	pattern := make([]byte, size)
	for i := range min(len(pattern), 4) {
		pattern[i] = byte(value >> (8 * i))
	}
	u.addFill(name, n, pattern)
}

func (u *unit) orgDirective(name, args string) {
	l := splitArgs(args)
	if len(l) < 1 || len(l) > 2 {
		u.errorf("%s takes an offset and perhaps a fill byte", name)
		return
	}
	fill := int64(0)
	if len(l) == 2 {
		fill, _ = u.constant(l[1], name)
	}
	if n, ok := u.expr(l[0]); ok {
		u.org(n, byte(fill))
	}
}

// org moves the location forward. A plain number counts from the start of the
// section, as in GNU as. What is kept is the distance from here, which an
// object knows as well as an image.
func (u *unit) org(n *node, fill byte) {
	f := &frag{kind: fragOrg, at: u.now, data: []byte{fill}}
	place := func(f *frag) *node {
		return &node{op: "sym", sym: &symbol{name: u.sec.name, at: u.now, frag: f, hidden: true}}
	}
	if v, err := n.constant(); err == nil {
		first := f
		if len(u.sec.frags) > 0 {
			first = u.sec.frags[0]
		}
		n = &node{op: "+", x: place(first), y: num(v)}
	}
	f.expr = &node{op: "-", x: n, y: place(f)}
	u.sec.add(f)
}

// leb128 emits numbers of variable length. One that depends on the layout is
// a fragment of its own.
func (u *unit) leb128(name, args string) {
	signed := name == ".sleb128"
	for _, arg := range splitArgs(args) {
		u.startFrag, u.startOff = u.sec.end()
		n, ok := u.expr(arg)
		if !ok {
			continue
		}
		if v, err := n.constant(); err == nil {
			u.emit(appendLEB(nil, v, signed, 0)...)
			continue
		}
		u.noData()
		u.sec.add(&frag{kind: fragLEB, at: u.now, expr: n, signed: signed})
	}
}

// appendLEB appends v in the base-128 form of DWARF (DWARF 5, section 7.6), in
// least bytes or more.
func appendLEB(out []byte, v int64, signed bool, least int) []byte {
	for n := 1; ; n++ {
		b := byte(v & 0x7f)
		last := false
		if signed {
			v >>= 7
			last = v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0
		} else {
			v = int64(uint64(v) >> 7)
			last = v == 0
		}
		if last && n >= least {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}
