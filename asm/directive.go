package asm

import (
	"strings"
)

// directive runs one directive that is not a block and not a conditional.
func (u *unit) directive(name, args string) {
	u.flushPrefixes()
	if d := directives[name]; d != nil {
		d(u, name, args)
		return
	}
	if strings.HasPrefix(name, ".cfi_") {
		return // unwind tables: nothing here unwinds
	}
	if name == ".endm" || name == ".endr" || name == ".endmacro" {
		u.errorf("%s without its opening directive", name)
		return
	}
	u.errorf("unknown directive %s%s", name, nearestDirective(name))
}

type directiveFunc func(u *unit, name, args string)

// directives is filled by init because its functions reach back to it.
var directives map[string]directiveFunc

func init() {
	directives = map[string]directiveFunc{
		".text": (*unit).plainSection, ".data": (*unit).plainSection, ".bss": (*unit).plainSection, ".rodata": (*unit).plainSection,
		".section": (*unit).namedSection, ".pushsection": (*unit).namedSection,
		".popsection": (*unit).popSection, ".subsection": (*unit).subsectionDirective, ".previous": (*unit).previous,
		".byte": data(1), ".2byte": data(2), ".word": data(2), ".short": data(2), ".hword": data(2), ".value": data(2),
		".4byte": data(4), ".long": data(4), ".int": data(4), ".8byte": data(8), ".quad": data(8),
		".ascii": (*unit).str, ".asciz": (*unit).str, ".string": (*unit).str,
		".zero": (*unit).skip, ".skip": (*unit).skip, ".space": (*unit).skip, ".fill": (*unit).fill, ".org": (*unit).orgDirective,
		".p2align": align(true, 1), ".p2alignw": align(true, 2), ".p2alignl": align(true, 4),
		".balign": align(false, 1), ".balignw": align(false, 2), ".balignl": align(false, 4), ".align": align(false, 1),
		".globl": names((*unit).setGlobal), ".global": names((*unit).setGlobal), ".weak": names((*unit).setWeak),
		".local": names((*unit).setLocal), ".extern": ignore,
		".hidden": names(visibility(stvHidden)), ".protected": names(visibility(stvProtected)), ".internal": names(visibility(stvInternal)),
		".type": (*unit).typ, ".size": (*unit).symSize,
		".set": (*unit).set, ".equ": (*unit).set, ".equiv": (*unit).set, ".weakref": (*unit).weakRef,
		".comm": (*unit).comm, ".lcomm": (*unit).comm,
		".error": (*unit).errorDirective, ".err": (*unit).errorDirective, ".purgem": (*unit).purgem,
		".file": (*unit).fileDirective, ".loc": (*unit).loc, ".ident": ignore, ".addrsig": ignore, ".addrsig_sym": ignore,
		".intel_syntax": (*unit).syntax, ".att_syntax": (*unit).syntax,
		".code64": ignore, ".title": ignore, ".print": ignore, ".warning": ignore, ".arch": ignore, ".line": ignore,
		".noaltmacro": ignore, ".altmacro": refuse("the alternate macro syntax is not read"),
		".include": refuse("sources are single files: run them through cpp"), ".incbin": refuse("no file is read but the source"),
		".code32": refuse("only 64-bit code is assembled"), ".code16": refuse("only 64-bit code is assembled"),
		".symver": refuse("symbol versions are not written"), ".end": (*unit).end,
		".octa": (*unit).octa, ".float": floats(4), ".single": floats(4), ".double": floats(8),
		".dc": data(2), ".dc.b": data(1), ".dc.w": data(2), ".dc.l": data(4), ".dc.a": data(8), ".string8": (*unit).str,
		".list": ignore, ".nolist": ignore, ".sbttl": ignore, ".eject": ignore, ".psize": ignore, ".version": ignore,
		".nops": (*unit).nopsDirective, ".uleb128": (*unit).leb128, ".sleb128": (*unit).leb128,
	}
}

// ignore accepts metadata that leaves no bytes.
func ignore(*unit, string, string) {}

// refuse names what a directive would need.
func refuse(why string) directiveFunc {
	return func(u *unit, name, _ string) { u.errorf("%s: %s", name, why) }
}

// end stops reading, in a macro too.
func (u *unit) end(string, string) { u.ended = true }

// align returns .p2align (a power of two) or .balign (bytes), whose fill
// value is width bytes wide.
func align(power bool, width int) directiveFunc {
	return func(u *unit, name, args string) {
		l := splitArgs(args)
		if len(l) < 1 || len(l) > 3 {
			u.errorf("%s takes an alignment, a fill and a maximum", name)
			return
		}
		n, ok := u.alignment(name, l[0], power)
		if !ok {
			return
		}
		f := &frag{kind: fragAlign, at: u.now, align: uint64(n), nops: u.sec.exec()}
		if len(l) > 1 && l[1] != "" {
			v, ok := u.constant(l[1], name)
			if !ok {
				return
			}
			// In code the fill 0x90 asks for no-ops, and GNU as gives long ones.
			f.nops = f.nops && width == 1 && byte(v) == 0x90
			for i := range width {
				f.data = append(f.data, byte(v>>(8*i)))
			}
		}
		if len(l) > 2 && l[2] != "" {
			m, ok := u.constant(l[2], name)
			if !ok || m < 0 {
				u.errorf("%s: bad maximum %s", name, l[2])
				return
			}
			f.maxPad = uint64(m)
		}
		u.sec.align = max(u.sec.align, uint64(n))
		u.sec.add(f)
	}
}

// alignment reads the first argument: an exponent or a number of bytes.
func (u *unit) alignment(name, text string, power bool) (int64, bool) {
	n, ok := u.constant(text, name)
	if !ok {
		return 0, false
	}
	switch {
	case power && n >= 0 && n < 32:
		n = 1 << n
	case power:
		n = -1
	case n == 0:
		n = 1
	}
	if n < 0 || n&(n-1) != 0 || n > maxImage {
		u.errorf("%s: alignment %s is not a power of two up to %d", name, text, maxImage)
		return 0, false
	}
	return n, true
}

// names returns a directive that does f to each symbol it lists.
func names(f func(*unit, *symbol)) directiveFunc {
	return func(u *unit, name, args string) {
		l := splitArgs(args)
		if len(l) == 0 {
			u.errorf("%s: missing symbol", name)
		}
		for _, arg := range l {
			w, rest := word(arg)
			if w == "" || rest != "" {
				u.errorf("%s: symbol expected, not %q", name, arg)
				continue
			}
			f(u, u.lookup(w))
		}
	}
}

func (u *unit) setGlobal(s *symbol) { s.global = true }
func (u *unit) setWeak(s *symbol)   { s.weak = true }

func (u *unit) setLocal(s *symbol) { s.local = true }

// The visibilities of ELF.
const (
	stvInternal  = 1
	stvHidden    = 2
	stvProtected = 3
)

func visibility(v byte) func(*unit, *symbol) {
	return func(_ *unit, s *symbol) { s.visibility = v }
}

// symbolTypes are what .type accepts, in all its spellings.
var symbolTypes = map[string]byte{
	"function": sttFunc, "STT_FUNC": sttFunc, "object": sttObject, "STT_OBJECT": sttObject,
	"notype": sttNone, "STT_NOTYPE": sttNone, "tls_object": sttTLS, "STT_TLS": sttTLS,
	"common": sttObject, "gnu_unique_object": sttObject,
	"gnu_indirect_function": sttIFunc, "STT_GNU_IFUNC": sttIFunc,
}

func (u *unit) typ(name, args string) {
	l := splitArgs(args)
	if len(l) == 1 {
		l = strings.Fields(args)
	}
	if len(l) != 2 || l[0] == "" {
		u.errorf("%s takes a symbol and a type", name)
		return
	}
	w, rest := word(l[0])
	if w == "" || rest != "" {
		u.errorf("%s: symbol expected, not %q", name, l[0])
		return
	}
	t, ok := symbolTypes[strings.TrimLeft(unquote(l[1]), "@%#")]
	if !ok {
		u.errorf("%s: unknown type %s", name, l[1])
		return
	}
	u.lookup(w).typ = t
}

func (u *unit) symSize(name, args string) {
	l := splitArgs(args)
	if len(l) != 2 {
		u.errorf("%s takes a symbol and a size", name)
		return
	}
	w, rest := word(l[0])
	if w == "" || rest != "" {
		u.errorf("%s: symbol expected, not %q", name, l[0])
		return
	}
	if n, ok := u.expr(l[1]); ok {
		u.lookup(w).size = n
	}
}

func (u *unit) set(name, args string) {
	l := splitArgs(args)
	if len(l) != 2 {
		u.errorf("%s takes a symbol and a value", name)
		return
	}
	w, rest := word(l[0])
	if w == "" || rest != "" {
		u.errorf("%s: symbol expected, not %q", name, l[0])
		return
	}
	n, ok := u.expr(l[1])
	switch {
	case !ok:
	case w == ".":
		u.org(n, 0)
	default:
		u.setSymbol(w, n, name == ".equiv")
	}
}

// weakRef is `.weakref NAME, TARGET`: NAME stands for TARGET, which is weak
// unless something names it plainly.
func (u *unit) weakRef(name, args string) {
	l := splitArgs(args)
	if len(l) != 2 || !isName(l[0]) || !isName(l[1]) || l[0] == l[1] {
		u.errorf("%s takes a name and a symbol", name)
		return
	}
	s, target := u.lookup(l[0]), u.lookup(l[1])
	if target.weakRef != nil || s.defined() {
		u.errorf("%s: %s is already defined", name, l[0])
		return
	}
	s.weakRef = target
}

func isName(text string) bool {
	w, rest := word(text)
	return w != "" && rest == ""
}

// comm is .comm and .lcomm: zeros in .bss. In an object a .comm that no .local
// precedes is left to the linker.
func (u *unit) comm(name, args string) {
	l := splitArgs(args)
	if len(l) < 2 || len(l) > 3 {
		u.errorf("%s takes a symbol, a size and an alignment", name)
		return
	}
	w, rest := word(l[0])
	n, ok := u.constant(l[1], name)
	if !ok || w == "" || rest != "" {
		u.errorf("%s: bad symbol or size", name)
		return
	}
	alignTo := "16"
	if len(l) == 3 {
		alignTo = l[2]
	}
	s := u.lookup(w)
	s.size, s.global = num(n), s.global || name == ".comm" && !s.local
	if s.typ == sttNone {
		s.typ = sttObject
	}
	if u.a.object && s.global && !s.defined() {
		if v, ok := u.alignment(name, alignTo, false); ok {
			s.common, s.inTable = uint64(v), true
		}
		return
	}
	old, prev := u.sec, u.prev
	u.plainSection(".bss", "1") // behind what the source itself puts there, as in GNU as
	align(false, 1)(u, name, alignTo)
	u.defineLabel(w)
	u.addFill(name, num(n), []byte{0})
	u.sec, u.prev = old, prev
}

// errorDirective lets a source refuse a bad parameter at its place.
func (u *unit) errorDirective(name, args string) {
	if name == ".err" || args == "" {
		u.errorf("%s", name)
		return
	}
	if len(args) < 2 || args[0] != '"' || stringLen(args) != len(args) {
		u.errorf("%s takes a string", name)
		return
	}
	u.errorf("%s", unquote(args))
}

func (u *unit) purgem(name, args string) {
	if u.macros[strings.ToLower(args)] == nil {
		u.errorf("%s: no macro %s", name, args)
		return
	}
	delete(u.macros, strings.ToLower(args))
}

func (u *unit) nopsDirective(name, args string) {
	n, ok := u.constant(args, name)
	if ok && (n < 0 || n > maxImage) {
		u.errorf("%s: bad size %d", name, n)
		return
	}
	if ok {
		u.emit(nops(int(n))...)
	}
}
