//go:build !amd64

package native

// Available says whether this host can run the loops.
const Available = false

// Loop is not available on this host and does nothing.
func Loop(bool, uint64) uint64 { return 0 }
