package explore

import (
	"fmt"
	"slices"
)

// Missed tells, in a sentence each, why the vCPUs that sleep at the end of a
// trace were not woken: the kicks that they got, the kicks that went elsewhere,
// and what the others had last seen of that which the sleeper had left for them
// to find. In a trace that ends in a cycle, from action loop on, those count that
// slept before it and never wake. place names an address.
func Missed(lines []Line, loop int, place func(addr uint64) string) (list []string) {
	last := map[int]int{} // vCPU -> line of its last sleep
	n := 0
	for i, l := range lines {
		n = max(n, l.VCPU+1)
		switch {
		case l.Sleeps:
			last[l.VCPU] = i
		case l.Action != "commit":
			delete(last, l.VCPU)
		}
	}
	for v := range n {
		if at, ok := last[v]; ok && (loop == 0 || lines[at].Step < loop) {
			b := blame{lines: lines, place: place, v: v, at: at}
			list = append(list, b.kicks()...)
			for u := range n {
				if u != v {
					list = append(list, b.looks(u)...)
				}
			}
		}
	}
	return list
}

// blame explains why vCPU v, which went to sleep at a line, does not wake.
type blame struct {
	lines []Line
	place func(uint64) string
	v, at int
}

// kicks tells of those that came, and where the others went since v began to
// prepare its sleep.
func (b *blame) kicks() []string {
	var last *Line
	woke := 0
	for i := range b.lines {
		switch l := &b.lines[i]; {
		case l.Kicks == b.v:
			last = l
		case l.Wakes && l.VCPU == b.v:
			woke = l.Step
		}
	}
	switch {
	case last == nil:
		return []string{fmt.Sprintf("missed kick: none was ever sent to vcpu %d", b.v)}
	case last.Step > woke && last.Step <= b.lines[b.at].Step:
		return []string{fmt.Sprintf("missed kick: that of step %d to vcpu %d came before it slept (step %d) and was forgotten", last.Step, b.v, b.lines[b.at].Step)}
	}
	return []string{fmt.Sprintf("missed kick: the last one to vcpu %d, of step %d, had woken it before it slept again (step %d)", b.v, last.Step, b.lines[b.at].Step)}
}

// mostLooks is how much is told of one vCPU: the latest is what matters.
const mostLooks = 3

// looks tells what u last saw of the memory that v wrote before it slept: what
// it read too early, and whom it kicked in place of v.
func (b *blame) looks(u int) (list []string) {
	from := b.asks()
	for i := len(b.lines) - 1; i >= 0; i-- {
		l := &b.lines[i]
		if l.VCPU != u {
			continue
		}
		if w := b.wipes(l, i); w != 0 {
			list = append(list, fmt.Sprintf("vcpu %d sent an event at step %d, and vcpu %d cleared it at step %d", u, l.Step, b.v, w))
		}
		for _, r := range l.Reads {
			if w := b.writes(r, i, from); w != "" && !b.readsAgain(u, r, i) {
				list = append(list, fmt.Sprintf("vcpu %d read [%s] for the last time at step %d, before vcpu %d wrote it (step %s)", u, b.place(r.Addr), l.Step, b.v, w))
			}
		}
		if l.Kicks >= 0 && l.Kicks != b.v && i > from {
			list = append(list, fmt.Sprintf("vcpu %d kicked vcpu %d at step %d, while vcpu %d was waiting", u, l.Kicks, l.Step, b.v))
		}
	}
	list = list[:min(len(list), mostLooks)]
	slices.Reverse(list)
	return list
}

// asks is the line of the first visible write with which v prepared its sleep:
// its writes since it last did anything else but spin are those in front of it.
func (b *blame) asks() int {
	first := b.at
	for i := b.at; i >= 0; i-- {
		l := &b.lines[i]
		if l.VCPU == b.v && (l.Wakes || l.Action == "deliver") {
			break
		}
		if l.VCPU == b.v && len(l.Writes) > 0 {
			first = i
		}
	}
	return first
}

// wipes is the step behind line i at which v cleared the event that l sent, 0 if
// there is none.
func (b *blame) wipes(l *Line, i int) int {
	for k := i + 1; k < b.at && l.Notifies != nil; k++ {
		if x := &b.lines[k]; x.VCPU == b.v && slices.ContainsFunc(x.Writes, l.Notifies.meets) {
			return x.Step
		}
	}
	return 0
}

// writes are the steps behind line i in which v wrote what r read, from line
// from on and before v slept.
func (b *blame) writes(r Touch, i, from int) (steps string) {
	for k := max(i+1, from); k < b.at; k++ {
		l := &b.lines[k]
		if l.VCPU == b.v && slices.ContainsFunc(l.Writes, r.meets) {
			if steps != "" {
				steps += ", "
			}
			steps += fmt.Sprint(l.Step)
		}
	}
	return steps
}

// readsAgain says whether u reads the same place behind line i.
func (b *blame) readsAgain(u int, r Touch, i int) bool {
	return slices.ContainsFunc(b.lines[i+1:], func(l Line) bool {
		return l.VCPU == u && slices.ContainsFunc(l.Reads, r.meets)
	})
}
