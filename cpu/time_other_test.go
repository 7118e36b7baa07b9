//go:build !linux

package cpu

import "time"

var processStart = time.Now()

// threadTime is the wall clock where threads have none of their own.
func threadTime() time.Duration { return time.Since(processStart) }
