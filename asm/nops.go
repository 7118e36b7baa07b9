package asm

// nopBytes are the fillers that GNU as uses for a generic 64-bit CPU, by
// length: the "alt" patterns of its i386 back end, up to eleven bytes.
var nopBytes = [...]string{
	"",
	"\x90",
	"\x66\x90",
	"\x0f\x1f\x00",
	"\x0f\x1f\x40\x00",
	"\x0f\x1f\x44\x00\x00",
	"\x66\x0f\x1f\x44\x00\x00",
	"\x0f\x1f\x80\x00\x00\x00\x00",
	"\x0f\x1f\x84\x00\x00\x00\x00\x00",
	"\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
	"\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00",
	"\x66\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00",
}

// nops returns n bytes of padding that execute as no-ops: as many of the
// longest as fit, the remainder last.
func nops(n int) []byte {
	longest := len(nopBytes) - 1
	out := make([]byte, 0, n)
	for ; n > longest; n -= longest {
		out = append(out, nopBytes[longest]...)
	}
	return append(out, nopBytes[n]...)
}
