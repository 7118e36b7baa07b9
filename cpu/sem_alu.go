package cpu

// The two-operand ALU and its relatives (SDM vol. 1, 7.3.2).

func execADD(c *Core, o *Op) outcome { return addWith(c, o, 0) }
func execADC(c *Core, o *Op) outcome { return addWith(c, o, c.Flags&CF) }

func addWith(c *Core, o *Op, carry uint64) outcome {
	b, st := c.get(o, 1)
	if st > slow {
		return st
	}
	a, st := c.open(o, 0)
	if st > slow {
		return st
	}
	res := a + b + carry
	if st = c.shut(o, 0, res); st > slow {
		return st
	}
	c.setArith(addFlags(a, b, res, o.W))
	return st
}

func execSUB(c *Core, o *Op) outcome { return subWith(c, o, 0) }
func execSBB(c *Core, o *Op) outcome { return subWith(c, o, c.Flags&CF) }

func subWith(c *Core, o *Op, borrow uint64) outcome {
	b, st := c.get(o, 1)
	if st > slow {
		return st
	}
	a, st := c.open(o, 0)
	if st > slow {
		return st
	}
	res := a - b - borrow
	if st = c.shut(o, 0, res); st > slow {
		return st
	}
	c.setArith(subFlags(a, b, res, o.W))
	return st
}

func execCMP(c *Core, o *Op) outcome {
	a, b, st := c.two(o)
	if st > slow {
		return st
	}
	c.setArith(subFlags(a, b, a-b, o.W))
	return st
}

func execTEST(c *Core, o *Op) outcome {
	a, b, st := c.two(o)
	if st > slow {
		return st
	}
	c.setArith(resultFlags(a&b, o.W))
	return st
}

// two reads operands 0 and 1; at most one of them is memory.
func (c *Core) two(o *Op) (a, b uint64, st outcome) {
	a, st = c.get(o, 0)
	if st > slow {
		return
	}
	b, st2 := c.get(o, 1)
	return a, b, max(st, st2)
}

func execAND(c *Core, o *Op) outcome {
	return logic(c, o, func(a, b uint64) uint64 { return a & b })
}

func execOR(c *Core, o *Op) outcome {
	return logic(c, o, func(a, b uint64) uint64 { return a | b })
}

func execXOR(c *Core, o *Op) outcome {
	return logic(c, o, func(a, b uint64) uint64 { return a ^ b })
}

func logic(c *Core, o *Op, f func(a, b uint64) uint64) outcome {
	b, st := c.get(o, 1)
	if st > slow {
		return st
	}
	a, st := c.open(o, 0)
	if st > slow {
		return st
	}
	res := f(a, b)
	if st = c.shut(o, 0, res); st > slow {
		return st
	}
	c.setArith(resultFlags(res, o.W))
	return st
}

func execINC(c *Core, o *Op) outcome {
	a, st := c.open(o, 0)
	if st > slow {
		return st
	}
	if st = c.shut(o, 0, a+1); st > slow {
		return st
	}
	c.setArith(addFlags(a, 1, a+1, o.W)&^CF | c.Flags&CF)
	return st
}

func execDEC(c *Core, o *Op) outcome {
	a, st := c.open(o, 0)
	if st > slow {
		return st
	}
	if st = c.shut(o, 0, a-1); st > slow {
		return st
	}
	c.setArith(subFlags(a, 1, a-1, o.W)&^CF | c.Flags&CF)
	return st
}

func execNEG(c *Core, o *Op) outcome {
	a, st := c.open(o, 0)
	if st > slow {
		return st
	}
	if st = c.shut(o, 0, -a); st > slow {
		return st
	}
	c.setArith(subFlags(0, a, -a, o.W))
	return st
}

func execNOT(c *Core, o *Op) outcome {
	a, st := c.open(o, 0)
	if st > slow {
		return st
	}
	return c.shut(o, 0, ^a)
}

func execADCX(c *Core, o *Op) outcome { return addCarryIn(c, o, CF) }
func execADOX(c *Core, o *Op) outcome { return addCarryIn(c, o, OF) }

// addCarryIn adds with flag f as the only carry in and out.
func addCarryIn(c *Core, o *Op, f uint64) outcome {
	a, b, st := c.two(o)
	if st > slow {
		return st
	}
	var carry uint64
	if c.Flags&f != 0 {
		carry = 1
	}
	res := a + b + carry
	c.setReg(o.Args[0], res)
	c.setFlag(f, addFlags(a, b, res, o.W)&CF != 0)
	return st
}
