package guestcode

import (
	"fmt"
	"strings"

	"spinlab/asm"
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
}

// BuildThreads assembles a source that may have threads. Without the label P0
// it has none, and the result is nil.
func BuildThreads(c Config, src asm.Source) (*Threads, error) {
	obj, err := assemble(c.Defines, []asm.Source{src})
	if err != nil {
		return nil, err
	}
	t := &Threads{Name: src.Name, Object: obj}
	for i := 0; ; i++ {
		s, ok := obj.Lookup(fmt.Sprintf("P%d", i))
		if !ok {
			break
		}
		if i == MaxVCPUs {
			return nil, fmt.Errorf("more than %d threads", MaxVCPUs)
		}
		t.Threads = append(t.Threads, Thread{Start: s.Addr})
	}
	if len(t.Threads) == 0 {
		return nil, nil
	}
	for i := range t.Threads {
		t.bound(&t.Threads[i])
	}
	return t, nil
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
	last := ""
	for _, l := range t.Object.Lines {
		if l.Addr < x.Start || l.Addr >= x.End || l.Len == 0 {
			continue
		}
		last = l.Text
		if l.Len == 1 && sec.Data[l.Addr-sec.Addr] == opcodeHLT {
			x.Halt = l.Addr
		}
	}
	if x.Halt+1 == x.End || strings.HasPrefix(strings.TrimSpace(last), "jmp") {
		x.End = 0
	}
}

// opcodeHLT is the HLT instruction.
const opcodeHLT = 0xf4
