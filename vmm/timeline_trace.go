package vmm

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"spinlab/mem"
)

// traceTimeline writes the Chrome trace event format: the JSON of "Trace Event
// Format" (Google, 2016), as Perfetto and chrome://tracing read it.
//
// Process 1 is the host, with a thread for each pCPU: slices say which vCPU ran
// ("X" events), for what exit the host worked, and when it idled. Process 2+i
// is VM i, with a thread for each vCPU: in the guest, in the host, ready,
// halted. Lock waits and holds overlap those and are asynchronous slices ("b"
// and "e") of the VM. A flow ("s" to "f") leads from a kick to where its target
// runs next.
//
// A slice is known when it ends, but on a track events must come in order of
// time: what happens inside a pCPU's slice is held back until it is written.
// That is one exit's worth, so memory is bounded.
type traceTimeline struct {
	shape
	w     *bufio.Writer
	begun bool
	cpus  []traceCPU
	state []traceVCPU
	flows int // arrows begun so far
	last  mem.Cycles
}

// traceCPU is the track of a pCPU.
type traceCPU struct {
	end  mem.Cycles // of the last slice
	held []heldEvent
}

// heldEvent waits for the slice that it is in.
type heldEvent struct {
	at   mem.Cycles
	text []byte
}

// traceVCPU is what has to be remembered of a vCPU.
type traceVCPU struct {
	host string // what its present stay in the host is for
	rip  uint64 // where that exit was
	lock string // the asynchronous slice that is open, "" if none
	flow int    // the arrow that is on its way to it, 0 if none
}

const hostPID = 1

func vmPID(vm int) int { return hostPID + 1 + vm }

// NewTrace begins a timeline in the Chrome trace event format on w.
func NewTrace(w io.Writer, m *Machine) Timeline {
	t := &traceTimeline{shape: shapeOf(m), w: bufio.NewWriterSize(w, 1<<16)}
	t.cpus = make([]traceCPU, t.pcpus)
	t.state = make([]traceVCPU, len(m.VCPUs))
	t.last = t.start
	fmt.Fprintf(t.w, `{"displayTimeUnit":"ns","otherData":{"clock_mhz":"%d"},"traceEvents":[`, t.mhz)
	t.process(hostPID, "host")
	for i := range t.cpus {
		t.cpus[i].end = t.start
		t.thread(hostPID, i, fmt.Sprintf("pcpu %d", i))
	}
	for vm, n := range t.vcpus {
		t.process(vmPID(vm), fmt.Sprintf("vm %d", vm))
		for i := range n {
			t.thread(vmPID(vm), i, fmt.Sprintf("vcpu %d", i))
		}
	}
	return t
}

// process and thread name a track and keep the order of pCPUs and vCPUs.
func (t *traceTimeline) process(pid int, name string) {
	t.write(fmt.Appendf(nil, `{"ph":"M","pid":%d,"tid":0,"name":"process_name","args":{"name":%q}}`, pid, name))
	t.write(fmt.Appendf(nil, `{"ph":"M","pid":%d,"tid":0,"name":"process_sort_index","args":{"sort_index":%d}}`, pid, pid))
}

func (t *traceTimeline) thread(pid, tid int, name string) {
	t.write(fmt.Appendf(nil, `{"ph":"M","pid":%d,"tid":%d,"name":"thread_name","args":{"name":%q}}`, pid, tid, name))
	t.write(fmt.Appendf(nil, `{"ph":"M","pid":%d,"tid":%d,"name":"thread_sort_index","args":{"sort_index":%d}}`, pid, tid, tid))
}

// write puts an event on a line of its own.
func (t *traceTimeline) write(event []byte) {
	if t.begun {
		t.w.WriteByte(',')
	}
	t.begun = true
	t.w.WriteByte('\n')
	t.w.Write(event)
}

// head begins an event; the caller adds the rest and the closing brace.
func (t *traceTimeline) head(ph byte, pid, tid int, at mem.Cycles, cat, name string) []byte {
	b := fmt.Appendf(nil, `{"ph":"%c","pid":%d,"tid":%d,"ts":`, ph, pid, tid)
	b = micros(b, t.picoseconds(at))
	return fmt.Appendf(b, `,"cat":%q,"name":%q`, cat, name)
}

// micros appends picoseconds as microseconds.
func micros(b []byte, ps uint64) []byte {
	b = strconv.AppendUint(b, ps/1e6, 10)
	return fmt.Appendf(b, ".%06d", ps%1e6)
}

// slice writes a complete event.
func (t *traceTimeline) slice(pid, tid int, from, to mem.Cycles, cat, name, args string) {
	b := t.head('X', pid, tid, from, cat, name)
	b = append(b, `,"dur":`...)
	b = micros(b, t.picoseconds(to)-t.picoseconds(from))
	if args != "" {
		b = append(append(b, `,"args":`...), args...)
	}
	t.write(append(b, '}'))
}

// hold keeps an event of e's pCPU until the slice that it is in is written.
func (t *traceTimeline) hold(e *Event, text []byte) {
	c := &t.cpus[e.PCPU]
	c.held = append(c.held, heldEvent{e.Time, append(text, '}')})
}

// release writes what was held back and happened before a time.
func (t *traceTimeline) release(c *traceCPU, before mem.Cycles) {
	n := 0
	for n < len(c.held) && c.held[n].at < before {
		t.write(c.held[n].text)
		n++
	}
	c.held = append(c.held[:0], c.held[n:]...)
}

// Event implements Timeline.
func (t *traceTimeline) Event(e *Event) {
	if e.VM < 0 {
		return
	}
	t.last = max(t.last, e.Time)
	v := &t.state[t.id(e.VM, e.VCPU)]
	switch e.Kind {
	case EventSpent:
		t.spent(e, v)
	case EventExit:
		v.host, v.rip = e.Reason.String(), e.RIP
	case EventSwitch:
		v.host, v.rip = "switch", e.RIP
		t.arrive(e, v)
	case EventWake:
		t.arrive(e, v)
	case EventKick:
		t.kick(e)
	case EventDone, EventRaise, EventInterrupt:
		t.instant(e)
	case EventAcquire:
		t.lock(e, v, "wait")
	case EventAcquired:
		t.lock(e, v, "hold")
	case EventRelease:
		t.lock(e, v, "")
	}
}

// spent writes what a vCPU has done, on its own track and, if it was on a pCPU,
// on that one's.
func (t *traceTimeline) spent(e *Event, v *traceVCPU) {
	if e.Spent == SpentDone {
		return
	}
	name := e.Spent
	if e.Spent == SpentHost && v.host != "" {
		name = v.host
	}
	args := ""
	if e.Spent == SpentHost && v.rip != 0 {
		args = t.place(v.rip)
	}
	t.slice(vmPID(e.VM), e.VCPU, e.From, e.Time, e.Spent, name, args)
	if e.PCPU < 0 || e.Spent != SpentRun && e.Spent != SpentHost {
		return
	}
	c := &t.cpus[e.PCPU]
	if c.end < e.From {
		t.slice(hostPID, e.PCPU, c.end, e.From, "idle", "idle", "")
	}
	t.release(c, e.From)
	who := t.name(e.VM, e.VCPU)
	if e.Spent == SpentHost {
		who += " " + name
		v.host, v.rip = "", 0
	}
	t.slice(hostPID, e.PCPU, e.From, e.Time, e.Spent, who, args)
	c.end = e.Time
	t.release(c, e.Time)
}

// place is an address as the arguments of an event.
func (t *traceTimeline) place(rip uint64) string {
	args := struct {
		RIP    string `json:"rip"`
		Symbol string `json:"symbol,omitempty"`
	}{fmt.Sprintf("%#x", rip), t.symbol(rip)}
	b, _ := json.Marshal(args) // strings always marshal
	return string(b)
}

// kick begins an arrow, unless the target has one coming already.
func (t *traceTimeline) kick(e *Event) {
	to := &t.state[t.id(e.VM, e.Target)]
	b := t.head('i', hostPID, e.PCPU, e.Time, "kick", "kick "+t.name(e.VM, e.Target))
	t.hold(e, append(b, `,"s":"t"`...))
	if to.flow != 0 {
		return
	}
	t.flows++
	to.flow = t.flows
	b = t.head('s', hostPID, e.PCPU, e.Time, "kick", "kick")
	t.hold(e, fmt.Appendf(b, `,"id":%d`, to.flow))
}

// arrive ends the arrow to a vCPU where it is on a pCPU again.
func (t *traceTimeline) arrive(e *Event, v *traceVCPU) {
	if v.flow == 0 || e.PCPU < 0 {
		return
	}
	b := t.head('f', hostPID, e.PCPU, e.Time, "kick", "kick")
	t.hold(e, fmt.Appendf(b, `,"id":%d,"bp":"e"`, v.flow))
	v.flow = 0
}

// instant marks a moment on a pCPU.
func (t *traceTimeline) instant(e *Event) {
	if e.PCPU < 0 {
		return
	}
	name := t.name(e.VM, e.VCPU) + " " + e.Kind.String()
	if e.Kind != EventDone {
		name += fmt.Sprintf(" %#x", e.Target)
	}
	b := t.head('i', hostPID, e.PCPU, e.Time, e.Kind.String(), name)
	t.hold(e, append(b, `,"s":"t"`...))
}

// lock ends the asynchronous slice of a vCPU and begins the next one, if any.
func (t *traceTimeline) lock(e *Event, v *traceVCPU, next string) {
	if v.lock != "" {
		t.async('e', e.VM, e.VCPU, e.Time, v.lock)
	}
	if v.lock = next; next != "" {
		t.async('b', e.VM, e.VCPU, e.Time, next)
	}
}

func (t *traceTimeline) async(ph byte, vm, vcpu int, at mem.Cycles, name string) {
	b := t.head(ph, vmPID(vm), vcpu, at, "lock", name)
	t.write(fmt.Appendf(b, `,"id":%d}`, t.id(vm, vcpu)))
}

// Close implements Timeline: it ends what is open.
func (t *traceTimeline) Close() error {
	for i := range t.cpus {
		c := &t.cpus[i]
		if c.end < t.last {
			t.slice(hostPID, i, c.end, t.last, "idle", "idle", "")
		}
		t.release(c, mem.Never)
	}
	for vm, n := range t.vcpus {
		for i := range n {
			v := &t.state[t.id(vm, i)]
			if v.lock != "" {
				t.async('e', vm, i, t.last, v.lock)
			}
			if v.flow != 0 { // kicked, and never ran again
				b := t.head('f', vmPID(vm), i, t.last, "kick", "kick")
				t.write(fmt.Appendf(b, `,"id":%d,"bp":"e"}`, v.flow))
			}
		}
	}
	t.w.WriteString("\n]}\n")
	return t.w.Flush()
}
