package explore

import (
	"bytes"
	"fmt"
	"strings"

	"spinlab/cpu"
	"spinlab/vmm"
)

// Line is one line of a trace that is told: an instruction of a step, or
// another action.
type Line struct {
	Step    int    // number of its action, from 1
	VCPU    int    //
	Action  string // step, commit, wake or deliver
	RIP     uint64 // of the instruction; else where the vCPU stands
	Symbol  string
	Source  string
	Text    string
	Effect  string
	Private bool // nobody else could tell that it happened

	Reads, Writes []Touch // of shared memory; a buffered store is written when it commits
	Kicks         int     // whom it kicks, −1 for nobody
	Notifies      *Touch  // the bit of a Xen event that became pending
	Sleeps, Wakes bool
}

// Touch is an access of a line: Val is what was read, or written.
type Touch struct {
	Addr, Val uint64
	Size      uint8
}

func (t Touch) meets(x Touch) bool {
	return t.Addr < x.Addr+uint64(x.Size) && x.Addr < t.Addr+uint64(t.Size)
}

// Tell runs a trace again, one instruction at a time, and tells what happens.
// It fails where the trace does not fit the target.
func Tell(t *Target, how *Trace) ([]Line, error) {
	p := &Player{t: t}
	if err := p.start(how); err != nil {
		return nil, err
	}
	var all []Line
	for {
		lines, err := p.Next()
		if err != nil || lines == nil {
			return all, err
		}
		all = append(all, lines...)
	}
}

// Player runs a trace action by action.
type Player struct {
	t     *Target
	w     *vmm.Walk
	how   *Trace
	at    int
	lines []Line
	first []Line  // what the vCPUs start with: private instructions
	depth []uint8 // of each store buffer
	last  vmm.Effect
	loop  []byte // the state in which what goes on for ever begins
}

// Play gives a player at the start of a trace.
func Play(t *Target, how *Trace) (*Player, error) {
	p := &Player{t: t}
	return p, p.start(how)
}

func (p *Player) start(how *Trace) (err error) {
	machine := p.t.Machine
	machine.Observe = p.event
	p.how = how
	p.w, err = newWalk(p.t, machine, how, func(w *vmm.Walk) {
		p.w, p.lines, p.depth = w, nil, make([]uint8, w.N())
	})
	p.first = p.lines
	return err
}

// Next does the next action, after having told as action 0 what the vCPUs
// start with, if there is anything. After the last one it returns nil.
func (p *Player) Next() ([]Line, error) {
	if p.first != nil {
		lines := p.first
		p.first = nil
		return lines, nil
	}
	if p.at == len(p.how.Path) {
		return nil, p.closes()
	}
	a := p.how.Path[p.at]
	if p.at++; p.at == p.how.Loop {
		p.loop = p.w.AppendState(nil)
	}
	p.lines = []Line{}
	if int(a.VCPU) >= p.w.N() {
		return nil, fmt.Errorf("action %d: there is no vcpu %d", p.at, a.VCPU)
	}
	before, store := p.store(a)
	e, err := p.w.Apply(a)
	if err != nil {
		return nil, fmt.Errorf("action %d: %w", p.at, err)
	}
	if !e.Moved {
		return nil, fmt.Errorf("action %d: vcpu %d waits for its store buffer", p.at, a.VCPU)
	}
	p.last = e
	if a.Kind.Commits() {
		p.depth[a.VCPU]--
		p.add(a, before)
		p.lines[len(p.lines)-1].Writes = store
	}
	switch {
	case e.Breach != vmm.NoBreach && a.Kind == vmm.ActStep && (len(p.lines) == 0 || e.Breach != vmm.BreachExclusion && e.Breach != vmm.BreachAssertion):
		p.faults(a)
	case len(p.lines) == 0:
		p.add(a, "part of it is done")
	}
	return p.lines, nil
}

// closes holds the end of a cycle against its beginning.
func (p *Player) closes() error {
	if p.loop != nil && !bytes.Equal(p.loop, p.w.AppendState(nil)) {
		return fmt.Errorf("the cycle from action %d on does not come back to where it began", p.how.Loop)
	}
	return nil
}

// faults is a line for an instruction that did not retire.
func (p *Player) faults(a vmm.Action) {
	v, _ := p.w.VCPU(int(a.VCPU))
	l := p.line(int(a.VCPU), "step", v.Core.RIP)
	var code [15]byte
	p.w.Memory().Peek(l.RIP, code[:])
	op := cpu.Decode(code[:], l.RIP)
	l.Text, l.Effect = op.Format(l.RIP, p.t.Machine.Symbolize), "faults"
	p.lines = append(p.lines, l)
}

// Breach says what is wrong with the present state, "" if nothing is.
func (p *Player) Breach() string {
	if p.last.Breach != vmm.NoBreach {
		return p.last.Message
	}
	if p.w.Done() {
		return p.t.ends(p.w)
	}
	return p.w.Rejudge()
}

// add is a line for an action that no event has told of.
func (p *Player) add(a vmm.Action, effect string) {
	v, _ := p.w.VCPU(int(a.VCPU))
	l := p.line(int(a.VCPU), a.Kind.String(), v.Core.RIP)
	l.Text, l.Effect = a.Kind.String(), effect
	p.lines = append(p.lines, l)
}

// store tells what a commit will do.
func (p *Player) store(a vmm.Action) (tells string, store []Touch) {
	_, port := p.w.VCPU(int(a.VCPU))
	i := 0
	if a.Kind >= vmm.ActOvertake {
		i = int(a.Kind-vmm.ActOvertake) + 1
	}
	if !a.Kind.Commits() || i >= int(port.B.N) {
		return "", nil
	}
	e := port.B.At(i)
	return fmt.Sprintf("[%s] %s -> %s, buffer %d", p.place(e.Addr),
		hexLittle(p.w.Memory().PeekUint(e.Addr, int(e.Size)), e.Size), hexLittle(e.Data, e.Size), port.B.N-1), []Touch{{e.Addr, e.Data, e.Size}}
}

func (p *Player) line(vcpu int, action string, rip uint64) Line {
	l := Line{Step: p.at, VCPU: vcpu, Action: action, RIP: rip, Kicks: -1}
	if p.t.Machine.Symbolize != nil {
		l.Symbol = p.t.Machine.Symbolize(rip)
	}
	if p.t.Source != nil {
		l.Source = p.t.Source(rip)
	}
	return l
}

// event is told of everything that an action does.
func (p *Player) event(e *vmm.Event) {
	switch e.Kind {
	case vmm.EventInstruction:
		p.instruction(e)
	case vmm.EventKick:
		p.effect(fmt.Sprintf("kick vcpu %d", e.Target))
		if n := len(p.lines); n > 0 {
			p.lines[n-1].Kicks = e.Target
		}
	case vmm.EventNotify:
		p.effect(fmt.Sprintf("event on port %d", e.Target))
		if n := len(p.lines); n > 0 {
			p.lines[n-1].Notifies = &Touch{e.Store.Addr, e.Store.Data, 1}
		}
	case vmm.EventDone:
		p.effect("done")
	case vmm.EventInterrupt:
		p.host(e, "deliver", fmt.Sprintf("interrupt %#x", e.Target), "")
	case vmm.EventSleep:
		p.host(e, "step", "sleeps", "no kick has come")
	case vmm.EventWake:
		if e.RIP != 0 && len(p.lines) > 0 {
			p.effect("a kick is there: goes on")
			p.lines[len(p.lines)-1].Wakes = true
			return
		}
		p.host(e, "wake", "wakes", "kicked")
	}
}

// host is a line for what the host does.
func (p *Player) host(e *vmm.Event, action, text, effect string) {
	l := p.line(e.VCPU, action, e.RIP)
	l.Text, l.Effect = text, effect
	l.Sleeps, l.Wakes = e.Kind == vmm.EventSleep, e.Kind == vmm.EventWake
	p.lines = append(p.lines, l)
}

// effect adds to what the last line tells.
func (p *Player) effect(s string) {
	if len(p.lines) == 0 {
		return
	}
	l := &p.lines[len(p.lines)-1]
	l.Private = false
	if l.Effect != "" {
		l.Effect += ", "
	}
	l.Effect += s
}

// loud are instructions that others can tell without any memory operand.
var loud = map[cpu.Mn]bool{cpu.HLT: true, cpu.VMCALL: true, cpu.MFENCE: true, cpu.OUT: true, cpu.IN: true, cpu.CPUID: true}

func (p *Player) instruction(e *vmm.Event) {
	l := p.line(e.VCPU, "step", e.RIP)
	l.Text = e.Op.Format(e.RIP, p.t.Machine.Symbolize)
	l.Private = !loud[e.Op.Mn]
	list := p.stores(e)
	for _, s := range e.Stores {
		if !s.Buffered && !p.w.OwnStack(e.VCPU, s.Addr) {
			l.Writes = append(l.Writes, Touch{s.Addr, s.Val, s.Size})
		}
	}
	l.Private = l.Private && len(list) == 0
	if a, size, ok := e.Operand(); ok && !p.w.OwnStack(e.VCPU, a) {
		l.Private = false
		_, port := p.w.VCPU(e.VCPU)
		if len(l.Writes) > 0 || len(list) == 0 {
			l.Reads = append(l.Reads, Touch{a, port.View(a, size), size})
		}
		if len(list) == 0 {
			list = append(list, fmt.Sprintf("[%s] is %s", p.place(a), hexLittle(port.View(a, size), size)))
		}
	}
	list = append(list, registers(e)...)
	if n, ok := e.Frees(); ok {
		list = append(list, fmt.Sprintf("frees %d bytes at [%s]", n, p.place(e.Before.R[cpu.RDI])))
	}
	l.Effect = strings.Join(list, ", ")
	p.lines = append(p.lines, l)
}

// stores tells what an instruction wrote, its own stack aside.
func (p *Player) stores(e *vmm.Event) (list []string) {
	was := int(p.depth[e.VCPU])
	p.depth[e.VCPU] = e.Buffer.N
	for i := was; i < int(e.Buffer.N); i++ {
		s := e.Buffer.At(i)
		list = append(list, fmt.Sprintf("buffer + [%s] %s", p.place(s.Addr), hexLittle(s.Data, s.Size)))
	}
	for _, s := range e.Stores {
		if len(list) == 0 && s.Old != s.Val && !p.w.OwnStack(e.VCPU, s.Addr) {
			list = append(list, fmt.Sprintf("[%s] %s -> %s", p.place(s.Addr), hexLittle(s.Old, s.Size), hexLittle(s.Val, s.Size)))
		}
	}
	return list
}

// registers lists those that an instruction changed; RSP goes without saying.
func registers(e *vmm.Event) (list []string) {
	for i, name := range cpu.RegNames {
		if a, b := e.Before.R[i], e.After.R[i]; a != b && i != cpu.RSP {
			list = append(list, fmt.Sprintf("%s %#x -> %#x", strings.ToLower(name), a, b))
		}
	}
	return list
}

func (p *Player) place(a uint64) string {
	if p.t.Place != nil {
		return p.t.Place(a)
	}
	return fmt.Sprintf("%#x", a)
}

// hexLittle is a value as it lies in memory.
func hexLittle(v uint64, size uint8) string {
	var b strings.Builder
	for range size {
		fmt.Fprintf(&b, "%02x", byte(v))
		v >>= 8
	}
	return b.String()
}
