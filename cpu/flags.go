package cpu

import "math/bits"

// lazy holds the operands of the last flag-setting operation while nobody has
// asked for the flags. Only the fast path leaves it set; handlers always see
// settled flags.
type lazy struct {
	a, b uint64 // operands, masked to the width; of logic operations a is the result
	cf   bool   // the carry flag; INC and DEC keep it
	kw   uint16 // kind, and the width in bytes in the upper half; 0: nothing pending
}

const (
	lazyAdd uint16 = iota + 1
	lazySub
	lazyLogic
	lazyInc
	lazyDec
)

// settle works out pending flags.
func (c *Core) settle() {
	if c.lz.kw != 0 {
		c.settlePending()
	}
}

func (c *Core) settlePending() {
	l, w := &c.lz, uint8(c.lz.kw>>8)
	var f uint64
	switch l.kw & 0xff {
	case lazyAdd:
		f = addFlags(l.a, l.b, l.a+l.b, w)
	case lazySub:
		f = subFlags(l.a, l.b, l.a-l.b, w)
	case lazyLogic:
		f = resultFlags(l.a, w)
	case lazyInc:
		f = addFlags(l.a, 1, l.a+1, w) &^ CF
	case lazyDec:
		f = subFlags(l.a, 1, l.a-1, w) &^ CF
	}
	if l.cf {
		f |= CF
	}
	c.Flags = c.Flags&^arithFlags | f
	l.kw = 0
}

// keepCarry makes lz.cf right for the fast path, which does not look at Flags.
func (c *Core) keepCarry() {
	if c.lz.kw == 0 {
		c.lz.cf = c.Flags&CF != 0
	}
}

// resultFlags gives ZF, SF and PF of a result of w bytes; the other arithmetic
// flags are clear. AF after logic operations is undefined; it is cleared, as
// recent cores of both vendors do.
func resultFlags(res uint64, w uint8) uint64 {
	s := (64 - uint(w)*8) & 63
	var f uint64
	if res<<s == 0 {
		f = ZF
	}
	f |= res << s >> 63 << 7
	if bits.OnesCount8(uint8(res))&1 == 0 {
		f |= PF
	}
	return f
}

// addFlags gives the six flags of a + b (+ carry) = res, w bytes wide. The
// carries out of each bit follow from the operands and the result.
func addFlags(a, b, res uint64, w uint8) uint64 {
	carry := a&b | (a|b)&^res
	top := uint(w)*8 - 1
	f := resultFlags(res, w)
	f |= carry >> top & 1
	f |= carry >> 3 & 1 << 4
	f |= ((a ^ res) & (b ^ res)) >> top & 1 << 11
	return f
}

// subFlags gives the six flags of a - b (- borrow) = res, w bytes wide.
func subFlags(a, b, res uint64, w uint8) uint64 {
	borrow := ^a&b | (^a|b)&res
	top := uint(w)*8 - 1
	f := resultFlags(res, w)
	f |= borrow >> top & 1
	f |= borrow >> 3 & 1 << 4
	f |= ((a ^ b) & (a ^ res)) >> top & 1 << 11
	return f
}

// setArith replaces the six arithmetic flags.
func (c *Core) setArith(f uint64) { c.Flags = c.Flags&^arithFlags | f }

// setFlag sets or clears flags by a condition.
func (c *Core) setFlag(f uint64, on bool) {
	c.Flags &^= f
	if on {
		c.Flags |= f
	}
}

// cond evaluates a condition code (SDM vol. 2, appendix B.1.4.7) on settled
// flags.
func (c *Core) cond(code uint8) bool {
	f := c.Flags
	var yes bool
	switch code >> 1 {
	case 0:
		yes = f&OF != 0
	case 1:
		yes = f&CF != 0
	case 2:
		yes = f&ZF != 0
	case 3:
		yes = f&(CF|ZF) != 0
	case 4:
		yes = f&SF != 0
	case 5:
		yes = f&PF != 0
	case 6:
		yes = (f&SF != 0) != (f&OF != 0)
	case 7:
		yes = f&ZF != 0 || (f&SF != 0) != (f&OF != 0)
	}
	return yes != (code&1 != 0)
}
