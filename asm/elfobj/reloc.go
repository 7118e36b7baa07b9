package elfobj

import (
	"debug/elf"
	"fmt"

	"spinlab/asm"
)

// formula is how a relocation's value is computed. The letters are those of the
// System V psABI for AMD64, table 4.9: S symbol, A addend, P place, G the
// symbol's slot in the GOT, Z size.
type formula uint8

const (
	formNone    formula = iota
	formAbs             // S + A
	formPC              // S + A - P; L = S, since nothing needs a PLT
	formSlotPC          // the slot's address + A - P
	formSlot            // the slot's offset in the GOT + A
	formGOTPC           // GOT + A - P
	formFromGOT         // S + A - GOT
	formSize            // Z + A
	formTLS             // refused: thread-local storage
	formDynamic         // refused: for a dynamic loader
)

// check is what a value must be, to fit into its field. Those are the ones of
// GNU ld 2.40 (bfd/elf64-x86-64.c, x86_64_elf_howto_table).
type check uint8

const (
	fitAny check = iota
	fitSigned
	fitUnsigned
	fitEither // as a signed or as an unsigned number
)

// howto is one row of the table of relocation types.
type howto struct {
	form formula
	size uint8 // bytes
	fits check
}

var howtos = map[elf.R_X86_64]howto{
	elf.R_X86_64_NONE:          {formNone, 0, fitAny},
	elf.R_X86_64_64:            {formAbs, 8, fitAny},
	elf.R_X86_64_PC32:          {formPC, 4, fitSigned},
	elf.R_X86_64_GOT32:         {formSlot, 4, fitSigned},
	elf.R_X86_64_PLT32:         {formPC, 4, fitSigned},
	elf.R_X86_64_GOTPCREL:      {formSlotPC, 4, fitSigned},
	elf.R_X86_64_32:            {formAbs, 4, fitUnsigned},
	elf.R_X86_64_32S:           {formAbs, 4, fitSigned},
	elf.R_X86_64_16:            {formAbs, 2, fitEither},
	elf.R_X86_64_PC16:          {formPC, 2, fitEither},
	elf.R_X86_64_8:             {formAbs, 1, fitEither},
	elf.R_X86_64_PC8:           {formPC, 1, fitSigned},
	elf.R_X86_64_PC64:          {formPC, 8, fitAny},
	elf.R_X86_64_GOTOFF64:      {formFromGOT, 8, fitAny},
	elf.R_X86_64_GOTPC32:       {formGOTPC, 4, fitSigned},
	elf.R_X86_64_GOT64:         {formSlot, 8, fitAny},
	elf.R_X86_64_GOTPCREL64:    {formSlotPC, 8, fitAny},
	elf.R_X86_64_GOTPC64:       {formGOTPC, 8, fitAny},
	elf.R_X86_64_GOTPLT64:      {formSlot, 8, fitAny},
	elf.R_X86_64_PLTOFF64:      {formFromGOT, 8, fitAny},
	elf.R_X86_64_SIZE32:        {formSize, 4, fitUnsigned},
	elf.R_X86_64_SIZE64:        {formSize, 8, fitAny},
	elf.R_X86_64_GOTPCRELX:     {formSlotPC, 4, fitSigned},
	elf.R_X86_64_REX_GOTPCRELX: {formSlotPC, 4, fitSigned},

	elf.R_X86_64_DTPMOD64: {form: formTLS}, elf.R_X86_64_DTPOFF64: {form: formTLS}, elf.R_X86_64_TPOFF64: {form: formTLS},
	elf.R_X86_64_TLSGD: {form: formTLS}, elf.R_X86_64_TLSLD: {form: formTLS}, elf.R_X86_64_DTPOFF32: {form: formTLS},
	elf.R_X86_64_GOTTPOFF: {form: formTLS}, elf.R_X86_64_TPOFF32: {form: formTLS}, elf.R_X86_64_GOTPC32_TLSDESC: {form: formTLS},
	elf.R_X86_64_TLSDESC_CALL: {form: formTLS}, elf.R_X86_64_TLSDESC: {form: formTLS},

	elf.R_X86_64_COPY: {form: formDynamic}, elf.R_X86_64_GLOB_DAT: {form: formDynamic}, elf.R_X86_64_JMP_SLOT: {form: formDynamic},
	elf.R_X86_64_RELATIVE: {form: formDynamic}, elf.R_X86_64_IRELATIVE: {form: formDynamic}, elf.R_X86_64_RELATIVE64: {form: formDynamic},
}

// table is the global offset table: a slot for each symbol that some code
// reaches through one. Slots are not relaxed away, so the loads that the
// compiler has written are executed.
type table struct {
	at    uint64
	slots map[any]uint64 // offsets, by *definition or by the *symbol of a local
	fill  []slot
}

type slot struct {
	obj *object
	sym uint32
}

func (t *table) size() uint64 { return 8 * uint64(len(t.fill)) }

// slotKey is what a slot of the GOT belongs to.
func (l *linker) slotKey(o *object, sym uint32) any {
	s := &o.symbols[sym]
	if s.global() {
		if d := l.globals[s.name]; d != nil {
			return d
		}
		return s.name // weak and undefined
	}
	return s
}

// findGOT looks for everything that needs a slot.
func (l *linker) findGOT() {
	l.got.slots = map[any]uint64{}
	l.eachReloc(func(s *section, r rela) {
		form := howtos[r.typ].form
		if form != formSlotPC && form != formSlot || uint64(r.sym) >= uint64(len(s.obj.symbols)) {
			return
		}
		key := l.slotKey(s.obj, r.sym)
		if _, ok := l.got.slots[key]; !ok {
			l.got.slots[key] = 8 * uint64(len(l.got.fill))
			l.got.fill = append(l.got.fill, slot{s.obj, r.sym})
		}
	})
}

// eachReloc goes through the relocations of what is loaded, up to a bound.
func (l *linker) eachReloc(do func(*section, rela)) {
	n := 0
	for _, o := range l.objects {
		for i := range o.sections {
			s := &o.sections[i]
			if s.fate != fateLoaded && s.fate != fatePerCPU {
				continue
			}
			for _, rs := range s.relocs {
				for b := rs.data; len(b) >= sizeRela; b = b[sizeRela:] {
					if n++; n > maxRelocs {
						l.errs.add(o.name, "more than %d relocations in all", maxRelocs)
						return
					}
					do(s, readRela(b))
				}
			}
		}
	}
}

// relocate fills in all fields and the GOT.
func (l *linker) relocate() error {
	l.eachReloc(l.apply)
	if n := l.got.size(); n > 0 && len(l.errs) == 0 {
		data := make([]byte, n)
		for i, x := range l.got.fill {
			v, _ := l.target(x.obj, x.sym)
			put(data[8*i:], 8, v)
		}
		l.chunks = append(l.chunks, chunk{chunkGOT, l.got.at, data, false, false})
	}
	for _, o := range l.objects {
		for i := range o.sections {
			if s := &o.sections[i]; s.fate == fatePerCPU && len(l.errs) == 0 {
				copy(l.perCPU[s.at-l.opt.PerCPU:], s.out)
			}
		}
	}
	return nil
}

// apply does one relocation.
func (l *linker) apply(s *section, r rela) {
	if len(l.errs) >= maxErrors {
		return
	}
	h, known := howtos[r.typ]
	if !known {
		l.errs.add(s.place(r.off), "relocation type %d is not known", uint32(r.typ))
		return
	}
	if h.form == formNone {
		return
	}
	if r.off > s.size || uint64(h.size) > s.size-r.off || s.typ == elf.SHT_NOBITS {
		l.errs.add(s.place(r.off), "%s: the section has %#x bytes", r.typ, len(s.data))
		return
	}
	if uint64(r.sym) >= uint64(len(s.obj.symbols)) {
		l.errs.add(s.place(r.off), "%s: no symbol %d", r.typ, r.sym)
		return
	}
	name := s.obj.symbols[r.sym].name
	switch h.form {
	case formTLS:
		l.forbid(s.place(r.off), "%s against %s: thread-local storage: there are no threads; keep it in the per-CPU area at %%gs", r.typ, name)
		return
	case formDynamic:
		l.errs.add(s.place(r.off), "%s against %s: it is for a dynamic loader, which is not here", r.typ, name)
		return
	}
	if l.patchLinux(s, r) {
		return
	}
	v, problem := l.compute(s, r, h.form)
	if problem != "" {
		l.forbid(s.place(r.off), "%s%s", problem, s.within(r.off))
		return
	}
	if !h.fit(v) {
		l.forbid(s.place(r.off), "%s against %s: %#x does not fit into %d bits%s", r.typ, name, v, 8*h.size, s.within(r.off))
		return
	}
	put(s.out[r.off:], int(h.size), v)
}

// compute is a relocation's value; problem says why there is none.
func (l *linker) compute(s *section, r rela, form formula) (v uint64, problem string) {
	target, problem := l.target(s.obj, r.sym)
	if problem != "" {
		return 0, problem
	}
	p, a := s.at+r.off, uint64(r.addend)
	switch form {
	case formPC:
		return target + a - p, ""
	case formSlotPC:
		return l.got.at + l.got.slots[l.slotKey(s.obj, r.sym)] + a - p, ""
	case formSlot:
		return l.got.slots[l.slotKey(s.obj, r.sym)] + a, ""
	case formGOTPC:
		return l.got.at + a - p, ""
	case formFromGOT:
		return target + a - l.got.at, ""
	case formSize:
		return l.sizeOf(s.obj, r.sym) + a, ""
	}
	return target + a, ""
}

// symbolGOT is the name by which code finds the GOT.
const symbolGOT = "_GLOBAL_OFFSET_TABLE_"

// target is the address that symbol n of o stands for. A weak symbol that nobody
// defines is 0.
func (l *linker) target(o *object, n uint32) (v uint64, problem string) {
	s := &o.symbols[n]
	if n == 0 {
		return 0, ""
	}
	if s.global() {
		d := l.globals[s.name]
		switch {
		case d != nil && d.sym != nil && d.sym.typ == elf.STT_GNU_IFUNC:
			return 0, fmt.Sprintf("%s is chosen at load time (ifunc), and there is no loader", s.name)
		case d != nil:
			if v, err := l.value(d); err == nil {
				return v, ""
			}
			return 0, fmt.Sprintf("%s: section %s is not loaded", s.name, d.sym.sec.name)
		case s.name == symbolGOT:
			return l.got.at, ""
		case s.bind == elf.STB_WEAK:
			return 0, ""
		case l.opt.Lenient:
			l.note("%s: %s is undefined and stands for 0", o.name, s.name)
			return 0, ""
		}
		return 0, "undefined symbol " + s.name + asm.UndefinedHint(s.name)
	}
	if s.undefined() || s.index == elf.SHN_COMMON {
		return 0, fmt.Sprintf("local symbol %d (%s) is defined nowhere", n, s.name)
	}
	v, err := o.address(s)
	if err != nil {
		return 0, fmt.Sprintf("section %s is not loaded", s.sec.name)
	}
	return v, ""
}

func (l *linker) sizeOf(o *object, n uint32) uint64 {
	s := &o.symbols[n]
	if d := l.globals[s.name]; s.global() && d != nil && d.sym != nil {
		return d.sym.size
	}
	return s.size
}

// fit reports whether a value can be stored in the field.
func (h howto) fit(v uint64) bool {
	bits := 8 * uint(h.size)
	signed := func() bool { return int64(v)>>(bits-1) == 0 || int64(v)>>(bits-1) == -1 }
	unsigned := func() bool { return v>>bits == 0 }
	switch h.fits {
	case fitSigned:
		return signed()
	case fitUnsigned:
		return unsigned()
	case fitEither:
		return signed() || unsigned()
	}
	return true
}

// put stores the low n bytes of v.
func put(b []byte, n int, v uint64) {
	for i := range n {
		b[i] = byte(v >> (8 * i))
	}
}

// within names the function that an offset of a section is in.
func (s *section) within(off uint64) string {
	var best *symbol
	for i := range s.obj.symbols {
		f := &s.obj.symbols[i]
		if f.sec != s || f.typ != elf.STT_FUNC || f.value > off || off-f.value >= f.size {
			continue
		}
		if best == nil || f.value > best.value {
			best = f
		}
	}
	if best == nil {
		return ""
	}
	return ", in " + best.name
}
