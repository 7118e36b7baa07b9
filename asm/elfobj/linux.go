package elfobj

import (
	"debug/elf"
	"strings"
)

// Linux patches some calls at boot, by the tables that it keeps beside the code.
// On a CPU that needs no mitigation and with tracing off the result is fixed, so
// it is made here, when no file defines the symbol:
//
//	call __fentry__                 the 5-byte NOP    arch/x86/kernel/ftrace.c, ftrace_make_nop
//	jmp __x86_return_thunk          RET, INT3s        arch/x86/kernel/alternative.c, __apply_returns
//	call __x86_indirect_thunk_REG   CALL *REG, NOP    the same, patch_retpoline
//	jmp __x86_indirect_thunk_REG    JMP *REG, INT3s
const (
	fentryName  = "__fentry__"
	returnThunk = "__x86_return_thunk"
	thunkPrefix = "__x86_indirect_thunk_"
)

const (
	opCALL = 0xe8
	opJMP  = 0xe9
)

var registers = []string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}

// nops are the fillers behind a shorter instruction (Intel SDM vol. 2B, NOP).
var nops = map[int][]byte{2: {0x66, 0x90}, 3: {0x0f, 0x1f, 0x00}, 5: {0x0f, 0x1f, 0x44, 0x00, 0x00}}

// patchLinux does what the kernel would do with a jump or a call to the symbol of
// a relocation, and reports whether it did.
func (l *linker) patchLinux(s *section, r rela) bool {
	sym := &s.obj.symbols[r.sym]
	if !strings.HasPrefix(sym.name, "__") || l.globals[sym.name] != nil || !sym.global() || r.addend != -4 || r.off == 0 ||
		r.typ != elf.R_X86_64_PLT32 && r.typ != elf.R_X86_64_PC32 {
		return false
	}
	code := linuxPatch(sym.name, s.out[r.off-1])
	if code == nil {
		return false
	}
	copy(s.out[r.off-1:r.off+4], code)
	l.note("%s: %s", s.obj.name, patchNote(sym.name))
	return true
}

func patchNote(name string) string {
	switch name {
	case fentryName:
		return "calls of __fentry__ are NOPs, as in a kernel that does not trace"
	case returnThunk:
		return "jumps to __x86_return_thunk are RETs, as on a CPU that needs no return thunk"
	}
	return "calls through __x86_indirect_thunk_* are plain, as on a CPU that needs no retpolines"
}

// linuxPatch are the 5 bytes that take the place of CALL or JMP rel32, nil if
// Linux leaves it.
func linuxPatch(name string, op byte) []byte {
	switch {
	case name == fentryName && op == opCALL:
		return nops[5]
	case name == returnThunk && op == opJMP:
		return []byte{0xc3, 0xcc, 0xcc, 0xcc, 0xcc}
	case op != opCALL && op != opJMP:
		return nil
	}
	reg, ok := strings.CutPrefix(name, thunkPrefix)
	for i, n := range registers {
		if ok && n == reg {
			return indirect(i, op == opCALL)
		}
	}
	return nil
}

// indirect is CALL or JMP through a register, filled up to 5 bytes.
func indirect(reg int, call bool) (code []byte) {
	if reg >= 8 {
		code = append(code, 0x41) // REX.B
	}
	if call {
		code = append(code, 0xff, 0xd0|byte(reg&7))
		return append(code, nops[5-len(code)]...)
	}
	code = append(code, 0xff, 0xe0|byte(reg&7))
	for len(code) < 5 {
		code = append(code, 0xcc)
	}
	return code
}
