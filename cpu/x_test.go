package cpu

import (
	"fmt"
	"spinlab/mem"
	"testing"
)

func TestX(t *testing.T) {
	add1 := []byte{0x48, 0x01, 0xd8}
	xor := []byte{0x48, 0x31, 0xc3}
	ld := []byte{0x48, 0x8b, 0x17}
	add2 := []byte{0x48, 0x01, 0xd0}
	and := []byte{0x48, 0x81, 0xe3, 0xff, 0x0f, 0x00, 0x00}
	st := []byte{0x48, 0x89, 0x5f, 0x08}
	mk := func(parts ...[]byte) ([]byte, int) {
		var b []byte
		for _, p := range parts {
			b = append(b, p...)
		}
		b = append(b, 0x48, 0xff, 0xc9, 0x75)
		d := -(len(b) + 1)
		b = append(b, byte(d), 0xf4)
		return b, len(parts) + 2
	}
	do := func(name string, parts ...[]byte) {
		code, n := mk(parts...)
		cores, ports := benchMachine(t, code, mem.Timed, 1)
		run := func(n uint64) uint64 { cores[0].Run(ports[0], Budget{Retire: n}); return n }
		run(10000)
		best := 0.0
		for range 20 {
			best = max(best, perSecond(run, 2000000))
		}
		fmt.Printf("%-30s %.1f M/s  %.2f ns/instr %.2f ns/iter\n", name, best/1e6, 1e9/best, 1e9/best*float64(n))
	}
	for _, off := range []byte{0x00, 0x08, 0x10, 0x20, 0x40, 0x60, 0x70, 0x78} {
		do(fmt.Sprintf("ld %#x", off), []byte{0x48, 0x8b, 0x57, off})
	}
	for _, off := range []byte{0x00, 0x08, 0x10, 0x20, 0x40, 0x60, 0x70, 0x78} {
		do(fmt.Sprintf("ld %#x(rdi+800)", off), []byte{0x48, 0x8b, 0x97, off, 8, 0, 0})
	}
	nop := []byte{0x90}
	do("ld nop", ld, nop)
	do("nop ld", nop, ld)
	do("nop", nop)
	do("mov", []byte{0x48, 0x89, 0xd8})
	do("cmp", []byte{0x48, 0x39, 0xd8})
	do("lea", []byte{0x48, 0x8d, 0x57, 0x08})
	do("empty")
	do("add", add1)
	do("add xor", add1, xor)
	do("add xor and", add1, xor, and)
	do("add xor add2 and", add1, xor, add2, and)
	do("ld", ld)
	do("st", st)
	do("ld st", ld, st)
	do("ld ld ld ld", ld, ld, ld, ld)
	do("st st st st", st, st, st, st)
	do("all", add1, xor, ld, add2, and, st)
	do("no ld", add1, xor, add2, and, st)
	do("no st", add1, xor, ld, add2, and)
}
