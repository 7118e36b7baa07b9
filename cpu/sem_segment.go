package cpu

// Segment registers and the return from an interrupt. Segments are flat; what
// is left of them are selectors, the bases of FS and GS, and the exceptions.

// execIRET pops RIP, CS, RFLAGS, RSP and SS; it is serializing. Even one that
// faults ends the blocking of NMIs (SDM vol. 3A, 6.7.1).
func execIRET(c *Core, o *Op) outcome {
	if c.Flags&NT != 0 {
		c.NMI = false
		return c.raise(vecGP, 0)
	}
	if o.W != 8 {
		c.Why = "iret with 16- or 32-bit operands is not modelled"
		return unsupported
	}
	st := c.iret()
	if st <= slow || st == raised || st == pageFault {
		c.NMI = false
	}
	return st
}

func (c *Core) iret() outcome {
	var f [5]uint64
	for i := range f {
		v, st := c.stackLoad(c.R[RSP]+uint64(i)*8, 8)
		if st > slow {
			return st
		}
		f[i] = v
	}
	cs, ss := uint16(f[1]), uint16(f[4])
	if st := c.checkReturn(cs, ss); st > slow {
		return st
	}
	if st := c.jump(f[0]); st > slow {
		return st
	}
	may := arithFlags | TF | DF | NT | AC | ID
	if uint64(c.CPL) <= c.Flags>>12&3 {
		may |= IF
	}
	if c.CPL == 0 {
		may |= iopl | VIF | VIP
	}
	c.Flags = c.Flags&^may | f[2]&may
	c.Sel[SegCS], c.Sel[SegSS] = cs, ss
	c.CPL, c.R[RSP] = uint8(cs&3), f[3]
	return slow
}

// checkReturn checks the selectors that IRET popped (SDM vol. 2A, IRET). The
// requested privilege level of CS is the new CPL: 0 or 3, and not below the
// present one. SS may be null, but not at CPL 3. Descriptors are looked at once
// the guest has loaded a GDT; until then every selector is a flat segment.
func (c *Core) checkReturn(cs, ss uint16) outcome {
	cpl := uint8(cs & 3)
	switch {
	case cs&^3 == 0:
		return c.raise(vecGP, 0)
	case cpl < c.CPL || cpl == 1 || cpl == 2:
		return c.raise(vecGP, uint32(cs&^3))
	}
	if c.GDT.Limit != 0 {
		d, st := c.descriptor(cs)
		if st > slow {
			return st
		}
		switch {
		case !d.code() || d.conforming() && d.dpl() > cpl || !d.conforming() && d.dpl() != cpl:
			return c.raise(vecGP, uint32(cs&^3))
		case !d.present():
			return c.raise(vecNP, uint32(cs&^3))
		case !d.long():
			c.Why = "iret to compatibility mode is not modelled"
			return unsupported
		}
	}
	switch {
	case ss&^3 == 0 && (cpl == 3 || ss != 0):
		return c.raise(vecGP, 0)
	case uint8(ss&3) != cpl:
		return c.raise(vecGP, uint32(ss&^3))
	case ss != 0 && c.GDT.Limit != 0:
		return c.checkStackSegment(ss, cpl)
	}
	return done
}

// checkStackSegment checks a selector for SS that is not null.
func (c *Core) checkStackSegment(sel uint16, cpl uint8) outcome {
	d, st := c.descriptor(sel)
	if st > slow {
		return st
	}
	switch {
	case uint8(sel&3) != cpl || !d.writable() || d.dpl() != cpl:
		return c.raise(vecGP, uint32(sel&^3))
	case !d.present():
		return c.raise(vecSS, uint32(sel&^3))
	}
	return done
}

// loadSeg loads a segment register. A null selector makes FS and GS bases zero,
// as Intel's cores do; others are checked against the GDT for type, presence
// and privilege (SDM vol. 2B, MOV), and give FS and GS a 32-bit base.
func (c *Core) loadSeg(seg uint8, sel uint16) outcome {
	var base uint64
	switch {
	case seg == SegCS:
		return c.raise(vecUD, 0)
	case seg == SegSS:
		if sel&^3 == 0 && (c.CPL == 3 || uint8(sel&3) != c.CPL) {
			return c.raise(vecGP, 0)
		}
		if sel&^3 != 0 {
			if st := c.checkStackSegment(sel, c.CPL); st > slow {
				return st
			}
		}
	case sel&^3 != 0:
		d, st := c.descriptor(sel)
		if st > slow {
			return st
		}
		switch {
		case !d.readable() || !d.conforming() && d.dpl() < max(uint8(sel&3), c.CPL):
			return c.raise(vecGP, uint32(sel&^3))
		case !d.present():
			return c.raise(vecNP, uint32(sel&^3))
		}
		base = d.base()
	}
	c.Sel[seg] = sel
	switch seg {
	case SegFS:
		c.FSBase = base
	case SegGS:
		c.GSBase = base
	case SegSS:
		c.Shadow = SSShadow
	}
	return done
}

// descriptor is an entry of the GDT (SDM vol. 3A, 3.4.5).
type descriptor uint64

func (d descriptor) user() bool       { return d>>44&1 != 0 } // code or data
func (d descriptor) code() bool       { return d.user() && d>>43&1 != 0 }
func (d descriptor) conforming() bool { return d.code() && d>>42&1 != 0 }
func (d descriptor) readable() bool   { return d.user() && (d>>43&1 == 0 || d>>41&1 != 0) }
func (d descriptor) writable() bool   { return d.user() && d>>43&1 == 0 && d>>41&1 != 0 }
func (d descriptor) present() bool    { return d>>47&1 != 0 }
func (d descriptor) dpl() uint8       { return uint8(d >> 45 & 3) }
func (d descriptor) long() bool       { return d>>53&3 == 1 } // L set, D clear
func (d descriptor) base() uint64     { return uint64(d>>16&0xffffff | d>>56<<24) }

// descriptor reads a GDT entry; there is no LDT. Like delivery's, this access
// is no stop of its own.
func (c *Core) descriptor(sel uint16) (descriptor, outcome) {
	if sel&4 != 0 || uint32(sel|7) > uint32(c.GDT.Limit) {
		return 0, c.raise(vecGP, uint32(sel&^3))
	}
	if c.p.Stop {
		defer c.withoutStops()()
	}
	v, st := c.load(c.GDT.Base+uint64(sel&^7), 8)
	return descriptor(v), st
}
