package locktest

import (
	"fmt"
	"testing"

	"spinlab/cpu"
	"spinlab/locktest/engine"
	"spinlab/mem"
	"spinlab/vmm"
)

// Memory that a call finds mapped, readable and writable, zero but for what Mem
// puts there. Further pages are mapped where Mem names them.
const (
	Scratch     = engine.BareShared
	ScratchSize = 0x10000
)

// Counts is what a call executed. An RMW is a load and a store; stack accesses
// count; branches are jumps, calls and returns, taken or not.
type Counts struct {
	Instructions, Locked, Loads, Stores, Branches uint64
	Bytes                                         uint64 // of the function's code
}

func countsOf(n *engine.Count) Counts {
	return Counts{n.Instructions, n.Locked, n.Loads, n.Stores, n.Branches, n.Bytes}
}

// Option says how to call.
type Option func(*callConfig)

type callConfig struct {
	engine.BareConfig
	err error
}

// Entry names the function to call, or a label in it; the default is the first
// byte of the code.
func Entry(symbol string) Option { return func(c *callConfig) { c.Entry = symbol } }

// Reg sets a register: "rdi", "r15", or "rflags". Those not set are 0, and RSP
// points to a stack with the return address on it.
func Reg(name string, value uint64) Option {
	return func(c *callConfig) {
		if err := c.SetRegister(fmt.Sprintf("%s=%#x", name, value)); err != nil {
			c.err = err
		}
	}
}

// Mem puts bytes into memory.
func Mem(addr uint64, bytes ...byte) Option {
	return func(c *callConfig) { c.Mem = append(c.Mem, mem.Run{Addr: addr, Bytes: bytes}) }
}

// MaxInstructions bounds the call; the default is 10,000,000.
func MaxInstructions(n uint64) Option {
	return func(c *callConfig) { c.BareConfig.MaxInstructions = n }
}

// User runs the code at CPL 3 instead of CPL 0.
func User() Option { return func(c *callConfig) { c.CPL = 3 } }

// Change is a register, rflags or a run of bytes that a call changed.
type Change struct {
	What          string // rax, rflags, 0x200000
	Before, After string // numbers in hex; bytes in hex as they lie in memory
}

// Result is what a call did.
type Result struct {
	Counts
	// End is "end" if the function returned or ran off its last byte, else why
	// it stopped: "hlt", "limit", "fault #UD", "unsupported (…)".
	End string
	// RIP is where it stopped, with the symbol if there is one.
	RIP     string
	Changes []Change

	core *cpu.Core
	mem  *mem.Memory
}

// Reg is a register after the call: "rax", "rflags".
func (r *Result) Reg(name string) uint64 {
	if name == "rflags" {
		return r.core.RFlags()
	}
	i, ok := engine.Register(name)
	if !ok {
		return 0
	}
	return r.core.R[i]
}

// Mem is memory after the call; what is not mapped reads as 0.
func (r *Result) Mem(addr uint64, n int) []byte {
	b := make([]byte, n)
	r.mem.Peek(addr, b)
	return b
}

// Call calls a function of the code alone on one core. It fails on code or
// inputs that make no sense; how the call ended is in the result.
func Call(c Code, opts ...Option) (*Result, error) {
	cfg := callConfig{BareConfig: engine.BareConfig{MaxInstructions: 10_000_000}}
	for _, o := range opts {
		o(&cfg)
	}
	if c.err != nil || cfg.err != nil {
		return nil, firstError(c.err, cfg.err)
	}
	b, rep, n, err := c.src.Call(cfg.BareConfig, nil)
	if err != nil {
		return nil, err
	}
	r := &Result{Counts: countsOf(&n), End: rep.Verdict(), RIP: rep.Place(), core: b.Engine.Core, mem: b.Engine.Mem}
	for _, list := range [][]engine.Change{rep.Registers, rep.Memory} {
		for _, x := range list {
			r.Changes = append(r.Changes, Change(x))
		}
	}
	return r, nil
}

// Run is Call in a test: it fails the test unless the call comes to its end.
func Run(t testing.TB, c Code, opts ...Option) *Result {
	t.Helper()
	r, err := Call(c, opts...)
	if err != nil {
		t.Fatalf("locktest: %v", err)
		return nil
	}
	if r.End != "end" && r.End != string(vmm.BareHLT) {
		t.Errorf("locktest: the call ended with %s at %s after %d instructions", r.End, r.RIP, r.Instructions)
	}
	return r
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
