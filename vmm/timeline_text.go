package vmm

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"spinlab/mem"
)

// textTimeline draws a row for each pCPU and, if the guest's lock is watched, a
// row for the lock of each VM. A character is a stretch of time; it says what
// most of it was spent on, and names the vCPU that had most of it. The lock is
// free only where nobody held it at all.
//
// How long the run will be is not known, so it counts in cells that are much
// finer than a character, and joins pairs of them whenever it runs out.
type textTimeline struct {
	shape
	w      io.Writer
	width  int
	cell   mem.Cycles // what one cell covers
	rows   [][]shares // of pCPUs, then of VMs' locks
	holder []held     // of each VM's lock
	locks  bool       // somebody took a lock
	last   mem.Cycles
}

// shares are who had how many cycles of a cell, in order of appearance.
type shares []share

type share struct {
	who int // number of a vCPU, or whoHost
	n   mem.Cycles
}

// held is who holds a lock since when; who is −1 for nobody.
type held struct {
	who   int
	since mem.Cycles
}

const (
	whoHost = -1

	// cellsPerChar is how many cells are kept for a character: at the end the
	// picture is then at least 7/8 as wide as it may be.
	cellsPerChar = 16

	// maxLockRows is how many VMs' locks are shown.
	maxLockRows = 8
)

// NewText begins a timeline for a terminal; width is how many characters a row
// may have, its name included.
func NewText(w io.Writer, m *Machine, width int) Timeline {
	t := &textTimeline{shape: shapeOf(m), w: w, cell: 1}
	t.last = t.start
	t.rows = make([][]shares, t.pcpus+min(len(t.vcpus), maxLockRows))
	t.width = max(width-max(len(t.label(t.pcpus-1)), len(t.label(len(t.rows)-1)))-1, 8)
	t.holder = make([]held, len(t.vcpus))
	for i := range t.holder {
		t.holder[i].who = -1
	}
	return t
}

// label names a row.
func (t *textTimeline) label(row int) string {
	switch {
	case row < t.pcpus:
		return fmt.Sprintf("p%d", row)
	case len(t.vcpus) == 1:
		return "lock"
	}
	return fmt.Sprintf("lock %d", row-t.pcpus)
}

// Event implements Timeline.
func (t *textTimeline) Event(e *Event) {
	if e.VM < 0 {
		return
	}
	t.last = max(t.last, e.Time)
	who := t.id(e.VM, e.VCPU)
	switch e.Kind {
	case EventSpent:
		switch {
		case e.PCPU < 0:
		case e.Spent == SpentRun:
			t.add(e.PCPU, who, e.From, e.Time)
		case e.Spent == SpentHost:
			t.add(e.PCPU, whoHost, e.From, e.Time)
		}
	case EventAcquired:
		t.locks = true
		t.drop(e.VM, e.Time)
		t.holder[e.VM] = held{who, e.Time}
	case EventRelease:
		if t.holder[e.VM].who == who {
			t.drop(e.VM, e.Time)
		}
	}
}

// drop ends a hold.
func (t *textTimeline) drop(vm int, at mem.Cycles) {
	h := &t.holder[vm]
	if h.who >= 0 && vm < maxLockRows {
		t.add(t.pcpus+vm, h.who, h.since, at)
	}
	h.who = -1
}

// add gives who the time from from to to in a row.
func (t *textTimeline) add(row, who int, from, to mem.Cycles) {
	from, to = max(from, t.start)-t.start, max(to, t.start)-t.start
	for to > mem.Cycles(t.width*cellsPerChar)*t.cell {
		t.join()
	}
	for from < to {
		i := int(from / t.cell)
		end := min(to, mem.Cycles(i+1)*t.cell)
		for len(t.rows[row]) <= i {
			t.rows[row] = append(t.rows[row], nil)
		}
		t.rows[row][i] = t.rows[row][i].plus(who, end-from)
		from = end
	}
}

func (s shares) plus(who int, n mem.Cycles) shares {
	for i := range s {
		if s[i].who == who {
			s[i].n += n
			return s
		}
	}
	return append(s, share{who, n})
}

func (s shares) join(more shares) shares {
	for _, x := range more {
		s = s.plus(x.who, x.n)
	}
	return s
}

// join makes one cell of every two.
func (t *textTimeline) join() {
	t.cell *= 2
	for r, row := range t.rows {
		for i := range row {
			if i%2 == 0 {
				row[i/2] = row[i]
			} else {
				row[i/2] = row[i/2].join(row[i])
			}
		}
		t.rows[r] = row[:(len(row)+1)/2]
	}
}

// Close implements Timeline: it draws.
func (t *textTimeline) Close() error {
	for vm := range t.holder {
		t.drop(vm, t.last)
	}
	length := t.last - t.start
	cells := int((length + t.cell - 1) / t.cell)
	per := max((cells+t.width-1)/t.width, 1)
	w := bufio.NewWriter(t.w)
	fmt.Fprintf(w, "timeline: %d cycles from %d, %s us; a character is %d cycles\n",
		length, t.start, micros(nil, t.picoseconds(length)), mem.Cycles(per)*t.cell)
	rows := t.rows
	if !t.locks {
		rows = rows[:t.pcpus]
	}
	names := max(len(t.label(t.pcpus-1)), len(t.label(len(rows)-1)))
	for r, row := range rows {
		fmt.Fprintf(w, "%-*s %s\n", names, t.label(r), t.picture(row, per, length, r < t.pcpus))
	}
	t.legend(w)
	return w.Flush()
}

// picture gives a row's first length cycles, a character for per cells. Where
// idle does not count, only a stretch that nobody had any of is idle.
func (t *textTimeline) picture(row []shares, per int, length mem.Cycles, idle bool) []byte {
	var b []byte
	each := mem.Cycles(per) * t.cell
	for i := 0; mem.Cycles(i)*t.cell < length; i += per {
		var all shares
		for k := i; k < min(i+per, len(row)); k++ {
			all = all.join(row[k])
		}
		b = append(b, all.char(min(each, length-mem.Cycles(i)*t.cell), idle))
	}
	return b
}

// vcpuChars are the vCPUs in order; h is the host, and # all that follow.
const vcpuChars = "0123456789abcdefgijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// char names who had most of n cycles. First guest, host and idle are weighed
// against each other, then the vCPUs: many that ran for a little each do not
// lose to the host that served them all.
func (s shares) char(n mem.Cycles, idle bool) byte {
	var guest, host mem.Cycles
	most := share{who: whoHost}
	for _, x := range s {
		switch {
		case x.who == whoHost:
			host += x.n
		default:
			guest += x.n
			if x.n > most.n {
				most = x
			}
		}
	}
	free := n - min(guest+host, n)
	switch {
	case guest == 0 && host == 0 || idle && free >= max(guest, host):
		return '.'
	case host > guest:
		return whoChar(whoHost)
	}
	return whoChar(most.who)
}

func whoChar(who int) byte {
	switch {
	case who == whoHost:
		return 'h'
	case who < len(vcpuChars):
		return vcpuChars[who]
	}
	return '#'
}

// legend says what the characters mean.
func (t *textTimeline) legend(w io.Writer) {
	var parts []string
	for vm, n := range t.vcpus {
		first, last := whoChar(t.first[vm]), whoChar(t.first[vm]+n-1)
		text := fmt.Sprintf("%c vcpu 0", first)
		if n > 1 {
			text = fmt.Sprintf("%c-%c vcpu 0-%d", first, last, n-1)
		}
		if len(t.vcpus) > 1 {
			text += fmt.Sprintf(" of vm %d", vm)
		}
		parts = append(parts, text)
	}
	const most = 8
	if len(parts) > most {
		parts = append(parts[:most], fmt.Sprintf("and so on for %d VMs", len(t.vcpus)))
	}
	parts = append(parts, "h host", ". idle")
	if t.locks {
		parts = append(parts, "lock: its holder")
	}
	fmt.Fprintf(w, "%s\n", strings.Join(parts, ", "))
}
