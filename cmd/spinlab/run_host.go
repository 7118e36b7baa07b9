package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"spinlab/vmm"
)

// hostFlags are what run has to say about the host beside its profile.
type hostFlags struct {
	pin      bool
	hogs     int
	realtime bool
}

func (f *hostFlags) add(fs *pflag.FlagSet) {
	fs.BoolVar(&f.pin, "pin", false, "keep vCPU i on pCPU i mod the number of pCPUs")
	fs.IntVar(&f.hogs, "hogs", 0, "vCPUs of one more VM that only use up time")
	fs.BoolVar(&f.realtime, "hints-realtime", false, "tell the guest by CPUID that it is not preempted (KVM_HINTS_REALTIME)")
}

// apply adds the flags to a configuration that has its VMs.
func (f *hostFlags) apply(c *vmm.Config) error {
	if f.hogs < 0 || f.hogs > vmm.MaxVCPUs {
		return fmt.Errorf("--hogs %d: 0 to %d", f.hogs, vmm.MaxVCPUs)
	}
	c.Pin, c.RealtimeHint = f.pin, f.realtime
	if f.hogs > 0 {
		c.VMs = append(c.VMs, vmm.HogVM(f.hogs))
	}
	return nil
}

// usualPCPUs is how many pCPUs the profile's machine has, 0 if that is up to
// the user.
func (f *machineFlags) usualPCPUs() int {
	p, _ := vmm.FindProfile(f.profile)
	return p.PCPUs
}

// usePLE says whether pause-loop exiting is on: by the flag, else as hosts of
// the profile usually have it.
func (f *machineFlags) usePLE(p *vmm.Profile) bool {
	if f.ple.set {
		return f.ple.value == "on"
	}
	return p.PLEUsual
}
