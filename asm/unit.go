package asm

import (
	"sort"
	"strings"
)

// assembler is one call of Assemble.
type assembler struct {
	opt         Options
	units       []*unit
	errs        []placedError
	usedDefines map[string]bool
	settling    bool  // layout: sizes may still be wrong
	lastMoved   place // layout: the statement whose size changed last
	emitted     int   // bytes so far, to bound the image
	cut         bool  // a bound was hit and the rest has not been read
	goasm       *goEncoder
	secs        []*outSection // layout
	object      bool          // an object for a linker is wanted, not an image

	tlsStart, tlsEnd uint64 // the block of thread-local sections
}

func newAssembler(opt Options) *assembler {
	return &assembler{opt: opt, usedDefines: map[string]bool{}, goasm: newGoEncoder()}
}

// unit is one source while it is read, and what it left behind.
type unit struct {
	a       *assembler
	now     place // of the current statement
	pieces  []*piece
	byName  map[pieceKey]*piece
	sec     *piece
	prev    *piece         // for .previous
	secs    []savedSection // for .popsection
	symbols map[string]*symbol
	order   []*symbol // symbols by first use
	defs    []*symbol // symbols by definition
	numeric map[string]*numericLabel
	refs    []symRef
	marks   []lineMark

	startFrag *frag // "." of the current statement
	startOff  int

	macros   map[string]*macro
	expanded int // statements run, to bound runaway macros
	calls    int // macro calls, the value of \@
	conds    []cond
	prefixes []pendingPrefix
	joined   *joined

	ended bool // .end

	intel   bool // .intel_syntax
	prefixR bool // registers are written with %, in Intel syntax too

	fileName string // .file
	files    map[int64]lineFile
	rows     []lineRow // .loc
	locStmt  bool
}

// symRef remembers that a statement used an expression, so that undefined
// symbols are reported at their place.
type symRef struct {
	n        *node
	at       place
	unloaded bool // in a section that an image leaves out
}

// pendingPrefix is a prefix that was a statement of its own.
type pendingPrefix struct {
	byte byte
	name string
	text string
	frag *frag
	off  int
}

func (u *unit) errorf(format string, args ...any) { u.a.errorAt(u.now, format, args...) }

func (a *assembler) readSource(i int, src Source) {
	u := &unit{
		a: a, now: place{i, src.Name, 1},
		symbols: map[string]*symbol{}, numeric: map[string]*numericLabel{}, macros: map[string]*macro{},
		byName: map[pieceKey]*piece{}, locStmt: true,
	}
	a.units = append(a.units, u)
	u.section(".text", defaultFlags(".text"))
	u.run(a.splitStatements(i, src), 0)
	u.flushPrefixes()
	u.joinSubsections()
	for _, c := range u.conds {
		a.errorAt(c.at, "%s without .endif", c.name)
	}
}

// use records an expression for the check of undefined symbols.
func (u *unit) use(n *node) *node {
	if n.op != "num" {
		u.refs = append(u.refs, symRef{n, u.now, u.sec.unloaded})
	}
	return n
}

// expr parses an expression, or reports why not and returns 0.
func (u *unit) expr(text string) (*node, bool) {
	n, err := u.parseExpr(text)
	if err != nil {
		u.errorf("%s", err)
		return num(0), false
	}
	return u.use(n), true
}

// constant parses an expression that must be known at once.
func (u *unit) constant(text, what string) (int64, bool) {
	n, err := u.parseExpr(text)
	var v int64
	if err == nil {
		u.use(n)
		v, err = n.constant()
	}
	if err != nil {
		u.errorf("%s: %s", what, err)
		return 0, false
	}
	return v, true
}

// section switches to this source's piece of a section, and makes it first.
func (u *unit) section(name string, flags uint64) *piece {
	u.flushPrefixes()
	u.prev = u.sec
	if p := u.byName[pieceKey{name, 0}]; p != nil {
		u.sec = p
		return p
	}
	u.addPiece(&piece{name: name, flags: flags, typ: defaultType(name), align: 1})
	return u.sec
}

// pieceKey is a section's name and a subsection's number.
type pieceKey struct {
	name string
	sub  int
}

func (u *unit) addPiece(p *piece) {
	u.sec = p
	u.pieces = append(u.pieces, p)
	u.byName[pieceKey{p.name, p.sub}] = p
}

// subsection goes to a numbered part of a section. The parts are joined, in
// the order of their numbers, when the source has been read.
func (u *unit) subsection(sec *piece, n int) {
	u.sec = sec
	if sec.sub == n {
		return
	}
	if p := u.byName[pieceKey{sec.name, n}]; p != nil {
		u.sec = p
		return
	}
	p := *sec
	p.frags, p.align, p.used, p.sub = nil, 1, false, n
	u.addPiece(&p)
}

// joinSubsections makes one piece of the parts of each section, and lets a
// section's name that nothing defines stand for its start.
func (u *unit) joinSubsections() {
	parts := append([]*piece(nil), u.pieces...)
	sort.SliceStable(parts, func(i, j int) bool { return parts[i].sub < parts[j].sub })
	main := map[string]*piece{}
	u.pieces = nil
	for _, p := range parts {
		m := main[p.name]
		if m == nil {
			main[p.name] = p
			u.pieces = append(u.pieces, p)
			continue
		}
		for _, f := range p.frags {
			f.sec = m
		}
		m.frags = append(m.frags, p.frags...)
		m.align, m.used = max(m.align, p.align), m.used || p.used
	}
	for _, s := range u.order {
		if p := main[s.name]; p != nil && !s.defined() { // clang's `.long .debug_abbrev`
			if len(p.frags) == 0 {
				p.end()
			}
			s.frag, s.off, s.hidden = p.frags[0], 0, true
		}
	}
}

// statement runs one statement that the conditionals let through.
func (u *unit) statement(s stmt, depth int) {
	u.now = s.place
	u.startFrag, u.startOff = u.sec.end()
	sec := u.sec
	rest := u.labels(s.text)
	if rest == "" {
		return
	}
	from, off := u.sec.end()
	u.joined = nil
	u.dispatch(rest, depth)
	if u.sec != sec {
		return
	}
	to, tOff := u.sec.end()
	if from != to || off != tOff {
		u.mark(lineMark{at: s.place, text: rest, from: from, fOff: off, to: to, tOff: tOff})
	}
}

// mark records the span of a statement, less what inner statements of a
// macro call have recorded already.
func (u *unit) mark(m lineMark) {
	if j := u.joined; j != nil {
		m.from, m.fOff, m.text = j.frag, j.off, j.text
		u.joined = nil
	}
	if n := len(u.marks); n > 0 && u.marks[n-1].to == m.to && u.marks[n-1].tOff == m.tOff {
		return
	}
	u.marks = append(u.marks, m)
}

// labels defines the labels in front of a statement and returns what follows.
func (u *unit) labels(text string) string {
	for {
		name, rest := word(text)
		if name == "" {
			i := 0
			for i < len(text) && isDigit(text[i]) {
				i++
			}
			name, rest = text[:i], text[i:]
		}
		rest = strings.TrimLeft(rest, " \t")
		if name == "" || name == "." || !strings.HasPrefix(rest, ":") {
			return text
		}
		u.defineLabel(name)
		u.startFrag, u.startOff = u.sec.end()
		text = strings.TrimSpace(rest[1:])
	}
}

// dispatch runs what follows the labels: an assignment, a directive, a macro
// call, a prefix or an instruction.
func (u *unit) dispatch(text string, depth int) {
	name, rest := word(text)
	if name == "" {
		u.errorf("statement expected, not %q", text)
		return
	}
	args := strings.TrimSpace(rest)
	if strings.HasPrefix(args, "=") && !strings.HasPrefix(args, "==") {
		u.assign(name, args[1:])
		return
	}
	lower := strings.ToLower(name)
	if m := u.macros[lower]; m != nil {
		u.callMacro(m, args, depth)
		return
	}
	if strings.HasPrefix(name, ".") {
		u.directive(lower, args)
		return
	}
	u.instruction(text)
}

func (u *unit) assign(name, text string) {
	n, ok := u.expr(text)
	switch {
	case !ok:
	case name == ".":
		u.org(n, 0)
	default:
		u.setSymbol(name, n, false)
	}
}
