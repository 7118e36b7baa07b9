package asm

import "strings"

// hints say what to do about undefined symbols that a compiler brings in. A name
// that ends in * is a prefix.
var hints = []struct{ name, hint string }{
	{"memcpy", noLibrary}, {"memmove", noLibrary}, {"memset", noLibrary}, {"memcmp", noLibrary},
	{"printf", noLibrary}, {"puts", noLibrary}, {"abort", noLibrary}, {"malloc", noLibrary}, {"free", noLibrary},
	{"pthread_*", "there is no operating system: the vCPUs are the threads"},
	{"sched_yield", "there is no operating system"}, {"syscall", "there is no operating system"}, {"usleep", "there is no operating system"},
	{"__stack_chk_*", "compile with -fno-stack-protector"},
	{"__tls_get_addr", "there is no thread-local storage"},
	{"__asan_*", "compile without -fsanitize"}, {"__tsan_*", "compile without -fsanitize"}, {"__ubsan_*", "compile without -fsanitize"},
	{"__sanitizer_*", "compile without -fsanitize"}, {"__morestack*", "compile without -fsplit-stack"}, {"__gcov_*", "compile without --coverage"},
	{"__atomic_*", "libatomic is for objects that no instruction handles: are they aligned, and at most 8 bytes?"},
	{"mcount", noProfile}, {"_mcount", noProfile}, {"__fentry__", noProfile},
	{"current_task", linuxState}, {"pcpu_hot", linuxState}, {"__preempt_count", linuxState}, {"__per_cpu_start", linuxState},
	{"pv_ops", "paravirt calls go through this table: build without CONFIG_PARAVIRT_SPINLOCKS, or define it"},
	{"pv_lock_ops", "paravirt calls go through this table: build without CONFIG_PARAVIRT_SPINLOCKS, or define it"},
	{"_printk", linuxState}, {"__warn_printk", linuxState}, {"preempt_schedule*", linuxState}, {"lock_acquire", linuxState}, {"lock_release", linuxState},
}

const (
	noLibrary  = "compilers call it for what they do not write out, and there is no C library: define it, or add an object that does"
	noProfile  = "compile without -pg"
	linuxState = "it belongs to the kernel around this object: define it in a .s beside it"
)

// UndefinedHint is what to say behind the name of an undefined symbol: a blank
// and a hint in parentheses, or nothing.
func UndefinedHint(name string) string {
	for _, h := range hints {
		prefix, isPrefix := strings.CutSuffix(h.name, "*")
		if name == h.name || isPrefix && strings.HasPrefix(name, prefix) {
			return " (" + h.hint + ")"
		}
	}
	return ""
}
