package asm

import (
	"fmt"
	"strconv"
	"strings"
)

// plainSection is .text, .data, .bss or .rodata, perhaps with a subsection.
func (u *unit) plainSection(name, args string) {
	sub := int64(0)
	if args != "" {
		var ok bool
		if sub, ok = u.subsectionNumber(name, args); !ok {
			return
		}
	}
	u.subsection(u.section(name, defaultFlags(name)), int(sub))
}

// maxSubsection is GNU as's bound.
const maxSubsection = 8192

func (u *unit) subsectionNumber(name, text string) (int64, bool) {
	n, ok := u.constant(text, name)
	if ok && (n < 0 || n > maxSubsection) {
		u.errorf("%s: subsection %d is not 0 to %d", name, n, maxSubsection)
		return 0, false
	}
	return n, ok
}

// subsectionDirective is .subsection N: the same section, to be put behind
// the lower numbers.
func (u *unit) subsectionDirective(name, args string) {
	if n, ok := u.subsectionNumber(name, args); ok {
		u.flushPrefixes()
		u.prev = u.sec
		u.subsection(u.sec, int(n))
	}
}

// namedSection reads `.section NAME[, "flags"[, @type[, arguments]]]` and
// `.pushsection NAME[, subsection][, …]`. What the first mention leaves out
// follows from the name.
func (u *unit) namedSection(directive, args string) {
	l := splitArgs(args)
	if len(l) == 0 || unquote(l[0]) == "" {
		u.errorf("%s: missing name", directive)
		return
	}
	h, err := u.sectionHead(unquote(l[0]), l[1:])
	if err != nil {
		u.errorf("%s: %s", directive, err)
	}
	from, old := u.sec, u.prev
	p := u.section(h.name, h.flags)
	if !p.used && !p.started {
		h.frags, h.align, h.started = p.frags, p.align, true
		*p = h
		p.sub = 0
	}
	u.subsection(p, h.sub)
	if directive == ".pushsection" {
		u.secs = append(u.secs, savedSection{from, old})
	}
}

// sectionHead reads what stands behind the name.
func (u *unit) sectionHead(name string, l []string) (piece, error) {
	h := piece{name: name, flags: defaultFlags(name), align: 1}
	h.typ = defaultType(name)
	h.unloaded = strings.HasPrefix(name, ".debug_") || strings.HasPrefix(name, ".note.") || name == ".comment"
	if len(l) > 0 && l[0] != "" && isDigit(l[0][0]) {
		n, err := strconv.ParseUint(l[0], 0, 14)
		if err != nil || n > maxSubsection {
			return h, fmt.Errorf("subsection %s is not 0 to %d", l[0], maxSubsection)
		}
		h.sub, l = int(n), l[1:]
	}
	if len(l) == 0 || !strings.HasPrefix(l[0], "\"") {
		return h, nil
	}
	letters := unquote(l[0])
	flags, err := parseFlags(letters)
	h.flags = flags
	if h.typ != shtNote { // notes are for the linker, whatever their flags
		h.unloaded = flags&(shfAlloc|shfWrite|shfExec) == 0
	}
	l = l[1:]
	if err == nil && len(l) > 0 {
		h.typ, err = parseType(l[0])
		l = l[1:]
	}
	return h, firstError(err, u.sectionArguments(&h, letters, l))
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// sectionArguments are the entry size of M, the symbol of o, the signature and
// linkage of G, in this order.
func (u *unit) sectionArguments(h *piece, letters string, l []string) error {
	next := func() string {
		if len(l) == 0 {
			return ""
		}
		t := l[0]
		l = l[1:]
		return t
	}
	if h.flags&shfMerge != 0 {
		n, ok := u.constant(next(), "entry size")
		if !ok || n < 0 || n > maxImage {
			return fmt.Errorf("section %s: flag M needs the size of an entry", h.name)
		}
		h.entsize = uint64(n)
	}
	if strings.Contains(letters, "o") {
		h.link = unquote(next())
	}
	if strings.Contains(letters, "G") {
		h.group = unquote(next())
		h.comdat = next() == "comdat"
		if h.group == "" {
			return fmt.Errorf("section %s: flag G needs the name of the group", h.name)
		}
	}
	return nil
}

// The section flags and types of ELF (System V gABI, chapter 4).
const (
	shfWrite     = 0x1
	shfAlloc     = 0x2
	shfExec      = 0x4
	shfMerge     = 0x10
	shfStrings   = 0x20
	shfLinkOrder = 0x80
	shfGroup     = 0x200
	shfTLS       = 0x400
	shfRetain    = 0x200000
	shfExclude   = 0x80000000

	shtProgBits  = 1
	shtNote      = 7
	shtNoBits    = 8
	shtInitArray = 14
	shtFiniArray = 15
	shtPreArray  = 16
	shtUnwind    = 0x70000001
)

var flagLetters = map[rune]uint64{
	'a': shfAlloc, 'w': shfWrite, 'x': shfExec, 'M': shfMerge, 'S': shfStrings, 'G': shfGroup,
	'T': shfTLS, 'o': shfLinkOrder, 'e': shfExclude, 'R': shfRetain, 'd': 0, '?': 0,
}

func parseFlags(letters string) (uint64, error) {
	if n, err := strconv.ParseUint(letters, 0, 64); err == nil {
		return n, nil
	}
	var flags uint64
	for _, c := range letters {
		f, ok := flagLetters[c]
		if !ok {
			return flags, fmt.Errorf("unknown flags %q", letters)
		}
		flags |= f
	}
	return flags, nil
}

var sectionTypes = map[string]uint32{
	"progbits": shtProgBits, "nobits": shtNoBits, "note": shtNote, "unwind": shtUnwind,
	"init_array": shtInitArray, "fini_array": shtFiniArray, "preinit_array": shtPreArray,
}

func parseType(text string) (uint32, error) {
	t := strings.TrimLeft(unquote(text), "@%")
	if typ, ok := sectionTypes[t]; ok {
		return typ, nil
	}
	if n, err := strconv.ParseUint(t, 0, 32); err == nil {
		return uint32(n), nil
	}
	return shtProgBits, fmt.Errorf("unknown section type %s", text)
}

// underName reports whether a section's name is base or base.something.
func underName(name, base string) bool {
	return name == base || strings.HasPrefix(name, base+".")
}

// defaultFlags are the flags that a name implies. Names that imply nothing
// have none in an object; an image loads them for reading.
func defaultFlags(name string) uint64 {
	switch {
	case underName(name, ".text"), name == ".init", name == ".fini":
		return shfAlloc | shfExec
	case underName(name, ".tdata"), underName(name, ".tbss"):
		return shfAlloc | shfWrite | shfTLS
	case underName(name, ".data"), underName(name, ".bss"), underName(name, ".init_array"), underName(name, ".fini_array"):
		return shfAlloc | shfWrite
	case underName(name, ".rodata"):
		return shfAlloc
	}
	return 0
}

func defaultType(name string) uint32 {
	switch {
	case underName(name, ".bss"), underName(name, ".tbss"):
		return shtNoBits
	case underName(name, ".init_array"):
		return shtInitArray
	case underName(name, ".fini_array"):
		return shtFiniArray
	case strings.HasPrefix(name, ".note") && name != ".note.GNU-stack":
		return shtNote
	}
	return shtProgBits
}

// savedSection is what .popsection brings back.
type savedSection struct{ sec, prev *piece }

func (u *unit) popSection(name, _ string) {
	if len(u.secs) == 0 {
		u.errorf("%s without .pushsection", name)
		return
	}
	last := u.secs[len(u.secs)-1]
	u.sec, u.prev = last.sec, last.prev
	u.secs = u.secs[:len(u.secs)-1]
}

func (u *unit) previous(name, _ string) {
	if u.prev == nil {
		u.errorf("%s without an earlier section", name)
		return
	}
	u.sec, u.prev = u.prev, u.sec
}
