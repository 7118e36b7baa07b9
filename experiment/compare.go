package experiment

import (
	"fmt"

	"spinlab/guestcode"
	"spinlab/vmm"
)

// Row is one variant in a comparison; its fields are the JSON contract of
// `spinlab compare`.
type Row struct {
	Variant     string      `json:"variant"`
	Bytes       Bytes       `json:"bytes"`
	Uncontended Uncontended `json:"uncontended"`
	SpinTurn    uint64      `json:"spin_instructions"` // one turn of the spin loop
	Contended   []Contended `json:"contended"`
}

// Contended is a run with several vCPUs.
type Contended struct {
	VCPUs   int            `json:"vcpus"`
	PCPUs   int            `json:"pcpus"`
	Verdict vmm.Verdict    `json:"verdict"`
	Per     PerAcquisition `json:"per_acquisition"`
}

// PerAcquisition is what the whole machine did, the harness included, divided
// by how often the lock was taken. Cycles are elapsed time.
type PerAcquisition struct {
	Instructions float64 `json:"instructions"`
	Locked       float64 `json:"locked"`
	Pauses       float64 `json:"pauses"`
	Transfers    float64 `json:"transfers"`
	Exits        float64 `json:"exits"`
	Cycles       float64 `json:"cycles"`
}

// Builder assembles the program of a row under a configuration.
type Builder func(guestcode.Config) (*guestcode.Program, error)

// spinIters is how often each of two vCPUs takes the lock when the spin loop is
// measured, and spinHold how many turns of work a holder does: enough for the
// other to spin, too little for it to go to sleep.
const (
	spinIters = 4
	spinHold  = 400
)

// Measure makes the row of one lock without its contended part. Of host, what
// the guest can see matters: CPUID bits, the kick's ABI, costs.
func Measure(name string, build Builder, base guestcode.Config, host vmm.Config) (r Row, err error) {
	c := base
	c.VCPUs, c.Iters, c.WorkIn, c.WorkOut = 1, 2, 0, 0
	p, err := build(c)
	if err != nil {
		return r, err
	}
	r = Row{Variant: name, Bytes: MeasureBytes(p), Contended: []Contended{}}
	if r.Uncontended, err = MeasureUncontended(p, host); err != nil {
		return r, err
	}
	c.VCPUs, c.Iters, c.WorkIn = 2, spinIters, spinHold
	if p, err = build(c); err != nil {
		return r, err
	}
	r.SpinTurn, err = MeasureSpin(p, host)
	return r, err
}

// MeasureContended runs a lock on a machine of the given configuration, whose
// VMs it fills in, and divides by the acquisitions.
func MeasureContended(build Builder, c guestcode.Config, cfg vmm.Config) (n Contended, err error) {
	p, err := build(c)
	if err != nil {
		return n, err
	}
	cfg.VMs = VMs(p, 1, c.VCPUs)
	r, err := Run(p, cfg)
	if err != nil {
		return n, fmt.Errorf("%s: %w", p.Name, err)
	}
	return Contended{c.VCPUs, cfg.PCPUs, r.Verdict, perAcquisition(&r.Report)}, nil
}

func perAcquisition(r *vmm.Report) (per PerAcquisition) {
	var n, instructions, locked, pauses, exits uint64
	for _, vm := range r.VMs {
		for i := range vm.VCPUs {
			v := &vm.VCPUs[i]
			n += v.Acquisitions
			instructions += v.Instructions
			locked += v.Locked
			pauses += v.Pauses
			exits += v.Exits.Total()
		}
	}
	if n == 0 {
		return per
	}
	by := func(x uint64) float64 { return float64(x) / float64(n) }
	return PerAcquisition{by(instructions), by(locked), by(pauses), by(r.Lines.Transfers), by(exits), by(r.Cycles)}
}
