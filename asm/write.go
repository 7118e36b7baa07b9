package asm

import "encoding/binary"

func (a *assembler) writeFrag(out []byte, f *frag) []byte {
	switch f.kind {
	case fragData:
		from := len(out)
		out = append(out, f.data...)
		for i := range f.fixups {
			a.patch(out[from:], f, &f.fixups[i])
		}
		return out
	case fragJump:
		return a.writeJump(out, f)
	case fragLEB:
		v, err := a.distance(f.expr)
		if err != nil {
			a.errorAt(f.at, "%s", err)
		}
		return appendLEB(out, v, f.signed, f.size)
	case fragAlign:
		if f.nops {
			return append(out, nops(f.size)...)
		}
	}
	if len(f.data) > 1 && f.size%len(f.data) != 0 {
		a.errorAt(f.at, "alignment padding of %d bytes is not a multiple of the fill's %d", f.size, len(f.data))
	}
	if len(f.data) == 0 {
		return append(out, make([]byte, f.size)...)
	}
	for n := f.size / len(f.data); n > 0; n-- {
		out = append(out, f.data...)
	}
	return out
}

func (a *assembler) writeJump(out []byte, f *frag) []byte {
	if f.long && a.object {
		return a.relocateJump(out, f)
	}
	t, err := f.expr.eval()
	if err != nil {
		a.errorAt(f.at, "%s", err)
		return append(out, make([]byte, f.size)...)
	}
	d := t - int64(f.addr) - int64(f.size)
	if !f.long {
		op := byte(0xeb)
		if f.cond != 0xe9 {
			op = f.cond - 0x10
		}
		return append(out, op, byte(d))
	}
	if d != int64(int32(d)) {
		a.errorAt(f.at, "jump target is %#x bytes away: more than 32 bits", d)
	}
	if f.cond != 0xe9 {
		out = append(out, 0x0f)
	}
	out = append(out, f.cond)
	return binary.LittleEndian.AppendUint32(out, uint32(d))
}

// relocateJump writes a long jump of an object.
func (a *assembler) relocateJump(out []byte, f *frag) []byte {
	from := len(out)
	if f.cond != 0xe9 {
		out = append(out, 0x0f)
	}
	out = append(out, f.cond, 0, 0, 0, 0)
	x := fixup{off: len(out) - from - 4, size: 4, n: f.expr, at: f.at, kind: fixPCRel, end: 4, branch: true, jump: true, text: f.text}
	a.relocate(out[from:], f, &x)
	return out
}

// patch computes one field and checks that its value fits.
func (a *assembler) patch(data []byte, f *frag, x *fixup) {
	if a.object {
		a.relocate(data, f, x)
		return
	}
	v, err := x.n.eval()
	switch {
	case err != nil:
	case x.kind == fixGOT:
		err = a.patchGOT(data, f, x, v)
	case x.kind == fixPCRel:
		a.store(data, x, v-int64(f.addr)-int64(x.off+x.end))
	default:
		a.store(data, x, v)
	}
	if err != nil {
		a.errorAt(x.at, "%s", err)
	}
}

// store puts a value into its field, if it fits.
func (a *assembler) store(data []byte, x *fixup, v int64) {
	if !fitsField(v, x.size, x.kind != fixData && !x.addr32) {
		a.errorAt(x.at, "%s %s = %#x does not fit into %d bits", x.what(), x.text, v, 8*x.size)
		return
	}
	for i := range x.size {
		data[x.off+i] = byte(v >> (8 * i))
	}
}

func (x *fixup) what() string {
	switch {
	case x.kind == fixPCRel && x.size == 1:
		return "short jump distance to"
	case x.kind == fixPCRel:
		return "distance to"
	case x.kind == fixData:
		return "value"
	}
	return "displacement or immediate"
}

// fitsField reports whether v can be stored in size bytes: sign-extended by
// the CPU, or else in GNU as's sense that what is cut off is all zeros or all
// ones, so that `andb $~0x80` is good.
func fitsField(v int64, size int, signed bool) bool {
	if size >= 8 {
		return true
	}
	bits := 8 * size
	if signed {
		bits--
	}
	return v>>bits == 0 || v>>bits == -1
}
