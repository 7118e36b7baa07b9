package elfobj

import (
	"cmp"
	"slices"
)

// pageSize separates what is executable, constant and writable: permissions are
// per page.
const pageSize = 0x1000

// chunkCommon and chunkGOT name the parts of the image that no section of an
// object is.
const (
	chunkCommon = "COMMON"
	chunkGOT    = "GOT"
)

func alignUp(n, align uint64) uint64 { return (n + align - 1) &^ (align - 1) }

// placer hands out addresses and keeps the whole within bounds.
type placer struct {
	l     *linker
	at    uint64
	total uint64
}

// take gives size bytes an aligned address. A place names who wants them.
func (p *placer) take(place string, size, align uint64) uint64 {
	from := alignUp(p.at, align)
	p.total += from - p.at + size
	if size > maxImage || p.total > maxImage {
		p.l.errs.add(place, "the image grows beyond %#x bytes", maxImage)
		p.total = 0
		return p.at
	}
	p.at = from + size
	return from
}

// place gives every section an address: code, constants, data, then the sources
// behind each.
func (l *linker) place() error {
	p := &placer{l: l, at: l.around(l.opt.Text)}
	l.placeGroup(p, groupCode)
	l.textEnd = alignUp(p.at, pageSize)
	p.at = l.textEnd
	if l.opt.Data != 0 {
		if l.textEnd > l.opt.Data {
			l.errs.add("code", "it ends at %#x, behind the first data at %#x", l.textEnd, l.opt.Data)
			return nil
		}
		p.at = l.opt.Data
	}
	p.at = l.around(p.at)
	l.findGOT()
	l.placeGroup(p, groupConst)
	l.got.at = p.take(chunkGOT, l.got.size(), 8)
	p.at = alignUp(p.at, pageSize)
	l.placeGroup(p, groupData)
	l.placeCommon(p)
	l.dataEnd = alignUp(p.at, pageSize)
	if l.opt.Data == 0 && l.dataEnd == l.textEnd {
		l.dataEnd = 0 // behind the sources' code
	} else if l.opt.Data == 0 {
		l.textEnd = l.dataEnd
		l.dataEnd = 0
	}
	l.placePerCPU()
	for _, x := range l.fixed {
		l.chunks = append(l.chunks, x.chunks...)
	}
	return nil
}

// around moves an address behind the fixed parts that lie there.
func (l *linker) around(at uint64) uint64 {
	for moved := true; moved; {
		moved = false
		for _, x := range l.fixed {
			for _, c := range x.chunks {
				end := c.addr + uint64(len(c.data))
				if at >= c.addr&^(pageSize-1) && at < end {
					at, moved = alignUp(end, pageSize), true
				}
			}
		}
	}
	return at
}

func (l *linker) placeGroup(p *placer, group int) {
	for _, o := range l.objects {
		for i := range o.sections {
			s := &o.sections[i]
			if s.fate != fateLoaded || s.group() != group {
				continue
			}
			s.at = p.take(o.name+":"+s.name, s.size, s.align)
			if len(l.errs) > 0 {
				return // no bytes for what does not fit
			}
			s.out = make([]byte, s.size)
			copy(s.out, s.data)
			if s.size > 0 {
				l.chunks = append(l.chunks, chunk{s.chunkName(), s.at, s.out, group == groupCode, group == groupData})
			}
		}
	}
}

// placeCommon gives the common symbols room behind the data.
func (l *linker) placeCommon(p *placer) {
	for _, name := range l.order {
		if d := l.globals[name]; d.common {
			l.commons = append(l.commons, d)
		}
	}
	first := uint64(0)
	for _, d := range l.commons {
		if d.align&(d.align-1) != 0 || d.align > maxAlign {
			l.errs.add(d.file, "common symbol %s: alignment %#x: a power of two up to %#x is wanted", d.sym.name, d.align, maxAlign)
			return
		}
		d.at = p.take(d.file+":"+d.sym.name, d.size, d.align)
		if first == 0 {
			first = d.at
		}
	}
	if len(l.commons) > 0 && p.at > first && len(l.errs) == 0 {
		l.chunks = append(l.chunks, chunk{chunkCommon, first, make([]byte, p.at-first), false, true})
	}
}

// placePerCPU lays Linux's per-CPU variables out as offsets in the per-CPU
// areas. Like the kernel's linker script, cache-aligned sections come last.
func (l *linker) placePerCPU() {
	var list []*section
	for _, o := range l.objects {
		for i := range o.sections {
			if s := &o.sections[i]; s.fate == fatePerCPU {
				list = append(list, s)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *section) int { return cmp.Compare(a.align, b.align) })
	at := l.opt.PerCPU
	for _, s := range list {
		s.at = alignUp(at, s.align)
		if at = s.at + s.size; at > l.opt.PerCPUEnd {
			l.errs.add(s.obj.name+":"+s.name, "per-CPU variables up to offset %#x: the per-CPU areas have room from %#x to %#x", at, l.opt.PerCPU, l.opt.PerCPUEnd)
			return
		}
		s.out = make([]byte, s.size)
		copy(s.out, s.data)
	}
	if len(list) == 0 {
		return
	}
	l.perCPU = make([]byte, at-l.opt.PerCPU)
}
