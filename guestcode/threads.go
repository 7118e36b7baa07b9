package guestcode

import (
	"fmt"
	"slices"
	"strings"

	"spinlab/asm"
	"spinlab/asm/elfobj"
)

// Thread is one of the threads of a source with the labels P0:, P1:, …
type Thread struct {
	Start uint64
	// End is the address behind its text, Halt that of the last HLT in it; 0 if
	// it cannot run off its end, or has no HLT.
	End, Halt uint64
}

// Threads is an assembled source of threads.
type Threads struct {
	Name    string
	Object  *asm.Object
	Threads []Thread
	Notes   []string // what of the files was left out and why
}

// BuildThreads links files that may have threads. Without the label P0 they have
// none, and the result is nil. A thread that a compiler has made, which has given
// it a size, is called as a function and is done when it returns.
func BuildThreads(c Config, files ...asm.Source) (*Threads, error) {
	img, err := c.link(c.Defines, files)
	if err != nil {
		return nil, err
	}
	var names []string
	for {
		name := fmt.Sprintf("P%d", len(names))
		if _, ok := img.Lookup(name); !ok {
			break
		}
		if names = append(names, name); len(names) > MaxVCPUs {
			return nil, fmt.Errorf("more than %d threads", MaxVCPUs)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	calls := threadCalls(img, names)
	if calls.Text != nil {
		if img, err = c.link(c.Defines, append(slices.Clone(files), calls)); err != nil {
			return nil, err
		}
	}
	t := &Threads{Name: files[0].Name, Object: img.Object, Notes: img.Notes, Threads: make([]Thread, len(names))}
	for i, name := range names {
		if s, ok := img.Lookup("call_" + name); ok && s.Source == threadSource {
			t.Threads[i] = Thread{Start: s.Addr, Halt: s.Addr + s.Size - 1}
			continue
		}
		s, _ := img.Lookup(name)
		t.Threads[i].Start = s.Addr
	}
	for i := range t.Threads {
		if t.Threads[i].Halt == 0 {
			t.bound(&t.Threads[i])
		}
	}
	return t, nil
}

// threadSource is the name of the source that threadCalls makes.
const threadSource = "threads.s"

// threadCalls is a source that calls the threads that come from compilers.
func threadCalls(img *elfobj.Image, names []string) asm.Source {
	var text []byte
	for _, name := range names {
		if s, _ := img.Lookup(name); img.Compiled(s) && s.Global && s.Size > 0 {
			text = fmt.Appendf(text, "\t.globl call_%[1]s\ncall_%[1]s:\n\tcall %[1]s\n\thlt\n\t.size call_%[1]s, . - call_%[1]s\n", name)
		}
	}
	return asm.Source{Name: threadSource, Text: text}
}

// bound finds where a thread's text ends: at the next thread or at the end of
// the section.
func (t *Threads) bound(x *Thread) {
	var sec asm.Section
	for _, s := range t.Object.Sections {
		if x.Start >= s.Addr && x.Start <= s.Addr+uint64(len(s.Data)) && s.Exec {
			sec = s
		}
	}
	x.End = sec.Addr + uint64(len(sec.Data))
	for _, o := range t.Threads {
		if o.Start > x.Start {
			x.End = min(x.End, o.Start)
		}
	}
	last := "" // statement of a source
	for _, l := range t.Object.Lines {
		if l.Addr < x.Start || l.Addr >= x.End || l.Len == 0 {
			continue
		}
		last = l.Text
		if l.Len == 1 && sec.Data[l.Addr-sec.Addr] == opcodeHLT {
			x.Halt = l.Addr
		}
	}
	if n := x.End - sec.Addr; x.Halt == 0 && n > 0 && last == "" && sec.Data[n-1] == opcodeHLT {
		x.Halt = x.End - 1 // of an object: nobody has told where its instructions are
	}
	if x.Halt+1 == x.End || strings.HasPrefix(strings.TrimSpace(last), "jmp") {
		x.End = 0
	}
}

// opcodeHLT is the HLT instruction.
const opcodeHLT = 0xf4
