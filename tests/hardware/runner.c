//go:build ignore

// A native runner for single instructions and short sequences (linux/amd64).
//
// It reads fixed records (struct question) from stdin and writes one fixed
// record (struct reply) for each to stdout; all integers are little-endian.
// hardware's native_test.go builds it with "gcc -O1" and speaks to it.
//
// The code page at CODE is filled with HLT, which at CPL 3 raises #GP at its
// own address: that ends a run. The page is mapped twice, executable and not
// writable at CODE, writable elsewhere, so that guest code sees r-x. The pages
// on both sides of CODE and SCRATCH are not mapped. The FS and GS bases point
// into the scratch page while guest code runs, so between enter() and the
// handler's restore nothing may use thread-local storage.

#define _GNU_SOURCE
#include <asm/prctl.h>
#include <cpuid.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	CODE = 0x100000,
	SCRATCH = 0x200000,
	FSBASE = SCRATCH + 0x100,
	GSBASE = SCRATCH,
	HLT = 0xf4,
	MAXCODE = 128,
};

struct question {
	uint32_t offset; // of the code in its page
	uint32_t length;
	uint32_t last; // of a batch: replies are sent now
	uint32_t zero;
	uint8_t code[MAXCODE];
	uint64_t regs[16]; // in encoding order
	uint64_t flags;
	uint8_t xmm[16][16];
	uint8_t mem[PAGE];
};

struct reply {
	uint64_t regs[16];
	uint64_t flags, rip, cr2;
	uint32_t signal, trap, error, hlt; // hlt: stopped at a HLT
	uint8_t xmm[16][16];
	uint8_t mem[PAGE];
};

// What a host can do, sent once before the first reply. Names are in
// native_test.go, in the order of these bits.
struct hello {
	uint32_t features;
	char vendor[12];
};

// The state that enter loads. The assembler code knows the offsets.
static struct {
	uint64_t regs[16], flags, target;
	uint8_t xmm[16][16];
} start __attribute__((used, aligned(64)));

static struct question q;
static struct reply r;
static uint8_t *writable; // the second mapping of the code page
static unsigned long own_fs;
static sigjmp_buf back;
static char alternate[1 << 16] __attribute__((aligned(64)));

// enter gives the processor to the guest code. Nothing comes back but signals.
extern void enter(void) __attribute__((noreturn));
__asm__(
	".text\nenter:\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"movups start+0x90+16*\\n(%rip), %xmm\\n\n"
	".endr\n"
	"lea start+0x80(%rip), %rsp\n"
	"popfq\n"
	"mov start+0x00(%rip), %rax\n mov start+0x08(%rip), %rcx\n"
	"mov start+0x10(%rip), %rdx\n mov start+0x18(%rip), %rbx\n"
	"mov start+0x20(%rip), %rsp\n mov start+0x28(%rip), %rbp\n"
	"mov start+0x30(%rip), %rsi\n mov start+0x38(%rip), %rdi\n"
	"mov start+0x40(%rip), %r8\n mov start+0x48(%rip), %r9\n"
	"mov start+0x50(%rip), %r10\n mov start+0x58(%rip), %r11\n"
	"mov start+0x60(%rip), %r12\n mov start+0x68(%rip), %r13\n"
	"mov start+0x70(%rip), %r14\n mov start+0x78(%rip), %r15\n"
	"jmp *start+0x88(%rip)\n");

static inline long set_base(int which, unsigned long base)
{
	long ret;
	__asm__ volatile("syscall" : "=a"(ret) : "0"((long)SYS_arch_prctl), "D"((long)which), "S"(base)
			 : "rcx", "r11", "memory");
	return ret;
}

// caught records where and how guest code stopped. The kernel does not clear
// AC and NT for a handler, and the FS base is still the guest's: both come
// first, before anything that might need alignment or thread-local storage.
__attribute__((optimize("no-stack-protector"))) static void caught(int sig, siginfo_t *info, void *context)
{
	static const int order[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				       REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };
	__asm__ volatile("pushq $0x202\n popfq" ::: "cc", "memory");
	set_base(ARCH_SET_FS, own_fs);
	(void)info;
	ucontext_t *u = context;
	greg_t *g = u->uc_mcontext.gregs;
	for (int i = 0; i < 16; i++)
		r.regs[i] = g[order[i]];
	r.flags = g[REG_EFL];
	r.rip = g[REG_RIP];
	r.signal = sig;
	r.trap = g[REG_TRAPNO];
	r.error = g[REG_ERR];
	r.cr2 = r.trap == 14 ? (uint64_t)g[REG_CR2] : 0;
	memcpy(r.xmm, u->uc_mcontext.fpregs->_xmm, sizeof r.xmm);
	siglongjmp(back, 1);
}

static void *map(uintptr_t at, int prot, int fd)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *want = (void *)at;
	void *p = mmap(want, PAGE, prot, flags | (at ? MAP_FIXED_NOREPLACE : 0), fd, 0);
	if (p == MAP_FAILED || (at && p != want)) {
		perror("mmap");
		exit(1);
	}
	return p;
}

static void prepare(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGVTALRM };
	int fd = memfd_create("code", 0);
	if (fd < 0 || ftruncate(fd, PAGE) != 0) {
		perror("memfd");
		exit(1);
	}
	map(CODE, PROT_READ | PROT_EXEC, fd);
	writable = map(0, PROT_READ | PROT_WRITE, fd);
	map(SCRATCH, PROT_READ | PROT_WRITE, -1);
	syscall(SYS_arch_prctl, ARCH_GET_FS, &own_fs);
	sigaltstack(&(stack_t){ .ss_sp = alternate, .ss_size = sizeof alternate }, 0);
	struct sigaction sa = { .sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
	for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &sa, 0);
}

static void greet(void)
{
	struct hello h = { 0 };
	unsigned a, b, c, d, b7 = 0, c1 = 0, d7 = 0, ext = 0;
	__get_cpuid(0, &a, (unsigned *)h.vendor, (unsigned *)(h.vendor + 8), (unsigned *)(h.vendor + 4));
	if (__get_cpuid(1, &a, &b, &c, &d))
		c1 = c;
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
		b7 = b, d7 = d;
	if (__get_cpuid(0x80000001, &a, &b, &c, &d))
		ext = c;
	unsigned bits[] = { c1 >> 0, c1 >> 13, c1 >> 22, c1 >> 23, c1 >> 30, b7 >> 3, b7 >> 8, b7 >> 18, b7 >> 19,
			    b7 >> 23, b7 >> 24, ext >> 0, ext >> 5, d7 >> 14, getauxval(AT_HWCAP2) >> 1, ext >> 8, b7 >> 10 };
	for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++)
		h.features |= (bits[i] & 1) << i;
	fwrite(&h, sizeof h, 1, stdout);
	fflush(stdout);
}

static void run(void)
{
	const struct itimerval limit = { .it_value = { .tv_sec = 1 } }, off = { 0 };
	memset(writable, HLT, PAGE);
	memcpy(writable + q.offset, q.code, q.length);
	memcpy((void *)SCRATCH, q.mem, PAGE);
	memcpy(start.regs, q.regs, sizeof q.regs);
	memcpy(start.xmm, q.xmm, sizeof q.xmm);
	start.flags = q.flags;
	start.target = CODE + q.offset;
	memset(&r, 0, sizeof r);
	setitimer(ITIMER_VIRTUAL, &limit, 0);
	if (!sigsetjmp(back, 0)) {
		set_base(ARCH_SET_GS, GSBASE);
		set_base(ARCH_SET_FS, FSBASE);
		enter();
	}
	setitimer(ITIMER_VIRTUAL, &off, 0);
	r.hlt = r.signal == SIGSEGV && r.trap == 13 && r.error == 0 && r.rip - CODE < PAGE && writable[r.rip - CODE] == HLT;
	memcpy(r.mem, (void *)SCRATCH, PAGE);
}

int main(void)
{
	prepare();
	greet();
	while (fread(&q, sizeof q, 1, stdin) == 1) {
		if (q.length > MAXCODE || q.offset + q.length > PAGE)
			return 2;
		run();
		fwrite(&r, sizeof r, 1, stdout);
		if (q.last)
			fflush(stdout);
	}
	return 0;
}
