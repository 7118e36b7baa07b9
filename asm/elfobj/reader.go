package elfobj

import "bytes"

// reader takes values off the front of a slice. Behind its end everything is 0
// and short is set.
type reader struct {
	b     []byte
	short bool
}

// take returns the next n bytes.
func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.b, r.short = nil, true
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) u8() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u16() uint16 {
	if b := r.take(2); b != nil {
		return u16(b)
	}
	return 0
}

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return u32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return u64(b)
	}
	return 0
}

// length reads a unit's length; wide means 64-bit DWARF.
func (r *reader) length() (n uint64, wide bool) {
	if n = uint64(r.u32()); n == 0xffffffff {
		return r.u64(), true
	}
	return n, false
}

// offset reads an offset of 32-bit or 64-bit DWARF.
func (r *reader) offset(wide bool) uint64 {
	if wide {
		return r.u64()
	}
	return uint64(r.u32())
}

// uleb reads an unsigned LEB128; what does not fit into 64 bits is cut off.
func (r *reader) uleb() (v uint64) {
	for shift := 0; ; shift += 7 {
		b := r.u8()
		if shift < 64 {
			v |= uint64(b&0x7f) << shift
		}
		if b&0x80 == 0 {
			return v
		}
	}
}

// sleb reads a signed LEB128.
func (r *reader) sleb() (v int64) {
	for shift := 0; ; shift += 7 {
		b := r.u8()
		if shift < 64 {
			v |= int64(b&0x7f) << shift
		}
		if b&0x80 == 0 {
			if shift < 57 && b&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
}

// str reads a string up to its 0.
func (r *reader) str() string {
	n := bytes.IndexByte(r.b[:min(len(r.b), maxName)], 0)
	if n < 0 {
		r.b, r.short = nil, true
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n+1:]
	return s
}

// cString is the string at an offset of a section of strings, "" if there is
// none.
func cString(strs string, off uint64) string {
	if off >= uint64(len(strs)) {
		return ""
	}
	s, _ := stringAt(strs[off:], 0)
	return s
}
