package cpu

// vecFunc makes the new value of a destination: d is its old value, s the
// source, ctl the immediate. Values are two halves, the low one first.
type vecFunc func(d, s [2]uint64, ctl uint8) [2]uint64

func and(a, b uint64) uint64    { return a & b }
func andNot(a, b uint64) uint64 { return ^a & b }
func or(a, b uint64) uint64     { return a | b }
func xor(a, b uint64) uint64    { return a ^ b }
func add(a, b uint64) uint64    { return a + b }
func sub(a, b uint64) uint64    { return a - b }
func lesser(a, b uint64) uint64 { return min(a, b) }
func larger(a, b uint64) uint64 { return max(a, b) }

func lesserSigned(a, b uint64) uint64 { return uint64(min(int64(a), int64(b))) }
func largerSigned(a, b uint64) uint64 { return uint64(max(int64(a), int64(b))) }

func equal(a, b uint64) uint64   { return allOnes(a == b) }
func greater(a, b uint64) uint64 { return allOnes(int64(a) > int64(b)) }

func allOnes(yes bool) uint64 {
	if yes {
		return ^uint64(0)
	}
	return 0
}

// halves applies f to whole halves: logic, and lanes of 8 bytes.
func halves(f func(a, b uint64) uint64) vecFunc {
	return func(d, s [2]uint64, _ uint8) [2]uint64 {
		return [2]uint64{f(d[0], s[0]), f(d[1], s[1])}
	}
}

// lanes applies f to each pair of lanes of w bytes.
func lanes(w uint8, f func(a, b uint64) uint64) vecFunc {
	m := widthMask[w]
	return halves(func(a, b uint64) (r uint64) {
		for i := uint8(0); i < 64; i += w * 8 {
			r |= f(a>>i&m, b>>i&m) & m << i
		}
		return r
	})
}

// signedLanes is lanes for functions of signed values.
func signedLanes(w uint8, f func(a, b uint64) uint64) vecFunc {
	return lanes(w, func(a, b uint64) uint64 { return f(signExtend(a, w), signExtend(b, w)) })
}

// unpack interleaves the lanes of one half of both operands, the destination's
// first.
func unpack(w uint8, half int) vecFunc {
	m := widthMask[w]
	return func(d, s [2]uint64, _ uint8) (r [2]uint64) {
		for i := uint8(0); i < 8/w; i++ {
			from, to := i*w*8, i*w*16
			pair := s[half] >> from & m
			r[to>>6] |= d[half] >> from & m << (to & 63)
			to += w * 8
			r[to>>6] |= pair << (to & 63)
		}
		return r
	}
}

// dword is lane i of four.
func dword(v [2]uint64, i uint8) uint64 { return v[i>>1&1] >> (i & 1 * 32) & 0xffffffff }

func shuffle32(_, s [2]uint64, ctl uint8) [2]uint64 { return shufflePS(s, s, ctl) }

// shufflePS takes two lanes of the destination and two of the source.
func shufflePS(d, s [2]uint64, ctl uint8) [2]uint64 {
	return [2]uint64{
		dword(d, ctl&3) | dword(d, ctl>>2&3)<<32,
		dword(s, ctl>>4&3) | dword(s, ctl>>6)<<32,
	}
}

func shufflePD(d, s [2]uint64, ctl uint8) [2]uint64 { return [2]uint64{d[ctl&1], s[ctl>>1&1]} }

// shuffle16 reorders the four words of one half and copies the other.
func shuffle16(half int) vecFunc {
	return func(_, s [2]uint64, ctl uint8) [2]uint64 {
		var r uint64
		for i := range 4 {
			r |= s[half] >> (ctl >> (2 * i) & 3 * 16) & 0xffff << (16 * i)
		}
		s[half] = r
		return s
	}
}

// Shifts of a lane of w bytes; a count of all bits or more is the caller's.
func left(v uint64, n uint64, _ uint8) uint64        { return v << n }
func right(v uint64, n uint64, _ uint8) uint64       { return v >> n }
func rightSigned(v uint64, n uint64, w uint8) uint64 { return uint64(int64(signExtend(v, w)) >> n) }

// shiftLanes shifts every lane by the one count in the source's low half. A
// count as large as the lane shifts everything out; for PSRA the sign fills it.
func shiftLanes(w uint8, f func(v, n uint64, w uint8) uint64) vecFunc {
	m := widthMask[w]
	return func(d, s [2]uint64, _ uint8) (r [2]uint64) {
		n := min(s[0], 64) // Go shifts by 64 give zero, or the sign
		if n >= uint64(w)*8 {
			n = 64
		}
		for i := uint8(0); i < 64; i += w * 8 {
			r[0] |= f(d[0]>>i&m, n, w) & m << i
			r[1] |= f(d[1]>>i&m, n, w) & m << i
		}
		return r
	}
}

func shiftBytesLeft(d, s [2]uint64, _ uint8) [2]uint64 {
	n := min(s[0], 16) * 8
	if n >= 64 {
		return [2]uint64{0, d[0] << (n - 64)}
	}
	return [2]uint64{d[0] << n, d[1]<<n | d[0]>>(64-n)}
}

func shiftBytesRight(d, s [2]uint64, _ uint8) [2]uint64 {
	n := min(s[0], 16) * 8
	if n >= 64 {
		return [2]uint64{d[1] >> (n - 64), 0}
	}
	return [2]uint64{d[0]>>n | d[1]<<(64-n), d[1] >> n}
}
