package cpu

// fuse picks the fast kinds of a block's ops.
func fuse(b *Block) {}

func (c *Core) runFast(blk *Block, i int, last uint64) (Stop, bool) { return c.stepOp(blk, i) }
