// Package elfobj links ELF objects, archives, executables, flat binaries and
// assembler sources into one image at fixed addresses: what gcc, clang or a JIT
// has made, as the simulated machine loads it.
//
//	kind.go      what a file is: source, object, archive, executable, raw code
//	errors.go    everything that is wrong, each with its place
//	elf.go       ELF64 headers, sections, symbols, relocations; bounded
//	symtab.go    its symbol table
//	archive.go   members of ar archives
//	exec.go      executables: PT_LOAD, R_X86_64_RELATIVE
//	sections.go  which sections are loaded, which are not and why
//	resolve.go   symbols of all files: strong, weak, common; archive members
//	link.go      Link: resolve, place, assemble, relocate
//	place.go     addresses
//	reloc.go     one row for each relocation type; the global offset table
//	linux.go     calls that Linux patches at boot
//	linetable.go the debugging sections that lead to lines of C
//	lines.go     DWARF line programs, versions 2 to 5
//	reader.go    bytes, LEB128 and strings off the front of a slice
//	image.go     what comes out
//
// The order of work lets sources and objects refer to each other: objects are
// placed first, which needs no symbol's value; then the sources are assembled
// with the objects' symbols as externals; then the objects are relocated.
//
// # Why not debug/elf and debug/dwarf
//
// Objects come from anywhere. debug/elf copies a name for each section and
// symbol, so that names which overlap in one long string take the square of the
// file's size, and debug/dwarf allocates as many file entries as a line
// program's header asks for. The two hundred lines here never copy a name and
// allocate nothing whose size the file dictates. Constants and their names are
// debug/elf's.
//
// Nothing here panics on a file, starts a goroutine or keeps state.
package elfobj
