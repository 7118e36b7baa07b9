package cpu

import "golang.org/x/arch/x86/x86asm"

// Mn is an instruction: the index of its row.
type Mn uint16

// Row says all about one instruction.
type Row struct {
	Name   string      // AT&T mnemonic without size suffix
	X      []x86asm.Op // what x86asm calls it; none if only the pre-decoder knows it
	Fn     handler
	Lock   bool   // LOCK is allowed with a memory destination
	Reads  uint64 // flags read
	Writes uint64 // flags written or left undefined
	Class  Class
	Dst    dstUse // what it does with a memory operand 0
	Loads  uint8  // implicit loads, of the stack or of string registers
	Stores uint8
	Flag   opFlag
}

type dstUse uint8

const (
	dstRead   dstUse = iota // compares, tests, and all that only read
	dstWrite                // moves
	dstModify               // read and written
	dstNone                 // the address alone: LEA, NOP, hints
)

// alu is the common row of arithmetic that changes its destination.
func alu(name string, fn handler, reads, writes uint64, x ...x86asm.Op) Row {
	return Row{Name: name, X: x, Fn: fn, Lock: true, Reads: reads, Writes: writes, Dst: dstModify}
}

// reg is a row whose destination is a register.
func regRow(name string, fn handler, reads, writes uint64, x ...x86asm.Op) Row {
	return Row{Name: name, X: x, Fn: fn, Reads: reads, Writes: writes}
}

// exit is a row that ends its block and asks the driver.
func exitRow(name string, fn handler, x ...x86asm.Op) Row {
	return Row{Name: name, X: x, Fn: fn, Class: ClassSystem, Flag: opEnd | opShared}
}

// serial is exit for instructions that act only with the buffer empty.
func serialRow(name string, fn handler, x ...x86asm.Op) Row {
	r := exitRow(name, fn, x...)
	r.Flag |= opSerial
	return r
}

// unmodelled is a row that stops with its name.
func unmodelled(name string, x ...x86asm.Op) Row {
	return Row{Name: name, X: x, Fn: execUnmodelled, Flag: opEnd, Dst: dstNone}
}

// kernelOnly is unmodelled for what CPL 3 may not do anyway.
func kernelOnly(name string, x ...x86asm.Op) Row {
	r := unmodelled(name, x...)
	r.Fn = privileged(execUnmodelled)
	return r
}

func stringRow(name string, fn handler, reads, writes uint64, loads, stores uint8, x ...x86asm.Op) Row {
	return Row{Name: name, X: x, Fn: fn, Reads: reads | DF, Writes: writes, Class: ClassString, Dst: dstNone,
		Loads: loads, Stores: stores, Flag: opEnd}
}

// Rows is the table of instructions, indexed by Mn.
var Rows [NumMn]Row

func init() { // an initializer would be a cycle: handlers read Rows for names
	Rows = buildRows()
}

func buildRows() [NumMn]Row {
	rows := [NumMn]Row{
		ADD:  alu("add", execADD, 0, arithFlags, x86asm.ADD),
		OR:   alu("or", execOR, 0, arithFlags, x86asm.OR),
		ADC:  alu("adc", execADC, CF, arithFlags, x86asm.ADC),
		SBB:  alu("sbb", execSBB, CF, arithFlags, x86asm.SBB),
		AND:  alu("and", execAND, 0, arithFlags, x86asm.AND),
		SUB:  alu("sub", execSUB, 0, arithFlags, x86asm.SUB),
		XOR:  alu("xor", execXOR, 0, arithFlags, x86asm.XOR),
		CMP:  regRow("cmp", execCMP, 0, arithFlags, x86asm.CMP),
		TEST: regRow("test", execTEST, 0, arithFlags, x86asm.TEST),
		INC:  alu("inc", execINC, 0, arithFlags&^CF, x86asm.INC),
		DEC:  alu("dec", execDEC, 0, arithFlags&^CF, x86asm.DEC),
		NEG:  alu("neg", execNEG, 0, arithFlags, x86asm.NEG),
		NOT:  alu("not", execNOT, 0, 0, x86asm.NOT),
		ADCX: regRow("adcx", execADCX, CF, CF),
		ADOX: regRow("adox", execADOX, OF, OF),

		MOV:    {Name: "mov", X: []x86asm.Op{x86asm.MOV}, Fn: execMOV, Dst: dstWrite},
		MOVSEG: {Name: "mov", Fn: execMOVSeg, Dst: dstWrite, Class: ClassSystem, Flag: opEnd},
		MOVCR:  serialRow("mov", execMOVCR),
		MOVDR:  kernelOnly("mov to or from a debug register"),
		MOVZX:  regRow("movz", execMOVZX, 0, 0, x86asm.MOVZX),
		MOVSX:  regRow("movs", execMOVSX, 0, 0, x86asm.MOVSX),
		MOVSXD: regRow("movsl", execMOVSX, 0, 0, x86asm.MOVSXD),
		MOVBE:  {Name: "movbe", X: []x86asm.Op{x86asm.MOVBE}, Fn: execMOVBE, Dst: dstWrite},
		MOVNTI: {Name: "movnti", X: []x86asm.Op{x86asm.MOVNTI}, Fn: execMOV, Dst: dstWrite, Flag: opWeak},
		CMOV: regRow("cmov", execCMOV, arithFlags, 0, x86asm.CMOVA, x86asm.CMOVAE, x86asm.CMOVB, x86asm.CMOVBE, x86asm.CMOVE, x86asm.CMOVG,
			x86asm.CMOVGE, x86asm.CMOVL, x86asm.CMOVLE, x86asm.CMOVNE, x86asm.CMOVNO, x86asm.CMOVNP, x86asm.CMOVNS, x86asm.CMOVO, x86asm.CMOVP, x86asm.CMOVS),
		SET: {Name: "set", Fn: execSET, Reads: arithFlags, Dst: dstWrite, X: []x86asm.Op{x86asm.SETA, x86asm.SETAE, x86asm.SETB, x86asm.SETBE, x86asm.SETE, x86asm.SETG,
			x86asm.SETGE, x86asm.SETL, x86asm.SETLE, x86asm.SETNE, x86asm.SETNO, x86asm.SETNP, x86asm.SETNS, x86asm.SETO, x86asm.SETP, x86asm.SETS}},
		LEA:   {Name: "lea", X: []x86asm.Op{x86asm.LEA}, Fn: execLEA, Dst: dstNone},
		XCHG:  alu("xchg", execXCHG, 0, 0, x86asm.XCHG),
		BSWAP: regRow("bswap", execBSWAP, 0, 0, x86asm.BSWAP),
		CBW:   regRow("cbw", execCBW, 0, 0, x86asm.CBW, x86asm.CWDE, x86asm.CDQE),
		CWD:   regRow("cwd", execCWD, 0, 0, x86asm.CWD, x86asm.CDQ, x86asm.CQO),
		XLAT:  {Name: "xlat", X: []x86asm.Op{x86asm.XLATB}, Fn: execXLAT, Dst: dstNone, Loads: 1},

		MUL:   {Name: "mul", X: []x86asm.Op{x86asm.MUL}, Fn: execMUL, Writes: arithFlags, Class: ClassMul},
		IMUL:  {Name: "imul", X: []x86asm.Op{x86asm.IMUL}, Fn: execIMUL, Writes: arithFlags, Class: ClassMul},
		IMUL2: {Name: "imul", Fn: execIMUL2, Writes: arithFlags, Class: ClassMul},
		MULX:  {Name: "mulx", Fn: execMULX, Class: ClassMul},
		DIV:   {Name: "div", X: []x86asm.Op{x86asm.DIV}, Fn: execDIV, Writes: arithFlags, Class: ClassDiv},
		IDIV:  {Name: "idiv", X: []x86asm.Op{x86asm.IDIV}, Fn: execIDIV, Writes: arithFlags, Class: ClassDiv},

		ROL:  shiftRow("rol", execROL, 0, CF|OF, x86asm.ROL),
		ROR:  shiftRow("ror", execROR, 0, CF|OF, x86asm.ROR),
		RCL:  shiftRow("rcl", execRCL, CF, CF|OF, x86asm.RCL),
		RCR:  shiftRow("rcr", execRCR, CF, CF|OF, x86asm.RCR),
		SHL:  shiftRow("shl", execSHL, 0, arithFlags, x86asm.SHL),
		SHR:  shiftRow("shr", execSHR, 0, arithFlags, x86asm.SHR),
		SAR:  shiftRow("sar", execSAR, 0, arithFlags, x86asm.SAR),
		SHLD: shiftRow("shld", execSHLD, 0, arithFlags, x86asm.SHLD),
		SHRD: shiftRow("shrd", execSHRD, 0, arithFlags, x86asm.SHRD),
		SHLX: regRow("shlx", execSHLX, 0, 0),
		SHRX: regRow("shrx", execSHRX, 0, 0),
		SARX: regRow("sarx", execSARX, 0, 0),
		RORX: regRow("rorx", execRORX, 0, 0),

		BT:     {Name: "bt", X: []x86asm.Op{x86asm.BT}, Fn: execBT, Writes: CF},
		BTS:    alu("bts", execBTS, 0, CF, x86asm.BTS),
		BTR:    alu("btr", execBTR, 0, CF, x86asm.BTR),
		BTC:    alu("btc", execBTC, 0, CF, x86asm.BTC),
		BSF:    regRow("bsf", execBSF, 0, ZF, x86asm.BSF),
		BSR:    regRow("bsr", execBSR, 0, ZF, x86asm.BSR),
		TZCNT:  regRow("tzcnt", execTZCNT, 0, CF|ZF, x86asm.TZCNT),
		LZCNT:  regRow("lzcnt", execLZCNT, 0, CF|ZF, x86asm.LZCNT),
		POPCNT: regRow("popcnt", execPOPCNT, 0, arithFlags, x86asm.POPCNT),
		ANDN:   regRow("andn", execANDN, 0, arithFlags),
		BEXTR:  regRow("bextr", execBEXTR, 0, arithFlags),
		BLSI:   regRow("blsi", execBLSI, 0, arithFlags),
		BLSMSK: regRow("blsmsk", execBLSMSK, 0, arithFlags),
		BLSR:   regRow("blsr", execBLSR, 0, arithFlags),
		BZHI:   regRow("bzhi", execBZHI, 0, arithFlags),
		PDEP:   regRow("pdep", execPDEP, 0, 0),
		PEXT:   regRow("pext", execPEXT, 0, 0),

		JMP: {Name: "jmp", X: []x86asm.Op{x86asm.JMP}, Fn: execJMP, Flag: opEnd},
		JCC: {Name: "j", Fn: execJCC, Reads: arithFlags, Flag: opEnd, X: []x86asm.Op{x86asm.JA, x86asm.JAE, x86asm.JB, x86asm.JBE, x86asm.JE, x86asm.JG,
			x86asm.JGE, x86asm.JL, x86asm.JLE, x86asm.JNE, x86asm.JNO, x86asm.JNP, x86asm.JNS, x86asm.JO, x86asm.JP, x86asm.JS}},
		JRCXZ:  {Name: "jrcxz", X: []x86asm.Op{x86asm.JRCXZ, x86asm.JECXZ}, Fn: execJRCXZ, Flag: opEnd},
		LOOP:   {Name: "loop", X: []x86asm.Op{x86asm.LOOP}, Fn: execLOOP, Flag: opEnd},
		LOOPE:  {Name: "loope", X: []x86asm.Op{x86asm.LOOPE}, Fn: execLOOPE, Reads: ZF, Flag: opEnd},
		LOOPNE: {Name: "loopne", X: []x86asm.Op{x86asm.LOOPNE}, Fn: execLOOPNE, Reads: ZF, Flag: opEnd},
		CALL:   {Name: "call", X: []x86asm.Op{x86asm.CALL}, Fn: execCALL, Stores: 1, Flag: opEnd},
		RET:    {Name: "ret", X: []x86asm.Op{x86asm.RET}, Fn: execRET, Loads: 1, Flag: opEnd},
		LCALL:  unmodelled("lcall", x86asm.LCALL),
		LJMP:   unmodelled("ljmp", x86asm.LJMP),
		LRET:   unmodelled("lret", x86asm.LRET),

		PUSH:  {Name: "push", X: []x86asm.Op{x86asm.PUSH}, Fn: execPUSH, Stores: 1},
		POP:   {Name: "pop", X: []x86asm.Op{x86asm.POP}, Fn: execPOP, Loads: 1, Dst: dstWrite},
		PUSHF: {Name: "pushf", X: []x86asm.Op{x86asm.PUSHF, x86asm.PUSHFQ, x86asm.PUSHFD}, Fn: execPUSHF, Reads: arithFlags, Stores: 1},
		POPF:  {Name: "popf", X: []x86asm.Op{x86asm.POPF, x86asm.POPFQ, x86asm.POPFD}, Fn: execPOPF, Writes: arithFlags, Loads: 1, Flag: opEnd},
		ENTER: {Name: "enter", X: []x86asm.Op{x86asm.ENTER}, Fn: execENTER, Stores: 1, Flag: opEnd},
		LEAVE: {Name: "leave", X: []x86asm.Op{x86asm.LEAVE}, Fn: execLEAVE, Loads: 1},
		LAHF:  regRow("lahf", execLAHF, arithFlags, 0, x86asm.LAHF),
		SAHF:  regRow("sahf", execSAHF, 0, SF|ZF|AF|PF|CF, x86asm.SAHF),

		MOVS: stringRow("movs", execMOVS, 0, 0, 1, 1, x86asm.MOVSB, x86asm.MOVSW, x86asm.MOVSD, x86asm.MOVSQ),
		CMPS: stringRow("cmps", execCMPS, 0, arithFlags, 2, 0, x86asm.CMPSB, x86asm.CMPSW, x86asm.CMPSD, x86asm.CMPSQ),
		STOS: stringRow("stos", execSTOS, 0, 0, 0, 1, x86asm.STOSB, x86asm.STOSW, x86asm.STOSD, x86asm.STOSQ),
		LODS: stringRow("lods", execLODS, 0, 0, 1, 0, x86asm.LODSB, x86asm.LODSW, x86asm.LODSD, x86asm.LODSQ),
		SCAS: stringRow("scas", execSCAS, 0, arithFlags, 1, 0, x86asm.SCASB, x86asm.SCASW, x86asm.SCASD, x86asm.SCASQ),
		INS:  unmodelled("ins", x86asm.INSB, x86asm.INSW, x86asm.INSD),
		OUTS: unmodelled("outs", x86asm.OUTSB, x86asm.OUTSW, x86asm.OUTSD),

		XADD:       alu("xadd", execXADD, 0, arithFlags, x86asm.XADD),
		CMPXCHG:    alu("cmpxchg", execCMPXCHG, 0, arithFlags, x86asm.CMPXCHG),
		CMPXCHG8B:  alu("cmpxchg8b", execCMPXCHG8B, 0, ZF, x86asm.CMPXCHG8B),
		CMPXCHG16B: alu("cmpxchg16b", execCMPXCHG16B, 0, ZF, x86asm.CMPXCHG16B),

		NOP:       {Name: "nop", X: []x86asm.Op{x86asm.NOP}, Fn: execNOP, Dst: dstNone},
		PAUSE:     {Name: "pause", X: []x86asm.Op{x86asm.PAUSE}, Fn: execPAUSE, Class: ClassPause},
		ENDBR64:   {Name: "endbr64", Fn: execNOP},
		MFENCE:    {Name: "mfence", X: []x86asm.Op{x86asm.MFENCE}, Fn: execFence, Class: ClassFence, Flag: opEnd},
		LFENCE:    {Name: "lfence", X: []x86asm.Op{x86asm.LFENCE}, Fn: execNOP},
		SFENCE:    {Name: "sfence", X: []x86asm.Op{x86asm.SFENCE}, Fn: execNOP},
		SERIALIZE: {Name: "serialize", Fn: execFence, Class: ClassFence, Flag: opEnd},
		CLC:       regRow("clc", execCLC, 0, CF, x86asm.CLC),
		STC:       regRow("stc", execSTC, 0, CF, x86asm.STC),
		CMC:       regRow("cmc", execCMC, CF, CF, x86asm.CMC),
		CLD:       regRow("cld", execCLD, 0, 0, x86asm.CLD),
		STD:       regRow("std", execSTD, 0, 0, x86asm.STD),
		CLI:       {Name: "cli", X: []x86asm.Op{x86asm.CLI}, Fn: execCLI, Class: ClassSystem, Flag: opEnd},
		STI:       {Name: "sti", X: []x86asm.Op{x86asm.STI}, Fn: execSTI, Class: ClassSystem, Flag: opEnd},

		HLT:      exitRow("hlt", execHLT, x86asm.HLT),
		VMCALL:   exitRow("vmcall", execVMCALL),
		VMMCALL:  exitRow("vmmcall", execVMCALL),
		CPUID:    serialRow("cpuid", execCPUID, x86asm.CPUID),
		RDTSC:    exitRow("rdtsc", execRDTSC, x86asm.RDTSC),
		RDTSCP:   exitRow("rdtscp", execRDTSC, x86asm.RDTSCP),
		RDPMC:    unmodelled("rdpmc", x86asm.RDPMC),
		IN:       serialRow("in", execIN, x86asm.IN),
		OUT:      serialRow("out", execOUT, x86asm.OUT),
		RDMSR:    exitRow("rdmsr", privileged(execRDMSR), x86asm.RDMSR),
		WRMSR:    serialRow("wrmsr", privileged(execWRMSR), x86asm.WRMSR),
		MONITOR:  exitRow("monitor", privileged(execMWAIT), x86asm.MONITOR),
		MWAIT:    exitRow("mwait", privileged(execMWAIT), x86asm.MWAIT),
		SYSCALL:  unmodelled("syscall", x86asm.SYSCALL),
		SYSRET:   kernelOnly("sysret", x86asm.SYSRET),
		SYSENTER: unmodelled("sysenter", x86asm.SYSENTER),
		SYSEXIT:  kernelOnly("sysexit", x86asm.SYSEXIT),
		LLDT:     kernelOnly("lldt", x86asm.LLDT),
		LTR:      kernelOnly("ltr", x86asm.LTR),
		LMSW:     kernelOnly("lmsw", x86asm.LMSW),
		CLTS:     kernelOnly("clts", x86asm.CLTS),
		INVD:     kernelOnly("invd", x86asm.INVD),
		WBINVD:   kernelOnly("wbinvd", x86asm.WBINVD),
		INVPCID:  kernelOnly("invpcid", x86asm.INVPCID),
		XSETBV:   kernelOnly("xsetbv", x86asm.XSETBV),

		INT:        {Name: "int", X: []x86asm.Op{x86asm.INT}, Fn: execINT, Flag: opEnd | opSerial},
		INT3:       {Name: "int3", Fn: execINT3, Flag: opEnd | opSerial},
		INT1:       {Name: "int1", X: []x86asm.Op{x86asm.ICEBP}, Fn: execINT1, Flag: opEnd | opSerial},
		IRET:       {Name: "iret", X: []x86asm.Op{x86asm.IRET, x86asm.IRETD, x86asm.IRETQ}, Fn: execIRET, Writes: arithFlags, Loads: 5, Class: ClassSystem, Flag: opEnd | opSerial | opShared},
		UD2:        {Name: "ud2", X: []x86asm.Op{x86asm.UD2}, Fn: execUD, Flag: opEnd, Dst: dstNone},
		UD1:        {Name: "ud1", X: []x86asm.Op{x86asm.UD1}, Fn: execUD, Flag: opEnd, Dst: dstNone},
		UD0:        {Name: "ud0", X: []x86asm.Op{x86asm.UD0}, Fn: execUD, Flag: opEnd, Dst: dstNone},
		UNMODELLED: unmodelled("(not modelled)"),
		BAD:        {Name: "(bad)", Fn: execUD, Flag: opEnd, Dst: dstNone},

		RDRAND:   regRow("rdrand", execRDRAND, 0, arithFlags),
		RDSEED:   regRow("rdseed", execRDRAND, 0, arithFlags),
		RDFSBASE: regRow("rdfsbase", execFSGSBase, 0, 0, x86asm.RDFSBASE),
		RDGSBASE: regRow("rdgsbase", execFSGSBase, 0, 0, x86asm.RDGSBASE),
		WRFSBASE: regRow("wrfsbase", execFSGSBase, 0, 0, x86asm.WRFSBASE),
		WRGSBASE: regRow("wrgsbase", execFSGSBase, 0, 0, x86asm.WRGSBASE),
		SWAPGS:   {Name: "swapgs", X: []x86asm.Op{x86asm.SWAPGS}, Fn: privileged(execSWAPGS), Class: ClassSystem},
		LGDT:     {Name: "lgdt", X: []x86asm.Op{x86asm.LGDT}, Fn: privileged(execLoadTable), Class: ClassSystem, Dst: dstNone, Loads: 2, Flag: opEnd | opSerial},
		LIDT:     {Name: "lidt", X: []x86asm.Op{x86asm.LIDT}, Fn: privileged(execLoadTable), Class: ClassSystem, Dst: dstNone, Loads: 2, Flag: opEnd | opSerial},
		SGDT:     {Name: "sgdt", X: []x86asm.Op{x86asm.SGDT}, Fn: execStoreTable, Class: ClassSystem, Dst: dstNone, Stores: 2},
		SIDT:     {Name: "sidt", X: []x86asm.Op{x86asm.SIDT}, Fn: execStoreTable, Class: ClassSystem, Dst: dstNone, Stores: 2},
		INVLPG:   {Name: "invlpg", X: []x86asm.Op{x86asm.INVLPG}, Fn: privileged(execNOP), Class: ClassSystem, Dst: dstNone, Flag: opEnd | opSerial},

		CLFLUSH:    {Name: "clflush", X: []x86asm.Op{x86asm.CLFLUSH}, Fn: execTouch, Class: ClassLoad, Dst: dstNone},
		CLFLUSHOPT: {Name: "clflushopt", Fn: execTouch, Class: ClassLoad, Dst: dstNone},
		CLWB:       {Name: "clwb", Fn: execTouch, Class: ClassLoad, Dst: dstNone},
		PREFETCH:   {Name: "prefetch", X: []x86asm.Op{x86asm.PREFETCHNTA, x86asm.PREFETCHT0, x86asm.PREFETCHT1, x86asm.PREFETCHT2, x86asm.PREFETCHW}, Fn: execNOP, Dst: dstNone},

		XBEGIN: {Name: "xbegin", X: []x86asm.Op{x86asm.XBEGIN}, Fn: execXBEGIN, Flag: opEnd},
		XEND:   {Name: "xend", X: []x86asm.Op{x86asm.XEND}, Fn: execXEND, Flag: opEnd},
		XABORT: {Name: "xabort", X: []x86asm.Op{x86asm.XABORT}, Fn: execNOP},
		XTEST:  regRow("xtest", execXTEST, 0, arithFlags, x86asm.XTEST),
	}
	addSSERows(&rows)
	return rows
}

func shiftRow(name string, fn handler, reads, writes uint64, x ...x86asm.Op) Row {
	// A masked count of zero keeps all flags: they are read too.
	return Row{Name: name, X: x, Fn: fn, Reads: reads | writes, Writes: writes, Dst: dstModify}
}
