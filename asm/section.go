package asm

// A piece is what one source contributes to one section: a list of fragments.
// Bytes whose number is known go into one data fragment after another; what
// depends on addresses (a jump, an alignment, a .skip to a label) gets a
// fragment of its own, and its length is settled by the layout.
type piece struct {
	name     string
	flags    uint64 // SHF_*
	typ      uint32 // SHT_*
	entsize  uint64 // of a mergeable section
	group    string // signature of the section group, "" without one
	comdat   bool
	link     string // the section or symbol that a link-order section follows
	unloaded bool   // debug information and notes: read, not part of the image
	sub      int    // subsection
	started  bool   // a .section directive has said what it is

	frags []*frag
	align uint64 // largest alignment asked for
	used  bool   // something was emitted or a label stands here

	relocs []relocation // of an object
}

func (p *piece) exec() bool   { return p.flags&shfExec != 0 }
func (p *piece) write() bool  { return p.flags&shfWrite != 0 }
func (p *piece) nobits() bool { return p.typ == shtNoBits }

type fragKind uint8

const (
	fragData fragKind = iota
	fragJump
	fragAlign
	fragFill
	fragOrg
	fragLEB
)

type frag struct {
	kind fragKind
	sec  *piece
	at   place
	addr uint64
	size int

	index int   // in sec.frags, for the layout
	pads  *frag // the first alignment behind, for the layout

	data   []byte // fragData; the fill pattern of the others
	fixups []fixup

	expr *node // target of a jump, count of a fill or an org

	text string // fragJump: the target as written
	cond byte   // fragJump: second byte of the long form, or 0xe9
	long bool

	align, maxPad uint64 // fragAlign
	nops          bool

	signed bool // fragLEB
}

// fixup is a field that is filled in when the addresses are known.
type fixup struct {
	off, size int
	n         *node
	at        place
	kind      fixKind
	end       int // pcrel: distance from the field's start to the next instruction
	text      string

	branch bool    // pcrel: the target of a jump or call
	jump   bool    // of a jump
	addr32 bool    // signed: computed in 32 bits, so that the sign is free
	got    gotForm // fixGOT
	rex    bool    // fixGOT: a REX prefix stands before the opcode
}

type fixKind uint8

const (
	fixData     fixKind = iota // any value that fits signed or unsigned
	fixSigned                  // sign-extended by the CPU: displacements, 64-bit imm32
	fixPCRel                   // symbol minus next instruction
	fixPCOffset                // a plain number after (%rip): taken as it stands
	fixGOT                     // distance to a slot of the global offset table
)

// end returns the open data fragment and the offset behind its last byte.
func (p *piece) end() (*frag, int) {
	if n := len(p.frags); n > 0 && p.frags[n-1].kind == fragData {
		f := p.frags[n-1]
		return f, len(f.data)
	}
	f := &frag{kind: fragData, sec: p}
	p.frags = append(p.frags, f)
	return f, 0
}

// end64 is the address behind the last byte, once it is known.
func (p *piece) end64() int64 {
	if len(p.frags) == 0 {
		return 0
	}
	f := p.frags[len(p.frags)-1]
	return int64(f.addr) + int64(f.size)
}

// add appends a fragment whose length the layout settles.
func (p *piece) add(f *frag) {
	p.used = true
	f.sec = p
	p.frags = append(p.frags, f)
}

// emit appends bytes and returns where they begin.
func (p *piece) emit(b ...byte) (*frag, int) {
	p.used = true
	f, off := p.end()
	f.data = append(f.data, b...)
	return f, off
}

// lineMark remembers the span of one statement until addresses are known.
type lineMark struct {
	at         place
	text       string
	from, to   *frag
	fOff, tOff int
}
