// Package asm turns GNU as source, in AT&T or Intel syntax, into bytes, symbols
// and a line table at their final addresses (Assemble), or into a relocatable
// ELF object (AssembleObject).
//
// The lock code that Spinlab runs is real kernel assembly, so its source is
// what a kernel developer would feed to `as --64`, and the bytes that come out
// should be the bytes that `as` would have produced. A source takes this way:
//
//	lex.go                 text -> statements (comments, ';', quoting)
//	macro.go, cond.go      .macro .rept .irp .if: which statements count
//	unit.go                labels, then a directive, a macro or an instruction
//	directive.go, *_dir.go data, alignment, sections, symbols
//	loc.go                 .file and .loc
//	operand.go             %reg, $imm, seg:disp(base,index,scale)
//	intel.go, intel_expr.go  the same from Intel syntax
//	insn.go, form.go       mnemonic + operands -> one row of the table
//	prefix.go              LOCK and REP: what they may precede, their order
//	goroute.go             the row's golang-asm opcode -> bytes, or
//	encode.go              the row's own opcode pattern -> bytes
//	relax.go, layout.go    fragments -> addresses: jump lengths, padding
//	write.go               fragments -> bytes, fields filled in and checked
//	got.go                 @GOTPCREL and thread-local operands of an image
//	relocate.go            expressions -> relocations of an object
//	relobj*.go             the ELF file: sections, symbols, line table
//	hints.go               what to do about undefined symbols
//
// # Two encoders, one table
//
// The table (table_*.go) has one row for each shape of an instruction. A row
// that names a golang-asm opcode is encoded by golang-asm; the others are
// encoded here from the row's opcode pattern, because golang-asm does not know
// the instruction (endbr64, vmcall, enter, …), or encodes the row differently
// from GNU as, or encodes it wrongly. Operands that golang-asm cannot express
// (%spl, a segment override, 32-bit addressing) fall back to the pattern for
// that one instruction. golang-asm encodes six lines in seven of all that the
// table can write; a test encodes every row both ways and holds them equal,
// and another compares all of them with GNU as.
//
// Jumps never go through golang-asm: their length depends on alignment
// padding and on data between the labels, which only the layout knows.
//
// # Where it follows GNU as and where it does not
//
// Operator precedence, truth values (a true comparison is -1), the default of
// 32 bits when neither suffix nor register gives a size, and the NOP sequences
// in alignment padding are those of GNU as 2.40. It is stricter in three
// things: an immediate that does not fit is an error, not a warning; LOCK is
// checked against the instruction even when it stands alone on the line
// before; and in an image a symbol that no source defines is an error. An image
// resolves what a static linker would; .cfi_* leaves no bytes in either.
//
// The package never panics on a source, keeps no state between calls but
// tables that do not change, and starts no goroutine. Sizes, nesting and the
// work of macros are bounded. All errors of all sources come back in one
// ErrorList. One thing is out of its hands: golang-asm reads GOARM and GOPPC64
// when the program starts, and ends it if they hold nonsense.
package asm
