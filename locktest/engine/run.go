package engine

import (
	"errors"
	"fmt"

	"spinlab/experiment"
	"spinlab/guestcode"
	"spinlab/mem"
	"spinlab/vmm"
)

// RunConfig is one schedule. The zero value is the defaults of the verb run.
type RunConfig struct {
	VCPUs, PCPUs    int   // 0 means 4, and half of the vCPUs
	Iters           int64 // 0 means guestcode.DefaultIters
	WorkIn, WorkOut int64
	Do              []string // lock programs, one for each vCPU, instead of Iters
	Defines         map[string]int64

	Profile         string // "" is "default"
	PLE             *bool  // nil: as the profile's hosts usually have it
	Slice           uint64
	Seed            uint64
	Commit          mem.CommitMode
	KickABI         vmm.KickABI
	HostBug         vmm.HostBug
	PVUnhaltBit     int
	MaxInstructions uint64 // 0 means vmm.DefaultMaxInstructions
	MaxCycles       uint64

	// Expired is asked now and then whether time is up; nil: never.
	Expired func() bool
}

// Run is a finished run, or one whose time was up.
type Run struct {
	*experiment.Result
	Expired bool
	Program *guestcode.Program
}

// runChunk is how many instructions pass between two looks at the clock.
const runChunk = 5_000_000

// Run runs a lock or a program.
func (s Source) Run(c RunConfig) (*Run, error) {
	switch {
	case c.Do != nil && (c.VCPUs != 0 || c.Iters != 0 || c.WorkIn != 0 || c.WorkOut != 0):
		return nil, errors.New("lock programs say what each vCPU does: no other number is wanted")
	case c.Do != nil:
		c.VCPUs = len(c.Do)
	case c.VCPUs == 0:
		c.VCPUs = 4
	}
	cfg, err := c.machine()
	if err != nil {
		return nil, err
	}
	p, err := s.Build(guestcode.Config{VCPUs: c.VCPUs, Iters: c.Iters, WorkIn: c.WorkIn, WorkOut: c.WorkOut, Do: c.Do, Defines: c.Defines})
	if err != nil {
		return nil, err
	}
	cfg.VMs = experiment.VMs(p, 1, c.VCPUs)
	cfg.Symbolize = func(a uint64) string { return experiment.Symbol(p.Object, a) }
	m, err := vmm.NewMachine(cfg)
	if err != nil {
		return nil, err
	}
	for c.Expired != nil && m.RunTo(m.Retired()+runChunk) {
		if c.Expired() {
			return &Run{Result: &experiment.Result{}, Expired: true, Program: p}, nil
		}
	}
	return &Run{Result: experiment.Finish(p, m), Program: p}, nil
}

func (c *RunConfig) machine() (vmm.Config, error) {
	name := c.Profile
	if name == "" {
		name = "default"
	}
	profile, ok := vmm.FindProfile(name)
	switch {
	case !ok:
		return vmm.Config{}, fmt.Errorf("unknown profile %q: spinlab list profiles shows all", name)
	case c.VCPUs < 1 || c.VCPUs > vmm.MaxVCPUs:
		return vmm.Config{}, fmt.Errorf("%d vCPUs: a VM has 1 to %d", c.VCPUs, vmm.MaxVCPUs)
	}
	pcpus := c.PCPUs
	if pcpus == 0 {
		pcpus = profile.PCPUs
	}
	if pcpus == 0 {
		pcpus = HalfOf(c.VCPUs)
	}
	ple := profile.PLEUsual
	if c.PLE != nil {
		ple = *c.PLE
	}
	return vmm.Config{PCPUs: pcpus, Profile: &profile, Slice: c.Slice, PLE: ple, Commit: c.Commit, Seed: c.Seed,
		KickABI: c.KickABI, HostBug: c.HostBug, PVUnhaltBit: c.PVUnhaltBit,
		MaxInstructions: c.MaxInstructions, MaxCycles: c.MaxCycles}, nil
}

// HalfOf is the usual number of pCPUs: twice as many vCPUs share them.
func HalfOf(vcpus int) int { return min((vcpus+1)/2, vmm.MaxPCPUs) }

// Totals are the sums over all vCPUs of a run.
type Totals struct {
	Instructions, Locked, Loads, Stores, Pauses  uint64
	HLTs, Hypercalls, Exits, Kicks, Acquisitions uint64
	Transfers, Cycles                            uint64
}

// Totals adds up.
func (r *Run) Totals() (t Totals) {
	for _, vm := range r.VMs {
		for i := range vm.VCPUs {
			v := &vm.VCPUs[i]
			t.Instructions += v.Instructions
			t.Locked += v.Locked
			t.Loads += v.Loads
			t.Stores += v.Stores
			t.Pauses += v.Pauses
			t.HLTs += v.Exits.HLT
			t.Hypercalls += v.Exits.Hypercall
			t.Exits += v.Exits.Total()
			t.Kicks += v.KicksSent
			t.Acquisitions += v.Acquisitions
		}
	}
	t.Transfers, t.Cycles = r.Lines.Transfers, r.Cycles
	return t
}
