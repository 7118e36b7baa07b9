package mem

// Fetch copies instruction bytes at a into dst as this core sees them: its own
// buffered stores at once, those of others once committed. It returns how many
// bytes could be fetched; fewer than len(dst) means that the next one ends
// with st and Port.Fault. fresh is false when an own buffered store supplied a
// byte: then the result must not be cached.
func (p *Port) Fetch(a uint64, dst []byte) (n int, fresh bool, st Status) {
	fresh = true
	for n < len(dst) {
		pg, st := p.page(a, Exec)
		if st != Done {
			return n, fresh, st
		}
		for n < len(dst) {
			v := pg.read(a, 1)
			if p.B.N != 0 && p.B.covers(a, 1) {
				v, fresh = p.B.forward(a, 1, v), false
			}
			dst[n] = byte(v)
			n, a = n+1, a+1
			if a&(PageSize-1) == 0 {
				break
			}
		}
	}
	return n, fresh, Done
}

// BufferedOn says whether an own buffered store touches the page of a.
func (p *Port) BufferedOn(a uint64) bool {
	return p.B.N != 0 && p.B.covers(a&^(PageSize-1), PageSize)
}

// RandomDelay draws commit delays: the n-th store of a key waits a number of
// cycles that depends on nothing but (seed, key, n), so that skipping or
// replaying parts of a run draws the same.
type RandomDelay struct {
	Seed, Key, N uint64
	Max          Cycles // exclusive upper bound; 0 draws 0
}

func (d *RandomDelay) next() Cycles {
	if d.Max == 0 {
		return 0
	}
	d.N++
	return Mix(d.Seed, d.Key, d.N) % d.Max
}

// Mix is a counter-based generator: splitmix64's finalizer (Steele, Lea, Flood
// 2014) over three inputs.
func Mix(a, b, c uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b*0xbf58476d1ce4e5b9 + c*0x94d049bb133111eb
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
