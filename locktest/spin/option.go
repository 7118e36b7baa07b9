package spin

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"spinlab/explore"
	"spinlab/locktest/engine"
	"spinlab/vmm"
)

// options are what flags and inputs say.
type options struct {
	bare  engine.BareConfig
	run   engine.RunConfig
	check engine.CheckConfig

	defines                       map[string]int64
	timeout                       time.Duration // 0: the caller's
	trace, full, states, counters bool
}

// option is a row of the table of flags. Their names are those of the verbs.
type option struct {
	name string
	arg  string // what stands for the value, "" for a flag without one
	doc  string
	set  func(o *options, value string) error
}

// optionTable is the table. Every command takes --long beside those it names.
func optionTable() []option {
	return []option{
		{"define", "NAME=VALUE", "sets a parameter of the source", setDefine},
		{"max-instructions", "N", "ends an endless guest", func(o *options, s string) error {
			n, err := positive(s)
			o.run.MaxInstructions, o.bare.MaxInstructions = n, n
			return err
		}},
		{"max-states", "N", "gives up a search", func(o *options, s string) (err error) {
			o.check.Search.MaxStates, err = positive(s)
			return err
		}},
		{"max-memory", "BYTES", "gives up a search; K, M or G may follow", func(o *options, s string) (err error) {
			o.check.Search.MaxMemory, err = engine.ParseSize(s)
			return err
		}},
		{"timeout", "TIME", "gives up after that time, as 90s", func(o *options, s string) (err error) {
			if o.timeout, err = time.ParseDuration(s); err == nil && o.timeout <= 0 {
				err = errors.New("a time to come is wanted")
			}
			return err
		}},
		{"cpl", "0|3", "privilege level", func(o *options, s string) error {
			if s != "0" && s != "3" {
				return errors.New("0 and 3 are modelled")
			}
			o.bare.CPL = s[0] - '0'
			return nil
		}},
		{"commit", "eager|late|timed|random", "when buffered stores commit; a function called alone has eager and late", setCommit},
		{"pcpus", "N", "pCPUs (default half the vCPUs)", setInt(func(o *options) *int { return &o.run.PCPUs }, 1, vmm.MaxPCPUs)},
		{"work-in", "N", "turns of a work loop inside the critical section", setInt64(func(o *options) *int64 { return &o.run.WorkIn })},
		{"work-out", "N", "turns of a work loop before each acquisition", setInt64(func(o *options) *int64 { return &o.run.WorkOut })},
		{"profile", "NAME", "the machine, from spinlab list profiles", func(o *options, s string) error {
			if _, ok := vmm.FindProfile(s); !ok {
				return errors.New("unknown; spinlab list profiles shows all")
			}
			o.run.Profile = s
			return nil
		}},
		{"ple", "on|off", "pause-loop exiting", func(o *options, s string) error {
			on := s == "on"
			o.run.PLE = &on
			return oneOf(s, "on", "off")
		}},
		{"slice", "CYCLES", "time slice", setUint(func(o *options) *uint64 { return &o.run.Slice })},
		{"seed", "N", "varies start times", setUint(func(o *options) *uint64 { return &o.run.Seed })},
		{"max-cycles", "N", "ends a run in virtual time", setUint(func(o *options) *uint64 { return &o.run.MaxCycles })},
		{"counters", "", "prints sums over all vCPUs, too", setBool(func(o *options) *bool { return &o.counters })},
		{"kick-abi", "v8|v3|mainline", "how the kick hypercall names its target", func(o *options, s string) error {
			o.run.KickABI, o.check.KickABI = engine.KickABIs[s], engine.KickABIs[s]
			return oneOf(s, slices.Sorted(maps.Keys(engine.KickABIs))...)
		}},
		{"host-bug", "NAME", "a mistake of the host", func(o *options, s string) error {
			bug, _ := engine.HostBug(s)
			o.run.HostBug, o.check.HostBug = bug, bug
			return oneOf(s, vmm.HostBugs[:]...)
		}},
		{"pv-unhalt-bit", "BIT", "CPUID feature bit that offers the kick; -1 offers none", func(o *options, s string) error {
			n, err := strconv.Atoi(s)
			if err != nil || n != -1 && (n < 1 || n > 31) {
				return errors.New("1 to 31, or -1 for none")
			}
			o.run.PVUnhaltBit, o.check.PVUnhaltBit = n, n
			return nil
		}},
		{"reduce", "all|steps|none", "which equivalent interleavings are left out", func(o *options, s string) error {
			o.check.Search.Reduce = engine.Reductions[s]
			return oneOf(s, slices.Sorted(maps.Keys(engine.Reductions))...)
		}},
		{"observe", "LIST", "what to print of final states, as P0.eax,mem:0x200040:4", setObserve},
		{"final", "PREDICATE", "what must hold in every final state", func(o *options, s string) (err error) {
			o.check.Final, err = explore.ParsePredicate(s)
			return err
		}},
		{"do", "Aa,ABba", "the lock program of each vCPU", func(o *options, s string) error {
			list, err := engine.ParseDo(s)
			o.check.Do, o.run.Do = list, list
			return err
		}},
		{"irq", "VCPU[:VECTOR|:SEQUENCE]", "an interrupt at any boundary", setInterrupt(false)},
		{"nmi", "VCPU[:SEQUENCE]", "an NMI at any boundary", setInterrupt(true)},
		{"irqs-off", "", "interrupts come only where the lock turns them on", setBool(func(o *options) *bool { return &o.check.IRQsOff })},
		{"free-last", "", "whoever takes the lock last gives its memory back", setBool(func(o *options) *bool { return &o.check.FreeLast })},
		{"buffer", "tso|ppro", "the order in which a buffer's stores commit", func(o *options, s string) error {
			o.check.Search.Weak = s == "ppro"
			return oneOf(s, "tso", "ppro")
		}},
		{"max-overtaking", "N", "endless targets: how often others may come first", setInt(func(o *options) *int { return &o.check.MaxOvertaking }, 1, 1<<30)},
		{"unfair", "", "endless targets: does not ask whether a vCPU can starve", setBool(func(o *options) *bool { return &o.check.Unfair })},
		{"all", "", "goes on after a violation", setBool(func(o *options) *bool { return &o.check.All })},
		{"drain-on-halt", "", "HLT waits for the store buffer", setBool(func(o *options) *bool { return &o.check.Search.DrainOnHalt })},
		{"trace", "", "prints what is wrong and the way to it, too", setBool(func(o *options) *bool { return &o.trace })},
		{"full", "", "with --trace: private instructions, too", setBool(func(o *options) *bool { return &o.full })},
		{"states", "", "prints how many states and transitions there are, too", setBool(func(o *options) *bool { return &o.states })},
	}
}

func setDefine(o *options, s string) error {
	name, v, err := engine.ParseDefine(s)
	if err != nil {
		return err
	}
	if old, ok := o.defines[name]; ok && old != v {
		return fmt.Errorf("it was %d before", old)
	}
	if o.defines == nil {
		o.defines = map[string]int64{}
	}
	o.defines[name] = v
	return nil
}

func setCommit(o *options, s string) error {
	mode, ok := engine.CommitModes[s]
	if !ok {
		return oneOf(s, slices.Sorted(maps.Keys(engine.CommitModes))...)
	}
	o.run.Commit = mode
	o.bare.Late = s == "late"
	return nil
}

func setObserve(o *options, s string) error {
	for name := range strings.SplitSeq(s, ",") {
		x, err := explore.ParseObservable(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		o.check.Observe = append(o.check.Observe, x)
	}
	return nil
}

func setInterrupt(nmi bool) func(*options, string) error {
	return func(o *options, s string) error {
		x, err := engine.ParseIRQ(s, nmi)
		o.check.Interrupts = append(o.check.Interrupts, x)
		return err
	}
}

func positive(s string) (uint64, error) {
	n, err := engine.ParseNumber(s)
	if err != nil || n == 0 || int64(n) < 0 {
		return 0, errors.New("a number from 1 up is wanted")
	}
	return n, nil
}

func setUint(field func(*options) *uint64) func(*options, string) error {
	return func(o *options, s string) error {
		n, err := engine.ParseNumber(s)
		*field(o) = n
		return err
	}
}

func setInt64(field func(*options) *int64) func(*options, string) error {
	return func(o *options, s string) error {
		n, err := engine.ParseNumber(s)
		if err != nil || n >= 1<<31 {
			return errors.New("a number from 0 to 0x7fffffff is wanted")
		}
		*field(o) = int64(n)
		return nil
	}
}

func setInt(field func(*options) *int, least, most int) func(*options, string) error {
	return func(o *options, s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < least || n > most {
			return fmt.Errorf("a number from %d to %d is wanted", least, most)
		}
		*field(o) = n
		return nil
	}
}

func setBool(field func(*options) *bool) func(*options, string) error {
	return func(o *options, _ string) error {
		*field(o) = true
		return nil
	}
}

func oneOf(s string, list ...string) error {
	if slices.Contains(list, s) {
		return nil
	}
	return fmt.Errorf("one of %s is wanted", strings.Join(list, ", "))
}
