// Package native holds the loops of the speed table as machine code of the
// host, so that a benchmark can give its figure as a ratio to the hardware
// measured in the same run.
package native

func ticketLoop(mem *[16]uint64, n uint64)
func aluLoop(mem *[16]uint64, n uint64)

// Available says whether this host can run the loops.
const Available = true

// Loop runs n iterations of W1 (ticket) or W2 and returns the instructions
// that this took.
func Loop(ticket bool, n uint64) uint64 {
	var mem [16]uint64
	if ticket {
		ticketLoop(&mem, n)
		return 9 * n
	}
	aluLoop(&mem, n)
	return 8 * n
}
