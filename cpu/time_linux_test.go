package cpu

import (
	"syscall"
	"time"
	"unsafe"
)

// threadTime is the CPU time of the calling thread (clock_gettime(2),
// CLOCK_THREAD_CPUTIME_ID).
func threadTime() time.Duration {
	const threadCPUTime = 3
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPUTime, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}
