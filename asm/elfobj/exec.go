package elfobj

import (
	"cmp"
	"debug/elf"
	"fmt"
	"slices"

	"spinlab/asm"
)

// fixed is a file that says itself where it goes: an executable or a flat
// binary.
type fixed struct {
	name   string
	entry  uint64
	chunks []chunk
	obj    *object // nil for a flat binary
}

// Where an executable may lie: not in page 0, where null pointers point, and in
// the lower half of the address space.
const (
	minAddr = pageSize
	maxAddr = 1 << 47
)

// raw takes a flat binary in, as code at Options.Load.
func (l *linker) raw(f asm.Source) {
	at := l.opt.Text
	if l.opt.Load != nil {
		at = *l.opt.Load
	}
	switch {
	case len(f.Text) == 0:
		l.errs.add(f.Name, "no bytes")
	case len(f.Text) > maxImage:
		l.errs.add(f.Name, "%#x bytes: an image has at most %#x", len(f.Text), maxImage)
	case at < minAddr || at > maxAddr-uint64(len(f.Text)):
		l.errs.add(f.Name, "load address %#x: from %#x to %#x", at, uint64(minAddr), uint64(maxAddr))
	default:
		l.fixed = append(l.fixed, &fixed{name: f.Name, entry: at, chunks: []chunk{{f.Name, at, f.Text, true, true}}})
	}
}

// executable takes a linked ELF file in.
func (l *linker) executable(o *object) {
	x := &fixed{name: o.name, obj: o}
	before := len(l.errs)
	bias := l.segments(x)
	if len(l.errs) > before {
		return
	}
	x.entry = o.entry + bias
	if o.entry == 0 {
		x.entry = 0
	}
	l.dynamic(x, bias)
	for i := range o.symbols {
		if s := &o.symbols[i]; s.index != elf.SHN_ABS && !s.undefined() && s.typ != elf.STT_TLS {
			s.value += bias
		}
	}
	l.fixed = append(l.fixed, x)
	l.add(o)
}

// segments maps PT_LOAD. The bias is what is added to every address of a
// position-independent executable.
func (l *linker) segments(x *fixed) (bias uint64) {
	o := x.obj
	if o.typ == elf.ET_DYN {
		bias = l.opt.PIE
	}
	total := uint64(0)
	for i, p := range o.progs {
		place := fmt.Sprintf("%s: program header %d", o.name, i)
		switch p.typ {
		case elf.PT_INTERP:
			l.errs.add(o.name, "a dynamically linked executable: there is no loader; link with -static, or give the objects")
			return 0
		case elf.PT_TLS:
			l.note("%s: thread-local storage is not set up", o.name)
			continue
		case elf.PT_LOAD:
		default:
			continue
		}
		var data []byte
		if p.fileSize <= uint64(len(o.data)) && p.offset <= uint64(len(o.data))-p.fileSize {
			data = o.data[p.offset : p.offset+p.fileSize]
		}
		at := p.addr + bias
		switch total += p.memSize; {
		case data == nil && p.fileSize > 0:
			l.errs.add(place, "%#x bytes at offset %#x reach beyond the end of the file", p.fileSize, p.offset)
		case p.fileSize > p.memSize:
			l.errs.add(place, "%#x bytes of the file for %#x of memory", p.fileSize, p.memSize)
		case p.memSize > maxImage || total > maxImage:
			l.errs.add(place, "an executable of more than %#x bytes", maxImage)
			return 0
		case p.memSize > 0 && (at < minAddr || at > maxAddr-p.memSize || p.addr > maxAddr):
			l.errs.add(place, "address %#x: from %#x to %#x", at, uint64(minAddr), uint64(maxAddr))
		case p.memSize > 0:
			mapped := make([]byte, p.memSize)
			copy(mapped, data)
			x.chunks = append(x.chunks, chunk{fmt.Sprintf("%s:load%d", o.name, i), at, mapped, p.flags&elf.PF_X != 0, p.flags&elf.PF_W != 0})
		}
	}
	if len(x.chunks) == 0 && len(l.errs) == 0 {
		l.errs.add(o.name, "an executable that loads nothing")
	}
	return bias
}

// bytes returns the mapped bytes of an address range, nil if they are not all in
// one segment.
func (x *fixed) bytes(at, n uint64) []byte {
	for _, c := range x.chunks {
		if at >= c.addr && at-c.addr <= uint64(len(c.data)) && n <= uint64(len(c.data))-(at-c.addr) {
			return c.data[at-c.addr:][:n]
		}
	}
	return nil
}

// dynamic does what the start-up code of a static-pie would do: it adds the bias
// to what R_X86_64_RELATIVE and DT_RELR name.
func (l *linker) dynamic(x *fixed, bias uint64) {
	var tab []byte
	for _, p := range x.obj.progs {
		if p.typ == elf.PT_DYNAMIC {
			tab = x.bytes(p.addr+bias, p.memSize)
		}
	}
	tags := map[elf.DynTag]uint64{}
	for ; len(tab) >= 16 && u64(tab) != uint64(elf.DT_NULL); tab = tab[16:] {
		tags[elf.DynTag(u64(tab))] = u64(tab[8:])
	}
	if _, ok := tags[elf.DT_NEEDED]; ok {
		l.errs.add(x.name, "it needs shared libraries: there is no loader; link with -static, or give the objects")
		return
	}
	for _, t := range [][2]elf.DynTag{{elf.DT_RELA, elf.DT_RELASZ}, {elf.DT_JMPREL, elf.DT_PLTRELSZ}} {
		if tags[t[1]] == 0 {
			continue
		}
		b := x.bytes(tags[t[0]]+bias, tags[t[1]])
		if b == nil {
			l.errs.add(x.name, "%s: %#x bytes at %#x are not mapped", t[0], tags[t[1]], tags[t[0]]+bias)
		}
		for ; len(b) >= sizeRela; b = b[sizeRela:] {
			l.relative(x, readRela(b), bias)
		}
	}
	if n := tags[dtRELRSZ]; n > 0 {
		l.packed(x, x.bytes(tags[dtRELR]+bias, n), bias)
	}
}

// Tags of packed relative relocations (gABI, "Relative relocation table").
const (
	dtRELRSZ elf.DynTag = 35
	dtRELR   elf.DynTag = 36
)

func (l *linker) relative(x *fixed, r rela, bias uint64) {
	at := r.off + bias
	switch r.typ {
	case elf.R_X86_64_NONE:
	case elf.R_X86_64_RELATIVE:
		if field := x.bytes(at, 8); field != nil {
			put(field, 8, uint64(r.addend)+bias)
			return
		}
		l.errs.add(x.name, "%s at %#x, where nothing is mapped", r.typ, at)
	case elf.R_X86_64_IRELATIVE:
		l.note("%s: functions that are chosen at load time (ifunc) stay unresolved", x.name)
	default:
		l.errs.add(x.name, "%s at %#x: it is for a dynamic loader, which is not here", r.typ, at)
	}
}

// packed reads DT_RELR: an even word is an address, and the odd ones behind it
// are bitmaps of the 63 words that follow.
func (l *linker) packed(x *fixed, b []byte, bias uint64) {
	next := uint64(0)
	bump := func(at uint64) {
		field := x.bytes(at, 8)
		if field == nil {
			l.errs.add(x.name, "DT_RELR: nothing is mapped at %#x", at)
			return
		}
		put(field, 8, u64(field)+bias)
	}
	for ; len(b) >= 8 && len(l.errs) < maxErrors; b = b[8:] {
		w := u64(b)
		if w&1 == 0 {
			bump(w + bias)
			next = w + bias + 8
			continue
		}
		for i := uint64(0); i < 63; i++ {
			if w>>(i+1)&1 != 0 {
				bump(next + 8*i)
			}
		}
		next += 63 * 8
	}
}

// symbols are those of an executable, each in the segment that holds it.
func (x *fixed) symbols() (list []asm.Symbol) {
	if x.obj == nil {
		return nil
	}
	sorted := slices.Clone(x.chunks)
	slices.SortFunc(sorted, func(a, b chunk) int { return cmp.Compare(a.addr, b.addr) })
	for i := range x.obj.symbols {
		s := &x.obj.symbols[i]
		if i == 0 || s.name == "" || s.undefined() || s.typ == elf.STT_SECTION || s.typ == elf.STT_FILE || s.typ == elf.STT_TLS {
			continue
		}
		out := asm.Symbol{Name: s.name, Addr: s.value, Size: s.size, Global: s.global(), Source: x.name, Absolute: s.sec == nil}
		if s.sec != nil {
			k, found := slices.BinarySearchFunc(sorted, s.value, func(c chunk, a uint64) int { return cmp.Compare(c.addr, a) })
			if !found {
				k--
			}
			if k < 0 || s.value-sorted[k].addr > uint64(len(sorted[k].data)) {
				continue // of a section that is not loaded
			}
			out.Section = sorted[k].name
		}
		list = append(list, out)
	}
	return list
}
