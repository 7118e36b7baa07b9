package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spinlab/asm"
	"spinlab/explore"
	"spinlab/vmm"
)

// savedTrace is the file of check --save: all that replay needs, the source
// included, so that it is the same on every machine.
type savedTrace struct {
	Format   int    `json:"spinlab_trace"`
	Target   string `json:"target"`
	Source   string `json:"source,omitempty"` // of a target that is no variant
	Property string `json:"property"`
	Message  string `json:"message"`

	VCPUs       int      `json:"vcpus"`
	Iters       string   `json:"iters"`
	Defines     []string `json:"defines,omitempty"`
	Set         []string `json:"set,omitempty"`
	Memory      []string `json:"mem,omitempty"`
	Observe     string   `json:"observe,omitempty"`
	Main        string   `json:"main,omitempty"`      // name and text of --main
	MainText    string   `json:"main_text,omitempty"` //
	FreeLast    bool     `json:"free_last,omitempty"`
	Do          string   `json:"do,omitempty"`
	IRQsOff     bool     `json:"irqs_off,omitempty"`
	IRQ         []string `json:"irq,omitempty"`
	NMI         []string `json:"nmi,omitempty"`
	Final       string   `json:"final,omitempty"`
	KickABI     string   `json:"kick_abi"`
	HostBug     string   `json:"host_bug,omitempty"`
	PVUnhaltBit int      `json:"pv_unhalt_bit"`

	Reduce      string   `json:"reduce"`
	DrainOnHalt bool     `json:"drain_on_halt,omitempty"`
	Weak        bool     `json:"weak,omitempty"`
	Shared      []uint64 `json:"shared,omitempty"`
	RedZone     uint64   `json:"red_zone,omitempty"`
	Varying     []uint64 `json:"varying,omitempty"`
	Loop        int      `json:"loop,omitempty"`
	Path        []string `json:"path"` // step 0, commit 1, wake 1, deliver 0
}

// traceFormat is the version of the file.
const traceFormat = 2

// saveTrace writes the trace of a violation, and nothing without one.
func saveTrace(f *checkFlags, t *checkTarget, r *explore.Result) error {
	if r.Trace == nil {
		return nil
	}
	s := savedTrace{Format: traceFormat, Target: t.Name, Source: t.source, Property: string(r.Property), Message: r.Message,
		VCPUs: f.vcpus, Iters: f.iters, Defines: f.defines, Set: f.set, Memory: f.memory, Observe: f.observe, Final: f.final, Do: f.do, FreeLast: f.freeLast, IRQsOff: f.irqsOff, IRQ: f.irq, NMI: f.nmi,
		KickABI: f.kickABI.value, HostBug: f.hostBug.value, PVUnhaltBit: f.pvUnhaltBit,
		Reduce: r.Trace.Reduce.String(), DrainOnHalt: r.Trace.DrainOnHalt, Weak: r.Trace.Weak, Shared: r.Trace.Shared, RedZone: r.Trace.RedZone, Loop: r.Trace.Loop, Varying: r.Trace.Varying}
	if f.main.src != nil {
		s.Main, s.MainText = f.main.src.Name, string(f.main.src.Text)
	}
	for _, a := range r.Trace.Path {
		s.Path = append(s.Path, actionText(a))
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.save, append(text, '\n'), 0o666); err != nil {
		return fileError(f.save, err)
	}
	return nil
}

func actionText(a vmm.Action) string { return fmt.Sprintf("%s %d", a.Kind, a.VCPU) }

func parseAction(s string) (vmm.Action, error) {
	kind, who, _ := strings.Cut(s, " ")
	n, err := strconv.ParseUint(who, 10, 8)
	if k, ok := vmm.ParseAction(kind); ok && err == nil {
		return vmm.Action{Kind: k, VCPU: uint8(n)}, nil
	}
	return vmm.Action{}, fmt.Errorf("%q is no action", s)
}

// replayFlags are those of replay.
type replayFlags struct {
	step, full bool
}

func replayCmd() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Run a saved interleaving again",
		Long: `Runs what check --save has written: the same machine, the same actions, and the
same end. With --step it waits for a line on the standard input after each
action.

Exit codes: 0 when nothing is wrong at its end; 1 when the violation is there
again; 2 when the file does not fit.`,
		Example: `  spinlab check ticket-broken-plain-xadd --save bad.json
  spinlab replay bad.json
  spinlab replay bad.json --step`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("replay takes one FILE that check --save has written")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return replay(cmd, args[0], &f) },
	}
	cmd.Flags().BoolVar(&f.step, "step", false, "wait for a line of input after each action")
	cmd.Flags().BoolVar(&f.full, "full", false, "show private instructions, too")
	return cmd
}

// readTrace reads a file of saveTrace and builds its target.
func readTrace(cmd *cobra.Command, name string) (*checkTarget, *savedTrace, *explore.Trace, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, nil, nil, fileError(name, err)
	}
	defer in.Close()
	s := &savedTrace{}
	if err := json.NewDecoder(io.LimitReader(in, maxSource)).Decode(s); err != nil || s.Format != traceFormat {
		return nil, nil, nil, fmt.Errorf("%s: no trace that check --save has written", name)
	}
	f := &checkFlags{vcpus: s.VCPUs, iters: s.Iters, defines: s.Defines, set: s.Set, memory: s.Memory, observe: s.Observe, do: s.Do, freeLast: s.FreeLast, irqsOff: s.IRQsOff, irq: s.IRQ, nmi: s.NMI,
		final: s.Final, kickABI: &choice{value: s.KickABI}, hostBug: &choice{value: s.HostBug}, pvUnhaltBit: s.PVUnhaltBit}
	if s.Main != "" {
		f.main.src = &asm.Source{Name: s.Main, Text: []byte(s.MainText)}
	}
	arg := s.Target
	if s.Source != "" {
		arg = "-"
		cmd.SetIn(bytes.NewReader([]byte(s.Source)))
	}
	t, err := f.target(cmd, arg)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	how := &explore.Trace{DrainOnHalt: s.DrainOnHalt, Weak: s.Weak, Shared: s.Shared, RedZone: s.RedZone, Loop: s.Loop, Varying: s.Varying}
	for how.Reduce = explore.ReduceAll; how.Reduce.String() != s.Reduce; how.Reduce++ {
		if how.Reduce == explore.ReduceNone {
			return nil, nil, nil, fmt.Errorf("%s: no reduction %q", name, s.Reduce)
		}
	}
	for _, word := range s.Path {
		a, err := parseAction(word)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		how.Path = append(how.Path, a)
	}
	return t, s, how, nil
}

func replay(cmd *cobra.Command, name string, f *replayFlags) error {
	steps := bufio.NewScanner(cmd.InOrStdin())
	t, s, how, err := readTrace(cmd, name)
	if err != nil {
		return err
	}
	p, err := explore.Play(&t.Target, how)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return buffered(cmd, func(w *bufio.Writer) error {
		for {
			lines, err := p.Next()
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if lines == nil {
				break
			}
			printLines(w, lines, f.full)
			if f.step {
				if err := w.Flush(); err != nil {
					return err
				}
				steps.Scan()
			}
		}
		wrong := p.Breach()
		if wrong == "" && (how.Loop != 0 || explore.Property(s.Property).OfGraph()) {
			wrong = s.Message
		}
		if wrong == "" {
			fmt.Fprintf(w, "%s: nothing is wrong here\n", s.Target)
			return nil
		}
		fmt.Fprintf(w, "%s: %s: %s\n", s.Target, s.Property, wrong)
		if err := w.Flush(); err != nil {
			return err
		}
		return exitWith(exitBad)
	})
}
